// The room of Eriantys: draws the table that the feed tells, and puts its events into words.
//
// It knows no rule of the game: what is where, whose turn it is and who wins, the feed says.

import { byId, make, write } from "../../shell/dom.js";
import { DuelRoom } from "../../shell/duel.js";
import { playerName } from "../../shell/players.js";
import { drawConquests, drawTowers } from "./charts.js";
import { ERIANTYS_KINDS, EriantysTables } from "./model.js";
import { EriantysPlaying } from "./playing.js";
import { EriantysRing } from "./ring.js";
import { characterCard, schoolBoard, towerShape } from "./schools.js";
import { ERIANTYS_END, eriantysSign, eriantysWords, STUDENT_COLOURS, teamDoes, teamText, TOWER_NAMES } from "./words.js";

/** Eriantys. */
export class EriantysRoom extends DuelRoom {
  static id = "eriantys";
  static ending = ERIANTYS_END;
  static words = eriantysWords;
  static sign = eriantysSign;
  static title = "Eriantys";
  static kinds = ERIANTYS_KINDS;
  static highlights = ["assistant", "conquered", "merged", "professor", "character", "round", "last-round", "refusal", "end"];
  static jumps = { round: "r", assistant: "a", conquered: "i", professor: "p", character: "x" };

  constructor(page) {
    super(page);
    this.ring = new EriantysRing(byId("eriantys-ring"));
    this.playing = new EriantysPlaying(this, {
      ring: byId("eriantys-ring"), schools: byId("eriantys-schools"), cards: byId("eriantys-cards"),
      panel: byId("eriantys-choices"), question: byId("eriantys-question"), buttons: byId("eriantys-buttons"), back: byId("eriantys-back"),
    });
    this.written = null;
    /** Where the towers of each team are counted, above the board. */
    this.totals = [];
  }

  timeline() {
    return new EriantysTables();
  }

  begin() {
    const { picture } = this.game.start;
    byId("eriantys-cards").hidden = !picture.cards.length;
    this.totals = this.game.teams.map((team) => make("span", { "class": "points", title: "towers built" }, "0"));
    byId("eriantys-score").replaceChildren(...this.game.teams.map((team) =>
      make("span", { "class": "team" }, towerShape(team), make("span", { "class": "line-up", title: teamText(this.game, team) }, teamText(this.game, team)), this.totals[team])));
    this.written = null;
    this.resize();
  }

  play(seat) {
    this.playing.show(seat);
  }

  resize() {
    this.ring.forget();
    super.resize();
  }

  drawCharts(course, ticks, from) {
    drawConquests(ticks, this.game, from);
    return drawTowers(course, this.game, from);
  }

  /** The last table that there is. */
  get latest() {
    return this.game.at(this.game.duration);
  }

  draw() {
    if (this.ring.draw(this.shown.table, (team) => teamText(this.game, team))) this.playing.mark();
    this.placeCursor();
  }

  writeScore() {
    const { table } = this.shown;
    this.totals.forEach((total, team) => write(total, String(table.towers - table.towersLeft[team])));
  }

  writePanels() {
    const { game } = this, { table } = this.shown;
    write(byId("eriantys-told"), this.lastText(`${playerName(game, table.mover)} begins`));
    if (this.written === table) return;
    this.written = table;
    const phase = table.phase === "planning" ? "planning" : "action";
    write(byId("eriantys-round"), `round ${table.round}${table.lastRound ? ", the last one" : ""} · ${table.mover === null ? "over" : `${phase} phase`}${table.expert ? ` · bank ${table.bank}` : ""}`);
    byId("eriantys-schools").replaceChildren(...game.start.agents.map(({ id }) => schoolBoard(game, table, id)));
    byId("eriantys-cards").replaceChildren(...table.cards.map((card, place) => characterCard(card, game.start.picture.does[place])));
    this.playing.mark();
  }

  winnerText({ winner }) {
    return winner === null ? "Nobody wins" : teamDoes(this.game, winner, "win");
  }

  score({ points }) {
    return ` ${points.join(" : ")}`;
  }

  sideOf(team) {
    return `team-${team}`;
  }

  shapeOf(team) {
    return towerShape(team);
  }

  signs() {
    const item = (shape, ...text) => make("li", {}, make("span", { "class": "eriantys-sign" }, shape), ...text);
    const student = (name) => make("span", { "class": `student ${name}` }, name[0].toUpperCase());
    return [
      ...this.game.teams.map((team) => item(towerShape(team), `a ${TOWER_NAMES[team]} tower: ${teamText(this.game, team)}`)),
      make("li", {}, make("span", {}, make("span", { "class": "pills" }, ...STUDENT_COLOURS.map(student)), ` ${STUDENT_COLOURS.join(", ")} students; a number is how many there are`)),
      item("⬢", "the professor of a colour, with its owner"),
      item("⊘", "a ban: Mother Nature lifts it instead of resolving the island"),
      make("li", {}, make("span", {}, "The figure in the ring is Mother Nature. Islands with bridges have merged: what lies on them is drawn at one of them.")),
    ];
  }

  statistics(document) {
    const { game } = this, { table } = game.at(game.duration);
    const ofTeam = (player) => game.start.agents[player].team;
    const columns = [
      ["towers built", (player) => table.towers - table.towersLeft[ofTeam(player)]],
      ["professors", (player) => table.professors.filter((owner) => owner === player).length],
      ["students seated", (player) => game.count("dining", player)], ["students to islands", (player) => game.count("island", player)],
      ...(table.expert ? [["characters", (player) => game.count("character", player)], ["coins", (player) => table.schools[player].coins]] : []),
      ["refused", (player) => game.count("refusal", player)],
    ];
    return this.statisticsPage(document, columns);
  }
}
