// A game whose page counts moves, as the feed tells it: events `[t, kind, player, about, behind]`, each with what is known of the state behind it.

import { Timeline } from "./timeline.js";

const isObject = (value) => typeof value === "object" && value !== null;

/** A game whose page counts moves. The room's own timeline says what stands in `about` and `behind`. */
export class Turns extends Timeline {
  /** The game begins, or is told anew; an error if its start makes no sense. */
  begin(start) {
    const { agents, picture } = start;
    const isSound = Array.isArray(agents) && agents.every((agent, place) => agent?.id === place) && isObject(picture) && this.isSoundStart(picture, agents);
    if (!isSound) throw new TypeError("no start");
    super.begin(start);
  }

  /** Whether the picture of a start makes sense for these agents. */
  isSoundStart() {
    return true;
  }

  take(event) {
    super.take(event, this.kindNames.includes(event[1]) ? event[1] : "note");
  }

  isSound([, kind, player, about, behind]) {
    return isObject(about) && isObject(behind) && Number.isInteger(player) && player >= -1 && player < this.start.agents.length
      && this.isSoundTurn(kind, player, about, behind);
  }

  /** Whether an event of this kind makes sense by itself; all four are of the right types. */
  isSoundTurn() {
    return true;
  }

  isQuiet(index) {
    return this.events[index][1] === "note";
  }

  get isOver() {
    return this.ofKind.end.length > 0;
  }

  /** The number of events of a kind in which a player acts. */
  count(kind, player) {
    return this.ofKind[kind].filter((index) => this.events[index][2] === player).length;
  }

  /** What is known of the state behind this many events. */
  behind(count) {
    return count ? this.events[count - 1][4] : this.start.picture;
  }
}
