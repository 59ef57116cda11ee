// Two players who play against each other, in words and colours: what rooms of such games share.

/** The sides, as the style sheet names them, in the order of players. */
export const SIDES = ["red", "blue"];

const ENDED_BECAUSE = {
  "stopped": "stopped by the operator", "agent-lost": "a player left", "time": "out of time", "illegal": "a player broke the rules",
  "protocol": "a player sent something outside the protocol", "silence": "a player did not answer", "crash": "a player's program ended",
  "cannot-start": "a player's program could not be started", "stall": "nothing happened any more", "interrupted": "interrupted",
  "host-fault": "the host failed the players",
};

export function playerName(game, player) {
  return game.start.agents[player]?.name || `player ${player}`;
}

/** Why a game ended, in words; `normal` is what ends a game by its rules. */
export function endingText(termination, normal) {
  return termination === "normal" ? normal : ENDED_BECAUSE[termination] ?? termination;
}
