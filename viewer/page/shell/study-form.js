// The form by which the operator of a page over a replay asks for studies of it.

import { byId, make, write } from "./dom.js";
import { clearNotice, warn } from "./notices.js";

/** The value of a choice that leaves a team to its recorded players. */
const RECORDED = "";

/** Buttons for the studies, with their choices. */
export class StudyForm {
  constructor(page) {
    this.page = page;
    /** The offer, once it is known. */
    this.offer = null;
    const on = (id, request) => byId(id).addEventListener("click", () => this.ask(request()));
    on("study-curve", () => ({ study: "curve" }));
    on("study-why", () => ({ study: "why", team: Number(byId("study-team").value) }));
    on("study-fork", () => ({ study: "fork", t: this.moment, teams: this.teams.map(({ value }) => (value === RECORDED ? null : value)) }));
    on("study-diff", () => ({ study: "diff", t: this.moment, agent: Number(byId("study-agent").value), entrant: byId("study-entrant").value }));
    on("study-stop", () => ({ study: "stop" }));
  }

  /** Whether the user of this page may ask for studies. */
  get isOffered() {
    return Boolean(this.offer && this.page.game.hello?.operator);
  }

  get moment() {
    return Math.round(this.page.time.t);
  }

  /** The choices of who plays on, a list for each team. */
  get teams() {
    return [...byId("study-teams").querySelectorAll("select")];
  }

  /** Shows the choices, and how far the program is. */
  show({ offer = null, progress = null, fault = null }) {
    if (offer && !this.offer && this.page.game.start) this.fill(offer);
    byId("study-form").hidden = !this.isOffered;
    byId("study-stop").hidden = !this.isOffered || progress === null;
    byId("study-progress").hidden = progress === null;
    write(byId("study-progress"), progress ?? "");
    byId("study-fault").hidden = fault === null;
    write(byId("study-fault"), fault ?? "");
  }

  /** Makes the choices; they stay as the user leaves them. */
  fill(offer) {
    this.offer = offer;
    const options = (names) => names.map((name, place) => make("option", { value: String(place) }, name));
    const entrants = () => offer.entrants.map((name) => make("option", { value: name }, name));
    byId("study-team").replaceChildren(...options(offer.teams));
    byId("study-team").value = String(offer.loser ?? 0);
    byId("study-agent").replaceChildren(...this.page.game.start.agents.map(({ id, number }) => make("option", { value: String(id) }, String(number ?? id))));
    byId("study-entrant").replaceChildren(...entrants());
    byId("study-teams").replaceChildren(...offer.teams.map((team) => make("label", {}, `${team} `,
      make("select", {}, make("option", { value: RECORDED }, "as recorded"), ...entrants()))));
  }

  /** Writes the moment from which the page would study. */
  writeMoment() {
    if (this.isOffered) write(byId("study-moment"), this.page.game.momentText(this.page.time.t));
  }

  async ask(request) {
    const answer = await this.page.connection.request("POST", "study", request);
    if (answer?.ok) clearNotice("study");
    else if (answer) warn("study", `This cannot be studied: ${answer.said?.why ?? answer.status}`);
  }
}
