// Paints a frame when something has changed, and one after the other while time runs.

import { byId, write } from "./dom.js";

/** How often texts beside the board are written again while time runs. */
const PANELS_EVERY_MS = 120;

/** The loop of frames. */
export class Loop {
  constructor(page) {
    this.page = page;
    this.frame = 0;
    /** For the next frame while no board is shown. */
    this.timer = 0;
    this.lastFrame = 0;
    this.panelsAt = -Infinity;
    /** The last frames' times in milliseconds, for measurements of the page. */
    this.frameTimes = [];
  }

  /** Has the next frame painted; `panels` for the texts beside the board as well. */
  invalidate(panels = false) {
    if (panels) this.panelsAt = -Infinity;
    if (!this.frame) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.frame = 0;
    const passed = Math.min(250, now - (this.lastFrame || now));
    if (this.lastFrame) {
      this.frameTimes.push(now - this.lastFrame);
      if (this.frameTimes.length > 600) this.frameTimes.shift();
    }
    this.lastFrame = now;
    if (!this.page.game.start || this.page.tab !== "board") {
      this.lastFrame = 0;
      if (this.page.game.start) this.writeScore();
      if (this.page.time.following && !this.page.ended) {
        this.page.time.advance(0);
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.invalidate(), 200);
      }
      return;
    }
    this.page.time.advance(passed);
    this.paint();
    if (now - this.panelsAt > PANELS_EVERY_MS) {
      this.panelsAt = now;
      this.writePanels();
    }
    if (this.page.time.moves) this.invalidate();
    else this.lastFrame = 0;
  }

  paint() {
    const { page } = this, { time, game } = page;
    page.room.draw();
    page.study.placeCursor();
    this.writeScore();
    byId("scrub").max = String(Math.ceil(game.duration));
    byId("scrub").min = String(time.from);
    byId("scrub").value = String(Math.round(time.t));
  }

  writeScore() {
    this.page.room.writeScore();
    write(byId("clock"), this.page.game.momentText(this.page.time.t));
  }

  writePanels() {
    const { page } = this, { time, game } = page;
    byId("play-icon").setAttribute("href", time.moves ? "#icon-pause" : "#icon-play");
    byId("play").setAttribute("aria-label", time.moves ? "Pause" : "Play");
    byId("scrub").setAttribute("aria-valuetext", game.momentText(time.t));
    const file = game.hello.file ?? (page.live ? "live" : "replay");
    write(byId("place"), `${file} #t=${Math.round(time.t)}`);
    page.room.writePanels();
    page.list.follow(game.countAt(time.t) - 1);
  }
}
