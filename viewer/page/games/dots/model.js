// A game of Dots & Boxes as the feed tells it: with each event comes the whole picture behind it.

import { Turns } from "../../shell/turns.js";

export const DOTS_KINDS = ["box", "line", "refusal", "note", "end"];

const isPicture = ({ across, down, boxes, points }) =>
  [across, down, boxes].every((digits) => typeof digits === "string") && Array.isArray(points);

/** The pictures of one game, in order. */
export class Pictures extends Turns {
  constructor() {
    super(DOTS_KINDS);
  }

  isSoundStart(picture, agents) {
    return agents.length === 2 && [picture.rows, picture.columns].every((dots) => Number.isInteger(dots) && dots > 1) && isPicture(picture);
  }

  isSoundTurn(kind, player, { edge }, picture) {
    return isPicture(picture) && (!["line", "box", "refusal"].includes(kind) || Array.isArray(edge));
  }

  /** What the board looks like at a moment, and the last line that was drawn until then. */
  at(t) {
    const count = this.countAt(t);
    let last = count - 1;
    while (last >= 0 && !["line", "box"].includes(this.events[last][1])) last--;
    return { count, last, picture: this.behind(count) };
  }
}
