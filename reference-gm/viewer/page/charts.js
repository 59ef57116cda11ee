// Below the board: points over time, the agents' lines, and the marks beside the slider.

import { clockText } from "../model/terms.js";
import { fitCanvas } from "../drawing/paint.js";
import { agentShape } from "../drawing/shapes.js";
import { drawCourse, drawGantt, GANTT_ROW } from "../drawing/charts.js";
import { byId, write } from "./dom.js";

/** How often charts are painted again while a live game grows. */
export const CHARTS_EVERY_MS = 900;

/** The charts, and what is wanted of them. */
export class Charts {
  constructor(page) {
    this.page = page;
    /** When they were painted last, and what the agents' lines show since then. */
    this.paintedAt = 0;
    this.shown = null;
    this.course = this.gantt = null;
    this.wire();
  }

  get whole() {
    return [this.page.from, Math.max(this.page.from + 1000, this.page.game.duration)];
  }

  /** The stretch of time in which the agents' lines are shown: it is turned like a page. */
  stretch() {
    const span = Number(byId("span").value), [from, to] = this.whole;
    if (!span || to - from <= span) return [from, to];
    const turn = span * 0.8;
    const start = Math.max(from, Math.min(to - span, from + Math.floor((this.page.t - from) / turn) * turn));
    return [start, start + span];
  }

  paint() {
    const { page } = this;
    if (!page.game.start || page.tab !== "board") return;
    this.paintedAt = performance.now();
    this.course = drawCourse(byId("course"), page.board.paint, page.game, ...this.whole, page.game.duration);
    this.shown = this.stretch();
    this.paintGantt();
    this.paintTicks();
    page.invalidate();
  }

  paintGantt() {
    const { page } = this;
    if (!page.game.start || page.tab !== "board" || !this.shown) return;
    this.gantt = drawGantt(byId("gantt"), page.board.paint, page.game, ...this.shown, page.selected);
    byId("gantt-cursor").style.height = byId("gantt").style.height;
    write(byId("span-shown"), this.shown.map((t) => clockText(t, false)).join(" – "));
  }

  /** Goals and lies beside the slider. */
  paintTicks() {
    const { page } = this;
    const canvas = byId("ticks"), { paint } = page.board;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    const ctx = fitCanvas(canvas, width, height);
    const inset = 7, span = Math.max(1, page.game.duration - page.from);
    const xOf = (t) => inset + ((t - page.from) / span) * (width - 2 * inset);
    ctx.fillStyle = paint.grid;
    ctx.beginPath();
    ctx.roundRect(inset, height / 2 - 3, width - 2 * inset, 6, 3);
    ctx.fill();
    ctx.fillStyle = paint.lie;
    for (const index of page.game.ofKind.lie) ctx.fillRect(xOf(page.game.events[index][0]) - 0.5, height / 2 + 4, 1.5, 5);
    for (const index of page.game.ofKind.goal) {
      const [t, , agent] = page.game.events[index];
      const { team } = page.game.start.agents[agent];
      ctx.fillStyle = paint[team];
      agentShape(ctx, team, xOf(t), height / 2 - (team === "red" ? 7 : 6.5), 3);
      ctx.fill();
    }
  }

  placeCursors() {
    const { page } = this;
    if (!this.shown) return;
    const [from, to] = this.stretch();
    const turned = from !== this.shown[0] || (Number(byId("span").value) && to !== this.shown[1]);
    // While a game grows so does the stretch: painting it again can wait a little then.
    if (turned && (!page.following || performance.now() - this.paintedAt > CHARTS_EVERY_MS)) this.paint();
    for (const [id, chart] of [["course-cursor", this.course], ["gantt-cursor", this.gantt]]) {
      byId(id).style.transform = `translateX(${Math.round(chart.xOf(page.t) * 2) / 2}px)`;
    }
  }

  wire() {
    const { page } = this;
    for (const id of ["course", "gantt"]) {
      const canvas = byId(id);
      // A finger that swipes scrolls the page; one that taps leads to the moment.
      let tapped = null;
      const seek = (event) => {
        if (event.pointerType === "touch") {
          if (event.type === "pointerdown") tapped = { x: event.clientX, y: event.clientY };
          const slipped = !tapped || Math.hypot(event.clientX - tapped.x, event.clientY - tapped.y) > 9;
          if (slipped) tapped = null;
          if (slipped || event.type !== "pointerup") return;
        } else if (event.type === "pointerup") return;
        const chart = id === "course" ? this.course : this.gantt;
        if (!chart || (event.type === "pointermove" && !(event.buttons & 1))) return;
        const box = canvas.getBoundingClientRect();
        if (event.type !== "pointermove") {
          if (event.type === "pointerdown") canvas.setPointerCapture(event.pointerId);
          if (id === "gantt") page.select(Math.floor((event.clientY - box.top - 1) / GANTT_ROW));
        }
        page.playing = false;
        page.seek(chart.tOf(event.clientX - box.left));
      };
      canvas.addEventListener("pointerdown", seek);
      canvas.addEventListener("pointerup", seek);
      canvas.addEventListener("pointercancel", () => { tapped = null; });
      canvas.addEventListener("pointermove", seek);
    }
  }
}
