// The way home over time, and the marks beside the slider.

import { fitCanvas, readPaint, TEXT_FONT } from "../../shell/paint.js";
import { SIDES } from "../../shell/players.js";

const WAY_INSET = { left: 26, right: 10, top: 8, bottom: 17 };

/** How many fields a player is away from its home. */
const away = (game, player, moment) => {
  const home = game.start.picture.homes[player], place = moment.places[player];
  return Math.abs(home[0] - place[0]) + Math.abs(home[1] - place[1]);
};

/** Draws how far each player was from its home when; how moments and places of the canvas belong together. */
export function drawAway(canvas, game, from) {
  const paint = readPaint(), { clientWidth: width, clientHeight: height } = canvas;
  const ctx = fitCanvas(canvas, width, height);
  const to = Math.max(from + 1000, game.duration), { columns, rows } = game.start.picture, most = Math.max(1, columns + rows - 2);
  const xOf = (t) => WAY_INSET.left + ((t - from) / (to - from)) * (width - WAY_INSET.left - WAY_INSET.right);
  const yOf = (fields) => height - WAY_INSET.bottom - (fields / most) * (height - WAY_INSET.top - WAY_INSET.bottom);
  ctx.font = `11px ${TEXT_FONT}`;
  ctx.fillStyle = paint.muted;
  ctx.strokeStyle = paint.grid;
  ctx.lineWidth = 1;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  for (const fields of [0, most]) {
    const y = Math.round(yOf(fields)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(WAY_INSET.left, y);
    ctx.lineTo(width - WAY_INSET.right, y);
    ctx.stroke();
    ctx.fillText(String(fields), WAY_INSET.left - 6, y);
  }
  SIDES.forEach((side, player) => {
    ctx.strokeStyle = paint[side];
    ctx.lineWidth = 2;
    ctx.setLineDash(player ? [6, 3] : []);
    ctx.beginPath();
    let fields = away(game, player, game.start.picture);
    ctx.moveTo(xOf(from), yOf(fields));
    for (const [t, , , , moment] of game.events) {
      ctx.lineTo(xOf(t), yOf(fields));
      fields = away(game, player, moment);
      ctx.lineTo(xOf(t), yOf(fields));
    }
    ctx.lineTo(xOf(to), yOf(fields));
    ctx.stroke();
  });
  ctx.setLineDash([]);
  const tOf = (x) => from + ((x - WAY_INSET.left) / (width - WAY_INSET.left - WAY_INSET.right)) * (to - from);
  return { xOf, tOf };
}

/** Marks on the slider the rides on conveyors. */
export function drawRides(canvas, game, from) {
  const paint = readPaint(), { clientWidth: width, clientHeight: height } = canvas;
  const ctx = fitCanvas(canvas, width, height), inset = 7, span = Math.max(1, game.duration - from);
  ctx.fillStyle = paint.grid;
  ctx.beginPath();
  ctx.roundRect(inset, height / 2 - 3, width - 2 * inset, 6, 3);
  ctx.fill();
  for (const index of game.ofKind.carried) {
    const [t, , player] = game.events[index], x = inset + ((t - from) / span) * (width - 2 * inset);
    ctx.fillStyle = paint[SIDES[player]];
    ctx.fillRect(x - 1, player ? height / 2 + 3 : height / 2 - 8, 2, 5);
  }
}
