// Boxes over time, and the marks behind the slider.

import { drawAxes, drawTrack } from "../../shell/course.js";
import { SIDES } from "../../shell/players.js";

/** Draws how many boxes each player had when; how moments and places of the canvas belong together. */
export function drawBoxes(canvas, game, from) {
  const { rows, columns, points: before } = game.start.picture, half = Math.ceil((rows - 1) * (columns - 1) / 2);
  const most = Math.max(1, half, ...game.events.flatMap(([, , , , { points }]) => points));
  const { ctx, paint, to, xOf, tOf, yOf } = drawAxes(canvas, game, from, { left: 26, most, marked: [0, half] });
  SIDES.forEach((side, player) => {
    ctx.strokeStyle = paint[side];
    ctx.setLineDash(player ? [6, 3] : []);
    ctx.beginPath();
    let points = before[player];
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
  return { xOf, tOf };
}

/** Marks on the slider the moves that took boxes: the first player's above, the second's below. */
export function drawTicks(canvas, game, from) {
  drawTrack(canvas, game, from, game.ofKind.box, ([, , player], paint) =>
    ({ colour: paint[SIDES[player]], start: player ? 11 / 16 : 0, end: player ? 1 : 5 / 16 }));
}
