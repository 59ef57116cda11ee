// Points over time, and who did what when.

import { clockText } from "../../../shell/clock.js";
import { lowerBound } from "../../../shell/search.js";
import { STRETCHES, TEAMS } from "../model/terms.js";
import { fitCanvas, TEXT_FONT } from "../../../shell/paint.js";
import { agentShape } from "./shapes.js";

/** Points over time, as two lines of steps. */
export function drawCourse(canvas, paint, game, from, to, upTo) {
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const ctx = fitCanvas(canvas, width, height);
  const most = Math.max(1, ...game.course.map(([, red, blue]) => Math.max(red, blue)));
  const inset = { left: GUTTER, right: 10, top: 8, bottom: 18 };
  const xOf = (t) => inset.left + ((t - from) / Math.max(1, to - from)) * (width - inset.left - inset.right);
  const yOf = (points) => height - inset.bottom - (points / most) * (height - inset.top - inset.bottom);
  ctx.font = `11px ${TEXT_FONT}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  ctx.lineWidth = 1;
  const every = Math.max(1, Math.ceil(most / Math.max(1, Math.floor((height - inset.top - inset.bottom) / 18))));
  for (let points = 0; points <= most; points += every) {
    ctx.strokeStyle = paint.grid;
    ctx.beginPath();
    ctx.moveTo(inset.left, yOf(points));
    ctx.lineTo(width - inset.right, yOf(points));
    ctx.stroke();
    ctx.fillStyle = paint.muted;
    ctx.fillText(String(points), inset.left - 6, yOf(points));
  }
  ctx.textBaseline = "top";
  for (const t of roundTimes(from, to, Math.max(2, width / 110))) {
    ctx.fillStyle = paint.muted;
    ctx.textAlign = xOf(t) > width - 26 ? "right" : "center";
    ctx.fillText(clockText(t, false), xOf(t), height - inset.bottom + 5);
  }
  ctx.save();
  ctx.beginPath();
  // With room for half a mark at both ends.
  ctx.rect(inset.left - 4, 0, width - inset.left - inset.right + 8, height);
  ctx.clip();
  TEAMS.forEach((team, place) => {
    // Equal lines would hide each other: blue's lies a pixel lower, and is dashed where they could meet.
    const nudge = place * 1.5;
    ctx.strokeStyle = paint[team];
    ctx.lineWidth = 2.2;
    ctx.setLineDash(place ? [7, 3] : []);
    ctx.beginPath();
    let last = 0;
    ctx.moveTo(xOf(0), yOf(0) + nudge);
    for (const entry of game.course) {
      if (entry[0] > upTo) break;
      ctx.lineTo(xOf(entry[0]), yOf(last) + nudge);
      last = entry[1 + place];
      ctx.lineTo(xOf(entry[0]), yOf(last) + nudge);
    }
    ctx.lineTo(xOf(upTo), yOf(last) + nudge);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = paint[team];
    let before = 0;
    for (const entry of game.course) {
      if (entry[0] > upTo || entry[1 + place] === before) continue;
      before = entry[1 + place];
      agentShape(ctx, team, xOf(entry[0]), yOf(before) + nudge, 3.2);
      ctx.fill();
    }
  });
  ctx.restore();
  return { from, to, xOf, tOf: (x) => from + ((x - inset.left) / (width - inset.left - inset.right)) * (to - from) };
}

/** The room left of the charts for their labels. */
const GUTTER = 44;
export const GANTT_ROW = 14;

/** Where the stretches of each kind lie in a row, and how tall they are: height tells them apart as well as colour. */
const STRETCH_SHAPES = [[1.5, GANTT_ROW - 4], [4, GANTT_ROW - 9], [GANTT_ROW - 6, 4]];

/** Who did what when: a line for each agent that is seen. */
export function drawGantt(canvas, paint, game, from, to, sight) {
  const agents = game.start.agents.filter(({ id }) => sight.has(id));
  const width = canvas.clientWidth, height = agents.length * GANTT_ROW + 2;
  canvas.style.height = `${height}px`;
  const ctx = fitCanvas(canvas, width, height);
  const right = width - 10;
  const xOf = (t) => GUTTER + ((t - from) / Math.max(1, to - from)) * (right - GUTTER);
  const end = Math.min(to, game.clock);
  const within = (t) => Math.max(GUTTER, Math.min(right, xOf(Math.min(t, end))));
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  agents.forEach(({ id, team, leader }, row) => {
    const top = row * GANTT_ROW + 1;
    ctx.fillStyle = paint[team];
    agentShape(ctx, team, 10, top + GANTT_ROW / 2 - 0.5, 4.5);
    ctx.fill();
    ctx.fillStyle = paint.ink;
    ctx.font = `${leader ? 700 : 400} 11px ${TEXT_FONT}`;
    ctx.fillText(String(game.numberOf(id)), 19, top + GANTT_ROW / 2);
    ctx.fillStyle = paint.waiting;
    ctx.fillRect(xOf(from), top + GANTT_ROW / 2 - 1, within(game.head.leftAt[id]) - xOf(from), 1);
  });
  drawStretches(ctx, canvas.width, canvas.width / width, paint, agents.map(({ id }) => game.stretches[id]), from, to, within);
  // Who carries a sham does not know it.
  ctx.fillStyle = paint.sham;
  agents.forEach(({ id }, row) => {
    const shams = game.shams[id];
    for (let place = 0; sight.isWhole && place < shams.from.length; place++) {
      const start = within(shams.from[place]), stop = within(shams.to[place]);
      if (stop > start) ctx.fillRect(start, row * GANTT_ROW + GANTT_ROW - 2, Math.max(1, stop - start), 2);
    }
  });
  return {
    from, to, xOf, tOf: (x) => from + ((x - GUTTER) / (right - GUTTER)) * (to - from),
    agentAt: (y) => agents[Math.floor((y - 1) / GANTT_ROW)]?.id ?? -1,
    rowOf: (agent) => agents.findIndex(({ id }) => id === agent),
  };
}

/** The stretches of all lines. A long game has a hundred thousand of them, most thinner than a pixel, so each
 * kind is painted as a picture in which a pixel is as strong as the share of its time that the kind takes.
 */
function drawStretches(ctx, across, ratio, paint, lines, from, to, xOf) {
  if (!across || !lines.length) return;
  const shares = STRETCHES.map(() => new Float32Array(across * lines.length));
  lines.forEach((line, row) => {
    for (let place = lowerBound(line.from.length, (one) => line.to[one] < from); line.from[place] < to; place++) {
      const start = xOf(line.from[place]) * ratio, stop = xOf(line.to[place]) * ratio;
      const into = shares[line.kind[place]], base = row * across;
      for (let pixel = Math.floor(start); pixel < stop; pixel++) {
        into[base + pixel] += Math.min(stop, pixel + 1) - Math.max(start, pixel);
      }
    }
  });
  const picture = document.createElement("canvas");
  picture.width = across;
  picture.height = lines.length;
  const brush = picture.getContext("2d");
  ctx.imageSmoothingEnabled = false;
  STRETCHES.forEach((name, kind) => {
    const pixels = new ImageData(across, lines.length);
    shares[kind].forEach((share, place) => { if (share > 0) pixels.data[place * 4 + 3] = share * 255; });
    brush.globalCompositeOperation = "source-over";
    brush.putImageData(pixels, 0, 0);
    brush.globalCompositeOperation = "source-in";
    brush.fillStyle = paint[name];
    brush.fillRect(0, 0, across, lines.length);
    const [down, tall] = STRETCH_SHAPES[kind];
    lines.forEach((_, row) => {
      ctx.drawImage(picture, 0, row, across, 1, 0, row * GANTT_ROW + 1 + down, across / ratio, tall);
    });
  });
}

/** Round moments for the labels of an axis, at most about `most`. */
function roundTimes(from, to, most) {
  const steps = [1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000, 900000, 1800000, 3600000];
  const step = steps.find((one) => (to - from) / one <= most) ?? 7200000;
  const times = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) times.push(t);
  return times;
}
