// The model by itself, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Game } from "../../page/games/project/model/game.js";
import { clockText } from "../../page/shell/clock.js";
import { UNKNOWN, VERDICTS } from "../../page/games/project/model/terms.js";
import { Distances } from "../../page/games/project/model/distances.js";
import { feed, runs } from "./generate.mjs";

/** A board of 4×6 with goal areas of one row, three agents of red, and a piece on 1,2. */
function small(events) {
  const game = new Game();
  game.add({
    kind: "start", seed: "1", board: { columns: 4, rows: 6, goalRows: 1 }, penalties: { move: 100 }, sham: 0, landing: true,
    pieces: 1, goals: { red: [[3, 5]], blue: [[0, 0]] }, lying: [[1, 2, 0]],
    agents: [0, 1, 2].map((id) => ({ id, team: "red", leader: id === 0, name: `agent ${id}`, x: id, y: 3, holding: null })),
  });
  game.add({ kind: "events", events });
  return game;
}

/** The text of an answer that says these distances and beliefs, by field, and nothing else. */
function says({ distances = {}, red = {}, blue = {} }) {
  const list = (length, unknown, said) => runs(Array.from({ length }, (_, field) => said[field] ?? unknown));
  return { distances: list(24, "-", distances), red: list(4, "?", red), blue: list(4, "?", blue) };
}

const field = (x, y) => y * 4 + x;
const worth = (game) => VERDICTS[game.verdicts.get(game.events.length - 1).worth];

test("an answer is judged by the truth and by what whoever answers knows", () => {
  const read = [10, "moved", 1, 1, 3, 1];
  const moved = [[20, "moved", 2, 1, 2, 0], [30, "picked-up", 2]];
  const answer = (said) => [90, "answered", 0, 1, says(said)];
  const told = (said) => [50, "answered", 1, 2, says(said)];
  const tried = [60, "put", 1, "on-no-goal"];
  const cases = [
    ["honest", "what is true", [read, answer({ distances: { [field(1, 3)]: 1 } })]],
    ["honest", "nothing at all", [read, answer({})]],
    ["stale", "what was true when it was read", [read, ...moved, answer({ distances: { [field(1, 3)]: 1 } })]],
    ["lie", "something else than what was read", [read, answer({ distances: { [field(1, 3)]: 3 } })]],
    ["mistaken", "a guess about a field that was never read", [answer({ distances: { [field(3, 3)]: 7 } })]],
    ["mistaken", "what it was told falsely", [told({ distances: { [field(3, 3)]: 9 } }), answer({ distances: { [field(3, 3)]: 9 } })]],
    ["lie", "a goal that nothing founds", [answer({ red: { 1: "G" } })]],
    ["honest", "a goal that is one", [answer({ red: { 3: "G" } })]],
    ["mistaken", "a goal that it was told of falsely", [told({ red: { 1: "G" } }), answer({ red: { 1: "G" } })]],
    ["mistaken", "the mirror of a goal that it was told of falsely", [told({ red: { 1: "G" } }), answer({ blue: { 2: "G" } })]],
    ["lie", "a goal where it found none", [[10, "moved", 1, 1, 5, 3], tried, answer({ red: { 1: "G" } })]],
    ["lie", "no goal where it covered one", [[10, "moved", 1, 3, 5, 3], [60, "put", 1, "on-goal"], answer({ red: { 3: "N" } })]],
    ["honest", "no goal any more, where another covered it",
      [[10, "moved", 2, 3, 5, 3], [60, "put", 2, "on-goal"], answer({ red: { 3: "N" } })]],
  ];
  for (const [expected, what, events] of cases) assert.equal(worth(small(events)), expected, what);
});

test("knowledge has the newest distance with its source, and what was tried before what was told", () => {
  const game = small([
    [10, "discovered", 0, [null, 2, 1, null, 3, 2, null, 4, 3]],
    [20, "answered", 0, 1, says({ distances: { [field(0, 3)]: 1 }, red: { 0: "G" } })],
    [30, "moved", 0, 0, 4, 3],
  ]);
  const known = game.knowledge(0, 3);
  assert.deepEqual([known.at(0, 3).distance, known.at(0, 3).by], [1, 1], "told later than read");
  assert.deepEqual([known.at(0, 4).distance, known.at(0, 4).by, known.at(0, 4).at], [3, -1, 30]);
  assert.equal(known.at(0, 5).goalBy, 1);
  assert.equal(known.at(3, 0), null);
  assert.equal(game.knowledge(0, 1).at(0, 3).by, -1, "earlier it had only read");
  assert.equal(game.knowledge(0, 1).at(0, 5), null);
  assert.equal(game.teamKnowledge("red", 3).at(0, 3).distance, 1);
  assert.equal(game.knowledge(2, 3).at(0, 3)?.distance ?? UNKNOWN, UNKNOWN);
});

test("an event has the field on which it happened", () => {
  const game = small([
    [10, "moved", 0, 0, 4, 2], [20, "discovered", 0, [null, 2, 1, null, 3, 2, null, 4, 3]], [30, "asked", 2, 0, false],
    [40, "moved", 0, 1, 4, 2], [50, "answered", 0, 2, says({})], [60, "appeared", -1, 3, 2, 0], [70, "over", -1, "stopped", 0, 0],
  ]);
  assert.deepEqual(game.fields, [field(0, 4), field(0, 4), field(0, 4), field(1, 4), field(2, 3), field(3, 2), -1]);
  assert.deepEqual([...game.otherFields], [[2, field(2, 3)], [4, field(1, 4)]]);
});

test("every moment is the same, from whichever side it is reached", () => {
  const messages = feed({ minutes: 12 });
  const game = new Game();
  for (const message of messages) game.add(message);
  assert.ok(game.events.length > 3 * 2048, "several remembered states are needed");
  const look = (world) => JSON.stringify([[...world.x], [...world.y], [...world.hand], [...world.pieces], [...world.covered.keys()], [...world.counts]]);
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
  const goals = `?*${100 * columns}`;
  const before = process.memoryUsage().arrayBuffers;
  game.add({ kind: "events", events: [
    [10, "moved", 1, 0, 1000, 1],
    [20, "answered", 0, 1, { distances: `-*${1000 * columns},1,7,-*${columns * 1000 - 2}`, red: goals, blue: `?*5,N*2,?*${100 * columns - 7}` }],
  ] });
  const { worth, counts, claims } = game.verdicts.get(1);
  assert.deepEqual([...claims.distances.fields], [1000 * columns, 1000 * columns + 1]);
  assert.deepEqual([...claims.distances.said], [1, 7]);
  assert.deepEqual([...claims.distances.worth].map((one) => VERDICTS[one]), ["honest", "mistaken"]);
  assert.deepEqual(claims.goals.map(({ fields }) => [...fields]), [[], [5, 6]]);
  assert.deepEqual([VERDICTS[worth], counts], ["mistaken", [3, 0, 1, 0]]);
  const taken = process.memoryUsage().arrayBuffers - before;
  assert.ok(taken < 300_000, `${taken} bytes`);
  assert.equal(game.knowledge(0, 2).at(1, 1000).distance, 7);
});

test("times are written as on a clock", () => {
  for (const [t, expected] of [[0, "0:00.0"], [59_999, "0:59.9"], [60_000, "1:00.0"], [100_300, "1:40.3"], [3_600_000, "1:00:00.0"]]) {
    assert.equal(clockText(t), expected);
  }
});
