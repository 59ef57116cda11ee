// Limits how often an action runs.

/** Runs an action at once, and at most once in each pause: a request within a pause runs it at the end of the pause. */
export class Throttle {
  /** `pause` is in milliseconds. */
  constructor(action, pause) {
    Object.assign(this, { action, pause, timer: 0, isAsked: false });
  }

  ask() {
    if (this.timer) this.isAsked = true;
    else this.now();
  }

  /** Runs it without a pause before it. */
  now() {
    clearTimeout(this.timer);
    this.isAsked = false;
    this.timer = setTimeout(() => {
      this.timer = 0;
      if (this.isAsked) this.now();
    }, this.pause);
    this.action();
  }
}
