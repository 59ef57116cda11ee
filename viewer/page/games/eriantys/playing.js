// A person plays Eriantys: what may be chosen next is marked on the table, and stands below it as buttons.
//
// A click on the table and a button are the same choice. The buttons are all that a keyboard needs: arrow keys lead over
// them, Enter chooses, Esc takes the last choice back. What may be chosen the seat's options say.

import { make, write } from "../../shell/dom.js";
import { announce } from "../../shell/notices.js";
import { EriantysChoices, EXCHANGE_DONE } from "./choices.js";
import { characterText, studentsText } from "./words.js";

/** What a person is to choose, by the first word of the choices. */
const ERIANTYS_QUESTIONS = {
  assistant: "Play an assistant: a low number moves first, a high one lets Mother Nature go farther.",
  entrance: "Choose a student of your entrance.",
  dining: "Where does the student go?", island: "Where does the student go?",
  steps: "Move Mother Nature.", cloud: "Take a cloud.", card: "Play a character.",
  colour: "Choose a colour.", take: "Which student do you take?", give: "Which student do you give for it?",
};

/** Several of these may be answered at once: the first of them is the question. */
const ERIANTYS_ORDER = ["assistant", "entrance", "steps", "cloud", "take", "give", "colour", "dining", "island", "card"];

/** The choices of a person. */
export class EriantysPlaying {
  constructor(room, parts) {
    this.room = room;
    this.parts = parts;
    this.seat = null;
    this.choices = new EriantysChoices([]);
    /** What was chosen since the last action. */
    this.chosen = [];
    /** The options that the buttons have. */
    this.written = null;
    for (const place of [parts.ring, parts.schools, parts.cards]) {
      place.addEventListener("click", ({ target }) => {
        const marked = target.closest("[data-choice]");
        if (marked && !(marked instanceof HTMLButtonElement)) this.choose(marked.getAttribute("data-choice"));
      });
    }
    parts.panel.addEventListener("keydown", (event) => this.press(event));
    parts.back.addEventListener("click", () => this.back());
  }

  /** Shows what the seat may do now; null if nobody plays here. */
  show(seat) {
    const options = seat?.options.join("|") ?? null;
    const isNew = seat && !this.seat;
    this.seat = seat;
    if (options === this.written && !isNew) return;
    this.written = options;
    this.choices = new EriantysChoices(seat?.options ?? []);
    this.chosen = [];
    this.write(isNew);
  }

  get next() {
    return this.choices.after(this.chosen).next;
  }

  /** Writes the question and the buttons; `takesFocus` leads the keyboard to them. */
  write(takesFocus) {
    const { panel, question, buttons, back } = this.parts, { next, seat } = this;
    const isHere = panel.contains(document.activeElement);
    panel.hidden = !seat;
    const kinds = next.map((choice) => choice.split(" ")[0]);
    const first = ERIANTYS_ORDER.find((kind) => kinds.includes(kind));
    const [, card] = this.chosen[0]?.split(" ") ?? [], isCard = this.chosen[0]?.startsWith("card");
    const about = isCard ? `${characterText(card)}: ` : "";
    const asked = isCard && first === "island" ? "Choose an island." : ERIANTYS_QUESTIONS[first];
    write(question, next.length ? about + asked : "Wait: others are to move.");
    buttons.replaceChildren(...next.map((choice) => make("button", { type: "button", "data-choice": choice, click: () => this.choose(choice) }, ...this.face(choice))));
    back.hidden = !this.chosen.length;
    this.mark();
    if (next.length && (takesFocus || isHere || document.activeElement?.matches("body, main > section"))) buttons.firstElementChild.focus({ preventScroll: true });
    else if (isHere) panel.focus({ preventScroll: true });
  }

  /** What a button shows. */
  face(choice) {
    const [kind, value] = choice.split(" "), { table } = this.room.latest;
    const pill = (name) => make("span", { "class": `student ${name}`, "aria-hidden": "true" }, name[0].toUpperCase());
    switch (kind) {
      case "assistant": return [`Assistant ${value}`];
      case "entrance": case "colour": case "take": case "give": return [pill(value), ` ${value}`];
      case "dining": return ["Dining room"];
      case "island": return [`Island ${value}`];
      case "steps": return [`${value} ${value === "1" ? "step" : "steps"}, to island ${this.islandAfter(table, Number(value))}`];
      case "cloud": return [`Cloud ${value}: ${studentsText(table.clouds[Number(value) - 1])}`];
      case "card": return [`${characterText(value)}, ${table.cards.find(({ character }) => character === value)?.price} ¢`];
      default: return ["Exchange these"];
    }
  }

  /** The number of the island where Mother Nature is after these steps. */
  islandAfter({ motherNature, islands }, steps) {
    return ((motherNature + steps) % islands.length) + 1;
  }

  /** Marks on the table what may be chosen, once it is drawn. */
  mark() {
    const { ring, schools, cards } = this.parts, { seat } = this;
    for (const place of [ring, schools, cards]) {
      for (const marked of place.querySelectorAll("[data-choice]")) marked.removeAttribute("data-choice");
    }
    if (!seat) return;
    const { table } = this.room.latest;
    // An earlier table is only looked at.
    if (this.room.shown.table !== table) return;
    const own = schools.querySelector(`[data-player="${seat.agent}"]`);
    for (const choice of this.next) {
      const [kind, value] = choice.split(" ");
      const found = {
        entrance: () => own?.querySelector(`.entrance [data-colour="${value}"]`),
        give: () => own?.querySelector(`.entrance [data-colour="${value}"]`),
        dining: () => own?.querySelector(`.dining [data-colour="${value}"]`),
        island: () => ring.querySelector(`[data-island="${value}"]`),
        steps: () => ring.querySelector(`[data-island="${this.islandAfter(table, Number(value))}"]`),
        cloud: () => ring.querySelector(`[data-cloud="${value}"]`),
        card: () => cards.querySelector(`[data-character="${value}"]`),
      }[kind]?.();
      found?.setAttribute("data-choice", choice);
    }
  }

  choose(choice) {
    if (!this.next.includes(choice)) return;
    const { complete } = this.choices.after(this.chosen);
    if (choice !== EXCHANGE_DONE) this.chosen.push(choice);
    const now = this.choices.after(this.chosen);
    const option = choice === EXCHANGE_DONE ? complete : now.next.length ? null : now.complete;
    if (option === null) {
      this.write(false);
      announce(this.parts.question.textContent);
      return;
    }
    this.chosen = [];
    // The next options may be the same: a student of a colour of which there are others.
    this.written = undefined;
    this.seat.act(option);
  }

  /** Takes the last choice back. */
  back() {
    this.chosen.pop();
    this.write(true);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const all = [...this.parts.buttons.children], place = all.indexOf(document.activeElement);
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (step && all.length) all[(Math.max(place, step < 0 ? 0 : -1) + step + all.length) % all.length].focus();
    else if (event.key === "Escape" && this.chosen.length) this.back();
    else if (event.key !== "Enter" && event.key !== " ") return;
    else {
      // A button is pressed by the browser; the page has no other use for these keys here. A key that is held presses
      // once: the next button would be another move.
      if (event.repeat) event.preventDefault();
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
