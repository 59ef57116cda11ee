// The room of Dots & Boxes: draws the pictures that the feed brings, and puts its events into words.
//
// It knows no rule of the game: who owns a box, who moves and who wins, the feed says.

import { byId, make, teamShape, write } from "../../shell/dom.js";
import { endingText, playerName, SIDES } from "../../shell/players.js";
import { Room } from "../../shell/room.js";
import { saveButtons } from "../../shell/saving.js";
import { DotsBoard } from "./board.js";
import { drawBoxes, drawTicks } from "./charts.js";
import { DOTS_KINDS, Pictures } from "./model.js";
import { DotsPlaying } from "./playing.js";
import { DOTS_END, dotsRow, dotsText, lineText } from "./words.js";

/** Dots & Boxes. */
export class DotsRoom extends Room {
  static title = "Dots & Boxes";
  static kinds = DOTS_KINDS;
  static highlights = ["box", "refusal", "end"];
  static jumps = { box: "b", line: "l", refusal: "r" };

  constructor(page) {
    super(page);
    this.board = new DotsBoard(byId("dots-board"));
    this.playing = new DotsPlaying(this, byId("stage"), byId("dots-board"));
    this.course = null;
    const seek = (event) => {
      if (!this.course || (event.type === "pointermove" && !(event.buttons & 1))) return;
      page.time.playing = false;
      page.time.seek(this.course.tOf(event.clientX - byId("dots-course").getBoundingClientRect().left));
    };
    byId("dots-course").addEventListener("pointerdown", seek);
    byId("dots-course").addEventListener("pointermove", seek);
  }

  timeline() {
    return new Pictures();
  }

  begin() {
    const { agents, picture } = this.game.start;
    byId("stage").style.setProperty("--aspect", String(picture.rows / picture.columns));
    this.board.show(picture);
    agents.forEach(({ id }) => write(byId(`dots-name-${id}`), playerName(this.game, id)));
    this.players = agents.map(({ id, team }) => {
      const row = make("div", { "class": "dots-player" }, teamShape(SIDES[team]), make("span", { "class": "name" }, playerName(this.game, id)),
        make("span", { "class": "doing" }), make("span", { "class": "boxes" }));
      return row;
    });
    byId("dots-players").replaceChildren(...this.players);
    this.resize();
  }

  play(seat) {
    this.playing.show(seat);
  }

  lineText(line) {
    return lineText(this.game, line);
  }

  grew() {
    this.resize();
  }

  finished() {
    this.resize();
  }

  resize() {
    if (!this.game.start || this.page.tab !== "board") return;
    this.course = drawBoxes(byId("dots-course"), this.game, this.page.time.from);
    drawTicks(byId("dots-ticks"), this.game, this.page.time.from);
  }

  restyle() {
    this.resize();
  }

  /** What is shown: the picture, and the event of the last line. */
  get shown() {
    const { count, last, picture } = this.game.at(this.page.time.t);
    return { count, picture, last: this.game.events[last] ?? null };
  }

  draw() {
    const { picture, last } = this.shown;
    this.board.draw(picture, last);
    const cursor = byId("dots-cursor");
    if (this.course) cursor.style.transform = `translateX(${Math.round(this.course.xOf(this.page.time.t) * 2) / 2}px)`;
  }

  writeScore() {
    this.shown.picture.points.forEach((points, player) => write(byId(`dots-points-${player}`), String(points)));
  }

  writePanels() {
    const { count, picture } = this.shown;
    this.players.forEach((row, player) => {
      row.classList.toggle("mover", picture.mover === player);
      write(row.children[2], picture.mover === player ? "to move" : "");
      write(row.children[3], picture.points[player] === 1 ? "1 box" : `${picture.points[player]} boxes`);
    });
    write(byId("dots-told"), count ? this.text(this.game.lastLoud(this.page.time.t)) : `${playerName(this.game, picture.mover)} begins`);
  }

  text(index) {
    return dotsText(this.game, index);
  }

  row(index) {
    return dotsRow(this.game, index);
  }

  signs() {
    const sign = (side, text) => make("li", {}, make("span", { "class": "dots-sign" }, teamShape(side)), text);
    return [sign("red", "a box of the first player"), sign("blue", "a box of the second player"), make("li", {}, "The last line has the colour of whoever drew it.")];
  }

  result({ outcome }) {
    if (!outcome) return "The game is not over";
    const who = outcome.winner === null ? "Nobody wins" : `${playerName(this.game, outcome.winner)} wins`;
    return `${who} ${outcome.points.join(" : ")}, ${endingText(outcome.termination, DOTS_END)}`;
  }

  statisticsSoFar() {
    return { outcome: null, steps: Math.round(this.game.duration / 1000), seed: this.game.start.seed };
  }

  statistics(document) {
    const { game } = this, { outcome, steps, seed } = document;
    const { points } = game.at(game.duration).picture;
    const count = (kind, player) => game.ofKind[kind].filter((index) => game.events[index][2] === player).length;
    const doubles = (player) => game.ofKind.box.filter((index) => game.events[index][2] === player && game.events[index][3].boxes.length === 2).length;
    const columns = [
      ["boxes", (player) => points[player]], ["lines", (player) => count("line", player) + count("box", player)],
      ["lines with a box", (player) => count("box", player)], ["with two", doubles], ["refused", (player) => count("refusal", player)],
    ];
    const title = !outcome ? "The game so far" : outcome.winner === null ? "Nobody wins" : `${playerName(game, outcome.winner)} wins`;
    const why = outcome ? endingText(outcome.termination, DOTS_END) : game.truncated ? "the replay breaks off" : "still going on";
    const [first, second] = points;
    return [
      make("section", { "class": "card outcome" },
        make("div", { "class": "big", "aria-label": `${first} to ${second} boxes` },
          teamShape("red"), make("span", { "class": "red" }, String(first)), make("span", { "class": "colon" }, ":"),
          make("span", { "class": "blue" }, String(second)), teamShape("blue")),
        make("div", {}, make("p", { "class": "result" }, title), make("p", { "class": "note" }, `${why} · ${steps} moves · seed ${seed}`)),
        make("div", { "class": "row" }, ...saveButtons(this.page, document))),
      make("section", { "class": "card" }, make("h2", {}, "The players"), make("div", { "class": "table-scroll" }, make("table", {},
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "player"), ...columns.map(([name]) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, ...game.start.agents.map(({ id, team }) => make("tr", {},
          make("td", {}, teamShape(SIDES[team]), playerName(game, id)), ...columns.map(([, of]) => make("td", {}, String(of(id)))))))))),
    ];
  }
}
