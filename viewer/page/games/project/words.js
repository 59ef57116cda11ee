// Events, and what the game master says, in words.

import { clockText } from "../../shell/clock.js";
import { make } from "../../shell/dom.js";
import { endingText } from "../../shell/players.js";
import { TOLD_SIGN, VERDICT_SIGNS } from "./drawing/verdicts.js";
import { eventAgent, INFINITE, KINDS, TEAMS, VERDICTS } from "./model/terms.js";

export const REASONS = {
  "too-early": "still locked", "leader-waits": "the leader waits for an answer", "off-board": "the board ends there",
  "occupied": "somebody stands there", "enemy-goal-area": "the other team's goal area",
  "nothing-there": "nothing lies there", "hands-full": "hands are full", "in-goal-area": "not in a goal area",
  "empty-handed": "empty-handed", "no-such-agent": "no such agent", "asked-itself": "asked itself",
  "not-asked": "was not asked", "not-playing": "does not play",
};

/** Why a game ended. */
export function endingWords(termination) {
  return termination === "agent-lost" ? "a team has no agents left" : endingText(termination, "all goals are covered");
}

/** An agent's number and strategy, or where the strategy is not known, "agent" and its number. */
export function agentTitle(game, agent) {
  const number = game.numberOf(agent), strategy = game.strategyOf(agent);
  return strategy ? `${number} · ${strategy}` : `agent ${number}`;
}

/** An event in words, as far as somebody saw it; the agent that acts comes first, so the words go without it. */
export function eventWords(game, index, sight) {
  const event = game.events[index];
  const [, word, agent, what] = event;
  switch (word) {
    case "moved": return `moves to ${event[3]},${event[4]}${event[5] === null ? "" : `, nearest piece ${event[5]}`}`;
    case "discovered": return `discovers ${what.map((moves) => (moves === null ? "–" : moves === INFINITE ? "∞" : moves)).join(" ")}`;
    case "picked-up": return "picks up a piece";
    case "put":
      return { "on-goal": "covers a goal", "on-no-goal": "puts a piece: no goal", "was-sham": "puts a piece: it was a sham" }[what]
        ?? "puts a piece down";
    case "checked": return what ? "checks: a sham, gone" : "checks: a real piece";
    case "destroyed": return "destroys its piece";
    case "asked": return `asks ${game.numberOf(agent)}${event[4] ? ", who must answer" : ""}`;
    case "answered": {
      if (!sight.isWhole) return `answers ${game.numberOf(agent)}`;
      const { worth } = game.verdicts.get(index);
      return `${["answers", "answers", "answers", "lies to"][worth]} ${game.numberOf(agent)}${["", " with stale news", " mistakenly", ""][worth]}`;
    }
    case "refused": return `may not ${what}: ${REASONS[event[4]] ?? event[4]}`;
    case "landed": return "a piece lands in its hand";
    case "appeared": return `a ${event[5] ? "sham" : "piece"} appears at ${event[3]},${event[4]}`;
    case "left": return "has left the game";
    case "note": return what.text ?? "draws";
    case "over": {
      const winner = TEAMS[agent];
      return `${winner ? `${winner} wins` : "nobody wins"} ${event[4]} : ${event[5]}, ${endingWords(what)}`;
    }
    default: return word;
  }
}

export function eventText(game, index, sight) {
  const agent = eventAgent(game.events[index]);
  return `${clockText(game.events[index][0])} ${agent >= 0 ? `agent ${game.numberOf(agent)} ` : ""}${eventWords(game, index, sight)}`;
}

/** The signs of events in the list, by kind. */
const EVENT_SIGNS = {
  "goal": "◆", "pick-up": "▲", "put": "▽", "check": "◎", "exchange": TOLD_SIGN, "question": "…",
  "refusal": "⊘", "move": "→", "discovery": "◌", "new piece": "•", "remark": "“", "end": "■",
};

function worthSign(worth) {
  return make("span", { "class": `sign worth ${VERDICTS[worth]}`, "aria-hidden": "true" }, VERDICT_SIGNS[worth]);
}

/** The elements of an event's row in the list. */
export function eventRow(game, index, sight) {
  const event = game.events[index], agent = eventAgent(event);
  const who = agent >= 0 ? [make("b", { "class": game.start.agents[agent].team }, String(game.numberOf(agent))), " "] : [];
  return [
    make("time", {}, clockText(event[0])),
    event[1] === "answered" && sight.isWhole ? worthSign(game.verdicts.get(index).worth)
      : make("span", { "class": "sign", "aria-hidden": "true" }, EVENT_SIGNS[KINDS[sight.kind(index)]]),
    make("span", { "class": "text", title: eventText(game, index, sight) }, ...who, eventWords(game, index, sight)),
  ];
}
