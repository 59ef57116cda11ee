// Moves left over time, and the marks behind the slider.

import { drawAxes, drawMarkedTrack } from "../../shell/course.js";
import { SIDES } from "../../shell/players.js";

/** Draws how many bricks fitted when; how moments and places of the canvas belong together. */
export function drawFits(canvas, game, from) {
  const { fits: first } = game.start.picture, most = Math.max(1, first);
  const axes = drawAxes(canvas, game, from, { left: 40, most, marked: [0, most] }), { ctx, paint, xOf, yOf } = axes;
  ctx.strokeStyle = paint.accent;
  ctx.beginPath();
  ctx.moveTo(xOf(from), yOf(first));
  for (const [t, , , , { fits }] of game.events) ctx.lineTo(xOf(t), yOf(fits));
  ctx.stroke();
  return axes;
}

/** Marks on the slider what was refused, and the end. */
export function drawBricksTicks(canvas, game, from) {
  const colour = (side, paint) => paint[SIDES[side]] ?? paint.ink;
  drawMarkedTrack(canvas, game, from, [...game.ofKind.refusal, ...game.ofKind.end], ([, kind, player, { winner }], paint) =>
    ({ colour: colour(kind === "end" ? winner : player, paint), start: 0, end: 1 }));
}
