// What an agent or a team believes of each field, as the feed tells it.

import { changesOf, FARTHEST, GOAL, HONEST, INFINITE, LIE, MISTAKEN, NO_GOAL, STALE, UNKNOWN, UNSAID } from "./terms.js";

const [COMMA, COLON, SEMICOLON, STAR, ZERO, NINE] = [...",:;*09"].map((sign) => sign.charCodeAt(0));
const VERDICT_LETTERS = new Map([["s", STALE], ["m", MISTAKEN], ["l", LIE]].map(([letter, verdict]) => [letter.charCodeAt(0), verdict]));

/** Calls for each run of a text `first:item,item*count;first:…` with its first field, the field beyond its last, what is
 * said, whether that is a goal or a distance, and the verdict on it. The text is read sign by sign: a long game has some
 * hundred thousand of them, most very short.
 */
function eachRun(text, call) {
  let place = 0;
  const number = () => {
    let value = 0;
    for (let sign = text.charCodeAt(place); sign >= ZERO && sign <= NINE; sign = text.charCodeAt(++place)) value = value * 10 + sign - ZERO;
    return value;
  };
  while (place < text.length) {
    let field = number();
    // A colon before the first item, a comma before every other one.
    for (let sign = text.charCodeAt(place); sign === COLON || sign === COMMA; sign = text.charCodeAt(place)) {
      const item = text[++place], isGoal = item === "G" || item === "N";
      let value;
      if (isGoal) {
        value = item === "G" ? GOAL : NO_GOAL;
        place++;
      } else if (item === "i") {
        value = INFINITE;
        place += "inf".length;
      } else value = Math.min(number(), FARTHEST);
      const verdict = VERDICT_LETTERS.get(text.charCodeAt(place)) ?? HONEST;
      if (verdict !== HONEST) place++;
      let count = 1;
      if (text.charCodeAt(place) === STAR) {
        place++;
        count = number();
      }
      call(field, field + count, value, isGoal, verdict);
      field += count;
    }
    if (text.charCodeAt(place++) !== SEMICOLON) return;
  }
}

/** Fields per side of a tile of {@link Knowledge}: a power of two, so that shifts find tile and place. */
const TILE_BITS = 5;
const TILE = 1 << TILE_BITS;

/** What an agent or a team believes. Kept in tiles, as an agent sees little of a large board. */
export class Knowledge {
  constructor(start) {
    this.columns = start.board.columns;
    this.acrossTiles = Math.ceil(this.columns / TILE);
    this.tiles = new Map();
    /** How many changes went in; which they are {@link Game} knows. */
    this.heard = 0;
  }

  /** The tile that holds a field. One that is only read is not made. */
  tile(x, y, make) {
    const key = (y >> TILE_BITS) * this.acrossTiles + (x >> TILE_BITS);
    let tile = this.tiles.get(key);
    if (!tile && make) {
      const fields = TILE * TILE;
      tile = {
        distance: new Int16Array(fields).fill(UNKNOWN), at: new Float64Array(fields), by: new Int16Array(fields),
        verdict: new Uint8Array(fields), goal: new Uint8Array(fields), goalBy: new Int16Array(fields),
        goalVerdict: new Uint8Array(fields),
      };
      this.tiles.set(key, tile);
    }
    return tile;
  }

  /** Takes over what an event lets `holder` believe, an agent's number or a team's name. */
  learn(event, holder) {
    for (const [holders, by, text] of changesOf(event).beliefs) {
      if (holders.includes(holder)) this.believe(event[0], by, text ?? event[4]);
    }
  }

  believe(t, by, text) {
    const { columns } = this;
    eachRun(text, (first, end, value, isGoal, verdict) => {
      for (let field = first; field < end; field++) {
        const x = field % columns, y = (field / columns) | 0;
        const tile = this.tile(x, y, true), place = (y & (TILE - 1)) * TILE + (x & (TILE - 1));
        if (isGoal) {
          tile.goal[place] = value;
          tile.goalBy[place] = by;
          tile.goalVerdict[place] = verdict;
        } else {
          tile.distance[place] = value;
          tile.at[place] = t;
          tile.by[place] = by;
          tile.verdict[place] = verdict;
        }
      }
    });
  }

  /** What is believed of a field, or null: by whom each was said is -1 if it was found out. */
  at(x, y) {
    const tile = this.tile(x, y, false);
    if (!tile) return null;
    const place = (y & (TILE - 1)) * TILE + (x & (TILE - 1));
    const distance = tile.distance[place], goal = tile.goal[place];
    if (distance === UNKNOWN && goal === UNSAID) return null;
    return {
      distance, at: tile.at[place], by: tile.by[place], worth: tile.verdict[place],
      goal, goalBy: tile.goalBy[place], goalWorth: tile.goalVerdict[place],
    };
  }
}
