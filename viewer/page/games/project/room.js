// The room of The Project Game.
//
//   model     the game as the feed tells it, and any moment of it. It never touches the document.
//   drawing   paints a state of the model on canvas: board, minimap, points over time, who did what.
//   beside it the panels, the pointer, the statistics, and the events in words.

import { byId, make, write } from "../../shell/dom.js";
import { announce } from "../../shell/notices.js";
import { readNumber } from "../../shell/link.js";
import { Room } from "../../shell/room.js";
import { spot } from "./drawing/agents.js";
import { BoardView } from "./drawing/board.js";
import { drawCourse } from "./drawing/charts.js";
import { Game } from "./model/game.js";
import { Sight } from "./model/sight.js";
import { eventAgent, KINDS, TEAMS } from "./model/terms.js";
import { AgentPanel } from "./agents.js";
import { Charts } from "./charts.js";
import { PROJECT_JUMPS, PROJECT_KEYS } from "./keys.js";
import { Pointer } from "./pointer.js";
import { listSigns } from "./signs.js";
import { resultText, statisticsPage, statisticsSoFar } from "./statistics.js";
import { eventRow, eventText } from "./words.js";

/** The views that can be selected. */
const VIEWS = ["truth", "red", "blue", "agent"];

/** From this long on a replay's lines are shown a minute at a time: all at once they are too fine to be read. */
const LONG_GAME_MS = 5 * 60000;

/** The Project Game: its board, who is selected, and whose view the board shows. */
export class ProjectRoom extends Room {
  static title = "The Project Game";
  static kinds = KINDS;
  static unlisted = ["repeated question"];
  static highlights = ["goal", "pick-up", "put", "exchange", "lie", "end"];
  static jumps = PROJECT_JUMPS;
  static keys = PROJECT_KEYS;
  static settingGroups = {
    "Communication server": ["CsIP", "CsPort"],
    "Board": ["boardX", "boardY", "goalAreaHeight"],
    "Teams, goals and pieces": ["numberOfGoals", "numberOfPieces", "teamSize", "shamPieceProbability", "landingPickUp", "leaderBinds"],
    "Cost of actions": [
      "movePenalty", "informationExchangePenalty", "discoveryPenalty", "putPenalty", "checkForShamPenalty", "destroyPiecePenalty",
      "pickUpPenalty",
    ],
    "Messages and chance": ["dialect", "ackAgents", "longAnswerAgents", "neverAskedAgents", "maxMessageBytes", "maxGameSeconds", "seed"],
  };
  static settingUnits = { boardX: "columns", boardY: "rows", goalAreaHeight: "rows" };

  constructor(page) {
    super(page);
    this.selected = -1;
    this.belief = false;
    this.tracking = false;
    this.view = "truth";
    /** What was drawn last. */
    this.scene = null;
    this.announced = "";
    this.board = new BoardView(byId("stage"), byId("ground"), byId("actors"), byId("minimap"));
    this.agents = new AgentPanel(this);
    this.charts = new Charts(this);
    this.pointer = new Pointer(this);
    byId("view").addEventListener("change", ({ target }) => this.setView(target.value));
    byId("fit").addEventListener("click", () => this.fit());
    byId("zoom-in").addEventListener("click", () => this.zoom(1.4));
    byId("zoom-out").addEventListener("click", () => this.zoom(1 / 1.4));
    byId("span").addEventListener("change", () => this.charts.paint());
  }

  timeline() {
    return new Game();
  }

  // ---- the game

  begin(goesOn) {
    this.fillViews();
    this.writeLineUps();
    this.board.show(this.game.start, goesOn);
    this.agents.fill();
    if (!goesOn) byId("span").value = "60000";
  }

  opened() {
    byId("span").value = this.game.duration >= LONG_GAME_MS ? "60000" : "0";
  }

  grew() {
    const [red, blue] = this.game.head.points;
    const said = `Red ${red}, blue ${blue}`;
    if (this.page.live && this.announced && said !== this.announced) announce(said);
    this.announced = said;
    this.charts.growth.ask();
  }

  finished() {
    this.charts.growth.now();
  }

  clear() {
    this.select(-1);
  }

  text(index) {
    return eventText(this.game, index, this.sight);
  }

  row(index) {
    return eventRow(this.game, index, this.sight);
  }

  showEvent(index) {
    const agent = eventAgent(this.game.events[index]);
    if (agent < 0 || this.board.isWhole) return;
    const world = this.game.at(this.page.time.t);
    this.board.centre(world.x[agent] + 0.5, world.y[agent] + 0.5);
  }

  linkParts() {
    const { selected, view, belief } = this;
    return [
      ...(selected >= 0 ? [`agent=${this.game.numberOf(selected)}`] : []),
      ...(view !== "truth" ? [`view=${view}`] : []), ...(belief ? ["belief=1"] : []),
    ];
  }

  applyLink(named) {
    const agent = readNumber(named, "agent"), belief = named.get("belief") === "1";
    this.select(Number.isInteger(agent) ? this.game.agentNumbered(agent) : -1);
    this.setView(named.get("view"));
    if (belief !== this.belief && (!belief || this.selected >= 0)) this.toggleBelief();
  }

  result(statistics) {
    return resultText(statistics);
  }

  statisticsSoFar() {
    return statisticsSoFar(this.game);
  }

  statistics(document) {
    return statisticsPage(this.page, document);
  }

  statisticsShown() {
    const { game, page: { time } } = this;
    drawCourse(byId("final-course"), this.board.paint, game, time.from, Math.max(1, game.duration), game.duration);
  }

  signs() {
    return listSigns();
  }

  // ---- whose view, which agent

  /** The selected view. */
  get sight() {
    const key = this.view === "agent" ? `agent ${this.selected}` : this.view;
    if (this.eyes?.key !== key || this.eyes.start !== this.game.start) {
      this.eyes = { key, start: this.game.start, sight: new Sight(this.game, this.view, this.selected) };
    }
    return this.eyes.sight;
  }

  select(agent) {
    this.selected = agent >= 0 && agent < (this.game.start?.agents.length ?? 0) ? agent : -1;
    if (this.selected < 0) {
      this.belief = this.tracking = false;
      if (this.view === "agent") this.setView("truth");
    }
    this.agents.open();
    this.charts.choose();
    if (this.page.tab === "board") this.page.list.resize();
    this.page.address.writeSoon();
    this.page.invalidate(true);
  }

  /** Steps through the agents, those that left included. */
  selectNext(direction) {
    const count = this.game.start?.agents.length ?? 0;
    if (!count) return;
    const from = this.selected < 0 ? (direction > 0 ? -1 : 0) : this.selected;
    this.select((from + direction + count) % count);
  }

  setView(view) {
    this.view = VIEWS.includes(view) ? view : "truth";
    if (this.view === "agent" && this.selected < 0) this.select(0);
    byId("view").value = this.view;
    this.agents.open();
    this.charts.choose();
    if (this.page.tab === "board") this.page.list.resize();
    this.page.address.writeSoon();
    this.page.invalidate(true);
  }

  nextView() {
    const views = ["truth", "red", "blue", ...(this.selected >= 0 ? ["agent"] : [])];
    this.setView(views[(views.indexOf(this.view) + 1) % views.length]);
  }

  toggleBelief() {
    if (this.selected < 0) this.select(0);
    this.belief = !this.belief;
    this.agents.open();
    this.page.address.writeSoon();
    this.page.invalidate(true);
  }

  toggleFollowAgent() {
    if (this.selected < 0) this.select(0);
    this.tracking = !this.tracking;
    if (this.tracking && this.board.isWhole) this.board.zoom(2);
    this.agents.open();
    this.page.invalidate(true);
  }

  fillViews() {
    const options = [["truth", "everything"], ["red", "red's"], ["blue", "blue's"], ["agent", "the agent's"]];
    byId("view").replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
    byId("view").value = this.view;
  }

  fit() {
    this.tracking = false;
    this.board.fit();
    this.page.invalidate();
  }

  zoom(factor) {
    this.board.zoom(factor);
    this.page.invalidate();
  }

  // ---- drawing

  resize() {
    this.board.refresh();
    this.charts.paint();
  }

  restyle() {
    this.board.refresh();
    if (this.game.start) this.charts.paint();
  }

  draw() {
    const { game, page: { time } } = this;
    const world = game.at(time.t);
    const { sight } = this;
    let knowledge = null, knowledgeKey = "";
    if (this.view === "red" || this.view === "blue") {
      knowledge = game.knowledge(this.view, world.applied);
      knowledgeKey = `${this.view}:${knowledge.heard}`;
    } else if (this.selected >= 0 && (this.view === "agent" || this.belief)) {
      knowledge = game.knowledge(this.selected, world.applied);
      knowledgeKey = `${this.selected}:${knowledge.heard}`;
    }
    if (this.tracking && this.selected >= 0 && sight.has(this.selected)) {
      const [x, y] = spot(this.scene ?? { world, t: time.t, speed: 1, motion: false, game }, this.selected);
      this.board.centre(x, y);
    }
    this.scene = {
      game, world, t: time.t, speed: time.following || !time.moves ? 1 : time.speed, view: this.view,
      // What rests is shown as it is: signs complete, agents on their fields.
      motion: this.page.motion && time.moves,
      selected: this.selected, knowledge, knowledgeKey, sight,
    };
    this.board.draw(this.scene);
    byId("stage").classList.toggle("zoomed", !this.board.isWhole);
    this.charts.placeCursors();
  }

  writeScore() {
    const { points } = this.game.at(this.page.time.t);
    write(byId("points-red"), String(points[0]));
    write(byId("points-blue"), String(points[1]));
  }

  /** Writes the names of the strategies beside the teams, where they are known. */
  writeLineUps() {
    for (const team of TEAMS) {
      const lineUp = this.game.lineUpOf(team);
      byId(`line-up-${team}`).hidden = !lineUp;
      byId(`line-up-${team}`).title = lineUp;
      write(byId(`line-up-${team}`), lineUp);
    }
  }

  writePanels() {
    const { world } = this.scene;
    this.game.start.agents.forEach(({ id }) => this.agents.writeRow(id, world));
    this.agents.writePanel(world);
    this.pointer.showTip();
  }
}
