// Dots & Boxes in a browser: a replay that the real program has exported, opened from disk.

import assert from "node:assert/strict";
import { test } from "node:test";

import { afterwards } from "./afterwards.mjs";
import { exported, exportedFile, openFor, openQuiet, settled } from "./browser.mjs";
import { checkStarts, checkWidth, replayOf, withLongNames, withStart } from "./replay.mjs";
import { Pictures } from "../../page/games/dots/model.js";

const replay = replayOf("dots", "#dots-board .dot");
const { game, events } = replay;

/** What the board shows: the owner of each box, and how many lines are drawn. */
const shown = (page) => page.evaluate(() => ({
  boxes: [...document.querySelectorAll("#dots-board .taken")].map((taken) => {
    if (taken.getAttribute("visibility") === "hidden") return ".";
    const box = taken.querySelector(".box").classList;
    const signs = [...taken.querySelectorAll(".owner")].filter((sign) => sign.getAttribute("visibility") !== "hidden");
    return signs.length === 1 && signs[0].classList.contains(box.contains("red") ? "red" : "blue") ? (box.contains("red") ? "0" : "1") : "?";
  }).join(""),
  lines: document.querySelectorAll("#dots-board .line:not(.last)").length,
  score: [0, 1].map((player) => Number(document.getElementById(`dots-points-${player}`).textContent)),
}));

/** The picture at the beginning. */
const beginning = () => replay.feed.find(({ kind }) => kind === "start").picture;

/** What the board shows behind each event: the lines and boxes since the beginning. */
function pictures() {
  const { columns, boxes } = beginning(), owners = [...boxes];
  let lines = 0;
  return events().map(([t, kind, player, about, { points }]) => {
    if (kind === "line" || kind === "box") lines++;
    if (kind === "box") for (const corner of about.boxes) owners[corner - Math.floor(corner / columns)] = String(player);
    return { t, boxes: owners.join(""), lines, score: points };
  });
}

const seek = async (page, t) => {
  await page.locator("#scrub").fill(String(t));
  await settled(page);
};

test("a game opens from disk at its first move, with its names", async (t) => {
  const page = await game(t);
  assert.equal(await page.title(), "dots.replay – Dots & Boxes");
  assert.deepEqual(await shown(page), { boxes: ".".repeat(20), lines: 0, score: [0, 0] });
  assert.equal(await page.locator("#clock").textContent(), "move 0");
  assert.deepEqual(await page.locator(".duel-player .name").allTextContents(), ["random", "random too"]);
  assert.ok(await page.locator("#tab-settings").isHidden() && await page.locator("#ground").count() === 0, "nothing of another game");
});

test("boxes, lines and score are those of the moves until then", async (t) => {
  const page = await game(t);
  for (const { t: at, ...picture } of pictures()) {
    await seek(page, at);
    // The end has the moment of the last line.
    assert.deepEqual(await shown(page), picture, `at ${at}`);
  }
  // And back: a picture owes nothing to later lines.
  await seek(page, 20000);
  const { t: at, ...picture } = pictures().findLast((one) => one.t <= 20000);
  assert.deepEqual(await shown(page), picture, `at ${at}`);
});

test("the last line has the colour of the player who drew it, and so have its boxes", async (t) => {
  const page = await game(t);
  const { columns } = beginning();
  const [at, , player, { edge: [from, to], boxes }] = events().find(([, kind, , about]) => kind === "box" && about.boxes.length === 2);
  await seek(page, at);
  const last = await page.evaluate(() => [...document.querySelectorAll("#dots-board .last")].map((line) => ({
    side: line.classList.contains("red") ? 0 : 1, ends: ["x1", "y1", "x2", "y2"].map((name) => Number(line.getAttribute(name))),
  })));
  const ends = [from, to].flatMap((dot) => [dot % columns, Math.floor(dot / columns)]);
  assert.deepEqual(last, [{ side: player, ends }]);
  assert.equal(await page.locator("#dots-board .box.now").count(), boxes.length);
  await seek(page, 0);
  assert.equal(await page.locator("#dots-board .last").count(), 0);
});

test("keys step from move to move, and jump to boxes", async (t) => {
  const page = await game(t);
  const clock = () => page.locator("#clock").textContent();
  await page.focus("#stage");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.equal(await clock(), "move 2");
  await page.keyboard.press("ArrowLeft");
  await settled(page);
  assert.equal(await clock(), "move 1");
  const boxes = events().filter(([, kind]) => kind === "box").map(([at]) => at / 1000);
  await page.keyboard.press("b");
  await page.keyboard.press("b");
  await settled(page);
  assert.equal(await clock(), `move ${boxes[1]}`);
  await page.keyboard.press("Shift+B");
  await settled(page);
  assert.equal(await clock(), `move ${boxes[0]}`);
  await page.keyboard.press("End");
  await settled(page);
  assert.equal(await clock(), `move ${events().at(-1)[0] / 1000}`);
  await page.keyboard.press("?");
  assert.match(await page.locator("#help-keys").textContent(), /next box, line, refusal/);
});

test("time runs a move a second, faster if asked for", async (t) => {
  const page = await game(t);
  await page.selectOption("#speed", "64");
  await page.click("#play");
  const last = events().at(-1)[0];
  await page.waitForFunction((end) => window.projectGame.time.t === end, last);
  assert.equal((await shown(page)).boxes, pictures().at(-1).boxes);
});

test("the list has all events in words, and leads to their moments", async (t) => {
  const page = await game(t);
  await page.selectOption("#filter", "all");
  const rows = page.locator("#events .event:visible");
  const { columns } = beginning(), [, , player, { edge: [from, to] }] = events()[0];
  const dot = (place) => `${Math.floor(place / columns) + 1}·${(place % columns) + 1}`;
  assert.match(await rows.first().textContent(), new RegExp(`${["random", "random too"][player]} draws ${dot(from)} – ${dot(to)}$`));
  await page.selectOption("#filter", "end");
  await page.locator("#events .event:visible").first().click();
  await settled(page);
  assert.match(await page.locator("#dots-told").textContent(), /wins \d+ : \d+, all lines are drawn/);
  assert.match(await page.locator("#announce").textContent(), /wins/);
});

test("a link names the move", async (t) => {
  const page = await game(t, { fragment: "#t=20000" });
  assert.equal(await page.locator("#clock").textContent(), "move 20");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => location.hash === "#t=21000");
});

test("the statistics count boxes and lines of each player", async (t) => {
  const page = await game(t);
  await page.keyboard.press("3");
  const cells = await page.locator("#statistics tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  const [, , , , { points }] = events().at(-1);
  const of = (kinds, player) => events().filter(([, kind, by]) => kinds.includes(kind) && by === player).length;
  assert.deepEqual(cells.map((row) => row.slice(0, 3)), [0, 1].map((player) =>
    [["random", "random too"][player], String(points[player]), String(of(["line", "box"], player))]));
  assert.match(await page.locator(".result").textContent(), / wins$/);
});

test("the chart of boxes leads to its moments", async (t) => {
  const page = await game(t);
  const box = await page.locator("#dots-course").boundingBox();
  await page.mouse.click(box.x + box.width - 10, box.y + 30);
  await settled(page);
  assert.equal(await page.locator("#clock").textContent(), `move ${events().at(-1)[0] / 1000}`);
});

for (const colorScheme of ["light", "dark"]) {
  test(`on a phone nothing is wider than the screen: ${colorScheme}`, async (t) => {
    const page = await game(t, { viewport: { width: 390, height: 844 }, colorScheme, fragment: "#t=41000", feed: withLongNames(replay.feed) });
    await checkWidth(page);
    const board = await page.locator("#dots-board").boundingBox();
    assert.ok(board.width > 200 && board.height > 150, JSON.stringify(board));
    const owner = await page.locator("#dots-board .owner.red:visible").first().evaluate((sign) => getComputedStyle(sign).fill);
    assert.notEqual(owner, "rgb(0, 0, 0)");
  });
}

test("an event that makes no sense ends the game there", async (t) => {
  const { page } = await openFor(t, replay.browser);
  const broken = replay.feed.map((message) => (message.events ? { ...message, events: message.events.map((event, place) => (place === 5 ? [event[0], "line", 0] : event)) } : message));
  await page.goto(replay.address);
  await page.setContent(await exported(broken));
  await page.waitForSelector(".notice");
  assert.match(await page.locator(".notice").first().textContent(), /faulty at event 6/);
  assert.equal(await page.evaluate(() => window.projectGame.game.events.length), 5);
});

test("a feed without a sound start is named as faulty", async (t) => {
  const file = await exportedFile(withStart(replay.feed, (start) => ({ ...start, picture: {} })));
  afterwards(t, () => file.remove());
  const page = await openQuiet(t, replay.browser);
  await page.goto(file.address);
  await page.waitForSelector(".notice");
  assert.match(await page.locator("#banner").textContent(), /The feed is faulty: its message `start` makes no sense/);
  assert.match(await page.locator("#waiting").textContent(), /There is no game in this file/);
});

test("the chart of a game that is shown from its middle has the numbers of its moves", async (t) => {
  const begun = events().findIndex(([at]) => at > 11_000), [t0, , , , picture] = events()[begun - 1];
  const feed = withStart(replay.feed, (start) => ({ ...start, t: t0, picture: { ...start.picture, ...picture } }))
    .filter(({ kind }) => kind !== "events");
  feed.splice(feed.findIndex(({ kind }) => kind === "start") + 1, 0, { kind: "events", events: events().slice(begun) });
  const page = await game(t, { feed });
  const { numbers, first } = await page.evaluate(() => {
    const { prototype } = CanvasRenderingContext2D, { fillText } = prototype, { room, time } = window.projectGame, texts = [];
    prototype.fillText = function (text, x, y) {
      if (this.canvas.id === "dots-course") texts.push([text, x, y]);
      return fillText.call(this, text, x, y);
    };
    room.resize();
    prototype.fillText = fillText;
    const lowest = Math.max(...texts.map(([, , y]) => y));
    const numbers = texts.filter(([, , y]) => y === lowest).map(([text, x]) => [Number(text), Math.round(room.course.tOf(x) / 1000)]);
    return { numbers, first: time.from / 1000 };
  });
  assert.ok(numbers.length > 3 && first === 11, JSON.stringify({ numbers, first }));
  for (const [number, move] of numbers) assert.equal(number, move);
});

test("a start that makes no sense begins no game", () => checkStarts(replay.feed, Pictures, ["rows", "columns", "across", "down", "boxes", "points"]));
