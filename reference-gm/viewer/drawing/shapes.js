// The signs for agents, pieces and goals.

import { SHAM } from "../model/terms.js";

export function diamond(ctx, cx, cy, size) {
  ctx.beginPath();
  ctx.moveTo(cx, cy - size);
  ctx.lineTo(cx + size, cy);
  ctx.lineTo(cx, cy + size);
  ctx.lineTo(cx - size, cy);
  ctx.closePath();
}

export function cross(ctx, cx, cy, size) {
  ctx.beginPath();
  ctx.moveTo(cx - size, cy - size);
  ctx.lineTo(cx + size, cy + size);
  ctx.moveTo(cx + size, cy - size);
  ctx.lineTo(cx - size, cy + size);
  ctx.stroke();
}

export function agentShape(ctx, team, cx, cy, radius) {
  ctx.beginPath();
  if (team === "red") ctx.roundRect(cx - radius * 0.92, cy - radius * 0.92, radius * 1.84, radius * 1.84, radius * 0.32);
  else ctx.arc(cx, cy, radius, 0, 7);
}

/** A real piece is a filled hexagon, a sham a hollow one that is struck through, one of unknown kind half. */
export function drawPiece(ctx, paint, cx, cy, size, kind) {
  ctx.beginPath();
  for (let corner = 0; corner < 6; corner++) {
    const angle = (corner * Math.PI) / 3 - Math.PI / 2;
    ctx.lineTo(cx + size * Math.cos(angle), cy + size * Math.sin(angle));
  }
  ctx.closePath();
  ctx.lineWidth = kind === SHAM ? Math.max(1, size * 0.24) : Math.max(1, size * 0.16);
  ctx.fillStyle = kind === SHAM ? paint.surface : paint.piece;
  ctx.strokeStyle = kind === SHAM ? paint.sham : paint.rim;
  ctx.fill();
  // A rim would leave nothing of a small piece.
  if (kind === SHAM || size > 4) ctx.stroke();
  if (kind === SHAM && size > 3) {
    ctx.beginPath();
    ctx.moveTo(cx - size * 0.5, cy + size * 0.5);
    ctx.lineTo(cx + size * 0.5, cy - size * 0.5);
    ctx.stroke();
  }
}

export function crown(ctx, paint, cx, cy, size) {
  ctx.fillStyle = paint.leader;
  ctx.strokeStyle = paint.rim;
  ctx.lineWidth = Math.max(0.8, size * 0.14);
  ctx.beginPath();
  ctx.moveTo(cx - size, cy + size * 0.45);
  ctx.lineTo(cx - size, cy - size * 0.45);
  ctx.lineTo(cx - size * 0.45, cy);
  ctx.lineTo(cx, cy - size * 0.75);
  ctx.lineTo(cx + size * 0.45, cy);
  ctx.lineTo(cx + size, cy - size * 0.45);
  ctx.lineTo(cx + size, cy + size * 0.45);
  ctx.closePath();
  ctx.fill();
  ctx.stroke();
}
