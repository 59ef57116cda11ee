// A game as the feed tells it: the messages around it, and its events in order.
//
// A room's own timeline knows what the events mean. Nothing here touches the document.

import { clockText, movesAt } from "./clock.js";
import { lowerBound } from "./search.js";

/** The findings of a study; an error if they make no sense. */
function soundFindings(message) {
  const { team, chances, remarks, offer } = message;
  const isChance = (chance) => chance.length === 4 && chance.every(Number.isFinite);
  const isRemark = ({ text, t }) => typeof text === "string" && (t === null || Number.isFinite(t));
  const texts = [team, ...(offer ? [...offer.teams, ...offer.entrants] : [])];
  const isSound = texts.every((text) => typeof text === "string") && chances.every(isChance) && remarks.every(isRemark);
  if (!isSound) throw new TypeError("no findings");
  return message;
}

/** The messages of one feed. An event is `[t, word, …]`. */
export class Timeline {
  /** `kinds` are those of the room. */
  constructor(kinds) {
    this.kindNames = kinds;
    this.hello = null;
    this.settings = null;
    this.lobby = null;
    /** The communication server and its connection; null where it is in the game master's process. */
    this.server = null;
    this.start = null;
    this.statistics = null;
    /** Whether the server of the page has a replay, once the game is over. */
    this.hasReplay = true;
    this.warning = null;
    this.gone = null;
    this.truncated = null;
    /** The findings of a study of the game. */
    this.study = null;
    this.clear();
    this.clock = 0;
  }

  /** Forgets all events. */
  clear() {
    this.events = [];
    /** The place of each event's kind among the room's kinds. */
    this.kinds = [];
    /** Kind to the events of that kind, in order. */
    this.ofKind = Object.fromEntries(this.kindNames.map((kind) => [kind, []]));
  }

  /** Takes one message of the feed; its kind. */
  add(message) {
    switch (message.kind) {
      case "hello": this.hello = message; break;
      case "settings": this.settings = message; break;
      case "lobby": this.lobby = message; break;
      case "server": this.server = message; break;
      case "start": this.begin(message); break;
      case "events": for (const event of message.events) this.take(event); break;
      case "clock": this.clock = Math.max(this.clock, message.t); break;
      case "statistics": this.statistics = message.document; this.hasReplay = message.replay !== false; break;
      case "warning": this.warning = message.text; break;
      case "gone": this.gone = message.why; break;
      case "truncated": this.truncated = message.why; break;
      case "study": this.study = soundFindings(message); break;
    }
    return message.kind;
  }

  /** The game begins, or is told anew. */
  begin(start) {
    this.start = start;
    this.clear();
    this.statistics = this.truncated = null;
    this.hasReplay = true;
    this.clock = start.t ?? 0;
  }

  /** Takes the next event, of this kind. */
  take(event, kind) {
    this.ofKind[kind].push(this.events.length);
    this.kinds.push(this.kindNames.indexOf(kind));
    this.events.push(event);
    this.clock = Math.max(this.clock, event[0]);
  }

  /** How many of these events make sense one by one; whether they can follow one another only `take` knows. */
  countSound(events) {
    const isSound = (event) => Array.isArray(event) && Number.isFinite(event[0]) && typeof event[1] === "string" && this.isSound(event);
    const faulty = Array.isArray(events) ? events.findIndex((event) => !isSound(event)) : 0;
    return faulty < 0 ? events.length : faulty;
  }

  /** Whether an event of the game makes sense by itself. */
  isSound() {
    return true;
  }

  /** Whether an event is nothing that a step through the game stops at. */
  isQuiet() {
    return false;
  }

  /** Whether the game is over. */
  get isOver() {
    return false;
  }

  /** Whether the feed is at its end and the game is not: its host has let it go, or its replay breaks off. */
  get isBrokenOff() {
    return Boolean(this.statistics && !this.statistics.outcome);
  }

  /** The state of a game without an outcome, in words. */
  get standing() {
    if (!this.truncated && !this.isBrokenOff) return "still going on";
    if (this.hello?.mode !== "live") return "the replay breaks off";
    return this.truncated ? `broken off: ${this.truncated}` : "broken off";
  }

  get duration() {
    return this.clock;
  }

  /** The number of events up to and including a moment. */
  countAt(t) {
    return lowerBound(this.events.length, (place) => this.events[place][0] <= t);
  }

  /** The first event of a kind that somebody saw after a moment, or the last before it; none if there is none. */
  neighbour(kind, t, direction, sight) {
    const places = this.ofKind[kind];
    const when = (place) => this.events[places[place]][0];
    let place = direction > 0 ? lowerBound(places.length, (one) => when(one) <= t) : lowerBound(places.length, (one) => when(one) < t) - 1;
    while (place >= 0 && place < places.length && !sight.sees(places[place])) place += direction;
    return places[place];
  }

  /** The next moment, or the one before, at which somebody saw something that is worth a look. */
  step(t, direction, sight) {
    let index = this.countAt(direction > 0 ? t : t - 1e-6);
    if (direction < 0) index--;
    while (index >= 0 && index < this.events.length && (this.isQuiet(index) || !sight.sees(index))) index += direction;
    return this.events[index]?.[0];
  }

  /** The last event up to a moment that somebody saw and that is not quiet; -1 if there is none. */
  lastLoud(t, sight) {
    let index = this.countAt(t) - 1;
    while (index >= 0 && (this.isQuiet(index) || !sight.sees(index))) index--;
    return index;
  }

  /** A moment for people. In a game of turns without a clock it is a move. */
  momentText(t) {
    return this.start?.turns ? `move ${movesAt(t)}` : clockText(t);
  }

  /** Whether the page may choose the communication server: there is no connection to one, and no game. */
  get maySelectServer() {
    return Boolean(this.server) && this.server.state !== "connected" && !this.settings?.locked;
  }
}
