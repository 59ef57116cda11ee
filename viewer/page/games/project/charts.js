// Below the board: points over time, the agents' lines, and the marks beside the slider.

import { clockText } from "../../shell/clock.js";
import { CHARTS_EVERY_MS, drawTrack, placeCursorAt } from "../../shell/course.js";
import { agentShape } from "./drawing/shapes.js";
import { drawCourse, drawGantt, GANTT_ROW } from "./drawing/charts.js";
import { byId, keepInSight, make, write } from "../../shell/dom.js";
import { Throttle } from "../../shell/throttle.js";

/** A game that grows is shown up to a multiple of one of these, in milliseconds. */
const ROUND_ENDS = [10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000];

/** The height of the agents' lines that are seen at once, in pixels; the rest is scrolled to. */
const MOST_GANTT = 116;

/** The charts, and what is wanted of them. */
export class Charts {
  constructor(room) {
    this.room = room;
    this.page = room.page;
    this.growth = new Throttle(() => this.paint(), CHARTS_EVERY_MS);
    /** The stretch of time that the agents' lines show since they were painted last. */
    this.shown = null;
    this.course = this.gantt = null;
    /** The view for which they were painted, and the agent whose line was scrolled to. */
    this.sight = null;
    this.scrolledTo = -1;
    // What changes more often than the charts lies beneath them.
    this.window = make("div", { "class": "window", id: "course-window", hidden: true });
    this.chosen = make("div", { "class": "chosen", id: "gantt-chosen", hidden: true });
    byId("course").before(this.window);
    byId("gantt").before(this.chosen);
    this.wire();
  }

  /** The whole game so far. While the page keeps up with one it ends at a round moment that is still to come: the
   * charts stand still, and only what is in them grows. */
  get whole() {
    const { game, ended, time: { from, following } } = this.page;
    const length = Math.max(1000, game.duration - from);
    if (!following || ended) return [from, from + length];
    const step = ROUND_ENDS.find((one) => one * 8 >= length) ?? ROUND_ENDS.at(-1);
    return [from, from + Math.ceil((length + step / 4) / step) * step];
  }

  /** The stretch of time in which the agents' lines are shown: it is turned like a page. */
  stretch() {
    const span = Number(byId("span").value), [from, to] = this.whole;
    if (!span || to - from <= span) return [from, to];
    const turn = span * 0.8;
    const start = Math.max(from, Math.min(to - span, from + Math.floor((this.page.time.t - from) / turn) * turn));
    return [start, start + span];
  }

  paint() {
    const { page, room } = this;
    if (!page.game.start || page.tab !== "board") return;
    this.course = drawCourse(byId("course"), room.board.paint, page.game, ...this.whole, page.game.duration);
    this.shown = this.stretch();
    this.sight = room.sight;
    this.paintGantt();
    this.paintTicks();
    page.invalidate();
  }

  paintGantt() {
    const { page, room } = this;
    if (!page.game.start || page.tab !== "board" || !this.shown) return;
    this.gantt = drawGantt(byId("gantt"), room.board.paint, page.game, ...this.shown, room.sight);
    // As high in a view of few agents: the board stays as it is.
    byId("gantt-scroll").style.minHeight = `${Math.min(MOST_GANTT, page.game.start.agents.length * GANTT_ROW + 2)}px`;
    byId("gantt-cursor").style.height = byId("gantt").style.height;
    write(byId("span-shown"), this.shown.map((t) => clockText(t, false)).join(" – "));
    const [from, to] = this.shown.map(this.course.xOf);
    this.window.hidden = this.shown[0] <= this.course.from && this.shown[1] >= this.course.to;
    this.window.style.left = `${from}px`;
    this.window.style.width = `${to - from}px`;
    this.mark();
  }

  /** Marks the chosen agent's line, and has it in sight once it is chosen. */
  mark() {
    const { room: { selected }, gantt } = this;
    const row = gantt && selected >= 0 ? gantt.rowOf(selected) : -1;
    this.chosen.hidden = row < 0;
    this.chosen.style.top = `${row * GANTT_ROW + 0.5}px`;
    this.chosen.style.height = `${GANTT_ROW}px`;
    if (row >= 0 && selected !== this.scrolledTo) keepInSight(byId("gantt-scroll"), row * GANTT_ROW, GANTT_ROW + 2);
    this.scrolledTo = row < 0 ? -1 : selected;
  }

  /** Shows which agent is chosen, and what those see whose view it is. */
  choose() {
    if (this.sight !== this.room.sight) this.paint();
    else this.mark();
  }

  /** Goals and lies beside the slider, as far as somebody saw them. */
  paintTicks() {
    const { page, room } = this;
    const { paint } = room.board, { ctx, middle, xOf } = drawTrack(byId("ticks"), paint, page.game, page.time.from);
    ctx.fillStyle = paint.lie;
    for (const index of room.sight.isWhole ? page.game.ofKind.lie : []) ctx.fillRect(xOf(page.game.events[index][0]) - 0.5, middle + 4, 1.5, 5);
    for (const index of page.game.ofKind.goal) {
      if (!room.sight.sees(index)) continue;
      const [t, , agent] = page.game.events[index];
      const { team } = page.game.start.agents[agent];
      ctx.fillStyle = paint[team];
      agentShape(ctx, team, xOf(t), middle - (team === "red" ? 7 : 6.5), 3);
      ctx.fill();
    }
  }

  placeCursors() {
    const { page, room } = this;
    if (!this.shown) return;
    const [from, to] = this.stretch();
    // A live game that is looked back on grows: painting that can wait.
    const turned = from !== this.shown[0] || (to !== this.shown[1] && (page.time.following || Number(byId("span").value)));
    if (turned) this.paint();
    for (const [id, chart] of [["course-cursor", this.course], ["gantt-cursor", this.gantt]]) {
      placeCursorAt(byId(id), chart, page.time.t);
    }
  }

  wire() {
    const { page, room } = this;
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
          if (id === "gantt") room.select(chart.agentAt(event.clientY - box.top));
        }
        page.time.playing = false;
        page.time.seek(chart.tOf(event.clientX - box.left));
      };
      canvas.addEventListener("pointerdown", seek);
      canvas.addEventListener("pointerup", seek);
      canvas.addEventListener("pointercancel", () => { tapped = null; });
      canvas.addEventListener("pointermove", seek);
    }
  }
}
