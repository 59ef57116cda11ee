// Drawings by themselves, without a browser: what they draw is recorded.

import assert from "node:assert/strict";
import { test } from "node:test";

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
