// The list of what happened.

import { clockText, eventAgent, KINDS, VERDICTS } from "../model/terms.js";
import { lowerBound } from "../model/search.js";
import { TOLD_SIGN, VERDICT_SIGNS } from "../drawing/paint.js";
import { byId, keepInSight, make } from "./dom.js";
import { eventText, eventWords } from "./words.js";

const EVENT_ROW = 26;

const SIGNS = {
  "goal": "◆", "pick-up": "▲", "put": "▽", "check": "◎", "exchange": TOLD_SIGN, "question": "…",
  "refusal": "⊘", "move": "→", "discovery": "◌", "new piece": "•", "remark": "“", "end": "■",
};

export const FILTERS = {
  highlights: ["goal", "pick-up", "put", "exchange", "lie", "end"],
  all: KINDS.filter((kind) => kind !== "lock"),
  ...Object.fromEntries(KINDS.filter((kind) => kind !== "lock").map((kind) => [kind, [kind]])),
};

/** The list of events. Only the rows that can be seen exist. */
export class EventList {
  constructor(page) {
    this.page = page;
    this.box = byId("events");
    this.sheet = byId("events-sheet");
    this.rows = [];
    /** Whose eyes the list is made for. */
    this.sight = null;
    this.shown = [];
    this.read = 0;
    this.now = -1;
    this.chosen = -1;
    this.handled = -Infinity;
    this.box.addEventListener("scroll", () => this.paint());
    for (const type of ["wheel", "pointerdown", "touchmove"]) {
      this.box.addEventListener(type, () => { this.handled = performance.now(); }, { passive: true });
    }
    this.box.addEventListener("click", ({ target }) => {
      const row = target.closest(".event");
      if (row) this.go(Number(row.dataset.place));
    });
    this.box.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
      if (step !== undefined) {
        event.preventDefault();
        event.stopPropagation();
        const from = this.chosen >= 0 ? this.chosen : this.place(this.now);
        this.choose(Math.max(0, Math.min(this.shown.length - 1, from + step)));
      } else if (event.key === "Enter" && this.chosen >= 0) this.go(this.chosen);
    });
  }

  reset() {
    this.shown = [];
    this.read = 0;
    this.now = -1;
    this.grow();
  }

  refilter() {
    this.shown = [];
    this.read = 0;
    this.chosen = -1;
    for (const row of this.rows) delete row.dataset.index;
    this.grow();
    this.handled = -Infinity;
    this.follow(this.now, true);
  }

  /** Takes over events that came since, or all anew if somebody else looks. */
  grow() {
    const { game, sight } = this.page;
    if (!game.start) return;
    if (sight !== this.sight) {
      this.sight = sight;
      this.refilter();
      return;
    }
    const wanted = new Set(FILTERS[byId("filter").value].map((kind) => KINDS.indexOf(kind)));
    for (; this.read < game.events.length; this.read++) {
      if (wanted.has(sight.kind(this.read)) && sight.sees(this.read)) this.shown.push(this.read);
    }
    this.sheet.style.height = `${Math.max(1, this.shown.length) * EVENT_ROW}px`;
    this.paint();
  }

  resize() {
    this.grow();
    this.follow(this.now, true);
  }

  /** The place in the list of the last event up to this one. */
  place(index) {
    return lowerBound(this.shown.length, (place) => this.shown[place] <= index) - 1;
  }

  /** Keeps the present moment in sight, unless the user has just moved the list. */
  follow(index, always = false) {
    if (index === this.now && !always) return;
    this.now = index;
    if (performance.now() - this.handled > 4000) {
      const top = this.place(index) * EVENT_ROW, height = this.box.clientHeight;
      if (top < this.box.scrollTop + EVENT_ROW || top > this.box.scrollTop + height - 3 * EVENT_ROW) {
        this.box.scrollTop = Math.max(0, top - height * 0.4);
      }
    }
    this.paint();
  }

  mark(index) {
    this.handled = -Infinity;
    this.chosen = this.shown[this.place(index)] === index ? this.place(index) : -1;
  }

  choose(place) {
    this.chosen = place;
    keepInSight(this.box, place * EVENT_ROW, EVENT_ROW);
    this.handled = performance.now();
    this.paint();
  }

  go(place) {
    const index = this.shown[place];
    if (index === undefined) return;
    this.page.playing = false;
    this.page.showEvent(index);
    this.chosen = place;
    this.handled = performance.now();
    this.paint();
  }

  paint() {
    const height = this.box.clientHeight;
    if (!height) return;
    const first = Math.max(0, Math.floor(this.box.scrollTop / EVENT_ROW) - 3);
    const count = Math.min(this.shown.length - first, Math.ceil(height / EVENT_ROW) + 6);
    while (this.rows.length < count) {
      const row = make("div", { "class": "event", role: "option" });
      this.rows.push(row);
      this.sheet.append(row);
    }
    const present = this.place(this.now);
    this.rows.forEach((row, number) => {
      const place = first + number, index = this.shown[place];
      row.hidden = number >= count;
      if (row.hidden) return;
      if (row.dataset.index !== String(index)) {
        row.dataset.index = String(index);
        row.dataset.kind = KINDS[this.page.sight.kind(index)];
        row.replaceChildren(...eventRow(this.page.game, index, this.page.sight));
      }
      row.dataset.place = String(place);
      row.id = `event-${place}`;
      row.style.transform = `translateY(${place * EVENT_ROW}px)`;
      row.classList.toggle("now", place === present);
      row.classList.toggle("later", place > present);
      row.setAttribute("aria-selected", String(place === this.chosen));
    });
    if (this.chosen >= 0) this.box.setAttribute("aria-activedescendant", `event-${this.chosen}`);
    else this.box.removeAttribute("aria-activedescendant");
  }
}

function worthSign(worth) {
  return make("span", { "class": `sign worth ${VERDICTS[worth]}`, "aria-hidden": "true" }, VERDICT_SIGNS[worth]);
}

function eventRow(game, index, sight) {
  const event = game.events[index], agent = eventAgent(event);
  const who = agent >= 0 ? [make("b", { "class": game.start.agents[agent].team }, String(game.numberOf(agent))), " "] : [];
  return [
    make("time", {}, clockText(event[0])),
    event[1] === "answered" && sight.isWhole ? worthSign(game.verdicts.get(index).worth)
      : make("span", { "class": "sign", "aria-hidden": "true" }, SIGNS[KINDS[sight.kind(index)]]),
    make("span", { "class": "text", title: eventText(game, index, sight) }, ...who, eventWords(game, index, sight)),
  ];
}
