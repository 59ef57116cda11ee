// The state of a game at one moment, as the events made it.
//
// It deliberately knows no rules: it takes over the changes that each event brings.

import { actor, changesOf, EMPTY, REAL, SHAM, TEAMS } from "./terms.js";

/** The words of events in which an agent does something, or is refused. */
const ACTS = new Set([
  "moved", "discovered", "picked-up", "put", "checked", "destroyed", "asked", "answered", "refused",
]);

/** The members with a value for each agent. */
const OF_AGENTS = [
  "x", "y", "beforeX", "beforeY", "movedAt", "hand", "gone", "leftAt", "lockedAt", "lockedUntil", "last", "remark", "figureValues",
];

/** The memory that a copy takes for a field with pieces or with a covered goal, in bytes, as measured. */
const FIELD_BYTES = 40;

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
    /** When the agents left. */
    this.leftAt = new Float64Array(agents).fill(Infinity);
    this.lockedAt = new Float64Array(agents);
    this.lockedUntil = new Float64Array(agents);
    /** The last event in which the agent acted, and its last remark; -1 for none. */
    this.last = new Int32Array(agents).fill(-1);
    this.remark = new Int32Array(agents).fill(-1);
    /** The figures of each agent, a row for each. */
    this.width = start.figures?.length ?? 0;
    this.figureValues = new Float64Array(agents * this.width);
    this.points = start.points?.slice() ?? [0, 0];
    this.over = null;
    /** Field to the pieces on it, lowest first, 1 for a sham. The arrays are replaced, never changed. */
    this.pieces = new Map();
    /** Covered goals: field to when and by whom. */
    this.covered = new Map();
    this.ground = ++stamps;
    // A game that was joined in its middle starts with what has happened so far.
    for (const team of TEAMS) {
      for (const [x, y] of start.covered?.[team] ?? []) this.covered.set(y * this.columns + x, { t: start.t, agent: -1 });
    }
    start.agents.forEach((agent, id) => {
      this.gone[id] = agent.gone ? 1 : 0;
      if (agent.gone) this.leftAt[id] = start.t ?? 0;
      this.lockedUntil[id] = agent.lockedUntil ?? 0;
      this.x[id] = this.beforeX[id] = agent.x ?? 0;
      this.y[id] = this.beforeY[id] = agent.y ?? 0;
      this.hand[id] = agent.holding === "real" ? REAL : agent.holding === "sham" ? SHAM : EMPTY;
      this.figureValues.set(agent.figures ?? [], id * this.width);
    });
    for (const [x, y, sham] of start.lying) this.lay(y * this.columns + x, sham);
  }

  clone() {
    const copy = Object.create(World.prototype);
    Object.assign(copy, this);
    for (const name of [...OF_AGENTS, "points"]) copy[name] = this[name].slice();
    copy.pieces = new Map(this.pieces);
    copy.covered = new Map(this.covered);
    return copy;
  }

  /** The memory that a copy takes, in bytes, about. */
  get bytes() {
    return OF_AGENTS.reduce((sum, name) => sum + this[name].byteLength, FIELD_BYTES * (this.pieces.size + this.covered.size));
  }

  field(agent) {
    return this.y[agent] * this.columns + this.x[agent];
  }

  /** One figure of an agent, by its name in the feed; 0 if the feed has none of this name. */
  figure(agent, name) {
    const place = this.start.figures?.indexOf(name) ?? -1;
    return place < 0 ? 0 : this.figureValues[agent * this.width + place];
  }

  lay(field, sham) {
    this.pieces.set(field, [...(this.pieces.get(field) ?? []), sham ? 1 : 0]);
    this.ground = ++stamps;
  }

  /** Takes away the uppermost piece of a field. */
  take(field) {
    const pile = this.pieces.get(field);
    if (pile.length === 1) this.pieces.delete(field);
    else this.pieces.set(field, pile.slice(0, -1));
    this.ground = ++stamps;
  }

  apply(event, index) {
    this.applied = index + 1;
    const [t, word, agent] = event;
    if (ACTS.has(word)) this.last[actor(event)] = index;
    switch (word) {
      case "moved":
        this.beforeX[agent] = this.x[agent];
        this.beforeY[agent] = this.y[agent];
        this.x[agent] = event[3];
        this.y[agent] = event[4];
        this.movedAt[agent] = t;
        break;
      case "note":
        this.remark[agent] = index;
        break;
      case "over":
        this.over = event;
        this.points = [event[4], event[5]];
        break;
    }
    const { hand, lock, taken, laid, covered, points, gone, figures } = changesOf(event);
    if (hand !== undefined) this.hand[agent] = hand;
    if (lock !== undefined) {
      const by = actor(event);
      this.lockedAt[by] = t;
      this.lockedUntil[by] = lock;
    }
    if (taken !== undefined) this.take(taken);
    if (laid) this.lay(laid[0], laid[1]);
    if (covered !== undefined) {
      this.covered.set(covered, { t, agent });
      this.ground = ++stamps;
    }
    if (points) this.points = points;
    if (gone) {
      this.gone[agent] = 1;
      this.leftAt[agent] = this.lockedUntil[agent] = t;
    }
    if (figures) {
      for (let at = 0; at < figures.length; at += 3) {
        this.figureValues[figures[at] * this.width + figures[at + 1]] = figures[at + 2];
      }
    }
  }

  /** An agent's statistics, in the shape of the feed's document. */
  figures(agent, t) {
    const { team, leader } = this.start.agents[agent];
    const all = { agent, team, leader, present: !this.gone[agent] };
    (this.start.figures ?? []).forEach((name, place) => {
      const [outer, inner] = name.split("."), value = this.figureValues[agent * this.width + place];
      if (inner === undefined) all[outer] = value;
      else (all[outer] ??= {})[inner] = value;
    });
    // The figure counts the lock that runs now to its end, which is still to come.
    const end = Math.min(t, this.leftAt[agent]);
    all.lockedMs = Math.max(0, (all.lockedMs ?? 0) - Math.max(0, this.lockedUntil[agent] - end));
    all.idleMs = Math.max(0, end - all.lockedMs);
    return all;
  }
}
