// The room of Bricks: draws brick after brick as the feed tells them, and puts its events into words.
//
// It knows no rule of the game: which bricks fit, who moves and who wins, the feed says.

import { byId, make, teamShape, write } from "../../shell/dom.js";
import { endingText, playerName, SIDES } from "../../shell/players.js";
import { Room } from "../../shell/room.js";
import { saveButtons } from "../../shell/saving.js";
import { BricksBoard } from "./board.js";
import { drawBricksTicks, drawFits } from "./charts.js";
import { BRICKS_KINDS, BrickLayers } from "./model.js";
import { BRICKS_END, bricksRow, bricksText } from "./words.js";

/** So many moves on or back; with Shift ten times as many. */
const leapMoves = (moves) => (page, { shiftKey }) => page.time.leap(moves * 1000 * (shiftKey ? 10 : 1));

/** Bricks. */
export class BricksRoom extends Room {
  static title = "Bricks";
  static kinds = BRICKS_KINDS;
  static highlights = ["brick", "refusal", "end"];
  static jumps = { brick: "b", refusal: "r" };
  static keys = [
    { shown: "PageUp PageDown", words: "10 moves back, on; with Shift 100", keys: { PageUp: leapMoves(-10), PageDown: leapMoves(10) } },
    { shown: "M", words: "the next move, where the operator makes moves by hand", keys: { m: (page) => { page.matches.next(); } } },
    { shown: "[ ]", words: "1000 moves back, on", keys: { "[": (page) => page.time.leap(-1e6), "]": (page) => page.time.leap(1e6) } },
  ];

  constructor(page) {
    super(page);
    this.board = new BricksBoard(byId("bricks-board"), byId("bricks-last"));
    this.course = null;
    const seek = (event) => {
      if (!this.course || (event.type === "pointermove" && !(event.buttons & 1))) return;
      page.time.playing = false;
      page.time.seek(this.course.tOf(event.clientX - byId("bricks-course").getBoundingClientRect().left));
    };
    byId("bricks-course").addEventListener("pointerdown", seek);
    byId("bricks-course").addEventListener("pointermove", seek);
  }

  timeline() {
    return new BrickLayers();
  }

  begin() {
    const { agents } = this.game.start;
    byId("stage").style.setProperty("--aspect", "1");
    agents.forEach(({ id }) => write(byId(`bricks-name-${id}`), playerName(this.game, id)));
    this.players = agents.map(({ id, team }) => make("div", { "class": "bricks-player" }, teamShape(SIDES[team]),
      make("span", { "class": "name" }, playerName(this.game, id)), make("span", { "class": "doing" }), make("span", { "class": "bricks" })));
    byId("bricks-players").replaceChildren(...this.players);
    this.resize();
  }

  grew() {
    this.drawCourse();
  }

  finished() {
    this.drawCourse();
  }

  resize() {
    this.board.forget(this.game);
    this.drawCourse();
  }

  restyle() {
    this.resize();
  }

  drawCourse() {
    if (!this.game.start || this.page.tab !== "board") return;
    this.course = drawFits(byId("bricks-course"), this.game, this.page.time.from);
    drawBricksTicks(byId("bricks-ticks"), this.game, this.page.time.from);
  }

  get shown() {
    return this.game.at(this.page.time.t);
  }

  draw() {
    this.board.draw(this.shown.bricks);
    if (this.course) byId("bricks-cursor").style.transform = `translateX(${Math.round(this.course.xOf(this.page.time.t) * 2) / 2}px)`;
  }

  /** The number of bricks of a player, of so many that the events have put: players alternate, player 0 begins. */
  countOf(player, bricks) {
    return Math.floor((this.game.start.picture.bricks.length + bricks + (player === 0 ? 1 : 0)) / 2);
  }

  writeScore() {
    const { bricks } = this.shown;
    [0, 1].forEach((player) => write(byId(`bricks-count-${player}`), String(this.countOf(player, bricks))));
  }

  writePanels() {
    const { count, bricks, moment } = this.shown;
    this.players.forEach((row, player) => {
      row.classList.toggle("mover", moment.mover === player);
      const isLast = bricks > 0 && this.game.brick(bricks - 1)[2] === player;
      write(row.children[2], moment.mover === player ? "to move" : isLast ? `took ${this.game.thought(bricks - 1)} ms` : "");
      const own = this.countOf(player, bricks);
      write(row.children[3], own === 1 ? "1 brick" : `${own} bricks`);
    });
    const { size, torus, limit } = this.game.start.picture;
    const time = limit === null ? "no limit of time" : `${limit} ms a move`;
    write(byId("bricks-fits"), `${size} × ${size}${torus ? ", a torus" : ""}, ${time}. ${moment.fits === 1 ? "1 brick fits" : `${moment.fits} bricks fit`}.`);
    const begins = moment.mover === null ? BRICKS_END : `${playerName(this.game, moment.mover)} begins`;
    write(byId("bricks-told"), count ? this.text(this.game.lastLoud(this.page.time.t)) : begins);
  }

  text(index) {
    return bricksText(this.game, index);
  }

  row(index) {
    return bricksRow(this.game, index);
  }

  signs() {
    const sign = (side, text) => make("li", {}, make("span", { "class": "bricks-sign" }, teamShape(side)), text);
    return [sign("red", "a brick of the first player"), sign("blue", "a brick of the second player"), make("li", {}, "Grey cells were filled from the beginning; the last brick is the darker one.")];
  }

  result({ outcome }) {
    if (!outcome) return "The game is not over";
    const who = outcome.winner === null ? "Nobody wins" : `${playerName(this.game, outcome.winner)} wins`;
    return `${who}, ${endingText(outcome.termination, BRICKS_END)}`;
  }

  statisticsSoFar() {
    return { outcome: null, steps: Math.round(this.game.duration / 1000), seed: this.game.start.seed };
  }

  statistics(document) {
    const { game } = this, { outcome, steps, seed } = document;
    const numbers = game.ofKind.brick.map((_, number) => number);
    const times = (player) => numbers.filter((number) => game.brick(number)[2] === player).map((number) => game.thought(number));
    const mean = (values) => (values.length ? Math.round(values.reduce((sum, value) => sum + value, 0) / values.length) : 0);
    const most = (values) => values.reduce((longest, value) => Math.max(longest, value), 0);
    const refused = (player) => game.ofKind.refusal.filter((index) => game.events[index][2] === player).length;
    const columns = [
      ["bricks", (player) => this.countOf(player, numbers.length)], ["mean time", (player) => `${mean(times(player))} ms`],
      ["longest time", (player) => `${most(times(player))} ms`], ["refused", refused],
    ];
    const title = !outcome ? "The game so far" : outcome.winner === null ? "Nobody wins" : `${playerName(game, outcome.winner)} wins`;
    const why = outcome ? endingText(outcome.termination, BRICKS_END) : game.truncated ? "the replay breaks off" : "still going on";
    return [
      make("section", { "class": "card outcome" },
        make("div", {}, make("p", { "class": "result" }, title), make("p", { "class": "note" }, `${why} · ${steps} moves · seed ${seed}`)),
        make("div", { "class": "row" }, ...saveButtons(this.page, document))),
      make("section", { "class": "card" }, make("h2", {}, "The players"), make("div", { "class": "table-scroll" }, make("table", {},
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "player"), ...columns.map(([name]) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, ...game.start.agents.map(({ id, team }) => make("tr", {},
          make("td", {}, teamShape(SIDES[team]), playerName(game, id)), ...columns.map(([, of]) => make("td", {}, String(of(id)))))))))),
    ];
  }
}
