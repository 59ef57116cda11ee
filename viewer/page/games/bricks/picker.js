// The board on which an operator picks the cells that are filled from the beginning, beside the setting that lists them.
//
// It writes what the setting holds, as a text, and knows no rule: the referee checks the text.

import { make } from "../../shell/dom.js";
import { fitCanvas, readPaint } from "../../shell/paint.js";

/** The largest board that is shown, in cells of a side: cells of larger ones are too small for a finger. */
const PICKED_MOST = 31;

/** The widest cell, in CSS pixels. */
const PICKED_SIDE = 18;

/** Picks cells by pointer; keyboards have the text. */
export class CellPicker {
  /** `values` reads and writes settings by name: `get(name)`, `set(name, value)`. */
  constructor(values) {
    this.values = values;
    this.canvas = make("canvas", { "class": "bricks-picker", "aria-hidden": "true", title: "Click on cells to fill or clear them" });
    this.element = make("div", { "class": "bricks-picking" }, this.canvas);
    /** While the pointer is down: whether cells are being filled, not cleared; else null. */
    this.filling = null;
    this.canvas.addEventListener("pointerdown", (event) => this.begin(event));
    this.canvas.addEventListener("pointermove", (event) => this.paint(event));
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, () => { this.filling = null; });
  }

  get size() {
    const size = Number(this.values.get("size"));
    return Number.isInteger(size) && size > 0 && size <= PICKED_MOST ? size : 0;
  }

  get cells() {
    return String(this.values.get("filledCells")).split("_").map((cell) => cell.trim()).filter(Boolean);
  }

  /** Draws the board of the present settings; there is none for one that is too large, and none that may not be changed. */
  refresh(isOpen) {
    const { size } = this;
    this.isOpen = isOpen;
    this.element.hidden = !size;
    // A page that is not shown has no width: its board is drawn when it has one.
    if (!size || !this.element.clientWidth) return;
    this.side = Math.min(PICKED_SIDE, Math.floor(this.element.clientWidth / size));
    const width = this.side * size, paint = readPaint(), filled = new Set(this.cells);
    this.canvas.style.width = this.canvas.style.height = `${width}px`;
    const ctx = fitCanvas(this.canvas, width, width);
    ctx.fillStyle = paint.edge;
    ctx.fillRect(0, 0, width, width);
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        ctx.fillStyle = filled.has(`${column}x${row}`) ? paint.muted : paint.task;
        ctx.fillRect(column * this.side + 0.5, row * this.side + 0.5, this.side - 1, this.side - 1);
      }
    }
  }

  cellAt({ offsetX, offsetY }) {
    const [column, row] = [offsetX, offsetY].map((place) => Math.floor(place / this.side));
    return column >= 0 && row >= 0 && column < this.size && row < this.size ? `${column}x${row}` : null;
  }

  begin(event) {
    const cell = this.cellAt(event);
    if (!this.isOpen || cell === null || event.button !== 0) return;
    this.filling = !this.cells.includes(cell);
    this.paint(event);
  }

  paint(event) {
    const cell = this.cellAt(event);
    if (this.filling === null || cell === null || this.cells.includes(cell) === this.filling) return;
    const cells = this.filling ? [...this.cells, cell] : this.cells.filter((other) => other !== cell);
    this.values.set("filledCells", cells.join("_"));
  }
}
