// The way home over time, and the marks behind the slider.

import { drawAxes, drawMarkedTrack, drawSteps, sideMark } from "../../shell/course.js";

/** Draws how many fields each player was from its home when; how moments and places of the canvas belong together. */
export function drawAway(canvas, game, from) {
  const { columns, rows, homes } = game.start.picture, most = Math.max(1, columns + rows - 2);
  const axes = drawAxes(canvas, game, from, { left: 26, most, marked: [0, most], numbersMoves: false });
  const away = ([homeColumn, homeRow], [column, row]) => Math.abs(homeColumn - column) + Math.abs(homeRow - row);
  drawSteps(axes, game, (player, { places }) => homes[player] && away(homes[player], places[player]));
  return axes;
}

/** Marks on the slider the rides on conveyors. */
export function drawRides(canvas, game, from) {
  drawMarkedTrack(canvas, game, from, game.ofKind.carried, sideMark);
}
