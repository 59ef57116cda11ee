// The list of what happened.

import { lowerBound } from "./search.js";
import { byId, keepInSight, make } from "./dom.js";

const EVENT_ROW = 26;

/** The list of events. Only the rows that can be seen exist. */
export class EventList {
  constructor(page) {
    this.page = page;
    this.box = byId("events");
    this.sheet = byId("events-sheet");
    this.rows = [];
    /** The view for which the list is made. */
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

  /** The choices of events, by name: the kinds of each. */
  get filters() {
    const { kinds, unlisted, highlights } = this.page.room.constructor;
    const listed = kinds.filter((kind) => !unlisted.includes(kind));
    return { highlights, all: listed, ...Object.fromEntries(listed.map((kind) => [kind, [kind]])) };
  }

  /** The kind of an event, as the selected sight shows it. */
  kind(index) {
    const { game, room } = this.page;
    return room.sight.kind?.(index) ?? game.kinds[index];
  }

  /** Forgets the events of a game when another begins, or the same one is told anew. */
  reset() {
    this.now = -1;
    this.refilter();
  }

  /** Makes the list anew. */
  refilter() {
    this.shown = [];
    this.read = 0;
    this.chosen = -1;
    for (const row of this.rows) delete row.dataset.index;
    this.handled = -Infinity;
    this.grow();
    this.follow(this.now, true);
  }

  /** Takes over events that came since, or all anew if somebody else looks. */
  grow() {
    const { game, room } = this.page;
    if (!game.start) return;
    const { sight } = room;
    if (sight !== this.sight) {
      this.sight = sight;
      this.refilter();
      return;
    }
    const wanted = new Set(this.filters[byId("filter").value].map((kind) => game.kindNames.indexOf(kind)));
    for (; this.read < game.events.length; this.read++) {
      if (wanted.has(this.kind(this.read)) && sight.sees(this.read)) this.shown.push(this.read);
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
    this.page.time.playing = false;
    this.page.time.showEvent(index);
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
        row.dataset.kind = this.page.game.kindNames[this.kind(index)];
        row.replaceChildren(...this.page.room.row(index));
      }
      row.dataset.place = String(place);
      row.id = `event-${place}`;
      row.style.transform = `translateY(${place * EVENT_ROW}px)`;
      row.classList.toggle("now", place === present);
      row.classList.toggle("later", place > present);
      row.setAttribute("aria-posinset", String(place + 1));
      row.setAttribute("aria-setsize", String(this.shown.length));
      row.setAttribute("aria-selected", String(place === this.chosen));
    });
    if (this.chosen >= 0) this.box.setAttribute("aria-activedescendant", `event-${this.chosen}`);
    else this.box.removeAttribute("aria-activedescendant");
  }
}
