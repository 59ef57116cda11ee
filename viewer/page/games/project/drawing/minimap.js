// The whole board in small, for users who see a part of it.

import { fitCanvas } from "../../../shell/paint.js";

/** Pixels of the minimap for a field. */
export function minimapScale(view) {
  const side = Math.min(170, view.width * 0.35);
  return Math.min(side / view.board.columns, side / view.board.rows);
}

/** Paints the minimap with the frame of what is seen. */
export function drawMinimap(view, scene) {
  const { paint, board } = view;
  const scale = minimapScale(view);
  const width = Math.max(24, board.columns * scale), height = Math.max(24, board.rows * scale);
  view.minimap.style.width = `${width}px`;
  view.minimap.style.height = `${height}px`;
  const ctx = fitCanvas(view.minimap, width, height);
  ctx.fillStyle = paint.task;
  ctx.fillRect(0, 0, width, height);
  ctx.fillStyle = paint["red-soft"];
  ctx.fillRect(0, 0, width, board.goalRows * scale);
  ctx.fillStyle = paint["blue-soft"];
  ctx.fillRect(0, height - board.goalRows * scale, width, board.goalRows * scale);
  const dot = (x, y, size) => ctx.fillRect((x + 0.5) * scale - size / 2, height - (y + 0.5) * scale - size / 2, size, size);
  if (scene.view === "truth") {
    ctx.fillStyle = paint.piece;
    ctx.globalAlpha = scene.world.pieces.size > 500 ? 0.25 : 0.8;
    for (const field of scene.world.pieces.keys()) dot(field % board.columns, Math.floor(field / board.columns), 1.2);
    ctx.globalAlpha = 1;
  }
  scene.game.start.agents.forEach(({ team }, agent) => {
    if (scene.world.gone[agent] || !scene.sight.has(agent)) return;
    ctx.fillStyle = paint[team];
    dot(scene.world.x[agent], scene.world.y[agent], agent === scene.selected ? 6 : 3.5);
  });
  const low = view.fieldAt(0, view.height), high = view.fieldAt(view.width, 0);
  ctx.strokeStyle = paint.ink;
  ctx.lineWidth = 1.5;
  ctx.strokeRect(low.x * scale, height - high.y * scale, (high.x - low.x) * scale, (high.y - low.y) * scale);
}
