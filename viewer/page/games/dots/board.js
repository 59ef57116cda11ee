// The board of Dots & Boxes, as SVG: boxes below, lines above them, dots on top.
//
// One unit is the distance of two dots. What never changes is drawn once; a moment only changes classes.

import { addShape } from "../../shell/dom.js";
import { SIDES } from "../../shell/players.js";

/** The room around the dots, in units. */
const AROUND = 0.42;

/** Half the side of the sign of an owner. */
const OWNER_HALF = 0.17;

/** The board. */
export class DotsBoard {
  constructor(svg) {
    this.svg = svg;
  }

  /** Draws the empty board of a game that begins. */
  show({ rows, columns }) {
    const { svg } = this;
    Object.assign(this, { rows, columns });
    svg.replaceChildren();
    svg.setAttribute("viewBox", `${-AROUND} ${-AROUND} ${columns - 1 + 2 * AROUND} ${rows - 1 + 2 * AROUND}`);
    addShape(svg, "rect", { "class": "field", x: -0.25, y: -0.25, width: columns - 0.5, height: rows - 0.5, rx: 0.2 });
    this.boxes = [];
    for (let y = 0; y < rows - 1; y++) {
      for (let x = 0; x < columns - 1; x++) {
        const group = addShape(svg, "g", { "class": "taken", visibility: "hidden" });
        const box = addShape(group, "rect", { "class": "box", x: x + 0.05, y: y + 0.05, width: 0.9, height: 0.9, rx: 0.07 });
        // Sides differ in shape as well, as everywhere on the page: red is a square, blue a disc.
        const square = addShape(group, "rect", { "class": "owner red", x: x + 0.5 - OWNER_HALF, y: y + 0.5 - OWNER_HALF, width: 2 * OWNER_HALF, height: 2 * OWNER_HALF, rx: 0.06 });
        const disc = addShape(group, "circle", { "class": "owner blue", cx: x + 0.5, cy: y + 0.5, r: OWNER_HALF * 1.08 });
        this.boxes.push({ group, box, signs: [square, disc] });
      }
    }
    const line = (x, y, right, down) => addShape(svg, "line", { "class": "free", x1: x, y1: y, x2: x + right, y2: y + down });
    this.across = [];
    this.down = [];
    for (let y = 0; y < rows; y++) for (let x = 0; x < columns - 1; x++) this.across.push(line(x, y, 1, 0));
    for (let y = 0; y < rows - 1; y++) for (let x = 0; x < columns; x++) this.down.push(line(x, y, 0, 1));
    this.above = addShape(svg, "g", {});
    for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) addShape(svg, "circle", { "class": "dot", cx: x, cy: y, r: 0.085 });
    this.shown = undefined;
  }

  /** Draws a moment; `last` is the event of the last line, null at the beginning: the board changes with lines alone. */
  draw(picture, last) {
    if (this.shown === last) return;
    this.shown = last;
    const now = new Set(last?.[3].boxes ?? []);
    this.boxes.forEach(({ group, box, signs }, place) => {
      const side = SIDES[picture.boxes[place]];
      group.setAttribute("visibility", side ? "visible" : "hidden");
      if (!side) return;
      const corner = Math.floor(place / (this.columns - 1)) * this.columns + (place % (this.columns - 1));
      box.setAttribute("class", `box ${side}${now.has(corner) ? " now" : ""}`);
      signs.forEach((sign, one) => sign.setAttribute("visibility", SIDES[one] === side ? "inherit" : "hidden"));
    });
    const lines = (elements, drawn) => elements.forEach((element, place) => {
      const name = drawn[place] === "1" ? "line" : "free";
      if (element.getAttribute("class") !== name) element.setAttribute("class", name);
    });
    lines(this.across, picture.across);
    lines(this.down, picture.down);
    this.above.replaceChildren();
    if (!last) return;
    const [from, to] = last[3].edge, { columns } = this;
    addShape(this.above, "line", {
      "class": `line last ${SIDES[last[2]]}`,
      x1: from % columns, y1: Math.floor(from / columns), x2: to % columns, y2: Math.floor(to / columns),
    });
  }
}
