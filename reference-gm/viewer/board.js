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
  ctx.rect(inset.left, 0, width - inset.left - inset.right, height);
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

