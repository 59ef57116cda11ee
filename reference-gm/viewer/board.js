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

/** The distance of every field from the nearest lying piece (Manhattan), in two sweeps over the board. */
export function nearestPieces(world) {
  const { columns, rows } = world.start.board;
  const far = 0x3fff;
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
  const readDistance = (item) => (item === "-" ? UNKNOWN : item === "inf" ? INFINITE : Number(item));
  const readBelief = (item) => (item === "G" ? GOAL : item === "N" ? NO_GOAL : UNSAID);
  let distances = null;
  if (said.distances) {
    distances = new Int16Array(board.columns * board.rows).fill(UNKNOWN);
    readRuns(said.distances, distances, readDistance);
  }
  const goals = TEAMS.map((team) => {
    const beliefs = new Uint8Array(board.columns * board.goalRows);
    readRuns(said[team], beliefs, readBelief);
    return beliefs;
  });
  return { distances, goals };
}

/** Fields per side of a tile of {@link Knowledge}. */
const TILE = 32;

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

  /** The tile that holds a field, and the field's place in it. A tile that is only read is not made. */
  tile(x, y, make) {
    const key = (y >> 5) * this.acrossTiles + (x >> 5);
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
    return (y & 31) * TILE + (x & 31);
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
    const { distances, goals } = verdict.claims;
    for (let field = 0; distances && field < distances.length; field++) {
      if (distances[field] === UNKNOWN) continue;
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
  }

  at(x, y) {
    let best = null;
    for (const member of this.members) {
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
    let worthOfDistances = null;
    if (claims.distances) {
      const truth = this.truth(this.head);
      worthOfDistances = new Uint8Array(claims.distances.length);
      for (let field = 0; field < truth.length; field++) {
        const claim = claims.distances[field];
        if (claim === UNKNOWN) continue;
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

