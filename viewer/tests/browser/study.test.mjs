// The findings of a study on the page: chances below the board, and remarks that lead to their moments.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { afterwards } from "./afterwards.mjs";
import { exportedFile, launch, openQuiet, pageAt, settled } from "./browser.mjs";
import { feed } from "./generate.mjs";
import { newFolder, run, start } from "./programs.mjs";

const FEED = feed();
const END = Math.max(...FEED.flatMap((message) => message.events ?? []).map(([t]) => t));
const [QUARTER, HALF] = [Math.round(END / 4), Math.round(END / 2)];
const FINDINGS = {
  kind: "study", team: "blue", chances: [[0, 0.4, 0.5, 0.6], [HALF, 0.7, 0.8, 0.9], [END, 0, 0, 0.04]],
  remarks: [{ text: "Blue lost 80 points by `move N`.", t: HALF }, { text: "Nothing else stands out.", t: null }, { text: "An early one.", t: QUARTER }],
};

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** The page over the feed with these findings. */
async function studied(t, findings, options) {
  const file = await exportedFile([...FEED, ...findings]);
  afterwards(t, () => file.remove());
  const page = await openQuiet(t, browser, options);
  await page.goto(file.address);
  await settled(page);
  return page;
}

const moment = (page) => page.evaluate(() => window.projectGame.time.t);
const now = (page) => page.locator("#chances-now").textContent();

test("without a study nothing of it is there", async (t) => {
  const page = await studied(t, []);
  assert.deepEqual([await page.locator("#chances").isHidden(), await page.locator("#study").isHidden()], [true, true]);
});

test("the chance at the moment that is shown is written, and a click on the chart leads to a moment", async (t) => {
  const page = await studied(t, [FINDINGS]);
  assert.equal(await page.locator("#chances-title").textContent(), "The chance of blue in %");
  assert.equal(await now(page), "50 % (40 to 60)");
  const box = await page.locator("#chances-course").boundingBox();
  await page.mouse.click(box.x + 44 + 0.75 * (box.width - 54), box.y + 30);
  await settled(page);
  assert.ok(Math.abs(await moment(page) - 0.75 * END) < END / 100, `${await moment(page)} of ${END}`);
  assert.equal(await now(page), "80 % (70 to 90)");
  await page.keyboard.press("End");
  await settled(page);
  assert.equal(await now(page), "0 % (0 to 4)");
});

test("the line and its interval are drawn where the chances are", async (t) => {
  const page = await studied(t, [FINDINGS]);
  /** The opacity at the moment of the second chance, at this share of the chart. */
  const painted = (share) => page.evaluate(([half, share]) => {
    const { axes } = window.projectGame.study, canvas = document.getElementById("chances-course");
    const ratio = canvas.width / canvas.clientWidth;
    const copy = new OffscreenCanvas(canvas.width, canvas.height), ctx = copy.getContext("2d");
    ctx.drawImage(canvas, 0, 0);
    return ctx.getImageData(Math.round(axes.xOf(half) * ratio), Math.round(axes.yOf(100 * share) * ratio), 1, 1).data[3];
  }, [HALF, share]);
  const [line, interval, above, below] = [await painted(0.8), await painted(0.74), await painted(0.97), await painted(0.4)];
  assert.ok(line > 200, `the line: ${line}`);
  assert.ok(interval > 20 && interval < 120, `the interval: ${interval}`);
  assert.deepEqual([above, below], [0, 0]);
});

test("remarks lead to their moments, in their order", async (t) => {
  const page = await studied(t, [FINDINGS]);
  assert.deepEqual(await page.locator("#study-remarks li").allTextContents(), FINDINGS.remarks.map(({ text }) => text.replaceAll("`", "")));
  assert.deepEqual(await page.locator("#study-remarks code").allTextContents(), ["move N"]);
  assert.equal(await page.locator("#study-remarks button").count(), 2);
  for (const [place, t] of [[0, HALF], [1, QUARTER]]) {
    await page.locator("#study-remarks button").nth(place).click();
    await settled(page);
    assert.equal(await moment(page), t);
  }
});

test("differences without chances have remarks and no chart", async (t) => {
  const page = await studied(t, [{ ...FINDINGS, chances: [] }]);
  assert.deepEqual([await page.locator("#chances").isHidden(), await page.locator("#study").isVisible()], [true, true]);
});

/** The page of `bots study` over a new game, by the program itself. */
async function asked(t, words = []) {
  const folder = await newFolder(t, "study"), replay = `${folder}/game.replay`;
  await run("bots", "--game", "dots", "greedy", "random", "--virtual", "--seed", "5", "--replay", replay);
  const program = start(t, "bots", "study", replay, ...words);
  const [, address] = await program.says(/the page is at (\S+);/);
  const page = await pageAt(t, browser, address);
  await page.waitForSelector("#study-form:not([hidden])");
  return { page, address };
}

test("a page over a replay that is studied draws the chances, and says what it is asked for", async (t) => {
  const { page } = await asked(t);
  const first = page.locator("#study-remarks li").first();
  const says = (pattern) => page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#study-remarks li")?.textContent), pattern.source);
  await page.locator("#study-curve").click();
  await page.waitForFunction(() => window.projectGame.game.study.chances.length > 5);
  assert.match(await page.locator("#chances-title").textContent(), /^The chance of /);
  // Another study takes the place of the first one.
  await page.locator("#scrub").fill("6000");
  await page.locator("#study-teams select").nth(1).selectOption("greedy");
  await page.locator("#study-fork").click();
  await says(/^From action 6 on with #1 greedy: .*\u00a0% \(\d+ to \d+\), by 200 futures/);
  await page.locator("#study-agent").selectOption("1");
  await page.locator("#study-entrant").selectOption("greedy");
  await page.locator("#study-diff").click();
  await says(/^greedy would not have asked for \d+ of the \d+ actions of agent #1/);
  await page.locator("#study-team").selectOption("1");
  await page.locator("#study-why").click();
  await page.waitForFunction(() => / of 8,000 futures$/.test(document.getElementById("study-progress").textContent));
  // The study may be over before the click.
  await page.locator("#study-stop").evaluate((button) => button.click());
  await says(/^The search was stopped after|decision/);
  await page.waitForSelector("#study-progress", { state: "hidden" });
  assert.deepEqual([await page.locator("#study-stop").isHidden(), await page.locator("#study-fault").isHidden(), await first.isVisible()], [true, true, true]);
});

test("a page that can ask for studies connects again when its connection is lost, and says that it is lost", async (t) => {
  const { page } = await asked(t);
  await page.waitForFunction(() => window.projectGame.game.statistics);
  await page.locator("#scrub").fill("6000");
  page.removeAllListeners("console"); // The browser says that requests fail.
  await page.route("**/feed/open", (route) => route.abort());
  await page.evaluate(() => window.projectGame.connection.socket.close());
  await page.waitForSelector("#status:text-is('connection lost')", { state: "attached" });
  assert.match(await page.locator("#banner").textContent(), /The connection to the host was lost/);
  await page.unroute("**/feed/open");
  await page.waitForSelector("#banner", { state: "hidden" });
  await page.waitForFunction(() => window.projectGame.isConnected && window.projectGame.game.statistics);
  assert.equal(await moment(page), 6000);
  await page.locator("#study-curve").click();
  await page.waitForFunction(() => window.projectGame.game.study.chances.length > 5);
});

test("who has no token sees what was found, and cannot ask", async (t) => {
  const { page, address } = await asked(t);
  const other = await pageAt(t, browser, address.replace(/\?.*/, ""));
  await page.locator("#study-curve").click();
  await other.waitForSelector("#chances:not([hidden])");
  assert.equal(await other.locator("#study-form").isHidden(), true);
});

for (const [what, faulty] of Object.entries({ chances: { chances: [[0, "much"]] }, remarks: { remarks: [{ text: 3 }] }, lists: { remarks: null }, offers: { offer: { teams: [], entrants: [1] } } })) {
  test(`findings with faulty ${what} are named as a fault of the feed, and the game is shown`, async (t) => {
    const page = await studied(t, [{ ...FINDINGS, ...faulty }]);
    assert.match(await page.locator("#banner").textContent(), /its message `study` makes no sense/);
    assert.deepEqual([await page.locator("#chances").isHidden(), await page.locator("#study").isHidden()], [true, true]);
    assert.equal(await page.evaluate(() => window.projectGame.game.duration), END);
  });
}

for (const [name, viewport] of Object.entries({ wide: { width: 1440, height: 900 }, lower: { width: 1280, height: 720 }, low: { width: 1200, height: 640 }, narrow: { width: 390, height: 800 } })) {
  test(`a ${name} page shows board, chances and remarks without a sideways scroll`, async (t) => {
    const page = await studied(t, [FINDINGS], { viewport });
    await page.locator("#chances-title").hover();
    await page.mouse.wheel(0, 2000);
    const bottom = () => page.evaluate(() => document.getElementById("gantt-scroll").getBoundingClientRect().bottom - innerHeight);
    // A wheel scrolls some frames later.
    for (let tries = 0; tries < 20 && await bottom() > 0; tries++) await settled(page);
    const seen = await page.evaluate(() => {
      const height = (id) => document.getElementById(id).getBoundingClientRect().height;
      return { board: height("stage"), chart: height("chances-course"), wide: document.documentElement.scrollWidth - innerWidth };
    });
    seen.below = await bottom();
    assert.ok(seen.board >= 239 && seen.chart > 60 && seen.wide <= 0 && seen.below <= 0, JSON.stringify(seen));
  });
}
