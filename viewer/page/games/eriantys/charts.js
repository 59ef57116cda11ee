// The towers of each team over time, and the marks behind the slider.

import { drawAxes, drawMarkedTrack } from "../../shell/course.js";

/** The line of each team: its colour, and its dashes. */
const TEAM_LINES = [["ink", []], ["accent", [7, 4]], ["muted", [2, 3]]];

/** Draws how many towers each team had built when; how moments and places of the canvas belong together. */
export function drawTowers(canvas, game, from) {
  const { towers } = game.start.picture;
  const axes = drawAxes(canvas, game, from, { left: 26, most: towers, marked: [0, towers / 2, towers] });
  const { ctx, paint, to, xOf, yOf } = axes;
  for (const team of game.teams) {
    const [colour, dashes] = TEAM_LINES[team], yOfTeam = ({ towersLeft }) => yOf(towers - towersLeft[team]);
    let y = yOfTeam(game.start.picture);
    ctx.strokeStyle = paint[colour];
    ctx.setLineDash(dashes);
    ctx.beginPath();
    ctx.moveTo(xOf(from), y);
    for (const [t, , , , table] of game.events) {
      ctx.lineTo(xOf(t), y);
      y = yOfTeam(table);
      ctx.lineTo(xOf(t), y);
    }
    ctx.lineTo(xOf(to), y);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  return axes;
}

/** Marks on the slider the islands that were conquered, each team's at its own height, and rounds across the track. */
export function drawConquests(canvas, game, from) {
  const part = 1 / game.teams.length;
  drawMarkedTrack(canvas, game, from, [...game.ofKind.round, ...game.ofKind.conquered], ([, kind, , { team }], paint) =>
    (kind === "round" ? { colour: paint.edge, start: 0, end: 1 } : { colour: paint[TEAM_LINES[team][0]], start: team * part, end: (team + 1) * part }));
}
