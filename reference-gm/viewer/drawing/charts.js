// Points over time, and who did what when.

import { clockText, STRETCHES, TEAMS } from "../model/terms.js";
import { fitCanvas, TEXT_FONT } from "./paint.js";
import { agentShape } from "./shapes.js";

/** Points over time, as two lines of steps. */
export function drawCourse(canvas, paint, game, from, to, upTo, { labels = true } = {}) {
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const ctx = fitCanvas(canvas, width, height);
  const most = Math.max(1, ...game.course.map(([, red, blue]) => Math.max(red, blue)));
  const inset = { left: GUTTER, right: 10, top: 8, bottom: labels ? 18 : 6 };
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
  if (labels) {
    ctx.textBaseline = "top";
    for (const t of roundTimes(from, to, Math.max(2, width / 110))) {
      ctx.fillStyle = paint.muted;
      ctx.textAlign = xOf(t) > width - 26 ? "right" : "center";
      ctx.fillText(clockText(t, false), xOf(t), height - inset.bottom + 5);
    }
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
  return { xOf, tOf: (x) => from + ((x - inset.left) / (width - inset.left - inset.right)) * (to - from) };
}

/** The room left of the charts for their labels. */
const GUTTER = 44;
export const GANTT_ROW = 14;

/** Who did what when: a line for each agent. Height tells the stretches apart as well as colour. */
export function drawGantt(canvas, paint, game, from, to, selected) {
  const width = canvas.clientWidth, agents = game.start.agents, height = agents.length * GANTT_ROW + 2;
  canvas.style.height = `${height}px`;
  const ctx = fitCanvas(canvas, width, height);
  const right = width - 10;
  const xOf = (t) => GUTTER + ((t - from) / Math.max(1, to - from)) * (right - GUTTER);
  ctx.font = `11px ${TEXT_FONT}`;
  ctx.textBaseline = "middle";
  const shapes = [[1.5, GANTT_ROW - 4], [4, GANTT_ROW - 9], [GANTT_ROW - 6, 4]];
  const end = Math.min(to, game.clock);
  agents.forEach(({ id, team, leader }) => {
    const top = id * GANTT_ROW + 1;
    if (id === selected) {
      ctx.fillStyle = paint.grid;
      ctx.fillRect(0, top - 0.5, width, GANTT_ROW);
    }
    ctx.fillStyle = paint[team];
    agentShape(ctx, team, 10, top + GANTT_ROW / 2 - 0.5, 4.5);
    ctx.fill();
    ctx.fillStyle = paint.ink;
    ctx.textAlign = "left";
    ctx.font = `${leader ? 700 : 400} 11px ${TEXT_FONT}`;
    ctx.fillText(String(game.numberOf(id)), 19, top + GANTT_ROW / 2);
    ctx.fillStyle = paint.waiting;
    ctx.fillRect(xOf(from), top + GANTT_ROW / 2 - 1, Math.max(0, xOf(end) - xOf(from)), 1);
    const line = game.stretches[id];
    let first = 0, beyond = line.from.length;
    while (first < beyond) {
      const middle = (first + beyond) >> 1;
      if (line.to[middle] < from) first = middle + 1;
      else beyond = middle;
    }
    // Stretches thinner than a pixel blend, which shows the share of each.
    STRETCHES.forEach((name, kind) => {
      const [down, tall] = shapes[kind];
      ctx.fillStyle = paint[name];
      for (let place = first; place < line.from.length && line.from[place] < to; place++) {
        if (line.kind[place] !== kind) continue;
        const start = Math.max(GUTTER, xOf(line.from[place])), stop = Math.min(right, xOf(Math.min(line.to[place], end)));
        if (stop > start) ctx.fillRect(start, top + down, stop - start, tall);
      }
    });
    const shams = game.shams[id];
    ctx.fillStyle = paint.sham;
    for (let place = 0; place < shams.from.length; place++) {
      const start = Math.max(GUTTER, xOf(shams.from[place])), stop = Math.min(right, xOf(Math.min(shams.to[place], end)));
      if (stop > start) ctx.fillRect(start, top + GANTT_ROW - 3, Math.max(1, stop - start), 2);
    }
  });
  return { xOf, tOf: (x) => from + ((x - GUTTER) / (right - GUTTER)) * (to - from) };
}

/** Round moments for the labels of an axis, at most about so many. */
function roundTimes(from, to, most) {
  const steps = [1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000, 900000, 1800000, 3600000];
  const step = steps.find((one) => (to - from) / one <= most) ?? 7200000;
  const times = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) times.push(t);
  return times;
}
