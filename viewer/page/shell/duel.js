// What the rooms of games share in which players move in turns, most often two: names, the course below the board, events in words,
// the result and the page of statistics. A room's own class says what is different.

import { movesAt } from "./clock.js";
import { CHARTS_EVERY_MS, placeCursorAt, seekBy } from "./course.js";
import { byId, make, scrollTable, teamShape, write } from "./dom.js";
import { endingText, playerName, SIDES } from "./players.js";
import { Room } from "./room.js";
import { saveButtons } from "./saving.js";
import { Throttle } from "./throttle.js";

/** The key for the next move, where the operator makes moves by hand. */
export const BY_HAND = { shown: "M", words: "the next move, where the operator makes moves by hand", keys: { m: (page) => { page.matches.next(); } } };

/** A game of two players; with more, the room names their sides. In its part of the document all ids begin with `id`. */
export class DuelRoom extends Room {
  /** How the ids of the room begin. */
  static id = "";

  /** What ends a game by its rules, in words. */
  static ending = "";

  /** Puts an event into words, without the player who acts: `(game, index)`. */
  static words = () => "";

  /** The sign of an event: `(kind, player)`. */
  static sign = () => "•";

  constructor(page) {
    super(page);
    document.body.classList.add("is-duel");
    /** The axes of the chart of the course, once it is drawn. */
    this.course = null;
    this.growth = new Throttle(() => this.drawCourse(), CHARTS_EVERY_MS);
    seekBy(this.part("course"), page.time, () => this.course);
  }

  /** An element of the room, by its name. */
  part(name) {
    return byId(`${this.constructor.id}-${name}`);
  }

  /** The name of a team in the style sheet. */
  sideOf(team) {
    return SIDES[team];
  }

  /** The shape of a team. */
  shapeOf(team) {
    return teamShape(this.sideOf(team));
  }

  /** Writes the players' names above the board, and makes their rows beside it. */
  showPlayers() {
    for (const agent of this.game.start.agents) write(this.part(`name-${agent.id}`), playerName(this.game, agent.id));
    this.players = this.game.start.agents.map((agent) => make("div", { "class": "duel-player" }, this.shapeOf(agent.team),
      make("span", { "class": "name" }, playerName(this.game, agent.id)), make("span", { "class": "doing" }), make("span", { "class": "count" })));
    this.part("players").replaceChildren(...this.players);
  }

  /** Writes into the players' rows who is to move, and what else there is to say of each. */
  writePlayers(mover, doing, count) {
    this.players.forEach((row, player) => {
      row.classList.toggle("mover", mover === player);
      write(row.children[2], doing(player));
      write(row.children[3], count(player));
    });
  }

  /** The state at the moment that is shown. */
  get shown() {
    return this.game.at(this.page.time.t);
  }

  grew() {
    this.growth.ask();
  }

  finished() {
    this.growth.now();
  }

  resize() {
    this.drawCourse();
  }

  restyle() {
    this.drawCourse();
  }

  drawCourse() {
    if (!this.game.start || this.page.tab !== "board") return;
    this.course = this.drawCharts(this.part("course"), this.part("ticks"), this.page.time.from);
  }

  /** Draws the chart of the course and the marks of the slider, each on its canvas: `course`, `ticks`. Both begin at the
   * moment `from`. Returns the axes of the chart. */
  drawCharts() {
    return null;
  }

  placeCursor() {
    if (this.course) placeCursorAt(this.part("cursor"), this.course, this.page.time.t);
  }

  text(index) {
    const { game } = this, [t, , player] = game.events[index];
    return `${game.momentText(t)}: ${player >= 0 ? `${playerName(game, player)} ` : ""}${this.constructor.words(game, index)}`;
  }

  /** The last event up to the moment that is shown, in words; `before` if there is none. */
  lastText(before) {
    const index = this.game.lastLoud(this.page.time.t, this.sight);
    return index >= 0 ? this.text(index) : before;
  }

  row(index) {
    const { game } = this, [t, kind, player] = game.events[index];
    const side = player >= 0 ? this.sideOf(game.start.agents[player].team) : "";
    const who = player >= 0 ? [make("b", { "class": side }, playerName(game, player)), " "] : [];
    return [
      make("time", {}, String(movesAt(t))),
      make("span", { "class": `sign ${side}`, "aria-hidden": "true" }, this.constructor.sign(kind, player)),
      make("span", { "class": "text", title: this.text(index) }, ...who, this.constructor.words(game, index)),
    ];
  }

  /** How many points each player has at the end, if the game counts any. */
  score() {
    return "";
  }

  /** Who has won, in words. */
  winnerText({ winner }) {
    return winner === null ? "Nobody wins" : `${playerName(this.game, winner)} wins`;
  }

  result({ outcome }) {
    return `${this.winnerText(outcome)}${this.score(outcome)}, ${endingText(outcome.termination, this.constructor.ending)}`;
  }

  statisticsSoFar() {
    return { outcome: null, steps: movesAt(this.game.duration), seed: this.game.start.seed };
  }

  /** The page of statistics: the outcome, behind what stands in front of it, and a table with these columns, each a name
   * and what it says of a player. */
  statisticsPage(document, columns, ...front) {
    const { game } = this, { outcome, steps, seed } = document;
    const title = outcome ? this.winnerText(outcome) : "The game so far";
    const why = outcome ? endingText(outcome.termination, this.constructor.ending) : game.standing;
    return [
      make("section", { "class": "card outcome" }, ...front,
        make("div", {}, make("p", { "class": "result" }, title), make("p", { "class": "note" }, `${why} · ${steps} moves${seed === null ? "" : ` · seed ${seed}`}`)),
        make("div", { "class": "row" }, ...saveButtons(this.page, document))),
      make("section", { "class": "card" }, make("h2", {}, "The players"), scrollTable("the-players", "The players",
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "player"), ...columns.map(([name]) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, ...game.start.agents.map(({ id, team }) => make("tr", {},
          make("td", {}, this.shapeOf(team), playerName(game, id)), ...columns.map(([, of]) => make("td", {}, String(of(id))))))))),
    ];
  }
}
