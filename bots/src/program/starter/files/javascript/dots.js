"use strict";
/*
 * An agent for Dots & Boxes: it reads lines of JSON and writes lines of JSON.
 *
 * Change `decide`. `main` speaks the agent protocol and can stay as it is.
 */

const readline = require("node:readline");

/** One agent in one game. */
class Agent {
  constructor(hello) {
    this.columns = hello.config.cols;
  }

  /**
   * Returns the answer: {do: EDGE}, an edge as the numbers of its dots, row by row: "0-1".
   *
   * `see` has player, mover, points, across, down and boxes.
   * The message in `main` also has `events`, what was drawn since the last decision, and `now`, which is 0 in this game.
   * To use them, pass the message here.
   */
  decide(see, options) {
    const costs = this.free(see).map((edge) => ({ edge, cost: this.cost(see, edge) }));
    return { do: costs.reduce((best, other) => (other.cost < best.cost ? other : best)).edge };
  }

  /** Returns the edges that are not drawn. `options` lists them too, but only up to 256. */
  free(see) {
    const edges = (rows, step) =>
      rows.flatMap((signs, row) =>
        [...signs].flatMap((sign, column) => {
          const dot = row * this.columns + column;
          return sign === "." ? [`${dot}-${dot + step}`] : [];
        }),
      );
    return [...edges(see.across, 1), ...edges(see.down, this.columns)];
  }

  /** Returns the boxes that the opponent can complete after this edge, less those that the edge completes. */
  cost(see, edge) {
    const costs = [0, 0, 1, -2]; // by the number of drawn edges of a box
    return this.boxes(see, edge).reduce((sum, box) => sum + costs[this.drawn(see, ...box)], 0);
  }

  /** Returns the one or two boxes beside an edge, as row and column. */
  boxes(see, edge) {
    const [first, second] = edge.split("-").map(Number);
    const [row, column] = [Math.floor(first / this.columns), first % this.columns];
    const other = second === first + 1 ? [row - 1, column] : [row, column - 1];
    return [[row, column], other].filter(([row, column]) => see.boxes[row]?.[column]);
  }

  /** Returns the number of drawn edges of a box. */
  drawn({ across, down }, row, column) {
    const edges = [across[row][column], across[row + 1][column], down[row][column], down[row][column + 1]];
    return edges.filter((sign) => sign !== ".").length;
  }
}
