// Drawings by themselves, without a browser: what they draw is recorded.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ConveyorBoard } from "../../page/games/conveyor/board.js";
import { ConveyorMoments, KNOWN_MARKS } from "../../page/games/conveyor/model.js";
import { drawGantt } from "../../page/games/project/drawing/charts.js";
import { drawSigns } from "../../page/games/project/drawing/signs.js";
import { Game } from "../../page/games/project/model/game.js";
import { Sight } from "../../page/games/project/model/sight.js";
import { FIGURES } from "./generate.mjs";

/** A drawing context that keeps the calls of its methods, each with the colour that fills, in `calls`. */
function recorder() {
  const calls = [];
  return new Proxy({ calls }, {
    get: (target, name) => (name in target ? target[name] : (...values) => { calls.push({ name, values, fill: target.fillStyle }); }),
  });
}

/** A game on a board of 4×6 with two agents of red, who have the numbers 7 and 8 on the network. */
function small(events) {
  const game = new Game();
  game.add({
    kind: "start", seed: "1", board: { columns: 4, rows: 6, goalRows: 1 }, penalties: { move: 100 }, sham: 0, landing: true,
    pieces: 0, points: [0, 0], figures: FIGURES, goals: { red: [[3, 5]], blue: [[0, 0]] }, lying: [],
    agents: [0, 1].map((id) => ({ id, number: id + 7, team: "red", leader: id === 0, name: `agent ${id + 7}`, x: id, y: 3, holding: null })),
  });
  game.add({ kind: "events", events });
  return game;
}

test("an exchange with an agent whose place a view does not know has the number of this agent", () => {
  const game = small([[10, "answered", 0, 1, "", { verdict: "honest", claims: [0, 0, 0, 0] }]]), ctx = recorder();
  const view = { paint: {}, camera: { scale: 20 }, board: { columns: 4 }, toStage: (x, y) => [20 * x, 120 - 20 * y] };
  drawSigns(view, ctx, { game, world: game.at(10), t: 10, speed: 1, motion: false, sight: new Sight(game, "agent", 0) });
  const texts = ctx.calls.filter(({ name }) => name === "fillText").map(({ values }) => values[0]);
  assert.equal(texts.at(-1), "8");
});

/** A game of Conveyor in which the first player goes up and down this many times, and is refused at the upper edge each
 * time. */
function shuttle(times) {
  const game = new ConveyorMoments(), agents = [0, 1].map((id) => ({ id, team: id, name: null }));
  const picture = { columns: 3, rows: 2, homes: [null, null], hints: [[[1, 2], [null, null]]], conveyors: [], places: [[1, 1], [3, 1]], heading: null };
  game.add({ kind: "start", seed: "1", turns: true, agents, picture });
  const events = [];
  const add = (kind, about, row) => events.push([1000 * (events.length + 1), kind, 0, about, { places: [[1, row], [3, 1]], heading: null }]);
  for (let time = 0; time < times; time++) {
    add("hint", { asked: ["step", "up"], hint: "right" }, 2);
    add("refusal", { asked: ["step", "up"], why: "off-board" }, 2);
    add("done", { asked: ["step", "down"] }, 1);
  }
  game.add({ kind: "events", events });
  return game;
}

/** Draws what the first player knows; the number of elements of each class. */
function drawKnown(game, t) {
  const element = () => ({ children: [], attributes: {}, setAttribute(name, value) { this.attributes[name] = String(value); }, append(...more) { this.children.push(...more); } });
  const svg = { ...element(), replaceChildren() { this.children = []; } };
  globalThis.document = { createElementNS: element };
  new ConveyorBoard(svg).draw(game, t, 0);
  const counts = {};
  for (const { attributes } of svg.children) counts[attributes["class"]] = (counts[attributes["class"]] ?? 0) + 1;
  return { box: svg.attributes.viewBox, ...counts };
}

test("of a long game of Conveyor the last steps of a player are drawn, and its requests are counted", () => {
  const game = shuttle(70_000), count = game.events.length;
  assert.deepEqual([game.requests(0, count), game.requests(0, 7), game.requests(1, count)], [count, 7, 0]);
  const { box, ...drawn } = drawKnown(game, game.duration);
  assert.equal(box, "0 0 2 3", "two fields, one above the other");
  assert.equal(drawn.field, 2);
  assert.ok(drawn["trail red"] + drawn.wall < KNOWN_MARKS && drawn["trail red"] > KNOWN_MARKS / 2, JSON.stringify(drawn));
  assert.ok(game.known(0, count).isCut);
  assert.deepEqual(drawKnown(game, 6000), { box: "0 0 2 3", "field": 2, "wall": 2, "way red": 2, "trail red": 4, "begin": 1, "player red": 1 });
  assert.equal(game.known(0, 6).isCut, false);
});

test("the line of an agent that has left ends there, and so does its lock", () => {
  const game = small([
    [1000, "moved", 0, 0, 4, null, { lock: 3000 }], [1000, "moved", 1, 1, 4, null, { lock: 9000 }], [2000, "left", 1, { gone: true }],
    [10_000, "over", -1, "stopped", 0, 0, {}],
  ]);
  assert.deepEqual(game.stretches.map(({ from, to }) => [from, to]), [[[1000], [3000]], [[1000], [2000]]]);
  const ctx = recorder();
  globalThis.window = { devicePixelRatio: 1 };
  // The picture of the stretches needs a document; a canvas without a width has none.
  const canvas = { clientWidth: 554, get width() { return 0; }, set width(_) {}, height: 30, style: {}, getContext: () => ctx };
  const { xOf } = drawGantt(canvas, { waiting: "waiting" }, game, 0, 10_000, new Sight(game, "truth", -1));
  const lines = ctx.calls.filter(({ name, fill }) => name === "fillRect" && fill === "waiting").map(({ values: [left, , width] }) => [left, left + width]);
  assert.deepEqual(lines, [[xOf(0), xOf(10_000)], [xOf(0), xOf(2000)]]);
});
