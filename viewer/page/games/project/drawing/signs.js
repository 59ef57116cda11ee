// What has just happened: signs that fade, arcs between agents, and the drawings of strategies.

import { VERDICTS } from "../model/terms.js";
import { easeOut, TEXT_FONT } from "../../../shell/paint.js";
import { TOLD_SIGN, VERDICT_DASHES, VERDICT_SIGNS } from "./verdicts.js";
import { cross, remarkField, remarkLine } from "./shapes.js";

/** How long signs of an event stay on the board, in milliseconds of wall time. */
const SIGN_MS = 700;
const ARC_MS = 1500;

/** They stay longer on the game's clock where it runs faster, but not longer than this many times: else they would
 * tell of what is long past. */
const MOST_PACE = 8;

/** At high speed the signs of thousands of events would overlap: only this number of the last ones is looked at. */
const MOST_SIGNS = 300;

/** The signs of what has just happened, youngest last. */
export function drawSigns(view, ctx, scene) {
  const { game, world, t } = scene;
  const pace = Math.min(MOST_PACE, Math.max(1, scene.speed));
  scene.refused = new Map();
  const oldest = t - ARC_MS * pace;
  let index = world.applied - 1;
  const stop = Math.max(0, world.applied - MOST_SIGNS);
  while (index >= stop && game.events[index][0] > oldest) index--;
  for (index++; index < world.applied; index++) {
    const event = game.events[index];
    const age = (t - event[0]) / pace;
    if (event[1] === "asked-again" || event[1] === "note" || event[1] === "over") continue;
    if (!scene.sight.sees(index)) continue;
    if (event[1] === "asked" || event[1] === "answered") drawExchange(view, ctx, scene, event, index, age / ARC_MS);
    else if (age < SIGN_MS) drawSign(view, ctx, scene, event, index, age / SIGN_MS);
  }
}

/** The middle of a field on the stage. */
function middleOf(view, field) {
  const { columns } = view.board;
  return view.toStage((field % columns) + 0.5, Math.floor(field / columns) + 0.5);
}

/** The sign of one event, where it happened; `part` of its time has passed. */
function drawSign(view, ctx, scene, event, index, part) {
  const { paint, camera: { scale } } = view;
  const [, word, agent] = event;
  if (word === "refused") scene.refused.set(agent, part);
  const [cx, cy] = middleOf(view, scene.game.fields[index]);
  const grown = scene.motion ? easeOut(part) : 0.5;
  const fade = 1 - part ** 2;
  const ring = (colour, from, to, width = 0.08) => {
    ctx.strokeStyle = colour;
    ctx.lineWidth = Math.max(1.2, scale * width);
    ctx.beginPath();
    ctx.arc(cx, cy, Math.max(3, scale * (from + (to - from) * grown)), 0, 7);
    ctx.stroke();
  };
  const say = (text, colour) => {
    ctx.fillStyle = colour;
    const size = Math.max(11, Math.min(20, scale * 0.5));
    ctx.font = `700 ${size}px ${TEXT_FONT}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.lineWidth = 3;
    ctx.strokeStyle = paint.surface;
    // At the edges of the stage it keeps inside.
    const half = ctx.measureText(text).width / 2 + 3;
    const across = Math.max(half, Math.min(view.width - half, cx));
    const at = Math.max(size * 0.6 + 3, cy - Math.max(10, scale * (0.55 + (scene.motion ? 0.45 * grown : 0.2))));
    ctx.strokeText(text, across, at);
    ctx.fillText(text, across, at);
  };
  ctx.globalAlpha = fade;
  switch (word) {
    case "discovered":
      ctx.fillStyle = paint.accent;
      ctx.globalAlpha = fade * 0.22;
      ctx.fillRect(cx - scale * 1.5 * grown, cy - scale * 1.5 * grown, scale * 3 * grown, scale * 3 * grown);
      ctx.globalAlpha = fade;
      break;
    case "picked-up": case "landed": ring(paint.piece, 0.9, 0.35); break;
    case "put":
      if (event[3] === "on-goal") {
        const colour = paint[scene.game.start.agents[agent].team];
        ring(colour, 0.3, 2.2, 0.16);
        ring(colour, 0.2, 1.4);
        say("+1", colour);
      } else {
        ring(paint.ink, 0.3, 0.95);
        if (event[3] !== "on-task-field") say(event[3] === "was-sham" ? "sham" : "no goal", paint.muted);
      }
      break;
    case "checked": say(event[3] ? "sham" : "real", event[3] ? paint.sham : paint.honest); break;
    case "destroyed": ring(paint.sham, 0.3, 0.8); break;
    case "appeared": ring(paint.piece, 1.3, 0.3, 0.05); break;
    case "left": say("gone", paint.muted); break;
    case "refused":
      ctx.strokeStyle = paint.blocked;
      ctx.lineWidth = Math.max(1.5, scale * 0.08);
      cross(ctx, cx + scale * 0.38, cy - scale * 0.38, Math.max(2.5, scale * 0.14));
      break;
  }
  ctx.globalAlpha = 1;
}

/** A question is a dotted arc; an answer an arc in the colour, dashes and sign of its worth, for who knows that.
 *
 * Who does not know where the other one is sees a short arrow, with that one's number.
 */
function drawExchange(view, ctx, scene, event, index, part) {
  if (part >= 1) return;
  const { paint, camera: { scale } } = view;
  const { game, sight } = scene;
  const [, , to, by] = event;
  let start = middleOf(view, game.fields[index]), end = middleOf(view, game.otherFields.get(index));
  const length = Math.max(30, scale * 1.6), stranger = !sight.has(to) ? to : !sight.has(by) ? by : -1;
  if (stranger === to) end = [start[0] + length, start[1] - length * 0.6];
  else if (stranger === by) start = [end[0] + length, end[1] - length * 0.6];
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
  const bend = 0.22;
  const middle = [(start[0] + end[0]) / 2 - dy * bend, (start[1] + end[1]) / 2 + dx * bend];
  const answered = event[1] === "answered";
  const judged = answered && sight.isWhole;
  const worth = judged ? game.verdicts.get(index).worth : 0;
  const colour = judged ? paint[VERDICTS[worth]] : answered ? paint.accent : paint.muted;
  const reach = scene.motion ? Math.min(1, easeOut(part * 2.5)) : 1;
  const at = (place) => {
    const rest = 1 - place;
    return [0, 1].map((axis) =>
      rest * rest * start[axis] + 2 * rest * place * middle[axis] + place * place * end[axis]);
  };
  ctx.globalAlpha = Math.min(1, 2 - part * 2);
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = answered ? Math.max(2, Math.min(4, scale * 0.1)) : 1.5;
  ctx.setLineDash(answered ? VERDICT_DASHES[worth] : [2, 5]);
  ctx.beginPath();
  ctx.moveTo(...start);
  for (let place = 0.05; place <= reach; place += 0.05) ctx.lineTo(...at(place));
  ctx.lineTo(...at(reach));
  ctx.stroke();
  ctx.setLineDash([]);
  const [tx, ty] = at(reach), [bx, by2] = at(Math.max(0, reach - 0.04));
  const angle = Math.atan2(ty - by2, tx - bx), head = Math.max(6, Math.min(11, scale * 0.28));
  ctx.beginPath();
  ctx.moveTo(tx, ty);
  ctx.lineTo(tx - head * Math.cos(angle - 0.45), ty - head * Math.sin(angle - 0.45));
  ctx.lineTo(tx - head * Math.cos(angle + 0.45), ty - head * Math.sin(angle + 0.45));
  ctx.fill();
  const [sx, sy] = at(0.5);
  if (reach > 0.5) {
    ctx.beginPath();
    ctx.arc(sx, sy, 9, 0, 7);
    ctx.fill();
    ctx.fillStyle = paint.surface;
    ctx.font = `700 12px ${TEXT_FONT}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillText(judged ? VERDICT_SIGNS[worth] : answered ? TOLD_SIGN : "?", sx, sy + 0.5);
    if (stranger >= 0) {
      const [x, y] = stranger === to ? end : start, number = String(game.numberOf(stranger));
      ctx.font = `650 11px ${TEXT_FONT}`;
      ctx.textAlign = "left";
      ctx.lineWidth = 3;
      ctx.strokeStyle = paint.surface;
      ctx.fillStyle = paint.ink;
      ctx.strokeText(number, x + 4, y);
      ctx.fillText(number, x + 4, y);
    }
  }
  ctx.globalAlpha = 1;
}

/** The drawing that the selected agent's strategy made last. */
export function drawRemark(view, ctx, scene) {
  const index = scene.world.remark[scene.selected];
  if (index < 0) return;
  const { paint, camera: { scale } } = view;
  ctx.strokeStyle = ctx.fillStyle = paint.accent;
  ctx.lineWidth = Math.max(1.5, scale * 0.06);
  for (const shape of scene.game.events[index][3].shapes ?? []) {
    if (shape.field) {
      const [left, top] = view.toStage(shape.field[0], shape.field[1] + 1);
      remarkField(ctx, paint.accent, left, top, scale);
    } else if (shape.line) {
      const [x, y, toX, toY] = shape.line;
      remarkLine(ctx, paint.accent, view.toStage(x + 0.5, y + 0.5), view.toStage(toX + 0.5, toY + 0.5));
    } else if (shape.label) {
      const [x, y, text] = shape.label;
      const [cx, cy] = view.toStage(x + 0.5, y + 1);
      ctx.font = `600 12px ${TEXT_FONT}`;
      ctx.textAlign = "center";
      ctx.textBaseline = "bottom";
      ctx.lineWidth = 3;
      ctx.strokeStyle = paint.surface;
      ctx.strokeText(text, cx, cy - 3);
      ctx.fillText(text, cx, cy - 3);
      ctx.strokeStyle = paint.accent;
      ctx.lineWidth = Math.max(1.5, scale * 0.06);
    }
  }
}
