// The chart of a game of turns: what is counted over its moves; and the track of marks behind the slider.

import { movesAt } from "./clock.js";
import { fitCanvas, readPaint, TEXT_FONT } from "./paint.js";
import { SIDES } from "./players.js";

/** The least time between two drawings of the charts of a live game that grows, in milliseconds. */
export const CHARTS_EVERY_MS = 900;

/** Space beside and below the lines of a chart. */
const COURSE_RIGHT = 10, COURSE_TOP = 8, COURSE_BOTTOM = 17;

/** Moves between two numbers below a chart. */
const COURSE_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000];

/** The most numbers below a chart. */
const COURSE_NUMBERS = 10;

/** Draws the axes: values from 0 to `most`, with a line and a number at those that are `marked`, for which there are `left`
 * pixels; and the numbers of moves, unless `numbersMoves` is false. What a room needs to draw its lines: the drawing context,
 * the paint, and how moments and values belong to places. */
export function drawAxes(canvas, game, from, { left, most, marked, numbersMoves = true }) {
  const paint = readPaint(), { clientWidth: width, clientHeight: height } = canvas;
  const ctx = fitCanvas(canvas, width, height);
  const to = Math.max(from + 1000, game.duration), inner = width - left - COURSE_RIGHT;
  const xOf = (t) => left + ((t - from) / (to - from)) * inner;
  const tOf = (x) => from + ((x - left) / inner) * (to - from);
  const yOf = (value) => height - COURSE_BOTTOM - (value / most) * (height - COURSE_TOP - COURSE_BOTTOM);
  ctx.font = `11px ${TEXT_FONT}`;
  ctx.fillStyle = paint.muted;
  ctx.strokeStyle = paint.grid;
  ctx.lineWidth = 1;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  for (const value of marked) {
    const y = Math.round(yOf(value)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(left, y);
    ctx.lineTo(width - COURSE_RIGHT, y);
    ctx.stroke();
    ctx.fillText(String(value), left - 6, y);
  }
  if (numbersMoves) {
    ctx.textBaseline = "alphabetic";
    const [first, last] = [from, to].map(movesAt);
    const step = COURSE_STEPS.find((one) => (last - first) / one <= COURSE_NUMBERS) ?? COURSE_STEPS.at(-1);
    for (let move = Math.ceil(first / step) * step; move <= last; move += step) {
      ctx.textAlign = move === first ? "left" : "center";
      ctx.fillText(String(move), xOf(move * 1000), height - 4);
    }
  }
  ctx.lineWidth = 2;
  return { ctx, paint, from, to, xOf, tOf, yOf };
}

/** Draws between these axes a value of each player, which changes only with events: the second player's line is dashed.
 * `valueOf` says the value of a player in a state; a player whose value is null at the beginning has no line. */
export function drawSteps({ ctx, paint, from, to, xOf, yOf }, game, valueOf) {
  SIDES.forEach((side, player) => {
    let value = valueOf(player, game.start.picture);
    if (value === null) return;
    ctx.strokeStyle = paint[side];
    ctx.setLineDash(player ? [6, 3] : []);
    ctx.beginPath();
    ctx.moveTo(xOf(from), yOf(value));
    for (const [t, , , , behind] of game.events) {
      ctx.lineTo(xOf(t), yOf(value));
      value = valueOf(player, behind);
      ctx.lineTo(xOf(t), yOf(value));
    }
    ctx.lineTo(xOf(to), yOf(value));
    ctx.stroke();
  });
  ctx.setLineDash([]);
}

/** Draws the track of the slider. Returns what its marks need: the context, the middle, and places of moments. */
export function drawTrack(canvas, paint, game, from) {
  const { clientWidth: width, clientHeight: height } = canvas, ctx = fitCanvas(canvas, width, height);
  const inset = 7, span = Math.max(1, game.duration - from), middle = height / 2;
  ctx.fillStyle = paint.grid;
  ctx.beginPath();
  ctx.roundRect(inset, middle - 3, width - 2 * inset, 6, 3);
  ctx.fill();
  return { ctx, middle, xOf: (t) => inset + ((t - from) / span) * (width - 2 * inset) };
}

/** Draws the track of the slider, and marks of events on it: `mark` says the colour of an event, and which part of the
 * track's height the mark has, from 0 at the top to 1. */
export function drawMarkedTrack(canvas, game, from, indexes, mark) {
  const paint = readPaint(), { ctx, middle, xOf } = drawTrack(canvas, paint, game, from);
  for (const index of indexes) {
    const event = game.events[index], { colour, start, end } = mark(event, paint);
    ctx.fillStyle = colour;
    ctx.fillRect(xOf(event[0]) - 1, middle - 8 + 16 * start, 2, 16 * (end - start));
  }
}

/** The mark of an event of a player on the track: the first player's above, the second's below. */
export function sideMark([, , player], paint) {
  return { colour: paint[SIDES[player]], start: player ? 11 / 16 : 0, end: player ? 1 : 5 / 16 };
}

/** Lets a pointer on a chart choose the moment; `axesOf` returns the axes of the chart, or null before it is drawn. */
export function seekBy(canvas, time, axesOf) {
  const seek = (event) => {
    const axes = axesOf();
    if (!axes || (event.type === "pointermove" && !(event.buttons & 1))) return;
    time.playing = false;
    time.seek(axes.tOf(event.clientX - canvas.getBoundingClientRect().left));
  };
  canvas.addEventListener("pointerdown", seek);
  canvas.addEventListener("pointermove", seek);
}

/** Moves the cursor of a chart to a moment, to half pixels. It stays in the chart of a game that has grown since. */
export function placeCursorAt(cursor, { from, to, xOf }, t) {
  cursor.style.transform = `translateX(${Math.round(xOf(Math.max(from, Math.min(to, t))) * 2) / 2}px)`;
}
