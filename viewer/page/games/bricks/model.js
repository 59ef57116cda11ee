// A game of Bricks as the feed tells it: the board at the beginning, and then brick after brick.

import { lowerBound } from "../../shell/search.js";
import { Turns } from "../../shell/turns.js";

export const BRICKS_KINDS = ["brick", "refusal", "note", "end"];

const isCell = (cell) => Array.isArray(cell) && cell.length === 2 && cell.every((at) => Number.isInteger(at) && at >= 0);
const isBrick = (cells) => Array.isArray(cells) && cells.length === 2 && cells.every(isCell);
const isMoment = ({ fits, ms }) => Number.isInteger(fits) && Number.isFinite(ms);

/** The bricks of one game, in order. */
export class BrickLayers extends Turns {
  constructor() {
    super(BRICKS_KINDS);
  }

  isSoundStart(picture, agents) {
    const { size, filled, bricks } = picture;
    return agents.length === 2 && Number.isInteger(size) && size > 0 && Array.isArray(filled) && filled.every(isCell)
      && Array.isArray(bricks) && bricks.every(isBrick) && isMoment(picture);
  }

  isSoundTurn(kind, player, { cells }, moment) {
    const { size } = this.start.picture;
    const isOnBoard = (cell) => cell.every((at) => at < size);
    return isMoment(moment) && (!["brick", "refusal"].includes(kind) || (player >= 0 && isBrick(cells)))
      && (kind !== "brick" || cells.every(isOnBoard));
  }

  /** The board at a moment: the number of bricks that the events until then have put, and what is known of the state. */
  at(t) {
    const count = this.countAt(t), places = this.ofKind.brick;
    const bricks = lowerBound(places.length, (place) => places[place] < count);
    return { count, bricks, moment: this.behind(count) };
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
