// The signs for agents, pieces and goals.

import { EITHER, REAL, SHAM } from "../model/terms.js";

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

/** A real piece is a filled hexagon, a sham a hollow one that is struck through, one of unknown kind half of each. */
export function drawPiece(ctx, paint, cx, cy, size, kind) {
  const sham = kind === SHAM;
  const hexagon = (from, to) => {
    ctx.beginPath();
    for (let corner = from; corner <= to; corner++) {
      const angle = (corner * Math.PI) / 3 - Math.PI / 2;
      ctx.lineTo(cx + size * Math.cos(angle), cy + size * Math.sin(angle));
    }
    ctx.closePath();
  };
  hexagon(0, 6);
  ctx.lineWidth = Math.max(1, size * (sham ? 0.24 : 0.16));
  ctx.strokeStyle = sham ? paint.sham : paint.rim;
  ctx.fillStyle = kind === REAL ? paint.piece : paint.surface;
  ctx.fill();
  if (kind === EITHER) {
    ctx.fillStyle = paint.piece;
    hexagon(3, 6);
    ctx.fill();
    hexagon(0, 6);
    if (size <= 4) ctx.strokeStyle = paint.piece;
  }
  // A rim would leave nothing of a small piece.
  if (kind !== REAL || size > 4) ctx.stroke();
  if (sham && size > 3) {
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

/** The signs of what is believed of a field of this size: none of them hides another. */
export function believedGoal(ctx, paint, cx, cy, size) {
  ctx.strokeStyle = paint.ink;
  ctx.lineWidth = Math.max(1.2, size * 0.07);
  ctx.strokeRect(cx - size * 0.42, cy - size * 0.42, size * 0.84, size * 0.84);
}

export function believedNone(ctx, paint, cx, cy, size) {
  ctx.strokeStyle = paint.muted;
  ctx.lineWidth = Math.max(1.2, size * 0.07);
  cross(ctx, cx, cy, Math.max(2.5, size * 0.2) * 0.75);
}

export function believedFalsely(ctx, colour, cx, cy, size) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = Math.max(1.5, size * 0.09);
  ctx.beginPath();
  ctx.arc(cx, cy, size * 0.4, 0, 7);
  ctx.stroke();
}

/** A corner of a field of which a distance is believed that is not true; a second one if it never was. */
export function falseCorners(ctx, colour, never, left, top, size) {
  const side = Math.max(2.5, size * 0.26);
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.moveTo(left + size, top + size);
  ctx.lineTo(left + size - side, top + size);
  ctx.lineTo(left + size, top + size - side);
  ctx.fill();
  if (!never) return;
  ctx.beginPath();
  ctx.moveTo(left + size, top);
  ctx.lineTo(left + size - side, top);
  ctx.lineTo(left + size, top + side);
  ctx.fill();
}

/** Who told a distance, if not the own reading: a dot. */
export function toldDot(ctx, colour, left, top, size) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(left + size * 0.16, top + size * 0.18, Math.max(1.3, size * 0.055), 0, 7);
  ctx.fill();
}

/** What strategies draw: a field, a line. */
export function remarkField(ctx, colour, left, top, size) {
  ctx.strokeStyle = colour;
  ctx.strokeRect(left + 1, top + 1, size - 2, size - 2);
}

export function remarkLine(ctx, colour, from, to) {
  ctx.strokeStyle = colour;
  ctx.setLineDash([4, 4]);
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
  ctx.setLineDash([]);
}
