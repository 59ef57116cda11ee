// Boxes over time, and the marks behind the slider.

import { drawAxes, drawMarkedTrack, drawSteps, sideMark } from "../../shell/course.js";

/** Draws how many boxes each player had when; how moments and places of the canvas belong together. */
export function drawBoxes(canvas, game, from) {
  const { rows, columns } = game.start.picture, half = Math.ceil((rows - 1) * (columns - 1) / 2);
  const most = Math.max(1, half, ...game.events.flatMap(([, , , , { points }]) => points));
  const axes = drawAxes(canvas, game, from, { left: 26, most, marked: [0, half] });
  drawSteps(axes, game, (player, { points }) => points[player]);
  return axes;
}

/** Marks on the slider the moves that took boxes. */
export function drawTicks(canvas, game, from) {
  drawMarkedTrack(canvas, game, from, game.ofKind.box, sideMark);
}
