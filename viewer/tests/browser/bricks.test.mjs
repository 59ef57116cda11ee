// Bricks in a browser: a replay that the real program has exported, opened from disk.

import assert from "node:assert/strict";
import { test } from "node:test";

import { exported, openFor, settled } from "./browser.mjs";
import { checkStarts, checkWidth, replayOf, withLongNames } from "./replay.mjs";
import { BrickLayers } from "../../page/games/bricks/model.js";

const NAMES = ["random", "random too"];

const replay = replayOf("bricks", "#bricks-board");
const { game, events } = replay;

const start = () => replay.feed.find(({ kind }) => kind === "start").picture;
const bricks = () => events().filter(([, kind]) => kind === "brick");

/** What the board shows in each cell, by its colour: `.` free, `#` filled, `0` and `1` the players' bricks. A large sign
 * is that of the last brick. */
const shown = (page) => page.evaluate(() => {
  const { board } = window.projectGame.room, { size, side, left, top } = board.measure();
  // Read from copies: a canvas that is read back again and again makes the browser complain.
  const context = (width, height) => {
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    return canvas.getContext("2d", { willReadFrequently: true });
  };
  const copy = (canvas) => {
    const copied = context(canvas.width, canvas.height);
    copied.drawImage(canvas, 0, 0);
    return copied;
  };
  const style = getComputedStyle(document.documentElement), probe = context(1, 1);
  const rgb = (name) => {
    probe.fillStyle = style.getPropertyValue(`--${name}`).trim();
    probe.fillRect(0, 0, 1, 1);
    return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
  };
  const colours = { [rgb("task")]: ".", [rgb("muted")]: "#", [rgb("red-soft")]: "0", [rgb("blue-soft")]: "1" };
  const last = { [rgb("red")]: "0", [rgb("blue")]: "1" };
  const ratio = board.canvas.width / board.canvas.clientWidth;
  // Beside the middle of the cell lie neither lines nor signs.
  const pixel = (drawn, column, row) => {
    const at = [left + (column + 0.3) * side, top + (row + 0.3) * side].map((one) => Math.round(one * ratio));
    return drawn.getImageData(...at, 1, 1).data;
  };
  const base = copy(board.canvas), lastOnly = copy(board.above);
  const cells = [], above = [];
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const below = pixel(base, column, row), over = pixel(lastOnly, column, row);
      cells.push(colours[[...below].slice(0, 3).join()] ?? "?");
      above.push(over[3] ? last[[...over].slice(0, 3).join()] ?? "?" : ".");
    }
  }
  return { cells: cells.join(""), last: above.join("") };
});

/** The same from the feed, after this number of bricks. */
function expected(count) {
  const { size, filled } = start();
  const cells = Array(size * size).fill("."), last = Array(size * size).fill(".");
  for (const [column, row] of filled) cells[row * size + column] = "#";
  bricks().slice(0, count).forEach(([, , player, { cells: both }], number) => both.forEach(([column, row]) => {
    cells[row * size + column] = String(player);
    if (number === count - 1) last[row * size + column] = String(player);
  }));
  return { cells: cells.join(""), last: last.join("") };
}

const seek = async (page, t) => {
  await page.locator("#scrub").fill(String(t));
  await settled(page);
};

const clock = (page) => page.locator("#clock").textContent();

test("a game opens from disk before its first move, with its names", async (t) => {
  const page = await game(t);
  assert.equal(await page.title(), "bricks.replay – Bricks");
  assert.deepEqual(await shown(page), expected(0));
  assert.equal(await clock(page), "move 0");
  assert.deepEqual(await page.locator(".duel-player .name").allTextContents(), NAMES);
  assert.match(await page.locator("#bricks-fits").textContent(), new RegExp(`^9 × 9, a torus, 500 ms a move. ${start().fits} bricks fit.$`));
  assert.ok(await page.locator("#tab-settings").isHidden() && await page.locator("#dots-board").count() === 0, "nothing of another game");
});

test("the board is that of the feed at every move, forwards and backwards", async (t) => {
  const page = await game(t);
  const count = bricks().length;
  assert.ok(bricks().some(([, , , { cells: [[x, y], [toX, toY]] }]) => Math.abs(x - toX) + Math.abs(y - toY) > 1), "a brick crosses the edge");
  for (let move = 1; move <= count; move++) {
    await seek(page, move * 1000);
    assert.deepEqual(await shown(page), expected(move), `move ${move}`);
    const score = await page.locator(".score .points").allTextContents();
    assert.deepEqual(score.map(Number), [Math.ceil(move / 2), Math.floor(move / 2)]);
  }
  for (const move of [count - 1, 7, 1, 0]) {
    await seek(page, move * 1000);
    assert.deepEqual(await shown(page), expected(move), `back at move ${move}`);
  }
});

test("keys step by 1, 10, 100, 1000 moves and to both ends", async (t) => {
  const page = await game(t);
  const last = `move ${bricks().length}`;
  await page.focus("#stage");
  for (const [key, there] of [
    ["ArrowRight", "move 1"], ["PageDown", "move 11"], ["PageDown", "move 21"], ["PageUp", "move 11"], ["ArrowLeft", "move 10"], ["Shift+PageDown", last],
    ["Shift+PageUp", "move 0"], ["]", last], ["[", "move 0"], ["End", last], ["Home", "move 0"], ["b", "move 1"],
  ]) {
    await page.keyboard.press(key);
    await settled(page);
    assert.equal(await clock(page), there, key);
  }
  assert.deepEqual(await shown(page), expected(1));
  await page.keyboard.press("?");
  assert.match(await page.locator("#help-keys").textContent(), /10 moves back, on; with Shift 100/);
});

test("on a page that is higher than the window Page Down scrolls, and on the board it steps", async (t) => {
  const page = await game(t, { viewport: { width: 1200, height: 600 } });
  await page.focus("#page-board");
  await page.keyboard.press("PageDown");
  await page.waitForFunction(() => document.getElementById("page-board").scrollTop > 50);
  assert.equal(await clock(page), "move 0");
  await page.focus("#stage");
  await page.keyboard.press("PageDown");
  await settled(page);
  assert.equal(await clock(page), "move 10");
});

test("the list has all events in words, and leads to their moments", async (t) => {
  const page = await game(t);
  const [, , player, { cells }] = events()[0];
  const brick = cells.map(([column, row]) => `${column}x${row}`).join("_");
  assert.match(await page.locator("#events .event:visible").first().textContent(), new RegExp(`${NAMES[player]} puts ${brick}$`));
  await page.selectOption("#filter", "end");
  await page.locator("#events .event:visible").first().click();
  await settled(page);
  const { winner } = events().at(-1)[3];
  assert.match(await page.locator("#bricks-told").textContent(), new RegExp(`${NAMES[winner]} wins, no brick fits$`));
  assert.equal(await clock(page), `move ${bricks().length}`);
});

test("players are shown with whose turn it is and the time of the last move", async (t) => {
  const page = await game(t);
  await seek(page, 3000);
  const [first, second] = bricks().slice(1, 3).map(([, , , , { ms }]) => ms);
  assert.deepEqual(await page.locator(".duel-player .doing").allTextContents(), [`took ${second - first} ms`, "to move"]);
});

test("the statistics count bricks and times of each player", async (t) => {
  const page = await game(t);
  await page.keyboard.press("3");
  const cells = await page.locator("#statistics tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  const moments = [0, ...bricks().map(([, , , , { ms }]) => ms)];
  const longest = (player) => Math.max(...bricks().map(([, , by], number) => (by === player ? moments[number + 1] - moments[number] : 0)));
  assert.deepEqual(cells.map(([name, count, , most]) => [name, count, most]), [0, 1].map((player) =>
    [NAMES[player], String(bricks().filter(([, , by]) => by === player).length), `${longest(player)} ms`]));
  assert.match(await page.locator(".result").textContent(), / wins$/);
});

test("the chart of bricks that fit leads to its moments", async (t) => {
  const page = await game(t);
  const box = await page.locator("#bricks-course").boundingBox();
  await page.mouse.click(box.x + box.width - 10, box.y + 30);
  await settled(page);
  assert.equal(await clock(page), `move ${bricks().length}`);
});

for (const colorScheme of ["light", "dark"]) {
  test(`on a phone nothing is wider than the screen: ${colorScheme}`, async (t) => {
    const page = await game(t, { viewport: { width: 390, height: 844 }, colorScheme, fragment: "#t=20000", feed: withLongNames(replay.feed) });
    await checkWidth(page);
    const board = await page.locator("#bricks-board").boundingBox();
    assert.ok(board.width > 200 && board.height > 150, JSON.stringify(board));
    assert.deepEqual(await shown(page), expected(20));
  });
}

test("a brick outside the board ends the game there", async (t) => {
  const { page } = await openFor(t, replay.browser);
  const broken = replay.feed.map((message) => (message.events ? { ...message, events: message.events.map((event, place) =>
    (place === 5 ? [...event.slice(0, 3), { cells: [[0, 0], [0, 9]] }, event[4]] : event)) } : message));
  await page.setContent(await exported(broken));
  await page.waitForSelector(".notice");
  assert.match(await page.locator(".notice").first().textContent(), /faulty at event 6/);
  assert.equal(await page.evaluate(() => window.projectGame.game.events.length), 5);
});

test("a start that makes no sense begins no game", () => checkStarts(replay.feed, BrickLayers, ["size", "filled", "bricks", "fits", "ms"]));
