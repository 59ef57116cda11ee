// A game of Bricks as the feed tells it: the board at the beginning, and then brick after brick.

import { lowerBound } from "../../shell/search.js";
import { Timeline } from "../../shell/timeline.js";

export const BRICKS_KINDS = ["brick", "refusal", "note", "end"];

/** The bricks of one game, in order. */
export class BrickLayers extends Timeline {
  constructor() {
    super(BRICKS_KINDS);
  }

  take(event) {
    super.take(event, BRICKS_KINDS.includes(event[1]) ? event[1] : "note");
  }

  isSound([, kind, player, about, moment]) {
    const { agents, picture: { size } } = this.start;
    const isCell = (cell) => Array.isArray(cell) && cell.length === 2 && cell.every((at) => Number.isInteger(at) && at >= 0);
    const isOnBoard = (cell) => cell.every((at) => at < size);
    const isMoment = typeof moment === "object" && moment !== null && Number.isInteger(moment.fits) && Number.isFinite(moment.ms);
    return isMoment && typeof about === "object" && about !== null && Number.isInteger(player) && player >= -1 && player < agents.length
      && (!["brick", "refusal"].includes(kind) || (player >= 0 && Array.isArray(about.cells) && about.cells.length === 2 && about.cells.every(isCell)))
      && (kind !== "brick" || about.cells.every(isOnBoard));
  }

  isQuiet(index) {
    return this.events[index][1] === "note";
  }

  get isOver() {
    return this.ofKind.end.length > 0;
  }

  /** The board at a moment: the number of bricks that the events until then have put, and what is known of the state. */
  at(t) {
    const count = this.countAt(t), places = this.ofKind.brick;
    const bricks = lowerBound(places.length, (place) => places[place] < count);
    return { count, bricks, moment: count ? this.events[count - 1][4] : this.start.picture };
  }

  /** The event of a brick, by its number. */
  brick(number) {
    return this.events[this.ofKind.brick[number]] ?? null;
  }

  /** How long the player took for a brick, in milliseconds. */
  thought(number) {
    const before = number > 0 ? this.brick(number - 1)[4].ms : this.start.picture.ms;
    return this.brick(number)[4].ms - before;
  }
}
