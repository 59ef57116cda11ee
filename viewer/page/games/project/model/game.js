// One game: applies the feed's events to a state, remembers states so that any moment is quickly reached, and
// knows what every agent was told. Nothing in `model` touches the document.

import { Timeline } from "../../../shell/timeline.js";
import { eventAgent, GOAL, HONEST, KINDS, LIE, MISTAKEN, SHAM, STALE, TEAMS, UNKNOWN, UNSAID } from "./terms.js";
import { World } from "./world.js";
import { Distances } from "./distances.js";
import { Knowledge, readClaims, SharedKnowledge } from "./knowledge.js";

/** Events between two remembered states: few enough to apply in a millisecond, many enough to cost little. */
const EVENTS_PER_SNAPSHOT = 2048;

/** One game: everything that the feed said, and any moment of it. */
export class Game extends Timeline {
  constructor() {
    super(KINDS);
    /** The field on which whoever acted stood in each event, and for exchanges the other one's. */
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
    this.distances = null;
  }

  /** Takes the next event. */
  take(event) {
    const index = this.events.length;
    const [, word, agent] = event;
    const verdict = word === "answered" ? this.judge(event, index) : null;
    const heldSham = agent >= 0 && this.head.hand[agent] === SHAM;
    this.head.apply(event, index);
    if ((index + 1) % EVENTS_PER_SNAPSHOT === 0) this.snapshots.push(this.head.clone());
    const kind = this.kindOf(event, verdict);
    // What an answer says is kept in its verdict, in less room.
    super.take(word === "answered" ? event.slice(0, 4) : event, kind);
    if (kind === "lie") this.ofKind.exchange.push(index);
    this.chart(event, heldSham);
    const by = eventAgent(event);
    this.fields.push(by >= 0 ? this.head.field(by) : word === "appeared" ? event[4] * this.head.columns + event[3] : -1);
    if (by >= 0 && by !== agent) this.otherFields.set(index, this.head.field(agent));
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
    const { columns, rows } = this.start.board;
    const claims = readClaims(said, this.start.board);
    const knows = this.known[by];
    const counts = [0, 0, 0, 0];
    const { distances } = claims;
    const truth = this.truth(this.head, distances.fields.length);
    distances.fields.forEach((field, claim) => {
      const said = distances.said[claim];
      let worth = HONEST;
      if (said !== truth.at(field)) {
        const x = field % columns, y = (field / columns) | 0;
        const tile = knows.tile(x, y, false), place = Knowledge.place(x, y);
        if (tile && said === tile.ownDistance[place]) worth = STALE;
        else if (!tile || said === tile.toldDistance[place]) worth = MISTAKEN;
        else worth = tile.ownDistance[place] === UNKNOWN ? MISTAKEN : LIE;
      }
      distances.worth[claim] = worth;
      counts[worth]++;
    });
    claims.goals.forEach((goals, team) => goals.fields.forEach((field, claim) => {
      const said = goals.said[claim], x = field % columns, y = (field / columns) | 0;
      const isGoal = this.goals[team].has(field);
      const holds = said === GOAL ? isGoal : !isGoal || this.head.covered.has(field);
      const here = knows.at(x, y), mirrored = knows.at(columns - 1 - x, rows - 1 - y);
      let worth = HONEST;
      if (here && here.goalBy < 0 && here.goal !== UNSAID && here.goal !== said) worth = LIE;
      else if (!holds) {
        const repeats = here?.goal === said || mirrored?.goal === said;
        worth = repeats || knows.falseGoalsHeard ? MISTAKEN : LIE;
      }
      goals.worth[claim] = worth;
      counts[worth]++;
    }));
    const worth = counts[LIE] ? LIE : counts[MISTAKEN] ? MISTAKEN : counts[STALE] ? STALE : HONEST;
    const verdict = { worth, counts, claims };
    this.verdicts.set(index, verdict);
    return verdict;
  }

  /** The true distances in this state, of which so many will be asked; made again only when a piece has moved. */
  truth(world, wanted = 0) {
    if (this.distances?.ground !== world.ground) this.distances = new Distances(world);
    this.distances.expect(wanted);
    return this.distances;
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

  /** Nobody but who sees everything can tell a lie. */
  neighbour(kind, t, direction, sight) {
    return kind === "lie" && !sight.isWhole ? undefined : super.neighbour(kind, t, direction, sight);
  }

  isQuiet(index) {
    const word = this.events[index][1];
    return word === "lock" || word === "note";
  }

  isSound([, word, agent, what, ...more]) {
    const { agents, board } = this.start;
    const isAgent = (one) => Number.isInteger(one) && one >= 0 && one < agents.length;
    const isField = (x, y) => Number.isInteger(x) && Number.isInteger(y) && x >= 0 && y >= 0 && x < board.columns && y < board.rows;
    switch (word) {
      case "appeared": return isField(what, more[0]);
      case "over": return true;
      case "moved": return isAgent(agent) && isField(what, more[0]);
      case "discovered": return isAgent(agent) && Array.isArray(what);
      case "asked": return isAgent(agent) && isAgent(what);
      case "answered": return isAgent(agent) && isAgent(what) && typeof more[0] === "object" && more[0] !== null;
      case "note": return isAgent(agent) && typeof what === "object" && what !== null;
      case "lock": return isAgent(agent) && Number.isFinite(what);
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
  lineupOf(team) {
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
