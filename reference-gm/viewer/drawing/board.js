// The board on its canvases.

import {
  actor, EITHER, EMPTY, GOAL, INFINITE, LIE, MISTAKEN, NO_GOAL, REAL, SHAM, TEAMS, UNKNOWN, UNSAID, VERDICTS,
} from "../model/terms.js";
import { easeOut, fitCanvas, readPaint, TEXT_FONT, VERDICT_DASHES, VERDICT_SIGNS } from "./paint.js";
import { agentShape, cross, crown, diamond, drawPiece } from "./shapes.js";

/** How long signs of an event stay on the board, in milliseconds of wall time. */
const SIGN_MS = 700;
const ARC_MS = 1500;
const GLIDE_MS = 260;

/** The room around a board that is shown whole: coordinates at the left and below, buttons at the right. */
const MARGIN = { left: 28, right: 48, top: 12, bottom: 22 };

/** At high speed the signs of thousands of events would overlap: so many of the last ones are looked at. */
const MOST_SIGNS = 300;

/** The board on its canvases: the ground, which seldom changes, below; agents and signs above. */
export class BoardView {
  constructor(stage, ground, actors, minimap) {
    Object.assign(this, { stage, ground, actors, minimap });
    this.camera = { x: 0, y: 0, scale: 10 };
    this.fitted = true;
    this.groundKey = "";
    this.paint = readPaint();
    this.width = this.height = 0;
  }

  /** Takes over the style sheet's colours and the place's size after either changed. */
  refresh() {
    this.paint = readPaint();
    this.groundKey = "";
    const { clientWidth, clientHeight } = this.stage;
    this.width = clientWidth;
    this.height = clientHeight;
    if (this.board && this.fitted) this.fit();
  }

  show(start) {
    this.board = start.board;
    // On a phone the stage takes the board's shape.
    this.stage.style.setProperty("--aspect", String(start.board.rows / start.board.columns));
    this.refresh();
    this.fit();
  }

  fitScale() {
    const { left, right, top, bottom } = MARGIN;
    return Math.max(0.05, Math.min(
      (this.width - left - right) / this.board.columns, (this.height - top - bottom) / this.board.rows, 72));
  }

  /** Shows the whole board, beside its coordinates and the buttons. */
  fit() {
    const scale = this.fitScale();
    // In the middle of the stage where there is room, else between the margins.
    const spare = Math.max(0, this.width - this.board.columns * scale - MARGIN.left - MARGIN.right) / 2;
    const aside = Math.max(0, (MARGIN.right - MARGIN.left) / 2 - spare);
    this.camera = {
      x: this.board.columns / 2 + aside / scale, y: this.board.rows / 2 - (MARGIN.bottom - MARGIN.top) / 2 / scale, scale,
    };
    this.fitted = true;
  }

  /** Zooms by a factor; what lies at this point of the stage stays there. */
  zoom(factor, sx = this.width / 2, sy = this.height / 2) {
    const before = this.fieldAt(sx, sy);
    const scale = Math.max(this.fitScale() * 0.8, Math.min(96, this.camera.scale * factor));
    this.camera.scale = scale;
    this.camera.x = before.x - (sx - this.width / 2) / scale;
    this.camera.y = before.y + (sy - this.height / 2) / scale;
    this.fitted = false;
    this.clamp();
  }

  pan(dx, dy) {
    this.camera.x -= dx / this.camera.scale;
    this.camera.y += dy / this.camera.scale;
    this.fitted = false;
    this.clamp();
  }

  centre(x, y) {
    this.camera.x = x;
    this.camera.y = y;
    this.fitted = false;
    this.clamp();
  }

  clamp() {
    this.camera.x = Math.max(0, Math.min(this.board.columns, this.camera.x));
    this.camera.y = Math.max(0, Math.min(this.board.rows, this.camera.y));
  }

  /** The point of the board, in fields, under a point of the stage. */
  fieldAt(sx, sy) {
    const { x, y, scale } = this.camera;
    return { x: x + (sx - this.width / 2) / scale, y: y - (sy - this.height / 2) / scale };
  }

  /** Where the point (x, y) of the board lies on the stage. */
  toStage(x, y) {
    const { camera } = this;
    return [this.width / 2 + (x - camera.x) * camera.scale, this.height / 2 - (y - camera.y) * camera.scale];
  }

  /** The fields that can be seen. */
  visible() {
    const low = this.fieldAt(0, this.height), high = this.fieldAt(this.width, 0);
    return {
      west: Math.max(0, Math.floor(low.x)), east: Math.min(this.board.columns - 1, Math.floor(high.x)),
      south: Math.max(0, Math.floor(low.y)), north: Math.min(this.board.rows - 1, Math.floor(high.y)),
    };
  }

  get isWhole() {
    const low = this.fieldAt(0, this.height), high = this.fieldAt(this.width, 0);
    return low.x <= 0 && low.y <= 0 && high.x >= this.board.columns && high.y >= this.board.rows;
  }

  /** Paints a moment. The ground is painted only when something on it, or the look at it, has changed. */
  draw(scene) {
    const { x, y, scale } = this.camera;
    const key = [
      x, y, scale, this.width, this.height, window.devicePixelRatio, scene.world.ground, scene.view,
      scene.knowledgeKey, scene.knowledge ? Math.floor(scene.t / 1000) : 0,
    ].join();
    if (key !== this.groundKey) {
      this.groundKey = key;
      this.drawGround(scene);
    }
    this.drawActors(scene);
    this.minimap.hidden = this.isWhole;
    if (!this.isWhole) this.drawMinimap(scene);
  }

  // ---- the ground

  drawGround(scene) {
    const ctx = fitCanvas(this.ground, this.width, this.height);
    const { paint, board, camera: { scale } } = this;
    const seen = this.visible();
    const rect = (west, south, east, north, colour) => {
      const [left, bottom] = this.toStage(west, south), [right, top] = this.toStage(east, north);
      ctx.fillStyle = colour;
      ctx.fillRect(left, top, right - left, bottom - top);
    };
    rect(0, 0, board.columns, board.rows, paint.task);
    rect(0, 0, board.columns, board.goalRows, paint["blue-soft"]);
    rect(0, board.rows - board.goalRows, board.columns, board.rows, paint["red-soft"]);
    if (scale >= 7) this.drawGrid(ctx, seen);
    const line = (row, colour) => {
      const [left, at] = this.toStage(0, row), [right] = this.toStage(board.columns, row);
      ctx.strokeStyle = colour;
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      ctx.moveTo(left, at);
      ctx.lineTo(right, at);
      ctx.stroke();
    };
    line(board.goalRows, paint.blue);
    line(board.rows - board.goalRows, paint.red);
    const [left, top] = this.toStage(0, board.rows);
    ctx.strokeStyle = paint.edge;
    ctx.lineWidth = 1;
    ctx.strokeRect(left, top, board.columns * scale, board.rows * scale);
    this.drawCoordinates(ctx, seen);
    if (scene.knowledge) this.drawKnowledge(ctx, scene, seen);
    this.drawGoals(ctx, scene, seen);
    if (scene.view === "truth") this.drawPieces(ctx, scene, seen);
  }

  drawGrid(ctx, seen) {
    ctx.strokeStyle = this.paint.grid;
    ctx.lineWidth = 1;
    ctx.beginPath();
    const [left, bottom] = this.toStage(seen.west, seen.south);
    const [right, top] = this.toStage(seen.east + 1, seen.north + 1);
    for (let x = seen.west; x <= seen.east + 1; x++) {
      const at = Math.round(this.toStage(x, 0)[0]) + 0.5;
      ctx.moveTo(at, top);
      ctx.lineTo(at, bottom);
    }
    for (let y = seen.south; y <= seen.north + 1; y++) {
      const at = Math.round(this.toStage(0, y)[1]) + 0.5;
      ctx.moveTo(left, at);
      ctx.lineTo(right, at);
    }
    ctx.stroke();
  }

  /** Numbers of columns and rows along the edges, as many as there is room for. */
  drawCoordinates(ctx, seen) {
    const { camera: { scale }, board } = this;
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => step * scale >= 26) ?? 1000;
    ctx.fillStyle = this.paint.muted;
    ctx.font = `10px ${TEXT_FONT}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    const below = Math.min(this.toStage(0, 0)[1] + 5, this.height - 14);
    for (let x = Math.ceil(seen.west / every) * every; x <= seen.east; x += every) {
      ctx.fillText(String(x), this.toStage(x + 0.5, 0)[0], below);
    }
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    const beside = Math.max(this.toStage(0, 0)[0] - 6, 20);
    for (let y = Math.ceil(seen.south / every) * every; y <= Math.min(seen.north, board.rows); y += every) {
      ctx.fillText(String(y), beside, this.toStage(0, y + 0.5)[1]);
    }
  }

  /** What somebody knows: the nearer the piece, the stronger the colour; the older the reading, the fainter. */
  drawKnowledge(ctx, scene, seen) {
    const { paint, camera: { scale }, board } = this;
    const truth = scene.view === "truth" ? scene.game.truth(scene.world) : null;
    const numbers = scale >= 15;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.font = `500 ${Math.min(15, Math.max(9, scale * 0.42))}px ${TEXT_FONT}`;
    // Below a pixel a field cannot be told from its neighbour: looking at some of them is enough.
    const stride = Math.max(1, Math.ceil(1.5 / scale));
    for (let y = seen.south; y <= seen.north; y += stride) for (let x = seen.west; x <= seen.east; x += stride) {
      const known = scene.knowledge.at(x, y);
      if (!known) continue;
      const [left, top] = this.toStage(x, y + 1);
      const centre = [left + scale / 2, top + scale / 2];
      if (known.distance !== UNKNOWN) {
        const freshness = Math.max(0.35, 1 - (scene.t - known.at) / 90000);
        const nearness = known.distance === INFINITE ? 0.08 : 0.12 + 0.5 * Math.exp(-known.distance / 3.5);
        ctx.globalAlpha = nearness * freshness;
        ctx.fillStyle = paint.accent;
        ctx.fillRect(left, top, scale * stride, scale * stride);
        ctx.globalAlpha = Math.max(0.55, freshness);
        const wrong = truth && truth[y * board.columns + x] !== known.distance;
        if (numbers) {
          ctx.fillStyle = paint.ink;
          ctx.fillText(known.distance === INFINITE ? "∞" : String(known.distance), ...centre);
          if (known.by >= 0) {
            ctx.beginPath();
            ctx.arc(left + scale * 0.16, top + scale * 0.18, Math.max(1.3, scale * 0.055), 0, 7);
            ctx.fill();
          }
        }
        ctx.globalAlpha = 1;
        if (wrong && scale >= 5) {
          const misled = known.by >= 0 && known.worth >= MISTAKEN;
          ctx.fillStyle = misled ? (known.worth === LIE ? paint.lie : paint.mistaken) : paint.stale;
          const side = Math.max(2.5, scale * 0.26);
          ctx.beginPath();
          ctx.moveTo(left + scale, top + scale);
          ctx.lineTo(left + scale - side, top + scale);
          ctx.lineTo(left + scale, top + scale - side);
          ctx.fill();
          // A claim that was false from the start has a second corner, so that the shape tells it as well.
          if (misled) {
            ctx.beginPath();
            ctx.moveTo(left + scale, top);
            ctx.lineTo(left + scale - side, top);
            ctx.lineTo(left + scale, top + side);
            ctx.fill();
          }
        }
      }
      if (known.goal !== UNSAID) this.drawBelief(ctx, known, scene, x, y, ...centre);
    }
    ctx.globalAlpha = 1;
  }

  drawBelief(ctx, known, scene, x, y, cx, cy) {
    const { paint, camera: { scale }, board } = this;
    const team = y < board.goalRows ? 1 : 0;
    const size = Math.max(2.5, scale * 0.2);
    ctx.lineWidth = Math.max(1.2, scale * 0.07);
    if (known.goal === NO_GOAL) {
      ctx.strokeStyle = paint.muted;
      cross(ctx, cx, cy, size * 0.75);
    } else if (scene.view !== "truth") {
      ctx.strokeStyle = paint[TEAMS[team]];
      diamond(ctx, cx, cy, size * 1.5);
      ctx.stroke();
    } else {
      ctx.strokeStyle = paint.ink;
      ctx.strokeRect(cx - scale * 0.42, cy - scale * 0.42, scale * 0.84, scale * 0.84);
    }
    const isGoal = scene.game.goals[team].has(y * board.columns + x);
    if (scene.view === "truth" && (known.goal === GOAL) !== isGoal) {
      ctx.strokeStyle = known.goalWorth === LIE ? paint.lie : paint.mistaken;
      ctx.lineWidth = Math.max(1.5, scale * 0.09);
      ctx.beginPath();
      ctx.arc(cx, cy, scale * 0.4, 0, 7);
      ctx.stroke();
    }
  }

  drawGoals(ctx, scene, seen) {
    const { paint, camera: { scale }, board } = this;
    const truth = scene.view === "truth";
    scene.game.goals.forEach((fields, team) => {
      for (const field of fields) {
        const x = field % board.columns, y = Math.floor(field / board.columns);
        if (x < seen.west || x > seen.east || y < seen.south || y > seen.north) continue;
        const covered = scene.world.covered.has(field);
        if (!truth && !(covered && scene.knowledge?.at(x, y)?.goal === GOAL)) continue;
        const [cx, cy] = this.toStage(x + 0.5, y + 0.5);
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

  drawPieces(ctx, scene, seen) {
    const { camera: { scale }, board } = this;
    // Far away only where pieces lie can be seen, not how they look.
    const small = scale < 4;
    for (const [field, pile] of scene.world.pieces) {
      const x = field % board.columns, y = Math.floor(field / board.columns);
      if (x < seen.west || x > seen.east || y < seen.south || y > seen.north) continue;
      const [cx, cy] = this.toStage(x + 0.5, y + 0.5);
      if (small) {
        ctx.fillStyle = pile.at(-1) ? this.paint.edge : this.paint.piece;
        const size = Math.max(1, scale * 0.8);
        ctx.fillRect(cx - size / 2, cy - size / 2, size, size);
        continue;
      }
      // The lowest first, each a little higher; of a high pile the three uppermost.
      const shown = pile.slice(-3);
      shown.forEach((sham, place) => {
        const lift = scale * 0.12 * (place - (shown.length - 1) / 2);
        drawPiece(ctx, this.paint, cx, cy - lift, Math.max(2.6, scale * 0.24), sham ? SHAM : REAL);
      });
      if (pile.length > 1 && scale >= 16) {
        ctx.fillStyle = this.paint.ink;
        ctx.font = `600 ${Math.max(9, scale * 0.3)}px ${TEXT_FONT}`;
        ctx.textAlign = "left";
        ctx.textBaseline = "middle";
        ctx.fillText(String(pile.length), cx + scale * 0.26, cy + scale * 0.26);
      }
    }
  }

  // ---- agents and signs

  drawActors(scene) {
    const ctx = fitCanvas(this.actors, this.width, this.height);
    this.drawSigns(ctx, scene);
    const { world } = scene;
    for (let agent = 0; agent < world.x.length; agent++) {
      if (!world.gone[agent] && agent !== scene.selected) this.drawAgent(ctx, scene, agent);
    }
    if (scene.selected >= 0 && !world.gone[scene.selected]) this.drawAgent(ctx, scene, scene.selected);
    if (scene.selected >= 0) this.drawRemark(ctx, scene);
  }

  /** Where an agent is drawn: on its way for a moment after a move. */
  spot(scene, agent) {
    const { world, t, speed, motion, game } = scene;
    const glide = Math.min(GLIDE_MS * Math.max(1, speed), Math.max(120, game.start.penalties.move ?? 0));
    const part = motion ? (t - world.movedAt[agent]) / glide : 1;
    const [x, y] = [world.x[agent], world.y[agent]];
    if (part >= 1 || part < 0) return [x + 0.5, y + 0.5];
    const gone = easeOut(part);
    const [fromX, fromY] = [world.beforeX[agent], world.beforeY[agent]];
    return [fromX + (x - fromX) * gone + 0.5, fromY + (y - fromY) * gone + 0.5];
  }

  drawAgent(ctx, scene, agent) {
    const { paint, camera: { scale } } = this;
    const { world, t } = scene;
    const { team, leader } = scene.game.start.agents[agent];
    const [x, y] = this.spot(scene, agent);
    let [cx, cy] = this.toStage(x, y);
    const radius = Math.max(4, scale * (scale < 16 ? 0.43 : 0.38));
    if (cx < -radius * 2 || cy < -radius * 2 || cx > this.width + radius * 2 || cy > this.height + radius * 2) return;
    const refused = scene.refused.get(agent);
    if (refused !== undefined && scene.motion) cx += Math.sin(refused * 22) * scale * 0.08 * (1 - refused);
    // Whom the one whose view it is does not know about is only hinted at.
    const faint = scene.members && !scene.members.has(agent);
    ctx.globalAlpha = faint ? 0.22 : 1;
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
    if (scale >= 16) {
      ctx.fillStyle = paint["on-team"];
      ctx.font = `700 ${Math.max(8, radius * (agent > 99 ? 0.75 : 1.05))}px ${TEXT_FONT}`;
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      ctx.fillText(String(agent), cx, cy + radius * 0.06);
    } else if (scale >= 8 || agent === scene.selected) {
      // Too small to be written on: the number stands beside.
      ctx.font = `650 9.5px ${TEXT_FONT}`;
      ctx.textAlign = "left";
      ctx.textBaseline = "bottom";
      ctx.lineWidth = 2.5;
      ctx.strokeStyle = paint.surface;
      ctx.fillStyle = paint.ink;
      ctx.strokeText(String(agent), cx + radius * 0.9, cy - radius * 0.3);
      ctx.fillText(String(agent), cx + radius * 0.9, cy - radius * 0.3);
    }
    const left = world.lockedUntil[agent] - t, whole = world.lockedUntil[agent] - world.lockedAt[agent];
    if (left > 0 && whole > 0 && scale >= 6 && !faint) {
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
    if (leader && scale >= 6) crown(ctx, paint, cx, cy - radius * 1.2, radius * 0.72);
    if (world.hand[agent] !== EMPTY && !faint) {
      // The team does not see what kind a piece is; whoever watches all does.
      const hand = scene.view === "truth" ? world.hand[agent] : EITHER;
      drawPiece(ctx, paint, cx + radius * 0.95, cy + radius * 0.85, Math.max(2.5, radius * 0.62), hand);
    }
    ctx.globalAlpha = 1;
  }

  /** The signs of what has just happened, youngest last. */
  drawSigns(ctx, scene) {
    const { game, world, t } = scene;
    const pace = Math.max(1, scene.speed);
    scene.refused = new Map();
    const oldest = t - ARC_MS * pace;
    let index = world.applied - 1;
    const stop = Math.max(0, world.applied - MOST_SIGNS);
    while (index >= stop && game.events[index][0] > oldest) index--;
    for (index++; index < world.applied; index++) {
      const event = game.events[index];
      const age = (t - event[0]) / pace;
      const by = event[1] === "appeared" ? -1 : actor(event);
      if (event[1] === "lock" || event[1] === "note" || event[1] === "over") continue;
      if (scene.members && !scene.members.has(by)) continue;
      if (event[1] === "asked" || event[1] === "answered") this.drawExchange(ctx, scene, event, index, age / ARC_MS);
      else if (age < SIGN_MS) this.drawSign(ctx, scene, event, age / SIGN_MS);
    }
    scene.isBusy = index > 0 && t - game.events[index - 1]?.[0] < ARC_MS * pace;
  }

  drawSign(ctx, scene, event, part) {
    const { paint, camera: { scale } } = this;
    const [, word, agent] = event;
    if (word === "refused") scene.refused.set(agent, part);
    const [x, y] = word === "appeared" ? [event[3] + 0.5, event[4] + 0.5] : this.spot(scene, agent);
    const [cx, cy] = this.toStage(x, y);
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
      ctx.font = `700 ${Math.max(11, Math.min(20, scale * 0.5))}px ${TEXT_FONT}`;
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      ctx.lineWidth = 3;
      ctx.strokeStyle = paint.surface;
      const at = cy - Math.max(10, scale * (0.55 + (scene.motion ? 0.45 * grown : 0.2)));
      ctx.strokeText(text, cx, at);
      ctx.fillText(text, cx, at);
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

  /** A question is a dotted arc; an answer an arc in the colour, dashes and sign of its worth. */
  drawExchange(ctx, scene, event, index, part) {
    if (part >= 1) return;
    const { paint, camera: { scale } } = this;
    const [, word, to, by] = event;
    const start = this.toStage(...this.spot(scene, by)), end = this.toStage(...this.spot(scene, to));
    const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
    const bend = 0.22;
    const middle = [(start[0] + end[0]) / 2 - dy * bend, (start[1] + end[1]) / 2 + dx * bend];
    const answered = word === "answered";
    const worth = answered ? scene.game.verdicts.get(index).worth : 0;
    const colour = answered ? paint[VERDICTS[worth]] : paint.muted;
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
      ctx.fillText(answered ? VERDICT_SIGNS[worth] : "?", sx, sy + 0.5);
    }
    ctx.globalAlpha = 1;
  }

  /** The drawing that the selected agent's strategy made last. */
  drawRemark(ctx, scene) {
    const index = scene.world.remark[scene.selected];
    if (index < 0) return;
    const { paint, camera: { scale } } = this;
    ctx.strokeStyle = ctx.fillStyle = paint.accent;
    ctx.lineWidth = Math.max(1.5, scale * 0.06);
    for (const shape of scene.game.events[index][3].shapes ?? []) {
      if (shape.field) {
        const [left, top] = this.toStage(shape.field[0], shape.field[1] + 1);
        ctx.strokeRect(left + 1, top + 1, scale - 2, scale - 2);
      } else if (shape.line) {
        const [x, y, toX, toY] = shape.line;
        ctx.setLineDash([4, 4]);
        ctx.beginPath();
        ctx.moveTo(...this.toStage(x + 0.5, y + 0.5));
        ctx.lineTo(...this.toStage(toX + 0.5, toY + 0.5));
        ctx.stroke();
        ctx.setLineDash([]);
      } else if (shape.label) {
        const [x, y, text] = shape.label;
        const [cx, cy] = this.toStage(x + 0.5, y + 1);
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

  // ---- the minimap

  minimapScale() {
    const side = Math.min(170, this.width * 0.35);
    return Math.min(side / this.board.columns, side / this.board.rows);
  }

  drawMinimap(scene) {
    const { paint, board } = this;
    const scale = this.minimapScale();
    const width = Math.max(24, board.columns * scale), height = Math.max(24, board.rows * scale);
    this.minimap.style.width = `${width}px`;
    this.minimap.style.height = `${height}px`;
    const ctx = fitCanvas(this.minimap, width, height);
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
      if (scene.world.gone[agent] || (scene.members && !scene.members.has(agent))) return;
      ctx.fillStyle = paint[team];
      dot(scene.world.x[agent], scene.world.y[agent], agent === scene.selected ? 6 : 3.5);
    });
    const low = this.fieldAt(0, this.height), high = this.fieldAt(this.width, 0);
    ctx.strokeStyle = paint.ink;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(low.x * scale, height - high.y * scale, (high.x - low.x) * scale, (high.y - low.y) * scale);
  }

  /** Moves the look to a point of the minimap. */
  lookAt(mx, my) {
    const scale = this.minimapScale();
    this.centre(mx / scale, this.board.rows - my / scale);
  }

  /** The agent under a point of the stage, or -1. */
  agentAt(world, sx, sy) {
    let best = -1, nearest = Math.max(12, this.camera.scale * 0.6) ** 2;
    for (let agent = 0; agent < world.x.length; agent++) {
      if (world.gone[agent]) continue;
      const [cx, cy] = this.toStage(world.x[agent] + 0.5, world.y[agent] + 0.5);
      const away = (cx - sx) ** 2 + (cy - sy) ** 2;
      if (away < nearest) [best, nearest] = [agent, away];
    }
    return best;
  }
}
