// How quick the page is. Times depend on the machine, so they are printed; what is asserted is the result.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { afterwards } from "./afterwards.mjs";
import { exportedFile, launch, openQuiet, settled } from "./browser.mjs";
import { feed } from "./generate.mjs";

const HOUR = { agents: 40, minutes: 60, columns: 40, rows: 40, goalRows: 5, goals: 150, pieces: 40, liars: 8 };
const PENALTIES = { move: 300, discover: 300, "pick-up": 0, put: 300, check: 300, destroy: 300, ask: 300, answer: 300 };

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

async function replay(t, options) {
  const messages = feed(options);
  const file = await exportedFile(messages);
  afterwards(t, () => file.remove());
  const page = await openQuiet(t, browser);
  const opened = performance.now();
  await page.goto(file.address);
  await settled(page);
  const took = performance.now() - opened;
  return { page, took, events: messages.flatMap((message) => message.events ?? []) };
}

const milliseconds = (times) => {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))].toFixed(1);
  return `median ${at(0.5)} ms, 95 % within ${at(0.95)} ms, longest ${at(1)} ms`;
};

test("any moment of an hour with 40 agents is found", async (t) => {
  const { page, took, events } = await replay(t, HOUR);
  const measured = await page.evaluate(async () => {
    const app = window.projectGame;
    const times = { plain: [], belief: [], team: [] }, seen = [];
    for (const [kind, set] of [
      ["plain", () => {}], ["belief", () => { app.room.select(3); app.room.toggleBelief(); }],
      ["team", () => { app.room.toggleBelief(); app.room.setView("red"); }],
    ]) {
      set();
      for (let place = 0; place < 30; place++) {
        const t = ((place * 7919) % 3600) * 1000;
        const start = performance.now();
        app.time.seek(t);
        cancelAnimationFrame(app.loop.frame);
        app.loop.tick(performance.now());
        times[kind].push(performance.now() - start);
        seen.push([t, app.room.scene.world.x[5], app.room.scene.world.y[5]]);
      }
    }
    return { times, seen, events: app.game.events.length };
  });
  for (const [at, x, y] of measured.seen) {
    const last = events.findLast(([when, word, agent]) => when <= at && word === "moved" && agent === 5);
    if (last) assert.deepEqual([x, y], [last[3], last[4]], `agent 5 at ${at}`);
  }
  t.diagnostic(`${measured.events} events; opened in ${took.toFixed(0)} ms`);
  for (const [kind, times] of Object.entries(measured.times)) t.diagnostic(`seek and paint (${kind}): ${milliseconds(times)}`);
});

async function frames(t, page, what, during) {
  await page.evaluate(() => { window.projectGame.loop.frameTimes.length = 0; });
  await during();
  const times = await page.evaluate(() => window.projectGame.loop.frameTimes);
  assert.ok(times.length > 10, `${times.length} frames`);
  t.diagnostic(`frames (${what}): ${times.length}, ${milliseconds(times)}`);
}

test("40 agents at 100 actions a second", async (t) => {
  const { page, events } = await replay(t, { ...HOUR, minutes: 1, penalties: PENALTIES });
  const actions = events.filter((event) => event.at(-1).lock !== undefined).length;
  t.diagnostic(`${(actions / 60).toFixed(0)} actions a second`);
  await page.click("#play");
  await frames(t, page, "play", () => page.waitForTimeout(4000));
  await page.keyboard.press("]");
  await page.keyboard.press("b");
  await frames(t, page, "play with beliefs", () => page.waitForTimeout(3000));
  assert.ok(await page.evaluate(() => window.projectGame.time.t) > 3000);
});

test("200 agents on 1000×1000 can be zoomed and moved", async (t) => {
  const { page } = await replay(t, {
    ...HOUR, agents: 200, minutes: 0.5, columns: 1000, rows: 1000, goalRows: 50, goals: 500, pieces: 2000,
  });
  await page.click("#play");
  await frames(t, page, "whole board", () => page.waitForTimeout(2000));
  await page.hover("#stage");
  await frames(t, page, "zoom and pan", async () => {
    for (let turn = 0; turn < 12; turn++) {
      await page.mouse.wheel(0, -300);
      await page.waitForTimeout(60);
    }
    await page.mouse.down();
    for (let step = 0; step < 30; step++) await page.mouse.move(700 - step * 8, 300 + step * 2);
    await page.mouse.up();
  });
  assert.ok(await page.locator("#minimap").isVisible());
  const before = await page.evaluate(() => window.projectGame.room.board.camera.x);
  await page.locator("#minimap").click({ position: { x: 10, y: 10 } });
  assert.ok(await page.evaluate(() => window.projectGame.room.board.camera.x) < before);
});
