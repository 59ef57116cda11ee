// The lobby, and what the operator does: start and stop.

import { TEAMS } from "../model/terms.js";
import { byId, make, write } from "./dom.js";
import { announce, clearNotice, warn } from "./notices.js";

/** How long a click that stops the game waits for another that confirms it. */
const CONFIRM_MS = 4000;

/** Who has joined, and the buttons that start and stop the game. */
export class Lobby {
  constructor(page) {
    this.page = page;
    /** Set while the button waits for the user to confirm the end of the game. */
    this.stopTimer = 0;
  }

  show() {
    const { lobby, settings, hello } = this.page.game;
    if (!lobby) return;
    for (const team of TEAMS) {
      const seats = lobby[team].map((agent) => make("li", {}, `agent ${agent}`));
      const free = Math.max(0, lobby.teamSize - seats.length);
      if (free) seats.push(make("li", { "class": "free" }, free === 1 ? "1 seat is free" : `${free} seats are free`));
      byId(`lobby-${team}`).replaceChildren(...seats);
      write(byId(`lobby-${team}-count`), `${lobby[team].length} of ${lobby.teamSize}`);
    }
    const locked = Boolean(settings?.locked);
    write(byId("lobby-note"), locked ? "The game has started: nothing can be changed any more."
      : lobby.mayStart ? "Both teams have agents: the game may start."
        : "Waiting: each team needs an agent.");
    byId("start").hidden = byId("apply").hidden = locked || !hello?.operator;
    this.page.settings.enable();
  }

  async start() {
    if (this.page.settings.hasChanges && !(await this.page.settings.apply())) return;
    const answer = await this.page.connection.request("POST", "start");
    if (answer?.ok) clearNotice("start");
    else if (answer) warn("start", `The game cannot start: ${answer.said?.why ?? answer.status}`);
  }

  /** Ends the game once the user has confirmed it: what is stopped cannot go on. */
  askToStop({ detail }) {
    if (this.stopTimer) {
      // The second half of a double click confirms nothing.
      if (detail <= 1) this.stop();
      return;
    }
    this.arm(true);
    announce("Press again to stop the game for everybody");
  }

  arm(isArmed) {
    clearTimeout(this.stopTimer);
    this.stopTimer = isArmed ? setTimeout(() => this.arm(false), CONFIRM_MS) : 0;
    byId("stop").classList.toggle("armed", isArmed);
    write(byId("stop"), isArmed ? "Really stop?" : "Stop the game");
  }

  async stop() {
    this.arm(false);
    byId("stop").disabled = true;
    const answer = await this.page.connection.request("POST", "stop");
    byId("stop").disabled = false;
    if (answer?.ok) clearNotice("stop");
    else if (answer) warn("stop", `The game cannot be stopped: ${answer.said?.why ?? answer.status}`);
  }
}
