// A game of Conveyor as the feed tells it: the board once, and with each event where the players are.

import { lowerBound } from "../../shell/search.js";
import { Turns } from "../../shell/turns.js";

export const CONVEYOR_KINDS = ["hint", "carried", "refusal", "done", "place", "left", "note", "end"];

/** Column and row that a direction adds. */
export const WAYS = { up: [0, 1], down: [0, -1], left: [-1, 0], right: [1, 0] };

/** The kinds of the answers to a player's requests. */
const ANSWERS = ["done", "hint", "refusal"];

/** The number of the last steps and refusals of which a player's own view is made: each of them is an element there. */
export const KNOWN_MARKS = 1000;

const isPlace = (place) => Array.isArray(place) && place.length === 2 && place.every(Number.isInteger);
const isPair = (pair) => Array.isArray(pair) && pair.length === 2;

/** The moments of one game, in order. */
export class ConveyorMoments extends Turns {
  constructor() {
    super(CONVEYOR_KINDS);
  }

  isSoundStart({ columns, rows, homes, hints, conveyors, places }, agents) {
    const isKnownPlace = (place) => place === null || isPlace(place);
    const isHint = (hint) => isPair(hint) && isPlace(hint[0]) && isPair(hint[1]);
    const isConveyor = (conveyor) => isPair(conveyor) && isPlace(conveyor[0]) && isKnownPlace(conveyor[1]);
    return agents.length === 2 && [columns, rows].every((fields) => Number.isInteger(fields) && fields > 0)
      && isPair(homes) && homes.every(isKnownPlace) && Array.isArray(hints) && hints.every(isHint)
      && Array.isArray(conveyors) && conveyors.every(isConveyor) && isPair(places) && places.every(isPlace);
  }

  isSoundTurn(kind, player, { asked, at, from }, { places }) {
    const needsRequest = ANSWERS.includes(kind), needsPlace = ["place", "carried"].includes(kind);
    return Array.isArray(places) && places.every(isPlace)
      && (!needsRequest || Array.isArray(asked)) && (!needsPlace || isPlace(at)) && (kind !== "carried" || isPlace(from));
  }

  clear() {
    super.clear();
    /** The answers to each player, by their places among the events. */
    this.answers = [[], []];
    /** The way of each player as far as it was asked for last; null before that. */
    this.ways = [null, null];
  }

  take(event) {
    super.take(event);
    const [, kind, player] = event;
    if (ANSWERS.includes(kind)) this.answers[player]?.push(this.events.length - 1);
  }

  isQuiet(index) {
    return this.events[index][1] === "place" || super.isQuiet(index);
  }

  /** Where everybody is at a moment, and how many events there were until then. */
  at(t) {
    const count = this.countAt(t);
    return { count, moment: this.behind(count) };
  }

  /** Hints and conveyors as they are known behind this many events. A controller knows neither the directions of hints nor
   * the ends of conveyors before its players have been there. */
  fields(count) {
    const { hints, conveyors } = this.start.picture;
    const ways = new Map(hints.map(([place, known]) => [String(place), [...known]])), ends = new Map(conveyors.map(([start, end]) => [String(start), end]));
    for (const index of this.ofKind.hint) {
      if (index >= count) break;
      const [, , player, { hint }, { places }] = this.events[index], known = ways.get(String(places[player]));
      if (known) known[player] ??= hint;
    }
    for (const index of this.ofKind.carried) {
      if (index >= count) break;
      const { from, at } = this.events[index][3], start = String(from);
      if (ends.has(start)) ends.set(start, ends.get(start) ?? at);
    }
    return { hints: hints.map(([place]) => [place, ways.get(String(place))]), conveyors: conveyors.map(([start]) => [start, ends.get(String(start))]) };
  }

  /** The places of a player until a moment, the last ones only; a place to which it was carried has the start as `from`. */
  trail(player, count, most) {
    const trail = [];
    for (let index = count - 1; index >= 0 && trail.length < most; index--) {
      const [, kind, who, about] = this.events[index];
      if (who === player && (kind === "place" || kind === "carried")) trail.push({ at: about.at, from: kind === "carried" ? about.from : null });
    }
    if (trail.length < most) trail.push({ at: this.start.picture.places[player], from: null });
    return trail.reverse();
  }

  /** The number of requests of a player that were answered until this many events. */
  requests(player, count) {
    const places = this.answers[player];
    return lowerBound(places.length, (place) => places[place] < count);
  }

  /** Whether a player hears of an event: of its own answers, and of the end. */
  isHeard(index, player) {
    const [, kind, who] = this.events[index];
    return kind === "end" || (who === player && (ANSWERS.includes(kind) || kind === "note"));
  }

  /** The way of a player as far as its answers alone tell it, until a moment: its steps, counted from where it began, with
   * hints and refusals; only the last of them, if `isCut`. `isLost` if it has moved without knowing in which direction.
   * Going on costs only what is new. */
  known(player, count) {
    const places = this.answers[player], until = this.requests(player, count);
    let way = this.ways[player];
    if (way === null || way.read > until) way = this.ways[player] = { read: 0, x: 0, y: 0, heading: null, isLost: false, marks: [{ x: 0, y: 0, hint: null }] };
    for (; way.read < until; way.read++) {
      const [, kind, , about] = this.events[places[way.read]];
      reckon(way, kind, about);
    }
    const { x, y, heading, isLost } = way, last = way.marks.slice(-KNOWN_MARKS);
    const steps = last.filter(({ hint }) => hint !== undefined), walls = last.filter(({ hint }) => hint === undefined);
    return { steps: steps.length ? steps : [{ x, y, hint: null }], walls, isLost, heading, isCut: way.marks.length > KNOWN_MARKS };
  }
}

/** Takes the next answer into the way of a player. */
function reckon(way, kind, { asked: [verb, what], hint }) {
  if (verb === "turn") {
    if (kind !== "refusal") way.heading = what;
    return;
  }
  const direction = WAYS[verb === "step" ? what : way.heading], far = verb === "step" ? 1 : what;
  if (!direction) {
    way.isLost ||= kind !== "refusal";
    return;
  }
  if (kind === "refusal") {
    way.marks.push({ x: way.x, y: way.y, way: direction, far });
  } else {
    way.x += direction[0] * far;
    way.y += direction[1] * far;
    way.marks.push({ x: way.x, y: way.y, hint: kind === "hint" && hint ? hint : null });
  }
  if (way.marks.length > 2 * KNOWN_MARKS) way.marks.splice(0, KNOWN_MARKS);
}
