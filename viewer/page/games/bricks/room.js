// The room of Bricks: draws brick after brick as the feed tells them, and puts its events into words.
//
// It knows no rule of the game: which bricks fit, who moves and who wins, the feed says.

import { byId, make, teamShape, write } from "../../shell/dom.js";
import { BY_HAND, DuelRoom } from "../../shell/duel.js";
import { playerName } from "../../shell/players.js";
import { BricksBoard } from "./board.js";
import { drawBricksTicks, drawFits } from "./charts.js";
import { BRICKS_KINDS, BrickLayers } from "./model.js";
import { CellPicker } from "./picker.js";
import { BRICKS_END, bricksSign, bricksWords } from "./words.js";

/** Moves on or back by this number of moves; with Shift by ten times as many. */
const leapMoves = (moves) => (page, { shiftKey }) => page.time.leap(moves * 1000 * (shiftKey ? 10 : 1));

/** Bricks. */
export class BricksRoom extends DuelRoom {
  static id = "bricks";
  static ending = BRICKS_END;
  static words = bricksWords;
  static sign = bricksSign;
  static title = "Bricks";
  static kinds = BRICKS_KINDS;
  static highlights = ["brick", "refusal", "end"];
  static jumps = { brick: "b", refusal: "r" };
  static keys = [
    { shown: "PageUp PageDown", words: "10 moves back, on; with Shift 100", keys: { PageUp: leapMoves(-10), PageDown: leapMoves(10) } },
    BY_HAND,
    { shown: "[ ]", words: "1000 moves back, on", keys: { "[": (page) => page.time.leap(-1e6), "]": (page) => page.time.leap(1e6) } },
  ];
  static settingGroups = {
    "What is played": ["players", "first", "second", "mode", "paceMs"],
    "Board": ["size", "torus", "filledCells", "filled", "seed", "loose"],
    "Messages and time": ["dialect", "compat", "moveLimitMs", "answerLimitMs", "silenceLimitMs", "wakeMs"],
    "Players' programs": ["graceMs", "memoryMib", "processes", "confine", "mayRead"],
  };
  static settingEditors = { filledCells: CellPicker };

  constructor(page) {
    super(page);
    this.board = new BricksBoard(byId("bricks-board"), byId("bricks-last"));
  }

  timeline() {
    return new BrickLayers();
  }

  begin() {
    byId("stage").style.setProperty("--aspect", "1");
    this.showPlayers();
    this.resize();
  }

  resize() {
    this.board.forget(this.game);
    super.resize();
  }

  restyle() {
    this.resize();
  }

  drawCharts(course, ticks, from) {
    drawBricksTicks(ticks, this.game, from);
    return drawFits(course, this.game, from);
  }

  draw() {
    this.board.draw(this.shown.bricks);
    this.placeCursor();
  }

  /** The number of bricks of a player, when the events have put `bricks`: players alternate, player 0 begins. */
  countOf(player, bricks) {
    return Math.floor((this.game.start.picture.bricks.length + bricks + (player === 0 ? 1 : 0)) / 2);
  }

  writeScore() {
    const { bricks } = this.shown;
    [0, 1].forEach((player) => write(byId(`bricks-count-${player}`), String(this.countOf(player, bricks))));
  }

  writePanels() {
    const { bricks, moment } = this.shown;
    const { game } = this, last = bricks > 0 ? game.brick(bricks - 1)[2] : -1;
    const doing = (player) => (moment.mover === player ? "to move" : last === player ? `took ${game.thought(bricks - 1)} ms` : "");
    const own = (player) => this.countOf(player, bricks);
    this.writePlayers(moment.mover, doing, (player) => (own(player) === 1 ? "1 brick" : `${own(player)} bricks`));
    const { size, torus, limit } = this.game.start.picture;
    const time = limit === null ? "no limit of time" : `${limit} ms a move`;
    write(byId("bricks-fits"), `${size} × ${size}${torus ? ", a torus" : ""}, ${time}. ${moment.fits === 1 ? "1 brick fits" : `${moment.fits} bricks fit`}.`);
    const begins = moment.mover === null ? BRICKS_END : `${playerName(this.game, moment.mover)} begins`;
    write(byId("bricks-told"), this.lastText(begins));
  }

  signs() {
    const sign = (side, text) => make("li", {}, make("span", { "class": "bricks-sign" }, teamShape(side)), text);
    return [sign("red", "a brick of the first player"), sign("blue", "a brick of the second player"), make("li", {}, "Grey cells were filled from the beginning; the last brick is the darker one.")];
  }

  statistics(document) {
    const { game } = this;
    const numbers = game.ofKind.brick.map((_, number) => number);
    const times = (player) => numbers.filter((number) => game.brick(number)[2] === player).map((number) => game.thought(number));
    const mean = (values) => (values.length ? Math.round(values.reduce((sum, value) => sum + value, 0) / values.length) : 0);
    const most = (values) => values.reduce((longest, value) => Math.max(longest, value), 0);
    const columns = [
      ["bricks", (player) => this.countOf(player, numbers.length)], ["mean time", (player) => `${mean(times(player))} ms`],
      ["longest time", (player) => `${most(times(player))} ms`], ["refused", (player) => game.count("refusal", player)],
    ];
    return this.statisticsPage(document, columns);
  }
}
