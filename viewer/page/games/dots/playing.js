// A person plays Dots & Boxes: the lines that may be drawn, by mouse and by keyboard.
//
// Which lines these are the seat's options say. The cursor goes over all lines of the board, row by row: rows of lines
// to the right and rows of lines downwards alternate.

import { makeShape } from "../../shell/dom.js";
import { announce } from "../../shell/notices.js";

/** The lines that a person may draw. */
export class DotsPlaying {
  constructor(room, stage, svg) {
    this.room = room;
    this.stage = stage;
    this.svg = svg;
    this.seat = null;
    /** Row and place in the row of the cursor. */
    this.cursor = { row: 0, place: 0 };
    this.layer = makeShape("g", {});
    /** The options whose lines the layer has. */
    this.drawn = null;
    svg.addEventListener("click", ({ target }) => {
      if (target.dataset?.action) this.seat?.act(target.dataset.action);
    });
    stage.addEventListener("keydown", (event) => this.press(event));
    stage.addEventListener("focus", () => this.drawCursor());
    stage.addEventListener("blur", () => this.drawCursor());
  }

  /** The grid, in dots. */
  get size() {
    return this.room.game.start.picture;
  }

  /** Shows what the seat may do now; null if nobody plays here. */
  show(seat) {
    const isNew = seat && !this.seat;
    this.seat = seat;
    this.stage.classList.toggle("to-move", Boolean(seat?.options.length));
    this.stage.setAttribute("aria-label", seat ? "Board. Arrow keys choose a line, Enter draws it." : this.stage.dataset.label);
    if (isNew) this.stage.focus({ preventScroll: true });
    this.draw();
  }

  /** The dots of a line of the board. */
  line({ row, place }) {
    const { columns } = this.size, from = Math.floor(row / 2) * columns + place;
    return [from, row % 2 ? from + columns : from + 1];
  }

  get action() {
    return this.line(this.cursor).join("-");
  }

  /** Draws the lines that may be drawn. Those that are there stay: a browser forgets a click whose line is gone. */
  draw() {
    const { seat, layer } = this, options = seat?.options.join(" ") ?? null;
    if (!seat) layer.remove();
    else if (layer.parentNode !== this.svg || layer.nextSibling) this.svg.append(layer);
    if (options !== this.drawn) {
      const lines = seat?.options.map((option) => this.mark(option.split("-").map(Number), "choice", option)) ?? [];
      layer.replaceChildren(...lines);
      this.drawn = options;
    }
    this.drawCursor();
  }

  drawCursor() {
    const { seat, layer } = this;
    layer.querySelector(".cursor")?.remove();
    if (seat && document.activeElement === this.stage) {
      layer.append(this.mark(this.line(this.cursor), `cursor${seat.options.includes(this.action) ? " open" : ""}`));
    }
  }

  mark([from, to], name, action) {
    const { columns } = this.size;
    const ends = { x1: from % columns, y1: Math.floor(from / columns), x2: to % columns, y2: Math.floor(to / columns) };
    const line = makeShape("line", { "class": name, ...ends });
    if (action) line.dataset.action = action;
    return line;
  }

  press(event) {
    const { seat } = this;
    if (!seat || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (event.key === "Enter" || event.key === " ") {
      if (seat.options.includes(this.action)) seat.act(this.action);
      else announce(seat.options.length ? `${this.room.lineText(this.line(this.cursor))} is drawn already` : "It is not your turn");
    } else if (steps[event.key]) {
      const [rows, places] = steps[event.key];
      this.move(rows, places);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  move(rows, places) {
    const { rows: dotRows, columns } = this.size;
    const row = Math.max(0, Math.min(2 * dotRows - 2, this.cursor.row + rows));
    const most = row % 2 ? columns - 1 : columns - 2;
    this.cursor = { row, place: Math.max(0, Math.min(most, this.cursor.place + places)) };
    this.drawCursor();
    announce(`${this.room.lineText(this.line(this.cursor))}, ${this.seat.options.includes(this.action) ? "free" : "not to be drawn now"}`);
  }
}
