// One game: applies the feed's events to a state, and remembers states so that any moment is quickly reached.
// Nothing in `model` touches the document.

import { Timeline } from "../../../shell/timeline.js";
import { changesOf, eventAgent, HONEST, KINDS, LIE, SHAM, TEAMS, VERDICTS } from "./terms.js";
import { World } from "./world.js";
import { Knowledge } from "./knowledge.js";

/** The least number of events between two remembered states: few enough to apply in a millisecond, many enough to cost
 * little. */
export const EVENTS_PER_SNAPSHOT = 1024;

/** The most memory that all remembered states take, in bytes: where they are large, there are fewer of them. */
export const MOST_SNAPSHOT_BYTES = 128 * 1024 * 1024;

/** One game: everything that the feed said, and any moment of it. */
export class Game extends Timeline {
  constructor() {
    super(KINDS);
    /** The field on which the agent that acted stood in each event, and for exchanges the other one's. */
    this.fields = [];
    this.otherFields = new Map();
    this.verdicts = new Map();
  }

  begin(start) {
    super.begin(start);
    this.fields = [];
    this.otherFields = new Map();
    this.verdicts = new Map();
    this.goals = TEAMS.map((team) => new Set(start.goals[team].map(([x, y]) => y * start.board.columns + x)));
    this.head = new World(start);
    /** The states behind each multiple of `spacing` events, from the beginning on, and the memory that they take. */
    this.snapshots = [this.head.clone()];
    this.spacing = EVENTS_PER_SNAPSHOT;
    this.snapshotBytes = this.head.bytes;
    this.cursor = this.head.clone();
    const agents = start.agents.map((_, id) => id);
    /** For each agent and each team what it believed at the moment that was asked for last, and the events that changed it. */
    this.shown = new Map();
    this.lessons = new Map([...agents, ...TEAMS].map((holder) => [holder, []]));
    this.remarks = agents.map(() => []);
    this.exchanges = agents.map(() => []);
    /** For each agent its stretches of time, and those in which it carries a sham. */
    this.stretches = agents.map(() => ({ from: [], to: [], kind: [] }));
    this.shams = agents.map(() => ({ from: [], to: [] }));
    /** Points over time: [t, red, blue], a new entry for each change. */
    this.course = [[this.clock, ...this.head.points]];
  }

  /** Takes the next event. */
  take(event) {
    const index = this.events.length;
    const [, word, agent] = event;
    const changes = changesOf(event);
    const heldSham = agent >= 0 && this.head.hand[agent] === SHAM;
    this.head.apply(event, index);
    this.remember();
    const kind = this.kindOf(event);
    super.take(event, kind);
    if (kind === "lie") this.ofKind.exchange.push(index);
    this.chart(event, heldSham);
    const by = eventAgent(event);
    this.fields.push(by >= 0 ? this.head.field(by) : word === "appeared" ? event[4] * this.head.columns + event[3] : -1);
    if (by >= 0 && by !== agent) this.otherFields.set(index, this.head.field(agent));
    if (word === "note") this.remarks[agent].push(index);
    if (word === "answered") {
      this.verdicts.set(index, { worth: VERDICTS.indexOf(changes.verdict), counts: changes.claims });
      this.exchanges[agent].push(index);
      this.exchanges[event[3]].push(index);
    }
    for (const [holders] of changes.beliefs ?? []) {
      for (const holder of holders) {
        const lessons = this.lessons.get(holder);
        if (lessons[lessons.length - 1] !== index) lessons.push(index);
      }
    }
  }

  /** Remembers the state, if it is its turn. Where there is no memory left, every other state is forgotten for it. */
  remember() {
    const { applied } = this.head, isTurn = () => applied % this.spacing === 0;
    if (!isTurn()) return;
    const { bytes } = this.head;
    while (isTurn() && this.snapshotBytes + bytes > MOST_SNAPSHOT_BYTES) {
      this.snapshots = this.snapshots.filter((_, place) => place % 2 === 0);
      this.spacing *= 2;
      this.snapshotBytes = this.snapshots.reduce((sum, world) => sum + world.bytes, 0);
    }
    if (!isTurn()) return;
    this.snapshots.push(this.head.clone());
    this.snapshotBytes += bytes;
  }

  kindOf(event) {
    const [, word, , what] = event;
    switch (word) {
      case "moved": return "move";
      case "discovered": return "discovery";
      case "picked-up": case "landed": return "pick-up";
      case "put": return what === "on-goal" ? "goal" : "put";
      case "checked": case "destroyed": return "check";
      case "asked": return "question";
      case "asked-again": return "repeated question";
      case "answered": return changesOf(event).verdict === VERDICTS[LIE] ? "lie" : "exchange";
      case "refused": return "refusal";
      case "appeared": return "new piece";
      case "note": return "remark";
      default: return "end";
    }
  }

  /** Keeps the agent's line of time and the course of points. */
  chart(event, heldSham) {
    const [t, word, agent] = event, { lock, gone } = changesOf(event);
    if (lock !== undefined) {
      const line = this.stretches[eventAgent(event)];
      line.from.push(t);
      line.to.push(lock);
      line.kind.push(word === "moved" ? 0 : word === "refused" ? 2 : 1);
    }
    if (gone) {
      // A lock ends with its agent.
      const { to } = this.stretches[agent];
      if (to.at(-1) > t) to[to.length - 1] = t;
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

  /** The state at a moment. It is overwritten by the next call. */
  at(t) {
    const target = this.countAt(t);
    if (target < this.cursor.applied || target - this.cursor.applied > this.spacing) {
      this.cursor = this.snapshots[Math.floor(target / this.spacing)].clone();
    }
    for (let index = this.cursor.applied; index < target; index++) this.cursor.apply(this.events[index], index);
    return this.cursor;
  }

  /** What an agent or a team believed after this number of events. Going on costs only what changed since. */
  knowledge(holder, applied) {
    const events = this.lessons.get(holder);
    let known = this.shown.get(holder);
    if (!known || (known.heard > 0 && events[known.heard - 1] >= applied)) {
      known = new Knowledge(this.start);
      this.shown.set(holder, known);
    }
    while (known.heard < events.length && events[known.heard] < applied) {
      known.learn(this.events[events[known.heard++]], holder);
    }
    return known;
  }

  /** Nobody but who sees everything can tell a lie. */
  neighbour(kind, t, direction, sight) {
    return kind === "lie" && !sight.isWhole ? undefined : super.neighbour(kind, t, direction, sight);
  }

  isQuiet(index) {
    const word = this.events[index][1];
    return word === "asked-again" || word === "note";
  }

  isSound(event) {
    const [, word, agent, what, more] = event, changes = changesOf(event);
    const { agents, board } = this.start;
    const isAgent = (one) => Number.isInteger(one) && one >= 0 && one < agents.length;
    const isField = (x, y) => Number.isInteger(x) && Number.isInteger(y) && x >= 0 && y >= 0 && x < board.columns && y < board.rows;
    if (typeof changes !== "object" || changes === null || Array.isArray(changes)) return false;
    switch (word) {
      case "appeared": return isField(what, more);
      case "over": return true;
      case "moved": return isAgent(agent) && isField(what, more);
      case "discovered": return isAgent(agent) && Array.isArray(what);
      case "asked": case "asked-again": return isAgent(agent) && isAgent(what);
      case "answered": return isAgent(agent) && isAgent(what) && typeof more === "string" && Array.isArray(changes.claims);
      case "note": return isAgent(agent) && typeof what === "object" && what !== null;
      default: return isAgent(agent);
    }
  }

  get isOver() {
    return Boolean(this.head?.over);
  }

  /** Whether strategies are known, and with them what they remark: of agents on a network they are not. */
  get isToldRemarks() {
    return this.start.agents.some(({ name, number }) => number === undefined || number === null || name !== `agent ${number}`);
  }

  /** The name of an agent's strategy, if it is known: agents on the network are named after their number. */
  strategyOf(agent) {
    const { name } = this.start.agents[agent];
    return name && !/^agent \d+$/.test(name) ? name : null;
  }

  /** The strategies of a team, each with the number of agents that have it; empty where they are not known. */
  lineUpOf(team) {
    const counts = new Map();
    for (const agent of this.start.agents) {
      const strategy = agent.team === team ? this.strategyOf(agent.id) : null;
      if (strategy) counts.set(strategy, (counts.get(strategy) ?? 0) + 1);
    }
    return [...counts].map(([strategy, count]) => (count > 1 && counts.size > 1 ? `${strategy} ×${count}` : strategy)).join(", ");
  }

  /** The number by which people and logs know an agent: on the network that of its seat. */
  numberOf(agent) {
    return this.start.agents[agent]?.number ?? agent;
  }

  /** The agent with this number; -1 if there is none. */
  agentNumbered(number) {
    return this.start ? this.start.agents.findIndex((_, agent) => this.numberOf(agent) === number) : -1;
  }
}
