// Events of Eriantys in words, and the names of what lies on the table.

import { endingText, playerName } from "../../shell/players.js";

/** The colours of students, in the order of counts. */
export const STUDENT_COLOURS = ["yellow", "blue", "green", "red", "pink"];

const ERIANTYS_SIGNS = {
  "round": "↻", "assistant": "#", "dining": "⌂", "island": "→", "coin": "¢", "professor": "⬢", "steps": "♟", "cloud": "☁", "filled": "☁",
  "character": "★", "refilled": "+", "returned": "↩", "conquered": "♜", "merged": "∪", "lifted": "⊗", "last-round": "!", "refusal": "⊘",
  "note": "“", "end": "◆",
};

/** What ends a game by its rules. */
export const ERIANTYS_END = "by towers and professors";

const ERIANTYS_REFUSED_BECAUSE = {
  "over": "the game is over", "not-your-turn": "it is not its turn", "other-phase": "this is not what is to be done now",
  "not-in-hand": "it has played this assistant already", "already-played": "another player has played this assistant in this round",
  "not-in-entrance": "its entrance does not have these students", "dining-room-full": "all seats of this colour are taken",
  "no-island": "there is no such island", "steps": "Mother Nature cannot go so far", "no-cloud": "there is no such cloud",
  "empty-cloud": "the cloud is empty", "no-character": "the character is not in this game",
  "one-per-turn": "it has played a character in this turn", "too-expensive": "it has not enough coins",
  "not-on-card": "the card does not hold these students", "not-in-dining": "its dining room does not have these students",
  "too-many": "the character exchanges fewer students", "no-ban": "all bans lie on islands",
};

/** What towers of each team look like. */
export const TOWER_NAMES = ["square", "pointed", "round"];

const countText = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Students by their counts: "2 yellow, 1 red". */
export function studentsText(counts) {
  return counts.map((count, colour) => (count ? `${count} ${STUDENT_COLOURS[colour]}` : null)).filter(Boolean).join(", ") || "no students";
}

/** A character's name: "mushroom hunter". */
export function characterText(word) {
  return word.replaceAll("-", " ");
}

/** The players of a team: "Ann", or "Ann and Ben". */
export function teamText(game, team) {
  return game.start.agents.filter((agent) => agent.team === team).map(({ id }) => playerName(game, id)).join(" and ");
}

/** What a team does: "Ann wins", or "Ann and Ben win"; `verb` is that of several players. */
export function teamDoes(game, team, verb) {
  const isOne = game.start.agents.filter((agent) => agent.team === team).length === 1;
  return `${teamText(game, team)} ${verb}${isOne ? "s" : ""}`;
}

/** What is to be done in a phase. */
export function phaseText({ phase, left, mostSteps }) {
  switch (phase) {
    case "planning": return "plays an assistant";
    case "students": return `moves ${countText(left, "student")}`;
    case "mother-nature": return `moves Mother Nature, up to ${countText(mostSteps, "step")}`;
    case "cloud": return "takes a cloud";
    default: return phase;
  }
}

/** A character with what was chosen for it. */
function playText({ character, color, island, given, taken }) {
  const chosen = given ? `: ${studentsText(given)} for ${studentsText(taken)}`
    : [color, island && `island ${island}`].filter(Boolean).map((one, place) => (place ? ` to ${one}` : `: ${one}`)).join("");
  return `${characterText(character)}${chosen}`;
}

/** What a player asks for, as an infinitive. */
function askedText(asked) {
  switch (asked.kind) {
    case "assistant": return `play assistant ${asked.value}`;
    case "dining": return `move ${asked.color} to its dining room`;
    case "island": return `move ${asked.color} to island ${asked.island}`;
    case "steps": return `move Mother Nature ${countText(asked.steps, "step")}`;
    case "cloud": return `take cloud ${asked.cloud}`;
    default: return `play the ${playText(asked)}`;
  }
}

/** An event without the player who acts. */
export function eriantysWords(game, index) {
  const [, kind, , about] = game.events[index];
  switch (kind) {
    case "round": return `begins round ${about.round}`;
    case "filled": return `cloud ${about.cloud} gets ${studentsText(about.students)}`;
    case "last-round": return "this round is the last one";
    case "assistant": return `plays assistant ${about.value}: up to ${countText(about.steps, "step")}`;
    case "dining": return `moves ${about.color} to its dining room`;
    case "island": return `moves ${about.color} to island ${about.island}`;
    case "coin": return "gets a coin";
    case "professor": return `gets the ${about.color} professor`;
    case "steps": return `moves Mother Nature ${countText(about.steps, "step")} to island ${about.island}`;
    case "lifted": return `a ban is lifted from island ${about.island}`;
    case "conquered": {
      const from = about.from === null ? "" : ` from ${teamText(game, about.from)}`;
      return `${teamDoes(game, about.team, "conquer")} island ${about.island}${from}: ${countText(about.towers, "tower")}`;
    }
    case "merged": return `island ${about.gone} merges with island ${about.island}`;
    case "cloud": return `takes cloud ${about.cloud}: ${studentsText(about.students)}`;
    case "character": return `plays the ${playText(about)}, for ${countText(about.price, "coin")}`;
    case "refilled": return `the ${characterText(about.character)}'s card gets a ${about.color} student`;
    case "returned": return `returns ${studentsText(about.students)} to the bag`;
    case "refusal": return `may not ${askedText(about.asked)}: ${ERIANTYS_REFUSED_BECAUSE[about.why] ?? about.why}`;
    case "note": return about.text ?? "draws a note";
    case "end": {
      const who = about.winner === null ? "nobody wins" : teamDoes(game, about.winner, "win");
      return `${who}, ${endingText(about.termination, ERIANTYS_END)}`;
    }
    default: return kind;
  }
}

/** The sign of an event. */
export function eriantysSign(kind) {
  return ERIANTYS_SIGNS[kind] ?? "•";
}
