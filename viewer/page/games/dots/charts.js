// Boxes over time, and the marks beside the slider.

import { fitCanvas, readPaint, TEXT_FONT } from "../../shell/paint.js";
import { SIDES } from "../../shell/players.js";

const COURSE_INSET = { left: 26, right: 10, top: 8, bottom: 17 };

/** Draws how many boxes each player had when; how moments and places of the canvas belong together. */
export function drawBoxes(canvas, game, from) {
  const paint = readPaint(), { clientWidth: width, clientHeight: height } = canvas;
  const ctx = fitCanvas(canvas, width, height);
  const to = Math.max(from + 1000, game.duration);
  const { rows, columns } = game.start.picture, all = (rows - 1) * (columns - 1);
  const xOf = (t) => COURSE_INSET.left + ((t - from) / (to - from)) * (width - COURSE_INSET.left - COURSE_INSET.right);
  const most = Math.max(1, ...game.events.map((event) => Math.max(...event[4].points)), Math.ceil(all / 2));
  const yOf = (points) => height - COURSE_INSET.bottom - (points / most) * (height - COURSE_INSET.top - COURSE_INSET.bottom);
  ctx.font = `11px ${TEXT_FONT}`;
  ctx.fillStyle = paint.muted;
  ctx.strokeStyle = paint.grid;
  ctx.lineWidth = 1;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  for (const points of [0, Math.ceil(all / 2)]) {
    const y = Math.round(yOf(points)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(COURSE_INSET.left, y);
    ctx.lineTo(width - COURSE_INSET.right, y);
    ctx.stroke();
    ctx.fillText(String(points), COURSE_INSET.left - 6, y);
  }
  ctx.textBaseline = "alphabetic";
  const moves = Math.round((to - from) / 1000), step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((one) => moves / one <= 10) ?? 10000;
  for (let move = 0; move <= moves; move += step) {
    ctx.textAlign = move === 0 ? "left" : "center";
    ctx.fillText(String(move), xOf(from + move * 1000), height - 4);
  }
  SIDES.forEach((side, player) => {
    ctx.strokeStyle = paint[side];
    ctx.lineWidth = 2;
    ctx.setLineDash(player ? [6, 3] : []);
    ctx.beginPath();
    let points = game.start.picture.points[player];
    ctx.moveTo(xOf(from), yOf(points));
    for (const [t, , , , picture] of game.events) {
      ctx.lineTo(xOf(t), yOf(points));
      points = picture.points[player];
      ctx.lineTo(xOf(t), yOf(points));
    }
    ctx.lineTo(xOf(to), yOf(points));
    ctx.stroke();
  });
  ctx.setLineDash([]);
  const tOf = (x) => from + ((x - COURSE_INSET.left) / (width - COURSE_INSET.left - COURSE_INSET.right)) * (to - from);
  return { xOf, tOf };
}

/** Marks on the slider the moves that took boxes. */
export function drawTicks(canvas, game, from) {
  const paint = readPaint(), { clientWidth: width, clientHeight: height } = canvas;
  const ctx = fitCanvas(canvas, width, height);
  const inset = 7, span = Math.max(1, game.duration - from);
  ctx.fillStyle = paint.grid;
  ctx.beginPath();
  ctx.roundRect(inset, height / 2 - 3, width - 2 * inset, 6, 3);
  ctx.fill();
  for (const index of game.ofKind.box) {
    const [t, , player] = game.events[index], x = inset + ((t - from) / span) * (width - 2 * inset);
    ctx.fillStyle = paint[SIDES[player]];
    ctx.fillRect(x - 1, player ? height / 2 + 3 : height / 2 - 8, 2, 5);
  }
}
