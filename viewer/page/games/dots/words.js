// Events of Dots & Boxes in words.

import { endingText, playerName } from "../../shell/players.js";

const DOTS_SIGNS = { line: "—", box: "■", refusal: "⊘", note: "“", end: "◆" };

const REFUSED_BECAUSE = {
  "over": "the game is over", "not-your-turn": "it is not its turn", "no-edge": "there is no such line",
  "drawn": "the line is drawn already",
};

/** What ends a game by its rules. */
export const DOTS_END = "all lines are drawn";

/** A line by its dots: row and column of each, from 1 at the top left. */
export function lineText(game, [from, to]) {
  const { columns } = game.start.picture;
  const dot = (place) => `${Math.floor(place / columns) + 1}·${(place % columns) + 1}`;
  return `${dot(from)} – ${dot(to)}`;
}

/** An event without the player who acts. */
export function dotsWords(game, index) {
  const [, kind, , about] = game.events[index];
  switch (kind) {
    case "line": return `draws ${lineText(game, about.edge)}`;
    case "box": return `draws ${lineText(game, about.edge)}: ${about.boxes.length === 2 ? "two boxes" : "a box"}`;
    case "refusal": return `may not draw ${lineText(game, about.edge)}: ${REFUSED_BECAUSE[about.why] ?? about.why}`;
    case "note": return about.text ?? "draws a note";
    case "end": {
      const who = about.winner === null ? "nobody wins" : `${playerName(game, about.winner)} wins`;
      return `${who} ${game.events[index][4].points.join(" : ")}, ${endingText(about.termination, DOTS_END)}`;
    }
    default: return kind;
  }
}

/** The sign of an event: boxes have that of their owner. */
export function dotsSign(kind, player) {
  return kind === "box" && player === 1 ? "●" : DOTS_SIGNS[kind] ?? "•";
}
