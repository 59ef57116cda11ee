// What an agent or a team believes of each field, as the feed tells it.

import { changesOf, FARTHEST, GOAL, HONEST, INFINITE, LIE, MISTAKEN, NO_GOAL, STALE, UNKNOWN, UNSAID } from "./terms.js";

/** The signs of the text in which the feed writes beliefs. */
const [COMMA, COLON, STAR, ZERO, NINE] = [...",:*09"].map((sign) => sign.charCodeAt(0));
const [IS_GOAL, IS_NO_GOAL, NO_PIECE] = [..."GNi"].map((sign) => sign.charCodeAt(0));
const [IS_STALE, IS_MISTAKEN, IS_LIE] = [..."sml"].map((sign) => sign.charCodeAt(0));

/** Fields per side of a tile of {@link Knowledge}: a power of two, so that shifts find tile and place. */
const TILE_BITS = 5;
const TILE = 1 << TILE_BITS;

/** What an agent or a team believes. Kept in tiles, as an agent sees little of a large board. */
export class Knowledge {
  constructor(start) {
    this.columns = start.board.columns;
    this.rows = start.board.rows;
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

  /** Takes over a text `first:item,item*count;first:…`, as the feed writes beliefs.
   *
   * It is read sign by sign in one loop: a long game has some hundred thousand of them, and the user waits while the page seeks.
   */
  believe(t, by, text) {
    const { columns } = this, { length } = text;
    let at = 0, sign = text.charCodeAt(0);
    while (at < length) {
      let field = 0;
      for (; sign >= ZERO && sign <= NINE; sign = text.charCodeAt(++at)) field = field * 10 + sign - ZERO;
      let x = field % columns, y = (field - x) / columns;
      // A colon before the first item, a comma before every other one.
      while (sign === COLON || sign === COMMA) {
        sign = text.charCodeAt(++at);
        let value = 0;
        const isGoal = sign === IS_GOAL || sign === IS_NO_GOAL;
        if (isGoal) {
          value = sign === IS_GOAL ? GOAL : NO_GOAL;
          sign = text.charCodeAt(++at);
        } else if (sign === NO_PIECE) {
          value = INFINITE;
          sign = text.charCodeAt(at += "inf".length);
        } else {
          for (; sign >= ZERO && sign <= NINE; sign = text.charCodeAt(++at)) value = value * 10 + sign - ZERO;
          value = Math.min(value, FARTHEST);
        }
        const verdict = sign === IS_STALE ? STALE : sign === IS_MISTAKEN ? MISTAKEN : sign === IS_LIE ? LIE : HONEST;
        if (verdict !== HONEST) sign = text.charCodeAt(++at);
        let count = 1;
        if (sign === STAR) {
          count = 0;
          for (sign = text.charCodeAt(++at); sign >= ZERO && sign <= NINE; sign = text.charCodeAt(++at)) count = count * 10 + sign - ZERO;
        }
        for (; count > 0 && y < this.rows; count--) {
          this.set(x, y, t, by, value, isGoal, verdict);
          if (++x === columns) {
            x = 0;
            y++;
          }
        }
      }
      // Behind the semicolon the next stretch begins; what makes no sense is passed over.
      sign = text.charCodeAt(++at);
    }
  }

  set(x, y, t, by, value, isGoal, verdict) {
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
