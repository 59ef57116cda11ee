// The page that people look at: a game as it is played, or a replay of it.
//
// Everything is drawn from one feed of JSON messages: over a WebSocket while a game is played, from
// `feed.json` for a replay, from the element `#feed` in a file that was exported. The file has three parts:
//
//   1. The model     applies events to a state, remembers states so that any moment is quickly reached, and
//                    knows what every agent was told. It never touches the document.
//   2. The drawing   paints a state of the model on canvas: board, minimap, points over time, who did what.
//   3. The page      settings, lobby, panels, list of events, controls, keys, the connection.
//
// It deliberately knows no rules: what happened is in the events. Fields are (x, y) with (0, 0) in the
// south-west; a field's index is y * columns + x. All times are milliseconds of the game's clock.

// ====================================================================================================
// Part 1: the model
// ====================================================================================================

/** The teams in the order in which the feed numbers them. */
export const TEAMS = ["red", "blue"];

/** Actions as the game master's statistics name them. */
export const ACTIONS = ["move", "discover", "pick-up", "put", "check", "destroy", "ask", "answer"];

/** A distance that nobody told, and the distance when no piece lies on the board. */
export const UNKNOWN = -2;
export const INFINITE = -1;

/** What is said of a field in a goal area. */
export const UNSAID = 0;
export const NO_GOAL = 1;
export const GOAL = 2;

/** What an agent holds; what its team sees in its hand may be either. */
export const EMPTY = 0;
export const REAL = 1;
export const SHAM = 2;
export const EITHER = 3;

/** What a claim is worth, from good to bad; an answer is worth as much as its worst claim. */
export const VERDICTS = ["honest", "stale", "mistaken", "lie"];
const HONEST = 0, STALE = 1, MISTAKEN = 2, LIE = 3;

/** What the list of events and the keys call an event. `lock` is drawn only, never listed. */
export const KINDS = [
  "goal", "pick-up", "put", "check", "exchange", "lie", "question", "refusal",
  "move", "discovery", "new piece", "remark", "end", "lock",
];

/** What an agent does in a stretch of its line in the chart. */
export const STRETCHES = ["moving", "locked", "blocked"];

/** The offsets of the nine readings of a discovery, as `Surroundings::OFFSETS` of the rules has them. */
const OFFSETS = [[-1, -1], [0, -1], [1, -1], [-1, 0], [0, 0], [1, 0], [-1, 1], [0, 1], [1, 1]];

/** Events between two remembered states: few enough to apply in a millisecond, many enough to cost little. */
const EVENTS_PER_SNAPSHOT = 2048;

const ACTION_OF_WORD = {
  "moved": 0, "discovered": 1, "picked-up": 2, "put": 3, "checked": 4, "destroyed": 5, "asked": 6, "answered": 7,
};

/** The agent that acted in an event: questions and answers are addressed to the other one. */
export function actor(event) {
  return event[1] === "asked" || event[1] === "answered" ? event[3] : event[2];
}

/** The numbers that are counted for each agent, as places in one row of a table. */
const COUNT = {
  granted: 0, refused: 8, premature: 16, asked: 17, pieces: 18, shams: 19, goals: 20, locked: 21, width: 22,
};

let stamps = 0;

/** The state at one moment. Copies share what never changes; `ground` changes whenever pieces or goals do. */
export class World {
  constructor(start) {
    const agents = start.agents.length;
    this.start = start;
    this.columns = start.board.columns;
    this.applied = 0;
    this.x = new Int16Array(agents);
    this.y = new Int16Array(agents);
    this.beforeX = new Int16Array(agents);
    this.beforeY = new Int16Array(agents);
    this.movedAt = new Float64Array(agents).fill(-1e9);
    this.hand = new Uint8Array(agents);
    this.gone = new Uint8Array(agents);
    this.lockedAt = new Float64Array(agents);
    this.lockedUntil = new Float64Array(agents);
    /** The last event in which the agent acted, and its last remark; -1 for none. */
    this.last = new Int32Array(agents).fill(-1);
    this.remark = new Int32Array(agents).fill(-1);
    this.counts = new Float64Array(agents * COUNT.width);
    this.points = [0, 0];
    this.over = null;
    /** Field to the pieces on it, lowest first, 1 for a sham. The arrays are replaced, never changed. */
    this.pieces = new Map();
    /** Covered goals: field to when and by whom. */
    this.covered = new Map();
    this.ground = ++stamps;
    // A game that was joined in its middle starts with what has happened so far.
    TEAMS.forEach((team, place) => {
      for (const [x, y] of start.covered?.[team] ?? []) {
        this.covered.set(y * this.columns + x, { t: start.t, agent: -1 });
        this.points[place]++;
      }
    });
    start.agents.forEach((agent, id) => {
      this.gone[id] = agent.gone ? 1 : 0;
      this.lockedUntil[id] = agent.lockedUntil ?? 0;
      this.x[id] = this.beforeX[id] = agent.x ?? 0;
      this.y[id] = this.beforeY[id] = agent.y ?? 0;
      this.hand[id] = agent.holding === "real" ? REAL : agent.holding === "sham" ? SHAM : EMPTY;
    });
    for (const [x, y, sham] of start.lying) this.lay(y * this.columns + x, sham);
  }

  clone() {
    const copy = Object.create(World.prototype);
    Object.assign(copy, this);
    for (const name of ["x", "y", "beforeX", "beforeY", "movedAt", "hand", "gone", "lockedAt", "lockedUntil",
      "last", "remark", "counts", "points"]) copy[name] = this[name].slice();
    copy.pieces = new Map(this.pieces);
    copy.covered = new Map(this.covered);
    return copy;
  }

  field(agent) {
    return this.y[agent] * this.columns + this.x[agent];
  }

  count(agent, place) {
    return this.counts[agent * COUNT.width + place];
  }

  lay(field, sham) {
    this.pieces.set(field, [...(this.pieces.get(field) ?? []), sham ? 1 : 0]);
    this.ground = ++stamps;
  }

  /** Takes the uppermost piece of a field; what it is, if one lies there. */
  take(field) {
    const pile = this.pieces.get(field);
    if (pile.length === 1) this.pieces.delete(field);
    else this.pieces.set(field, pile.slice(0, -1));
    this.ground = ++stamps;
    return pile[pile.length - 1] ? SHAM : REAL;
  }

  apply(event, index) {
    this.applied = index + 1;
    const [t, word, agent] = event;
    const row = agent * COUNT.width;
    const action = ACTION_OF_WORD[word];
    if (action !== undefined) {
      const by = actor(event);
      this.last[by] = index;
      this.counts[by * COUNT.width + COUNT.granted + action]++;
    }
    switch (word) {
      case "moved":
        this.beforeX[agent] = this.x[agent];
        this.beforeY[agent] = this.y[agent];
        this.x[agent] = event[3];
        this.y[agent] = event[4];
        this.movedAt[agent] = t;
        break;
      case "picked-up":
        this.hand[agent] = this.take(this.field(agent));
        this.counts[row + COUNT.pieces]++;
        break;
      case "put":
        if (event[3] === "on-task-field") this.lay(this.field(agent), this.hand[agent] === SHAM);
        if (event[3] === "was-sham") this.counts[row + COUNT.shams]++;
        if (event[3] === "on-goal") {
          this.covered.set(this.field(agent), { t, agent });
          this.points[TEAMS.indexOf(this.start.agents[agent].team)]++;
          this.counts[row + COUNT.goals]++;
          this.ground = ++stamps;
        }
        this.hand[agent] = EMPTY;
        break;
      case "checked":
        this.hand[agent] = event[3] ? EMPTY : REAL;
        if (event[3]) this.counts[row + COUNT.shams]++;
        break;
      case "destroyed":
        this.hand[agent] = EMPTY;
        break;
      case "asked":
        this.counts[row + COUNT.asked]++;
        break;
      case "refused": {
        const place = ACTIONS.indexOf(event[3]);
        if (place >= 0) this.counts[row + COUNT.refused + place]++;
        if (event[4] === "too-early") this.counts[row + COUNT.premature]++;
        this.last[agent] = index;
        break;
      }
      case "landed":
        this.hand[agent] = event[3] ? SHAM : REAL;
        this.counts[row + COUNT.pieces]++;
        break;
      case "appeared":
        this.lay(event[4] * this.columns + event[3], event[5]);
        break;
      case "left":
        this.gone[agent] = 1;
        this.hand[agent] = EMPTY;
        this.lockedUntil[agent] = t;
        break;
      case "lock":
        this.lockedAt[agent] = t;
        this.lockedUntil[agent] = event[3];
        this.counts[row + COUNT.locked] += event[3] - t;
        break;
      case "note":
        this.remark[agent] = index;
        break;
      case "over":
        this.over = event;
        this.points = [event[4], event[5]];
        break;
    }
  }

  /** An agent's statistics, in the shape of the game master's document. */
  figures(agent, t) {
    const kinds = (from) =>
      Object.fromEntries(ACTIONS.map((word, place) => [word, this.count(agent, from + place)]));
    const granted = kinds(COUNT.granted);
    const locked = this.count(agent, COUNT.locked) - Math.max(0, this.lockedUntil[agent] - t);
    return {
      agent, team: this.start.agents[agent].team, leader: this.start.agents[agent].leader,
      present: !this.gone[agent], granted, refused: kinds(COUNT.refused),
      premature: this.count(agent, COUNT.premature), pieces: this.count(agent, COUNT.pieces),
      shams: this.count(agent, COUNT.shams), goals: this.count(agent, COUNT.goals),
      questionsAsked: granted.ask, questionsReceived: this.count(agent, COUNT.asked),
      questionsAnswered: granted.answer, lockedMs: Math.max(0, locked), idleMs: Math.max(0, t - locked),
    };
  }
}

/** More than the longest way on the largest board, with room for sums in 16 bits. */
const FARTHEST = 0x3fff;

/** The distance of every field from the nearest lying piece (Manhattan), in two sweeps over the board. */
export function nearestPieces(world) {
  const { columns, rows } = world.start.board;
  const far = FARTHEST;
  const distances = new Int16Array(columns * rows).fill(far);
  for (const field of world.pieces.keys()) distances[field] = 0;
  for (let field = 0; field < distances.length; field++) {
    const west = field % columns ? distances[field - 1] : far;
    const south = field >= columns ? distances[field - columns] : far;
    distances[field] = Math.min(distances[field], west + 1, south + 1);
  }
  for (let field = distances.length - 1; field >= 0; field--) {
    const east = (field + 1) % columns ? distances[field + 1] ?? far : far;
    const north = field + columns < distances.length ? distances[field + columns] : far;
    distances[field] = Math.min(distances[field], east + 1, north + 1);
  }
  if (!world.pieces.size) distances.fill(INFINITE);
  return distances;
}

/** Reads `item*count,item,…` into an array. */
function readRuns(text, into, value) {
  let place = 0;
  for (const run of text ? text.split(",") : []) {
    const star = run.indexOf("*");
    const count = star < 0 ? 1 : Number(run.slice(star + 1));
    into.fill(value(star < 0 ? run : run.slice(0, star)), place, place + count);
    place += count;
  }
  return place;
}

/** What an answer claims: a distance for each field of the board, a belief for each field of the goal areas. */
function readClaims(said, board) {
  // A claim may be any number; beyond the longest way on the largest board they are all alike.
  const readDistance = (item) => (item === "-" ? UNKNOWN : item === "inf" ? INFINITE : Math.min(Number(item), FARTHEST));
  const readBelief = (item) => (item === "G" ? GOAL : item === "N" ? NO_GOAL : UNSAID);
  const distances = new Int16Array(said.distances ? board.columns * board.rows : 0).fill(UNKNOWN);
  readRuns(said.distances, distances, readDistance);
  // Most answers say something of a part of the board only; they are read many times, so that part is kept.
  const fields = Int32Array.from(distances.keys()).filter((field) => distances[field] !== UNKNOWN);
  const goals = TEAMS.map((team) => {
    const beliefs = new Uint8Array(board.columns * board.goalRows);
    readRuns(said[team], beliefs, readBelief);
    return beliefs;
  });
  return { distances, fields, goals };
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
        ownGoal: new Uint8Array(fields), ownGoalAt: new Int32Array(fields),
        toldGoal: new Uint8Array(fields), toldGoalAt: new Int32Array(fields),
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
            tile.ownGoalAt[place] = t;
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
    const { columns, rows, goalRows } = this.board;
    const { distances, fields, goals } = verdict.claims;
    for (const field of fields) {
      const x = field % columns, y = (field / columns) | 0;
      const tile = this.tile(x, y, true), place = Knowledge.place(x, y);
      tile.toldDistance[place] = distances[field];
      tile.toldAt[place] = t;
      tile.toldBy[place] = by;
      tile.toldWorth[place] = verdict.worthOfDistances[field];
    }
    goals.forEach((beliefs, team) => {
      const first = team === 0 ? (rows - goalRows) * columns : 0;
      for (let place = 0; place < beliefs.length; place++) {
        if (beliefs[place] === UNSAID) continue;
        const field = first + place, x = field % columns, y = (field / columns) | 0;
        const tile = this.tile(x, y, true), at = Knowledge.place(x, y);
        tile.toldGoal[at] = beliefs[place];
        tile.toldGoalAt[at] = t;
        tile.toldGoalBy[at] = by;
        tile.toldGoalWorth[at] = verdict.worthOfGoals[team][place];
        if (verdict.worthOfGoals[team][place] !== HONEST) this.falseGoalsHeard = true;
      }
    });
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
      goalAt: goalByOwn ? tile.ownGoalAt[place] : tile.toldGoalAt[place],
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
          best.goalAt = known.goalAt;
          best.goalBy = known.goalBy;
          best.goalWorth = known.goalWorth;
        }
      }
    }
    return best;
  }
}

/** One game: everything that the feed said, and any moment of it. */
export class Game {
  constructor() {
    this.hello = null;
    this.settings = null;
    this.lobby = null;
    this.start = null;
    this.statistics = null;
    this.gone = null;
    this.truncated = null;
    this.events = [];
    /** The place in {@link KINDS} of each event. */
    this.kinds = [];
    /** Kind to the events of that kind, in order. Lies are exchanges as well. */
    this.ofKind = Object.fromEntries(KINDS.map((kind) => [kind, []]));
    this.verdicts = new Map();
    this.clock = 0;
  }

  /** Takes one message of the feed; its kind. */
  add(message) {
    switch (message.kind) {
      case "hello": this.hello = message; break;
      case "settings": this.settings = message; break;
      case "lobby": this.lobby = message; break;
      case "start": this.begin(message); break;
      case "events": for (const event of message.events) this.take(event); break;
      case "clock": this.clock = Math.max(this.clock, message.t); break;
      case "statistics": this.statistics = message.document; break;
      case "gone": this.gone = message.why; break;
      case "truncated": this.truncated = message.why; break;
    }
    return message.kind;
  }

  begin(start) {
    this.start = start;
    this.events = [];
    this.kinds = [];
    for (const kind of KINDS) this.ofKind[kind] = [];
    this.verdicts = new Map();
    this.statistics = null;
    this.clock = start.t ?? 0;
    this.goals = TEAMS.map((team) => new Set(start.goals[team].map(([x, y]) => y * start.board.columns + x)));
    this.head = new World(start);
    this.snapshots = [this.head.clone()];
    this.cursor = this.head.clone();
    const agents = start.agents.map((_, id) => id);
    this.known = agents.map(() => new Knowledge(start));
    this.shown = agents.map(() => new Knowledge(start));
    /** For each agent the events that it learns from, where it stood after them, and its remarks. */
    this.lessons = agents.map(() => ({ events: [], x: [], y: [] }));
    this.remarks = agents.map(() => []);
    this.exchanges = agents.map(() => []);
    /** For each agent its stretches of time, and those in which it carries a sham. */
    this.stretches = agents.map(() => ({ from: [], to: [], kind: [] }));
    this.shams = agents.map(() => ({ from: [], to: [] }));
    /** Points over time: [t, red, blue], a new entry for each change. */
    this.course = [[this.clock, ...this.head.points]];
    this.distances = { ground: 0, distances: null };
  }

  /** Takes the next event. */
  take(event) {
    const index = this.events.length;
    const [t, word, agent] = event;
    this.events.push(event);
    this.clock = Math.max(this.clock, t);
    const verdict = word === "answered" ? this.judge(event, index) : null;
    const heldSham = agent >= 0 && this.head.hand[agent] === SHAM;
    this.head.apply(event, index);
    if ((index + 1) % EVENTS_PER_SNAPSHOT === 0) this.snapshots.push(this.head.clone());
    const kind = this.kindOf(event, verdict);
    this.kinds.push(KINDS.indexOf(kind));
    this.ofKind[kind].push(index);
    if (kind === "lie") this.ofKind.exchange.push(index);
    this.chart(event, heldSham);
    if (word === "note") this.remarks[agent].push(index);
    if (word === "answered") {
      this.exchanges[agent].push(index);
      this.exchanges[event[3]].push(index);
    }
    if (word === "moved" || word === "discovered" || word === "put" || word === "answered") {
      const x = this.head.x[agent], y = this.head.y[agent];
      const lessons = this.lessons[agent];
      lessons.events.push(index);
      lessons.x.push(x);
      lessons.y.push(y);
      this.known[agent].learn(event, x, y, verdict);
    }
  }

  kindOf([, word, , what], verdict) {
    switch (word) {
      case "moved": return "move";
      case "discovered": return "discovery";
      case "picked-up": case "landed": return "pick-up";
      case "put": return what === "on-goal" ? "goal" : "put";
      case "checked": case "destroyed": return "check";
      case "asked": return "question";
      case "answered": return verdict.worth === LIE ? "lie" : "exchange";
      case "refused": return "refusal";
      case "appeared": return "new piece";
      case "note": return "remark";
      case "lock": return "lock";
      default: return "end";
    }
  }

  /** Keeps the agent's line of time and the course of points. */
  chart([t, word, agent, until], heldSham) {
    if (word === "lock") {
      const last = this.events[this.head.last[agent]];
      const now = last && last[0] === t ? last[1] : "";
      const line = this.stretches[agent];
      line.from.push(t);
      line.to.push(until);
      line.kind.push(now === "moved" ? 0 : now === "refused" ? 2 : 1);
    }
    if (agent >= 0 && word !== "over") {
      const holdsSham = this.head.hand[agent] === SHAM;
      const shams = this.shams[agent];
      if (holdsSham && !heldSham) {
        shams.from.push(t);
        shams.to.push(Infinity);
      } else if (heldSham && !holdsSham) shams.to[shams.to.length - 1] = t;
    }
    const [, red, blue] = this.course[this.course.length - 1];
    const [nowRed, nowBlue] = this.head.points;
    if (nowRed !== red || nowBlue !== blue) this.course.push([t, nowRed, nowBlue]);
  }

  /** Compares the claims of an answer with the truth, and with what whoever answers knows.
   *
   * A claim that is true is honest, whyever it was made. A false one is stale if it repeats what the agent
   * once read itself, mistaken if it repeats what the agent was told or is a guess about a field it never
   * read, and a lie if the agent knew something else. Nobody guesses goals, so a false belief about a goal
   * that nothing founds is a lie, unless the agent was misled before and may have drawn conclusions.
   */
  judge(event, index) {
    const [, , , by, said] = event;
    const board = this.start.board, { columns, rows, goalRows } = board;
    const claims = readClaims(said, board);
    const knows = this.known[by];
    const counts = [0, 0, 0, 0];
    const worthOfDistances = new Uint8Array(claims.distances.length);
    const truth = claims.fields.length ? this.truth(this.head) : null;
    for (const field of claims.fields) {
      const claim = claims.distances[field];
      let worth = HONEST;
      if (claim !== truth[field]) {
        const x = field % columns, y = (field / columns) | 0;
        const tile = knows.tile(x, y, false), place = Knowledge.place(x, y);
        if (tile && claim === tile.ownDistance[place]) worth = STALE;
        else if (!tile || claim === tile.toldDistance[place]) worth = MISTAKEN;
        else worth = tile.ownDistance[place] === UNKNOWN ? MISTAKEN : LIE;
      }
      worthOfDistances[field] = worth;
      counts[worth]++;
    }
    const worthOfGoals = claims.goals.map((beliefs, team) => {
      const first = team === 0 ? (rows - goalRows) * columns : 0;
      return beliefs.map((claim, place) => {
        if (claim === UNSAID) return HONEST;
        const field = first + place, x = field % columns, y = (field / columns) | 0;
        const isGoal = this.goals[team].has(field);
        const holds = claim === GOAL ? isGoal : !isGoal || this.head.covered.has(field);
        const here = knows.at(x, y), mirrored = knows.at(columns - 1 - x, rows - 1 - y);
        let worth = HONEST;
        if (here && here.goalBy < 0 && here.goal !== UNSAID && here.goal !== claim) worth = LIE;
        else if (!holds) {
          const repeats = here?.goal === claim || mirrored?.goal === claim;
          worth = repeats || knows.falseGoalsHeard ? MISTAKEN : LIE;
        }
        counts[worth]++;
        return worth;
      });
    });
    const worth = counts[LIE] ? LIE : counts[MISTAKEN] ? MISTAKEN : counts[STALE] ? STALE : HONEST;
    const verdict = { worth, counts, claims, worthOfDistances, worthOfGoals };
    this.verdicts.set(index, verdict);
    return verdict;
  }

  /** The true distances in this state; computed again only when a piece has moved. */
  truth(world) {
    if (this.distances.ground !== world.ground) {
      this.distances = { ground: world.ground, distances: nearestPieces(world) };
    }
    return this.distances.distances;
  }

  /** The number of events up to and including a moment. */
  countAt(t) {
    let low = 0, high = this.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.events[middle][0] <= t) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The state at a moment. It is overwritten by the next call. */
  at(t) {
    const target = this.countAt(t);
    if (target < this.cursor.applied || target - this.cursor.applied > EVENTS_PER_SNAPSHOT) {
      this.cursor = this.snapshots[Math.floor(target / EVENTS_PER_SNAPSHOT)].clone();
    }
    for (let index = this.cursor.applied; index < target; index++) this.cursor.apply(this.events[index], index);
    return this.cursor;
  }

  /** What an agent knew after so many events. Going on costs only what it learnt since. */
  knowledge(agent, applied) {
    const { events, x, y } = this.lessons[agent];
    let known = this.shown[agent];
    if (known.heard > 0 && events[known.heard - 1] >= applied) {
      known = this.shown[agent] = new Knowledge(this.start);
    }
    while (known.heard < events.length && events[known.heard] < applied) {
      const place = known.heard++, index = events[place];
      known.learn(this.events[index], x[place], y[place], this.verdicts.get(index));
    }
    return known;
  }

  /** What the agents of a team knew together. */
  teamKnowledge(team, applied) {
    const members = this.start.agents.filter((agent) => agent.team === team).map((agent) => agent.id);
    return new SharedKnowledge(members.map((agent) => this.knowledge(agent, applied)));
  }

  /** The first event of a kind after a moment, or the last before it; none if there is none. */
  neighbour(kind, t, direction) {
    const places = this.ofKind[kind];
    let low = 0, high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const when = this.events[places[middle]][0];
      if (direction > 0 ? when <= t : when < t) low = middle + 1;
      else high = middle;
    }
    return places[direction > 0 ? low : low - 1];
  }

  /** The next moment, or the one before, at which something happened that is worth a look. */
  step(t, direction) {
    let index = this.countAt(direction > 0 ? t : t - 1e-6);
    if (direction < 0) index--;
    const quiet = (place) => {
      const word = this.events[place][1];
      return word === "lock" || word === "note";
    };
    while (index >= 0 && index < this.events.length && quiet(index)) index += direction;
    return this.events[index]?.[0];
  }

  get duration() {
    return this.clock;
  }
}

// ====================================================================================================
// Part 2: the drawing
// ====================================================================================================
//
// Teams differ in shape and colour (red agents are squares, blue ones are discs), verdicts in colour, dashes
// and sign, so that no colour alone carries a meaning. All colours come from the style sheet.

const PAINT_NAMES = [
  "surface", "ink", "muted", "task", "grid", "edge", "red", "blue", "red-soft", "blue-soft", "on-team", "piece",
  "sham", "accent", "honest", "stale", "mistaken", "lie", "leader", "waiting", "moving", "locked", "blocked",
];
const VERDICT_DASHES = [[], [9, 5], [2, 4], [12, 3, 2, 3]];
const VERDICT_SIGNS = ["✓", "~", "?", "✕"];
const TEXT_FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

/** The colours that are in force, as the style sheet has them. */
function readPaint() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(PAINT_NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** Makes a canvas as large as its place, in the screen's own pixels; its size in CSS pixels. */
function fitCanvas(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}

const easeOut = (part) => 1 - (1 - part) ** 3;

/** How long signs of an event stay on the board, in milliseconds of wall time. */
const SIGN_MS = 700;
const ARC_MS = 1500;
const GLIDE_MS = 260;

/** The room around a board that is shown whole: coordinates at the left and below, buttons at the right. */
const MARGIN = { left: 28, right: 48, top: 12, bottom: 22 };

/** At high speed the signs of thousands of events would overlap: so many of the last ones are looked at. */
const MOST_SIGNS = 300;

/** The board on its canvases: the ground, which seldom changes, below; agents and signs above. */
export class BoardView {
  constructor(stage, ground, actors, minimap) {
    Object.assign(this, { stage, ground, actors, minimap });
    this.camera = { x: 0, y: 0, scale: 10 };
    this.fitted = true;
    this.groundKey = "";
    this.paint = readPaint();
    this.width = this.height = 0;
  }

  /** Takes over the style sheet's colours and the place's size after either changed. */
  refresh() {
    this.paint = readPaint();
    this.groundKey = "";
    const { clientWidth, clientHeight } = this.stage;
    this.width = clientWidth;
    this.height = clientHeight;
    if (this.board && this.fitted) this.fit();
  }

  show(start) {
    this.board = start.board;
    // On a phone the stage takes the board's shape.
    this.stage.style.setProperty("--aspect", String(start.board.rows / start.board.columns));
    this.refresh();
    this.fit();
  }

  fitScale() {
    const { left, right, top, bottom } = MARGIN;
    return Math.max(0.05, Math.min(
      (this.width - left - right) / this.board.columns, (this.height - top - bottom) / this.board.rows, 72));
  }

  /** Shows the whole board, beside its coordinates and the buttons. */
  fit() {
    const scale = this.fitScale();
    // In the middle of the stage where there is room, else between the margins.
    const spare = Math.max(0, this.width - this.board.columns * scale - MARGIN.left - MARGIN.right) / 2;
    const aside = Math.max(0, (MARGIN.right - MARGIN.left) / 2 - spare);
    this.camera = {
      x: this.board.columns / 2 + aside / scale, y: this.board.rows / 2 - (MARGIN.bottom - MARGIN.top) / 2 / scale, scale,
    };
    this.fitted = true;
  }

  /** Zooms by a factor; what lies at this point of the stage stays there. */
  zoom(factor, sx = this.width / 2, sy = this.height / 2) {
    const before = this.fieldAt(sx, sy);
    const scale = Math.max(this.fitScale() * 0.8, Math.min(96, this.camera.scale * factor));
    this.camera.scale = scale;
    this.camera.x = before.x - (sx - this.width / 2) / scale;
    this.camera.y = before.y + (sy - this.height / 2) / scale;
    this.fitted = false;
    this.clamp();
  }

  pan(dx, dy) {
    this.camera.x -= dx / this.camera.scale;
    this.camera.y += dy / this.camera.scale;
    this.fitted = false;
    this.clamp();
  }

  centre(x, y) {
    this.camera.x = x;
    this.camera.y = y;
    this.fitted = false;
    this.clamp();
  }

  clamp() {
    this.camera.x = Math.max(0, Math.min(this.board.columns, this.camera.x));
    this.camera.y = Math.max(0, Math.min(this.board.rows, this.camera.y));
  }

  /** The point of the board, in fields, under a point of the stage. */
  fieldAt(sx, sy) {
    const { x, y, scale } = this.camera;
    return { x: x + (sx - this.width / 2) / scale, y: y - (sy - this.height / 2) / scale };
  }

  /** Where the point (x, y) of the board lies on the stage. */
  toStage(x, y) {
    const { camera } = this;
    return [this.width / 2 + (x - camera.x) * camera.scale, this.height / 2 - (y - camera.y) * camera.scale];
  }

  /** The fields that can be seen. */
  visible() {
    const low = this.fieldAt(0, this.height), high = this.fieldAt(this.width, 0);
    return {
      west: Math.max(0, Math.floor(low.x)), east: Math.min(this.board.columns - 1, Math.floor(high.x)),
      south: Math.max(0, Math.floor(low.y)), north: Math.min(this.board.rows - 1, Math.floor(high.y)),
    };
  }

  get isWhole() {
    const low = this.fieldAt(0, this.height), high = this.fieldAt(this.width, 0);
    return low.x <= 0 && low.y <= 0 && high.x >= this.board.columns && high.y >= this.board.rows;
  }

  /** Paints a moment. The ground is painted only when something on it, or the look at it, has changed. */
  draw(scene) {
    const { x, y, scale } = this.camera;
    const key = [
      x, y, scale, this.width, this.height, window.devicePixelRatio, scene.world.ground, scene.view,
      scene.knowledgeKey, scene.knowledge ? Math.floor(scene.t / 1000) : 0,
    ].join();
    if (key !== this.groundKey) {
      this.groundKey = key;
      this.drawGround(scene);
    }
    this.drawActors(scene);
    this.minimap.hidden = this.isWhole;
    if (!this.isWhole) this.drawMinimap(scene);
  }

  // ---- the ground

  drawGround(scene) {
    const ctx = fitCanvas(this.ground, this.width, this.height);
    const { paint, board, camera: { scale } } = this;
    const seen = this.visible();
    const rect = (west, south, east, north, colour) => {
      const [left, bottom] = this.toStage(west, south), [right, top] = this.toStage(east, north);
      ctx.fillStyle = colour;
      ctx.fillRect(left, top, right - left, bottom - top);
    };
    rect(0, 0, board.columns, board.rows, paint.task);
    rect(0, 0, board.columns, board.goalRows, paint["blue-soft"]);
    rect(0, board.rows - board.goalRows, board.columns, board.rows, paint["red-soft"]);
    if (scale >= 7) this.drawGrid(ctx, seen);
    const line = (row, colour) => {
      const [left, at] = this.toStage(0, row), [right] = this.toStage(board.columns, row);
      ctx.strokeStyle = colour;
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      ctx.moveTo(left, at);
      ctx.lineTo(right, at);
      ctx.stroke();
    };
    line(board.goalRows, paint.blue);
    line(board.rows - board.goalRows, paint.red);
    const [left, top] = this.toStage(0, board.rows);
    ctx.strokeStyle = paint.edge;
    ctx.lineWidth = 1;
    ctx.strokeRect(left, top, board.columns * scale, board.rows * scale);
    this.drawCoordinates(ctx, seen);
    if (scene.knowledge) this.drawKnowledge(ctx, scene, seen);
    this.drawGoals(ctx, scene, seen);
    if (scene.view === "truth") this.drawPieces(ctx, scene, seen);
  }

  drawGrid(ctx, seen) {
    ctx.strokeStyle = this.paint.grid;
    ctx.lineWidth = 1;
    ctx.beginPath();
    const [left, bottom] = this.toStage(seen.west, seen.south);
    const [right, top] = this.toStage(seen.east + 1, seen.north + 1);
    for (let x = seen.west; x <= seen.east + 1; x++) {
      const at = Math.round(this.toStage(x, 0)[0]) + 0.5;
      ctx.moveTo(at, top);
      ctx.lineTo(at, bottom);
    }
    for (let y = seen.south; y <= seen.north + 1; y++) {
      const at = Math.round(this.toStage(0, y)[1]) + 0.5;
      ctx.moveTo(left, at);
      ctx.lineTo(right, at);
    }
    ctx.stroke();
  }

  /** Numbers of columns and rows along the edges, as many as there is room for. */
  drawCoordinates(ctx, seen) {
    const { camera: { scale }, board } = this;
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => step * scale >= 26) ?? 1000;
    ctx.fillStyle = this.paint.muted;
    ctx.font = `10px ${TEXT_FONT}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    const below = Math.min(this.toStage(0, 0)[1] + 5, this.height - 14);
    for (let x = Math.ceil(seen.west / every) * every; x <= seen.east; x += every) {
      ctx.fillText(String(x), this.toStage(x + 0.5, 0)[0], below);
    }
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    const beside = Math.max(this.toStage(0, 0)[0] - 6, 20);
    for (let y = Math.ceil(seen.south / every) * every; y <= Math.min(seen.north, board.rows); y += every) {
      ctx.fillText(String(y), beside, this.toStage(0, y + 0.5)[1]);
    }
  }

  /** What somebody knows: the nearer the piece, the stronger the colour; the older the reading, the fainter. */
  drawKnowledge(ctx, scene, seen) {
    const { paint, camera: { scale }, board } = this;
    const truth = scene.view === "truth" ? scene.game.truth(scene.world) : null;
    const numbers = scale >= 15;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.font = `500 ${Math.min(15, Math.max(9, scale * 0.42))}px ${TEXT_FONT}`;
    // Below a pixel a field cannot be told from its neighbour: looking at some of them is enough.
    const stride = Math.max(1, Math.ceil(1.5 / scale));
    for (let y = seen.south; y <= seen.north; y += stride) for (let x = seen.west; x <= seen.east; x += stride) {
      const known = scene.knowledge.at(x, y);
      if (!known) continue;
      const [left, top] = this.toStage(x, y + 1);
      const centre = [left + scale / 2, top + scale / 2];
      if (known.distance !== UNKNOWN) {
        const freshness = Math.max(0.35, 1 - (scene.t - known.at) / 90000);
        const nearness = known.distance === INFINITE ? 0.08 : 0.12 + 0.5 * Math.exp(-known.distance / 3.5);
        ctx.globalAlpha = nearness * freshness;
        ctx.fillStyle = paint.accent;
        ctx.fillRect(left, top, scale * stride, scale * stride);
        ctx.globalAlpha = Math.max(0.55, freshness);
        const wrong = truth && truth[y * board.columns + x] !== known.distance;
        if (numbers) {
          ctx.fillStyle = paint.ink;
          ctx.fillText(known.distance === INFINITE ? "∞" : String(known.distance), ...centre);
          if (known.by >= 0) {
            ctx.beginPath();
            ctx.arc(left + scale * 0.16, top + scale * 0.18, Math.max(1.3, scale * 0.055), 0, 7);
            ctx.fill();
          }
        }
        ctx.globalAlpha = 1;
        if (wrong && scale >= 5) {
          const misled = known.by >= 0 && known.worth >= MISTAKEN;
          ctx.fillStyle = misled ? (known.worth === LIE ? paint.lie : paint.mistaken) : paint.stale;
          const side = Math.max(2.5, scale * 0.26);
          ctx.beginPath();
          ctx.moveTo(left + scale, top + scale);
          ctx.lineTo(left + scale - side, top + scale);
          ctx.lineTo(left + scale, top + scale - side);
          ctx.fill();
          // A claim that was false from the start has a second corner, so that the shape tells it as well.
          if (misled) {
            ctx.beginPath();
            ctx.moveTo(left + scale, top);
            ctx.lineTo(left + scale - side, top);
            ctx.lineTo(left + scale, top + side);
            ctx.fill();
          }
        }
      }
      if (known.goal !== UNSAID) this.drawBelief(ctx, known, scene, x, y, ...centre);
    }
    ctx.globalAlpha = 1;
  }

  drawBelief(ctx, known, scene, x, y, cx, cy) {
    const { paint, camera: { scale }, board } = this;
    const team = y < board.goalRows ? 1 : 0;
    const size = Math.max(2.5, scale * 0.2);
    ctx.lineWidth = Math.max(1.2, scale * 0.07);
    if (known.goal === NO_GOAL) {
      ctx.strokeStyle = paint.muted;
      cross(ctx, cx, cy, size * 0.75);
    } else if (scene.view !== "truth") {
      ctx.strokeStyle = paint[TEAMS[team]];
      diamond(ctx, cx, cy, size * 1.5);
      ctx.stroke();
    } else {
      ctx.strokeStyle = paint.ink;
      ctx.strokeRect(cx - scale * 0.42, cy - scale * 0.42, scale * 0.84, scale * 0.84);
    }
    const isGoal = scene.game.goals[team].has(y * board.columns + x);
    if (scene.view === "truth" && (known.goal === GOAL) !== isGoal) {
      ctx.strokeStyle = known.goalWorth === LIE ? paint.lie : paint.mistaken;
      ctx.lineWidth = Math.max(1.5, scale * 0.09);
      ctx.beginPath();
      ctx.arc(cx, cy, scale * 0.4, 0, 7);
      ctx.stroke();
    }
  }

  drawGoals(ctx, scene, seen) {
    const { paint, camera: { scale }, board } = this;
    const truth = scene.view === "truth";
    scene.game.goals.forEach((fields, team) => {
      for (const field of fields) {
        const x = field % board.columns, y = Math.floor(field / board.columns);
        if (x < seen.west || x > seen.east || y < seen.south || y > seen.north) continue;
        const covered = scene.world.covered.has(field);
        if (!truth && !(covered && scene.knowledge?.at(x, y)?.goal === GOAL)) continue;
        const [cx, cy] = this.toStage(x + 0.5, y + 0.5);
        const size = Math.max(2, scale * 0.36);
        ctx.strokeStyle = ctx.fillStyle = paint[TEAMS[team]];
        ctx.lineWidth = Math.max(1, scale * 0.08);
        if (covered) {
          diamond(ctx, cx, cy, size);
          ctx.fill();
          if (scale >= 9) {
            ctx.strokeStyle = paint["on-team"];
            ctx.beginPath();
            ctx.moveTo(cx - size * 0.38, cy + size * 0.02);
            ctx.lineTo(cx - size * 0.1, cy + size * 0.3);
            ctx.lineTo(cx + size * 0.4, cy - size * 0.28);
            ctx.stroke();
          }
        } else {
          ctx.setLineDash(scale >= 9 ? [scale * 0.16, scale * 0.1] : []);
          diamond(ctx, cx, cy, size);
          ctx.stroke();
          ctx.setLineDash([]);
          ctx.beginPath();
          ctx.arc(cx, cy, Math.max(1, scale * 0.07), 0, 7);
          ctx.fill();
        }
      }
    });
  }

  drawPieces(ctx, scene, seen) {
    const { camera: { scale }, board } = this;
    // Far away only where pieces lie can be seen, not how they look.
    const small = scale < 4;
    for (const [field, pile] of scene.world.pieces) {
      const x = field % board.columns, y = Math.floor(field / board.columns);
      if (x < seen.west || x > seen.east || y < seen.south || y > seen.north) continue;
      const [cx, cy] = this.toStage(x + 0.5, y + 0.5);
      if (small) {
        ctx.fillStyle = pile.at(-1) ? this.paint.edge : this.paint.piece;
        const size = Math.max(1, scale * 0.8);
        ctx.fillRect(cx - size / 2, cy - size / 2, size, size);
        continue;
      }
      // The lowest first, each a little higher; of a high pile the three uppermost.
      const shown = pile.slice(-3);
      shown.forEach((sham, place) => {
        const lift = scale * 0.12 * (place - (shown.length - 1) / 2);
        drawPiece(ctx, this.paint, cx, cy - lift, Math.max(2.6, scale * 0.24), sham ? SHAM : REAL);
      });
      if (pile.length > 1 && scale >= 16) {
        ctx.fillStyle = this.paint.ink;
        ctx.font = `600 ${Math.max(9, scale * 0.3)}px ${TEXT_FONT}`;
        ctx.textAlign = "left";
        ctx.textBaseline = "middle";
        ctx.fillText(String(pile.length), cx + scale * 0.26, cy + scale * 0.26);
      }
    }
  }

  // ---- agents and signs

  drawActors(scene) {
    const ctx = fitCanvas(this.actors, this.width, this.height);
    this.drawSigns(ctx, scene);
    const { world } = scene;
    for (let agent = 0; agent < world.x.length; agent++) {
      if (!world.gone[agent] && agent !== scene.selected) this.drawAgent(ctx, scene, agent);
    }
    if (scene.selected >= 0 && !world.gone[scene.selected]) this.drawAgent(ctx, scene, scene.selected);
    if (scene.selected >= 0) this.drawRemark(ctx, scene);
  }

  /** Where an agent is drawn: on its way for a moment after a move. */
  spot(scene, agent) {
    const { world, t, speed, motion, game } = scene;
    const glide = Math.min(GLIDE_MS * Math.max(1, speed), Math.max(120, game.start.penalties.move ?? 0));
    const part = motion ? (t - world.movedAt[agent]) / glide : 1;
    const [x, y] = [world.x[agent], world.y[agent]];
    if (part >= 1 || part < 0) return [x + 0.5, y + 0.5];
    const gone = easeOut(part);
    const [fromX, fromY] = [world.beforeX[agent], world.beforeY[agent]];
    return [fromX + (x - fromX) * gone + 0.5, fromY + (y - fromY) * gone + 0.5];
  }

  drawAgent(ctx, scene, agent) {
    const { paint, camera: { scale } } = this;
    const { world, t } = scene;
    const { team, leader } = scene.game.start.agents[agent];
    const [x, y] = this.spot(scene, agent);
    let [cx, cy] = this.toStage(x, y);
    const radius = Math.max(4, scale * (scale < 16 ? 0.43 : 0.38));
    if (cx < -radius * 2 || cy < -radius * 2 || cx > this.width + radius * 2 || cy > this.height + radius * 2) return;
    const refused = scene.refused.get(agent);
    if (refused !== undefined && scene.motion) cx += Math.sin(refused * 22) * scale * 0.08 * (1 - refused);
    // Whom the one whose view it is does not know about is only hinted at.
    const faint = scene.members && !scene.members.has(agent);
    ctx.globalAlpha = faint ? 0.22 : 1;
    if (agent === scene.selected) {
      ctx.strokeStyle = paint.accent;
      ctx.lineWidth = Math.max(2, scale * 0.07);
      ctx.beginPath();
      ctx.arc(cx, cy, radius * 1.62, 0, 7);
      ctx.stroke();
    }
    ctx.fillStyle = paint[team];
    ctx.strokeStyle = paint.surface;
    ctx.lineWidth = Math.max(1, scale * 0.05);
    agentShape(ctx, team, cx, cy, radius);
    ctx.fill();
    ctx.stroke();
    if (scale >= 16) {
      ctx.fillStyle = paint["on-team"];
      ctx.font = `700 ${Math.max(8, radius * (agent > 99 ? 0.75 : 1.05))}px ${TEXT_FONT}`;
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      ctx.fillText(String(agent), cx, cy + radius * 0.06);
    } else if (scale >= 8 || agent === scene.selected) {
      // Too small to be written on: the number stands beside.
      ctx.font = `650 9.5px ${TEXT_FONT}`;
      ctx.textAlign = "left";
      ctx.textBaseline = "bottom";
      ctx.lineWidth = 2.5;
      ctx.strokeStyle = paint.surface;
      ctx.fillStyle = paint.ink;
      ctx.strokeText(String(agent), cx + radius * 0.9, cy - radius * 0.3);
      ctx.fillText(String(agent), cx + radius * 0.9, cy - radius * 0.3);
    }
    const left = world.lockedUntil[agent] - t, whole = world.lockedUntil[agent] - world.lockedAt[agent];
    if (left > 0 && whole > 0 && scale >= 6 && !faint) {
      ctx.lineWidth = Math.max(1.5, scale * 0.075);
      ctx.strokeStyle = paint.ink;
      ctx.globalAlpha = 0.14;
      ctx.beginPath();
      ctx.arc(cx, cy, radius * 1.32, 0, 7);
      ctx.stroke();
      ctx.globalAlpha = 0.8;
      ctx.beginPath();
      ctx.arc(cx, cy, radius * 1.32, -Math.PI / 2, -Math.PI / 2 + Math.PI * 2 * Math.min(1, left / whole));
      ctx.stroke();
      ctx.globalAlpha = 1;
    }
    if (leader && scale >= 6) crown(ctx, paint, cx, cy - radius * 1.2, radius * 0.72);
    if (world.hand[agent] !== EMPTY && !faint) {
      // The team does not see what kind a piece is; whoever watches all does.
      const hand = scene.view === "truth" ? world.hand[agent] : EITHER;
      drawPiece(ctx, paint, cx + radius * 0.95, cy + radius * 0.85, Math.max(2.5, radius * 0.62), hand);
    }
    ctx.globalAlpha = 1;
  }

  /** The signs of what has just happened, youngest last. */
  drawSigns(ctx, scene) {
    const { game, world, t } = scene;
    const pace = Math.max(1, scene.speed);
    scene.refused = new Map();
    const oldest = t - ARC_MS * pace;
    let index = world.applied - 1;
    const stop = Math.max(0, world.applied - MOST_SIGNS);
    while (index >= stop && game.events[index][0] > oldest) index--;
    for (index++; index < world.applied; index++) {
      const event = game.events[index];
      const age = (t - event[0]) / pace;
      const by = event[1] === "appeared" ? -1 : actor(event);
      if (event[1] === "lock" || event[1] === "note" || event[1] === "over") continue;
      if (scene.members && !scene.members.has(by)) continue;
      if (event[1] === "asked" || event[1] === "answered") this.drawExchange(ctx, scene, event, index, age / ARC_MS);
      else if (age < SIGN_MS) this.drawSign(ctx, scene, event, age / SIGN_MS);
    }
    scene.isBusy = index > 0 && t - game.events[index - 1]?.[0] < ARC_MS * pace;
  }

  drawSign(ctx, scene, event, part) {
    const { paint, camera: { scale } } = this;
    const [, word, agent] = event;
    if (word === "refused") scene.refused.set(agent, part);
    const [x, y] = word === "appeared" ? [event[3] + 0.5, event[4] + 0.5] : this.spot(scene, agent);
    const [cx, cy] = this.toStage(x, y);
    const grown = scene.motion ? easeOut(part) : 0.5;
    const fade = 1 - part ** 2;
    const ring = (colour, from, to, width = 0.08) => {
      ctx.strokeStyle = colour;
      ctx.lineWidth = Math.max(1.2, scale * width);
      ctx.beginPath();
      ctx.arc(cx, cy, Math.max(3, scale * (from + (to - from) * grown)), 0, 7);
      ctx.stroke();
    };
    const say = (text, colour) => {
      ctx.fillStyle = colour;
      ctx.font = `700 ${Math.max(11, Math.min(20, scale * 0.5))}px ${TEXT_FONT}`;
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      ctx.lineWidth = 3;
      ctx.strokeStyle = paint.surface;
      const at = cy - Math.max(10, scale * (0.55 + (scene.motion ? 0.45 * grown : 0.2)));
      ctx.strokeText(text, cx, at);
      ctx.fillText(text, cx, at);
    };
    ctx.globalAlpha = fade;
    switch (word) {
      case "discovered":
        ctx.fillStyle = paint.accent;
        ctx.globalAlpha = fade * 0.22;
        ctx.fillRect(cx - scale * 1.5 * grown, cy - scale * 1.5 * grown, scale * 3 * grown, scale * 3 * grown);
        ctx.globalAlpha = fade;
        break;
      case "picked-up": case "landed": ring(paint.piece, 0.9, 0.35); break;
      case "put":
        if (event[3] === "on-goal") {
          const colour = paint[scene.game.start.agents[agent].team];
          ring(colour, 0.3, 2.2, 0.16);
          ring(colour, 0.2, 1.4);
          say("+1", colour);
        } else {
          ring(paint.ink, 0.3, 0.95);
          if (event[3] !== "on-task-field") say(event[3] === "was-sham" ? "sham" : "no goal", paint.muted);
        }
        break;
      case "checked": say(event[3] ? "sham" : "real", event[3] ? paint.sham : paint.honest); break;
      case "destroyed": ring(paint.sham, 0.3, 0.8); break;
      case "appeared": ring(paint.piece, 1.3, 0.3, 0.05); break;
      case "left": say("gone", paint.muted); break;
      case "refused":
        ctx.strokeStyle = paint.blocked;
        ctx.lineWidth = Math.max(1.5, scale * 0.08);
        cross(ctx, cx + scale * 0.38, cy - scale * 0.38, Math.max(2.5, scale * 0.14));
        break;
    }
    ctx.globalAlpha = 1;
  }

  /** A question is a dotted arc; an answer an arc in the colour, dashes and sign of its worth. */
  drawExchange(ctx, scene, event, index, part) {
    if (part >= 1) return;
    const { paint, camera: { scale } } = this;
    const [, word, to, by] = event;
    const start = this.toStage(...this.spot(scene, by)), end = this.toStage(...this.spot(scene, to));
    const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
    const bend = 0.22;
    const middle = [(start[0] + end[0]) / 2 - dy * bend, (start[1] + end[1]) / 2 + dx * bend];
    const answered = word === "answered";
    const worth = answered ? scene.game.verdicts.get(index).worth : 0;
    const colour = answered ? paint[VERDICTS[worth]] : paint.muted;
    const reach = scene.motion ? Math.min(1, easeOut(part * 2.5)) : 1;
    const at = (place) => {
      const rest = 1 - place;
      return [0, 1].map((axis) =>
        rest * rest * start[axis] + 2 * rest * place * middle[axis] + place * place * end[axis]);
    };
    ctx.globalAlpha = Math.min(1, 2 - part * 2);
    ctx.strokeStyle = ctx.fillStyle = colour;
    ctx.lineWidth = answered ? Math.max(2, Math.min(4, scale * 0.1)) : 1.5;
    ctx.setLineDash(answered ? VERDICT_DASHES[worth] : [2, 5]);
    ctx.beginPath();
    ctx.moveTo(...start);
    for (let place = 0.05; place <= reach; place += 0.05) ctx.lineTo(...at(place));
    ctx.lineTo(...at(reach));
    ctx.stroke();
    ctx.setLineDash([]);
    const [tx, ty] = at(reach), [bx, by2] = at(Math.max(0, reach - 0.04));
    const angle = Math.atan2(ty - by2, tx - bx), head = Math.max(6, Math.min(11, scale * 0.28));
    ctx.beginPath();
    ctx.moveTo(tx, ty);
    ctx.lineTo(tx - head * Math.cos(angle - 0.45), ty - head * Math.sin(angle - 0.45));
    ctx.lineTo(tx - head * Math.cos(angle + 0.45), ty - head * Math.sin(angle + 0.45));
    ctx.fill();
    const [sx, sy] = at(0.5);
    if (reach > 0.5) {
      ctx.beginPath();
      ctx.arc(sx, sy, 9, 0, 7);
      ctx.fill();
      ctx.fillStyle = paint.surface;
      ctx.font = `700 12px ${TEXT_FONT}`;
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      ctx.fillText(answered ? VERDICT_SIGNS[worth] : "?", sx, sy + 0.5);
    }
    ctx.globalAlpha = 1;
  }

  /** The drawing that the selected agent's strategy made last. */
  drawRemark(ctx, scene) {
    const index = scene.world.remark[scene.selected];
    if (index < 0) return;
    const { paint, camera: { scale } } = this;
    ctx.strokeStyle = ctx.fillStyle = paint.accent;
    ctx.lineWidth = Math.max(1.5, scale * 0.06);
    for (const shape of scene.game.events[index][3].shapes ?? []) {
      if (shape.field) {
        const [left, top] = this.toStage(shape.field[0], shape.field[1] + 1);
        ctx.strokeRect(left + 1, top + 1, scale - 2, scale - 2);
      } else if (shape.line) {
        const [x, y, toX, toY] = shape.line;
        ctx.setLineDash([4, 4]);
        ctx.beginPath();
        ctx.moveTo(...this.toStage(x + 0.5, y + 0.5));
        ctx.lineTo(...this.toStage(toX + 0.5, toY + 0.5));
        ctx.stroke();
        ctx.setLineDash([]);
      } else if (shape.label) {
        const [x, y, text] = shape.label;
        const [cx, cy] = this.toStage(x + 0.5, y + 1);
        ctx.font = `600 12px ${TEXT_FONT}`;
        ctx.textAlign = "center";
        ctx.textBaseline = "bottom";
        ctx.lineWidth = 3;
        ctx.strokeStyle = paint.surface;
        ctx.strokeText(text, cx, cy - 3);
        ctx.fillText(text, cx, cy - 3);
        ctx.strokeStyle = paint.accent;
        ctx.lineWidth = Math.max(1.5, scale * 0.06);
      }
    }
  }

  // ---- the minimap

  minimapScale() {
    const side = Math.min(170, this.width * 0.35);
    return Math.min(side / this.board.columns, side / this.board.rows);
  }

  drawMinimap(scene) {
    const { paint, board } = this;
    const scale = this.minimapScale();
    const width = Math.max(24, board.columns * scale), height = Math.max(24, board.rows * scale);
    this.minimap.style.width = `${width}px`;
    this.minimap.style.height = `${height}px`;
    const ctx = fitCanvas(this.minimap, width, height);
    ctx.fillStyle = paint.task;
    ctx.fillRect(0, 0, width, height);
    ctx.fillStyle = paint["red-soft"];
    ctx.fillRect(0, 0, width, board.goalRows * scale);
    ctx.fillStyle = paint["blue-soft"];
    ctx.fillRect(0, height - board.goalRows * scale, width, board.goalRows * scale);
    const dot = (x, y, size) => ctx.fillRect((x + 0.5) * scale - size / 2, height - (y + 0.5) * scale - size / 2, size, size);
    if (scene.view === "truth") {
      ctx.fillStyle = paint.piece;
      ctx.globalAlpha = scene.world.pieces.size > 500 ? 0.25 : 0.8;
      for (const field of scene.world.pieces.keys()) dot(field % board.columns, Math.floor(field / board.columns), 1.2);
      ctx.globalAlpha = 1;
    }
    scene.game.start.agents.forEach(({ team }, agent) => {
      if (scene.world.gone[agent] || (scene.members && !scene.members.has(agent))) return;
      ctx.fillStyle = paint[team];
      dot(scene.world.x[agent], scene.world.y[agent], agent === scene.selected ? 6 : 3.5);
    });
    const low = this.fieldAt(0, this.height), high = this.fieldAt(this.width, 0);
    ctx.strokeStyle = paint.ink;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(low.x * scale, height - high.y * scale, (high.x - low.x) * scale, (high.y - low.y) * scale);
  }

  /** Moves the look to a point of the minimap. */
  lookAt(mx, my) {
    const scale = this.minimapScale();
    this.centre(mx / scale, this.board.rows - my / scale);
  }

  /** The agent under a point of the stage, or -1. */
  agentAt(world, sx, sy) {
    let best = -1, nearest = Math.max(12, this.camera.scale * 0.6) ** 2;
    for (let agent = 0; agent < world.x.length; agent++) {
      if (world.gone[agent]) continue;
      const [cx, cy] = this.toStage(world.x[agent] + 0.5, world.y[agent] + 0.5);
      const away = (cx - sx) ** 2 + (cy - sy) ** 2;
      if (away < nearest) [best, nearest] = [agent, away];
    }
    return best;
  }
}

function diamond(ctx, cx, cy, size) {
  ctx.beginPath();
  ctx.moveTo(cx, cy - size);
  ctx.lineTo(cx + size, cy);
  ctx.lineTo(cx, cy + size);
  ctx.lineTo(cx - size, cy);
  ctx.closePath();
}

function cross(ctx, cx, cy, size) {
  ctx.beginPath();
  ctx.moveTo(cx - size, cy - size);
  ctx.lineTo(cx + size, cy + size);
  ctx.moveTo(cx + size, cy - size);
  ctx.lineTo(cx - size, cy + size);
  ctx.stroke();
}

function agentShape(ctx, team, cx, cy, radius) {
  ctx.beginPath();
  if (team === "red") ctx.roundRect(cx - radius * 0.92, cy - radius * 0.92, radius * 1.84, radius * 1.84, radius * 0.32);
  else ctx.arc(cx, cy, radius, 0, 7);
}

/** A real piece is a filled hexagon, a sham a hollow one that is struck through, one of unknown kind half. */
function drawPiece(ctx, paint, cx, cy, size, kind) {
  ctx.beginPath();
  for (let corner = 0; corner < 6; corner++) {
    const angle = (corner * Math.PI) / 3 - Math.PI / 2;
    ctx.lineTo(cx + size * Math.cos(angle), cy + size * Math.sin(angle));
  }
  ctx.closePath();
  ctx.lineWidth = Math.max(1, size * 0.24);
  ctx.fillStyle = kind === SHAM ? paint.surface : paint.piece;
  ctx.strokeStyle = kind === SHAM ? paint.sham : paint.surface;
  ctx.fill();
  // A rim would leave nothing of a small piece.
  if (kind === SHAM || size > 4) ctx.stroke();
  if (kind === SHAM && size > 3) {
    ctx.beginPath();
    ctx.moveTo(cx - size * 0.5, cy + size * 0.5);
    ctx.lineTo(cx + size * 0.5, cy - size * 0.5);
    ctx.stroke();
  }
}

function crown(ctx, paint, cx, cy, size) {
  ctx.fillStyle = paint.leader;
  ctx.strokeStyle = paint.surface;
  ctx.lineWidth = Math.max(0.8, size * 0.12);
  ctx.beginPath();
  ctx.moveTo(cx - size, cy + size * 0.45);
  ctx.lineTo(cx - size, cy - size * 0.45);
  ctx.lineTo(cx - size * 0.45, cy);
  ctx.lineTo(cx, cy - size * 0.75);
  ctx.lineTo(cx + size * 0.45, cy);
  ctx.lineTo(cx + size, cy - size * 0.45);
  ctx.lineTo(cx + size, cy + size * 0.45);
  ctx.closePath();
  ctx.fill();
  ctx.stroke();
}

/** Points over time, as two lines of steps. */
export function drawCourse(canvas, paint, game, from, to, upTo, { labels = true } = {}) {
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const ctx = fitCanvas(canvas, width, height);
  const most = Math.max(1, ...game.course.map(([, red, blue]) => Math.max(red, blue)));
  const inset = { left: GUTTER, right: 10, top: 8, bottom: labels ? 18 : 6 };
  const xOf = (t) => inset.left + ((t - from) / Math.max(1, to - from)) * (width - inset.left - inset.right);
  const yOf = (points) => height - inset.bottom - (points / most) * (height - inset.top - inset.bottom);
  ctx.font = `11px ${TEXT_FONT}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  ctx.lineWidth = 1;
  const every = Math.max(1, Math.ceil(most / Math.max(1, Math.floor((height - inset.top - inset.bottom) / 18))));
  for (let points = 0; points <= most; points += every) {
    ctx.strokeStyle = paint.grid;
    ctx.beginPath();
    ctx.moveTo(inset.left, yOf(points));
    ctx.lineTo(width - inset.right, yOf(points));
    ctx.stroke();
    ctx.fillStyle = paint.muted;
    ctx.fillText(String(points), inset.left - 6, yOf(points));
  }
  if (labels) {
    ctx.textBaseline = "top";
    for (const t of roundTimes(from, to, Math.max(2, width / 110))) {
      ctx.fillStyle = paint.muted;
      ctx.textAlign = xOf(t) > width - 26 ? "right" : "center";
      ctx.fillText(clockText(t, false), xOf(t), height - inset.bottom + 5);
    }
  }
  ctx.save();
  ctx.beginPath();
  // With room for half a mark at both ends.
  ctx.rect(inset.left - 4, 0, width - inset.left - inset.right + 8, height);
  ctx.clip();
  TEAMS.forEach((team, place) => {
    // Equal lines would hide each other: blue's lies a pixel lower, and is dashed where they could meet.
    const nudge = place * 1.5;
    ctx.strokeStyle = paint[team];
    ctx.lineWidth = 2.2;
    ctx.setLineDash(place ? [7, 3] : []);
    ctx.beginPath();
    let last = 0;
    ctx.moveTo(xOf(0), yOf(0) + nudge);
    for (const entry of game.course) {
      if (entry[0] > upTo) break;
      ctx.lineTo(xOf(entry[0]), yOf(last) + nudge);
      last = entry[1 + place];
      ctx.lineTo(xOf(entry[0]), yOf(last) + nudge);
    }
    ctx.lineTo(xOf(upTo), yOf(last) + nudge);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = paint[team];
    let before = 0;
    for (const entry of game.course) {
      if (entry[0] > upTo || entry[1 + place] === before) continue;
      before = entry[1 + place];
      agentShape(ctx, team, xOf(entry[0]), yOf(before) + nudge, 3.2);
      ctx.fill();
    }
  });
  ctx.restore();
  return { xOf, tOf: (x) => from + ((x - inset.left) / (width - inset.left - inset.right)) * (to - from) };
}

/** The room left of the charts for their labels. */
const GUTTER = 44;
const GANTT_ROW = 14;

/** Who did what when: a line for each agent. Height tells the stretches apart as well as colour. */
export function drawGantt(canvas, paint, game, from, to, selected) {
  const width = canvas.clientWidth, agents = game.start.agents, height = agents.length * GANTT_ROW + 2;
  canvas.style.height = `${height}px`;
  const ctx = fitCanvas(canvas, width, height);
  const right = width - 10;
  const xOf = (t) => GUTTER + ((t - from) / Math.max(1, to - from)) * (right - GUTTER);
  ctx.font = `11px ${TEXT_FONT}`;
  ctx.textBaseline = "middle";
  const shapes = [[1.5, GANTT_ROW - 4], [4, GANTT_ROW - 9], [GANTT_ROW - 6, 4]];
  const end = Math.min(to, game.clock);
  agents.forEach(({ id, team, leader }) => {
    const top = id * GANTT_ROW + 1;
    if (id === selected) {
      ctx.fillStyle = paint.grid;
      ctx.fillRect(0, top - 0.5, width, GANTT_ROW);
    }
    ctx.fillStyle = paint[team];
    agentShape(ctx, team, 10, top + GANTT_ROW / 2 - 0.5, 4.5);
    ctx.fill();
    ctx.fillStyle = paint.ink;
    ctx.textAlign = "left";
    ctx.font = `${leader ? 700 : 400} 11px ${TEXT_FONT}`;
    ctx.fillText(String(id), 19, top + GANTT_ROW / 2);
    ctx.fillStyle = paint.waiting;
    ctx.fillRect(xOf(from), top + GANTT_ROW / 2 - 1, Math.max(0, xOf(end) - xOf(from)), 1);
    const line = game.stretches[id];
    let first = 0, beyond = line.from.length;
    while (first < beyond) {
      const middle = (first + beyond) >> 1;
      if (line.to[middle] < from) first = middle + 1;
      else beyond = middle;
    }
    // Stretches thinner than a pixel blend, which shows the share of each.
    STRETCHES.forEach((name, kind) => {
      const [down, tall] = shapes[kind];
      ctx.fillStyle = paint[name];
      for (let place = first; place < line.from.length && line.from[place] < to; place++) {
        if (line.kind[place] !== kind) continue;
        const start = Math.max(GUTTER, xOf(line.from[place])), stop = Math.min(right, xOf(Math.min(line.to[place], end)));
        if (stop > start) ctx.fillRect(start, top + down, stop - start, tall);
      }
    });
    const shams = game.shams[id];
    ctx.fillStyle = paint.sham;
    for (let place = 0; place < shams.from.length; place++) {
      const start = Math.max(GUTTER, xOf(shams.from[place])), stop = Math.min(right, xOf(Math.min(shams.to[place], end)));
      if (stop > start) ctx.fillRect(start, top + GANTT_ROW - 3, Math.max(1, stop - start), 2);
    }
  });
  return { xOf, tOf: (x) => from + ((x - GUTTER) / (right - GUTTER)) * (to - from) };
}

/** Round moments for the labels of an axis, at most about so many. */
function roundTimes(from, to, most) {
  const steps = [1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000, 900000, 1800000, 3600000];
  const step = steps.find((one) => (to - from) / one <= most) ?? 7200000;
  const times = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) times.push(t);
  return times;
}

/** A moment as `m:ss.d`, or with hours. */
export function clockText(t, tenths = true) {
  const whole = Math.max(0, Math.floor(t / 100)) / 10;
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60, seconds = Math.floor(whole) % 60;
  const two = (number) => String(number).padStart(2, "0");
  const rest = tenths ? `.${Math.floor(whole * 10 + 1e-6) % 10}` : "";
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds)}${rest}`;
}

// ====================================================================================================
// Part 3: the page
// ====================================================================================================

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];

/** While a game is live it is shown this much late, so that moves glide instead of jump. */
const LIVE_DELAY_MS = 120;

/** Waiting that is skipped is longer than this; so much of it is left before the next event. */
const WAITING_MS = 600;
const BEFORE_EVENT_MS = 250;

/** How often texts beside the board are written again while time runs. */
const PANELS_EVERY_MS = 120;

/** How often charts are painted again while a live game grows. */
const CHARTS_EVERY_MS = 900;

const EVENT_ROW = 26;
const MOST_REMARKS = 12;
const MOST_EXCHANGES = 6;

const SIGNS = {
  "goal": "◆", "pick-up": "▲", "put": "▽", "check": "◎", "question": "…",
  "refusal": "⊘", "move": "→", "discovery": "◌", "new piece": "•", "remark": "“", "end": "■",
};

/** The events that the keys lead to, with their letters. */
const JUMPS = { goal: "g", "pick-up": "p", exchange: "x", lie: "l", refusal: "r" };

const FILTERS = {
  highlights: ["goal", "pick-up", "put", "exchange", "lie", "end"],
  all: KINDS.filter((kind) => kind !== "lock"),
  ...Object.fromEntries(KINDS.filter((kind) => kind !== "lock").map((kind) => [kind, [kind]])),
};

const KEYS = [
  ["Space", "play or pause"], ["← →", "one event back or on"], ["Shift ← →", "five seconds back or on"],
  [", . Home End", "to the start, to the end"], ["↓ ↑", "slower, faster"], ["N", "skip waiting"],
  ["G P X L R", "next goal, pick-up, exchange, lie, refusal; with Shift the one before"],
  ["E Q", "next, previous event of the chosen kind"], ["[ ]", "previous, next agent; Esc for none"],
  ["B", "what the agent believes"], ["V", "whose view: everything, a team, the agent"],
  ["O", "follow the agent"], ["+ − F", "nearer, farther, whole board"], ["W A S D", "move the look"],
  ["C", "copy a link to this moment"], ["T", "light or dark"], ["1 2 3", "settings, board, statistics"], ["?", "this help"],
];

const REASONS = {
  "too-early": "still locked", "leader-waits": "the leader waits for an answer", "off-board": "the board ends there",
  "occupied": "somebody stands there", "enemy-goal-area": "the other team's goal area",
  "nothing-there": "nothing lies there", "hands-full": "hands are full", "in-goal-area": "not in a goal area",
  "empty-handed": "empty-handed", "no-such-agent": "no such agent", "asked-itself": "asked itself",
  "not-asked": "was not asked", "not-playing": "does not play",
};

const TERMINATIONS = {
  "normal": "all goals are covered", "stopped": "stopped by the operator", "agent-lost": "no agent is left",
  "time": "out of time", "illegal": "a side broke the rules", "crash": "a side's program ended",
  "stall": "nothing happened any more", "interrupted": "interrupted",
};

const byId = (id) => document.getElementById(id);

/** An element with attributes and children; a listener for each attribute that is a function. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Writes a text only where it changes, so that the browser has nothing to lay out otherwise. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function teamShape(team) {
  return make("span", { "class": `shape ${team}`, "aria-hidden": "true" });
}

/** Hands a text to the user as a file. */
function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** The whole page. */
class Page {
  constructor() {
    this.game = new Game();
    this.token = new URLSearchParams(location.search).get("token");
    this.t = 0;
    this.playing = false;
    this.following = false;
    this.speed = 1;
    this.selected = -1;
    this.belief = false;
    this.tracking = false;
    this.view = "truth";
    this.live = false;
    this.ended = false;
    this.frame = 0;
    this.lastFrame = 0;
    this.panelsAt = 0;
    this.chartsAt = 0;
    this.dirty = true;
    this.announced = "";
    /** Where the pointer is on the stage, if it is there. */
    this.pointed = null;
    /** The last frames' times in milliseconds, for whoever measures the page. */
    this.frameTimes = [];
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.motion = !calm.matches;
    calm.addEventListener("change", () => { this.motion = !calm.matches; this.invalidate(); });
    this.board = new BoardView(byId("stage"), byId("ground"), byId("actors"), byId("minimap"));
    this.settings = new SettingsForm(this);
    this.list = new EventList(this);
    this.wire();
    this.wireStage();
    this.wireCharts();
    this.wireKeys();
    this.restoreTheme();
  }

  // ---- the feed

  /** Reads the feed of an exported file, or connects to whoever served the page. */
  connect() {
    const embedded = byId("feed");
    if (embedded) {
      this.takeAll(JSON.parse(embedded.textContent));
      return;
    }
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/feed${location.search}`);
    // Messages of one batch are taken together: the page is written once for all of them.
    let waiting = [];
    socket.addEventListener("message", ({ data }) => {
      if (!waiting.length) setTimeout(() => { this.takeAll(waiting.splice(0)); }, 0);
      waiting.push(JSON.parse(data));
    });
    socket.addEventListener("close", () => {
      if (waiting.length) this.takeAll(waiting.splice(0));
      this.disconnected();
    });
  }

  takeAll(messages) {
    const kinds = new Set();
    for (const message of messages) {
      const hadStart = this.game.start !== null;
      kinds.add(this.game.add(message));
      if (message.kind === "hello") this.greet(message);
      if (message.kind === "start") this.begin(hadStart);
      if (message.kind === "events" || message.kind === "clock") this.keepClock();
    }
    if (kinds.has("settings")) this.settings.show(this.game.settings);
    if (kinds.has("lobby") || kinds.has("settings")) this.showLobby();
    if (kinds.has("start") && this.game.hello?.mode === "replay") this.openReplay();
    if (kinds.has("events")) this.grew();
    if (kinds.has("statistics")) this.finish();
    if (kinds.has("gone")) this.sayGoodbye();
    if (kinds.has("truncated")) this.showBanner(`The replay breaks off: ${this.game.truncated}.`);
    this.invalidate(true);
  }

  greet(hello) {
    this.live = hello.mode === "live";
    document.body.classList.toggle("is-live", this.live);
    byId("waiting").hidden = true;
    document.title = hello.file ? `${hello.file} – The Project Game` : "The Project Game";
    this.state(this.live ? "live" : "replay", this.live ? "live" : hello.file ?? "replay");
    byId("read-only").hidden = hello.operator || !this.live;
    for (const element of document.querySelectorAll(".operator-only")) element.hidden = !hello.operator;
    byId("tab-settings").hidden = !this.live;
    byId("follow-live").hidden = !this.live;
    byId("tab-statistics").disabled = byId("tab-board").disabled = true;
    if (this.live) this.showPage("settings");
  }

  begin(again) {
    const { start } = this.game;
    byId("tab-board").disabled = byId("tab-statistics").disabled = false;
    byId("stop").hidden = !(this.live && this.game.hello.operator);
    this.fillViews();
    if (!again) this.showPage("board");
    this.board.show(start);
    this.fillAgents();
    this.list.reset();
    if (this.live) {
      byId("span").value = "60000";
      this.t = start.t ?? 0;
      this.follow(true);
    }
  }

  /** A replay is opened at the moment that the address names, and waits there. */
  openReplay() {
    // The lines of a long game are too fine to be read all at once.
    byId("span").value = this.game.duration >= 5 * 60000 ? "60000" : "0";
    const named = new URLSearchParams(location.hash.slice(1));
    if (named.has("agent")) this.select(Number(named.get("agent")));
    if (named.has("view")) this.setView(named.get("view"));
    this.seek(Number(named.get("t") ?? this.game.start.t ?? 0), { quiet: true });
  }

  /** Keeps the offset between the game's clock and the browser's. */
  keepClock() {
    const now = performance.now(), { clock } = this.game;
    const guess = this.clockAt === undefined ? -Infinity : clockAtNow(this, now);
    if (clock > guess || guess - clock > 500) this.clockAt = { t: clock, now };
    this.ended = this.game.head?.over !== null;
  }

  grew() {
    this.list.grow();
    const [red, blue] = this.game.head.points;
    const said = `Red ${red}, blue ${blue}`;
    if (this.live && this.announced && said !== this.announced) byId("announce").textContent = said;
    this.announced = said;
    if (performance.now() - this.chartsAt > CHARTS_EVERY_MS) this.paintCharts();
  }

  finish() {
    byId("stop").hidden = true;
    this.ended = true;
    if (this.live) {
      this.state("over", "game over");
      this.showPage("statistics");
    }
    if (this.page === "statistics") this.showStatistics();
    this.paintCharts();
  }

  sayGoodbye() {
    this.state("gone", "game master left");
    this.showBanner(`The game master said goodbye: ${this.game.gone}`);
  }

  disconnected() {
    byId("stop").hidden = true;
    byId("start").disabled = byId("apply").disabled = true;
    // A replay is complete and a goodbye was said: whoever looks has all there will be.
    if (!this.live && this.game.hello) return;
    if (this.game.gone !== null || this.game.statistics) {
      this.state("gone", "game master left");
      return;
    }
    this.gameMasterGone = true;
    this.follow(false);
    this.state("gone", "connection lost");
    byId("waiting").hidden = true;
    this.showBanner(this.game.start
      ? "The game master is gone: the connection ended in mid-game, without a goodbye. What was seen so far can be looked at."
      : "The game master is gone: the connection ended without a goodbye.");
    this.invalidate(true);
  }

  state(state, text) {
    byId("status").dataset.state = state;
    byId("status").title = text;
    write(byId("status"), text);
  }

  showBanner(text) {
    byId("banner").hidden = false;
    write(byId("banner"), text);
  }

  /** Asks the game master for something that only the operator may; its answer, or none if it is not there. */
  async request(method, path, body) {
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    try {
      const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
      const text = await answer.text();
      let said = null;
      try { said = text ? JSON.parse(text) : null; } catch { said = { why: text }; }
      return { status: answer.status, ok: answer.ok, said };
    } catch {
      this.showBanner("The game master does not answer.");
      return null;
    }
  }

  // ---- pages

  showPage(name) {
    this.page = name;
    for (const button of document.querySelectorAll("[data-page]")) {
      const chosen = button.dataset.page === name;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      byId(`page-${button.dataset.page}`).hidden = !chosen;
    }
    // The bar's points and clock are those of the moment on the board; the statistics have their own.
    byId("score").hidden = !this.game.start || name === "statistics";
    if (name === "board") {
      this.board.refresh();
      this.paintCharts();
      this.list.resize();
    }
    if (name === "statistics") this.showStatistics();
    this.invalidate(true);
  }

  restoreTheme() {
    let theme = null;
    try { theme = localStorage.getItem("theme"); } catch { /* A file that was opened from disk may have no storage. */ }
    if (theme) document.documentElement.dataset.theme = theme;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
  }

  toggleTheme() {
    const root = document.documentElement;
    const dark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* Then it lasts as long as the page. */ }
    this.restyle();
  }

  restyle() {
    this.board.refresh();
    if (this.game.start) {
      this.paintCharts();
      if (this.page === "statistics") this.showStatistics();
    }
    fillSigns(byId("help-signs"));
    this.invalidate(true);
  }

  showLobby() {
    const { lobby, settings, hello } = this.game;
    if (!lobby) return;
    for (const team of TEAMS) {
      const seats = lobby[team].map((agent) => make("li", {}, `agent ${agent}`));
      const free = Math.max(0, lobby.teamSize - seats.length);
      if (free) seats.push(make("li", { "class": "free" }, free === 1 ? "1 seat is free" : `${free} seats are free`));
      byId(`lobby-${team}`).replaceChildren(...seats);
      write(byId(`lobby-${team}-count`), `${lobby[team].length} of ${lobby.teamSize}`);
    }
    const locked = Boolean(settings?.locked);
    write(byId("lobby-note"), locked ? "The game has started: nothing can be changed any more."
      : lobby.mayStart ? "Both teams have agents: the game may start."
        : "Waiting: each team needs an agent.");
    byId("start").hidden = byId("apply").hidden = locked || !hello?.operator;
    this.settings.enable();
  }

  async start() {
    if (this.settings.hasChanges && !(await this.settings.apply())) return;
    const answer = await this.request("POST", "start");
    if (answer && !answer.ok) this.showBanner(`The game cannot start: ${answer.said?.why ?? answer.status}`);
  }

  async stop() {
    byId("stop").disabled = true;
    const answer = await this.request("POST", "stop");
    if (answer && !answer.ok) {
      byId("stop").disabled = false;
      this.showBanner(`The game cannot be stopped: ${answer.said?.why ?? answer.status}`);
    }
  }

  // ---- time

  get from() {
    return this.game.start?.t ?? 0;
  }

  seek(t, { quiet = false } = {}) {
    if (!this.game.start) return;
    this.t = Math.max(this.from, Math.min(t, this.game.duration));
    if (this.live && !quiet) this.follow(false);
    if (!quiet) this.linkSoon();
    this.invalidate(true);
  }

  /** Live: whether the page keeps up with the game. */
  follow(on) {
    this.following = on && this.live && !this.gameMasterGone;
    if (this.following) this.playing = false;
    byId("follow-live").setAttribute("aria-pressed", String(this.following));
    this.invalidate(true);
  }

  play(on = !this.playing) {
    if (!this.game.start) return;
    if (this.following) {
      this.follow(false);
      on = false;
    }
    if (on && this.t >= this.game.duration && !this.live) this.t = this.from;
    this.playing = on;
    if (!on) this.linkSoon();
    this.invalidate(true);
  }

  step(direction) {
    this.playing = false;
    const t = this.game.step(this.t, direction);
    if (t !== undefined) this.seek(t);
    else if (direction < 0) this.seek(this.from);
    this.invalidate(true);
  }

  setSpeed(speed) {
    this.speed = speed;
    byId("speed").value = String(speed);
    this.invalidate(true);
  }

  changeSpeed(direction) {
    const place = SPEEDS.indexOf(this.speed) + direction;
    if (SPEEDS[place]) this.setSpeed(SPEEDS[place]);
  }

  /** To the next event of a kind, or the one before. The agent that acts is chosen if none is. */
  jump(kind, direction) {
    if (!this.game.start) return;
    byId("kind").value = kind;
    const index = this.game.neighbour(kind, this.t, direction);
    if (index === undefined) {
      byId("announce").textContent = `no ${kind} ${direction > 0 ? "after" : "before"} this moment`;
      return;
    }
    this.playing = false;
    this.showEvent(index);
  }

  showEvent(index) {
    const event = this.game.events[index];
    this.list.mark(index);
    this.seek(event[0]);
    const agent = event[1] === "appeared" || event[1] === "over" ? -1 : actor(event);
    if (agent >= 0 && !this.board.isWhole) {
      const world = this.game.at(this.t);
      this.board.centre(world.x[agent] + 0.5, world.y[agent] + 0.5);
    }
    byId("announce").textContent = eventText(this.game, index);
  }

  /** Writes the moment into the address, once the user has come to rest. */
  linkSoon() {
    clearTimeout(this.linkTimer);
    this.linkTimer = setTimeout(() => {
      if (this.live && !this.ended) return;
      history.replaceState(null, "", this.fragment());
    }, 150);
  }

  fragment() {
    const parts = [`t=${Math.round(this.t)}`];
    if (this.selected >= 0) parts.push(`agent=${this.selected}`);
    if (this.view !== "truth") parts.push(`view=${this.view}`);
    return `#${parts.join("&")}`;
  }

  async copyLink() {
    history.replaceState(null, "", this.fragment());
    // The operator's token is not for whoever gets the link.
    const address = `${location.href.split(/[?#]/)[0]}${this.fragment()}`;
    try {
      await navigator.clipboard.writeText(address);
      write(byId("place"), "link copied");
    } catch {
      write(byId("place"), address);
    }
  }

  // ---- whose view, which agent

  select(agent) {
    this.selected = agent >= 0 && agent < (this.game.start?.agents.length ?? 0) ? agent : -1;
    if (this.selected < 0) {
      this.belief = this.tracking = false;
      if (this.view === "agent") this.setView("truth");
    }
    this.fillPanel();
    this.paintGantt();
    if (this.page === "board") this.list.resize();
    this.invalidate(true);
  }

  /** Steps through the agents, those that left included. */
  selectNext(direction) {
    const count = this.game.start?.agents.length ?? 0;
    if (!count) return;
    const from = this.selected < 0 ? (direction > 0 ? -1 : 0) : this.selected;
    this.select((from + direction + count) % count);
    this.agentRows[this.selected]?.button.scrollIntoView({ block: "nearest" });
  }

  setView(view) {
    this.view = ["truth", "red", "blue", "agent"].includes(view) ? view : "truth";
    if (this.view === "agent" && this.selected < 0) this.select(0);
    byId("view").value = this.view;
    this.fillPanel();
    this.invalidate(true);
  }

  toggleBelief() {
    if (this.selected < 0) this.select(0);
    this.belief = !this.belief;
    this.fillPanel();
    this.invalidate(true);
  }

  toggleFollowAgent() {
    if (this.selected < 0) this.select(0);
    this.tracking = !this.tracking;
    if (this.tracking && this.board.isWhole) this.board.zoom(2);
    this.fillPanel();
    this.invalidate(true);
  }

  fillViews() {
    const options = [["truth", "everything"], ["red", "red's"], ["blue", "blue's"], ["agent", "the agent's"]];
    byId("view").replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
    byId("view").value = this.view;
  }

  // ---- the loop

  /** Has the next frame painted; `panels` for the texts beside the board as well. */
  invalidate(panels = false) {
    this.dirty = true;
    if (panels) this.panelsAt = 0;
    if (!this.frame) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.frame = 0;
    const passed = Math.min(250, now - (this.lastFrame || now));
    if (this.lastFrame) {
      this.frameTimes.push(now - this.lastFrame);
      if (this.frameTimes.length > 600) this.frameTimes.shift();
    }
    this.lastFrame = now;
    if (!this.game.start || this.page !== "board") {
      this.lastFrame = 0;
      if (this.game.start) this.writeScore(this.game.at(this.t));
      if (this.following && !this.ended) {
        this.advance(0);
        setTimeout(() => this.invalidate(), 200);
      }
      return;
    }
    this.advance(passed);
    this.dirty = false;
    this.paint();
    if (now - this.panelsAt > PANELS_EVERY_MS) {
      this.panelsAt = now;
      this.writePanels();
    }
    const moves = this.playing || (this.following && !this.ended) || (this.following && this.t < this.game.duration);
    if (moves) this.invalidate();
    else {
      if (this.scene.isBusy && this.following) this.invalidate();
      this.lastFrame = 0;
    }
  }

  advance(passed) {
    const { game } = this;
    if (this.following) {
      // Never back: a clock that was guessed too far ahead is waited for. The end is known exactly.
      this.t = this.ended ? game.duration : Math.max(this.from, this.t, clockAtNow(this, performance.now()) - LIVE_DELAY_MS);
      return;
    }
    if (!this.playing) return;
    this.t += passed * this.speed;
    if (byId("skip").checked) {
      const next = game.step(this.t, 1);
      const before = BEFORE_EVENT_MS * Math.max(1, this.speed);
      const [last] = game.events[Math.max(0, game.countAt(this.t) - 1)] ?? [0];
      const settled = this.t - last > WAITING_MS * Math.max(1, this.speed);
      if (next !== undefined && settled && next - this.t > before) this.t = next - before;
    }
    if (this.t >= game.duration) {
      this.t = game.duration;
      this.playing = false;
      if (this.live && !this.ended) this.follow(true);
      this.linkSoon();
      this.panelsAt = 0;
    }
  }

  paint() {
    const { game } = this;
    const world = game.at(this.t);
    let knowledge = null, members = null, knowledgeKey = "";
    if (this.view === "red" || this.view === "blue") {
      knowledge = game.teamKnowledge(this.view, world.applied);
      members = new Set(game.start.agents.filter(({ team }) => team === this.view).map(({ id }) => id));
      knowledgeKey = knowledge.members.map((member) => member.heard).join();
    } else if (this.selected >= 0 && (this.view === "agent" || this.belief)) {
      knowledge = game.knowledge(this.selected, world.applied);
      if (this.view === "agent") members = new Set([this.selected]);
      knowledgeKey = `${this.selected}:${knowledge.heard}`;
    }
    if (this.tracking && this.selected >= 0) {
      const [x, y] = this.board.spot(this.scene ?? { world, t: this.t, speed: 1, motion: false, game }, this.selected);
      this.board.centre(x, y);
    }
    this.scene = {
      game, world, t: this.t, speed: this.following ? 1 : this.speed, motion: this.motion, view: this.view,
      selected: this.selected, knowledge, knowledgeKey, members,
    };
    this.board.draw(this.scene);
    this.writeScore(world);
    byId("scrub").max = String(Math.ceil(game.duration));
    byId("scrub").min = String(this.from);
    byId("scrub").value = String(Math.round(this.t));
    this.placeCursors();
  }

  writeScore(world) {
    write(byId("points-red"), String(world.points[0]));
    write(byId("points-blue"), String(world.points[1]));
    write(byId("clock"), clockText(this.t));
  }

  writePanels() {
    const { game, scene: { world } } = this;
    const playing = this.playing || this.following;
    byId("play-icon").setAttribute("href", playing ? "#icon-pause" : "#icon-play");
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    byId("scrub").setAttribute("aria-valuetext", clockText(this.t));
    const file = game.hello.file ?? (this.live ? "live" : "replay");
    write(byId("place"), `${file} ${this.fragment().split("&")[0]}`);
    game.start.agents.forEach(({ id }) => this.writeAgentRow(id, world));
    this.writePanel(world);
    this.showTip();
    this.list.follow(world.applied - 1);
  }

  // ---- agents

  fillAgents() {
    const rows = [...this.game.start.agents].sort((one, other) =>
      TEAMS.indexOf(one.team) - TEAMS.indexOf(other.team) || one.id - other.id);
    this.agentRows = [];
    byId("agents").replaceChildren(...rows.map(({ id, team, leader, name }) => {
      const doing = make("span", { "class": "doing" }), load = make("span", { "class": "load" });
      const goals = make("span", { "class": "goals" });
      const who = make("span", { "class": "who" }, teamShape(team), String(id),
        leader ? make("span", { "class": "crown", title: "leader" }, "♛") : null);
      const button = make("button", {
        type: "button", "class": "agent-row", "aria-pressed": "false", title: `${name}, ${team}${leader ? ", leader" : ""}`,
        click: () => this.select(this.selected === id ? -1 : id),
      }, who, doing, load, goals);
      this.agentRows[id] = { button, doing, load, goals };
      return button;
    }));
  }

  /** What an agent does at this moment, in a few words. */
  doing(agent, world) {
    if (world.gone[agent]) return "has left";
    const left = world.lockedUntil[agent] - this.t;
    const last = world.last[agent] >= 0 ? this.game.events[world.last[agent]] : null;
    const words = {
      moved: "moves", discovered: "discovers", "picked-up": "picks up", put: "puts", checked: "checks its piece",
      destroyed: "destroys its piece", asked: "asks", answered: "answers", refused: "is refused",
    };
    const what = !last ? "" : last[1] === "refused" ? `${last[3]} refused` : words[last[1]];
    if (left > 0) return `${what || "locked"} · ${(left / 1000).toFixed(1)} s`;
    const since = this.t - Math.max(world.lockedUntil[agent], last ? last[0] : 0);
    return since < 300 ? what || "ready" : `waits ${(since / 1000).toFixed(1)} s`;
  }

  writeAgentRow(agent, world) {
    const row = this.agentRows[agent];
    write(row.doing, this.doing(agent, world));
    const hand = this.view === "truth" || world.hand[agent] === EMPTY ? world.hand[agent] : EITHER;
    write(row.load, ["", "piece", "sham", "piece"][hand]);
    const goals = world.count(agent, COUNT.goals);
    write(row.goals, goals ? String(goals) : "");
    row.button.setAttribute("aria-pressed", String(agent === this.selected));
    row.button.classList.toggle("gone", Boolean(world.gone[agent]));
  }

  fillPanel() {
    const panel = byId("agent-panel");
    panel.hidden = this.selected < 0;
    if (this.selected < 0) return;
    const { team, leader, name } = this.game.start.agents[this.selected];
    const toggle = (text, on, title, act) =>
      make("button", { type: "button", "aria-pressed": String(on), title, click: act }, text);
    const truth = this.view === "truth";
    const mark = (name, text) => make("span", {}, make("i", { "class": name }), text);
    const marks = (this.belief && truth) || this.view === "agent" ? make("div", { "class": "marks" },
      mark("read", "read; faint: long ago"), mark("told", "told"),
      ...(truth ? [mark("stale", "was true once"), mark("mistaken", "told by mistake"), mark("lie", "told as a lie")] : [])) : null;
    this.panel = {
      now: make("p", { "class": "now" }), figures: make("dl", { "class": "figures" }),
      exchanges: make("ul", { "class": "plain" }), remarks: make("ul", { "class": "plain" }), key: "",
    };
    panel.replaceChildren(
      make("div", { "class": "card-head" },
        make("h2", {}, teamShape(team), `${this.selected} · ${name}`, leader ? make("span", { "class": "crown", title: "leader" }, "♛") : ""),
        make("button", { type: "button", "class": "icon", "aria-label": "Close", title: "Close (Esc)", click: () => this.select(-1) }, "×")),
      this.panel.now,
      make("div", { "class": "row" },
        toggle("Beliefs", this.belief, "What it believes, over the truth (B)", () => this.toggleBelief()),
        toggle("Only what it knows", this.view === "agent", "Without the truth (V)",
          () => this.setView(this.view === "agent" ? "truth" : "agent")),
        toggle("Follow", this.tracking, "Keep it in the middle (O)", () => this.toggleFollowAgent())),
      marks ?? "", this.panel.figures,
      make("h3", {}, "Exchanges"), this.panel.exchanges, make("h3", {}, "Remarks"), this.panel.remarks);
  }

  writePanel(world) {
    if (this.selected < 0) return;
    const { game, panel } = this;
    const figures = world.figures(this.selected, this.t);
    const carries = ["", " · carries a piece", " · carries a sham", " · carries a piece"][
      this.view === "truth" || !world.hand[this.selected] ? world.hand[this.selected] : EITHER];
    write(panel.now, `At ${world.x[this.selected]},${world.y[this.selected]}: ${this.doing(this.selected, world)}${carries}`);
    const refused = Object.values(figures.refused).reduce((sum, count) => sum + count, 0);
    const share = (part) => `${Math.round((100 * part) / Math.max(1, this.t - this.from))} %`;
    const values = [
      ["goals", figures.goals], ["pieces", figures.pieces], ["shams", figures.shams], ["moves", figures.granted.move],
      ["discoveries", figures.granted.discover], ["asked", figures.questionsAsked], ["answered", figures.questionsAnswered],
      ["refused", refused], ["too early", figures.premature], ["locked", share(figures.lockedMs)],
      ["waiting", share(figures.idleMs)], ["was asked", figures.questionsReceived],
    ];
    if (panel.figures.children.length !== values.length) {
      panel.figures.replaceChildren(...values.map(([name]) => make("div", {}, make("dt", {}, name), make("dd"))));
    }
    values.forEach(([, value], place) => write(panel.figures.children[place].lastChild, String(value)));
    const past = (places, most) => {
      let count = places.length;
      while (count && places[count - 1] >= world.applied) count--;
      return places.slice(Math.max(0, count - most), count).reverse();
    };
    const exchanges = past(game.exchanges[this.selected], MOST_EXCHANGES);
    const remarks = past(game.remarks[this.selected], MOST_REMARKS);
    const key = `${exchanges[0]} ${remarks[0]}`;
    if (key === panel.key) return;
    panel.key = key;
    const moment = (index) => make("time", {}, clockText(game.events[index][0]));
    panel.exchanges.replaceChildren(...(exchanges.length ? exchanges.map((index) => {
      const [, , to, by] = game.events[index];
      const { worth, counts } = game.verdicts.get(index);
      const told = counts.map((count, place) => (count ? `${count} ${["true", "stale", "mistaken", "lies"][place]}` : ""));
      return make("li", { title: told.filter(Boolean).join(", ") }, moment(index),
        by === this.selected ? `told ${to} ` : `heard from ${by} `,
        make("span", { "class": `worth ${VERDICTS[worth]}` }, `${VERDICT_SIGNS[worth]} ${VERDICTS[worth]}`),
        make("span", { "class": "note" }, ` ${told.filter(Boolean).join(", ")}`));
    }) : [make("li", { "class": "note" }, "none so far")]));
    panel.remarks.replaceChildren(...(remarks.length
      ? remarks.map((index) => make("li", {}, moment(index), game.events[index][3].text ?? ""))
      : [make("li", { "class": "note" }, "none so far")]));
  }

  // ---- charts

  get whole() {
    return [this.from, Math.max(this.from + 1000, this.game.duration)];
  }

  /** The stretch of time in which the agents' lines are shown: it is turned like a page. */
  window() {
    const span = Number(byId("span").value), [from, to] = this.whole;
    if (!span || to - from <= span) return [from, to];
    const turn = span * 0.8;
    const start = Math.max(from, Math.min(to - span, from + Math.floor((this.t - from) / turn) * turn));
    return [start, start + span];
  }

  paintCharts() {
    if (!this.game.start || this.page !== "board") return;
    this.chartsAt = performance.now();
    this.course = drawCourse(byId("course"), this.board.paint, this.game, ...this.whole, this.game.duration);
    this.chartWindow = this.window();
    this.paintGantt();
    this.paintTicks();
    this.invalidate();
  }

  paintGantt() {
    if (!this.game.start || this.page !== "board" || !this.chartWindow) return;
    this.gantt = drawGantt(byId("gantt"), this.board.paint, this.game, ...this.chartWindow, this.selected);
    byId("gantt-cursor").style.height = byId("gantt").style.height;
    write(byId("span-shown"), this.chartWindow.map((t) => clockText(t, false)).join(" – "));
  }

  /** Goals and lies beside the slider. */
  paintTicks() {
    const canvas = byId("ticks"), { paint } = this.board;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    const ctx = fitCanvas(canvas, width, height);
    const inset = 7, span = Math.max(1, this.game.duration - this.from);
    const xOf = (t) => inset + ((t - this.from) / span) * (width - 2 * inset);
    ctx.fillStyle = paint.grid;
    ctx.beginPath();
    ctx.roundRect(inset, height / 2 - 3, width - 2 * inset, 6, 3);
    ctx.fill();
    ctx.fillStyle = paint.lie;
    for (const index of this.game.ofKind.lie) ctx.fillRect(xOf(this.game.events[index][0]) - 0.5, height / 2 + 4, 1.5, 5);
    for (const index of this.game.ofKind.goal) {
      const [t, , agent] = this.game.events[index];
      const { team } = this.game.start.agents[agent];
      ctx.fillStyle = paint[team];
      agentShape(ctx, team, xOf(t), height / 2 - (team === "red" ? 7 : 6.5), 3);
      ctx.fill();
    }
  }

  placeCursors() {
    if (!this.chartWindow) return;
    const [from, to] = this.window();
    const turned = from !== this.chartWindow[0] || (Number(byId("span").value) && to !== this.chartWindow[1]);
    // While a game grows so does the stretch: painting it again can wait a little then.
    if (turned && (!this.following || performance.now() - this.chartsAt > CHARTS_EVERY_MS)) this.paintCharts();
    for (const [id, chart] of [["course-cursor", this.course], ["gantt-cursor", this.gantt]]) {
      byId(id).style.transform = `translateX(${Math.round(chart.xOf(this.t) * 2) / 2}px)`;
    }
  }

  // ---- statistics

  showStatistics() {
    if (!this.game.start) return;
    const statistics = this.game.statistics ?? statisticsSoFar(this.game);
    byId("statistics").replaceChildren(...statisticsPage(this, statistics));
    drawCourse(byId("final-course"), this.board.paint, this.game, this.from, Math.max(1, this.game.duration), this.game.duration);
  }

  // ---- controls

  wire() {
    const on = (id, act, event = "click") => byId(id).addEventListener(event, act);
    for (const button of document.querySelectorAll("[data-page]")) {
      button.addEventListener("click", () => this.showPage(button.dataset.page));
      button.addEventListener("keydown", ({ key }) => {
        if (key !== "ArrowLeft" && key !== "ArrowRight") return;
        const tabs = [...document.querySelectorAll("[data-page]")].filter((tab) => !tab.hidden && !tab.disabled);
        const next = tabs[(tabs.indexOf(button) + (key === "ArrowRight" ? 1 : tabs.length - 1)) % tabs.length];
        next.focus();
        this.showPage(next.dataset.page);
      });
    }
    byId("speed").replaceChildren(...SPEEDS.map((speed) => make("option", { value: String(speed) }, `${speed}×`)));
    byId("speed").value = "1";
    byId("kind").replaceChildren(...Object.keys(JUMPS).map((kind) => make("option", { value: kind }, kind)));
    byId("filter").replaceChildren(...Object.keys(FILTERS).map((name) => make("option", { value: name }, name)));
    on("play", () => this.play());
    on("first", () => this.seek(this.from));
    on("last", () => this.seek(this.game.duration));
    on("step-back", () => this.step(-1));
    on("step-forward", () => this.step(1));
    on("follow-live", () => this.follow(true));
    on("speed", ({ target }) => this.setSpeed(Number(target.value)), "change");
    on("kind-back", () => this.jump(byId("kind").value, -1));
    on("kind-forward", () => this.jump(byId("kind").value, 1));
    on("scrub", ({ target }) => this.seek(Number(target.value)), "input");
    on("link", () => this.copyLink());
    on("view", ({ target }) => this.setView(target.value), "change");
    on("fit", () => { this.tracking = false; this.board.fit(); this.invalidate(); });
    on("zoom-in", () => { this.board.zoom(1.4); this.invalidate(); });
    on("zoom-out", () => { this.board.zoom(1 / 1.4); this.invalidate(); });
    on("theme", () => this.toggleTheme());
    on("help", () => this.showHelp());
    on("start", () => this.start());
    on("stop", () => this.stop());
    on("span", () => this.paintCharts(), "change");
    on("filter", () => this.list.refilter(), "change");
    window.addEventListener("hashchange", () => {
      const named = new URLSearchParams(location.hash.slice(1));
      if (named.has("t") && this.game.start) this.seek(Number(named.get("t")));
    });
    // After a click of the mouse the keys mean the game again, not the button that was clicked.
    document.addEventListener("click", ({ detail, target }) => {
      if (detail > 0) target.closest("button")?.blur();
    });
    let byPointer = false;
    document.addEventListener("pointerdown", () => { byPointer = true; }, true);
    document.addEventListener("keydown", () => { byPointer = false; }, true);
    document.addEventListener("change", ({ target }) => {
      if (byPointer && target.matches("#page-board select, #skip")) target.blur();
    });
    new ResizeObserver(() => {
      if (!this.game.start || this.page !== "board") return;
      this.board.refresh();
      this.paintCharts();
      this.list.resize();
      this.invalidate(true);
    }).observe(byId("stage"));
  }

  showHelp() {
    const dialog = byId("help-dialog");
    if (dialog.open) {
      dialog.close();
      return;
    }
    byId("help-keys").replaceChildren(...KEYS.flatMap(([keys, text]) =>
      [make("dt", {}, ...keys.split(" ").map((key) => make("kbd", {}, key))), make("dd", {}, text)]));
    fillSigns(byId("help-signs"));
    dialog.showModal();
  }

  wireStage() {
    const stage = byId("stage"), minimap = byId("minimap");
    const pointers = new Map();
    let travelled = 0, pinch = 0;
    const spread = () => {
      const [one, other] = [...pointers.values()];
      return Math.hypot(one.x - other.x, one.y - other.y);
    };
    const place = (event) => {
      const box = stage.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    stage.addEventListener("pointerdown", (event) => {
      if (!this.game.start || (event.target !== stage && event.target.id !== "actors")) return;
      stage.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, place(event));
      travelled = 0;
      if (pointers.size === 2) pinch = spread();
    });
    stage.addEventListener("pointermove", (event) => {
      const now = place(event), before = pointers.get(event.pointerId);
      if (!before) {
        this.pointed = event.target.id === "actors" ? now : null;
        this.showTip();
        return;
      }
      pointers.set(event.pointerId, now);
      if (pointers.size === 2) {
        const [one, other] = [...pointers.values()];
        this.board.zoom(spread() / pinch, (one.x + other.x) / 2, (one.y + other.y) / 2);
        pinch = spread();
        travelled = 99;
      } else {
        travelled += Math.hypot(now.x - before.x, now.y - before.y);
        if (travelled > 4) {
          stage.classList.add("dragging");
          this.tracking = false;
          this.board.pan(now.x - before.x, now.y - before.y);
        }
      }
      this.invalidate();
    });
    const release = (event) => {
      const at = pointers.get(event.pointerId);
      pointers.delete(event.pointerId);
      stage.classList.remove("dragging");
      if (at && event.type === "pointerup" && travelled <= 4) {
        const agent = this.board.agentAt(this.game.at(this.t), at.x, at.y);
        this.select(agent === this.selected ? -1 : agent);
      }
    };
    stage.addEventListener("pointerup", release);
    stage.addEventListener("pointercancel", release);
    stage.addEventListener("pointerleave", () => {
      this.pointed = null;
      this.showTip();
    });
    stage.addEventListener("dblclick", (event) => {
      if (event.target.id !== "actors") return;
      const { x, y } = place(event);
      this.board.zoom(2, x, y);
      this.invalidate();
    });
    stage.addEventListener("wheel", (event) => {
      if (!this.game.start) return;
      event.preventDefault();
      const { x, y } = place(event);
      this.board.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), x, y);
      this.invalidate();
    }, { passive: false });
    const look = (event) => {
      if (!(event.buttons & 1) && event.type !== "pointerdown") return;
      const box = minimap.getBoundingClientRect();
      this.tracking = false;
      this.board.lookAt(event.clientX - box.left, event.clientY - box.top);
      this.invalidate();
    };
    minimap.addEventListener("pointerdown", (event) => { minimap.setPointerCapture(event.pointerId); look(event); });
    minimap.addEventListener("pointermove", look);
  }

  /** What lies under the pointer at this moment. */
  showTip() {
    const tip = byId("tip"), at = this.pointed;
    const text = at && this.scene ? this.describe(at) : "";
    tip.hidden = !text;
    if (!text) return;
    write(tip, text);
    const left = at.x + 16 + tip.offsetWidth > this.board.width ? at.x - tip.offsetWidth - 12 : at.x + 16;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.min(at.y + 16, this.board.height - tip.offsetHeight - 6)}px`;
  }

  describe({ x: sx, y: sy }) {
    const { game, scene: { world, knowledge, members } } = this;
    const { board, agents } = game.start;
    const at = this.board.fieldAt(sx, sy), x = Math.floor(at.x), y = Math.floor(at.y);
    if (x < 0 || y < 0 || x >= board.columns || y >= board.rows) return "";
    const field = y * board.columns + x;
    const area = y < board.goalRows ? "blue's goal area" : y >= board.rows - board.goalRows ? "red's goal area" : "task area";
    const lines = [`${x},${y} · ${area}`];
    const agent = agents.find(({ id }) => !world.gone[id] && world.x[id] === x && world.y[id] === y);
    if (agent && (!members || members.has(agent.id))) {
      lines.push(`${agent.name} (${agent.id}, ${agent.team}${agent.leader ? ", leader" : ""}): ${this.doing(agent.id, world)}`);
    }
    if (this.view === "truth") {
      const pile = world.pieces.get(field);
      if (pile) lines.push(pile.map((sham) => (sham ? "a sham" : "a piece")).join(", "));
      const team = game.goals.findIndex((fields) => fields.has(field));
      if (team >= 0) {
        const covered = world.covered.get(field);
        lines.push(!covered ? `${TEAMS[team]}'s goal, hidden`
          : covered.agent < 0 ? `${TEAMS[team]}'s goal, covered`
            : `${TEAMS[team]}'s goal, covered by ${covered.agent} at ${clockText(covered.t)}`);
      }
      if (y >= board.goalRows && y < board.rows - board.goalRows) {
        const truth = game.truth(world)[field];
        lines.push(truth === INFINITE ? "no piece lies on the board" : `nearest piece: ${truth}`);
      }
    }
    const known = knowledge?.at(x, y);
    if (known && known.distance !== UNKNOWN) {
      const said = known.distance === INFINITE ? "no piece" : known.distance;
      const source = known.by < 0 ? "read" : `told by ${known.by}${this.view === "truth" ? ` (${VERDICTS[known.worth]})` : ""}`;
      lines.push(`believes ${said}, ${source} ${((this.t - known.at) / 1000).toFixed(0)} s ago`);
    }
    if (known && known.goal !== UNSAID) {
      lines.push(`believes ${known.goal === GOAL ? "a goal" : "no goal"}, ${known.goalBy < 0 ? "tried" : `told by ${known.goalBy}`}`);
    }
    return lines.join("\n");
  }

  wireCharts() {
    for (const id of ["course", "gantt"]) {
      const canvas = byId(id);
      const seek = (event) => {
        const chart = id === "course" ? this.course : this.gantt;
        if (!chart || (event.type === "pointermove" && !(event.buttons & 1))) return;
        const box = canvas.getBoundingClientRect();
        if (event.type === "pointerdown") {
          canvas.setPointerCapture(event.pointerId);
          if (id === "gantt") this.select(Math.floor((event.clientY - box.top - 1) / GANTT_ROW));
        }
        this.playing = false;
        this.seek(chart.tOf(event.clientX - box.left));
      };
      canvas.addEventListener("pointerdown", seek);
      canvas.addEventListener("pointermove", seek);
    }
  }

  // ---- keys

  wireKeys() {
    document.addEventListener("keydown", (event) => {
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const writes = target.matches?.("input:not([type=checkbox]):not([type=range]), textarea");
      if (writes) return;
      if (key === "?") {
        this.showHelp();
        event.preventDefault();
        return;
      }
      if (byId("help-dialog").open) return;
      if (this.pressed(event)) event.preventDefault();
    });
  }

  /** Does what a key means; whether it means anything. */
  pressed({ key, shiftKey, target }) {
    const letter = key.length === 1 ? key.toLowerCase() : key;
    if (letter === "t") return this.toggleTheme(), true;
    const page = { 1: "settings", 2: "board", 3: "statistics" }[key];
    if (page) {
      const tab = byId(`tab-${page}`);
      if (!tab.hidden && !tab.disabled) this.showPage(page);
      return true;
    }
    if (this.page !== "board" || !this.game.start) return false;
    // In a list of choices, the list of events and on tabs the arrows belong to those, and so do letters in lists.
    const owned = target.matches?.("select, [role=listbox], [role=tab]");
    if (owned && (key.startsWith("Arrow") || key === "Home" || key === "End" || target.matches("select"))) return false;
    const press = target.matches?.("button, select, input[type=checkbox]");
    const kind = Object.keys(JUMPS).find((one) => JUMPS[one] === letter);
    if (kind) return this.jump(kind, shiftKey ? -1 : 1), true;
    const pan = Math.max(24, this.board.camera.scale);
    const move = (dx, dy) => { this.tracking = false; this.board.pan(dx, dy); this.invalidate(); };
    switch (letter) {
      case " ": if (press) return false; this.play(); break;
      case "k": this.play(); break;
      case "ArrowLeft": if (shiftKey) this.seek(this.t - 5000); else this.step(-1); break;
      case "ArrowRight": if (shiftKey) this.seek(this.t + 5000); else this.step(1); break;
      case "ArrowUp": this.changeSpeed(1); break;
      case "ArrowDown": this.changeSpeed(-1); break;
      case "Home": case ",": this.seek(this.from); break;
      case "End": case ".": this.seek(this.game.duration); break;
      case "e": this.jump(byId("kind").value, 1); break;
      case "q": this.jump(byId("kind").value, -1); break;
      case "n": byId("skip").checked = !byId("skip").checked; break;
      case "]": this.selectNext(1); break;
      case "[": this.selectNext(-1); break;
      case "Escape": this.select(-1); break;
      case "b": this.toggleBelief(); break;
      case "o": this.toggleFollowAgent(); break;
      case "v": {
        const views = ["truth", "red", "blue", ...(this.selected >= 0 ? ["agent"] : [])];
        this.setView(views[(views.indexOf(this.view) + 1) % views.length]);
        break;
      }
      case "+": case "=": this.board.zoom(1.4); this.invalidate(); break;
      case "-": case "_": this.board.zoom(1 / 1.4); this.invalidate(); break;
      case "f": this.tracking = false; this.board.fit(); this.invalidate(); break;
      case "w": move(0, pan); break;
      case "s": move(0, -pan); break;
      case "a": move(pan, 0); break;
      case "d": move(-pan, 0); break;
      case "c": this.copyLink(); break;
      default: return false;
    }
    return true;
  }
}

/** The game's clock as it should be now, going by the last message. It does not run on far without news. */
function clockAtNow(page, now) {
  if (!page.clockAt) return page.game.clock;
  return page.clockAt.t + Math.min(1500, now - page.clockAt.now);
}

/** The settings of a game that has not started, as a form. */
class SettingsForm {
  constructor(page) {
    this.page = page;
    this.fields = new Map();
    this.timer = 0;
    this.faulty = false;
    byId("apply").addEventListener("click", () => this.apply());
    byId("settings").addEventListener("submit", (event) => { event.preventDefault(); this.apply(); });
    byId("settings-load").addEventListener("click", () => byId("settings-file").click());
    byId("settings-file").addEventListener("change", ({ target }) => this.load(target));
    byId("settings-save").addEventListener("click", () => this.save());
  }

  static groupOf(name) {
    if (/^(board|goalArea)/.test(name)) return "Board";
    if (/^(numberOf|team|sham|landing)/.test(name)) return "Teams, goals and pieces";
    if (/Penalty$/.test(name)) return "Cost of actions";
    return "Connection and chance";
  }

  static unitOf(name, type) {
    if (/Penalty$/.test(name)) return "ms";
    if (name === "maxMessageBytes") return "bytes";
    if (name === "boardX") return "columns";
    if (name === "boardY" || name === "goalAreaHeight") return "rows";
    return type === "real" ? "0–1" : "";
  }

  /** Takes over what the game master says is in force. Values that the user is changing stay. */
  show({ locked, parameters, faults }) {
    if (this.fields.size !== parameters.length) this.build(parameters);
    for (const parameter of parameters) {
      const field = this.fields.get(parameter.name);
      const pending = field.changed && !locked;
      field.parameter = parameter;
      if (!pending) this.fill(field, parameter.value);
      field.changed = pending && !same(this.read(field), parameter.value);
      field.row.classList.toggle("changed", field.changed);
      write(field.origin, parameter.origin === "default" ? "" : ` · from ${parameter.origin}`);
    }
    write(byId("settings-note"), locked ? "In force; a game that has started keeps its settings."
      : "Checked as you type, by the same rules as the file.");
    this.showFaults(faults ?? []);
    this.enable();
  }

  build(parameters) {
    this.fields.clear();
    const groups = new Map(["Board", "Teams, goals and pieces", "Cost of actions", "Connection and chance"].map((name) => [name, []]));
    for (const parameter of parameters) {
      const { name, meaning, range } = parameter, id = `setting-${name}`;
      const unit = SettingsForm.unitOf(name, range.type);
      const describedby = `${id}-hint ${id}-fault`;
      const changed = () => this.touched(name);
      let input;
      if (range.type === "flag") input = make("input", { type: "checkbox", id, "aria-describedby": describedby, change: changed });
      else if (range.type === "text" && range.values) {
        input = make("select", { id, "aria-describedby": describedby, change: changed },
          ...range.values.map((value) => make("option", { value }, value)));
      } else {
        input = make("input", {
          type: "text", id, inputmode: range.type === "whole" ? "numeric" : range.type === "real" ? "decimal" : null,
          spellcheck: "false", "aria-describedby": describedby, input: changed,
          placeholder: name === "seed" ? "drawn" : null,
        });
      }
      const limits = range.type === "whole" || range.type === "real"
        ? `${range.least.toLocaleString("en")} to ${range.most.toLocaleString("en")}, ` : "";
      const usual = parameter.default === "" ? "empty" : parameter.default === true ? "on" : parameter.default === false ? "off" : parameter.default;
      const origin = make("span");
      const fault = make("p", { "class": "fault", id: `${id}-fault`, hidden: true });
      const row = make("div", { "class": "setting", "data-name": name },
        // The unit stands beside the field.
        make("label", { "for": id }, meaning.replace(/, (ms|bytes)$/, "")),
        make("span", { "class": "name" }, make("code", {}, name), origin),
        make("span", { "class": "field" }, input, unit ? make("span", { "class": "unit" }, unit) : null),
        make("p", { "class": "hint", id: `${id}-hint` }, `${limits}usually ${usual}`), fault);
      this.fields.set(name, { parameter, input, row, fault, origin, changed: false });
      groups.get(SettingsForm.groupOf(name)).push(row);
    }
    byId("settings-groups").replaceChildren(...[...groups].filter(([, rows]) => rows.length).map(([name, rows]) =>
      make("fieldset", { "class": "settings-group" }, make("legend", {}, name), make("div", { "class": "settings-list" }, ...rows))));
  }

  fill(field, value) {
    if (field.input.type === "checkbox") field.input.checked = Boolean(value);
    else field.input.value = String(value);
  }

  /** The value of a field: a number where one is asked for and stands there, else the text as it is. */
  read({ input, parameter: { range } }) {
    if (range.type === "flag") return input.checked;
    const text = input.value.trim();
    const isNumber = range.type === "whole" ? /^[+-]?\d+$/.test(text) : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
    return (range.type === "whole" || range.type === "real") && isNumber ? Number(text) : text;
  }

  get hasChanges() {
    return [...this.fields.values()].some(({ changed }) => changed);
  }

  changes() {
    return Object.fromEntries([...this.fields].filter(([, field]) => field.changed).map(([name, field]) => [name, this.read(field)]));
  }

  /** A first hint at once; the game master has the last word. */
  touched(name) {
    const field = this.fields.get(name), { range, value } = field.parameter;
    const now = this.read(field);
    field.changed = !same(now, value);
    field.row.classList.toggle("changed", field.changed);
    let fault = null;
    if (range.type === "whole" || range.type === "real") {
      const kind = range.type === "whole" ? "a whole number" : "a number";
      if (typeof now !== "number") fault = `it is not ${kind}; allowed: ${kind} from ${range.least} to ${range.most}`;
      else if (now < range.least || now > range.most) {
        fault = `it is too ${now < range.least ? "small" : "large"}; allowed: ${range.least} to ${range.most}`;
      }
    }
    this.setFault(field, fault);
    this.faulty = fault !== null;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), 180);
    this.enable();
  }

  async check() {
    const asked = this.changes(), text = JSON.stringify(asked);
    const answer = await this.page.request("POST", "settings/check", asked);
    // The answer to an earlier text says nothing about the present one.
    if (answer?.said?.faults && text === JSON.stringify(this.changes())) this.showFaults(answer.said.faults);
    this.enable();
  }

  showFaults(faults) {
    const homeless = [];
    for (const field of this.fields.values()) this.setFault(field, null);
    for (const { field: name, why, allowed } of faults) {
      const field = this.fields.get(name);
      const text = `${why}${allowed ? `; allowed: ${allowed}` : ""}`;
      if (field) this.setFault(field, text);
      else homeless.push(`${name}: ${text}`);
    }
    byId("settings-faults").hidden = !homeless.length;
    byId("settings-faults").replaceChildren(...homeless.map((text) => make("p", {}, text)));
    this.faulty = faults.length > 0;
  }

  setFault(field, text) {
    field.row.classList.toggle("faulty", text !== null);
    field.input.setAttribute("aria-invalid", String(text !== null));
    field.fault.hidden = text === null;
    write(field.fault, text ?? "");
  }

  /** Opens what may be used now. */
  enable() {
    const { settings, lobby, hello } = this.page.game;
    const open = Boolean(settings && !settings.locked && hello?.operator && !this.page.gameMasterGone);
    for (const { input } of this.fields.values()) input.disabled = !open;
    byId("settings-load").hidden = byId("settings-save").hidden = !open;
    byId("apply").disabled = !open || this.faulty || !this.hasChanges;
    byId("start").disabled = !open || this.faulty || !lobby?.mayStart;
  }

  async apply() {
    clearTimeout(this.timer);
    const answer = await this.page.request("PUT", "settings", this.changes());
    if (!answer) return false;
    if (answer.ok) {
      for (const field of this.fields.values()) field.changed = false;
      if (answer.said?.parameters) {
        this.page.game.settings = answer.said;
        this.show(answer.said);
      }
    } else if (answer.said?.faults) this.showFaults(answer.said.faults);
    else this.page.showBanner(`The settings were not taken: ${answer.said?.why ?? answer.status}`);
    this.enable();
    return answer.ok;
  }

  async load(picker) {
    const [file] = picker.files;
    picker.value = "";
    if (!file) return;
    let values;
    try {
      values = JSON.parse(await file.text());
      if (values === null || typeof values !== "object" || Array.isArray(values)) throw new Error("it is no JSON object");
    } catch (error) {
      this.showFaults([{ field: file.name, why: error.message }]);
      return;
    }
    // Names may be the file's own variants, so the game master reads them first.
    const answer = await this.page.request("POST", "settings/check", values);
    for (const { name, value } of answer?.said?.parameters ?? []) {
      const field = this.fields.get(name);
      this.fill(field, value);
      field.changed = !same(value, field.parameter.value);
      field.row.classList.toggle("changed", field.changed);
    }
    for (const [name, value] of Object.entries(values)) {
      const field = this.fields.get(name);
      if (field) {
        this.fill(field, value);
        field.changed = !same(this.read(field), field.parameter.value);
        field.row.classList.toggle("changed", field.changed);
      }
    }
    this.showFaults(answer?.said?.faults ?? []);
    this.enable();
  }

  /** Saves what the fields say, all of them, so that the file is complete. */
  save() {
    const values = Object.fromEntries([...this.fields].map(([name, field]) => [name, this.read(field)]));
    download("game-master.json", `${JSON.stringify(values, null, 2)}\n`);
  }
}

/** Whether two values of a parameter are the same: a number may be written as a text. */
function same(one, other) {
  return String(one) === String(other);
}

/** The list of events. Only the rows that can be seen exist. */
class EventList {
  constructor(page) {
    this.page = page;
    this.box = byId("events");
    this.sheet = byId("events-sheet");
    this.rows = [];
    this.shown = [];
    this.read = 0;
    this.now = -1;
    this.chosen = -1;
    this.handled = -Infinity;
    this.box.addEventListener("scroll", () => this.paint());
    for (const type of ["wheel", "pointerdown", "touchmove"]) {
      this.box.addEventListener(type, () => { this.handled = performance.now(); }, { passive: true });
    }
    this.box.addEventListener("click", ({ target }) => {
      const row = target.closest(".event");
      if (row) this.go(Number(row.dataset.place));
    });
    this.box.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
      if (step !== undefined) {
        event.preventDefault();
        event.stopPropagation();
        const from = this.chosen >= 0 ? this.chosen : this.place(this.now);
        this.choose(Math.max(0, Math.min(this.shown.length - 1, from + step)));
      } else if (event.key === "Enter" && this.chosen >= 0) this.go(this.chosen);
    });
  }

  reset() {
    this.shown = [];
    this.read = 0;
    this.now = -1;
    this.grow();
  }

  refilter() {
    this.shown = [];
    this.read = 0;
    this.chosen = -1;
    this.grow();
    this.handled = -Infinity;
    this.follow(this.now, true);
  }

  /** Takes over events that came since. */
  grow() {
    const { game } = this.page;
    if (!game.start) return;
    const wanted = new Set(FILTERS[byId("filter").value].map((kind) => KINDS.indexOf(kind)));
    for (; this.read < game.events.length; this.read++) {
      if (wanted.has(game.kinds[this.read])) this.shown.push(this.read);
    }
    this.sheet.style.height = `${Math.max(1, this.shown.length) * EVENT_ROW}px`;
    this.paint();
  }

  resize() {
    this.paint();
    this.follow(this.now, true);
  }

  /** The place in the list of the last event up to this one. */
  place(index) {
    let low = 0, high = this.shown.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.shown[middle] <= index) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Keeps the present moment in sight, unless the user has just moved the list. */
  follow(index, always = false) {
    if (index === this.now && !always) return;
    this.now = index;
    if (performance.now() - this.handled > 4000) {
      const top = this.place(index) * EVENT_ROW, height = this.box.clientHeight;
      if (top < this.box.scrollTop + EVENT_ROW || top > this.box.scrollTop + height - 3 * EVENT_ROW) {
        this.box.scrollTop = Math.max(0, top - height * 0.4);
      }
    }
    this.paint();
  }

  mark(index) {
    this.handled = -Infinity;
    this.chosen = this.shown[this.place(index)] === index ? this.place(index) : -1;
  }

  choose(place) {
    this.chosen = place;
    const top = place * EVENT_ROW, height = this.box.clientHeight;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    if (top > this.box.scrollTop + height - EVENT_ROW) this.box.scrollTop = top - height + EVENT_ROW;
    this.handled = performance.now();
    this.paint();
  }

  go(place) {
    const index = this.shown[place];
    if (index === undefined) return;
    this.page.playing = false;
    this.page.showEvent(index);
    this.chosen = place;
    this.handled = performance.now();
    this.paint();
  }

  paint() {
    const height = this.box.clientHeight;
    if (!height) return;
    const first = Math.max(0, Math.floor(this.box.scrollTop / EVENT_ROW) - 3);
    const count = Math.min(this.shown.length - first, Math.ceil(height / EVENT_ROW) + 6);
    while (this.rows.length < count) {
      const row = make("div", { "class": "event", role: "option" });
      this.rows.push(row);
      this.sheet.append(row);
    }
    const present = this.place(this.now);
    this.rows.forEach((row, number) => {
      const place = first + number, index = this.shown[place];
      row.hidden = number >= count;
      if (row.hidden) return;
      if (row.dataset.index !== String(index)) {
        row.dataset.index = String(index);
        row.dataset.kind = KINDS[this.page.game.kinds[index]];
        row.replaceChildren(...eventRow(this.page.game, index));
      }
      row.dataset.place = String(place);
      row.id = `event-${place}`;
      row.style.transform = `translateY(${place * EVENT_ROW}px)`;
      row.classList.toggle("now", place === present);
      row.classList.toggle("later", place > present);
      row.setAttribute("aria-selected", String(place === this.chosen));
    });
    if (this.chosen >= 0) this.box.setAttribute("aria-activedescendant", `event-${this.chosen}`);
    else this.box.removeAttribute("aria-activedescendant");
  }
}

/** An event in words; whoever acts comes first, so the words go without it. */
function eventWords(game, index) {
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
    case "asked": return `asks ${agent}${event[4] ? ", who must answer" : ""}`;
    case "answered": {
      const { worth } = game.verdicts.get(index);
      return `${["answers", "answers", "answers", "lies to"][worth]} ${agent}${["", " with stale news", " mistakenly", ""][worth]}`;
    }
    case "refused": return `may not ${what}: ${REASONS[event[4]] ?? event[4]}`;
    case "landed": return "a piece lands in its hand";
    case "appeared": return `a ${event[5] ? "sham" : "piece"} appears at ${event[3]},${event[4]}`;
    case "left": return "has left the game";
    case "note": return what.text ?? "draws";
    case "over": {
      const winner = TEAMS[agent];
      return `${winner ? `${winner} wins` : "nobody wins"} ${event[4]} : ${event[5]}, ${TERMINATIONS[what] ?? what}`;
    }
    default: return word;
  }
}

function eventAgent(event) {
  return event[1] === "appeared" || event[1] === "over" ? -1 : actor(event);
}

function eventText(game, index) {
  const agent = eventAgent(game.events[index]);
  return `${clockText(game.events[index][0])} ${agent >= 0 ? `agent ${agent} ` : ""}${eventWords(game, index)}`;
}

function worthSign(worth) {
  return make("span", { "class": `sign worth ${VERDICTS[worth]}`, "aria-hidden": "true" }, VERDICT_SIGNS[worth]);
}

function eventRow(game, index) {
  const event = game.events[index], agent = eventAgent(event);
  const who = agent >= 0 ? [make("b", { "class": game.start.agents[agent].team }, String(agent)), " "] : [];
  return [
    make("time", {}, clockText(event[0])),
    event[1] === "answered" ? worthSign(game.verdicts.get(index).worth)
      : make("span", { "class": "sign", "aria-hidden": "true" }, SIGNS[KINDS[game.kinds[index]]]),
    make("span", { "class": "text", title: eventText(game, index) }, ...who, eventWords(game, index)),
  ];
}

// ---- the page of statistics

/** Sums the figures of several agents. */
function sumFigures(all) {
  const sum = (into, from) => {
    for (const [name, value] of Object.entries(from)) {
      if (typeof value === "number") into[name] = (into[name] ?? 0) + value;
      else if (value && typeof value === "object") into[name] = sum(into[name] ?? {}, value);
    }
    return into;
  };
  return all.reduce((into, one) => sum(into, one), {});
}

/** The statistics as far as the events tell them, in the shape of the game master's document. */
function statisticsSoFar(game) {
  const world = game.at(game.duration);
  const agents = game.start.agents.map(({ id }) => world.figures(id, game.duration));
  const teams = Object.fromEntries(TEAMS.map((team, place) =>
    [team, { ...sumFigures(agents.filter((one) => one.team === team)), points: world.points[place] }]));
  const [red, blue] = world.points;
  const outcome = world.over && { winner: TEAMS[world.over[2]] ?? null, termination: world.over[3] };
  return { outcome, points: { red, blue }, timeMs: game.duration, seed: game.start.seed, teams, agents };
}

function statisticsPage(page, statistics) {
  const { game } = page;
  const { outcome, points, teams, agents } = statistics;
  const winner = outcome?.winner;
  const title = !outcome ? "The game so far" : winner ? `${winner[0].toUpperCase()}${winner.slice(1)} wins` : "Nobody wins";
  const why = outcome ? TERMINATIONS[outcome.termination] ?? outcome.termination : game.truncated ? "the replay breaks off" : "still going on";
  const refusals = (figures) => Object.values(figures.refused).reduce((sum, count) => sum + count, 0);
  const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
  const card = (heading, ...content) => make("section", { "class": "card" }, make("h2", {}, heading), ...content);

  const compared = [
    ["goals covered", (one) => one.goals], ["pieces taken", (one) => one.pieces], ["shams found", (one) => one.shams],
    ["moves", (one) => one.granted.move], ["discoveries", (one) => one.granted.discover],
    ["questions asked", (one) => one.questionsAsked], ["questions answered", (one) => one.questionsAnswered],
    ["requests refused", refusals], ["requests too early", (one) => one.premature],
  ];
  const bar = (value, most) => {
    const stripe = make("i");
    stripe.style.width = `${most ? (66 * value) / most : 0}%`;
    return stripe;
  };
  const versus = make("div", { "class": "versus" }, ...compared.flatMap(([name, of]) => {
    const [red, blue] = TEAMS.map((team) => of(teams[team])), most = Math.max(red, blue);
    return [
      make("div", { "class": "left" }, String(red), bar(red, most)), make("div", { "class": "what" }, name),
      make("div", { "class": "right" }, bar(blue, most), String(blue)),
    ];
  }));

  // What each agent spent its time on: the locks of each action, and waiting.
  const { penalties } = game.start;
  const longest = Math.max(1, ...agents.map((one) => one.lockedMs + one.idleMs));
  const spent = (one) => ACTIONS.map((action) => (one.granted[action] + (one.refused[action] ?? 0)) * (penalties[action] ?? 0));
  const used = ACTIONS.map((_, place) => agents.some((one) => spent(one)[place] > 0));
  const times = make("div", { "class": "times" }, ...agents.flatMap((one) => {
    const shares = spent(one), all = shares.reduce((sum, share) => sum + share, 0);
    const scale = all > 0 ? Math.min(1, one.lockedMs / all) : 0;
    const stack = make("div", { "class": "stack" }, ...shares.flatMap((share, place) => {
      if (!share) return [];
      const part = make("i", { "class": `shade-${place}`, title: `${ACTIONS[place]}: about ${seconds(share * scale)}` });
      part.style.width = `${(100 * share * scale) / longest}%`;
      return [part];
    }));
    return [
      make("span", { "class": "who" }, teamShape(one.team), `${one.agent}`, one.leader ? make("span", { "class": "crown", title: "leader" }, "♛") : ""),
      stack, make("span", { "class": "note" }, `${Math.round((100 * one.idleMs) / Math.max(1, one.lockedMs + one.idleMs))} % waiting`),
    ];
  }));
  const legend = make("div", { "class": "legend wide" }, ...ACTIONS.flatMap((action, place) =>
    (used[place] ? [make("span", {}, make("i", { "class": `swatch shade-${place}` }), action)] : [])));

  const columns = [
    ...ACTIONS.map((action) => [action, (one) => one.granted[action]]),
    ["pieces", (one) => one.pieces], ["shams", (one) => one.shams], ["goals", (one) => one.goals],
    ["asked", (one) => one.questionsReceived], ["refused", refusals], ["too early", (one) => one.premature],
    ["locked", (one) => seconds(one.lockedMs)], ["waiting", (one) => seconds(one.idleMs)],
  ];
  const row = (attributes, who, one) =>
    make("tr", attributes, make("td", {}, ...who), ...columns.map(([, of]) => make("td", {}, String(of(one)))));
  const table = make("table", {},
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "agent"), ...columns.map(([name]) => make("th", { scope: "col" }, name)))),
    make("tbody", {},
      ...agents.map((one) => row({}, [teamShape(one.team), `${one.agent}${one.leader ? " ♛" : ""} ${game.start.agents[one.agent]?.name ?? ""}`], one)),
      ...TEAMS.map((team) => row({ "class": "sum" }, [teamShape(team), `all ${team}`], teams[team]))));

  const reasons = new Map();
  for (const team of TEAMS) {
    for (const [reason, count] of Object.entries(teams[team].refusedBecause ?? {})) {
      reasons.set(reason, { ...reasons.get(reason), [team]: count });
    }
  }
  const refusalTable = reasons.size ? card("Why requests were refused", make("div", { "class": "table-scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...["reason", "red", "blue"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...[...reasons].map(([reason, counts]) => make("tr", {},
      make("td", { "class": "text-cell" }, REASONS[reason] ?? reason), ...TEAMS.map((team) => make("td", {}, String(counts[team] ?? 0))))))))) : null;

  const worths = [0, 0, 0, 0];
  for (const { worth } of game.verdicts.values()) worths[worth]++;
  const exchanges = game.verdicts.size ? card("What answers were worth", make("div", { "class": "table-scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...["answers", "count"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...VERDICTS.map((name, place) => make("tr", {},
      make("td", {}, make("span", { "class": `worth ${name}` }, `${VERDICT_SIGNS[place]} ${name}`)), make("td", {}, String(worths[place])))))))) : null;

  const name = (game.hello.file ?? "game").replace(/\.replay$/, "");
  return [
    make("section", { "class": "card outcome" },
      make("div", { "class": "big", "aria-label": `red ${points.red}, blue ${points.blue}` },
        teamShape("red"), make("span", { "class": "red" }, String(points.red)), make("span", { "class": "colon" }, ":"),
        make("span", { "class": "blue" }, String(points.blue)), teamShape("blue")),
      make("div", {}, make("p", { "class": "result" }, title),
        make("p", { "class": "note" }, `${why} · ${clockText(statistics.timeMs)} · seed ${statistics.seed}`)),
      make("div", { "class": "row" },
        make("button", { type: "button", id: "save-statistics", click: () => download(`${name}.statistics.json`, `${JSON.stringify(statistics, null, 2)}\n`) }, "Save as JSON"),
        outcome && page.live ? make("button", { type: "button", id: "save-replay", click: () => saveReplay(page) }, "Save replay") : null)),
    make("div", { "class": "two" }, card("The teams", versus),
      card("Points over time", make("canvas", { id: "final-course", "class": "final-course", role: "img", "aria-label": `Points over time; at the end red ${points.red}, blue ${points.blue}` }))),
    card("What agents spent their time on", times, legend),
    make("section", { "class": "card" }, make("h2", {}, "Every agent"), make("div", { "class": "table-scroll", tabindex: "0", role: "region", "aria-label": "Every agent" }, table)),
    ...(refusalTable || exchanges ? [make("div", { "class": "two" }, refusalTable ?? "", exchanges ?? "")] : []),
  ];
}

/** The replay's file, from the game master. */
async function saveReplay(page) {
  const headers = page.token ? { Authorization: `Bearer ${page.token}` } : {};
  try {
    const answer = await fetch("game.replay", { headers });
    if (!answer.ok) throw new Error((await answer.text()) || String(answer.status));
    const address = URL.createObjectURL(await answer.blob());
    make("a", { href: address, download: "game.replay" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  } catch (error) {
    page.showBanner(`The replay cannot be had: ${error.message}`);
  }
}

/** The signs of the board with their meanings, for the help. */
function fillSigns(list) {
  const paint = readPaint();
  const sign = (text, draw) => {
    const canvas = make("canvas", { "aria-hidden": "true" });
    canvas.style.width = `${SIGN_WIDTH}px`;
    canvas.style.height = `${SIGN_HEIGHT}px`;
    const ctx = fitCanvas(canvas, SIGN_WIDTH, SIGN_HEIGHT);
    ctx.lineWidth = 2;
    draw(ctx, SIGN_WIDTH / 2, SIGN_HEIGHT / 2);
    return make("li", {}, canvas, text);
  };
  const across = (ctx, colour, dashes, width) => {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.setLineDash(dashes);
    ctx.beginPath();
    ctx.moveTo(0, SIGN_HEIGHT / 2);
    ctx.lineTo(SIGN_WIDTH, SIGN_HEIGHT / 2);
    ctx.stroke();
    ctx.setLineDash([]);
  };
  list.replaceChildren(
    ...TEAMS.map((team) => sign(`an agent of ${team}; the ring is the time that it is locked`, (ctx, x, y) => {
      ctx.fillStyle = paint[team];
      agentShape(ctx, team, x, y, 8);
      ctx.fill();
      ctx.strokeStyle = paint.ink;
      ctx.beginPath();
      ctx.arc(x, y, 11.5, -1.6, 2.5);
      ctx.stroke();
    })),
    sign("the leader of a team", (ctx, x, y) => crown(ctx, paint, x, y, 8)),
    sign("a piece", (ctx, x, y) => drawPiece(ctx, paint, x, y, 8, REAL)),
    sign("a sham; agents cannot tell it from a piece", (ctx, x, y) => drawPiece(ctx, paint, x, y, 8, SHAM)),
    sign("a goal, still hidden", (ctx, x, y) => {
      ctx.strokeStyle = paint.red;
      ctx.setLineDash([4, 3]);
      diamond(ctx, x, y, 9);
      ctx.stroke();
    }),
    sign("a goal, covered", (ctx, x, y) => {
      ctx.fillStyle = paint.red;
      diamond(ctx, x, y, 9);
      ctx.fill();
    }),
    sign("a question", (ctx) => across(ctx, paint.muted, [2, 5], 1.5)),
    ...VERDICTS.map((name, worth) => sign(
      ["an answer that is true", "an answer that was true once", "an answer, false by mistake", "an answer that is a lie"][worth],
      (ctx, x, y) => {
        across(ctx, paint[name], VERDICT_DASHES[worth], 2.5);
        ctx.fillStyle = paint[name];
        ctx.beginPath();
        ctx.arc(x, y, 8, 0, 7);
        ctx.fill();
        ctx.fillStyle = paint.surface;
        ctx.textAlign = "center";
        ctx.textBaseline = "middle";
        ctx.font = `700 11px ${TEXT_FONT}`;
        ctx.fillText(VERDICT_SIGNS[worth], x, y + 0.5);
      })),
    sign("a request was refused", (ctx, x, y) => {
      ctx.strokeStyle = paint.blocked;
      cross(ctx, x, y, 5);
    }),
  );
}

const SIGN_WIDTH = 44;
const SIGN_HEIGHT = 26;

// The model can be used without a document, by tests for example.
if (typeof document !== "undefined") {
  const page = new Page();
  // For whoever measures the page from outside: frame times, and the model.
  window.projectGame = page;
  page.connect();
}
