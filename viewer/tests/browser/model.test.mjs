// The model by itself, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { EriantysChoices, EXCHANGE_DONE } from "../../page/games/eriantys/choices.js";
import { EVENTS_PER_SNAPSHOT, Game, MOST_SNAPSHOT_BYTES } from "../../page/games/project/model/game.js";
import { clockText } from "../../page/shell/clock.js";
import { GOAL, HONEST, INFINITE, LIE, MISTAKEN, NO_GOAL, STALE, UNKNOWN, UNSAID } from "../../page/games/project/model/terms.js";
import { Distances } from "../../page/games/project/drawing/distances.js";
import { feed, FIGURES } from "./generate.mjs";

/** A board of 4×6 with goal areas of one row, three agents of red, and a piece on 1,2. */
function small(events) {
  const game = new Game();
  game.add({
    kind: "start", seed: "1", board: { columns: 4, rows: 6, goalRows: 1 }, penalties: { move: 100 }, sham: 0, landing: true,
    pieces: 1, points: [0, 0], figures: FIGURES, goals: { red: [[3, 5]], blue: [[0, 0]] }, lying: [[1, 2, 0]],
    agents: [0, 1, 2].map((id) => ({ id, team: "red", leader: id === 0, name: `agent ${id}`, x: id, y: 3, holding: null })),
  });
  game.add({ kind: "events", events });
  return game;
}

const field = (x, y) => y * 4 + x;

test("beliefs are taken over as the feed tells them", () => {
  const game = small([
    [10, "discovered", 0, [null, 2, 1, null, 3, 2, null, 4, 3], { beliefs: [[[0, "red"], -1, "8:2,1;12:3,2;16:4,inf"]] }],
    [20, "answered", 0, 1, "12:1m;20:G,Nl;7:9s*2", {
      verdict: "lie", claims: [0, 2, 1, 1], beliefs: [[[0, "red"], 1, null], [["red"], -1, "20:N"]],
    }],
    [30, "moved", 0, 0, 4, 3, { beliefs: [[[0], -1, "16:3"]] }],
  ]);
  const known = game.knowledge(0, 3);
  assert.deepEqual(known.at(0, 3), { distance: 1, at: 20, by: 1, worth: MISTAKEN, goal: UNSAID, goalBy: 0, goalWorth: HONEST });
  assert.deepEqual([known.at(0, 4).distance, known.at(0, 4).by, known.at(0, 4).at, known.at(0, 4).worth], [3, -1, 30, HONEST]);
  assert.equal(known.at(1, 4).distance, INFINITE);
  assert.deepEqual([known.at(0, 5).goal, known.at(0, 5).goalBy, known.at(0, 5).goalWorth], [GOAL, 1, HONEST]);
  assert.deepEqual([known.at(1, 5).goal, known.at(1, 5).goalWorth, known.at(1, 5).distance], [NO_GOAL, LIE, UNKNOWN]);
  assert.deepEqual([known.at(3, 1).worth, known.at(0, 2).worth, known.at(0, 2).distance], [STALE, STALE, 9], "a run");
  assert.equal(known.at(3, 0), null);
  const together = game.knowledge("red", 3);
  assert.deepEqual([together.at(0, 5).goal, together.at(0, 5).goalBy], [NO_GOAL, -1], "a later group replaces an earlier one");
  assert.equal(together.at(0, 4).distance, 4, "the last change was the agent's alone");
  assert.equal(game.knowledge(0, 1).at(0, 3).by, -1, "earlier it had only read");
  assert.equal(game.knowledge(0, 1).at(0, 5), null);
  assert.equal(game.knowledge(2, 3).at(0, 3), null);
  assert.deepEqual(game.verdicts.get(1), { worth: LIE, counts: [0, 2, 1, 1] });
  assert.deepEqual(game.ofKind.lie, [1]);
});

test("a state takes over what each event changes, and knows no rule", () => {
  const game = small([
    [10, "picked-up", 0, { taken: field(1, 2), hand: 2, lock: 110, figures: [0, FIGURES.indexOf("granted.pick-up"), 7, 0, FIGURES.indexOf("lockedMs"), 100] }],
    [200, "put", 0, "on-goal", { hand: 0, covered: field(3, 5), points: [4, 0] }],
    [300, "appeared", -1, 3, 2, 1, { laid: [field(3, 2), 1] }],
    [300, "asked", 1, 2, false, { lock: 900, figures: [2, FIGURES.indexOf("lockedMs"), 600] }],
    [500, "left", 2, { gone: true, figures: [2, FIGURES.indexOf("lockedMs"), 200] }],
  ]);
  const at = (t) => game.at(t);
  assert.deepEqual([at(60).hand[0], at(60).pieces.size, at(60).figures(0, 60).granted["pick-up"]], [2, 0, 7]);
  assert.deepEqual([at(60).figures(0, 60).lockedMs, at(60).figures(0, 60).idleMs], [50, 10], "of the lock what has passed");
  assert.deepEqual([at(250).hand[0], at(250).points, at(250).covered.get(field(3, 5))], [0, [4, 0], { t: 200, agent: 0 }]);
  assert.deepEqual([...at(300).pieces], [[field(3, 2), [1]]]);
  assert.deepEqual([at(400).lockedUntil[2], at(400).lockedUntil[1]], [900, 0], "the agent that asks is locked");
  assert.deepEqual([at(800).gone[2], at(800).figures(2, 800).lockedMs, at(800).figures(2, 800).idleMs], [1, 200, 300]);
});

test("an event has the field on which it happened", () => {
  const game = small([
    [10, "moved", 0, 0, 4, 2, {}], [20, "discovered", 0, [null, 2, 1, null, 3, 2, null, 4, 3], {}], [30, "asked", 2, 0, false, {}],
    [40, "moved", 0, 1, 4, 2, {}], [50, "answered", 0, 2, "", { verdict: "honest", claims: [0, 0, 0, 0] }],
    [60, "appeared", -1, 3, 2, 0, { laid: [field(3, 2), 0] }], [70, "over", -1, "stopped", 0, 0, {}],
  ]);
  assert.deepEqual(game.fields, [field(0, 4), field(0, 4), field(0, 4), field(1, 4), field(2, 3), field(3, 2), -1]);
  assert.deepEqual([...game.otherFields], [[2, field(2, 3)], [4, field(1, 4)]]);
});

test("every moment is the same, from whichever side it is reached", () => {
  const messages = feed({ minutes: 14 });
  const game = new Game();
  for (const message of messages) game.add(message);
  assert.ok(game.events.length > 3 * 1024, "several remembered states are needed");
  const look = (world) => JSON.stringify([[...world.x], [...world.y], [...world.hand], [...world.pieces], [...world.covered.keys()], [...world.figureValues]]);
  const ahead = new Game();
  const moments = [0, 33_000, 250_000, 251_000, 600_000, game.duration];
  const expected = new Map();
  ahead.add(messages.find((message) => message.kind === "start"));
  let next = 0;
  for (const event of messages.flatMap((message) => message.events ?? [])) {
    while (event[0] > moments[next]) expected.set(moments[next++], look(ahead.head));
    ahead.take(event);
  }
  expected.set(game.duration, look(ahead.head));
  for (const t of [...moments].reverse().concat(moments)) assert.equal(look(game.at(t)), expected.get(t), `at ${t}`);
});

test("on a board full of pieces fewer states are remembered, and every moment is the same all the same", () => {
  const game = new Game(), columns = 1000, pieces = 400_000, moves = 9 * EVENTS_PER_SNAPSHOT;
  game.add({
    kind: "start", seed: "1", board: { columns, rows: 1000, goalRows: 100 }, penalties: {}, sham: 0, landing: true, pieces,
    goals: { red: [], blue: [] }, lying: Array.from({ length: pieces }, (_, field) => [field % columns, 100 + Math.floor(field / columns), 0]),
    agents: [{ id: 0, team: "red", leader: true, name: "agent 0", x: 0, y: 100, holding: null }],
  });
  const events = Array.from({ length: moves }, (_, move) => [move + 1, "moved", 0, move % columns, 100, 0, move < columns ? { taken: 100 * columns + move } : {}]);
  game.add({ kind: "events", events });
  assert.ok(game.snapshots.length > 2 && game.snapshots.reduce((sum, world) => sum + world.bytes, 0) <= MOST_SNAPSHOT_BYTES, `${game.snapshots.length} states`);
  for (const t of [moves, 500, 3 * EVENTS_PER_SNAPSHOT + 7]) {
    const { x, pieces: lying, applied } = game.at(t);
    assert.deepEqual([applied, x[0], lying.size], [t, t ? (t - 1) % columns : 0, pieces - Math.min(t, columns)], `at ${t}`);
  }
});

test("pieces are conserved, and distances are those of the nearest", () => {
  const game = new Game();
  for (const message of feed()) game.add(message);
  for (let t = 0; t < game.duration; t += 7000) {
    const world = game.at(t);
    const lying = [...world.pieces.values()].reduce((sum, pile) => sum + pile.length, 0);
    assert.equal(lying + world.hand.filter(Boolean).length, game.start.pieces, `at ${t}`);
    const searched = new Distances(world), swept = new Distances(world);
    swept.sweep();
    for (let one = t % 17; one < 400; one += 17) {
      const apart = [...world.pieces.keys()].map((other) =>
        Math.abs((one % 20) - (other % 20)) + Math.abs(Math.floor(one / 20) - Math.floor(other / 20)));
      assert.equal(searched.search(one), Math.min(...apart), `${one} at ${t}`);
      assert.equal(swept.at(one), Math.min(...apart), `${one} at ${t}`);
    }
    assert.equal(searched.all, null);
  }
});

test("what an answer takes does not grow with the board", () => {
  const game = new Game();
  const columns = 2000, rows = 2000;
  game.add({
    kind: "start", seed: "1", board: { columns, rows, goalRows: 100 }, penalties: { move: 100 }, sham: 0, landing: true,
    pieces: 1, goals: { red: [], blue: [] }, lying: [[1, 1000, 0], [1500, 900, 0]],
    agents: [0, 1].map((id) => ({ id, team: "red", leader: id === 0, name: `agent ${id}`, x: id, y: 1000, holding: null })),
  });
  const before = process.memoryUsage().arrayBuffers;
  game.add({ kind: "events", events: [
    [10, "moved", 1, 0, 1000, 1, { beliefs: [[[1, "red"], -1, `${1000 * columns}:1`]] }],
    [20, "answered", 0, 1, `${1000 * columns}:1,7m;5:N*2`, { verdict: "mistaken", claims: [3, 0, 1, 0], beliefs: [[[0, "red"], 1, null]] }],
  ] });
  assert.equal(game.knowledge(0, 2).at(1, 1000).distance, 7);
  assert.equal(game.knowledge(0, 2).at(6, 0).goal, NO_GOAL);
  assert.equal(game.knowledge(0, 2).tiles.size, 2);
  const taken = process.memoryUsage().arrayBuffers - before;
  assert.ok(taken < 300_000, `${taken} bytes`);
});

test("a live game that is broken off is neither over nor going on", () => {
  const standings = ["live", "replay"].map((mode) => {
    const game = small([]);
    game.add({ kind: "hello", mode });
    const told = [[game.isBrokenOff, game.standing]];
    game.add({ kind: "truncated", why: "the host has let it go" });
    game.add({ kind: "statistics", document: { outcome: null } });
    return [...told, [game.isBrokenOff, game.standing]];
  });
  assert.deepEqual(standings, [
    [[false, "still going on"], [true, "broken off: the host has let it go"]], [[false, "still going on"], [true, "the replay breaks off"]],
  ]);
});

test("times are written as on a clock", () => {
  for (const [t, expected] of [[0, "0:00.0"], [59_999, "0:59.9"], [60_000, "1:00.0"], [100_300, "1:40.3"], [3_600_000, "1:00:00.0"]]) {
    assert.equal(clockText(t), expected);
  }
});

/** All ways of choosing that end, as the texts of their options, and how many choices each took. */
function allWays(choices) {
  const ways = new Map(), open = [[]];
  while (open.length) {
    const chosen = open.pop(), { next, complete } = choices.after(chosen);
    if (complete !== null) ways.set(complete, Math.min(chosen.length, ways.get(complete) ?? Infinity));
    open.push(...next.filter((choice) => choice !== EXCHANGE_DONE).map((choice) => [...chosen, choice]));
  }
  return ways;
}

test("every option of Eriantys is reached by choices, and nothing else is", () => {
  const options = [
    "dining red", "island red 3", "island blue 12", "steps 2", "cloud 1", "monk red 4", "monk pink 4", "herald 3", "knight",
    "mushroom-hunter green", "princess blue", "jester y for r", "jester yb for rr", "jester ybb for rrp", "minstrel gg for pp",
  ];
  const choices = new EriantysChoices(options);
  assert.deepEqual([...allWays(choices).keys()].sort(), [...options].sort());
  assert.deepEqual(allWays(choices).get("jester ybb for rrp"), 7);
  assert.deepEqual(choices.after([]).next, [
    "entrance red", "entrance blue", "steps 2", "cloud 1", "card monk", "card herald", "card knight", "card mushroom-hunter", "card princess",
    "card jester", "card minstrel",
  ]);
  assert.deepEqual(choices.after(["entrance red"]), { next: ["dining red", "island 3"], complete: null });
  assert.deepEqual(choices.after(["card monk", "colour pink"]), { next: ["island 4"], complete: null });
  assert.deepEqual(choices.after(["card jester", "take red", "give yellow"]), { next: [EXCHANGE_DONE, "take red", "take pink"], complete: "jester y for r" });
  assert.deepEqual(choices.after(["card minstrel", "take pink", "give green"]), { next: ["take pink"], complete: null });
  assert.deepEqual(choices.after(["card jester", "take green"]), { next: [], complete: null });
});
