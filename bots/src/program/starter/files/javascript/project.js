"use strict";
/*
 * An agent for The Project Game: it reads lines of JSON and writes lines of JSON.
 *
 * Change `decide`. `main` speaks the agent protocol and can stay as it is.
 */

const readline = require("node:readline");

/** One agent in one game. */
class Agent {
  constructor({ config, teams, team_names: names, agent }) {
    const mates = teams.flatMap((team, mate) => (team === teams[agent] ? [mate] : []));
    this.place = mates.indexOf(agent);
    this.teamSize = mates.length;
    // Red's goal area is in the north, blue's in the south.
    this.firstGoalRow = names[teams[agent]] === "red" ? config.boardY - config.goalAreaHeight : 0;
    this.endOfGoalRows = this.firstGoalRow + config.goalAreaHeight;
  }

  /**
   * Returns the answer: {do: ACTION}, {walk: [X, Y]} or {wait: MILLISECONDS}.
   *
   * `see` has at, hand, distance, piece, points, questions, asked, silent, seen, board and, on large boards, window.
   * The message in `main` also has `now`, the game time in milliseconds, and `events`, what the agent has heard since
   * its last decision. To use them, pass the message here.
   */
  decide(see, options) {
    const [x, y] = see.at;
    const isHere = (field) => field[0] === x && field[1] === y;
    if (see.hand !== "empty") {
      const goal = this.goal(see);
      return isHere(goal) ? { do: "put" } : { walk: goal, note: "a goal may be there" };
    }
    if (!see.piece) return { do: "discover" };
    return isHere(see.piece) ? { do: "pick-up" } : { walk: see.piece, note: "a piece may be there" };
  }

  /** Returns the nearest field that can be a goal, first in the agent's own share of the columns. */
  goal(see) {
    const [x, y] = see.at;
    const [left, south] = see.window ?? [0, 0];
    let best = { field: [x, this.firstGoalRow], cost: Infinity };
    see.board.forEach((signs, row) =>
      [...signs].forEach((sign, column) => {
        const field = [left + column, south + row];
        const isGoalRow = field[1] >= this.firstGoalRow && field[1] < this.endOfGoalRows;
        if (!isGoalRow || !"?G".includes(sign)) return;
        const share = field[0] % this.teamSize === this.place ? 0 : 1000;
        const cost = share + Math.abs(field[0] - x) + Math.abs(field[1] - y);
        if (cost < best.cost) best = { field, cost };
      }),
    );
    return best.field;
  }
}
