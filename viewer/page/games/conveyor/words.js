// Events of Conveyor in words.

import { endingText, playerName } from "../../shell/players.js";

const CONVEYOR_SIGNS = { done: "·", hint: "➤", place: "•", carried: "⇝", refusal: "⊘", left: "○", note: "“", end: "◆" };

const CONVEYOR_REFUSED_BECAUSE = {
  "over": "the game is over", "not-yours": "only the other player moves like this", "off-board": "the board ends there",
};

/** What ends a game by its rules. */
export const CONVEYOR_END = "a player came home";

const FIELDS = ["", "1 field", "2 fields", "3 fields"];

/** A request: "goes up", "turns left", "goes 2 fields ahead". */
function requestText([verb, what]) {
  switch (verb) {
    case "step": return `goes ${what}`;
    case "turn": return `turns ${what}`;
    default: return `goes ${FIELDS[what]} ahead`;
  }
}

/** An event without the player who acts. */
export function conveyorWords(game, index) {
  const [, kind, , about] = game.events[index];
  switch (kind) {
    case "done": return requestText(about.asked);
    case "hint": return `${requestText(about.asked)}; a hint: home lies ${about.hint}`;
    case "place": return `is at ${about.at.join(",")}`;
    case "carried": return `is carried from ${about.from.join(",")} to ${about.at.join(",")}`;
    case "refusal": return `${requestText(about.asked)}: refused, ${CONVEYOR_REFUSED_BECAUSE[about.why] ?? about.why}`;
    case "left": return "is gone";
    case "note": return about.text ?? "draws a note";
    case "end": {
      const who = about.winner === null ? "nobody wins" : `${playerName(game, about.winner)} wins`;
      return `${who}, ${endingText(about.termination, CONVEYOR_END)}`;
    }
    default: return kind;
  }
}

/** The sign of an event. */
export function conveyorSign(kind) {
  return CONVEYOR_SIGNS[kind] ?? "•";
}
