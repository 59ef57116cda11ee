// The moment that is shown: it runs, jumps, and follows a game under way.

import { byId } from "./dom.js";
import { announce, toast } from "./notices.js";

/** How many times as fast as it was played a game may be shown. */
export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];

/** While a game is live it is shown this much late, so that moves glide instead of jump. */
const LIVE_DELAY_MS = 120;

/** Waiting that is skipped is longer than this; the second span is left before the next event. */
const WAITING_MS = 600;
const BEFORE_EVENT_MS = 250;

/** The moment that the page shows, in milliseconds of the game's clock. */
export class Time {
  constructor(page) {
    this.page = page;
    this.t = 0;
    this.playing = false;
    this.following = false;
    /** Whether the page followed the game until the connection was lost. */
    this.resumes = false;
    this.speed = 1;
    /** The moment that the address names, until the feed of a game under way has come as far. */
    this.wanted = null;
    /** The game's clock by the last message, and the browser's then. */
    this.clockAt = undefined;
  }

  get from() {
    return this.page.game.start?.t ?? 0;
  }

  seek(t, { quiet = false } = {}) {
    if (!this.page.game.start) return;
    this.t = Math.max(this.from, Math.min(t, this.page.game.duration));
    this.wanted = null;
    if (!quiet) this.resumes = false;
    if (this.page.live && !quiet) this.follow(false);
    if (!quiet) this.page.address.writeSoon();
    this.page.invalidate(true);
  }

  /** To the end; the end of a game under way is followed. */
  seekEnd() {
    this.seek(this.page.game.duration);
    if (this.page.live && !this.page.ended) this.follow(true);
  }

  /** Live: whether the page keeps up with the game. */
  follow(on) {
    this.following = on && this.page.live && this.page.isConnected;
    if (on && !this.page.isConnected) this.resumes = true;
    if (this.following) this.playing = false;
    byId("follow-live").setAttribute("aria-pressed", String(this.following));
    this.page.address.writeSoon();
    this.page.invalidate(true);
  }

  /** Starts the time, or stops it where it runs. At the end of a game it starts from the beginning. */
  play() {
    const { game, live, ended, address } = this.page, on = !this.moves;
    if (!game.start) return;
    if (this.following) this.follow(false);
    if (on && this.t >= game.duration && (!live || ended)) this.t = this.from;
    this.playing = on;
    if (!on) address.writeSoon();
    this.page.invalidate(true);
  }

  step(direction) {
    this.playing = false;
    const { game, room } = this.page, t = game.step(this.t, direction, room.sight);
    if (t !== undefined) {
      this.seek(t);
      announce(room.text(game.lastLoud(t, room.sight)));
    } else if (direction < 0) this.seek(this.from);
    this.page.invalidate(true);
  }

  /** Moves the moment by this number of milliseconds. */
  leap(milliseconds) {
    this.seek(this.t + milliseconds);
    announce(this.page.game.momentText(this.t));
  }

  setSpeed(speed) {
    this.speed = speed;
    byId("speed").value = String(speed);
    this.page.invalidate(true);
  }

  changeSpeed(direction) {
    const place = SPEEDS.indexOf(this.speed) + direction;
    if (SPEEDS[place]) this.setSpeed(SPEEDS[place]);
  }

  /** To the next event of a kind, or the one before. The agent that acts is chosen if none is. */
  jump(kind, direction) {
    if (!this.page.game.start) return;
    byId("kind").value = kind;
    const index = this.page.game.neighbour(kind, this.t, direction, this.page.room.sight);
    if (index === undefined) {
      toast(`no ${kind} ${direction > 0 ? "after" : "before"} this moment`);
      return;
    }
    this.playing = false;
    this.showEvent(index);
  }

  showEvent(index) {
    const event = this.page.game.events[index];
    this.page.list.mark(index);
    this.seek(event[0]);
    this.page.room.showEvent(index);
    announce(this.page.room.text(index));
  }

  /** Whether time runs on by itself. */
  get moves() {
    return this.playing || (this.following && (!this.page.ended || this.t < this.page.game.duration));
  }

  advance(passed) {
    const { game } = this.page;
    if (this.following) {
      // Never back: a clock that was guessed too far ahead is waited for. The end is known exactly.
      // Moves without a clock are shown as they come.
      this.t = this.page.ended || game.start.turns ? game.duration : Math.max(this.from, this.t, this.clockAtNow(performance.now()) - LIVE_DELAY_MS);
      return;
    }
    if (!this.playing) return;
    this.t += passed * this.speed;
    if (byId("skip").checked) {
      const next = game.step(this.t, 1, this.page.room.sight);
      const before = BEFORE_EVENT_MS * Math.max(1, this.speed);
      const [last] = game.events[Math.max(0, game.countAt(this.t) - 1)] ?? [0];
      const settled = this.t - last > WAITING_MS * Math.max(1, this.speed);
      if (next !== undefined && settled && next - this.t > before) this.t = next - before;
    }
    if (this.t >= game.duration) {
      this.t = game.duration;
      this.playing = false;
      if (this.page.live && !this.page.ended) this.follow(true);
      this.page.address.writeSoon();
      this.page.invalidate(true);
    }
  }

  /** Goes to the moment that was asked for, as soon as the feed has come so far; `late` if it will not any more. */
  reachMoment(late) {
    if (this.wanted === null) return;
    const { wanted } = this;
    if (late || this.page.game.duration >= wanted) this.wanted = null;
    if (this.page.game.duration >= wanted || (late && !this.page.live)) this.seek(wanted);
  }

  /** Keeps the offset between the game's clock and the browser's. */
  keepClock() {
    const now = performance.now(), { clock } = this.page.game;
    const guess = this.clockAt === undefined ? -Infinity : this.clockAtNow(now);
    if (clock > guess || guess - clock > 500) this.clockAt = { t: clock, now };
    this.page.ended = this.page.game.isOver;
  }

  /** The game's clock as it should be now, going by the last message. It does not run on far without news. */
  clockAtNow(now) {
    if (!this.clockAt) return this.page.game.clock;
    return this.clockAt.t + Math.min(1500, now - this.clockAt.now);
  }
}
