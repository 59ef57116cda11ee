// What agents were told, by the rules and by one another.

import { GOAL, HONEST, INFINITE, NO_GOAL, TEAMS, UNKNOWN, UNSAID } from "./terms.js";
import { FARTHEST } from "./distances.js";

/** The offsets of the nine readings of a discovery, as `Surroundings::OFFSETS` of the rules has them. */
const OFFSETS = [[-1, -1], [0, -1], [1, -1], [-1, 0], [0, 0], [1, 0], [-1, 1], [0, 1], [1, 1]];

/** Calls for each run of `item*count,item,…` with the item, its first place and the place beyond its last. */
function eachRun(text, call) {
  let place = 0;
  for (const run of text ? text.split(",") : []) {
    const star = run.indexOf("*");
    const count = star < 0 ? 1 : Number(run.slice(star + 1));
    call(star < 0 ? run : run.slice(0, star), place, place + count);
    place += count;
  }
}

/** The fields that a list in runs says something of, with what it says; `first` is the field of its first place.
 *
 * Most answers say little of a large board, so stretches of which nothing is said are passed over, and only what
 * is said is kept.
 */
function readList(text, first, unsaid, read) {
  let count = 0;
  eachRun(text, (item, from, to) => { if (read(item) !== unsaid) count += to - from; });
  const claims = { fields: new Int32Array(count), said: new Int16Array(count), worth: new Uint8Array(count) };
  count = 0;
  eachRun(text, (item, from, to) => {
    const said = read(item);
    if (said === unsaid) return;
    claims.said.fill(said, count, count + to - from);
    for (let place = from; place < to; place++) claims.fields[count++] = first + place;
  });
  return claims;
}

/** The first field of a team's goal area. */
export function goalAreaStart({ columns, rows, goalRows }, team) {
  return team === 0 ? (rows - goalRows) * columns : 0;
}

// A claim may be any number; beyond the longest way on the largest board they are all alike.
const readDistance = (item) => (item === "-" ? UNKNOWN : item === "inf" ? INFINITE : Math.min(Number(item), FARTHEST));
const readBelief = (item) => (item === "G" ? GOAL : item === "N" ? NO_GOAL : UNSAID);

/** What an answer claims of distances, and of the goals of each team. What each claim is worth is still to be said. */
export function readClaims(said, board) {
  return {
    distances: readList(said.distances, 0, UNKNOWN, readDistance),
    goals: TEAMS.map((team, place) => readList(said[team], goalAreaStart(board, place), UNSAID, readBelief)),
  };
}

/** Fields per side of a tile of {@link Knowledge}: a power of two, so that shifts find tile and place. */
const TILE_BITS = 5;
const TILE = 1 << TILE_BITS;

/** What one agent was told, by the rules and by others. Kept in tiles, as an agent sees little of a large board. */
export class Knowledge {
  constructor(start) {
    this.board = start.board;
    this.acrossTiles = Math.ceil(start.board.columns / TILE);
    this.tiles = new Map();
    /** Events of this agent that went in; which they are {@link Game} knows. */
    this.heard = 0;
    this.falseGoalsHeard = false;
  }

  tileKey(x, y) {
    return (y >> TILE_BITS) * this.acrossTiles + (x >> TILE_BITS);
  }

  /** The tile that holds a field. One that is only read is not made. */
  tile(x, y, make) {
    const key = this.tileKey(x, y);
    let tile = this.tiles.get(key);
    if (!tile && make) {
      const fields = TILE * TILE;
      tile = {
        ownDistance: new Int16Array(fields).fill(UNKNOWN), ownAt: new Int32Array(fields),
        toldDistance: new Int16Array(fields).fill(UNKNOWN), toldAt: new Int32Array(fields),
        toldBy: new Int16Array(fields), toldWorth: new Uint8Array(fields),
        ownGoal: new Uint8Array(fields), toldGoal: new Uint8Array(fields),
        toldGoalBy: new Int16Array(fields), toldGoalWorth: new Uint8Array(fields),
      };
      this.tiles.set(key, tile);
    }
    return tile;
  }

  static place(x, y) {
    return (y & (TILE - 1)) * TILE + (x & (TILE - 1));
  }

  read(t, x, y, distance) {
    if (distance === null) return;
    const tile = this.tile(x, y, true), place = Knowledge.place(x, y);
    tile.ownDistance[place] = distance;
    tile.ownAt[place] = t;
  }

  /** Learns from an event that this agent was told of; `x` and `y` are where it stands after the event. */
  learn(event, x, y, verdict) {
    const t = event[0];
    switch (event[1]) {
      case "moved":
        this.read(t, x, y, event[5] ?? INFINITE);
        break;
      case "discovered":
        OFFSETS.forEach(([east, north], place) => this.read(t, x + east, y + north, event[3][place]));
        break;
      case "put":
        if (event[3] === "on-goal" || event[3] === "on-no-goal") {
          const tile = this.tile(x, y, true), place = Knowledge.place(x, y);
          // A goal that was covered stays known as one, although another piece finds none any more.
          if (event[3] === "on-goal" || tile.ownGoal[place] !== GOAL) {
            tile.ownGoal[place] = event[3] === "on-goal" ? GOAL : NO_GOAL;
          }
        }
        break;
      case "answered":
        this.believe(t, event[3], verdict);
        break;
    }
  }

  /** Takes over what an answer claims; what the agent found out itself stays beside it. */
  believe(t, by, verdict) {
    const { columns } = this.board;
    const { distances, goals } = verdict.claims;
    distances.fields.forEach((field, claim) => {
      const x = field % columns, y = (field / columns) | 0;
      const tile = this.tile(x, y, true), place = Knowledge.place(x, y);
      tile.toldDistance[place] = distances.said[claim];
      tile.toldAt[place] = t;
      tile.toldBy[place] = by;
      tile.toldWorth[place] = distances.worth[claim];
    });
    for (const { fields, said, worth } of goals) {
      fields.forEach((field, claim) => {
        const x = field % columns, y = (field / columns) | 0;
        const tile = this.tile(x, y, true), place = Knowledge.place(x, y);
        tile.toldGoal[place] = said[claim];
        tile.toldGoalBy[place] = by;
        tile.toldGoalWorth[place] = worth[claim];
        if (worth[claim] !== HONEST) this.falseGoalsHeard = true;
      });
    }
  }

  /** What it holds true of a field: the newer of what it read and what it was told. */
  at(x, y) {
    const tile = this.tile(x, y, false);
    if (!tile) return null;
    const place = Knowledge.place(x, y);
    const own = tile.ownDistance[place] !== UNKNOWN, told = tile.toldDistance[place] !== UNKNOWN;
    const byOwn = own && (!told || tile.ownAt[place] >= tile.toldAt[place]);
    const goalByOwn = tile.ownGoal[place] !== UNSAID;
    if (!own && !told && !goalByOwn && tile.toldGoal[place] === UNSAID) return null;
    return {
      distance: byOwn ? tile.ownDistance[place] : told ? tile.toldDistance[place] : UNKNOWN,
      at: byOwn ? tile.ownAt[place] : tile.toldAt[place],
      by: byOwn ? -1 : tile.toldBy[place],
      worth: byOwn ? HONEST : tile.toldWorth[place],
      goal: goalByOwn ? tile.ownGoal[place] : tile.toldGoal[place],
      goalBy: goalByOwn ? -1 : tile.toldGoalBy[place],
      goalWorth: goalByOwn ? HONEST : tile.toldGoalWorth[place],
    };
  }
}

/** What several agents know together: of each field the newest distance, and the best founded belief. */
export class SharedKnowledge {
  constructor(members) {
    this.members = members;
    /** Tile to the members that know something of it: on a large board those are few. */
    this.knowing = new Map();
    for (const member of members) {
      for (const key of member.tiles.keys()) {
        if (this.knowing.has(key)) this.knowing.get(key).push(member);
        else this.knowing.set(key, [member]);
      }
    }
  }

  at(x, y) {
    let best = null;
    for (const member of this.knowing.get(this.members[0]?.tileKey(x, y)) ?? []) {
      const known = member.at(x, y);
      if (!known) continue;
      if (!best) best = { ...known };
      else {
        if (known.distance !== UNKNOWN && (best.distance === UNKNOWN || known.at > best.at)) {
          best.distance = known.distance;
          best.at = known.at;
          best.by = known.by;
          best.worth = known.worth;
        }
        if (known.goal !== UNSAID && (best.goal === UNSAID || (known.goalBy < 0 && best.goalBy >= 0))) {
          best.goal = known.goal;
          best.goalBy = known.goalBy;
          best.goalWorth = known.goalWorth;
        }
      }
    }
    return best;
  }
}
