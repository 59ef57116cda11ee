// Events of Bricks in words.

import { endingText, playerName } from "../../shell/players.js";

const BRICKS_SIGNS = { refusal: "⊘", note: "“", end: "◆" };

const BRICK_REFUSED_BECAUSE = {
  "over": "the game is over", "not-your-turn": "it is not its turn", "late": "its time was over", "outside": "a cell is not on the board",
  "apart": "the cells have no side in common", "taken": "a cell is filled",
};

/** What ends a game by its rules. */
export const BRICKS_END = "no brick fits";

/** A brick as the protocol writes it: column and row of both cells, from 0 at the top left. */
function brickText({ cells }) {
  return cells.map(([column, row]) => `${column}x${row}`).join("_");
}

/** An event without the player who acts. */
export function bricksWords(game, index) {
  const [, kind, , about] = game.events[index];
  switch (kind) {
    case "brick": return `puts ${brickText(about)}`;
    case "refusal": return `may not put ${brickText(about)}: ${BRICK_REFUSED_BECAUSE[about.why] ?? about.why}`;
    case "note": return about.text ?? "draws a note";
    case "end": {
      const who = about.winner === null ? "nobody wins" : `${playerName(game, about.winner)} wins`;
      return `${who}, ${endingText(about.termination, BRICKS_END)}`;
    }
    default: return kind;
  }
}

/** The sign of an event: bricks have that of their player. */
export function bricksSign(kind, player) {
  if (kind === "brick") return player === 1 ? "●" : "■";
  return BRICKS_SIGNS[kind] ?? "•";
}
