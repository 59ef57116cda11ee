// The findings of a study of the game: the course of a team's chance below the board, and remarks that lead to their moments.

import { drawAxes, placeCursorAt, seekBy } from "./course.js";
import { byId, make, write } from "./dom.js";
import { lowerBound } from "./search.js";
import { StudyForm } from "./study-form.js";

/** Space left of the chances for their numbers, in pixels. */
const CHANCES_LEFT = 44;

/** The opacity of the interval of a chance. */
const INTERVAL_ALPHA = 0.2;

/** The parts of a sentence: text between backticks is code. */
function sentence(text) {
  // A number and its unit stay together.
  return text.replaceAll(" %", "\u00a0%").split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));
}

/** The findings: a chart, and a card with a button for each remark, and with a form where more can be asked for. */
export class Study {
  constructor(page) {
    this.page = page;
    this.form = new StudyForm(page);
    /** The axes of the chart, once it is drawn. */
    this.axes = null;
    /** The remarks in the list. */
    this.told = "";
    seekBy(byId("chances-course"), page.time, () => this.axes);
  }

  get findings() {
    return this.page.game.study;
  }

  /** Shows the findings, once there are any. */
  show() {
    const { team, chances, remarks } = this.findings;
    this.form.show(this.findings);
    byId("chances").hidden = !chances.length;
    byId("study").hidden = !remarks.length && !this.form.isOffered;
    write(byId("chances-title"), `The chance of ${team} in %`);
    // While a study goes on it is told again and again: what the user is about to click stays.
    const told = JSON.stringify(remarks);
    if (told !== this.told) {
      byId("study-remarks").replaceChildren(...remarks.map((remark) => this.item(remark)));
      // The newest remarks are the first.
      byId("study").scrollTop = 0;
    }
    this.told = told;
    this.paint();
  }

  /** A remark as an item of the list. */
  item({ text, t }) {
    if (t === null) return make("li", {}, ...sentence(text));
    const { time } = this.page;
    const go = () => {
      time.playing = false;
      time.seek(t);
    };
    return make("li", {}, make("button", { type: "button", "class": "remark", "data-t": t, click: go }, ...sentence(text)));
  }

  /** Draws the chances: a line, and the interval of each. */
  paint() {
    const { game, tab, time } = this.page, chances = this.findings?.chances;
    if (!chances?.length || !game.start || tab !== "board") return;
    this.axes = drawAxes(byId("chances-course"), game, time.from, { left: CHANCES_LEFT, most: 100, marked: [0, 50, 100], numbersMoves: Boolean(game.start.turns) });
    const { ctx, paint, xOf, yOf } = this.axes;
    const place = ([t, ...shares], which) => [xOf(t), yOf(100 * shares[which])];
    ctx.fillStyle = ctx.strokeStyle = paint.accent;
    ctx.globalAlpha = INTERVAL_ALPHA;
    ctx.beginPath();
    for (const chance of chances) ctx.lineTo(...place(chance, 0));
    for (const chance of chances.toReversed()) ctx.lineTo(...place(chance, 2));
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.beginPath();
    for (const chance of chances) ctx.lineTo(...place(chance, 1));
    ctx.stroke();
    this.placeCursor();
  }

  /** Marks the moment that is shown, and writes the last chance up to it. */
  placeCursor() {
    const { time } = this.page, chances = this.findings?.chances;
    this.form.writeMoment();
    if (!chances?.length || !this.axes) return;
    placeCursorAt(byId("chances-cursor"), this.axes, time.t);
    const next = lowerBound(chances.length, (one) => chances[one][0] <= time.t);
    const [low, value, high] = chances[Math.max(0, next - 1)].slice(1).map((share) => Math.round(100 * share));
    write(byId("chances-now"), `${value} % (${low} to ${high})`);
  }
}
