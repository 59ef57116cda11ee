// A game of Dots & Boxes as the feed tells it: with each event comes the whole picture behind it.

import { Timeline } from "../../shell/timeline.js";

export const DOTS_KINDS = ["box", "line", "refusal", "note", "end"];

/** The pictures of one game, in order. */
export class Pictures extends Timeline {
  constructor() {
    super(DOTS_KINDS);
  }

  take(event) {
    super.take(event, DOTS_KINDS.includes(event[1]) ? event[1] : "note");
  }

  isSound([, kind, player, about, picture]) {
    const { agents } = this.start;
    const isPicture = typeof picture === "object" && picture !== null && ["across", "down", "boxes"].every((name) => typeof picture[name] === "string");
    return isPicture && typeof about === "object" && about !== null && Number.isInteger(player) && player >= -1 && player < agents.length
      && (!["line", "box", "refusal"].includes(kind) || Array.isArray(about.edge));
  }

  isQuiet(index) {
    return this.events[index][1] === "note";
  }

  get isOver() {
    return this.ofKind.end.length > 0;
  }

  /** What the board looks like at a moment, and the last line that was drawn until then. */
  at(t) {
    const count = this.countAt(t);
    let last = count - 1;
    while (last >= 0 && !["line", "box"].includes(this.events[last][1])) last--;
    return { count, last, picture: count ? this.events[count - 1][4] : this.start.picture };
  }
}
