// A game of Dots & Boxes as the feed tells it: with each event comes the whole picture behind it.

import { Turns } from "../../shell/turns.js";

export const DOTS_KINDS = ["box", "line", "refusal", "note", "end"];

/** The pictures of one game, in order. */
export class Pictures extends Turns {
  constructor() {
    super(DOTS_KINDS);
  }

  isSoundTurn(kind, player, { edge }, picture) {
    return ["across", "down", "boxes"].every((name) => typeof picture[name] === "string") && Array.isArray(picture.points)
      && (!["line", "box", "refusal"].includes(kind) || Array.isArray(edge));
  }

  /** What the board looks like at a moment, and the last line that was drawn until then. */
  at(t) {
    const count = this.countAt(t);
    let last = count - 1;
    while (last >= 0 && !["line", "box"].includes(this.events[last][1])) last--;
    return { count, last, picture: this.behind(count) };
  }
}
