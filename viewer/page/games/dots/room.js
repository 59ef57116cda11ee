// The room of Dots & Boxes: draws the picture and the lines that the feed brings, and puts its events into words.
//
// It knows no rule of the game: which boxes a line completes, who moves and who wins, the feed says.

import { byId, make, teamShape, write } from "../../shell/dom.js";
import { BY_HAND, DuelRoom } from "../../shell/duel.js";
import { playerName } from "../../shell/players.js";
import { DotsBoard } from "./board.js";
import { drawBoxes, drawTicks } from "./charts.js";
import { DOTS_KINDS, Pictures } from "./model.js";
import { DotsPlaying } from "./playing.js";
import { DOTS_END, dotsSign, dotsWords, lineText } from "./words.js";

/** Dots & Boxes. */
export class DotsRoom extends DuelRoom {
  static id = "dots";
  static ending = DOTS_END;
  static words = dotsWords;
  static sign = dotsSign;
  static title = "Dots & Boxes";
  static kinds = DOTS_KINDS;
  static highlights = ["box", "refusal", "end"];
  static jumps = { box: "b", line: "l", refusal: "r" };
  static keys = [BY_HAND];
  static settingGroups = { "Board": ["rows", "cols"] };

  constructor(page) {
    super(page);
    this.board = new DotsBoard(byId("dots-board"));
    this.playing = new DotsPlaying(this, byId("stage"), byId("dots-board"));
  }

  timeline() {
    return new Pictures();
  }

  begin() {
    const { picture } = this.game.start;
    byId("stage").style.setProperty("--aspect", String(picture.rows / picture.columns));
    this.board.show(picture);
    this.showPlayers();
    this.resize();
  }

  play(seat) {
    this.playing.show(seat);
  }

  lineText(line) {
    return lineText(this.game, line);
  }

  drawCharts(course, ticks, from) {
    drawTicks(ticks, this.game, from);
    return drawBoxes(course, this.game, from);
  }

  /** What is shown: the picture, and the event of the last line. */
  get shown() {
    const { last, picture } = this.game.at(this.page.time.t);
    return { picture, last: this.game.events[last] ?? null };
  }

  draw() {
    const { picture, last } = this.shown;
    this.board.draw(picture, last);
    this.placeCursor();
  }

  writeScore() {
    this.shown.picture.points.forEach((points, player) => write(byId(`dots-points-${player}`), String(points)));
  }

  writePanels() {
    const { picture } = this.shown;
    const boxes = (player) => (picture.points[player] === 1 ? "1 box" : `${picture.points[player]} boxes`);
    this.writePlayers(picture.mover, (player) => (picture.mover === player ? "to move" : ""), boxes);
    write(byId("dots-told"), this.lastText(`${playerName(this.game, picture.mover)} begins`));
  }

  signs() {
    const sign = (side, text) => make("li", {}, make("span", { "class": "dots-sign" }, teamShape(side)), text);
    return [sign("red", "a box of the first player"), sign("blue", "a box of the second player"), make("li", {}, "The last line has the colour of the player who drew it.")];
  }

  score({ points }) {
    return ` ${points.join(" : ")}`;
  }

  statistics(document) {
    const { game } = this;
    const { points } = game.behind(game.events.length);
    const doubles = (player) => game.ofKind.box.filter((index) => game.events[index][2] === player && game.events[index][3].boxes.length === 2).length;
    const columns = [
      ["boxes", (player) => points[player]], ["lines", (player) => game.count("line", player) + game.count("box", player)],
      ["lines with a box", (player) => game.count("box", player)], ["with two", doubles], ["refused", (player) => game.count("refusal", player)],
    ];
    const [first, second] = points;
    const result = make("div", { "class": "big", "aria-label": `${first} to ${second} boxes` },
      teamShape("red"), make("span", { "class": "red" }, String(first)), make("span", { "class": "colon" }, ":"),
      make("span", { "class": "blue" }, String(second)), teamShape("blue"));
    return this.statisticsPage(document, columns, result);
  }
}
