// A game of Conveyor as the feed tells it: the board once, and with each event where the players are.

import { Turns } from "../../shell/turns.js";

export const CONVEYOR_KINDS = ["hint", "carried", "refusal", "done", "place", "left", "note", "end"];

/** Column and row that a direction adds. */
export const WAYS = { up: [0, 1], down: [0, -1], left: [-1, 0], right: [1, 0] };

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
    const needsRequest = ["done", "hint", "refusal"].includes(kind), needsPlace = ["place", "carried"].includes(kind);
    return Array.isArray(places) && places.every(isPlace)
      && (!needsRequest || Array.isArray(asked)) && (!needsPlace || isPlace(at)) && (kind !== "carried" || isPlace(from));
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

  /** Whether a player hears of an event: of its own answers, and of the end. */
  isHeard(index, player) {
    const [, kind, who] = this.events[index];
    return kind === "end" || (who === player && ["done", "hint", "refusal", "note"].includes(kind));
  }

  /** What a player can tell of its way from its answers alone, until a moment: where it has stepped, counted from where it
   * began, with hints and refusals. `isLost` if it has moved without knowing in which direction. */
  known(player, count) {
    let [x, y] = [0, 0], heading = null, isLost = false;
    const steps = [{ x, y, hint: null }], walls = [];
    for (let index = 0; index < count; index++) {
      const [, kind, who, about] = this.events[index];
      if (who !== player || !["done", "hint", "refusal"].includes(kind)) continue;
      const [verb, what] = about.asked;
      if (verb === "turn") {
        if (kind !== "refusal") heading = what;
        continue;
      }
      const way = WAYS[verb === "step" ? what : heading], far = verb === "step" ? 1 : what;
      if (!way) {
        isLost ||= kind !== "refusal";
        continue;
      }
      if (kind === "refusal") {
        walls.push({ x, y, way, far });
      } else {
        x += way[0] * far;
        y += way[1] * far;
        steps.push({ x, y, hint: kind === "hint" ? about.hint : null });
      }
    }
    return { steps, walls, isLost, heading };
  }
}
