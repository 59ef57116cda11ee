// Agents on the board.

import { EITHER, EMPTY } from "../model/terms.js";
import { easeOut, TEXT_FONT } from "../../../shell/paint.js";
import { agentShape, crown, drawPiece } from "./shapes.js";

/** How long a move is shown, in milliseconds of wall time. */
const GLIDE_MS = 260;

/** Where an agent is drawn: on its way for a moment after a move. */
export function spot(scene, agent) {
  const { world, t, speed, motion, game } = scene;
  const glide = Math.min(GLIDE_MS * Math.max(1, speed), Math.max(120, game.start.penalties.move ?? 0));
  const part = motion ? (t - world.movedAt[agent]) / glide : 1;
  const [x, y] = [world.x[agent], world.y[agent]];
  if (part >= 1 || part < 0) return [x + 0.5, y + 0.5];
  const gone = easeOut(part);
  const [fromX, fromY] = [world.beforeX[agent], world.beforeY[agent]];
  return [fromX + (x - fromX) * gone + 0.5, fromY + (y - fromY) * gone + 0.5];
}

/** The pixels of a side of a field from which on the number stands on the agent, and from which on beside it. */
const NUMBER_ON = 16;
const NUMBER_BESIDE = 6;

/** Where an agent is on the stage, and how large; nothing if it is not there. */
function place(view, scene, agent) {
  const { scale } = view.camera;
  let [cx, cy] = view.toStage(...spot(scene, agent));
  const radius = Math.max(4, scale * (scale < NUMBER_ON ? 0.43 : 0.38));
  if (cx < -radius * 2 || cy < -radius * 2 || cx > view.width + radius * 2 || cy > view.height + radius * 2) return null;
  const refused = scene.refused.get(agent);
  if (refused !== undefined && scene.motion) cx += Math.sin(refused * 22) * scale * 0.08 * (1 - refused);
  return { cx, cy, radius };
}

/** An agent with its team, lock and load. */
export function drawAgent(view, ctx, scene, agent) {
  const { paint, camera: { scale } } = view;
  const { world, t } = scene;
  const { team } = scene.game.start.agents[agent];
  const number = scene.game.numberOf(agent);
  const placed = place(view, scene, agent);
  if (!placed) return;
  const { cx, cy, radius } = placed;
  if (agent === scene.selected) {
    ctx.strokeStyle = paint.accent;
    ctx.lineWidth = Math.max(2, scale * 0.07);
    ctx.beginPath();
    ctx.arc(cx, cy, radius * 1.62, 0, 7);
    ctx.stroke();
  }
  ctx.fillStyle = paint[team];
  ctx.strokeStyle = paint.surface;
  ctx.lineWidth = Math.max(1, scale * 0.05);
  agentShape(ctx, team, cx, cy, radius);
  ctx.fill();
  ctx.stroke();
  if (scale >= NUMBER_ON) {
    ctx.fillStyle = paint["on-team"];
    ctx.font = `700 ${Math.max(8, radius * (number > 99 ? 0.75 : 1.05))}px ${TEXT_FONT}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillText(String(number), cx, cy + radius * 0.06);
  }
  const left = world.lockedUntil[agent] - t, whole = world.lockedUntil[agent] - world.lockedAt[agent];
  if (left > 0 && whole > 0 && scale >= 6) {
    ctx.lineWidth = Math.max(1.5, scale * 0.075);
    ctx.strokeStyle = paint.ink;
    ctx.globalAlpha = 0.14;
    ctx.beginPath();
    ctx.arc(cx, cy, radius * 1.32, 0, 7);
    ctx.stroke();
    ctx.globalAlpha = 0.8;
    ctx.beginPath();
    ctx.arc(cx, cy, radius * 1.32, -Math.PI / 2, -Math.PI / 2 + Math.PI * 2 * Math.min(1, left / whole));
    ctx.stroke();
    ctx.globalAlpha = 1;
  }
  if (world.hand[agent] !== EMPTY) {
    // The team does not see what kind a piece is; a viewer of everything does.
    const hand = scene.view === "truth" ? world.hand[agent] : EITHER;
    drawPiece(ctx, paint, cx + radius * 0.95, cy + radius * 0.85, Math.max(2.5, radius * 0.62), hand);
  }
}

/** The leader's mark, and the number of an agent that is too small to be written on: over all agents. */
export function drawMarks(view, ctx, scene, agent) {
  const { paint, camera: { scale } } = view;
  const placed = place(view, scene, agent);
  if (!placed) return;
  const { cx, cy, radius } = placed;
  const { leader } = scene.game.start.agents[agent];
  if (scale >= NUMBER_ON) {
    if (leader) crown(ctx, paint, cx, cy - radius * 1.2, radius * 0.72);
    return;
  }
  if (leader && scale >= NUMBER_BESIDE) crown(ctx, paint, cx - radius - 1.5, cy - radius - 1, 5);
  if (scale < NUMBER_BESIDE && agent !== scene.selected) return;
  ctx.font = `650 ${scale < 8 ? 8.5 : 9.5}px ${TEXT_FONT}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  ctx.lineWidth = 2.5;
  ctx.strokeStyle = paint.surface;
  ctx.fillStyle = paint.ink;
  const number = String(scene.game.numberOf(agent));
  ctx.strokeText(number, cx + radius * 0.9, cy - radius * 0.3);
  ctx.fillText(number, cx + radius * 0.9, cy - radius * 0.3);
}
