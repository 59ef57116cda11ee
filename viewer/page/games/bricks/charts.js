// Moves left over time, and the marks beside the slider.

import { fitCanvas, readPaint, TEXT_FONT } from "../../shell/paint.js";
import { SIDES } from "../../shell/players.js";

const FITS_INSET = { left: 40, right: 10, top: 8, bottom: 17 };

/** Draws how many bricks fitted when; how moments and places of the canvas belong together. */
export function drawFits(canvas, game, from) {
  const paint = readPaint(), { clientWidth: width, clientHeight: height } = canvas;
  const ctx = fitCanvas(canvas, width, height);
  const to = Math.max(from + 1000, game.duration), most = Math.max(1, game.start.picture.fits);
  const xOf = (t) => FITS_INSET.left + ((t - from) / (to - from)) * (width - FITS_INSET.left - FITS_INSET.right);
  const yOf = (fits) => height - FITS_INSET.bottom - (fits / most) * (height - FITS_INSET.top - FITS_INSET.bottom);
  ctx.font = `11px ${TEXT_FONT}`;
  ctx.fillStyle = paint.muted;
  ctx.strokeStyle = paint.grid;
  ctx.lineWidth = 1;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  for (const fits of [0, most]) {
    const y = Math.round(yOf(fits)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(FITS_INSET.left, y);
    ctx.lineTo(width - FITS_INSET.right, y);
    ctx.stroke();
    ctx.fillText(String(fits), FITS_INSET.left - 6, y);
  }
  ctx.textBaseline = "alphabetic";
  const moves = Math.round((to - from) / 1000);
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000].find((one) => moves / one <= 10) ?? 100000;
  for (let move = 0; move <= moves; move += step) {
    ctx.textAlign = move === 0 ? "left" : "center";
    ctx.fillText(String(move), xOf(from + move * 1000), height - 4);
  }
  ctx.strokeStyle = paint.accent;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.moveTo(xOf(from), yOf(game.start.picture.fits));
  for (const [t, , , , { fits }] of game.events) ctx.lineTo(xOf(t), yOf(fits));
  ctx.stroke();
  const tOf = (x) => from + ((x - FITS_INSET.left) / (width - FITS_INSET.left - FITS_INSET.right)) * (to - from);
  return { xOf, tOf };
}

/** Marks on the slider what was refused, and the end. */
export function drawBricksTicks(canvas, game, from) {
  const paint = readPaint(), { clientWidth: width, clientHeight: height } = canvas;
  const ctx = fitCanvas(canvas, width, height);
  const inset = 7, span = Math.max(1, game.duration - from);
  ctx.fillStyle = paint.grid;
  ctx.beginPath();
  ctx.roundRect(inset, height / 2 - 3, width - 2 * inset, 6, 3);
  ctx.fill();
  for (const index of [...game.ofKind.refusal, ...game.ofKind.end]) {
    const [t, kind, player, about] = game.events[index], x = inset + ((t - from) / span) * (width - 2 * inset);
    ctx.fillStyle = paint[SIDES[kind === "end" ? about.winner : player]] ?? paint.ink;
    ctx.fillRect(x - 1, height / 2 - 8, 2, 16);
  }
}
