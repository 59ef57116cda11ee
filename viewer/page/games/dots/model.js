// A game of Dots & Boxes as the feed tells it: the picture at the beginning, and then line after line.

import { Turns } from "../../shell/turns.js";

export const DOTS_KINDS = ["box", "line", "refusal", "note", "end"];

const hasPoints = ({ points }) => Array.isArray(points);

/** Whether an event of this kind draws a line. */
const drawsLine = (kind) => kind === "line" || kind === "box";

/** The pictures of one game, in order. */
export class Pictures extends Turns {
  constructor() {
    super(DOTS_KINDS);
    /** The signs of a picture behind some events, which later pictures go on from; null before the first. */
    this.drawn = null;
  }

  begin(start) {
    super.begin(start);
    this.drawn = null;
  }

  isSoundStart(picture, agents) {
    const { rows, columns, across, down, boxes } = picture;
    return agents.length === 2 && [rows, columns].every((dots) => Number.isInteger(dots) && dots > 1)
      && [across, down, boxes].every((digits) => typeof digits === "string") && hasPoints(picture);
  }

  isSoundTurn(kind, player, { edge, boxes }, moment) {
    const { rows, columns } = this.start.picture;
    const isDot = (dot) => Number.isInteger(dot) && dot >= 0 && dot < rows * columns;
    return hasPoints(moment) && ((!drawsLine(kind) && kind !== "refusal") || Array.isArray(edge))
      && (!drawsLine(kind) || (edge.length === 2 && edge.every(isDot) && Array.isArray(boxes) && boxes.every(isDot)));
  }

  /** What the board looks like at a moment, and the last line until then. The next call changes the picture. */
  at(t) {
    const count = this.countAt(t);
    let last = count - 1;
    while (last >= 0 && !drawsLine(this.events[last][1])) last--;
    return { count, last, picture: this.picture(count) };
  }

  /** The picture behind this many events: that of the beginning, with all lines and boxes since. */
  picture(count) {
    const { picture } = this.start;
    if (this.drawn === null || this.drawn.count > count) {
      this.drawn = { count: 0, across: [...picture.across], down: [...picture.down], boxes: [...picture.boxes] };
    }
    const { drawn } = this;
    while (drawn.count < count) this.draw(this.events[drawn.count++]);
    const { across, down, boxes } = drawn;
    return { ...picture, ...this.behind(count), across, down, boxes };
  }

  /** Draws the line of an event, if it has one, and the boxes that the line completes. */
  draw([, kind, player, { edge, boxes }]) {
    if (!drawsLine(kind)) return;
    const { drawn } = this, { columns } = this.start.picture, [from, to] = edge;
    const perRow = columns - 1, place = (dot) => Math.floor(dot / columns) * perRow + (dot % columns);
    if (to === from + 1) drawn.across[place(from)] = "1";
    else drawn.down[from] = "1";
    for (const corner of boxes) drawn.boxes[place(corner)] = String(player);
  }
}
