// The room of Conveyor: draws the board and where the players are as the feed tells it, and puts its events into words.
//
// It knows no rule of the game: where a player lands, what it hears and who wins, the feed says.

import { byId, make, teamShape, write } from "../../shell/dom.js";
import { DuelRoom } from "../../shell/duel.js";
import { playerName } from "../../shell/players.js";
import { ConveyorBoard } from "./board.js";
import { drawAway, drawRides } from "./charts.js";
import { CONVEYOR_KINDS, ConveyorMoments, KNOWN_MARKS } from "./model.js";
import { CONVEYOR_END, conveyorSign, conveyorWords } from "./words.js";

/** Conveyor. */
export class ConveyorRoom extends DuelRoom {
  static id = "conveyor";
  static ending = CONVEYOR_END;
  static words = conveyorWords;
  static sign = conveyorSign;
  static title = "Conveyor";
  static kinds = CONVEYOR_KINDS;
  static highlights = ["hint", "carried", "refusal", "end"];
  static jumps = { hint: "h", carried: "d", refusal: "r" };
  static keys = [
    { shown: "V", words: "what everybody sees: the truth, or what one player knows", keys: { v: (page) => page.room.nextView() } },
  ];

  constructor(page) {
    super(page);
    this.board = new ConveyorBoard(byId("conveyor-board"));
    /** The player whose knowledge is drawn; null for everything. */
    this.view = null;
    byId("conveyor-view").addEventListener("change", () => this.show(byId("conveyor-view").value));
  }

  timeline() {
    return new ConveyorMoments();
  }

  begin() {
    const { picture, agents } = this.game.start;
    byId("stage").style.setProperty("--aspect", String(picture.rows / picture.columns));
    byId("conveyor-view").replaceChildren(make("option", { value: "" }, "everything"),
      ...agents.map(({ id }) => make("option", { value: String(id) }, `what ${playerName(this.game, id)} knows`)));
    byId("conveyor-view").value = this.view === null ? "" : String(this.view);
    this.board.forget();
    this.showPlayers();
    this.drawCourse();
  }

  /** With a player's knowledge on the board, the list has what this player hears. */
  get sight() {
    if (this.view === null) return super.sight;
    if (this.eyes?.view !== this.view || this.eyes.start !== this.game.start) {
      const { game, view } = this;
      this.eyes = { view, start: game.start, sight: { isWhole: false, name: playerName(game, view), has: (player) => player === view, sees: (index) => game.isHeard(index, view) } };
    }
    return this.eyes.sight;
  }

  show(value) {
    this.view = value === "" ? null : Number(value);
    byId("conveyor-view").value = value;
    if (this.page.tab === "board") this.page.list.resize();
    this.page.invalidate(true);
  }

  nextView() {
    const values = ["", "0", "1"];
    this.show(values[(values.indexOf(byId("conveyor-view").value) + 1) % values.length]);
  }

  drawCharts(course, ticks, from) {
    drawRides(ticks, this.game, from);
    return drawAway(course, this.game, from);
  }

  draw() {
    this.board.draw(this.game, this.page.time.t, this.view);
    this.placeCursor();
  }

  writeScore() {
    const { count } = this.shown;
    [0, 1].forEach((player) => write(byId(`conveyor-count-${player}`), String(this.game.requests(player, count))));
  }

  writePanels() {
    const { count, moment } = this.shown;
    const place = (player) => (this.view !== null ? "" : `at ${moment.places[player].join(",")}${player === 1 && moment.heading ? `, looks ${moment.heading}` : ""}`);
    this.writePlayers(null, place, (player) => `${this.game.requests(player, count)} requests`);
    write(byId("conveyor-told"), this.told(count));
  }

  told(count) {
    const { game, view } = this;
    if (view === null) return this.lastText("The players do not see this board");
    const { isLost, isCut } = game.known(view, count), name = playerName(game, view);
    const lost = isLost ? " It has moved before it knew where it looks: how far apart the rest lies is not known." : "";
    const cut = isCut ? ` Its last ${KNOWN_MARKS} steps and refusals are drawn.` : "";
    return `What ${name} can tell from its answers. It does not know when a conveyor has carried it.${lost}${cut}`;
  }

  signs() {
    const sign = (side, text) => make("li", {}, make("span", { "class": "conveyor-sign" }, teamShape(side)), text);
    return [sign("red", "the first player, which steps in any direction"), sign("blue", "the second player, with the direction in which it looks"),
      make("li", {}, "A house is the home of the player with its colour. A field with two arrows is a hint: each player is told its own."),
      make("li", {}, "A hint with dots and a circle without a line: the controller does not know yet in which direction the hint points, or where the conveyor ends."),
      make("li", {}, "A circle with a dashed line is a conveyor; a diamond is its end. A line at the edge of a field, in a player's own view, is a refusal.")];
  }

  statistics(document) {
    const { game } = this;
    const columns = [
      ["requests", (player) => game.requests(player, game.events.length)], ["refused", (player) => game.count("refusal", player)],
      ["hints", (player) => game.count("hint", player)], ["rides on conveyors", (player) => game.count("carried", player)],
    ];
    return this.statisticsPage(document, columns);
  }
}
