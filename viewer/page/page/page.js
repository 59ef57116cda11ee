// The whole page: the feed, pages, time, whose view, the loop. Lobby, controls and keys are beside it.

import { clockText, eventAgent, TEAMS } from "../model/terms.js";
import { Game } from "../model/game.js";
import { Sight } from "../model/sight.js";
import { spot } from "../drawing/agents.js";
import { BoardView } from "../drawing/board.js";
import { drawCourse } from "../drawing/charts.js";
import { byId, make, write } from "./dom.js";
import { eventText } from "./words.js";
import { fillSigns } from "./signs.js";
import { SettingsForm } from "./settings.js";
import { EventList } from "./events.js";
import { resultText, statisticsPage, statisticsSoFar } from "./statistics.js";
import { AgentPanel } from "./agents.js";
import { Charts, CHARTS_EVERY_MS } from "./charts.js";
import { Pointer } from "./pointer.js";
import { restoreTheme } from "./theme.js";
import { wireKeys } from "./keys.js";
import { readLink, writeLink } from "./link.js";
import { announce, clearNotice, offer, toast, warn } from "./notices.js";
import { Connection } from "./connection.js";
import { readFeed, soundEvents } from "./feed.js";
import { Lobby } from "./lobby.js";
import { SPEEDS, wireControls } from "./controls.js";

/** While a game is live it is shown this much late, so that moves glide instead of jump. */
const LIVE_DELAY_MS = 120;

/** Waiting that is skipped is longer than this; so much of it is left before the next event. */
const WAITING_MS = 600;
const BEFORE_EVENT_MS = 250;

/** How often texts beside the board are written again while time runs. */
const PANELS_EVERY_MS = 120;

/** How often the statistics of a game under way are worked out again while they are looked at. */
const STATISTICS_EVERY_MS = 950;

/** How a feed greets that has forgotten to. */
const NO_HELLO = { kind: "hello", mode: "replay", program: null, operator: false, file: null };

/** The whole page. */
export class Page {
  constructor() {
    this.game = new Game();
    /** What was shown when the connection was lost, until it is known what goes on. */
    this.before = null;
    this.isConnected = false;
    /** Whether somebody serves the page, and it is no file. */
    this.isServed = false;
    /** Whether something in the feed made no sense. */
    this.isFaulty = false;
    /** Whether the page followed the game until the connection was lost. */
    this.resumes = false;
    this.connection = new Connection({
      take: (messages) => this.takeAll(messages), lost: (how, why) => this.disconnected(how, why),
    });
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
    /** The moment that the address names, until the feed of a game under way has come as far. */
    this.wanted = null;
    this.frame = 0;
    this.lastFrame = 0;
    this.panelsAt = -Infinity;
    this.announced = "";
    this.statisticsAt = -Infinity;
    /** The last frames' times in milliseconds, for whoever measures the page. */
    this.frameTimes = [];
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.motion = !calm.matches;
    calm.addEventListener("change", () => { this.motion = !calm.matches; this.invalidate(); });
    this.board = new BoardView(byId("stage"), byId("ground"), byId("actors"), byId("minimap"));
    this.settings = new SettingsForm(this);
    this.lobby = new Lobby(this);
    this.list = new EventList(this);
    this.agents = new AgentPanel(this);
    this.charts = new Charts(this);
    this.pointer = new Pointer(this);
    wireControls(this);
    wireKeys(this);
    restoreTheme(this);
  }

  // ---- the feed

  /** Reads the feed of an exported file, or connects to whoever served the page. */
  connect() {
    const embedded = byId("feed");
    this.isServed = !embedded;
    if (!embedded) {
      write(byId("waiting"), "Waiting for the game master…");
      this.connection.open();
      return;
    }
    const { messages, fault } = readFeed(embedded.textContent);
    this.takeAll(messages);
    if (this.game.start) {
      if (fault) warn("feed", `The feed is faulty: ${fault}. The game is shown up to there.`);
      return;
    }
    byId("waiting").hidden = false;
    write(byId("waiting"), `There is no game in this file${fault ? `: ${fault}` : ""}.`);
  }

  /** Takes one message; its kind. What makes no sense in a feed ends it: all that follows would be wrong. */
  take(message) {
    const kind = message?.kind, { game } = this;
    if (this.isFaulty && (kind === "events" || kind === "clock")) return undefined;
    if (kind !== "events") {
      try {
        return game.add(message);
      } catch {
        if (kind === "start") game.start = null;
        this.isFaulty = true;
        warn("feed", `The feed is faulty: its message \`${kind}\` makes no sense.`);
        return undefined;
      }
    }
    const count = game.start ? soundEvents(game.start, message.events) : 0;
    try {
      if (count) game.add(count < message.events.length ? { ...message, events: message.events.slice(0, count) } : message);
      if (count === message.events?.length) return kind;
    } catch {
      // The event that cannot be applied is the last that was taken.
      game.events.length = game.kinds.length;
    }
    this.isFaulty = true;
    warn("feed", game.start ? `The feed is faulty at event ${game.events.length + 1}. The game is shown up to there.`
      : "The feed is faulty: events come before the start of their game.");
    return game.start ? kind : undefined;
  }

  takeAll(messages) {
    const kinds = new Set();
    // An address names a moment of the game for which the page was opened, and not of another that takes its place.
    const isFirst = !this.game.start && !this.before;
    let isNew = false;
    for (const message of messages) {
      const before = this.game.start ?? this.before?.start;
      if (message?.kind === "hello") this.greet(message);
      // Older exports, and those that others made, may go without a greeting.
      if (message?.kind === "start" && !this.game.hello) this.greet({ ...NO_HELLO });
      const kind = this.take(message);
      kinds.add(kind);
      if (kind === "start") {
        isNew = !isSameGame(before, message);
        this.begin(!isNew);
        this.before = null;
      }
      if (kind === "events" || kind === "clock") this.keepClock();
    }
    if (kinds.has("settings")) this.settings.show(this.game.settings);
    if (kinds.has("server")) this.settings.showServer(this.game.server);
    if (kinds.has("lobby") || kinds.has("settings") || kinds.has("server")) this.lobby.show();
    if (kinds.has("server")) this.lobby.tellLoss();
    if (kinds.has("lobby") && this.before) {
      // Another game is prepared where the one that was shown took place.
      this.before = null;
      this.resumes = false;
      this.select(-1);
      this.showPage("settings");
    }
    if (isNew) this.openLink(readLink(isFirst ? location.hash : ""));
    if (kinds.has("events")) this.grew();
    this.reachMoment(kinds.has("clock") || kinds.has("statistics"));
    if (kinds.has("statistics")) this.finish();
    if (kinds.has("gone")) this.sayGoodbye();
    if (kinds.has("truncated")) warn("feed", `The replay breaks off: ${this.game.truncated}.`);
    if (this.tab === "statistics" && !this.game.statistics && performance.now() - this.statisticsAt > STATISTICS_EVERY_MS) {
      this.showStatistics();
    }
    this.invalidate(true);
  }

  /** A feed begins: the first, or after the connection was lost the same game's again, or another's. */
  greet(hello) {
    const again = this.game.hello !== null;
    if (again) {
      this.before = this.game;
      this.game = new Game();
      this.clockAt = undefined;
    }
    this.isConnected = this.isServed;
    this.live = hello.mode === "live";
    document.body.classList.toggle("is-live", this.live);
    this.game.hello = hello;
    this.isFaulty = false;
    clearNotice("feed");
    byId("waiting").hidden = true;
    document.title = hello.file ? `${hello.file} – The Project Game` : "The Project Game";
    this.state(this.live ? "live" : "replay", this.live ? "live" : hello.file ?? "replay");
    byId("read-only").hidden = hello.operator || !this.live;
    for (const element of document.querySelectorAll(".operator-only")) element.hidden = !hello.operator;
    byId("tab-settings").hidden = !this.live;
    byId("follow-live").hidden = !this.live;
    byId("tab-statistics").disabled = byId("tab-board").disabled = true;
    if (this.live && !again) this.showPage("settings");
  }

  /** A game begins; `goesOn` if it is the one that was shown before, told anew. */
  begin(goesOn) {
    const { start } = this.game;
    byId("tab-board").disabled = byId("tab-statistics").disabled = false;
    byId("stop").hidden = !(this.live && this.game.hello.operator);
    this.fillViews();
    this.writeLineups();
    if (!goesOn) this.showPage("board");
    this.board.show(start);
    this.agents.fill();
    this.list.reset();
    if (!goesOn) {
      clearNotice("end");
      byId("span").value = "60000";
      this.ended = this.isEndTold = false;
    }
    if (!this.live) return;
    if (goesOn && !this.following && !this.resumes) {
      // Who looks back goes on looking at the same moment.
      this.wanted = this.t;
      return;
    }
    if (!goesOn) this.t = start.t ?? 0;
    this.resumes = false;
    this.follow(true);
  }

  /** Opens a game with what the address names: a replay waits at the moment, and so does a game under way. */
  openLink(link) {
    if (this.live) {
      // Whoever saw the lobby has come for the whole game, whatever the address still says.
      if (!this.game.lobby) this.wanted = link.t;
    } else {
      // The lines of a long game are too fine to be read all at once.
      byId("span").value = this.game.duration >= 5 * 60000 ? "60000" : "0";
      this.seek(link.t ?? this.from, { quiet: true });
    }
    this.applyLink(link);
  }

  /** Shows what a link names, but for the moment. */
  applyLink({ agent, view, belief }) {
    this.select(agent === null ? -1 : this.game.agentNumbered(agent));
    this.setView(view);
    if (belief !== this.belief && (!belief || this.selected >= 0)) this.toggleBelief();
  }

  /** Goes to the moment that was asked for, as soon as the feed has come so far; `late` if it will not any more. */
  reachMoment(late) {
    if (this.wanted === null) return;
    const { wanted } = this;
    if (late || this.game.duration >= wanted) this.wanted = null;
    if (this.game.duration >= wanted) this.seek(wanted);
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
    if (this.live && this.announced && said !== this.announced) announce(said);
    this.announced = said;
    if (performance.now() - this.charts.paintedAt > CHARTS_EVERY_MS) this.charts.paint();
  }

  finish() {
    byId("stop").hidden = true;
    this.ended = true;
    if (this.live) {
      this.state("over", "game over");
      // A connection that was lost and made again tells the end once more.
      if (!this.isEndTold) this.tellEnd();
    }
    if (this.tab === "statistics") this.showStatistics();
    this.charts.paint();
  }

  /** Says how a live game ended, without taking away what the user is looking at. */
  tellEnd() {
    this.isEndTold = true;
    const result = resultText(this.game.statistics);
    announce(`Game over: ${result}`);
    if (this.following) this.showPage("statistics");
    else if (this.tab !== "statistics") {
      offer("end", `Game over: ${result}.`, "See the statistics", () => this.showPage("statistics"));
    }
  }

  sayGoodbye() {
    this.state("gone", "game master left");
    warn("connection", `The game master said goodbye: ${this.game.gone}`);
  }

  /** There is no connection: it was closed, cannot be had for now, or nobody is there. Whether to try again. */
  disconnected(how, why) {
    if (how === "closed") {
      this.isConnected = false;
      this.resumes ||= this.following;
      this.follow(false);
      byId("stop").hidden = true;
      this.settings.enable();
    }
    // A replay is complete and a goodbye was said: whoever looks has all there will be.
    const { hello, gone, statistics, start } = this.game;
    if (gone !== null || statistics) {
      if (this.live) this.state("gone", gone !== null ? "game master left" : "connection lost");
      return false;
    }
    byId("waiting").hidden = true;
    if (how === "closed") {
      this.state("lost", hello ? "connecting again" : "connecting");
    } else if (how === "shut") {
      this.state("lost", "waiting for a seat");
      warn("connection", `The board cannot be watched now: ${why ?? "nobody says why"}. The page tries again.`);
    } else {
      this.state("gone", "connection lost");
      const seen = start ? " What was seen so far can be looked at; the page goes on when there is a connection again." : "";
      warn("connection", !hello ? "The game master is gone: nobody answers at this address."
        : `The game master is gone: the connection ended${start && this.live ? " in mid-game," : ""} without a goodbye.${seen}`);
    }
    this.invalidate(true);
    return true;
  }

  state(state, text) {
    byId("status").dataset.state = state;
    byId("status").title = text;
    write(byId("status"), text);
  }

  // ---- pages

  /** Turns to a page; `focus` if the focus is to go there as well. It does by itself if it was on the page before. */
  showPage(name, { focus = false } = {}) {
    const left = document.activeElement?.closest("main > section");
    this.tab = name;
    for (const button of document.querySelectorAll("[data-page]")) {
      const chosen = button.dataset.page === name;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      byId(`page-${button.dataset.page}`).hidden = !chosen;
    }
    // The bar's points and clock are those of the moment on the board; the statistics have their own.
    byId("score").hidden = !this.game.start || name === "statistics";
    if (name === "statistics") clearNotice("end");
    if (name === "board") {
      this.board.refresh();
      this.charts.paint();
      this.list.resize();
    }
    if (name === "statistics") this.showStatistics();
    if (focus || left?.hidden) byId(`page-${name}`).focus({ preventScroll: true });
    this.invalidate(true);
  }

  restyle() {
    this.board.refresh();
    if (this.game.start) {
      this.charts.paint();
      if (this.tab === "statistics") this.showStatistics();
    }
    fillSigns(byId("help-signs"));
    this.invalidate(true);
  }

  // ---- time

  get from() {
    return this.game.start?.t ?? 0;
  }

  seek(t, { quiet = false } = {}) {
    if (!this.game.start) return;
    this.t = Math.max(this.from, Math.min(t, this.game.duration));
    this.wanted = null;
    if (!quiet) this.resumes = false;
    if (this.live && !quiet) this.follow(false);
    if (!quiet) this.linkSoon();
    this.invalidate(true);
  }

  /** Live: whether the page keeps up with the game. */
  follow(on) {
    this.following = on && this.live && this.isConnected;
    if (on && !this.isConnected) this.resumes = true;
    if (this.following) this.playing = false;
    byId("follow-live").setAttribute("aria-pressed", String(this.following));
    this.linkSoon();
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
    const t = this.game.step(this.t, direction, this.sight);
    if (t !== undefined) {
      this.seek(t);
      // What happened there is read out; locks and remarks are what steps pass over.
      const passed = (index) => ["lock", "note"].includes(this.game.events[index]?.[1]);
      let index = this.game.countAt(t) - 1;
      while (index > 0 && passed(index)) index--;
      announce(eventText(this.game, index, this.sight));
    } else if (direction < 0) this.seek(this.from);
    this.invalidate(true);
  }

  /** So many milliseconds on, or back. */
  leap(milliseconds) {
    this.seek(this.t + milliseconds);
    announce(clockText(this.t));
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
    const index = this.game.neighbour(kind, this.t, direction, this.sight);
    if (index === undefined) {
      toast(`no ${kind} ${direction > 0 ? "after" : "before"} this moment`);
      return;
    }
    this.playing = false;
    this.showEvent(index);
  }

  showEvent(index) {
    const event = this.game.events[index];
    this.list.mark(index);
    this.seek(event[0]);
    const agent = eventAgent(event);
    if (agent >= 0 && !this.board.isWhole) {
      const world = this.game.at(this.t);
      this.board.centre(world.x[agent] + 0.5, world.y[agent] + 0.5);
    }
    announce(eventText(this.game, index, this.sight));
  }

  /** Writes into the address what is seen, once the user has come to rest. */
  linkSoon() {
    clearTimeout(this.linkTimer);
    this.linkTimer = setTimeout(() => {
      if (!this.game.start || this.wanted !== null) return;
      // Whoever follows a game looks at no moment of it.
      history.replaceState(null, "", this.fragment({ moment: !this.following }) || location.pathname + location.search);
    }, 150);
  }

  fragment({ moment = true } = {}) {
    const { t, selected, view, belief } = this;
    return writeLink({ t: moment ? t : null, agent: selected >= 0 ? this.game.numberOf(selected) : null, view, belief });
  }

  async copyLink() {
    history.replaceState(null, "", this.fragment());
    // The operator's token is not for whoever gets the link.
    const address = `${location.href.split(/[?#]/)[0]}${this.fragment()}`;
    try {
      await navigator.clipboard.writeText(address);
      toast("link copied");
    } catch {
      toast(address);
    }
  }

  // ---- whose view, which agent

  /** Whose eyes the page looks with. */
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
    if (this.tab === "board") this.list.resize();
    this.linkSoon();
    this.invalidate(true);
  }

  /** Steps through the agents, those that left included. */
  selectNext(direction) {
    const count = this.game.start?.agents.length ?? 0;
    if (!count) return;
    const from = this.selected < 0 ? (direction > 0 ? -1 : 0) : this.selected;
    this.select((from + direction + count) % count);
  }

  setView(view) {
    this.view = ["truth", "red", "blue", "agent"].includes(view) ? view : "truth";
    if (this.view === "agent" && this.selected < 0) this.select(0);
    byId("view").value = this.view;
    this.agents.open();
    this.charts.choose();
    if (this.tab === "board") this.list.resize();
    this.linkSoon();
    this.invalidate(true);
  }

  nextView() {
    const views = ["truth", "red", "blue", ...(this.selected >= 0 ? ["agent"] : [])];
    this.setView(views[(views.indexOf(this.view) + 1) % views.length]);
  }

  toggleBelief() {
    if (this.selected < 0) this.select(0);
    this.belief = !this.belief;
    this.agents.open();
    this.linkSoon();
    this.invalidate(true);
  }

  toggleFollowAgent() {
    if (this.selected < 0) this.select(0);
    this.tracking = !this.tracking;
    if (this.tracking && this.board.isWhole) this.board.zoom(2);
    this.agents.open();
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
    if (panels) this.panelsAt = -Infinity;
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
    if (!this.game.start || this.tab !== "board") {
      this.lastFrame = 0;
      if (this.game.start) this.writeScore(this.game.at(this.t));
      if (this.following && !this.ended) {
        this.advance(0);
        setTimeout(() => this.invalidate(), 200);
      }
      return;
    }
    this.advance(passed);
    this.paint();
    if (now - this.panelsAt > PANELS_EVERY_MS) {
      this.panelsAt = now;
      this.writePanels();
    }
    if (this.moves) this.invalidate();
    else this.lastFrame = 0;
  }

  /** Whether time runs on by itself. */
  get moves() {
    return this.playing || (this.following && (!this.ended || this.t < this.game.duration));
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
      const next = game.step(this.t, 1, this.sight);
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
      this.panelsAt = -Infinity;
    }
  }

  paint() {
    const { game } = this;
    const world = game.at(this.t);
    const { sight } = this;
    let knowledge = null, knowledgeKey = "";
    if (this.view === "red" || this.view === "blue") {
      knowledge = game.teamKnowledge(this.view, world.applied);
      knowledgeKey = knowledge.members.map((member) => member.heard).join();
    } else if (this.selected >= 0 && (this.view === "agent" || this.belief)) {
      knowledge = game.knowledge(this.selected, world.applied);
      knowledgeKey = `${this.selected}:${knowledge.heard}`;
    }
    if (this.tracking && this.selected >= 0 && sight.has(this.selected)) {
      const [x, y] = spot(this.scene ?? { world, t: this.t, speed: 1, motion: false, game }, this.selected);
      this.board.centre(x, y);
    }
    this.scene = {
      game, world, t: this.t, speed: this.following || !this.moves ? 1 : this.speed, view: this.view,
      // What rests is shown as it is: signs complete, agents on their fields.
      motion: this.motion && this.moves,
      selected: this.selected, knowledge, knowledgeKey, sight,
    };
    this.board.draw(this.scene);
    byId("stage").classList.toggle("zoomed", !this.board.isWhole);
    this.writeScore(world);
    byId("scrub").max = String(Math.ceil(game.duration));
    byId("scrub").min = String(this.from);
    byId("scrub").value = String(Math.round(this.t));
    this.charts.placeCursors();
  }

  writeScore(world) {
    write(byId("points-red"), String(world.points[0]));
    write(byId("points-blue"), String(world.points[1]));
    write(byId("clock"), clockText(this.t));
  }

  /** Writes the names of the strategies beside the teams, where they are known. */
  writeLineups() {
    for (const team of TEAMS) {
      const lineup = this.game.lineupOf(team);
      byId(`lineup-${team}`).hidden = !lineup;
      byId(`lineup-${team}`).title = lineup;
      write(byId(`lineup-${team}`), lineup);
    }
  }

  writePanels() {
    const { game, scene: { world } } = this;
    const playing = this.playing || this.following;
    byId("play-icon").setAttribute("href", playing ? "#icon-pause" : "#icon-play");
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    byId("scrub").setAttribute("aria-valuetext", clockText(this.t));
    const file = game.hello.file ?? (this.live ? "live" : "replay");
    write(byId("place"), `${file} #t=${Math.round(this.t)}`);
    game.start.agents.forEach(({ id }) => this.agents.writeRow(id, world));
    this.agents.writePanel(world);
    this.pointer.showTip();
    this.list.follow(world.applied - 1);
  }

  // ---- statistics

  showStatistics() {
    if (!this.game.start) return;
    this.statisticsAt = performance.now();
    const statistics = this.game.statistics ?? statisticsSoFar(this.game);
    const page = byId("statistics");
    // While a game goes on they are written anew under the user's hands: what was scrolled and focused stays so.
    const scrolled = () => [...page.querySelectorAll(".table-scroll")];
    const places = scrolled().map(({ scrollLeft }) => scrollLeft);
    const focused = page.contains(document.activeElement) ? document.activeElement.id : "";
    page.replaceChildren(...statisticsPage(this, statistics));
    scrolled().forEach((element, place) => { element.scrollLeft = places[place] ?? 0; });
    if (focused) byId(focused)?.focus({ preventScroll: true });
    drawCourse(byId("final-course"), this.board.paint, this.game, this.from, Math.max(1, this.game.duration), this.game.duration);
  }
}

/** Whether a game that begins is this one, told again. */
function isSameGame(one, other) {
  const told = (start) => JSON.stringify([start.seed, start.board, start.agents.map(({ team, name }) => [team, name])]);
  return Boolean(one) && told(one) === told(other);
}

/** The game's clock as it should be now, going by the last message. It does not run on far without news. */
function clockAtNow(page, now) {
  if (!page.clockAt) return page.game.clock;
  return page.clockAt.t + Math.min(1500, now - page.clockAt.now);
}
