// What lies on the board: areas, goals, pieces, and what somebody knows of them. It seldom changes.

import { GOAL, INFINITE, LIE, MISTAKEN, NO_GOAL, REAL, SHAM, TEAMS, UNKNOWN, UNSAID } from "../model/terms.js";
import { fitCanvas, TEXT_FONT } from "../../../shell/paint.js";
import { believedFalsely, believedGoal, believedNone, diamond, drawPiece, falseCorners, toldDot } from "./shapes.js";

/** Areas, lines and everything that lies on the board. */
export function drawGround(view, scene) {
  const ctx = fitCanvas(view.ground, view.width, view.height);
  const { paint, board, camera: { scale } } = view;
  const seen = view.visible();
  const rect = (west, south, east, north, colour) => {
    const [left, bottom] = view.toStage(west, south), [right, top] = view.toStage(east, north);
    ctx.fillStyle = colour;
    ctx.fillRect(left, top, right - left, bottom - top);
  };
  rect(0, 0, board.columns, board.rows, paint.task);
  rect(0, 0, board.columns, board.goalRows, paint["blue-soft"]);
  rect(0, board.rows - board.goalRows, board.columns, board.rows, paint["red-soft"]);
  if (scale >= 7) drawGrid(view, ctx, seen);
  const line = (row, colour) => {
    const [left, at] = view.toStage(0, row), [right] = view.toStage(board.columns, row);
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(left, at);
    ctx.lineTo(right, at);
    ctx.stroke();
  };
  line(board.goalRows, paint.blue);
  line(board.rows - board.goalRows, paint.red);
  const [left, top] = view.toStage(0, board.rows);
  ctx.strokeStyle = paint.edge;
  ctx.lineWidth = 1;
  ctx.strokeRect(left, top, board.columns * scale, board.rows * scale);
  drawCoordinates(view, ctx, seen);
  if (scene.knowledge) drawKnowledge(view, ctx, scene, seen);
  drawGoals(view, ctx, scene, seen);
  if (scene.view === "truth") drawPieces(view, ctx, scene, seen);
}

function drawGrid(view, ctx, seen) {
  ctx.strokeStyle = view.paint.grid;
  ctx.lineWidth = 1;
  ctx.beginPath();
  const [left, bottom] = view.toStage(seen.west, seen.south);
  const [right, top] = view.toStage(seen.east + 1, seen.north + 1);
  for (let x = seen.west; x <= seen.east + 1; x++) {
    const at = Math.round(view.toStage(x, 0)[0]) + 0.5;
    ctx.moveTo(at, top);
    ctx.lineTo(at, bottom);
  }
  for (let y = seen.south; y <= seen.north + 1; y++) {
    const at = Math.round(view.toStage(0, y)[1]) + 0.5;
    ctx.moveTo(left, at);
    ctx.lineTo(right, at);
  }
  ctx.stroke();
}

/** Numbers of columns and rows along the edges, as many as there is room for. */
function drawCoordinates(view, ctx, seen) {
  const { camera: { scale }, board } = view;
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => step * scale >= 26) ?? 1000;
  ctx.fillStyle = view.paint.muted;
  ctx.font = `10px ${TEXT_FONT}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  const below = Math.min(view.toStage(0, 0)[1] + 5, view.height - 14);
  for (let x = Math.ceil(seen.west / every) * every; x <= seen.east; x += every) {
    ctx.fillText(String(x), view.toStage(x + 0.5, 0)[0], below);
  }
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  const beside = Math.max(view.toStage(0, 0)[0] - 6, 20);
  for (let y = Math.ceil(seen.south / every) * every; y <= Math.min(seen.north, board.rows); y += every) {
    ctx.fillText(String(y), beside, view.toStage(0, y + 0.5)[1]);
  }
}

/** The least fields, in pixels a side, that numbers are written on: in the middle, and in a corner beside a goal. */
const LEAST_NUMBERS = 11;
const LEAST_CORNER = 22;

/** What somebody knows: the nearer the piece, the stronger the colour; the older the reading, the fainter. */
function drawKnowledge(view, ctx, scene, seen) {
  const { paint, camera: { scale }, board } = view;
  const truth = scene.view === "truth" ? view.distances(scene.world) : null;
  const numbers = scale >= LEAST_NUMBERS, besideGoal = scale >= LEAST_CORNER;
  const size = Math.min(15, Math.max(7.5, scale * 0.42));
  const [wholeFont, cornerFont] = [size, size * 0.75].map((height) => `500 ${height}px ${TEXT_FONT}`);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  // Below a pixel a field cannot be told from its neighbour: looking at some of them is enough.
  const stride = Math.max(1, Math.ceil(1.5 / scale));
  for (let y = seen.south; y <= seen.north; y += stride) for (let x = seen.west; x <= seen.east; x += stride) {
    const known = scene.knowledge.at(x, y);
    if (!known) continue;
    const [left, top] = view.toStage(x, y + 1);
    const centre = [left + scale / 2, top + scale / 2];
    if (known.distance !== UNKNOWN) {
      const freshness = Math.max(0.35, 1 - (scene.t - known.at) / 90000);
      const nearness = known.distance === INFINITE ? 0.08 : 0.12 + 0.5 * Math.exp(-known.distance / 3.5);
      ctx.globalAlpha = nearness * freshness;
      ctx.fillStyle = paint.accent;
      ctx.fillRect(left, top, scale * stride, scale * stride);
      ctx.globalAlpha = Math.max(0.7, freshness);
      const wrong = truth && truth.at(y * board.columns + x) !== known.distance;
      if (numbers) {
        // The middle of a field is for what is believed of a goal.
        const aside = known.goal !== UNSAID;
        ctx.fillStyle = paint.ink;
        ctx.font = aside ? cornerFont : wholeFont;
        const [across, down] = aside ? [left + scale * 0.24, top + scale * 0.78] : centre;
        if (!aside || besideGoal) ctx.fillText(known.distance === INFINITE ? "∞" : String(known.distance), across, down);
        if (known.by >= 0) toldDot(ctx, paint.ink, left, top, scale);
      }
      ctx.globalAlpha = 1;
      if (wrong && scale >= 5) {
        const misled = known.by >= 0 && known.worth >= MISTAKEN;
        const colour = misled ? (known.worth === LIE ? paint.lie : paint.mistaken) : paint.stale;
        falseCorners(ctx, colour, misled, left, top, scale);
      }
    }
    if (known.goal !== UNSAID) drawBelief(view, ctx, known, scene, x, y, ...centre);
  }
  ctx.globalAlpha = 1;
}

/** What is believed of a field in a goal area, and whether that is wrong. */
function drawBelief(view, ctx, known, scene, x, y, cx, cy) {
  const { paint, camera: { scale }, board } = view;
  const team = y < board.goalRows ? 1 : 0;
  if (known.goal === NO_GOAL) believedNone(ctx, paint, cx, cy, scale);
  else if (scene.view === "truth") believedGoal(ctx, paint, cx, cy, scale);
  else {
    ctx.strokeStyle = paint[TEAMS[team]];
    ctx.lineWidth = Math.max(1.2, scale * 0.07);
    diamond(ctx, cx, cy, Math.max(2.5, scale * 0.2) * 1.5);
    ctx.stroke();
  }
  const isGoal = scene.game.goals[team].has(y * board.columns + x);
  if (scene.view === "truth" && (known.goal === GOAL) !== isGoal) {
    believedFalsely(ctx, known.goalWorth === LIE ? paint.lie : paint.mistaken, cx, cy, scale);
  }
}

/** Hidden goals as dashed diamonds, covered ones filled, as far as the view shows them. */
function drawGoals(view, ctx, scene, seen) {
  const { paint, camera: { scale }, board } = view;
  const truth = scene.view === "truth";
  scene.game.goals.forEach((fields, team) => {
    for (const field of fields) {
      const x = field % board.columns, y = Math.floor(field / board.columns);
      if (x < seen.west || x > seen.east || y < seen.south || y > seen.north) continue;
      const covered = scene.world.covered.get(field);
      // Who covered a goal knows that it is; of others it is only believed that they are goals.
      if (!truth && !(covered && scene.sight.has(covered.agent))) continue;
      const [cx, cy] = view.toStage(x + 0.5, y + 0.5);
      const size = Math.max(2, scale * 0.36);
      ctx.strokeStyle = ctx.fillStyle = paint[TEAMS[team]];
      ctx.lineWidth = Math.max(1, scale * 0.08);
      if (covered) {
        diamond(ctx, cx, cy, size);
        ctx.fill();
        if (scale >= 9) {
          ctx.strokeStyle = paint["on-team"];
          ctx.beginPath();
          ctx.moveTo(cx - size * 0.38, cy + size * 0.02);
          ctx.lineTo(cx - size * 0.1, cy + size * 0.3);
          ctx.lineTo(cx + size * 0.4, cy - size * 0.28);
          ctx.stroke();
        }
      } else {
        ctx.setLineDash(scale >= 9 ? [scale * 0.16, scale * 0.1] : []);
        diamond(ctx, cx, cy, size);
        ctx.stroke();
        ctx.setLineDash([]);
        ctx.beginPath();
        ctx.arc(cx, cy, Math.max(1, scale * 0.07), 0, 7);
        ctx.fill();
      }
    }
  });
}

/** Pieces that lie on fields, piles included. */
function drawPieces(view, ctx, scene, seen) {
  const { camera: { scale }, board } = view;
  // Far away only where pieces lie can be seen, not how they look.
  const small = scale < 4;
  for (const [field, pile] of scene.world.pieces) {
    const x = field % board.columns, y = Math.floor(field / board.columns);
    if (x < seen.west || x > seen.east || y < seen.south || y > seen.north) continue;
    const [cx, cy] = view.toStage(x + 0.5, y + 0.5);
    if (small) {
      ctx.fillStyle = pile.at(-1) ? view.paint.sham : view.paint.piece;
      const size = Math.max(1, scale * 0.8);
      ctx.fillRect(cx - size / 2, cy - size / 2, size, size);
      continue;
    }
    // The lowest first, each a little higher; of a high pile the three uppermost.
    const shown = pile.slice(-3);
    shown.forEach((sham, place) => {
      const lift = scale * 0.12 * (place - (shown.length - 1) / 2);
      drawPiece(ctx, view.paint, cx, cy - lift, Math.max(2.6, scale * 0.24), sham ? SHAM : REAL);
    });
    if (pile.length > 1 && scale >= 16) {
      ctx.fillStyle = view.paint.ink;
      ctx.font = `600 ${Math.max(9, scale * 0.3)}px ${TEXT_FONT}`;
      ctx.textAlign = "left";
      ctx.textBaseline = "middle";
      ctx.fillText(String(pile.length), cx + scale * 0.26, cy + scale * 0.26);
    }
  }
}
