// The board on its canvases, and the part of it that is looked at.

import { fitCanvas, readPaint } from "../../../shell/paint.js";
import { Distances } from "./distances.js";
import { drawGround } from "./ground.js";
import { drawAgent, drawMarks } from "./agents.js";
import { drawRemark, drawSigns } from "./signs.js";
import { drawMinimap, minimapScale } from "./minimap.js";

/** The room around a board that is shown whole: coordinates at the left and below, buttons at the right. */
const MARGIN = { left: 28, right: 48, top: 12, bottom: 22 };

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

  /** Takes over the board of a game that begins. If the game `goesOn`, the part of it that is looked at stays. */
  show(start, goesOn) {
    this.board = start.board;
    // On a phone the stage takes the board's shape.
    this.stage.style.setProperty("--aspect", String(start.board.rows / start.board.columns));
    this.refresh();
    if (!goesOn) this.fit();
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
      drawGround(this, scene);
    }
    this.drawActors(scene);
    this.minimap.hidden = this.isWhole;
    if (!this.isWhole) drawMinimap(this, scene);
  }

  /** The distances from the nearest piece in this state, computed again only when a piece has moved. */
  distances(world) {
    if (this.measured?.ground !== world.ground) this.measured = new Distances(world);
    return this.measured;
  }

  drawActors(scene) {
    const ctx = fitCanvas(this.actors, this.width, this.height);
    drawSigns(this, ctx, scene);
    const { world, sight, selected } = scene;
    this.sight = sight;
    const shown = scene.game.start.agents.map(({ id }) => id).filter((id) => !world.gone[id] && sight.has(id));
    // The chosen one is over the others.
    if (shown.includes(selected)) shown.push(selected);
    for (const draw of [drawAgent, drawMarks]) for (const agent of shown) draw(this, ctx, scene, agent);
    if (selected >= 0 && sight.has(selected)) drawRemark(this, ctx, scene);
  }

  /** Moves the look to a point of the minimap. */
  lookAt(mx, my) {
    const scale = minimapScale(this);
    this.centre(mx / scale, this.board.rows - my / scale);
  }

  /** The agent that is seen under a point of the stage, or -1. */
  agentAt(world, sx, sy) {
    let best = -1, nearest = Math.max(12, this.camera.scale * 0.6) ** 2;
    for (let agent = 0; agent < world.x.length; agent++) {
      if (world.gone[agent] || !this.sight?.has(agent)) continue;
      const [cx, cy] = this.toStage(world.x[agent] + 0.5, world.y[agent] + 0.5);
      const away = (cx - sx) ** 2 + (cy - sy) ** 2;
      if (away < nearest) [best, nearest] = [agent, away];
    }
    return best;
  }
}
