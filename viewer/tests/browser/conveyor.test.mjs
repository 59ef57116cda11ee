// Conveyor in a browser: a replay that the real program has exported, and a live game at the real controller.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";

import { afterwards } from "./afterwards.mjs";
import { LONGEST_TEST_MS, pageAt, settled } from "./browser.mjs";
import { newFolder, start } from "./programs.mjs";
import { checkStarts, checkWidth, replayOf, withLongNames } from "./replay.mjs";
import { ConveyorMoments } from "../../page/games/conveyor/model.js";

const replay = replayOf("conveyor", "#conveyor-board .player");
const { game, events } = replay;

const picture = () => replay.feed.find(({ kind }) => kind === "start").picture;

/** What the board shows, counted in the page's own units: places of players, homes and hints, and how much is drawn. */
const shown = (page) => page.evaluate(() => {
  const { rows } = window.projectGame.game.start.picture, svg = document.getElementById("conveyor-board");
  const number = (element, name) => Number(element.getAttribute(name));
  const place = (x, y) => [Math.round(x + 0.5), Math.round(rows - y + 0.5)];
  const square = svg.querySelector(".player.red"), disc = svg.querySelector(".player.blue");
  return {
    places: [place(number(square, "x") + 0.24, number(square, "y") + 0.24), place(number(disc, "cx"), number(disc, "cy"))],
    homes: [...svg.querySelectorAll(".home rect")].map((home) => place(number(home, "x") + 0.46, number(home, "y") + 0.46)),
    hints: svg.querySelectorAll(".hint").length, arrows: svg.querySelectorAll("path.way").length, starts: svg.querySelectorAll(".start").length,
    belts: svg.querySelectorAll(".belt").length, trails: [svg.querySelectorAll(".trail.red").length > 0, svg.querySelectorAll(".trail.blue").length > 0],
    heading: svg.querySelector(".heading") !== null,
  };
});

const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
  await settled(page);
};

const clock = (page) => page.locator("#clock").textContent();

test("a replay is stepped through both ways, and shows where everybody is", async (t) => {
  const page = await game(t);
  assert.equal(await page.title(), "conveyor.replay – Conveyor");
  await page.focus("#stage");
  const { homes, hints, conveyors, places } = picture();
  const all = { homes, hints: hints.length, arrows: 2 * hints.length, starts: conveyors.length, belts: conveyors.length, heading: true };
  const check = async (at, expected) => {
    const { places: there, trails, ...rest } = await shown(page);
    assert.deepEqual([rest, there], [all, expected], `move ${at}`);
  };
  await check(0, places);
  // What the feed says behind the last event of each move.
  const behind = new Map(events().map(([at, , , , moment]) => [at / 1000, moment.places]));
  const moves = [...behind.keys()];
  for (const move of moves) {
    await press(page, "ArrowRight");
    assert.equal(await clock(page), `move ${move}`);
    await check(move, behind.get(move));
  }
  assert.deepEqual((await shown(page)).trails, [true, true]);
  for (const move of moves.slice(0, -1).reverse()) {
    await press(page, "ArrowLeft");
    await check(move, behind.get(move));
  }
  await press(page, "Home");
  await check(0, places);
  await press(page, "End");
  assert.match(await page.locator("#conveyor-told").textContent(), /wins, a player came home$/);
});

test("keys lead to hints, rides and refusals", async (t) => {
  const page = await game(t);
  await page.focus("#stage");
  for (const [key, kind] of [["h", "hint"], ["d", "carried"], ["r", "refusal"]]) {
    const [first, second] = events().filter((event) => event[1] === kind).map(([at]) => at / 1000);
    await press(page, "Home", key, key);
    assert.equal(await clock(page), `move ${second}`);
    await press(page, `Shift+${key.toUpperCase()}`);
    assert.equal(await clock(page), `move ${first}`);
  }
});

test("what one player knows has neither homes nor conveyors, and its list has its own answers", async (t) => {
  const page = await game(t);
  await page.focus("#stage");
  await press(page, "End", "v");
  assert.equal(await page.locator("#conveyor-view").inputValue(), "0");
  assert.equal(await page.locator("#conveyor-board :is(.home, .hint, .start, .belt, .player.blue)").count(), 0);
  const heard = events().filter(([, kind, who]) => who === 0 && ["done", "hint", "refusal"].includes(kind));
  const hints = heard.filter(([, kind]) => kind === "hint").length;
  assert.equal(await page.locator("#conveyor-board .way.red").count(), hints);
  await page.selectOption("#filter", "all");
  await settled(page);
  assert.deepEqual(await page.evaluate(() => window.projectGame.list.shown.length), heard.length + 1, "its answers, and the end");
  // A step stops only at what this player hears.
  await press(page, "Home", "ArrowRight", "ArrowRight");
  assert.equal(await clock(page), `move ${heard[1][0] / 1000}`);
  // Each step is announced by the last thing that this player hears at its moment.
  await press(page, "Home");
  for (const moment of new Set(heard.map(([at]) => at))) {
    await press(page, "ArrowRight");
    const last = events().findLastIndex((event) => event[0] === moment && (event[1] === "end" || heard.includes(event)));
    assert.equal((await page.locator("#announce").textContent()).trim(), await page.evaluate((index) => window.projectGame.room.text(index), last));
  }
  await press(page, "v", "v");
  assert.equal(await page.locator("#conveyor-board .home").count(), 2);
});

test("the statistics count what each player has asked for", async (t) => {
  const page = await game(t);
  await page.keyboard.press("3");
  const cells = await page.locator("#statistics tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  const of = (player, ...kinds) => String(events().filter(([, kind, who]) => who === player && kinds.includes(kind)).length);
  assert.deepEqual(cells, [0, 1].map((player) => [["hints", "random"][player], of(player, "done", "hint", "refusal"), of(player, "refusal"), of(player, "hint"), of(player, "carried")]));
});

test("on a phone nothing is wider than the screen, whatever the names are", async (t) => {
  const page = await game(t, { viewport: { width: 390, height: 844 }, feed: withLongNames(replay.feed) });
  await checkWidth(page);
  await page.selectOption("#conveyor-view", "1");
  await checkWidth(page);
});

/** A player of the controller whose every request the test decides. */
async function player(t, port, hello) {
  const socket = connect(port, "127.0.0.1"), lines = [], waiting = [];
  afterwards(t, () => socket.destroy());
  createInterface({ input: socket }).on("line", (line) => {
    if (waiting.length) waiting.shift()(line);
    else lines.push(line);
  });
  const hear = () => (lines.length ? Promise.resolve(lines.shift()) : new Promise((resolve) => waiting.push(resolve)));
  const ask = (line) => {
    socket.write(`${line}\r\n`);
    return hear();
  };
  await ask(hello);
  return { ask, hear };
}

test("a live game at the controller shows what the board tells, and ends with the winner", { timeout: LONGEST_TEST_MS }, async (t) => {
  const folder = await newFolder(t, "conveyor"), recorded = join(folder, "game.replay");
  const controller = start(t, "reference-gm", "conveyor", "controller", "--board-port", "0", "--player-port", "0", "--alone", "--page", "127.0.0.1:0");
  const [, address] = await controller.says(/the page is at (\S+)/);
  const [, boards, players] = await controller.says(/boards on \S+:(\d+), players on \S+:(\d+)/);
  const page = await pageAt(t, replay.browser, address);
  await page.waitForSelector("#tab-matches:not([hidden])");
  assert.equal(await page.locator("#play-form").isVisible(), false, "nobody can play on this page");
  const board = start(t, "reference-gm", "conveyor", "board", "--connect", `127.0.0.1:${boards}`, "--seed", "5", "--replay", recorded);
  await page.waitForSelector("#conveyor-board .player");
  const known = () => page.evaluate(() => window.projectGame.game.start.picture);
  const { hints, conveyors, homes, heading } = await known();
  assert.deepEqual([hints.length, conveyors.length, heading], [9, 4, null]);
  assert.ok(homes.every((home) => home.length === 2));
  // The board keeps the directions of hints and the ends of conveyors to itself.
  assert.ok(hints.every(([, ways]) => ways.every((way) => way === null)) && conveyors.every(([, end]) => end === null));
  let now = await shown(page);
  assert.deepEqual([now.hints, now.arrows, now.starts, now.belts, now.heading], [9, 0, 4, 0, false]);
  assert.equal(await page.locator(".duel-player .name").allTextContents().then((names) => names.join()), "KITTEH,SUPERCAT");
  // Step by step: each answer is on the page before the next request.
  const kitteh = await player(t, players, "HAI KITTEH");
  assert.equal(await kitteh.hear(), "SIZE 12,9");
  const events = (count) => page.waitForFunction((wanted) => window.projectGame.game.events.length >= wanted, count);
  const count = () => page.evaluate(() => window.projectGame.game.events.length);
  let answers = 0;
  for (const way of ["UP", "LEFT", "DOWN", "RIGHT", "RIGHT"]) {
    const before = await count();
    const answer = await kitteh.ask(`KITTEH WANT MOVE ${way}`);
    await events(before + (answer === "NOWAI" ? 1 : 2));
    await settled(page);
    const places = await page.evaluate(() => window.projectGame.game.events.at(-1)[4].places);
    assert.deepEqual((await shown(page)).places, places, `${way}: ${answer}`);
    answers++;
  }
  assert.equal(await page.locator("#conveyor-count-0").textContent(), String(answers));
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/conveyor-live.png` });
  // A strategy joins as the other player, and comes home.
  const cat = start(t, "bots", "join", `127.0.0.1:${players}`, "--game", "conveyor", "--strategy", "hints", "--name", "supercat");
  assert.equal(await cat.ended, 0);
  assert.equal(await board.ended, 0);
  await controller.says(/^SUPERCAT has won/);
  await page.waitForFunction(() => window.projectGame.game.isOver);
  await page.focus("#stage");
  await press(page, "End");
  assert.match(await page.locator("#conveyor-told").textContent(), /SUPERCAT wins, a player came home$/);
  // The page and the board's replay tell the same.
  const feed = join(folder, "game.json");
  assert.equal(await start(t, "reference-gm", "export", recorded, "--feed", feed, "--html", join(folder, "game.html")).ended, 0);
  const whole = JSON.parse(await readFile(feed, "utf8")), truth = whole.find(({ kind }) => kind === "start").picture;
  const answersOf = (list) => list.filter(([, kind]) => ["done", "hint", "refusal"].includes(kind)).map(([, kind, who, about]) => [kind, who, about]);
  const live = await page.evaluate(() => window.projectGame.game.events);
  assert.deepEqual(answersOf(live), answersOf(whole.flatMap((message) => message.events ?? [])));
  assert.deepEqual(truth.homes, homes);
  const fields = await page.evaluate(() => window.projectGame.game.fields(window.projectGame.game.events.length));
  const ways = new Map(truth.hints.map(([place, known]) => [String(place), known])), ends = new Map(truth.conveyors.map(([from, to]) => [String(from), to]));
  let learned = 0;
  for (const [place, shownWays] of fields.hints) {
    shownWays.forEach((way, side) => { if (way !== null) assert.equal(way, ways.get(String(place))[side], `the hint at ${place}`); });
    learned += shownWays.filter(Boolean).length;
  }
  for (const [from, to] of fields.conveyors) if (to) assert.deepEqual(to, ends.get(String(from)));
  assert.ok(learned > 0, "hints are known where players were");
  now = await shown(page);
  assert.equal(now.arrows, learned);
  // There is no replay of what a controller knows, and no seed.
  await page.keyboard.press("3");
  await page.waitForSelector("#save-statistics");
  assert.equal(await page.locator("#save-replay").count(), 0);
  assert.match(await page.locator("#statistics .note").first().textContent(), /^a player came home · \d+ moves$/);
  controller.child.kill("SIGTERM");
  page.removeAllListeners("console"); // The controller ends, and the browser says so.
  assert.equal(await controller.ended, 0);
});

test("a start that makes no sense begins no game", () => checkStarts(replay.feed, ConveyorMoments, ["columns", "rows", "homes", "hints", "conveyors", "places"]));
