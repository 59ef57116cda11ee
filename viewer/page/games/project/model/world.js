// The state of a game at one moment, as the events made it.
//
// It deliberately knows no rules: what happened is in the events.

import { ACTIONS, actor, EMPTY, REAL, SHAM, TEAMS } from "./terms.js";

const ACTION_OF_WORD = {
  "moved": 0, "discovered": 1, "picked-up": 2, "put": 3, "checked": 4, "destroyed": 5, "asked": 6, "answered": 7,
};

/** The numbers that are counted for each agent, as places in one row of a table. */
export const COUNT = {
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
