// The page over the real programs: a communication server, the game master, and agents that play.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { LONGEST_TEST_MS, launch, openFor, settled } from "./browser.mjs";
import { stopAndConfirm } from "./people.mjs";
import { newFolder, start } from "./programs.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** Rules with which a game is not over before a slow page has done what is tested. */
const SLOW = { movePenalty: 400 };

/** A server, a game master and a page with the operator's rights; the rules are those of a small board and these. */
async function host(t, other = {}) {
  const server = start(t, "cs", "--port-agentow", "0", "--port-gm", "0", "--log-directory", "");
  const [, agents] = await server.says(/agents.*?(127\.0\.0\.1:\d+)/);
  const [, gm] = await server.says(/game master.*?(127\.0\.0\.1:\d+)/);
  const quick = {
    boardX: 8, boardY: 12, goalAreaHeight: 2, numberOfGoals: 2, numberOfPieces: 5, movePenalty: 40, putPenalty: 20,
    discoveryPenalty: 30, checkForShamPenalty: 30, informationExchangePenalty: 30, destroyPiecePenalty: 20, seed: 7, ...other,
  };
  const rules = Object.entries(quick).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  const master = start(t, "reference-gm", "--cs", gm, "--page", "127.0.0.1:0", "--stay", ...rules);
  const [, address] = await master.says(/the game page is at (\S+)/);
  const { page, complaints } = await openFor(t, browser);
  await page.goto(address);
  await page.waitForFunction(() => window.projectGame?.game.settings);
  const join = () => ["red", "blue"].map((team) =>
    start(t, "bots", "join", agents, "--strategy", "greedy", "--team", team, "--agents", "2"));
  return { page, complaints, master, join };
}

/** What an element says once the page has painted what it was told to. */
const text = async (page, selector) => {
  await settled(page);
  return page.locator(selector).innerText();
};

test("a file of settings is read as `--config` reads it", { timeout: LONGEST_TEST_MS }, async (t) => {
  const { page } = await host(t);
  const load = (values) => page.setInputFiles("#settings-file", { name: "gm.json", mimeType: "application/json", buffer: Buffer.from(values) });
  const seed = () => page.inputValue("#setting-seed");
  await load('{"seed": 12345678901234567891}');
  await page.waitForFunction(() => /gm.json is loaded/.test(document.getElementById("settings-note").innerText));
  assert.equal(await seed(), "12345678901234567891", "a number that has more digits than the page's own");
  await load('{"seed": 12345678901234567892, "CsPort": 1}');
  await page.waitForFunction(() => /CsPort stays/.test(document.getElementById("settings-note").innerText));
  assert.equal(await seed(), "12345678901234567892");
  await load('{"seed": 12345678901234567893, "boardX": 20, "boardX": 21}');
  await page.waitForSelector('[data-name="boardX"].faulty');
  assert.match(await text(page, "#setting-boardX-fault"), /it is given twice; allowed: one value/);
  assert.equal(await seed(), "12345678901234567893");
  assert.ok(await page.locator("#apply").isDisabled());
});

test("the real programs: from the settings through a game to the statistics and the replay", { timeout: LONGEST_TEST_MS }, async (t) => {
  const { page, complaints, master, join: seat } = await host(t);
  assert.ok(await page.locator("#start").isDisabled(), "nobody has joined");
  await page.fill("#setting-goalAreaHeight", "6");
  await page.waitForSelector('[data-name="goalAreaHeight"].faulty');
  await page.fill("#setting-goalAreaHeight", "2");
  await page.fill("#setting-numberOfGoals", "3");
  await page.waitForFunction(() => !document.querySelector(".faulty"));
  await page.click("#apply");
  await page.waitForFunction(() => !window.projectGame.settings.hasChanges);
  assert.match(await text(page, '[data-name="numberOfGoals"] .name'), /from page/);
  const players = seat();
  await page.waitForFunction(() => !document.getElementById("start").disabled);
  await page.waitForFunction(() => document.getElementById("lobby").innerText.match(/agent \d+/gi)?.length === 4);
  await page.click("#start");
  await page.waitForSelector("#page-board:not([hidden])");
  await page.waitForSelector("#page-statistics:not([hidden])");
  assert.match(await text(page, ".outcome"), /seed 7/);
  const folder = await newFolder(t, "replay");
  const saved = page.waitForEvent("download");
  await page.click("#save-replay");
  const replay = join(folder, "game.replay");
  await (await saved).saveAs(replay);
  const verified = start(t, "reference-gm", "verify", replay);
  assert.equal(await verified.ended, 0, "the replay is what was played");
  for (const player of players) assert.equal(await player.ended, 0, "every agent was told the end");
  assert.deepEqual(complaints, []);
  master.child.kill("SIGTERM");
  assert.equal(await master.ended, 0);
});

test("the real programs: a file that is exported opens from disk", { timeout: LONGEST_TEST_MS }, async (t) => {
  const folder = await newFolder(t, "export");
  const [replay, html] = [join(folder, "game of the day.replay"), join(folder, "game.html")];
  const played = start(t, "bots", "--virtual", "--seed", "11", "--strategy", "coordinated", "--against", "liar", "--replay", replay, "--json");
  assert.equal(await played.ended, 0);
  assert.equal(await start(t, "reference-gm", "export", replay, "--html", html).ended, 0);
  const { page, complaints } = await openFor(t, browser);
  await page.goto(pathToFileURL(html).href);
  await page.waitForFunction(() => window.projectGame?.room?.scene);
  assert.equal(await page.title(), "game of the day.replay – The Project Game");
  assert.equal(await page.locator("#banner").isVisible(), false);
  await page.keyboard.press("g");
  assert.match(await text(page, "#points-red") + await text(page, "#points-blue"), /^(10|01)$/);
  await page.keyboard.press("End");
  const { points, shown, remarks } = await page.evaluate(() => {
    const { game } = window.projectGame;
    return { points: game.statistics.points, shown: [...game.head.points], remarks: game.ofKind.remark.length };
  });
  assert.deepEqual(shown, [points.red, points.blue]);
  assert.ok(remarks > 0, "the strategies' remarks are in the replay");
  await page.keyboard.press("3");
  assert.match(await text(page, ".outcome"), /seed 11/);
  assert.match(await text(page, "#every-agent"), /coordinated/);
  // What breaks off in the middle of the feed, as a download does.
  const whole = await readFile(html, "utf8");
  const feedAt = whole.indexOf('id="feed"');
  await writeFile(html, whole.slice(0, feedAt + Math.floor((whole.length - feedAt) / 2)));
  await page.goto("about:blank");
  await page.goto(pathToFileURL(html).href);
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), /The game is shown up to there/);
  assert.ok(await page.evaluate(() => window.projectGame.game.events.length) > 100);
  assert.deepEqual(complaints, []);
});

test("the real programs: a replay that is looked at can be saved", { timeout: LONGEST_TEST_MS }, async (t) => {
  const folder = await newFolder(t, "view");
  const replay = join(folder, "our game.replay");
  assert.equal(await start(t, "bots", "--virtual", "--seed", "2", "--replay", replay).ended, 0);
  const viewer = start(t, "reference-gm", "view", replay);
  const [, address] = await viewer.says(/(http:\/\/\S+)/);
  const { page, complaints } = await openFor(t, browser);
  await page.goto(address);
  await page.waitForFunction(() => window.projectGame?.game.statistics);
  await page.keyboard.press("3");
  const saved = page.waitForEvent("download");
  await page.click("#save-replay");
  assert.equal((await saved).suggestedFilename(), "our game.replay");
  const copy = join(folder, "copy.replay");
  await (await saved).saveAs(copy);
  assert.deepEqual(await readFile(copy), await readFile(replay));
  assert.deepEqual(complaints, []);
});

test("the real programs: settings are saved and loaded, and the operator stops the game", { timeout: LONGEST_TEST_MS }, async (t) => {
  const { page, complaints, join: seat } = await host(t, SLOW);
  const folder = await newFolder(t, "settings");
  await page.fill("#setting-numberOfPieces", "7");
  const saved = page.waitForEvent("download");
  await page.click("#settings-save");
  const file = join(folder, "gm.json");
  await (await saved).saveAs(file);
  const printed = start(t, "reference-gm", "config", "--config", file);
  await printed.says(/numberOfPieces.*7/);
  assert.equal(await printed.ended, 0, "the file is one that the game master reads");
  await page.click("#settings-discard");
  assert.equal(await page.inputValue("#setting-numberOfPieces"), "5");
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), CsPort: 4000, boardX: 9 }));
  await page.setInputFiles("#settings-file", file);
  await page.waitForFunction(() => /is loaded/.test(document.getElementById("settings-note").innerText));
  assert.match(await text(page, "#settings-note"), /CsPort stays/);
  assert.equal(await page.inputValue("#setting-numberOfPieces"), "7");
  await page.click("#apply");
  await page.waitForFunction(() => !window.projectGame.settings.hasChanges);
  assert.deepEqual(complaints, [], "nothing was wrong so far");
  // The browser itself complains of the answer.
  await writeFile(file, '{"boardX": {"a": 1}}');
  await page.setInputFiles("#settings-file", file);
  await page.waitForSelector("#settings-faults:not([hidden])");
  assert.match(await text(page, "#settings-faults"), /gm\.json: no settings/);
  seat();
  await page.waitForFunction(() => !document.getElementById("start").disabled);
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.game.events.length > 5);
  assert.equal(await page.evaluate(() => window.projectGame.game.start.board.columns), 9);
  assert.match(await stopAndConfirm(page), /Really stop\?/);
  await page.waitForSelector("#page-statistics:not([hidden])");
  assert.match(await text(page, ".outcome"), /stopped by the operator/);
});

test("the real programs: agents of the host's own process have strategies and remarks", { timeout: LONGEST_TEST_MS }, async (t) => {
  const bots = start(t, "bots", "--strategy", "coordinated+greedy", "--set", "teamSize=2", "--seed", "3", "--page", "127.0.0.1:0");
  const [, address] = await bots.says(/the game page is at (\S+)/);
  const { page, complaints } = await openFor(t, browser);
  await page.goto(address);
  await page.waitForFunction(() => window.projectGame?.game.start);
  const agents = await page.evaluate(() => window.projectGame.game.start.agents.map(({ name, number }) => `${number} ${name}`));
  assert.deepEqual(agents, ["1 coordinated", "2 greedy", "3 coordinated", "4 greedy"]);
  await page.waitForFunction(() => window.projectGame.game.remarks[0].length > 0);
  await page.click("#agents .agent-row >> nth=0");
  assert.match(await text(page, "#agent-panel h2"), /^1 · coordinated/);
  await page.waitForFunction(() => /moves to/.test(document.getElementById("agent-panel").innerText));
  assert.ok(await page.evaluate(() => window.projectGame.game.events.some(([, word, , note]) => word === "note" && note.shapes.length)));
  assert.deepEqual(complaints, []);
});

test("the real programs: a game master that is killed is missed", { timeout: LONGEST_TEST_MS }, async (t) => {
  const { page, master, join: seat } = await host(t, SLOW);
  seat();
  await page.waitForFunction(() => !document.getElementById("start").disabled);
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.game.events.length > 5);
  master.child.kill("SIGKILL");
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), /The connection to the host was lost in mid-game/);
});

test("the real programs: the server is chosen on the page, and its loss is said there", { timeout: LONGEST_TEST_MS }, async (t) => {
  const server = start(t, "cs", "--port-agentow", "0", "--port-gm", "0", "--log-directory", "");
  const [, port] = await server.says(/game master.*?127\.0\.0\.1:(\d+)/);
  const master = start(t, "reference-gm", "--cs", "127.0.0.1:1", "--page", "127.0.0.1:0", "--stay");
  const [, address] = await master.says(/the game page is at (\S+)/);
  await master.says(/error: no communication server at 127\.0\.0\.1:1/);
  const { page, complaints } = await openFor(t, browser);
  await page.goto(address);
  await page.waitForSelector('[data-name="CsPort"].unreachable');
  assert.match(await text(page, "#setting-CsPort-fault"), /refused/);
  await page.fill("#setting-CsPort", port);
  await page.waitForFunction(() => !document.getElementById("connect").disabled);
  await page.click("#connect");
  await page.waitForFunction(() => window.projectGame.game.server.state === "connected");
  await master.says(new RegExp(`connected to 127\\.0\\.0\\.1:${port}; `));
  assert.ok(await page.locator("#setting-CsPort").isDisabled());
  server.child.kill("SIGKILL");
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), new RegExp(`The communication server at 127\\.0\\.0\\.1:${port} was lost`));
  assert.ok(await page.locator("#connect").isVisible(), "another one can be chosen");
  assert.deepEqual(complaints, []);
  master.child.kill("SIGTERM");
  assert.equal(await master.ended, 1, "no game was hosted");
});
