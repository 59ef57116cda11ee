// A replay in a file that was exported, opened from disk.

import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { afterwards } from "./afterwards.mjs";
import { exported, exportedFile, fileOf, launch, openQuiet, settled } from "./browser.mjs";
import { feed, FIGURES } from "./generate.mjs";
import { PROJECT_JUMPS, PROJECT_KEYS } from "../../page/games/project/keys.js";
import { keysOf } from "../../page/shell/keys.js";

const FEED = feed();
const EVENTS = FEED.filter((message) => message.kind === "events").flatMap((message) => message.events);

let browser, file;
before(async () => {
  browser = await launch();
  file = await exportedFile(FEED);
});
after(async () => {
  await browser?.close();
  await file?.remove();
});

/** Opens the file at a moment, or one of another feed; after the test the console must have been silent. */
async function replay(t, fragment = "", options = {}, messages = null) {
  const other = messages && await exportedFile(messages);
  if (other) afterwards(t, () => other.remove());
  const page = await openQuiet(t, browser, options);
  await page.goto(`${(other ?? file).address}${fragment}`);
  await settled(page);
  return page;
}

/** Pixels of a canvas that have a colour of the style sheet, within this part of it (in CSS pixels). */
const coloured = (page, canvas, colour, part = {}) => page.evaluate(([id, name, part]) => {
  const wanted = window.projectGame.room.board.paint[name].match(/[0-9a-f]{2}/g).map((channel) => parseInt(channel, 16));
  const canvas = document.getElementById(id), ratio = canvas.width / canvas.clientWidth;
  const { left = 0, top = 0, width = canvas.clientWidth, height = canvas.clientHeight } = part;
  // A copy is read, as reading slows the canvas itself down.
  const copy = new OffscreenCanvas(Math.round(width * ratio), Math.round(height * ratio));
  const ctx = copy.getContext("2d", { willReadFrequently: true });
  ctx.drawImage(canvas, -left * ratio, -top * ratio);
  const { data } = ctx.getImageData(0, 0, copy.width, copy.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] > 200 && wanted.every((value, channel) => Math.abs(data[at + channel] - value) < 12)) count++;
  }
  return count;
}, [canvas, colour, part]);

/** What is written on a canvas of the board, and where its middle or left edge is. */
const written = (page, canvas) => page.evaluate((id) => {
  const { prototype } = CanvasRenderingContext2D, { fillText } = prototype, { board, scene } = window.projectGame.room;
  const texts = [];
  prototype.fillText = function (text, x, y) {
    if (this.canvas.id === id) texts.push({ text, x, y });
    return fillText.call(this, text, x, y);
  };
  board.groundKey = "";
  board.draw(scene);
  prototype.fillText = fillText;
  return texts;
}, canvas);

const moment = (page) => page.evaluate(() => window.projectGame.time.t);
/** What an element says once the page has painted what it was told to. */
const text = async (page, selector) => {
  await settled(page);
  return page.locator(selector).innerText();
};

test("a file opened from disk waits at the start, and plays", async (t) => {
  const page = await replay(t);
  assert.equal(await moment(page), 0);
  assert.equal(await page.title(), "invented.replay – The Project Game");
  await page.selectOption("#speed", "16");
  await page.click("#play");
  await page.waitForFunction(() => window.projectGame.time.t > 5000);
  await page.click("#play");
  const stopped = await moment(page);
  await page.waitForTimeout(100);
  assert.equal(await moment(page), stopped, "a pause stops the time");
  assert.equal(await page.locator("#tab-settings").isVisible(), false, "a replay has nothing to set");
  assert.equal(await page.locator("#stop").isVisible(), false);
});

test("the slider leads to any moment, and the state is that of the events", async (t) => {
  const page = await replay(t);
  for (const at of [200_000, 3_000, 120_000]) {
    await page.locator("#scrub").fill(String(at));
    await settled(page);
    assert.equal(await moment(page), at);
    const expected = new Map();
    for (const [when, word, agent, x, y] of EVENTS) if (when <= at && word === "moved") expected.set(agent, [x, y]);
    const shown = await page.evaluate(() => {
      const { x, y } = window.projectGame.room.scene.world;
      return [...x].map((column, agent) => [column, y[agent]]);
    });
    for (const [agent, field] of expected) assert.deepEqual(shown[agent], field, `agent ${agent} at ${at}`);
  }
});

test("steps go from event to event, and back", async (t) => {
  const page = await replay(t);
  const moments = [...new Set(EVENTS.filter(([, word]) => word !== "note").map(([when]) => when))];
  await page.click("#step-forward");
  await page.click("#step-forward");
  await page.click("#step-forward");
  assert.equal(await moment(page), moments[2]);
  await page.click("#step-back");
  assert.equal(await moment(page), moments[1]);
});

test("an event of the list leads to its moment", async (t) => {
  const page = await replay(t);
  await page.selectOption("#filter", "goal");
  const goals = EVENTS.filter(([, word, , result]) => word === "put" && result === "on-goal");
  const row = page.locator("#events .event:visible").first();
  assert.match(await row.innerText(), /covers a goal/);
  assert.deepEqual([await row.getAttribute("aria-posinset"), await row.getAttribute("aria-setsize")], ["1", String(goals.length)]);
  await row.click();
  assert.equal(await moment(page), goals[0][0]);
  await settled(page);
  assert.equal(await text(page, "#points-red") + await text(page, "#points-blue"), "10");
});

for (const colorScheme of ["light", "dark"]) {
  test(`the event that arrow keys have chosen is seen: ${colorScheme}`, async (t) => {
    const page = await replay(t, "", { colorScheme });
    await page.selectOption("#filter", "all");
    await page.focus("#filter");
    await page.keyboard.press("Tab");
    const outlined = () => page.locator("#events .event:visible").evaluateAll((rows) =>
      rows.filter((row) => getComputedStyle(row).outlineStyle === "solid").map(({ id }) => id));
    for (const place of [0, 1, 2]) {
      await page.keyboard.press("ArrowDown");
      assert.deepEqual(await outlined(), [`event-${place}`]);
      assert.equal(await page.getAttribute("#events", "aria-activedescendant"), `event-${place}`);
    }
  });
}

test("the keys do what the help says", async (t) => {
  const page = await replay(t);
  const first = (word, also = () => true) => EVENTS.find((event) => event[1] === word && also(event))[0];
  await page.keyboard.press("g");
  assert.equal(await moment(page), first("put", (event) => event[3] === "on-goal"));
  await page.keyboard.press("Home");
  assert.equal(await moment(page), 0);
  await page.keyboard.press("r");
  assert.equal(await moment(page), first("refused"));
  await page.keyboard.press("Home");
  await page.keyboard.press("p");
  await page.keyboard.press("e");
  const taken = EVENTS.filter(([, word]) => word === "picked-up" || word === "landed");
  assert.equal(await moment(page), taken[1][0], "E repeats the kind that P has chosen");
  await page.keyboard.press("Shift+P");
  assert.equal(await moment(page), taken[0][0]);
  await page.keyboard.press("l");
  const lie = await moment(page);
  assert.ok(EVENTS.some(([when, word, , by]) => when === lie && word === "answered" && by >= 6), "agents 6 and 7 lie");
  await page.keyboard.press("End");
  assert.equal(await moment(page), EVENTS.at(-1)[0]);
  await page.keyboard.press("Shift+ArrowLeft");
  assert.equal(await moment(page), EVENTS.at(-1)[0] - 5000);
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.inputValue("#speed"), "2");
  await page.keyboard.press("n");
  assert.ok(await page.isChecked("#skip"));
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  assert.match(await text(page, "#agent-panel h2"), /^agent 1/);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#agent-panel").isVisible(), false);
  await page.keyboard.press("v");
  assert.equal(await page.inputValue("#view"), "red");
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help-dialog").isVisible());
  assert.match(await text(page, "#help-keys"), /next goal, pick-up, exchange, lie, refusal/);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#help-dialog").isVisible(), false);
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.projectGame.time.t > 0);
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => window.projectGame.time.playing), false);
});

test("a viewer who jumps to a lie or an exchange sees it", async (t) => {
  const page = await replay(t);
  await page.keyboard.press("l");
  await settled(page);
  const when = await moment(page);
  const shown = await coloured(page, "actors", "lie");
  assert.ok(shown > 200, `${shown} pixels of an arc`);
  await page.keyboard.press("Home");
  await settled(page);
  assert.equal(await coloured(page, "actors", "lie"), 0);
  await page.waitForFunction(() => location.hash === "#t=0");
  await page.evaluate((when) => { location.hash = `#t=${when}`; }, when);
  await page.waitForFunction((when) => window.projectGame.time.t === when, when);
  await settled(page);
  assert.equal(await coloured(page, "actors", "lie"), shown, "a link shows the same");
  const [moved] = EVENTS.find(([, word]) => word === "moved");
  await page.locator("#scrub").fill(String(moved));
  await settled(page);
  assert.equal(await page.evaluate(() => window.projectGame.room.scene.motion), false, "agents stand where they are");
});

test("signs are where it happened, and inside the stage", async (t) => {
  const agents = FEED[2].agents.map((agent) => (agent.id ? agent : { ...agent, x: 4, y: 19, holding: "sham" }));
  const page = await replay(t, "#t=1000", {}, [FEED[0], { ...FEED[2], agents }, { kind: "events", events: [
    [1000, "put", 0, "was-sham", { hand: 0 }], [1020, "moved", 0, 5, 19, null, {}], [1040, "moved", 0, 6, 19, null, {}],
    [1060, "moved", 0, 7, 19, null, {}], [1080, "moved", 0, 8, 19, null, {}], [9000, "over", -1, "stopped", 0, 0, {}],
  ] }]);
  const around = (x, y) => page.evaluate(([x, y]) => {
    const { board } = window.projectGame.room, [left, top] = board.toStage(x, y + 1);
    return { left, top: top - 8, width: board.camera.scale, height: board.camera.scale + 8 };
  }, [x, y]);
  const edge = { height: 2 };
  assert.ok(await coloured(page, "actors", "muted", await around(4, 19)) > 10, "what is said of the piece");
  assert.equal(await coloured(page, "actors", "muted", edge), 0, "the words are not cut off");
  await page.locator("#scrub").fill("1100");
  await settled(page);
  assert.ok(await coloured(page, "actors", "muted", await around(4, 19)) > 10, "the words stay");
  assert.equal(await coloured(page, "actors", "muted", await around(8, 19)), 0, "while the agent goes on");
});

test("the book names every key, and what it does", async () => {
  const keysOfPage = keysOf({ jumps: PROJECT_JUMPS, keys: PROJECT_KEYS });
  const book = await readFile(new URL("../../../book/src/watching.md", import.meta.url), "utf8");
  const rows = [...book.slice(book.indexOf("| keys | what they do |")).matchAll(/^\| (.*) \| (.*) \|$/gm)].slice(1);
  assert.deepEqual(rows.map(([, shown, words]) => [shown, words]), keysOfPage.map(({ shown, words }) => [shown, words]));
  for (const { shown, keys } of keysOfPage) {
    assert.ok(shown.split(" ").length <= Object.keys(keys).length, `each of ${shown} does something`);
  }
});

test("no key of a game has two meanings", async () => {
  const games = new URL("../../page/games/", import.meta.url);
  for (const game of await readdir(games)) {
    const [room] = Object.values(await import(new URL(`${game}/room.js`, games))).filter(({ jumps }) => jumps);
    const letters = keysOf(room).flatMap(({ keys }) => Object.keys(keys));
    assert.deepEqual(letters.filter((letter, at) => letters.indexOf(letter) < at), [], game);
  }
});

test("keys belong to what has the focus", async (t) => {
  const page = await replay(t);
  await page.focus("#speed");
  await page.keyboard.press("3");
  assert.ok(await page.locator("#page-board").isVisible(), "a digit chooses in the list");
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme ?? "");
  await page.keyboard.press("t");
  assert.equal(await theme(), "");
  await page.focus("#stage");
  await page.keyboard.press("t");
  assert.notEqual(await theme(), "");
});

test("agents are chosen on keyboards without brackets as well", async (t) => {
  const page = await replay(t);
  const chosen = () => page.evaluate(() => window.projectGame.room.selected);
  const press = (key, modifiers) => page.evaluate(([key, modifiers]) =>
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...modifiers })), [key, modifiers]);
  await press("]", { ctrlKey: true, altKey: true, modifierAltGraph: true });
  assert.equal(await chosen(), 0);
  await press("]", { ctrlKey: true });
  assert.equal(await chosen(), 0, "that is the browser's");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("h");
  assert.equal(await chosen(), 1);
});

test("what keys do is told to everybody", async (t) => {
  const page = await replay(t);
  const said = () => page.locator("#announce").textContent();
  await page.keyboard.press("ArrowRight");
  assert.match(await said(), /^0:00\.\d agent \d (moves|discovers|picks|puts|checks|asks|may not)/);
  await page.keyboard.press("Shift+ArrowRight");
  assert.match(await said(), /^0:05\.\d$/);
  await page.keyboard.press("End");
  await page.keyboard.press("g");
  await page.waitForSelector("#toast.shown");
  assert.equal(await text(page, "#toast"), "no goal after this moment");
  await page.focus("#filter");
  await page.focus("#events");
  await page.keyboard.press("3");
  assert.equal(await page.evaluate(() => document.activeElement.id), "page-statistics");
  await page.keyboard.press("2");
  assert.equal(await page.evaluate(() => document.activeElement.id), "page-board");
});

test("keys of one character are turned off by whom they trouble", async (t) => {
  const page = await replay(t);
  await page.keyboard.press("?");
  await page.uncheck("#single-keys");
  await page.keyboard.press("Escape");
  for (const key of ["g", "3", "]", "t", "?"]) await page.keyboard.press(key);
  assert.equal(await moment(page), 0);
  assert.ok(await page.locator("#page-board").isVisible());
  assert.equal(await page.evaluate(() => window.projectGame.room.selected), -1);
  assert.equal(await page.locator("#help-dialog").isVisible(), false);
  await page.keyboard.press("ArrowRight");
  assert.ok(await moment(page) > 0);
  await page.reload();
  await settled(page);
  await page.keyboard.press("3");
  assert.ok(await page.locator("#page-board").isVisible(), "it is remembered");
});

test("after a click the keys mean the game again", async (t) => {
  const page = await replay(t, "#agent=2");
  await page.click("text=Beliefs");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.projectGame.time.t > 0);
  assert.equal(await page.evaluate(() => window.projectGame.room.belief), true, "the button was not pressed again");
});

test("everything is reached with the tabulator, and focus is seen", async (t) => {
  const page = await replay(t);
  const reached = new Set();
  for (let presses = 0; presses < 50; presses++) {
    await page.keyboard.press("Tab");
    const { id, outline } = await page.evaluate(() => ({
      id: document.activeElement.id, outline: getComputedStyle(document.activeElement).outlineStyle,
    }));
    reached.add(id);
    if (id) assert.notEqual(outline, "none", `the focus on #${id} is seen`);
  }
  for (const id of ["tab-board", "theme", "help", "stage", "fit", "scrub", "play", "speed", "skip", "kind", "view", "link", "span", "filter", "events"]) {
    assert.ok(reached.has(id), `#${id} is reached`);
  }
});

test("the belief of an agent is shown with its age and its source", async (t) => {
  const answer = EVENTS.findIndex(([, word, , by]) => word === "answered" && by < 6);
  const [when, , asker, by] = EVENTS[answer];
  const page = await replay(t, `#t=${when}&agent=${asker}`);
  await page.click("text=Beliefs");
  await settled(page);
  assert.match(await text(page, "#agent-panel .marks"), /told as a lie/);
  const believed = await page.evaluate(() => {
    const { knowledge, game } = window.projectGame.room.scene;
    const { columns, rows } = game.start.board;
    let read = 0, told = 0;
    for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) {
      const known = knowledge.at(x, y);
      if (known && known.distance !== -2) known.by < 0 ? read++ : told++;
    }
    return { read, told };
  });
  assert.ok(believed.read > 0 && believed.told > 0, JSON.stringify(believed));
  assert.match(await text(page, "#agent-panel .exchanges"), new RegExp(`heard from ${by}`));
  await page.click("text=Only what it knows");
  assert.equal(await page.inputValue("#view"), "agent");
});

test("a number does not stand on what is believed of a goal, and every sign is explained", async (t) => {
  const page = await replay(t, "#t=200000&agent=4");
  await page.keyboard.press("b");
  await settled(page);
  const believed = await page.evaluate(() => {
    const { board, scene: { knowledge, game } } = window.projectGame.room, { columns, rows } = game.start.board;
    const fields = [];
    for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) {
      const known = knowledge.at(x, y);
      if (known && known.goal && known.distance >= 0) fields.push(board.toStage(x + 0.5, y + 0.5));
    }
    return { fields, scale: board.camera.scale };
  });
  assert.ok(believed.fields.length > 2, "it believes something of goals, on fields whose distance it knows");
  const texts = await written(page, "ground");
  for (const [cx, cy] of believed.fields) {
    const over = texts.find(({ x, y }) => Math.hypot(x - cx, y - cy) < believed.scale * 0.3);
    assert.equal(over, undefined, `at ${cx},${cy}`);
  }
  assert.match(await text(page, "#agent-panel .marks"), /takes it for a goal\s+for none\s+that is false/);
  await page.keyboard.press("?");
  assert.match(await text(page, "#help-signs"), /strategy draws[^]*told[^]*not true any more[^]*takes for a goal[^]*takes for none[^]*if that is false/);
});

test("a board of 40×40 on a small screen has its agents' numbers, and a larger one those of beliefs", async (t) => {
  const messages = feed({ agents: 40, columns: 40, rows: 40, goalRows: 5, pieces: 40 });
  const small = await replay(t, "", { viewport: { width: 1280, height: 720 } }, messages);
  assert.ok(await small.evaluate(() => window.projectGame.room.board.camera.scale) < 8);
  assert.deepEqual((await written(small, "actors")).map(({ text }) => Number(text)).sort((one, other) => one - other), [...Array(40).keys()]);
  const large = await replay(t, "#t=35000&agent=2", {}, messages);
  await large.keyboard.press("b");
  await settled(large);
  assert.ok(await large.evaluate(() => window.projectGame.room.board.camera.scale) < 13);
  const numbers = (await written(large, "ground")).length - (await (async () => {
    await large.keyboard.press("b");
    await settled(large);
    return written(large, "ground");
  })()).length;
  assert.ok(numbers > 20, `${numbers} numbers of beliefs`);
});

test("a click on the board chooses an agent, a drag moves the board", async (t) => {
  const page = await replay(t);
  const spot = await page.evaluate(() => {
    const { board, game } = window.projectGame.room;
    const { x, y } = game.start.agents[3];
    const box = document.getElementById("stage").getBoundingClientRect();
    const [left, top] = board.toStage(x + 0.5, y + 0.5);
    return { x: box.left + left, y: box.top + top };
  });
  await page.mouse.click(spot.x, spot.y);
  assert.equal(await page.evaluate(() => window.projectGame.room.selected), 3);
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await settled(page);
  assert.ok(await page.locator("#minimap").isVisible());
  const before = await page.evaluate(() => window.projectGame.room.board.camera.x);
  await page.mouse.move(500, 300);
  await page.mouse.down();
  await page.mouse.move(420, 300, { steps: 4 });
  await page.mouse.up();
  await settled(page);
  assert.ok(await page.evaluate(() => window.projectGame.room.board.camera.x) > before);
  await page.keyboard.press("f");
  await settled(page);
  assert.equal(await page.locator("#minimap").isVisible(), false);
});

test("the chart of points and the agents' lines lead to their moments", async (t) => {
  const page = await replay(t);
  await page.locator("#course").click({ position: { x: 500, y: 20 } });
  const middle = await moment(page);
  assert.ok(middle > 60_000 && middle < 200_000, String(middle));
  await page.locator("#gantt").click({ position: { x: 200, y: 14 * 2 + 5 } });
  assert.equal(await page.evaluate(() => window.projectGame.room.selected), 2);
  assert.ok(await moment(page) < middle);
});

test("the charts' head is one line", async (t) => {
  for (const width of [1440, 1280, 1130]) {
    const page = await replay(t, "", { viewport: { width, height: 720 } });
    for (const span of ["0", "60000"]) {
      await page.selectOption("#span", span);
      const heights = await page.evaluate(() => [".chart-head", "#span-shown", ".chart-head .legend"].map((one) =>
        document.querySelector(one).getBoundingClientRect().height));
      assert.ok(heights[0] < 36 && heights[1] < 24 && heights[2] < 24, `${width}: ${heights}`);
      assert.ok(await page.evaluate(() => document.querySelector(".chart-head").scrollWidth <= document.querySelector(".chart-head").clientWidth));
    }
  }
});

test("the chosen agent's line and row are in sight, and the charts' window is marked", async (t) => {
  const page = await replay(t, "#t=60000&agent=15", {}, feed({ agents: 16 }));
  const inside = (element, box) => page.evaluate(([element, box]) => {
    const [inner, outer] = [element, box].map((one) => document.querySelector(one).getBoundingClientRect());
    return inner.height > 0 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
  }, [element, box]);
  const look = async (what) => {
    await settled(page);
    assert.ok(await inside("#gantt-chosen", "#gantt-scroll"), `${what}: the line`);
    assert.ok(await inside('.agent-row[aria-pressed="true"]', "#agents"), `${what}: the row`);
  };
  await look("by a link");
  await page.evaluate(() => { window.painted = window.projectGame.room.charts.course; });
  await page.keyboard.press("]");
  await look("by a key");
  await page.keyboard.press("[");
  await look("and back");
  assert.ok(await page.evaluate(() => window.projectGame.room.charts.course === window.painted), "the lines were not painted again");
  assert.equal(await page.locator("#course-window").isVisible(), false);
  await page.selectOption("#span", "60000");
  await settled(page);
  const { box, edges } = await page.evaluate(() => {
    const { course, shown } = window.projectGame.room.charts, box = document.getElementById("course-window").getBoundingClientRect();
    return { box: [box.left, box.right], edges: shown.map((one) => course.xOf(one) + document.getElementById("course").getBoundingClientRect().left) };
  });
  assert.ok(box.every((edge, place) => Math.abs(edge - edges[place]) < 1), `${box} is not ${edges}`);
});

test("a link names the moment, the agent and the view", async (t) => {
  const page = await replay(t, "#t=60000&agent=4&view=blue");
  assert.equal(await moment(page), 60_000);
  assert.equal(await page.evaluate(() => window.projectGame.room.selected), 4);
  assert.equal(await page.inputValue("#view"), "blue");
  assert.match(await text(page, "#place"), /invented\.replay #t=60000/);
  await page.locator("#scrub").fill("90000");
  await page.waitForFunction(() => location.hash.startsWith("#t=90000&agent=4"));
  await page.evaluate(() => { location.hash = "#t=30000"; });
  await page.waitForFunction(() => window.projectGame.time.t === 30000);
});

test("a view shows what its agents were told, and nothing else", async (t) => {
  const lie = EVENTS.findLast(([, word, , by]) => word === "answered" && by >= 6);
  const page = await replay(t, `#t=${lie[0]}&agent=1&view=red`);
  assert.equal(await coloured(page, "actors", "blue"), 0, "no blue agent");
  assert.ok(await coloured(page, "actors", "red") > 100, "red agents");
  assert.equal(await coloured(page, "gantt", "blue"), 0, "no line of a blue agent");
  assert.equal(await coloured(page, "ticks", "blue"), 0, "no goal of blue's");
  assert.equal(await coloured(page, "ticks", "lie"), 0, "no lie");
  assert.match(await text(page, "#agent-panel"), /not seen by red\n/);
  const rows = await page.locator(".agent-row").allInnerTexts();
  assert.deepEqual(rows.map((row) => /not seen by red/.test(row)), [false, false, false, false, true, true, true, true]);
  await page.selectOption("#filter", "all");
  const listed = await page.evaluate(() => window.projectGame.list.shown.map((index) => window.projectGame.game.events[index]));
  const red = (agent) => agent >= 0 && agent % 2 === 0;
  assert.deepEqual(listed, EVENTS.filter(([, word, agent, other]) =>
    word === "over" || (word !== "appeared" && (red(agent) || ((word === "asked" || word === "answered") && red(other))))));
  assert.equal(await page.locator("#events .worth").count(), 0);
  await page.keyboard.press("l");
  assert.equal(await text(page, "#toast"), "no lie after this moment");
  await page.keyboard.press("Home");
  await page.keyboard.press("g");
  const goal = EVENTS.find(([, word, agent, result]) => word === "put" && result === "on-goal" && red(agent));
  assert.equal(await moment(page), goal[0], "red's first goal");
  await page.keyboard.press("v");
  await settled(page);
  assert.ok(await coloured(page, "actors", "blue") > 0 && await coloured(page, "actors", "red") === 0, "blue's view");
});

test("a step in a view announces what the view sees", async (t) => {
  const page = await replay(t, "#view=red", {}, [FEED[0], FEED[2], { kind: "events", events: [
    [10, "moved", 0, 1, 5, 2, {}], [10, "moved", 1, 2, 5, 2, {}], [20, "moved", 1, 3, 5, 2, {}], [30, "over", -1, "stopped", 0, 0, {}],
  ] }]);
  const said = () => page.locator("#announce").textContent();
  await page.keyboard.press("ArrowRight");
  assert.match(await said(), /agent 0 moves to 1,5/);
  await page.keyboard.press("ArrowRight");
  assert.match(await said(), /nobody wins/);
});

test("the view of a team without agents is empty", async (t) => {
  const start = { ...FEED[2], agents: FEED[2].agents.slice(0, 1) };
  const page = await replay(t, "#view=blue", {}, [FEED[0], start, { kind: "events", events: [[10, "moved", 0, 1, 5, 2, {}], [20, "over", -1, "stopped", 0, 0, {}]] }]);
  assert.equal(await coloured(page, "actors", "red"), 0);
  assert.equal(await text(page, ".agent-row .doing"), "not seen by blue");
});

test("the address names what is seen, whatever changed it, and a link shows it again", async (t) => {
  const page = await replay(t, "#t=60000");
  const named = (fragment) => page.waitForFunction((fragment) => location.hash === fragment, fragment);
  await page.keyboard.press("]");
  await named("#t=60000&agent=0");
  await page.keyboard.press("b");
  await named("#t=60000&agent=0&belief=1");
  await page.keyboard.press("v");
  await named("#t=60000&agent=0&view=red&belief=1");
  await page.keyboard.press("Escape");
  await named("#t=60000&view=red");
  await page.evaluate(() => { location.hash = "#t=30000&agent=5&view=agent&belief=1"; });
  await page.waitForFunction(() => window.projectGame.time.t === 30000);
  const shown = () => page.evaluate(() => {
    const { time: { t }, room: { selected, view, belief } } = window.projectGame;
    return { t, selected, view, belief };
  });
  assert.deepEqual(await shown(), { t: 30000, selected: 5, view: "agent", belief: true });
  await page.reload();
  await settled(page);
  assert.deepEqual(await shown(), { t: 30000, selected: 5, view: "agent", belief: true });
});

test("a link that makes no sense shows the game all the same", async (t) => {
  for (const fragment of ["#t=abc", "#t=1:30", "#t=-5", "#agent=1.5", "#agent=99&t=", "#view=green", "#t=Infinity&belief=7"]) {
    const page = await replay(t, fragment);
    await page.waitForFunction(() => window.projectGame.room.scene);
    assert.equal(await moment(page), 0, fragment);
    assert.equal(await page.evaluate(() => window.projectGame.room.selected), -1, fragment);
    assert.match(await text(page, "#clock"), /^0:00\.0$/, fragment);
    await page.evaluate(() => { location.hash = "#t=zero&agent=two"; });
    await settled(page);
    assert.equal(await moment(page), 0);
  }
});

/** A finger that moves from one place to another. */
async function swipe(page, [fromX, fromY], [toX, toY]) {
  const session = await page.context().newCDPSession(page);
  const send = (type, touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
  await send("touchStart", [{ x: fromX, y: fromY }]);
  for (let step = 1; step <= 8; step++) {
    await send("touchMove", [{ x: fromX + ((toX - fromX) * step) / 8, y: fromY + ((toY - fromY) * step) / 8 }]);
  }
  await send("touchEnd", []);
}

test("on a phone a swipe scrolls, and a tap leads to a moment or tells what lies there", async (t) => {
  const page = await replay(t, "#t=60000", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const box = async (selector) => page.locator(selector).boundingBox();
  const stage = await box("#stage");
  await swipe(page, [200, stage.y + stage.height - 20], [200, stage.y + 20]);
  // The board lets the page scroll.
  await page.waitForFunction(() => document.scrollingElement.scrollTop > 100);
  assert.equal(await page.evaluate(() => window.projectGame.room.selected), -1);
  const gantt = await box("#gantt");
  await swipe(page, [200, gantt.y + 60], [200, gantt.y - 60]);
  assert.equal(await moment(page), 60_000, "nobody asked for another moment");
  await page.evaluate(() => document.getElementById("gantt").scrollIntoView({ block: "center" }));
  await page.locator("#gantt").tap({ position: { x: 200, y: 5 } });
  assert.notEqual(await moment(page), 60_000);
  await page.evaluate(() => scrollTo(0, 0));
  const middle = { x: stage.width / 2, y: stage.height / 2 };
  await page.locator("#stage").tap({ position: middle });
  await page.waitForSelector("#tip:not([hidden])");
  assert.match(await text(page, "#tip"), /^\d+,\d+ · .*area/);
  await settled(page);
  assert.ok(await page.locator("#tip").isVisible(), "it stays");
  await page.locator("#stage").tap({ position: middle });
  assert.equal(await page.locator("#tip").isVisible(), false);
  const session = await page.context().newCDPSession(page);
  for (let spread = 20; spread <= 90; spread += 10) {
    const touchPoints = [-1, 1].map((side) => ({ x: 190 + side * spread, y: stage.y + 150 + side * spread, id: side + 1 }));
    await session.send("Input.dispatchTouchEvent", { type: spread === 20 ? "touchStart" : "touchMove", touchPoints });
  }
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await page.waitForFunction(() => !window.projectGame.room.board.isWhole);
  await settled(page);
  assert.equal(await page.evaluate(() => getComputedStyle(document.getElementById("stage")).touchAction), "none");
  const before = await page.evaluate(() => window.projectGame.room.board.camera.x);
  await swipe(page, [300, stage.y + 100], [120, stage.y + 100]);
  assert.ok(await page.evaluate(() => window.projectGame.room.board.camera.x) > before, "a board that is not whole is moved");
});

test("what lies on a field is told by a key as well", async (t) => {
  const page = await replay(t, "#t=60000&agent=2");
  await page.keyboard.press("i");
  assert.match(await text(page, "#tip"), /agent 2 \(red\)/);
  assert.match(await page.locator("#announce").textContent(), /area; agent 2/);
  await page.keyboard.press("i");
  assert.equal(await page.locator("#tip").isVisible(), false);
});

test("a phone says as well that a link was copied", async (t) => {
  const page = await replay(t, "#t=60000", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; });
  await page.locator("#link").tap();
  await page.waitForSelector("#toast.shown");
  assert.equal(await text(page, "#toast"), "link copied");
  assert.equal(await page.getAttribute("#toast", "role"), "status");
  const box = await page.locator("#toast").boundingBox();
  assert.ok(box.width > 60 && box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844, JSON.stringify(box));
  assert.match(await page.evaluate(() => window.copied), /game\.html#t=60000$/);
});

test("waiting is skipped", async (t) => {
  const quiet = [
    FEED[0], FEED[2],
    { kind: "events", events: [
      [100, "moved", 0, 1, 5, 2, { lock: 1600 }], [90_000, "moved", 0, 2, 5, 2, {}], [91_000, "over", -1, "stopped", 0, 0, {}],
    ] },
  ];
  const other = await exportedFile(quiet);
  afterwards(t, () => other.remove());
  const page = await openQuiet(t, browser);
  await page.goto(other.address);
  await page.check("#skip");
  await page.click("#play");
  await page.waitForFunction(() => window.projectGame.time.t >= 89_000);
});

test("the statistics are drawn and tabled", async (t) => {
  const page = await replay(t);
  await page.click("#tab-statistics");
  assert.equal(await page.locator("#statistics table tbody tr").count() >= 10, true, "eight agents and two teams");
  assert.match(await text(page, ".outcome"), /Nobody wins/);
  const boxes = await page.locator("#statistics .table-scroll").evaluateAll((all) => all.map((box) => [box.tabIndex, box.getAttribute("role"), box.ariaLabel]));
  assert.deepEqual(boxes, ["Every agent", "What answers were worth"].map((name) => [0, "region", name]));
  const saved = page.waitForEvent("download");
  await page.click("#save-statistics");
  assert.equal((await saved).suggestedFilename(), "invented.statistics.json");
  assert.equal(await page.locator("#save-replay").count(), 0, "nobody has it");
});

test("light and dark follow the system, and the button", async (t) => {
  const page = await replay(t, "", { colorScheme: "dark" });
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await back(), "rgb(18, 22, 27)");
  await page.click("#theme");
  assert.equal(await back(), "rgb(243, 241, 236)");
});

test("on a phone nothing is wider than the screen", async (t) => {
  const page = await replay(t, "#t=60000&agent=2", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  for (const tab of ["board", "statistics"]) {
    await page.locator(`#tab-${tab}`).tap();
    await settled(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), tab);
    const spilt = await page.evaluate(() => [...document.querySelectorAll(".card")]
      .filter((card) => card.scrollHeight > card.clientHeight + 1).map((card) => card.className));
    assert.deepEqual(spilt, [], `nothing spills out of its card on ${tab}`);
  }
  await page.locator("#tab-board").tap();
  await page.locator("#play").tap();
  await page.waitForFunction(() => window.projectGame.time.t > 60_000);
});

test("who wants little motion gets none", async (t) => {
  const page = await replay(t, "", { reducedMotion: "reduce" });
  assert.equal(await page.evaluate(() => window.projectGame.motion), false);
});

test("colours that say something stay where the system chooses the colours", async (t) => {
  const page = await replay(t, "#t=60000&agent=4", { forcedColors: "active" });
  const back = (selector) => page.evaluate((one) => getComputedStyle(document.querySelector(one)).backgroundColor, selector);
  const named = (name) => page.evaluate((one) => {
    document.body.append(Object.assign(document.createElement("i"), { id: "probe", style: `forced-color-adjust: none; background: var(--${one})` }));
    const colour = getComputedStyle(document.getElementById("probe")).backgroundColor;
    document.getElementById("probe").remove();
    return colour;
  }, name);
  assert.equal(await back(".shape.red"), await named("red"));
  assert.equal(await back(".legend .bar-moving"), await named("moving"));
  assert.equal(await back(".stage"), await named("surface"));
  await page.keyboard.press("3");
  assert.equal(await back(".times .stack .shade-0"), await named("moving"));
  assert.equal(await back(".versus .right i"), await named("blue"));
});

test("a page in the frame of a notebook plays, and has no link", async (t) => {
  const outer = await openQuiet(t, browser);
  const escaped = (await exported(FEED)).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  await outer.setContent(`<iframe srcdoc="${escaped}" width="100%" height="600"></iframe>`);
  const frame = await (await outer.waitForSelector("iframe")).contentFrame();
  await frame.waitForFunction(() => window.projectGame?.game.start);
  await frame.selectOption("#speed", "16");
  await frame.click("#play");
  await frame.waitForFunction(() => window.projectGame.time.t > 5000);
  await frame.click("#play");
  // The address would be written when the user has come to rest.
  await outer.waitForTimeout(300);
  await frame.click("#link");
  await frame.waitForSelector("#toast.shown");
  assert.match(await frame.locator("#toast").innerText(), /save the page to a file/);
});

/** A page over a file that is no good; the console must stay silent all the same. */
async function damaged(t, feed, cut = (file) => file) {
  const folder = await mkdtemp(join(tmpdir(), "viewer-"));
  const path = join(folder, "game.html");
  await writeFile(path, cut(await exported(feed)));
  afterwards(t, () => rm(folder, { recursive: true }));
  const page = await openQuiet(t, browser);
  await page.goto(pathToFileURL(path).href);
  await page.waitForFunction(() => window.projectGame);
  await settled(page);
  return page;
}

test("a file that was cut off shows what is left of the game", async (t) => {
  const small = [FEED[0], FEED[1], FEED[2], ...Array.from({ length: 6 }, (_, part) => (
    { kind: "events", events: EVENTS.slice(part * 100, part * 100 + 100) }))];
  const cut = fileOf(small.slice(0, 6)).length + ",\n".length + JSON.stringify(small[6]).length / 2;
  const page = await damaged(t, small, (file) => file.slice(0, file.indexOf(fileOf(small).slice(0, 200)) + Math.floor(cut)));
  const events = await page.evaluate(() => window.projectGame.game.events);
  assert.deepEqual(events, EVENTS.slice(0, events.length));
  const whole = events.length - 300;
  assert.ok(whole > 10 && whole < 90, String(whole));
  assert.equal(await page.evaluate(() => window.projectGame.game.events.length), 300 + whole);
  assert.match(await text(page, "#banner"), /The feed is faulty: the file is cut off, or damaged\. The game is shown up to there/);
  await page.keyboard.press("End");
  assert.equal(await moment(page), EVENTS[299 + whole][0]);
});

test("a file without a game says so", async (t) => {
  for (const feed of ["[", "[]", "", "{}", "null", '["nonsense",3,null]']) {
    const page = await damaged(t, feed);
    assert.match(await text(page, "#waiting"), /There is no game in this file/, feed);
    assert.equal(await page.locator("#page-board").isVisible(), false);
  }
});

test("a feed with an event that cannot be is shown up to there", async (t) => {
  const first = EVENTS.slice(0, 50), rest = EVENTS.slice(50, 90);
  for (const [what, event] of Object.entries({
    "an unknown agent": [EVENTS[49][0], "moved", 99, 1, 1, 2, {}], "no place": [EVENTS[49][0], "moved", 0, 1000, 1, 2, {}],
    "an answer to nobody": [EVENTS[49][0], "answered", 77, 0, "", { claims: [0, 0, 0, 0] }], "no event": null,
    "no agent": [EVENTS[49][0], "picked-up", "x", {}], "no changes": [EVENTS[49][0], "picked-up", 0],
  })) {
    const page = await damaged(t, [FEED[0], FEED[1], FEED[2], { kind: "events", events: [...first, event, ...rest] }, { kind: "events", events: EVENTS.slice(90, 120) }]);
    assert.match(await text(page, "#banner"), /The feed is faulty at event 51\. The game is shown up to there/, what);
    assert.equal(await page.evaluate(() => window.projectGame.game.events.length), 50, what);
    await page.keyboard.press("End");
    assert.equal(await moment(page), EVENTS[49][0], what);
    await settled(page);
  }
});

test("a feed without a greeting, and one without a start that makes sense", async (t) => {
  const page = await damaged(t, FEED.slice(2));
  await page.keyboard.press("g");
  assert.ok(await moment(page) > 0);
  const other = await damaged(t, [FEED[0], { kind: "start", seed: "1" }, ...FEED.slice(3)]);
  assert.match(await text(other, "#waiting"), /There is no game in this file/);
  assert.match(await text(other, "#banner"), /The feed is faulty: its message `start` makes no sense/);
});

test("a replay that breaks off says so, and one joined in its middle knows the score", async (t) => {
  const figures = FIGURES.map((name) => (name === "lockedMs" ? 40_000 : 0));
  const agents = FEED[2].agents.map((agent) => ({ ...agent, figures }));
  const start = { ...FEED[2], t: 50_000, agents, points: [1, 0], covered: { red: [FEED[2].goals.red[0]], blue: [] } };
  const other = await exportedFile([FEED[0], start,
    { kind: "events", events: [[50_100, "moved", 0, 1, 5, null, {}]] }, { kind: "truncated", why: "the file ends in mid-frame" }]);
  afterwards(t, () => other.remove());
  const page = await openQuiet(t, browser);
  await page.goto(other.address);
  await settled(page);
  assert.match(await text(page, "#banner"), /breaks off: the file ends in mid-frame/);
  assert.equal(await text(page, "#points-red"), "1");
  assert.equal(await moment(page), 50_000);
  await page.keyboard.press("]");
  assert.match(await text(page, ".figures"), /locked\s+80 %\s+waiting\s+20 %/);
});

/** The messages of the invented game, with these strategies for its agents. */
const withStrategies = (names) => FEED.map((message) => (message.kind !== "start" ? message
  : { ...message, agents: message.agents.map((agent) => ({ ...agent, name: names(agent.id) })) }));

test("strategies stand beside the teams, and an agent's number stands once", async (t) => {
  const page = await replay(t, "", {}, withStrategies((id) => (id % 2 ? "greedy" : id < 6 ? "coordinated" : "liar")));
  assert.match(await text(page, ".score .team.red"), /Red\s+coordinated ×3, liar/);
  assert.match(await text(page, ".score .team.blue"), /^greedy\s+Blue/);
  await page.click("#agents .agent-row >> nth=0");
  assert.match(await text(page, "#agent-panel h2"), /^0 · coordinated/);
  // The narrower window is also that of a screen of 1280 pixels that is magnified four times.
  for (const width of [390, 320]) {
    const phone = { viewport: { width, height: 844 }, isMobile: true, hasTouch: true };
    const small = await replay(t, "", phone, withStrategies(() => "a strategy with a long name"));
    const [first, last] = [await small.locator(".score .shape.red").boundingBox(), await small.locator("#clock").boundingBox()];
    assert.ok(first.x >= 0 && last.x + last.width <= width, JSON.stringify({ first, last }));
    assert.equal(await small.evaluate(() => document.documentElement.scrollWidth), width);
    assert.ok(await small.locator("#clock").evaluate((clock) => clock.scrollWidth <= clock.clientWidth), "the clock is whole");
  }
  const plain = await replay(t, "");
  assert.equal(await plain.locator("#line-up-red").isVisible(), false, "of agents on a network nobody knows them");
});

test("eight agents are in sight at once, and the remarks of the chosen one are on top", async (t) => {
  const page = await replay(t, "#t=120000", { viewport: { width: 1400, height: 900 } });
  const hidden = () => page.evaluate(() => {
    const box = document.getElementById("agents").getBoundingClientRect();
    const inside = ({ top, bottom }) => top >= box.top - 0.5 && bottom <= Math.min(box.bottom, innerHeight) + 0.5;
    return [...document.querySelectorAll(".agent-row")].filter((row) => !inside(row.getBoundingClientRect())).length;
  });
  assert.equal(await page.locator(".agent-row").count(), 8);
  assert.equal(await hidden(), 0);
  await page.click("#agents .agent-row >> nth=7");
  await settled(page);
  assert.equal(await hidden(), 0, "with the panel of one of them as well");
  const remarks = await page.locator("#agent-panel .remarks").boundingBox();
  const panel = await page.locator("#agent-panel").boundingBox();
  const buttons = await page.locator("#agent-panel >> text=Follow").boundingBox();
  assert.ok(remarks.y < buttons.y && remarks.y + 20 < panel.y + panel.height, JSON.stringify({ remarks, panel, buttons }));
  const events = await page.locator("#events").boundingBox();
  assert.ok(events.y + events.height <= 900 && events.height > 50, JSON.stringify(events));
});

test("help on a touch screen begins with the signs, elsewhere with the keys", async (t) => {
  const order = async (options) => {
    const page = await replay(t, "", options);
    await page.click("#help");
    const [signs, keys] = [await page.locator("#help-signs").boundingBox(), await page.locator("#help-keys").boundingBox()];
    return signs.y - keys.y;
  };
  assert.ok(await order({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }) < 0);
  assert.ok(await order({ viewport: { width: 820, height: 1180 }, isMobile: true, hasTouch: true }) < 0);
  assert.ok(await order({ viewport: { width: 800, height: 900 } }) > 0);
});
