// The board of Bricks, on two canvases: cells and bricks below, the last brick above them.
//
// A board may have a million cells, so that only what is new is drawn when time goes on.

import { fitCanvas, readPaint, TEXT_FONT } from "../../shell/paint.js";
import { SIDES } from "../../shell/players.js";

/** The room for the numbers of columns and rows, in CSS pixels, and the narrowest cell that has them. */
const NUMBERS_ROOM = 18, NUMBERS_FROM = 15;

/** The narrowest cell, in CSS pixels, that has lines around it, and the narrowest brick that has its player's sign. */
const LINES_FROM = 5, SIGNS_FROM = 9;

/** The board. */
export class BricksBoard {
  constructor(canvas, above) {
    Object.assign(this, { canvas, above, game: null, drawn: null, last: undefined });
  }

  /** Another game, another size or other colours: nothing that was drawn holds any more. */
  forget(game) {
    Object.assign(this, { game, drawn: null, last: undefined });
  }

  /** Where cells lie on the canvas. */
  measure() {
    const { clientWidth: width, clientHeight: height } = this.canvas, { size } = this.game.start.picture;
    const room = Math.min(width, height) / size >= NUMBERS_FROM ? NUMBERS_ROOM : 2;
    const side = Math.max(0.25, (Math.min(width, height) - 2 * room) / size);
    return { width, height, size, room, side, left: (width - size * side) / 2, top: (height - size * side) / 2 };
  }

  /** Draws the board with this number of bricks. */
  draw(bricks) {
    const { game } = this;
    if (!game?.start || !this.canvas.clientWidth) return;
    if (this.drawn === null || bricks < this.drawn.bricks) this.drawBase();
    const { ctx, paint, place } = this.drawn;
    for (; this.drawn.bricks < bricks; this.drawn.bricks++) {
      const [, , player, { cells }] = game.brick(this.drawn.bricks);
      this.drawBrick(ctx, paint, place, player, cells, false);
    }
    if (this.last === bricks) return;
    this.last = bricks;
    const above = fitCanvas(this.above, place.width, place.height);
    const event = bricks > 0 ? game.brick(bricks - 1) : null;
    if (event) this.drawBrick(above, paint, place, event[2], event[3].cells, true);
  }

  /** The empty board, its filled cells, and the bricks that lay there when the feed began. */
  drawBase() {
    const { picture } = this.game.start, paint = readPaint(), place = this.measure();
    const { width, height, size, room, side, left, top } = place;
    const ctx = fitCanvas(this.canvas, width, height);
    ctx.fillStyle = paint.task;
    ctx.fillRect(left, top, size * side, size * side);
    ctx.fillStyle = paint.muted;
    const gap = side >= LINES_FROM ? 0.5 : 0;
    for (const [column, row] of picture.filled) {
      ctx.fillRect(left + column * side + gap, top + row * side + gap, side - 2 * gap, side - 2 * gap);
    }
    if (side >= LINES_FROM) {
      ctx.strokeStyle = paint.grid;
      ctx.lineWidth = 1;
      ctx.beginPath();
      for (let at = 0; at <= size; at++) {
        ctx.moveTo(left + at * side, top);
        ctx.lineTo(left + at * side, top + size * side);
        ctx.moveTo(left, top + at * side);
        ctx.lineTo(left + size * side, top + at * side);
      }
      ctx.stroke();
    }
    if (room === NUMBERS_ROOM) {
      ctx.fillStyle = paint.muted;
      ctx.font = `11px ${TEXT_FONT}`;
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      for (let at = 0; at < size; at++) {
        ctx.fillText(String(at), left + (at + 0.5) * side, top - room / 2);
        ctx.fillText(String(at), left - room / 2, top + (at + 0.5) * side);
      }
    }
    this.drawn = { ctx, paint, place, bricks: 0 };
    this.last = undefined;
    picture.bricks.forEach((cells, number) => this.drawBrick(ctx, paint, place, number % 2, cells, false));
  }

  /** Draws a brick; one that crosses the edge of a torus is drawn on both sides, cut off at the edge, and one whose cells
   * have no side in common as two halves. */
  drawBrick(ctx, paint, place, player, [[fromX, fromY], [toX, toY]], isLast) {
    const { size, side, left, top } = place;
    const lies = fromY === toY, wraps = Math.abs(toX - fromX) + Math.abs(toY - fromY) > 1;
    const begins = wraps ? [[toX, toY], lies ? [fromX - 1, fromY] : [fromX, fromY - 1]] : [[fromX, fromY]];
    if (!lies && fromX !== toX) {
      for (const [x, y] of [[fromX, fromY], [toX, toY]]) this.drawPart(ctx, paint, place, player, [x, y, 1, 1], isLast);
      return;
    }
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, size * side, size * side);
    ctx.clip();
    for (const [x, y] of begins) this.drawPart(ctx, paint, place, player, [x, y, lies ? 2 : 1, lies ? 1 : 2], isLast);
    ctx.restore();
  }

  drawPart(ctx, paint, { side, left, top }, player, [column, row, columns, rows], isLast) {
    const gap = side >= LINES_FROM ? Math.max(1, side * 0.06) : 0;
    const x = left + column * side + gap, y = top + row * side + gap;
    const width = columns * side - 2 * gap, height = rows * side - 2 * gap;
    const own = SIDES[player];
    ctx.fillStyle = isLast || side < LINES_FROM ? paint[own] : paint[`${own}-soft`];
    ctx.strokeStyle = paint[own];
    ctx.lineWidth = Math.max(1, side * 0.05);
    ctx.beginPath();
    if (side >= LINES_FROM) ctx.roundRect(x, y, width, height, side * 0.15);
    else ctx.rect(x, y, width, height);
    ctx.fill();
    if (side >= LINES_FROM) ctx.stroke();
    if (side < SIGNS_FROM) return;
    // Sides differ in shape as well, as everywhere on the page: red is a square, blue a disc.
    const half = side * 0.16, middleX = x + width / 2, middleY = y + height / 2;
    ctx.fillStyle = isLast ? paint["on-team"] : paint[own];
    ctx.beginPath();
    if (player === 0) ctx.rect(middleX - half, middleY - half, 2 * half, 2 * half);
    else ctx.arc(middleX, middleY, half * 1.08, 0, 2 * Math.PI);
    ctx.fill();
  }
}
