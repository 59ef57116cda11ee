// Makes feeds of invented games, for tests, screenshots and trying out the page.
//
//     node generate.mjs --agents 40 --minutes 60 > hour.json
//
// The games look right (agents climb distances, carry, ask, lie) but follow the rules only as far as the page can
// tell. Chance is seeded: the same options make the same feed.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/** A small random number generator (mulberry32). */
function chanceFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Claims `[field, what is said, the place of the verdict]` as the feed writes them. */
export function runs(claims) {
  const sorted = [...claims].sort(([one], [other]) => one - other);
  const written = [];
  let last = NaN;
  for (const [field, said, verdict] of sorted) {
    const item = `${said}${["", "s", "m", "l"][verdict]}`;
    if (field === last + 1) written[written.length - 1] += `,${item}`;
    else written.push(`${field}:${item}`);
    last = field;
  }
  return written.join(";");
}

const ACTIONS = ["move", "discover", "pick-up", "put", "check", "destroy", "ask", "answer"];

/** The figures of an agent, in the order of the feed. */
export const FIGURES = [
  ...ACTIONS.map((kind) => `granted.${kind}`), ...ACTIONS.map((kind) => `refused.${kind}`),
  ...ACTIONS.map((kind) => `lockedMsBy.${kind}`), "premature", "pieces", "shams", "goals",
  "questionsAsked", "questionsReceived", "questionsAnswered", "lockedMs",
];

export const DEFAULTS = {
  seed: 7, agents: 8, minutes: 4, columns: 20, rows: 20, goalRows: 4, goals: 5, pieces: 10, sham: 0.4, liars: 2,
  penalties: {
    move: 1500, discover: 700, "pick-up": 0, put: 500, check: 700, destroy: 500, ask: 1000, answer: 1000,
  },
};

/** Every parameter as the game master describes it: `npm run screenshots` asks the real one, and a test of
 * `reference-gm` fails if it says something else by now. */
const DESCRIPTIONS = JSON.parse(readFileSync(new URL("settings.json", import.meta.url), "utf8"));

/** Every parameter of a game master, as the message `settings` lists them. */
export function parameters(values = {}) {
  return DESCRIPTIONS.map((one) => {
    const given = Object.hasOwn(values, one.name);
    return { ...one, value: given ? values[one.name] : one.default, origin: given ? "page" : "default" };
  });
}

/** The messages `start` and then `events`, and the last point of time, of one invented game. */
export function play(options = {}) {
  const game = { ...DEFAULTS, ...options };
  const { columns, rows, goalRows, penalties } = game;
  const chance = chanceFrom(game.seed);
  const below = (count) => Math.floor(chance() * count);
  const end = game.minutes * 60000;
  const taskRows = rows - 2 * goalRows;
  const index = (x, y) => y * columns + x;

  const goals = { red: [], blue: [] };
  const isGoal = new Set();
  while (goals.blue.length < game.goals) {
    const x = below(columns), y = below(goalRows);
    if (isGoal.has(index(x, y))) continue;
    goals.blue.push([x, y]);
    goals.red.push([columns - 1 - x, rows - 1 - y]);
    isGoal.add(index(x, y)).add(index(columns - 1 - x, rows - 1 - y));
  }
  const covered = new Set();

  const occupied = new Set();
  const agents = [];
  for (let id = 0; id < game.agents; id += 2) {
    let x, y;
    do [x, y] = [below(columns), goalRows + below(taskRows)];
    while (occupied.has(index(x, y)) || occupied.has(index(columns - 1 - x, rows - 1 - y))
      || (2 * x + 1 === columns && 2 * y + 1 === rows));
    occupied.add(index(x, y)).add(index(columns - 1 - x, rows - 1 - y));
    agents.push({ x, y }, { x: columns - 1 - x, y: rows - 1 - y });
  }
  agents.length = game.agents;
  agents.forEach((agent, id) => Object.assign(agent, {
    id, team: id % 2 ? "blue" : "red", leader: id < 2, hand: null, checked: false, until: 0, questions: [],
    own: new Map(), beliefs: new Map(), untried: null, wait: 0,
    liar: id >= game.agents - game.liars, turn: below(4), lastAsk: 0,
  }));

  const lying = new Map();
  const lay = (x, y, sham) => lying.set(index(x, y), [...(lying.get(index(x, y)) ?? []), sham]);
  for (let piece = 0; piece < game.pieces; piece++) {
    lay(below(columns), goalRows + below(taskRows), Number(chance() < game.sham));
  }
  const start = {
    kind: "start", seed: String(game.seed), board: { columns, rows, goalRows }, penalties, sham: game.sham,
    landing: true, pieces: game.pieces, points: [0, 0], figures: FIGURES,
    agents: agents.map(({ id, team, leader, x, y }) =>
      ({ id, team, leader, name: `agent ${id + 1}`, x, y, holding: null })),
    goals,
    lying: [...lying].flatMap(([field, pile]) =>
      pile.map((sham) => [field % columns, Math.floor(field / columns), sham])),
  };

  const events = [];
  const figures = agents.map(() => new Array(FIGURES.length).fill(0));
  /** Adds an event with its changes, and with the figures that it adds to: `[agent, name, by how much]` each. */
  const tell = (event, changes = {}, counted = []) => {
    const told = counted.flatMap(([agent, name, more = 1]) => {
      const place = FIGURES.indexOf(name);
      figures[agent][place] += more;
      return [agent, place, figures[agent][place]];
    });
    events.push([...event, told.length ? { ...changes, figures: told } : changes]);
  };
  /** The lock of an agent's request, and the figure that counts it. */
  const locks = (t, agent, kind) => {
    agent.until = t + penalties[kind];
    return penalties[kind] ? [{ lock: agent.until }, [[agent.id, "lockedMs", penalties[kind]], [agent.id, `lockedMsBy.${kind}`, penalties[kind]]]] : [{}, []];
  };
  /** A request that is granted: its event, and what else it changes. */
  const grant = (t, agent, kind, word, about, changes = {}, counted = []) => {
    const [lock, locked] = locks(t, agent, kind);
    tell([t, word, agent.id, ...about], { ...lock, ...changes }, [[agent.id, `granted.${kind}`], ...locked, ...counted]);
  };
  const found = (agent, said) => ({ beliefs: [[[agent.id, agent.team], -1, said.map(([field, what]) => `${field}:${what}`).join(";")]] });
  const handOf = (sham) => (sham ? 2 : 1);
  const distance = (x, y) => {
    let best = Infinity;
    for (const field of lying.keys()) {
      best = Math.min(best, Math.abs(field % columns - x) + Math.abs(Math.floor(field / columns) - y));
    }
    return best;
  };
  const told = (moves) => (moves === Infinity ? -1 : moves);
  const inside = (x, y) => x >= 0 && y >= 0 && x < columns && y < rows;
  const areaOf = (y) => (y < goalRows ? "blue" : y >= rows - goalRows ? "red" : "task");
  const points = { red: 0, blue: 0 };
  let over = null;

  function replace(t) {
    const x = below(columns), y = goalRows + below(taskRows), sham = Number(chance() < game.sham);
    const lucky = agents.find((agent) => agent.x === x && agent.y === y && agent.hand === null);
    if (lucky) {
      lucky.hand = sham;
      lucky.checked = false;
      tell([t, "landed", lucky.id, sham], { hand: handOf(sham) }, [[lucky.id, "pieces"], ...(sham ? [[lucky.id, "shams"]] : [])]);
    } else {
      lay(x, y, sham);
      tell([t, "appeared", -1, x, y, sham], { laid: [index(x, y), sham] });
    }
  }

  /** What an agent says when asked: what it knows, or the opposite. Each claim with its field and verdict. */
  function report(agent) {
    const claims = [];
    for (const [field, moves] of agent.own) {
      const said = agent.liar && moves !== -1 ? Math.max(1, Math.floor((columns + rows) / 3) - moves) : moves;
      const isTrue = said === told(distance(field % columns, Math.floor(field / columns)));
      claims.push([field, said === -1 ? "inf" : said, isTrue ? 0 : agent.liar ? 3 : 1]);
    }
    for (const [field, belief] of agent.beliefs) {
      claims.push([field, agent.liar ? (belief === "G" ? "N" : "G") : belief, agent.liar ? 3 : 0]);
    }
    return claims;
  }

  function answer(t, agent, to) {
    const claims = report(agent), counts = [0, 0, 0, 0];
    for (const [, , verdict] of claims) counts[verdict]++;
    // What somebody tried itself it believes all the same, and so does its team.
    const kept = (one, known) => {
      const text = runs(claims.filter(([field, said]) => typeof said === "string" && said !== "inf" && known(field))
        .map(([field]) => [field, known(field), 0]));
      return text ? [[[one], -1, text]] : [];
    };
    const asker = agents[to], team = agents.filter((one) => one.team === asker.team);
    const beliefs = claims.length ? [
      [[to, asker.team], agent.id, null],
      ...kept(to, (field) => asker.beliefs.get(field)),
      ...kept(asker.team, (field) => team.map((one) => one.beliefs.get(field)).find(Boolean)),
    ] : undefined;
    const [lock, locked] = locks(t, agent, "answer");
    tell([t, "answered", to, agent.id, runs(claims)], {
      ...lock, verdict: ["honest", "stale", "mistaken", "lie"][Math.max(0, counts.findLastIndex(Boolean))], claims: counts,
      ...(beliefs && { beliefs }),
    }, [[agent.id, "granted.answer"], [agent.id, "questionsAnswered"], ...locked]);
  }

  function move(t, agent, dx, dy) {
    const x = agent.x + dx, y = agent.y + dy;
    const refusal = !inside(x, y) ? "off-board"
      : areaOf(y) !== "task" && areaOf(y) !== agent.team ? "enemy-goal-area"
        : occupied.has(index(x, y)) ? "occupied" : null;
    if (refusal) {
      const [lock, locked] = locks(t, agent, "move");
      tell([t, "refused", agent.id, "move", refusal], lock, [[agent.id, "refused.move"], ...locked]);
      agent.turn = below(4);
      return;
    }
    occupied.delete(index(agent.x, agent.y));
    occupied.add(index(x, y));
    [agent.x, agent.y] = [x, y];
    const moves = told(distance(x, y));
    agent.own.set(index(x, y), moves);
    grant(t, agent, "move", "moved", [x, y, moves === -1 ? null : moves], found(agent, [[index(x, y), moves === -1 ? "inf" : moves]]));
  }

  const WAYS = [[0, 1], [1, 0], [0, -1], [-1, 0]];
  function act(t, agent) {
    const must = agent.questions.find((question) => question.must) ?? (chance() < 0.3 ? agent.questions[0] : null);
    if (must) {
      agent.questions = agent.questions.filter((question) => question !== must);
      return answer(t, agent, must.by);
    }
    if (chance() < 0.012 && t - agent.lastAsk > 15000) {
      const asked = agents[below(agents.length)];
      if (asked.team === agent.team && asked !== agent) {
        agent.lastAsk = t;
        asked.questions = asked.questions.filter((question) => question.by !== agent.id);
        asked.questions.push({ by: agent.id, must: agent.leader });
        const [lock, locked] = locks(t, agent, "ask");
        return tell([t, "asked", asked.id, agent.id, agent.leader], lock,
          [[agent.id, "granted.ask"], [agent.id, "questionsAsked"], [asked.id, "questionsReceived"], ...locked]);
      }
    }
    if (chance() < 0.004) return tell([t, "refused", agent.id, "move", "too-early"], {}, [[agent.id, "premature"]]);
    const home = agent.team === "red" ? 1 : -1;
    if (agent.hand === null) {
      if (areaOf(agent.y) === "task" && lying.has(index(agent.x, agent.y))) {
        const pile = lying.get(index(agent.x, agent.y));
        agent.hand = pile.at(-1);
        agent.checked = false;
        if (pile.length === 1) lying.delete(index(agent.x, agent.y));
        else lying.set(index(agent.x, agent.y), pile.slice(0, -1));
        return grant(t, agent, "pick-up", "picked-up", [], { taken: index(agent.x, agent.y), hand: handOf(agent.hand) },
          [[agent.id, "pieces"], ...(agent.hand ? [[agent.id, "shams"]] : [])]);
      }
      if (chance() < 0.06) {
        const readings = [], read = [];
        for (const dy of [-1, 0, 1]) for (const dx of [-1, 0, 1]) {
          const here = inside(agent.x + dx, agent.y + dy) ? told(distance(agent.x + dx, agent.y + dy)) : null;
          if (here !== null) {
            agent.own.set(index(agent.x + dx, agent.y + dy), here);
            read.push([index(agent.x + dx, agent.y + dy), here === -1 ? "inf" : here]);
          }
          readings.push(here);
        }
        return grant(t, agent, "discover", "discovered", [readings], found(agent, read));
      }
      if (chance() < 0.05) return void (agent.wait = 500 + below(3500));
      const here = distance(agent.x, agent.y);
      const better = WAYS.filter(([dx, dy]) => distance(agent.x + dx, agent.y + dy) < here);
      const [dx, dy] = chance() < 0.75 && better.length ? better[below(better.length)] : WAYS[agent.turn];
      return move(t, agent, dx, dy);
    }
    if (!agent.checked && chance() < 0.5) {
      agent.checked = true;
      grant(t, agent, "check", "checked", [Boolean(agent.hand)], agent.hand ? { hand: 0 } : {});
      if (agent.hand) {
        agent.hand = null;
        replace(t);
      }
      return;
    }
    agent.checked = true;
    if (!agent.target) {
      const first = agent.team === "red" ? rows - goalRows : 0;
      const untried = [];
      for (let y = first; y < first + goalRows; y++) for (let x = 0; x < columns; x++) {
        if (!agent.beliefs.has(index(x, y))) untried.push([x, y]);
      }
      agent.target = untried.length ? untried[below(untried.length)] : [below(columns), first];
      const [x, y] = agent.target;
      tell([t, "note", agent.id, {
        text: `I carry this to ${x},${y}; ${untried.length} fields are left to try.`,
        shapes: [{ line: [agent.x, agent.y, x, y] }, { field: [x, y] }, { label: [x, y, "here"] }],
      }]);
    }
    const [x, y] = agent.target;
    if (agent.x === x && agent.y === y) {
      const at = index(x, y);
      const result = agent.hand ? "was-sham" : isGoal.has(at) && !covered.has(at) ? "on-goal" : "on-no-goal";
      agent.hand = null;
      agent.target = null;
      if (result !== "was-sham") agent.beliefs.set(at, result === "on-goal" ? "G" : "N");
      if (result === "on-goal") {
        covered.add(at);
        points[agent.team]++;
      }
      grant(t, agent, "put", "put", [result], {
        hand: 0, ...(result === "on-goal" && { covered: at, points: [points.red, points.blue] }),
        ...(result !== "was-sham" && found(agent, [[at, agent.beliefs.get(at)]])),
      }, result === "on-goal" ? [[agent.id, "goals"]] : []);
      replace(t);
      if (points[agent.team] === game.goals) over = agent.team;
      return;
    }
    if (chance() < 0.1) return move(t, agent, ...WAYS[below(4)]);
    if (agent.y !== y && (areaOf(agent.y) === "task" || chance() < 0.5)) return move(t, agent, 0, Math.sign(y - agent.y));
    return agent.x !== x ? move(t, agent, Math.sign(x - agent.x), 0) : move(t, agent, 0, Math.sign(y - agent.y) || home);
  }

  const ready = agents.map((agent) => [50 + below(400), agent.id]);
  let t = 0;
  while (!over) {
    let next = 0;
    for (let place = 1; place < ready.length; place++) if (ready[place][0] < ready[next][0]) next = place;
    const [when, id] = ready[next];
    if (when > end) break;
    t = when;
    act(t, agents[id]);
    ready[next][0] = Math.max(agents[id].until, t) + agents[id].wait + 10 + below(80);
    agents[id].wait = 0;
  }
  const leads = points.red === points.blue ? -1 : points.red > points.blue ? 0 : 1;
  const winner = over ? ["red", "blue"].indexOf(over) : leads;
  if (!over) t = end;
  tell([t, "over", winner, over ? "normal" : "stopped", points.red, points.blue]);
  return { start, events, t, options: game };
}

/** Splits events into messages of `size` events. */
export function chunks(events, size = 5000) {
  const messages = [];
  for (let from = 0; from < events.length; from += size) {
    messages.push({ kind: "events", events: events.slice(from, from + size) });
  }
  return messages;
}

/** The whole feed of a replay. */
export function feed(options = {}) {
  const { start, events } = play(options);
  const { columns, rows, goalRows } = start.board;
  const values = {
    boardX: columns, boardY: rows, goalAreaHeight: goalRows, numberOfGoals: start.goals.red.length,
    numberOfPieces: start.pieces, shamPieceProbability: start.sham, teamSize: start.agents.length / 2,
  };
  return [
    { kind: "hello", feed: 1, mode: "replay", program: "reference-gm 0.1.0", operator: false, file: "invented.replay" },
    { kind: "settings", locked: true, parameters: parameters(values), faults: [] },
    start,
    ...chunks(events),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const numbers = ["seed", "agents", "minutes", "columns", "rows", "goalRows", "goals", "pieces", "sham", "liars"];
  const { values } = parseArgs({ options: Object.fromEntries(numbers.map((name) => [name, { type: "string" }])) });
  const options = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, Number(text)]));
  process.stdout.write(JSON.stringify(feed(options)));
}
