// The whole page: settings, lobby, board, statistics, controls, keys, the connection.

import {
  actor, clockText, EITHER, EMPTY, GOAL, INFINITE, TEAMS, UNKNOWN, UNSAID, VERDICTS,
} from "../model/terms.js";
import { COUNT } from "../model/world.js";
import { Game } from "../model/game.js";
import { fitCanvas, VERDICT_SIGNS } from "../drawing/paint.js";
import { agentShape } from "../drawing/shapes.js";
import { BoardView } from "../drawing/board.js";
import { drawCourse, drawGantt, GANTT_ROW } from "../drawing/charts.js";
import { byId, make, teamShape, write } from "./dom.js";
import { eventText } from "./words.js";
import { fillSigns } from "./signs.js";
import { SettingsForm } from "./settings.js";
import { EventList, FILTERS } from "./events.js";
import { statisticsPage, statisticsSoFar } from "./statistics.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];

/** While a game is live it is shown this much late, so that moves glide instead of jump. */
const LIVE_DELAY_MS = 120;

/** Waiting that is skipped is longer than this; so much of it is left before the next event. */
const WAITING_MS = 600;
const BEFORE_EVENT_MS = 250;

/** How often texts beside the board are written again while time runs. */
const PANELS_EVERY_MS = 120;

/** How often charts are painted again while a live game grows. */
const CHARTS_EVERY_MS = 900;

const MOST_REMARKS = 12;
const MOST_EXCHANGES = 6;

/** The events that the keys lead to, with their letters. */
const JUMPS = { goal: "g", "pick-up": "p", exchange: "x", lie: "l", refusal: "r" };

const KEYS = [
  ["Space", "play or pause"], ["← →", "one event back or on"], ["Shift ← →", "five seconds back or on"],
  [", . Home End", "to the start, to the end"], ["↓ ↑", "slower, faster"], ["N", "skip waiting"],
  ["G P X L R", "next goal, pick-up, exchange, lie, refusal; with Shift the one before"],
  ["E Q", "next, previous event of the chosen kind"], ["[ ]", "previous, next agent; Esc for none"],
  ["B", "what the agent believes"], ["V", "whose view: everything, a team, the agent"],
  ["O", "follow the agent"], ["+ − F", "nearer, farther, whole board"], ["W A S D", "move the look"],
  ["C", "copy a link to this moment"], ["T", "light or dark"], ["1 2 3", "settings, board, statistics"], ["?", "this help"],
];

/** The whole page. */
export class Page {
  constructor() {
    this.game = new Game();
    this.token = new URLSearchParams(location.search).get("token");
    this.t = 0;
    this.playing = false;
    this.following = false;
    this.speed = 1;
    this.selected = -1;
    this.belief = false;
    this.tracking = false;
    this.view = "truth";
    this.live = false;
    this.ended = false;
    this.frame = 0;
    this.lastFrame = 0;
    this.panelsAt = 0;
    this.chartsAt = 0;
    this.dirty = true;
    this.announced = "";
    /** Where the pointer is on the stage, if it is there. */
    this.pointed = null;
    /** The last frames' times in milliseconds, for whoever measures the page. */
    this.frameTimes = [];
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.motion = !calm.matches;
    calm.addEventListener("change", () => { this.motion = !calm.matches; this.invalidate(); });
    this.board = new BoardView(byId("stage"), byId("ground"), byId("actors"), byId("minimap"));
    this.settings = new SettingsForm(this);
    this.list = new EventList(this);
    this.wire();
    this.wireStage();
    this.wireCharts();
    this.wireKeys();
    this.restoreTheme();
  }

  // ---- the feed

  /** Reads the feed of an exported file, or connects to whoever served the page. */
  connect() {
    const embedded = byId("feed");
    if (embedded) {
      this.takeAll(JSON.parse(embedded.textContent));
      return;
    }
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/feed${location.search}`);
    // Messages of one batch are taken together: the page is written once for all of them.
    let waiting = [];
    socket.addEventListener("message", ({ data }) => {
      if (!waiting.length) setTimeout(() => { this.takeAll(waiting.splice(0)); }, 0);
      waiting.push(JSON.parse(data));
    });
    socket.addEventListener("close", () => {
      if (waiting.length) this.takeAll(waiting.splice(0));
      this.disconnected();
    });
  }

  takeAll(messages) {
    const kinds = new Set();
    for (const message of messages) {
      const hadStart = this.game.start !== null;
      kinds.add(this.game.add(message));
      if (message.kind === "hello") this.greet(message);
      if (message.kind === "start") this.begin(hadStart);
      if (message.kind === "events" || message.kind === "clock") this.keepClock();
    }
    if (kinds.has("settings")) this.settings.show(this.game.settings);
    if (kinds.has("lobby") || kinds.has("settings")) this.showLobby();
    if (kinds.has("start") && this.game.hello?.mode === "replay") this.openReplay();
    if (kinds.has("events")) this.grew();
    if (kinds.has("statistics")) this.finish();
    if (kinds.has("gone")) this.sayGoodbye();
    if (kinds.has("truncated")) this.showBanner(`The replay breaks off: ${this.game.truncated}.`);
    this.invalidate(true);
  }

  greet(hello) {
    this.live = hello.mode === "live";
    document.body.classList.toggle("is-live", this.live);
    byId("waiting").hidden = true;
    document.title = hello.file ? `${hello.file} – The Project Game` : "The Project Game";
    this.state(this.live ? "live" : "replay", this.live ? "live" : hello.file ?? "replay");
    byId("read-only").hidden = hello.operator || !this.live;
    for (const element of document.querySelectorAll(".operator-only")) element.hidden = !hello.operator;
    byId("tab-settings").hidden = !this.live;
    byId("follow-live").hidden = !this.live;
    byId("tab-statistics").disabled = byId("tab-board").disabled = true;
    if (this.live) this.showPage("settings");
  }

  begin(again) {
    const { start } = this.game;
    byId("tab-board").disabled = byId("tab-statistics").disabled = false;
    byId("stop").hidden = !(this.live && this.game.hello.operator);
    this.fillViews();
    if (!again) this.showPage("board");
    this.board.show(start);
    this.fillAgents();
    this.list.reset();
    if (this.live) {
      byId("span").value = "60000";
      this.t = start.t ?? 0;
      this.follow(true);
    }
  }

  /** A replay is opened at the moment that the address names, and waits there. */
  openReplay() {
    // The lines of a long game are too fine to be read all at once.
    byId("span").value = this.game.duration >= 5 * 60000 ? "60000" : "0";
    const named = new URLSearchParams(location.hash.slice(1));
    if (named.has("agent")) this.select(Number(named.get("agent")));
    if (named.has("view")) this.setView(named.get("view"));
    this.seek(Number(named.get("t") ?? this.game.start.t ?? 0), { quiet: true });
  }

  /** Keeps the offset between the game's clock and the browser's. */
  keepClock() {
    const now = performance.now(), { clock } = this.game;
    const guess = this.clockAt === undefined ? -Infinity : clockAtNow(this, now);
    if (clock > guess || guess - clock > 500) this.clockAt = { t: clock, now };
    this.ended = this.game.head?.over !== null;
  }

  grew() {
    this.list.grow();
    const [red, blue] = this.game.head.points;
    const said = `Red ${red}, blue ${blue}`;
    if (this.live && this.announced && said !== this.announced) byId("announce").textContent = said;
    this.announced = said;
    if (performance.now() - this.chartsAt > CHARTS_EVERY_MS) this.paintCharts();
  }

  finish() {
    byId("stop").hidden = true;
    this.ended = true;
    if (this.live) {
      this.state("over", "game over");
      this.showPage("statistics");
    }
    if (this.page === "statistics") this.showStatistics();
    this.paintCharts();
  }

  sayGoodbye() {
    this.state("gone", "game master left");
    this.showBanner(`The game master said goodbye: ${this.game.gone}`);
  }

  disconnected() {
    byId("stop").hidden = true;
    byId("start").disabled = byId("apply").disabled = true;
    // A replay is complete and a goodbye was said: whoever looks has all there will be.
    if (!this.live && this.game.hello) return;
    if (this.game.gone !== null || this.game.statistics) {
      this.state("gone", "game master left");
      return;
    }
    this.gameMasterGone = true;
    this.follow(false);
    this.state("gone", "connection lost");
    byId("waiting").hidden = true;
    this.showBanner(this.game.start
      ? "The game master is gone: the connection ended in mid-game, without a goodbye. What was seen so far can be looked at."
      : "The game master is gone: the connection ended without a goodbye.");
    this.invalidate(true);
  }

  state(state, text) {
    byId("status").dataset.state = state;
    byId("status").title = text;
    write(byId("status"), text);
  }

  showBanner(text) {
    byId("banner").hidden = false;
    write(byId("banner"), text);
  }

  /** Asks the game master for something that only the operator may; its answer, or none if it is not there. */
  async request(method, path, body) {
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    try {
      const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
      const text = await answer.text();
      let said = null;
      try { said = text ? JSON.parse(text) : null; } catch { said = { why: text }; }
      return { status: answer.status, ok: answer.ok, said };
    } catch {
      this.showBanner("The game master does not answer.");
      return null;
    }
  }

  // ---- pages

  showPage(name) {
    this.page = name;
    for (const button of document.querySelectorAll("[data-page]")) {
      const chosen = button.dataset.page === name;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      byId(`page-${button.dataset.page}`).hidden = !chosen;
    }
    // The bar's points and clock are those of the moment on the board; the statistics have their own.
    byId("score").hidden = !this.game.start || name === "statistics";
    if (name === "board") {
      this.board.refresh();
      this.paintCharts();
      this.list.resize();
    }
    if (name === "statistics") this.showStatistics();
    this.invalidate(true);
  }

  restoreTheme() {
    let theme = null;
    try { theme = localStorage.getItem("theme"); } catch { /* A file that was opened from disk may have no storage. */ }
    if (theme) document.documentElement.dataset.theme = theme;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
  }

  toggleTheme() {
    const root = document.documentElement;
    const dark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* Then it lasts as long as the page. */ }
    this.restyle();
  }

  restyle() {
    this.board.refresh();
    if (this.game.start) {
      this.paintCharts();
      if (this.page === "statistics") this.showStatistics();
    }
    fillSigns(byId("help-signs"));
    this.invalidate(true);
  }

  showLobby() {
    const { lobby, settings, hello } = this.game;
    if (!lobby) return;
    for (const team of TEAMS) {
      const seats = lobby[team].map((agent) => make("li", {}, `agent ${agent}`));
      const free = Math.max(0, lobby.teamSize - seats.length);
      if (free) seats.push(make("li", { "class": "free" }, free === 1 ? "1 seat is free" : `${free} seats are free`));
      byId(`lobby-${team}`).replaceChildren(...seats);
      write(byId(`lobby-${team}-count`), `${lobby[team].length} of ${lobby.teamSize}`);
    }
    const locked = Boolean(settings?.locked);
    write(byId("lobby-note"), locked ? "The game has started: nothing can be changed any more."
      : lobby.mayStart ? "Both teams have agents: the game may start."
        : "Waiting: each team needs an agent.");
    byId("start").hidden = byId("apply").hidden = locked || !hello?.operator;
    this.settings.enable();
  }

  async start() {
    if (this.settings.hasChanges && !(await this.settings.apply())) return;
    const answer = await this.request("POST", "start");
    if (answer && !answer.ok) this.showBanner(`The game cannot start: ${answer.said?.why ?? answer.status}`);
  }

  async stop() {
    byId("stop").disabled = true;
    const answer = await this.request("POST", "stop");
    if (answer && !answer.ok) {
      byId("stop").disabled = false;
      this.showBanner(`The game cannot be stopped: ${answer.said?.why ?? answer.status}`);
    }
  }

  // ---- time

  get from() {
    return this.game.start?.t ?? 0;
  }

  seek(t, { quiet = false } = {}) {
    if (!this.game.start) return;
    this.t = Math.max(this.from, Math.min(t, this.game.duration));
    if (this.live && !quiet) this.follow(false);
    if (!quiet) this.linkSoon();
    this.invalidate(true);
  }

  /** Live: whether the page keeps up with the game. */
  follow(on) {
    this.following = on && this.live && !this.gameMasterGone;
    if (this.following) this.playing = false;
    byId("follow-live").setAttribute("aria-pressed", String(this.following));
    this.invalidate(true);
  }

  play(on = !this.playing) {
    if (!this.game.start) return;
    if (this.following) {
      this.follow(false);
      on = false;
    }
    if (on && this.t >= this.game.duration && !this.live) this.t = this.from;
    this.playing = on;
    if (!on) this.linkSoon();
    this.invalidate(true);
  }

  step(direction) {
    this.playing = false;
    const t = this.game.step(this.t, direction);
    if (t !== undefined) this.seek(t);
    else if (direction < 0) this.seek(this.from);
    this.invalidate(true);
  }

  setSpeed(speed) {
    this.speed = speed;
    byId("speed").value = String(speed);
    this.invalidate(true);
  }

  changeSpeed(direction) {
    const place = SPEEDS.indexOf(this.speed) + direction;
    if (SPEEDS[place]) this.setSpeed(SPEEDS[place]);
  }

  /** To the next event of a kind, or the one before. The agent that acts is chosen if none is. */
  jump(kind, direction) {
    if (!this.game.start) return;
    byId("kind").value = kind;
    const index = this.game.neighbour(kind, this.t, direction);
    if (index === undefined) {
      byId("announce").textContent = `no ${kind} ${direction > 0 ? "after" : "before"} this moment`;
      return;
    }
    this.playing = false;
    this.showEvent(index);
  }

  showEvent(index) {
    const event = this.game.events[index];
    this.list.mark(index);
    this.seek(event[0]);
    const agent = event[1] === "appeared" || event[1] === "over" ? -1 : actor(event);
    if (agent >= 0 && !this.board.isWhole) {
      const world = this.game.at(this.t);
      this.board.centre(world.x[agent] + 0.5, world.y[agent] + 0.5);
    }
    byId("announce").textContent = eventText(this.game, index);
  }

  /** Writes the moment into the address, once the user has come to rest. */
  linkSoon() {
    clearTimeout(this.linkTimer);
    this.linkTimer = setTimeout(() => {
      if (this.live && !this.ended) return;
      history.replaceState(null, "", this.fragment());
    }, 150);
  }

  fragment() {
    const parts = [`t=${Math.round(this.t)}`];
    if (this.selected >= 0) parts.push(`agent=${this.selected}`);
    if (this.view !== "truth") parts.push(`view=${this.view}`);
    return `#${parts.join("&")}`;
  }

  async copyLink() {
    history.replaceState(null, "", this.fragment());
    // The operator's token is not for whoever gets the link.
    const address = `${location.href.split(/[?#]/)[0]}${this.fragment()}`;
    try {
      await navigator.clipboard.writeText(address);
      write(byId("place"), "link copied");
    } catch {
      write(byId("place"), address);
    }
  }

  // ---- whose view, which agent

  select(agent) {
    this.selected = agent >= 0 && agent < (this.game.start?.agents.length ?? 0) ? agent : -1;
    if (this.selected < 0) {
      this.belief = this.tracking = false;
      if (this.view === "agent") this.setView("truth");
    }
    this.fillPanel();
    this.paintGantt();
    if (this.page === "board") this.list.resize();
    this.invalidate(true);
  }

  /** Steps through the agents, those that left included. */
  selectNext(direction) {
    const count = this.game.start?.agents.length ?? 0;
    if (!count) return;
    const from = this.selected < 0 ? (direction > 0 ? -1 : 0) : this.selected;
    this.select((from + direction + count) % count);
    this.agentRows[this.selected]?.button.scrollIntoView({ block: "nearest" });
  }

  setView(view) {
    this.view = ["truth", "red", "blue", "agent"].includes(view) ? view : "truth";
    if (this.view === "agent" && this.selected < 0) this.select(0);
    byId("view").value = this.view;
    this.fillPanel();
    this.invalidate(true);
  }

  toggleBelief() {
    if (this.selected < 0) this.select(0);
    this.belief = !this.belief;
    this.fillPanel();
    this.invalidate(true);
  }

  toggleFollowAgent() {
    if (this.selected < 0) this.select(0);
    this.tracking = !this.tracking;
    if (this.tracking && this.board.isWhole) this.board.zoom(2);
    this.fillPanel();
    this.invalidate(true);
  }

  fillViews() {
    const options = [["truth", "everything"], ["red", "red's"], ["blue", "blue's"], ["agent", "the agent's"]];
    byId("view").replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
    byId("view").value = this.view;
  }

  // ---- the loop

  /** Has the next frame painted; `panels` for the texts beside the board as well. */
  invalidate(panels = false) {
    this.dirty = true;
    if (panels) this.panelsAt = 0;
    if (!this.frame) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.frame = 0;
    const passed = Math.min(250, now - (this.lastFrame || now));
    if (this.lastFrame) {
      this.frameTimes.push(now - this.lastFrame);
      if (this.frameTimes.length > 600) this.frameTimes.shift();
    }
    this.lastFrame = now;
    if (!this.game.start || this.page !== "board") {
      this.lastFrame = 0;
      if (this.game.start) this.writeScore(this.game.at(this.t));
      if (this.following && !this.ended) {
        this.advance(0);
        setTimeout(() => this.invalidate(), 200);
      }
      return;
    }
    this.advance(passed);
    this.dirty = false;
    this.paint();
    if (now - this.panelsAt > PANELS_EVERY_MS) {
      this.panelsAt = now;
      this.writePanels();
    }
    const moves = this.playing || (this.following && !this.ended) || (this.following && this.t < this.game.duration);
    if (moves) this.invalidate();
    else {
      if (this.scene.isBusy && this.following) this.invalidate();
      this.lastFrame = 0;
    }
  }

  advance(passed) {
    const { game } = this;
    if (this.following) {
      // Never back: a clock that was guessed too far ahead is waited for. The end is known exactly.
      this.t = this.ended ? game.duration : Math.max(this.from, this.t, clockAtNow(this, performance.now()) - LIVE_DELAY_MS);
      return;
    }
    if (!this.playing) return;
    this.t += passed * this.speed;
    if (byId("skip").checked) {
      const next = game.step(this.t, 1);
      const before = BEFORE_EVENT_MS * Math.max(1, this.speed);
      const [last] = game.events[Math.max(0, game.countAt(this.t) - 1)] ?? [0];
      const settled = this.t - last > WAITING_MS * Math.max(1, this.speed);
      if (next !== undefined && settled && next - this.t > before) this.t = next - before;
    }
    if (this.t >= game.duration) {
      this.t = game.duration;
      this.playing = false;
      if (this.live && !this.ended) this.follow(true);
      this.linkSoon();
      this.panelsAt = 0;
    }
  }

  paint() {
    const { game } = this;
    const world = game.at(this.t);
    let knowledge = null, members = null, knowledgeKey = "";
    if (this.view === "red" || this.view === "blue") {
      knowledge = game.teamKnowledge(this.view, world.applied);
      members = new Set(game.start.agents.filter(({ team }) => team === this.view).map(({ id }) => id));
      knowledgeKey = knowledge.members.map((member) => member.heard).join();
    } else if (this.selected >= 0 && (this.view === "agent" || this.belief)) {
      knowledge = game.knowledge(this.selected, world.applied);
      if (this.view === "agent") members = new Set([this.selected]);
      knowledgeKey = `${this.selected}:${knowledge.heard}`;
    }
    if (this.tracking && this.selected >= 0) {
      const [x, y] = this.board.spot(this.scene ?? { world, t: this.t, speed: 1, motion: false, game }, this.selected);
      this.board.centre(x, y);
    }
    this.scene = {
      game, world, t: this.t, speed: this.following ? 1 : this.speed, motion: this.motion, view: this.view,
      selected: this.selected, knowledge, knowledgeKey, members,
    };
    this.board.draw(this.scene);
    this.writeScore(world);
    byId("scrub").max = String(Math.ceil(game.duration));
    byId("scrub").min = String(this.from);
    byId("scrub").value = String(Math.round(this.t));
    this.placeCursors();
  }

  writeScore(world) {
    write(byId("points-red"), String(world.points[0]));
    write(byId("points-blue"), String(world.points[1]));
    write(byId("clock"), clockText(this.t));
  }

  writePanels() {
    const { game, scene: { world } } = this;
    const playing = this.playing || this.following;
    byId("play-icon").setAttribute("href", playing ? "#icon-pause" : "#icon-play");
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    byId("scrub").setAttribute("aria-valuetext", clockText(this.t));
    const file = game.hello.file ?? (this.live ? "live" : "replay");
    write(byId("place"), `${file} ${this.fragment().split("&")[0]}`);
    game.start.agents.forEach(({ id }) => this.writeAgentRow(id, world));
    this.writePanel(world);
    this.showTip();
    this.list.follow(world.applied - 1);
  }

  // ---- agents

  fillAgents() {
    const rows = [...this.game.start.agents].sort((one, other) =>
      TEAMS.indexOf(one.team) - TEAMS.indexOf(other.team) || one.id - other.id);
    this.agentRows = [];
    byId("agents").replaceChildren(...rows.map(({ id, team, leader, name }) => {
      const doing = make("span", { "class": "doing" }), load = make("span", { "class": "load" });
      const goals = make("span", { "class": "goals" });
      const who = make("span", { "class": "who" }, teamShape(team), String(id),
        leader ? make("span", { "class": "crown", title: "leader" }, "♛") : null);
      const button = make("button", {
        type: "button", "class": "agent-row", "aria-pressed": "false", title: `${name}, ${team}${leader ? ", leader" : ""}`,
        click: () => this.select(this.selected === id ? -1 : id),
      }, who, doing, load, goals);
      this.agentRows[id] = { button, doing, load, goals };
      return button;
    }));
  }

  /** What an agent does at this moment, in a few words. */
  doing(agent, world) {
    if (world.gone[agent]) return "has left";
    const left = world.lockedUntil[agent] - this.t;
    const last = world.last[agent] >= 0 ? this.game.events[world.last[agent]] : null;
    const words = {
      moved: "moves", discovered: "discovers", "picked-up": "picks up", put: "puts", checked: "checks its piece",
      destroyed: "destroys its piece", asked: "asks", answered: "answers", refused: "is refused",
    };
    const what = !last ? "" : last[1] === "refused" ? `${last[3]} refused` : words[last[1]];
    if (left > 0) return `${what || "locked"} · ${(left / 1000).toFixed(1)} s`;
    const since = this.t - Math.max(world.lockedUntil[agent], last ? last[0] : 0);
    return since < 300 ? what || "ready" : `waits ${(since / 1000).toFixed(1)} s`;
  }

  writeAgentRow(agent, world) {
    const row = this.agentRows[agent];
    write(row.doing, this.doing(agent, world));
    const hand = this.view === "truth" || world.hand[agent] === EMPTY ? world.hand[agent] : EITHER;
    write(row.load, ["", "piece", "sham", "piece"][hand]);
    const goals = world.count(agent, COUNT.goals);
    write(row.goals, goals ? String(goals) : "");
    row.button.setAttribute("aria-pressed", String(agent === this.selected));
    row.button.classList.toggle("gone", Boolean(world.gone[agent]));
  }

  fillPanel() {
    const panel = byId("agent-panel");
    panel.hidden = this.selected < 0;
    if (this.selected < 0) return;
    const { team, leader, name } = this.game.start.agents[this.selected];
    const toggle = (text, on, title, act) =>
      make("button", { type: "button", "aria-pressed": String(on), title, click: act }, text);
    const truth = this.view === "truth";
    const mark = (name, text) => make("span", {}, make("i", { "class": name }), text);
    const marks = (this.belief && truth) || this.view === "agent" ? make("div", { "class": "marks" },
      mark("read", "read; faint: long ago"), mark("told", "told"),
      ...(truth ? [mark("stale", "was true once"), mark("mistaken", "told by mistake"), mark("lie", "told as a lie")] : [])) : null;
    this.panel = {
      now: make("p", { "class": "now" }), figures: make("dl", { "class": "figures" }),
      exchanges: make("ul", { "class": "plain" }), remarks: make("ul", { "class": "plain" }), key: "",
    };
    panel.replaceChildren(
      make("div", { "class": "card-head" },
        make("h2", {}, teamShape(team), `${this.selected} · ${name}`, leader ? make("span", { "class": "crown", title: "leader" }, "♛") : ""),
        make("button", { type: "button", "class": "icon", "aria-label": "Close", title: "Close (Esc)", click: () => this.select(-1) }, "×")),
      this.panel.now,
      make("div", { "class": "row" },
        toggle("Beliefs", this.belief, "What it believes, over the truth (B)", () => this.toggleBelief()),
        toggle("Only what it knows", this.view === "agent", "Without the truth (V)",
          () => this.setView(this.view === "agent" ? "truth" : "agent")),
        toggle("Follow", this.tracking, "Keep it in the middle (O)", () => this.toggleFollowAgent())),
      marks ?? "", this.panel.figures,
      make("h3", {}, "Exchanges"), this.panel.exchanges, make("h3", {}, "Remarks"), this.panel.remarks);
  }

  writePanel(world) {
    if (this.selected < 0) return;
    const { game, panel } = this;
    const figures = world.figures(this.selected, this.t);
    const carries = ["", " · carries a piece", " · carries a sham", " · carries a piece"][
      this.view === "truth" || !world.hand[this.selected] ? world.hand[this.selected] : EITHER];
    write(panel.now, `At ${world.x[this.selected]},${world.y[this.selected]}: ${this.doing(this.selected, world)}${carries}`);
    const refused = Object.values(figures.refused).reduce((sum, count) => sum + count, 0);
    const share = (part) => `${Math.round((100 * part) / Math.max(1, this.t - this.from))} %`;
    const values = [
      ["goals", figures.goals], ["pieces", figures.pieces], ["shams", figures.shams], ["moves", figures.granted.move],
      ["discoveries", figures.granted.discover], ["asked", figures.questionsAsked], ["answered", figures.questionsAnswered],
      ["refused", refused], ["too early", figures.premature], ["locked", share(figures.lockedMs)],
      ["waiting", share(figures.idleMs)], ["was asked", figures.questionsReceived],
    ];
    if (panel.figures.children.length !== values.length) {
      panel.figures.replaceChildren(...values.map(([name]) => make("div", {}, make("dt", {}, name), make("dd"))));
    }
    values.forEach(([, value], place) => write(panel.figures.children[place].lastChild, String(value)));
    const past = (places, most) => {
      let count = places.length;
      while (count && places[count - 1] >= world.applied) count--;
      return places.slice(Math.max(0, count - most), count).reverse();
    };
    const exchanges = past(game.exchanges[this.selected], MOST_EXCHANGES);
    const remarks = past(game.remarks[this.selected], MOST_REMARKS);
    const key = `${exchanges[0]} ${remarks[0]}`;
    if (key === panel.key) return;
    panel.key = key;
    const moment = (index) => make("time", {}, clockText(game.events[index][0]));
    panel.exchanges.replaceChildren(...(exchanges.length ? exchanges.map((index) => {
      const [, , to, by] = game.events[index];
      const { worth, counts } = game.verdicts.get(index);
      const told = counts.map((count, place) => (count ? `${count} ${["true", "stale", "mistaken", "lies"][place]}` : ""));
      return make("li", { title: told.filter(Boolean).join(", ") }, moment(index),
        by === this.selected ? `told ${to} ` : `heard from ${by} `,
        make("span", { "class": `worth ${VERDICTS[worth]}` }, `${VERDICT_SIGNS[worth]} ${VERDICTS[worth]}`),
        make("span", { "class": "note" }, ` ${told.filter(Boolean).join(", ")}`));
    }) : [make("li", { "class": "note" }, "none so far")]));
    panel.remarks.replaceChildren(...(remarks.length
      ? remarks.map((index) => make("li", {}, moment(index), game.events[index][3].text ?? ""))
      : [make("li", { "class": "note" }, "none so far")]));
  }

  // ---- charts

  get whole() {
    return [this.from, Math.max(this.from + 1000, this.game.duration)];
  }

  /** The stretch of time in which the agents' lines are shown: it is turned like a page. */
  window() {
    const span = Number(byId("span").value), [from, to] = this.whole;
    if (!span || to - from <= span) return [from, to];
    const turn = span * 0.8;
    const start = Math.max(from, Math.min(to - span, from + Math.floor((this.t - from) / turn) * turn));
    return [start, start + span];
  }

  paintCharts() {
    if (!this.game.start || this.page !== "board") return;
    this.chartsAt = performance.now();
    this.course = drawCourse(byId("course"), this.board.paint, this.game, ...this.whole, this.game.duration);
    this.chartWindow = this.window();
    this.paintGantt();
    this.paintTicks();
    this.invalidate();
  }

  paintGantt() {
    if (!this.game.start || this.page !== "board" || !this.chartWindow) return;
    this.gantt = drawGantt(byId("gantt"), this.board.paint, this.game, ...this.chartWindow, this.selected);
    byId("gantt-cursor").style.height = byId("gantt").style.height;
    write(byId("span-shown"), this.chartWindow.map((t) => clockText(t, false)).join(" – "));
  }

  /** Goals and lies beside the slider. */
  paintTicks() {
    const canvas = byId("ticks"), { paint } = this.board;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    const ctx = fitCanvas(canvas, width, height);
    const inset = 7, span = Math.max(1, this.game.duration - this.from);
    const xOf = (t) => inset + ((t - this.from) / span) * (width - 2 * inset);
    ctx.fillStyle = paint.grid;
    ctx.beginPath();
    ctx.roundRect(inset, height / 2 - 3, width - 2 * inset, 6, 3);
    ctx.fill();
    ctx.fillStyle = paint.lie;
    for (const index of this.game.ofKind.lie) ctx.fillRect(xOf(this.game.events[index][0]) - 0.5, height / 2 + 4, 1.5, 5);
    for (const index of this.game.ofKind.goal) {
      const [t, , agent] = this.game.events[index];
      const { team } = this.game.start.agents[agent];
      ctx.fillStyle = paint[team];
      agentShape(ctx, team, xOf(t), height / 2 - (team === "red" ? 7 : 6.5), 3);
      ctx.fill();
    }
  }

  placeCursors() {
    if (!this.chartWindow) return;
    const [from, to] = this.window();
    const turned = from !== this.chartWindow[0] || (Number(byId("span").value) && to !== this.chartWindow[1]);
    // While a game grows so does the stretch: painting it again can wait a little then.
    if (turned && (!this.following || performance.now() - this.chartsAt > CHARTS_EVERY_MS)) this.paintCharts();
    for (const [id, chart] of [["course-cursor", this.course], ["gantt-cursor", this.gantt]]) {
      byId(id).style.transform = `translateX(${Math.round(chart.xOf(this.t) * 2) / 2}px)`;
    }
  }

  // ---- statistics

  showStatistics() {
    if (!this.game.start) return;
    const statistics = this.game.statistics ?? statisticsSoFar(this.game);
    byId("statistics").replaceChildren(...statisticsPage(this, statistics));
    drawCourse(byId("final-course"), this.board.paint, this.game, this.from, Math.max(1, this.game.duration), this.game.duration);
  }

  // ---- controls

  wire() {
    const on = (id, act, event = "click") => byId(id).addEventListener(event, act);
    for (const button of document.querySelectorAll("[data-page]")) {
      button.addEventListener("click", () => this.showPage(button.dataset.page));
      button.addEventListener("keydown", ({ key }) => {
        if (key !== "ArrowLeft" && key !== "ArrowRight") return;
        const tabs = [...document.querySelectorAll("[data-page]")].filter((tab) => !tab.hidden && !tab.disabled);
        const next = tabs[(tabs.indexOf(button) + (key === "ArrowRight" ? 1 : tabs.length - 1)) % tabs.length];
        next.focus();
        this.showPage(next.dataset.page);
      });
    }
    byId("speed").replaceChildren(...SPEEDS.map((speed) => make("option", { value: String(speed) }, `${speed}×`)));
    byId("speed").value = "1";
    byId("kind").replaceChildren(...Object.keys(JUMPS).map((kind) => make("option", { value: kind }, kind)));
    byId("filter").replaceChildren(...Object.keys(FILTERS).map((name) => make("option", { value: name }, name)));
    on("play", () => this.play());
    on("first", () => this.seek(this.from));
    on("last", () => this.seek(this.game.duration));
    on("step-back", () => this.step(-1));
    on("step-forward", () => this.step(1));
    on("follow-live", () => this.follow(true));
    on("speed", ({ target }) => this.setSpeed(Number(target.value)), "change");
    on("kind-back", () => this.jump(byId("kind").value, -1));
    on("kind-forward", () => this.jump(byId("kind").value, 1));
    on("scrub", ({ target }) => this.seek(Number(target.value)), "input");
    on("link", () => this.copyLink());
    on("view", ({ target }) => this.setView(target.value), "change");
    on("fit", () => { this.tracking = false; this.board.fit(); this.invalidate(); });
    on("zoom-in", () => { this.board.zoom(1.4); this.invalidate(); });
    on("zoom-out", () => { this.board.zoom(1 / 1.4); this.invalidate(); });
    on("theme", () => this.toggleTheme());
    on("help", () => this.showHelp());
    on("start", () => this.start());
    on("stop", () => this.stop());
    on("span", () => this.paintCharts(), "change");
    on("filter", () => this.list.refilter(), "change");
    window.addEventListener("hashchange", () => {
      const named = new URLSearchParams(location.hash.slice(1));
      if (named.has("t") && this.game.start) this.seek(Number(named.get("t")));
    });
    // After a click of the mouse the keys mean the game again, not the button that was clicked.
    document.addEventListener("click", ({ detail, target }) => {
      if (detail > 0) target.closest("button")?.blur();
    });
    let byPointer = false;
    document.addEventListener("pointerdown", () => { byPointer = true; }, true);
    document.addEventListener("keydown", () => { byPointer = false; }, true);
    document.addEventListener("change", ({ target }) => {
      if (byPointer && target.matches("#page-board select, #skip")) target.blur();
    });
    new ResizeObserver(() => {
      if (!this.game.start || this.page !== "board") return;
      this.board.refresh();
      this.paintCharts();
      this.list.resize();
      this.invalidate(true);
    }).observe(byId("stage"));
  }

  showHelp() {
    const dialog = byId("help-dialog");
    if (dialog.open) {
      dialog.close();
      return;
    }
    byId("help-keys").replaceChildren(...KEYS.flatMap(([keys, text]) =>
      [make("dt", {}, ...keys.split(" ").map((key) => make("kbd", {}, key))), make("dd", {}, text)]));
    fillSigns(byId("help-signs"));
    dialog.showModal();
  }

  wireStage() {
    const stage = byId("stage"), minimap = byId("minimap");
    const pointers = new Map();
    let travelled = 0, pinch = 0;
    const spread = () => {
      const [one, other] = [...pointers.values()];
      return Math.hypot(one.x - other.x, one.y - other.y);
    };
    const place = (event) => {
      const box = stage.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    stage.addEventListener("pointerdown", (event) => {
      if (!this.game.start || (event.target !== stage && event.target.id !== "actors")) return;
      stage.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, place(event));
      travelled = 0;
      if (pointers.size === 2) pinch = spread();
    });
    stage.addEventListener("pointermove", (event) => {
      const now = place(event), before = pointers.get(event.pointerId);
      if (!before) {
        this.pointed = event.target.id === "actors" ? now : null;
        this.showTip();
        return;
      }
      pointers.set(event.pointerId, now);
      if (pointers.size === 2) {
        const [one, other] = [...pointers.values()];
        this.board.zoom(spread() / pinch, (one.x + other.x) / 2, (one.y + other.y) / 2);
        pinch = spread();
        travelled = 99;
      } else {
        travelled += Math.hypot(now.x - before.x, now.y - before.y);
        if (travelled > 4) {
          stage.classList.add("dragging");
          this.tracking = false;
          this.board.pan(now.x - before.x, now.y - before.y);
        }
      }
      this.invalidate();
    });
    const release = (event) => {
      const at = pointers.get(event.pointerId);
      pointers.delete(event.pointerId);
      stage.classList.remove("dragging");
      if (at && event.type === "pointerup" && travelled <= 4) {
        const agent = this.board.agentAt(this.game.at(this.t), at.x, at.y);
        this.select(agent === this.selected ? -1 : agent);
      }
    };
    stage.addEventListener("pointerup", release);
    stage.addEventListener("pointercancel", release);
    stage.addEventListener("pointerleave", () => {
      this.pointed = null;
      this.showTip();
    });
    stage.addEventListener("dblclick", (event) => {
      if (event.target.id !== "actors") return;
      const { x, y } = place(event);
      this.board.zoom(2, x, y);
      this.invalidate();
    });
    stage.addEventListener("wheel", (event) => {
      if (!this.game.start) return;
      event.preventDefault();
      const { x, y } = place(event);
      this.board.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), x, y);
      this.invalidate();
    }, { passive: false });
    const look = (event) => {
      if (!(event.buttons & 1) && event.type !== "pointerdown") return;
      const box = minimap.getBoundingClientRect();
      this.tracking = false;
      this.board.lookAt(event.clientX - box.left, event.clientY - box.top);
      this.invalidate();
    };
    minimap.addEventListener("pointerdown", (event) => { minimap.setPointerCapture(event.pointerId); look(event); });
    minimap.addEventListener("pointermove", look);
  }

  /** What lies under the pointer at this moment. */
  showTip() {
    const tip = byId("tip"), at = this.pointed;
    const text = at && this.scene ? this.describe(at) : "";
    tip.hidden = !text;
    if (!text) return;
    write(tip, text);
    const left = at.x + 16 + tip.offsetWidth > this.board.width ? at.x - tip.offsetWidth - 12 : at.x + 16;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.min(at.y + 16, this.board.height - tip.offsetHeight - 6)}px`;
  }

  describe({ x: sx, y: sy }) {
    const { game, scene: { world, knowledge, members } } = this;
    const { board, agents } = game.start;
    const at = this.board.fieldAt(sx, sy), x = Math.floor(at.x), y = Math.floor(at.y);
    if (x < 0 || y < 0 || x >= board.columns || y >= board.rows) return "";
    const field = y * board.columns + x;
    const area = y < board.goalRows ? "blue's goal area" : y >= board.rows - board.goalRows ? "red's goal area" : "task area";
    const lines = [`${x},${y} · ${area}`];
    const agent = agents.find(({ id }) => !world.gone[id] && world.x[id] === x && world.y[id] === y);
    if (agent && (!members || members.has(agent.id))) {
      lines.push(`${agent.name} (${agent.id}, ${agent.team}${agent.leader ? ", leader" : ""}): ${this.doing(agent.id, world)}`);
    }
    if (this.view === "truth") {
      const pile = world.pieces.get(field);
      if (pile) lines.push(pile.map((sham) => (sham ? "a sham" : "a piece")).join(", "));
      const team = game.goals.findIndex((fields) => fields.has(field));
      if (team >= 0) {
        const covered = world.covered.get(field);
        lines.push(!covered ? `${TEAMS[team]}'s goal, hidden`
          : covered.agent < 0 ? `${TEAMS[team]}'s goal, covered`
            : `${TEAMS[team]}'s goal, covered by ${covered.agent} at ${clockText(covered.t)}`);
      }
      if (y >= board.goalRows && y < board.rows - board.goalRows) {
        const truth = game.truth(world)[field];
        lines.push(truth === INFINITE ? "no piece lies on the board" : `nearest piece: ${truth}`);
      }
    }
    const known = knowledge?.at(x, y);
    if (known && known.distance !== UNKNOWN) {
      const said = known.distance === INFINITE ? "no piece" : known.distance;
      const source = known.by < 0 ? "read" : `told by ${known.by}${this.view === "truth" ? ` (${VERDICTS[known.worth]})` : ""}`;
      lines.push(`believes ${said}, ${source} ${((this.t - known.at) / 1000).toFixed(0)} s ago`);
    }
    if (known && known.goal !== UNSAID) {
      lines.push(`believes ${known.goal === GOAL ? "a goal" : "no goal"}, ${known.goalBy < 0 ? "tried" : `told by ${known.goalBy}`}`);
    }
    return lines.join("\n");
  }

  wireCharts() {
    for (const id of ["course", "gantt"]) {
      const canvas = byId(id);
      const seek = (event) => {
        const chart = id === "course" ? this.course : this.gantt;
        if (!chart || (event.type === "pointermove" && !(event.buttons & 1))) return;
        const box = canvas.getBoundingClientRect();
        if (event.type === "pointerdown") {
          canvas.setPointerCapture(event.pointerId);
          if (id === "gantt") this.select(Math.floor((event.clientY - box.top - 1) / GANTT_ROW));
        }
        this.playing = false;
        this.seek(chart.tOf(event.clientX - box.left));
      };
      canvas.addEventListener("pointerdown", seek);
      canvas.addEventListener("pointermove", seek);
    }
  }

  // ---- keys

  wireKeys() {
    document.addEventListener("keydown", (event) => {
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const writes = target.matches?.("input:not([type=checkbox]):not([type=range]), textarea");
      if (writes) return;
      if (key === "?") {
        this.showHelp();
        event.preventDefault();
        return;
      }
      if (byId("help-dialog").open) return;
      if (this.pressed(event)) event.preventDefault();
    });
  }

  /** Does what a key means; whether it means anything. */
  pressed({ key, shiftKey, target }) {
    const letter = key.length === 1 ? key.toLowerCase() : key;
    if (letter === "t") return this.toggleTheme(), true;
    const page = { 1: "settings", 2: "board", 3: "statistics" }[key];
    if (page) {
      const tab = byId(`tab-${page}`);
      if (!tab.hidden && !tab.disabled) this.showPage(page);
      return true;
    }
    if (this.page !== "board" || !this.game.start) return false;
    // In a list of choices, the list of events and on tabs the arrows belong to those, and so do letters in lists.
    const owned = target.matches?.("select, [role=listbox], [role=tab]");
    if (owned && (key.startsWith("Arrow") || key === "Home" || key === "End" || target.matches("select"))) return false;
    const press = target.matches?.("button, select, input[type=checkbox]");
    const kind = Object.keys(JUMPS).find((one) => JUMPS[one] === letter);
    if (kind) return this.jump(kind, shiftKey ? -1 : 1), true;
    const pan = Math.max(24, this.board.camera.scale);
    const move = (dx, dy) => { this.tracking = false; this.board.pan(dx, dy); this.invalidate(); };
    switch (letter) {
      case " ": if (press) return false; this.play(); break;
      case "k": this.play(); break;
      case "ArrowLeft": if (shiftKey) this.seek(this.t - 5000); else this.step(-1); break;
      case "ArrowRight": if (shiftKey) this.seek(this.t + 5000); else this.step(1); break;
      case "ArrowUp": this.changeSpeed(1); break;
      case "ArrowDown": this.changeSpeed(-1); break;
      case "Home": case ",": this.seek(this.from); break;
      case "End": case ".": this.seek(this.game.duration); break;
      case "e": this.jump(byId("kind").value, 1); break;
      case "q": this.jump(byId("kind").value, -1); break;
      case "n": byId("skip").checked = !byId("skip").checked; break;
      case "]": this.selectNext(1); break;
      case "[": this.selectNext(-1); break;
      case "Escape": this.select(-1); break;
      case "b": this.toggleBelief(); break;
      case "o": this.toggleFollowAgent(); break;
      case "v": {
        const views = ["truth", "red", "blue", ...(this.selected >= 0 ? ["agent"] : [])];
        this.setView(views[(views.indexOf(this.view) + 1) % views.length]);
        break;
      }
      case "+": case "=": this.board.zoom(1.4); this.invalidate(); break;
      case "-": case "_": this.board.zoom(1 / 1.4); this.invalidate(); break;
      case "f": this.tracking = false; this.board.fit(); this.invalidate(); break;
      case "w": move(0, pan); break;
      case "s": move(0, -pan); break;
      case "a": move(pan, 0); break;
      case "d": move(-pan, 0); break;
      case "c": this.copyLink(); break;
      default: return false;
    }
    return true;
  }
}

/** The game's clock as it should be now, going by the last message. It does not run on far without news. */
function clockAtNow(page, now) {
  if (!page.clockAt) return page.game.clock;
  return page.clockAt.t + Math.min(1500, now - page.clockAt.now);
}
