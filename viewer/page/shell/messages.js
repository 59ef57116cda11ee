// What the messages of the feed do to the page: a game that begins, goes on, ends, and is told anew.

import { byId, write } from "./dom.js";
import { announce, clearNotice, offer, warn } from "./notices.js";

/** The greeting of a feed without one. */
const NO_HELLO = { kind: "hello", mode: "replay", program: null, operator: false, file: null };

/** The version of the feed that this page reads. */
const FEED_VERSION = 1;

/** The game of feeds whose greeting names none: for years there was one. */
const OLD_GAME = "project";

/** Takes the messages of the feed, and tells the page. */
export class Messages {
  constructor(page) {
    this.page = page;
    /** What was shown when the connection was lost, until it is known what goes on. */
    this.before = null;
    /** Whether something in the feed made no sense. */
    this.isFaulty = false;
    /** Whether the end of the game was told. */
    this.isEndTold = false;
  }

  /** Takes one message; its kind. What makes no sense in a feed ends it: all that follows would be wrong. */
  take(message) {
    const kind = message?.kind, { game } = this.page;
    if (!this.page.room) return undefined;
    if (this.isFaulty && (kind === "events" || kind === "clock" || (kind === "statistics" && !game.start))) return undefined;
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
    const count = game.start ? game.countSound(message.events) : 0;
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
    const isFirst = !this.page.game.start && !this.before;
    let isNew = false;
    for (const message of messages) {
      const before = this.page.game.start ?? this.before?.start;
      // The same players may play the same game again.
      if (message?.kind === "start") message.match = this.page.connection.match;
      if (message?.kind === "hello") this.greet(message);
      // Older exports, and those that others made, may go without a greeting.
      if (message?.kind === "start" && !this.page.game.hello) this.greet({ ...NO_HELLO });
      const kind = this.take(message);
      kinds.add(kind);
      if (kind === "start") {
        isNew = !isSameGame(before, message);
        this.begin(!isNew);
        this.before = null;
      }
      if (kind === "events" || kind === "clock") this.page.time.keepClock();
    }
    for (const message of messages) {
      if (message?.kind === "matches") this.page.matches.takeList(message);
      if (message?.kind === "standings") this.page.matches.takeStandings(message);
      if (message?.kind === "faults") this.page.matches.takeFaults(message);
      if (message?.kind === "person") this.page.matches.takePerson(message);
    }
    if (kinds.has("settings")) this.page.settings.show(this.page.game.settings);
    if (kinds.has("server")) this.page.settings.showServer(this.page.game.server);
    if (kinds.has("lobby") || kinds.has("settings") || kinds.has("server")) this.page.lobby.show();
    if (kinds.has("server")) this.page.lobby.tellLoss();
    if (kinds.has("lobby") && this.before) {
      // Another game is prepared where the one that was shown took place.
      this.before = null;
      this.page.time.resumes = false;
      this.page.room.clear();
      this.page.showPage("settings");
    }
    if (isNew) this.page.address.open(isFirst ? location.hash : this.page.address.awaited);
    if (kinds.has("events")) this.grew();
    this.page.time.reachMoment(kinds.has("clock") || kinds.has("statistics"));
    if (kinds.has("statistics")) this.finish();
    if (kinds.has("warning")) warn("host", `The game master warns: ${this.page.game.warning}`);
    if (kinds.has("gone")) this.sayGoodbye();
    if (kinds.has("study")) this.page.study.show();
    // Of a live game, the end says it.
    if (kinds.has("truncated") && !this.page.live) warn("feed", `The replay breaks off: ${this.page.game.truncated}.`);
    this.page.refreshStatistics();
    this.page.invalidate(true);
  }

  /** A feed begins: the first, or after the connection was lost the same game's again, or another's. */
  greet(hello) {
    const again = this.page.game.hello !== null;
    if (again) {
      this.before = this.page.game;
      this.page.time.clockAt = undefined;
    }
    if ((hello.feed ?? FEED_VERSION) !== FEED_VERSION) {
      warn("feed", `This page reads feeds of version ${FEED_VERSION}, and this one has version ${hello.feed}: reload the page.`);
      return;
    }
    if (!this.page.enter(hello.game ?? OLD_GAME)) {
      warn("feed", `This page cannot draw the game \`${hello.game}\`: another version of the game master may.`);
      return;
    }
    this.page.isConnected = this.page.isServed;
    this.page.live = hello.mode === "live";
    document.body.classList.toggle("is-live", this.page.live);
    this.page.game.hello = hello;
    this.isFaulty = false;
    clearNotice("feed");
    byId("waiting").hidden = true;
    const { title } = this.page.room.constructor;
    document.title = hello.file ? `${hello.file} – ${title}` : title;
    this.state(this.page.live ? "live" : "replay", this.page.live ? "live" : hello.file ?? "replay");
    byId("read-only").hidden = hello.operator || !this.page.live;
    for (const element of document.querySelectorAll(".operator-only")) element.hidden = !hello.operator;
    this.page.matches.greet(hello);
    byId("tab-settings").hidden = !this.page.live || (this.page.matches.isOn && !this.page.matches.list?.hasSettings);
    byId("follow-live").hidden = !this.page.live;
    byId("tab-statistics").disabled = byId("tab-board").disabled = true;
    if (this.page.matches.isOn) {
      if (!again || (hello.match === null && this.page.tab !== "settings")) this.page.showPage("matches");
    } else if (this.page.live && !again) this.page.showPage("settings");
  }

  /** A game begins; `goesOn` if it is the one that was shown before, told anew. */
  begin(goesOn) {
    const { start } = this.page.game;
    byId("tab-board").disabled = byId("tab-statistics").disabled = false;
    if (!this.page.matches.isOn) byId("stop").hidden = !(this.page.live && this.page.game.hello.operator);
    // Before the board is shown: the list names events of the game before.
    this.page.list.reset();
    if (!goesOn && !this.page.matches.isRead) this.page.showPage("board");
    this.page.room.begin(goesOn);
    this.page.matches.begin();
    if (!goesOn) {
      clearNotice("end");
      this.page.ended = this.isEndTold = false;
    }
    if (!this.page.live) return;
    if (goesOn && !this.page.time.following && !this.page.time.resumes) {
      // Who looks back goes on looking at the same moment.
      this.page.time.wanted = this.page.time.t;
      return;
    }
    if (!goesOn) this.page.time.t = start.t ?? 0;
    this.page.time.resumes = false;
    this.page.time.follow(true);
  }

  /** There are further events. */
  grew() {
    this.page.list.grow();
    this.page.room.grew();
  }

  finish() {
    if (!this.page.matches.isOn) byId("stop").hidden = true;
    this.page.ended = true;
    if (this.page.live) {
      this.state("over", this.page.game.isBrokenOff ? "broken off" : "game over");
      // A connection that was lost and made again tells the end once more.
      if (!this.isEndTold) this.tellEnd();
    }
    this.page.matches.writeSeat();
    if (this.page.tab === "statistics") this.page.showStatistics();
    // A replay that comes in pieces is whole now.
    if (!this.page.live) this.page.room.opened();
    this.page.room.finished();
  }

  /** Says how a live game ended, without taking away what the user is looking at. */
  tellEnd() {
    this.isEndTold = true;
    const { game, room } = this.page;
    const text = game.isBrokenOff ? `The game is ${game.standing}` : `Game over: ${room.result(game.statistics)}`;
    announce(text);
    // Where there are several matches, the next may be about to begin.
    if (this.page.time.following && !this.page.matches.isOn) this.page.showPage("statistics");
    else if (this.page.tab !== "statistics") {
      offer("end", `${text}.`, "See the statistics", () => this.page.turnToPage("statistics"));
    }
  }

  sayGoodbye() {
    this.state("gone", "host has ended");
    warn("connection", `The host has ended: ${this.page.game.gone}`);
  }

  /** There is no connection: it was closed, cannot be had for now, or nobody is there. Whether to try again. */
  disconnected(how, why) {
    if (how === "closed") {
      this.page.isConnected = false;
      this.page.time.resumes ||= this.page.time.following;
      this.page.time.follow(false);
      byId("stop").hidden = true;
      this.page.settings.enable();
    }
    const { hello, gone, statistics, study, start } = this.page.game;
    // A replay is complete and the end was announced: no more messages come, unless the replay can be studied.
    if (gone !== null || (statistics && !this.page.matches.isOn && !study?.offer)) {
      if (this.page.live) this.state("gone", gone !== null ? "host has ended" : "connection lost");
      return false;
    }
    byId("waiting").hidden = true;
    if (how === "closed") {
      this.state("lost", hello ? "connecting again" : "connecting");
    } else if (how === "shut") {
      this.state("lost", "waiting for a seat");
      warn("connection", `No seat for a viewer: ${why ?? "unknown reason"}. The page tries again.`);
    } else {
      this.state("gone", "connection lost");
      const seen = start ? " What was seen so far can be looked at; the page goes on when there is a connection again." : "";
      warn("connection", !hello ? "No connection: the host does not answer at this address."
        : `The connection to the host was lost${start && this.page.live ? " in mid-game" : ""}.${seen}`);
    }
    this.page.invalidate(true);
    return true;
  }

  state(state, text) {
    byId("status").dataset.state = state;
    byId("status").title = text;
    write(byId("status"), text);
  }
}

/** Whether a game that begins is this one, told again. */
function isSameGame(one, other) {
  const told = (start) => JSON.stringify([start.match, start.seed, start.board, start.agents.map(({ team, name }) => [team, name])]);
  return Boolean(one) && told(one) === told(other);
}
