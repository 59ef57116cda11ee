// A view of a game: whose knowledge it shows, and which events it includes.

import { eventAgent, KINDS } from "./terms.js";

const EXCHANGE = KINDS.indexOf("exchange");

/** Everything, what the agents of a team were told, or what one agent was told. */
export class Sight {
  constructor(game, view, agent) {
    this.game = game;
    this.isWhole = view === "truth";
    this.name = view === "agent" ? `agent ${game.numberOf(agent)}` : view;
    /** The agents of the view; null for everything. */
    this.members = this.isWhole ? null : new Set(
      game.start.agents.filter(({ id, team }) => (view === "agent" ? id === agent : team === view)).map(({ id }) => id));
  }

  has(agent) {
    return this.isWhole || this.members.has(agent);
  }

  /** Whether they were told of an event: of what they did, of what they were asked and answered, and of the end.
   *
   * Nobody is told where others stand, what they do, or how many goals they have covered.
   */
  sees(index) {
    if (this.isWhole) return true;
    const event = this.game.events[index], word = event[1];
    const by = eventAgent(event);
    if (by < 0) return word === "over";
    return this.members.has(by) || ((word === "asked" || word === "answered") && this.members.has(event[2]));
  }

  /** The place in {@link KINDS} of an event as they see it: they cannot tell a lie from another answer. */
  kind(index) {
    const kind = this.game.kinds[index];
    return !this.isWhole && KINDS[kind] === "lie" ? EXCHANGE : kind;
  }
}
