// Parts of the shell by themselves, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Loop } from "../../page/shell/loop.js";

test("off the board a game under way is painted five times a second, however many messages come", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const frames = [];
  Object.assign(globalThis, {
    requestAnimationFrame: (paint) => frames.push(paint), document: { getElementById: () => ({ textContent: "" }) },
  });
  const loop = new Loop({
    tab: "statistics", ended: false, game: { start: {}, momentText: () => "0:00.0" }, time: { following: true, advance() {} },
    room: { writeScore() {} },
  });
  const paint = () => {
    const count = frames.length;
    for (const frame of frames.splice(0)) frame(0);
    return count;
  };
  for (let message = 0; message < 15; message++) {
    loop.invalidate();
    paint();
    t.mock.timers.tick(10);
  }
  let painted = 0;
  for (let passed = 0; passed < 1000; passed += 20) {
    t.mock.timers.tick(20);
    painted += paint();
  }
  assert.equal(painted, 5);
});
