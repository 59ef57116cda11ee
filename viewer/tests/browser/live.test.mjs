// The page while a game is set up and played.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { afterwards } from "./afterwards.mjs";
import { launch, openFor, openQuiet, settled } from "./browser.mjs";
import { startMaster } from "./master.mjs";
import { stopAndConfirm } from "./people.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** A game master and a page that looks at it; after the test the console must have been silent. */
async function look(t, { who = "operator", silent = true, ...options } = {}) {
  const master = await startMaster(options);
  afterwards(t, () => master.close());
  const page = silent ? await openQuiet(t, browser) : (await openFor(t, browser)).page;
  await page.goto(master[who]);
  await page.waitForFunction(() => window.projectGame?.game.settings);
  return { page, master };
}

/** A game that is not over before a slow page has done what is tested. */
const LONG_GAME = { minutes: 20, goals: 20 };

/** What an element says once the page has painted what it was told to. */
const text = async (page, selector) => {
  await settled(page);
  return page.locator(selector).innerText();
};

test("a game from its settings through start and play to the statistics", async (t) => {
  const { page } = await look(t, { game: { minutes: 1, goals: 3 }, pace: 30 });
  assert.match(await text(page, "#lobby"), /agent 1\n/i);
  assert.match(await text(page, "#lobby-note"), /the game may start/);
  await page.fill("#setting-boardX", "20");
  await page.click("#apply");
  await page.waitForFunction(() => !window.projectGame.settings.hasChanges);
  assert.match(await text(page, '[data-name="boardX"] .name'), /from page/);
  await page.click("#start");
  await page.waitForSelector("#page-board:not([hidden])");
  await page.waitForFunction(() => window.projectGame.game.events.length > 20);
  const before = await page.evaluate(() => window.projectGame.time.t);
  await page.waitForFunction((t) => window.projectGame.time.t > t, before);
  await page.waitForSelector("#page-statistics:not([hidden])");
  assert.match(await text(page, ".outcome"), /seed 7/);
  const saved = page.waitForEvent("download");
  await page.click("#save-replay");
  assert.equal((await saved).suggestedFilename(), "game.replay");
  assert.equal(await page.locator("#stop").isVisible(), false);
  await page.click("#tab-settings");
  assert.equal(await page.locator("#setting-boardX").isDisabled(), true, "after the start nothing can be changed");
});

test("a faulty value is shown at its field, and nothing can be started with it", async (t) => {
  const { page } = await look(t);
  await page.fill("#setting-shamPieceProbability", "1.5");
  assert.match(await text(page, "#setting-shamPieceProbability-fault"), /too large/, "at once, by the range");
  assert.ok(await page.locator("#start").isDisabled());
  assert.equal(await page.getAttribute("#setting-shamPieceProbability", "aria-invalid"), "true");
  await page.fill("#setting-shamPieceProbability", "often");
  assert.match(await text(page, "#setting-shamPieceProbability-fault"), /not a number/);
  await page.fill("#setting-movePenalty", "99999999");
  const [, limits] = (await text(page, "#setting-movePenalty-hint")).match(/^(0 to [\d,]+), /);
  assert.ok((await text(page, "#setting-movePenalty-fault")).endsWith(`allowed: ${limits}`), "limits are written in one way");
  await page.fill("#setting-movePenalty", "300");
  await page.fill("#setting-shamPieceProbability", "0.2");
  await page.fill("#setting-goalAreaHeight", "20");
  await page.waitForSelector('[data-name="goalAreaHeight"].faulty');
  assert.match(await text(page, "#setting-goalAreaHeight-fault"), /no row is left for the task area; allowed: at most 19/);
  assert.ok(await page.locator("#start").isDisabled());
  await page.fill("#setting-goalAreaHeight", "5");
  await page.waitForFunction(() => !document.querySelector(".faulty"));
  assert.equal(await page.locator("#start").isDisabled(), false);
});

test("what is typed while settings are applied stays", async (t) => {
  const { page } = await look(t);
  let goOn;
  const held = new Promise((resolve) => { goOn = resolve; });
  await page.route("**/settings", async (route) => {
    const answer = await route.fetch();
    await held;
    await route.fulfill({ response: answer });
  });
  await page.fill("#setting-boardX", "20");
  await page.click("#apply");
  await page.fill("#setting-boardY", "44");
  goOn();
  await page.waitForFunction(() => /from page/.test(document.querySelector('[data-name="boardX"] .name').innerText) && window.projectGame.game.settings.faults);
  await page.waitForFunction(() => !document.getElementById("apply").disabled);
  assert.deepEqual([await page.inputValue("#setting-boardX"), await page.inputValue("#setting-boardY")], ["20", "44"]);
  assert.deepEqual(await page.evaluate(() => window.projectGame.settings.changes()), { boardY: 44 });
});

test("settings of other names are shown, and after a fault of the page further messages are taken", async (t) => {
  const { page, master } = await look(t, { silent: false, given: { teamSize: 4 } });
  await page.evaluate(() => {
    const { game, connection } = window.projectGame, settings = structuredClone(game.settings);
    settings.parameters.find(({ name }) => name === "boardX").name = "boardWidth";
    connection.socket.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(settings) }));
  });
  await page.waitForSelector("#setting-boardWidth");
  await page.evaluate(() => {
    const { list, messages } = window.projectGame;
    messages.takeAll = () => {
      delete messages.takeAll;
      list.missing.grow();
    };
  });
  master.join("red", 9);
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), /^A fault of this page: .*It may show something wrong until it is loaded again/);
  master.join("red", 11);
  await page.waitForFunction(() => /agent 11/.test(document.getElementById("lobby").innerText));
});

test("settings are saved to a file and loaded from one", async (t) => {
  const { page } = await look(t);
  await page.fill("#setting-movePenalty", "300");
  const saved = page.waitForEvent("download");
  await page.click("#settings-save");
  const stream = await (await saved).createReadStream();
  let saidByFile = "";
  for await (const piece of stream) saidByFile += piece;
  assert.deepEqual(JSON.parse(saidByFile), { movePenalty: 300 }, "a default is no choice of the operator");
  const file = (values) => ({ name: "gm.json", mimeType: "application/json", buffer: Buffer.from(values) });
  await page.setInputFiles("#settings-file", file('{"boardX": 12, "boardY": 24, "movePenalty": -1}'));
  await page.waitForSelector('[data-name="movePenalty"].faulty');
  assert.equal(await page.inputValue("#setting-boardX"), "12");
  await page.setInputFiles("#settings-file", file('{"boradX": 12}'));
  await page.waitForSelector("#settings-faults:not([hidden])");
  assert.match(await text(page, "#settings-faults"), /boradX: unknown parameter/);
  await page.setInputFiles("#settings-file", file("no JSON"));
  await page.waitForFunction(() => document.getElementById("settings-faults").innerText.startsWith("gm.json"));
});

test("faulty settings are counted in the lobby, which leads to the first", async (t) => {
  const { page } = await look(t);
  assert.match(await text(page, "#lobby"), /the game may start/);
  await page.fill("#setting-shamPieceProbability", "1.5");
  await page.fill("#setting-boardX", "0");
  await page.waitForFunction(() => /2 settings are faulty/.test(document.getElementById("lobby").innerText));
  assert.doesNotMatch(await text(page, "#lobby"), /may start/);
  await page.click("#lobby-faults-show");
  assert.equal(await page.evaluate(() => document.activeElement.id), "setting-boardX");
  await page.fill("#setting-boardX", "20");
  await page.waitForFunction(() => /1 setting is faulty/.test(document.getElementById("lobby").innerText));
  await page.click("#settings-discard");
  await page.waitForFunction(() => /may start/.test(document.getElementById("lobby").innerText));
  assert.equal(await page.inputValue("#setting-boardX"), "40");
  assert.ok(await page.locator("#settings-discard").isDisabled());
});

test("a fault stays when somebody joins", async (t) => {
  const { page, master } = await look(t, { given: { teamSize: 4 } });
  await page.fill("#setting-boardX", "0");
  await page.waitForSelector('[data-name="boardX"].faulty');
  master.join("red", 9);
  await page.waitForFunction(() => /agent 9/.test(document.getElementById("lobby").innerText));
  assert.match(await text(page, "#setting-boardX-fault"), /too small/);
  assert.match(await text(page, "#lobby"), /1 setting is faulty/);
  assert.ok(await page.locator("#start").isDisabled());
});

test("every setting stands in a group of its kind, with its unit", async (t) => {
  const { page } = await look(t, {});
  const groups = await page.locator("#settings-groups legend").allTextContents();
  assert.deepEqual(groups, ["Communication server", "Board", "Teams, goals and pieces", "Cost of actions", "Messages and chance"]);
  const unit = (name) => page.locator(`[data-name="${name}"] .unit`).textContent();
  assert.deepEqual([await unit("boardX"), await unit("boardY"), await unit("movePenalty"), await unit("shamPieceProbability")],
    ["columns", "rows", "ms", "0–1"]);
});

test("settings go back to their defaults", async (t) => {
  const { page } = await look(t, { given: { boardX: 12, landingPickUp: false } });
  assert.equal(await page.inputValue("#setting-boardX"), "12");
  await page.click("#settings-defaults");
  assert.equal(await page.inputValue("#setting-boardX"), "40");
  assert.ok(await page.isChecked("#setting-landingPickUp"));
  await page.click("#apply");
  await page.waitForFunction(() => !window.projectGame.settings.hasChanges);
  await page.reload();
  await page.waitForFunction(() => window.projectGame?.game.settings);
  assert.equal(await page.inputValue("#setting-boardX"), "40");
});

test("a file that cannot be read says why, and changes nothing", async (t) => {
  const { page } = await look(t, { silent: false });
  const file = (values) => ({ name: "gm.json", mimeType: "application/json", buffer: Buffer.from(values) });
  await page.setInputFiles("#settings-file", file('{"boardX": {"a": 1}, "boardY": 24}'));
  await page.waitForSelector("#settings-faults:not([hidden])");
  assert.match(await text(page, "#settings-faults"), /gm\.json: no settings: invalid type/);
  assert.equal(await page.inputValue("#setting-boardX"), "40");
  assert.equal(await page.inputValue("#setting-boardY"), "40");
  assert.ok(await page.locator("#apply").isDisabled());
});

test("the connection is no setting of the page, whatever a file says", async (t) => {
  const { page } = await look(t);
  assert.ok(await page.locator("#setting-CsIP").isDisabled() && await page.locator("#setting-CsPort").isDisabled());
  const file = { name: "gm.json", mimeType: "application/json", buffer: Buffer.from('{"CsPort": 4000, "CsIP": "127.0.0.1", "boardX": 12}') };
  await page.setInputFiles("#settings-file", file);
  await page.waitForFunction(() => /gm.json is loaded/.test(document.getElementById("settings-note").innerText));
  assert.match(await text(page, "#settings-note"), /CsPort stays: the game master is connected already/);
  assert.equal(await page.inputValue("#setting-CsPort"), "3728");
  await page.click("#apply");
  await page.waitForFunction(() => !window.projectGame.settings.hasChanges);
});

test("what went wrong is said until it is closed, or succeeds", async (t) => {
  const { page, master } = await look(t, { silent: false });
  master.refuse("start", "a team has no agents yet");
  await page.click("#start");
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), /The game cannot start: a team has no agents yet/);
  await page.click("#banner >> role=button[name=Close]");
  assert.equal(await page.locator("#banner").isVisible(), false);
  await page.click("#start");
  await page.waitForSelector("#banner:not([hidden])");
  master.refuse("start", null);
  await page.click("#start");
  await page.waitForSelector("#page-board:not([hidden])");
  await page.waitForFunction(() => document.getElementById("banner").hidden);
});

test("the operator stops the game", async (t) => {
  const { page } = await look(t, { pace: 5 });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.game.events.length > 20);
  await page.dblclick("#stop");
  assert.match(await text(page, "#stop"), /Really stop\?/);
  assert.equal(await page.evaluate(() => window.projectGame.ended), false, "a double click by accident ends no game");
  await page.waitForFunction(() => document.getElementById("stop").innerText === "Stop the game");
  assert.equal(await stopAndConfirm(page), "Really stop?");
  await page.waitForSelector("#page-statistics:not([hidden])");
  assert.match(await text(page, ".outcome"), /stopped by the operator/);
});

test("who looks back in a live game comes back to it", async (t) => {
  const { page } = await look(t, { pace: 10 });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.time.t > 10_000);
  await page.locator("#scrub").fill("2000");
  assert.equal(await page.getAttribute("#follow-live", "aria-pressed"), "false");
  await settled(page);
  assert.equal(await page.evaluate(() => window.projectGame.time.t), 2000);
  for (const come of [() => page.click("#follow-live"), () => page.click("#last"), () => page.keyboard.press("End")]) {
    await page.locator("#scrub").fill("2000");
    await come();
    await page.waitForFunction(() => window.projectGame.time.t > 10_000);
    assert.equal(await page.getAttribute("#follow-live", "aria-pressed"), "true");
  }
});

test("the charts' cursors stay in the charts of a game that grows", async (t) => {
  const { page } = await look(t, { game: { minutes: 5, goals: 20 }, pace: 40 });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.time.t > 2000);
  const outside = await page.evaluate(() => new Promise((done) => {
    const begun = performance.now(), seen = [];
    const look = () => {
      for (const id of ["course-cursor", "gantt-cursor"]) {
        const cursor = document.getElementById(id).getBoundingClientRect();
        const chart = document.getElementById(id).parentElement.getBoundingClientRect();
        if (cursor.left > chart.right - 8) seen.push([id, cursor.left, chart.right, window.projectGame.time.t]);
      }
      if (performance.now() - begun < 3000) requestAnimationFrame(look);
      else done(seen);
    };
    look();
  }));
  assert.deepEqual(outside, []);
  const [, to] = await page.evaluate(() => window.projectGame.room.charts.whole);
  assert.equal(to % 10_000, 0, "the axis ends at a round moment");
});

test("a link to a moment of a game under way, or over, shows that moment", async (t) => {
  const { page, master } = await look(t, { pace: 10 });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.time.t > 6000);
  const shown = () => page.evaluate(() => {
    const { time: { t, following }, room: { selected, view } } = window.projectGame;
    return { t, selected, view, following };
  });
  const moment = { t: 3000, selected: 2, view: "red", following: false };
  const other = await page.context().newPage();
  await other.goto(`${master.spectator}#t=3000&agent=3&view=red`);
  await other.waitForFunction(() => window.projectGame?.time.t === 3000);
  assert.deepEqual(await other.evaluate(() => {
    const { time: { t, following }, room: { selected, view } } = window.projectGame;
    return { t, selected, view, following };
  }), moment);
  await page.keyboard.press("]");
  await page.waitForFunction(() => location.hash === "#agent=1");
  await page.evaluate(() => { location.hash = "#t=3000&agent=3&view=red"; });
  await page.waitForFunction(() => window.projectGame.time.t === 3000);
  assert.deepEqual(await shown(), moment);
  await page.evaluate(() => {
    window.projectGame.time.follow(true);
    window.projectGame.lobby.stop();
  });
  await page.waitForSelector("#page-statistics:not([hidden])");
  await other.goto("about:blank");
  await other.goto(`${master.spectator}#t=3000&agent=3&view=red`);
  await other.waitForFunction(() => window.projectGame?.ended);
  assert.equal(await other.evaluate(() => window.projectGame.time.t), 3000);
});

test("the operator's token leaves the address, and a page that is loaded again is the operator's", async (t) => {
  const { page, master } = await look(t);
  assert.equal(page.url(), master.spectator);
  assert.ok(await page.locator("#start").isVisible());
  await page.reload();
  await page.waitForFunction(() => window.projectGame?.game.settings);
  assert.ok(await page.locator("#start").isVisible());
  await page.fill("#setting-boardX", "20");
  await page.click("#apply");
  await page.waitForFunction(() => !window.projectGame.settings.hasChanges);
  const other = await (await browser.newContext()).newPage();
  await other.goto(master.spectator);
  await other.waitForFunction(() => window.projectGame?.game.settings);
  assert.equal(await other.locator("#start").isVisible(), false, "nobody else is the operator by that");
  await other.context().close();
});

test("where nothing can be stored the operator's token stays in the address", async (t) => {
  const master = await startMaster();
  afterwards(t, () => master.close());
  const page = await openQuiet(t, browser);
  await page.addInitScript(() => {
    Object.defineProperty(window, "sessionStorage", { get() { throw new DOMException("denied", "SecurityError"); } });
  });
  await page.goto(master.operator);
  await page.waitForFunction(() => window.projectGame?.game.settings);
  assert.ok(await page.locator("#start").isVisible());
  assert.equal(page.url(), master.operator);
});

test("the statistics of a game under way are kept up", async (t) => {
  const { page } = await look(t, { game: LONG_GAME, pace: 20 });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.game.events.length > 20);
  await page.keyboard.press("3");
  await page.waitForSelector("#page-statistics:not([hidden])");
  const moves = () => page.locator("#every-agent tr.sum td:nth-child(2)").allInnerTexts().then((texts) => texts.map(Number));
  const [red, blue] = await moves();
  await page.focus("#save-statistics");
  await page.waitForFunction(([red, blue]) => {
    const [nowRed, nowBlue] = [...document.querySelectorAll("#every-agent tr.sum td:nth-child(2)")].map(({ innerText }) => Number(innerText));
    return nowRed > red && nowBlue > blue;
  }, [red, blue]);
  assert.equal(await page.evaluate(() => document.activeElement.id), "save-statistics");
  await page.evaluate(() => window.projectGame.lobby.stop());
  await page.waitForFunction(() => /stopped by the operator/.test(document.querySelector(".outcome").innerText));
  assert.equal(await page.locator("#banner").isVisible(), false);
});

test("the end of a game is told, and leaves who looks back where they are", async (t) => {
  const { page } = await look(t, { game: LONG_GAME, pace: 20 });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.time.t > 6000);
  await page.locator("#scrub").fill("2000");
  await page.evaluate(() => window.projectGame.lobby.stop());
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), /Game over: .*stopped by the operator/);
  assert.match(await page.locator("#announce").textContent(), /Game over: (Red|Blue|Nobody) wins, red \d+, blue \d+/);
  assert.ok(await page.locator("#page-board").isVisible());
  assert.equal(await page.evaluate(() => window.projectGame.time.t), 2000);
  await page.click("text=See the statistics");
  assert.ok(await page.locator("#page-statistics").isVisible());
  assert.equal(await page.locator("#banner").isVisible(), false);
});

test("a game that is broken off is told as such, and its replay is there", async (t) => {
  const { page, master } = await look(t, { game: LONG_GAME, pace: 10 });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.game.events.length > 20);
  master.letGo();
  await page.waitForSelector("#page-statistics:not([hidden])");
  assert.match(await text(page, ".outcome"), /The game so far\s+broken off: the host has let the match go before its end · /);
  assert.equal(await page.locator("#announce").textContent(), "The game is broken off: the host has let the match go before its end");
  assert.equal(await text(page, "#status"), "broken off");
  assert.equal(await page.locator("#banner").isVisible(), false, "it is told once");
  const saved = page.waitForEvent("download");
  await page.click("#save-replay");
  assert.equal((await saved).suggestedFilename(), "game.replay");
});

test("agents have the same numbers in the lobby, on the board, in lists and in links", async (t) => {
  const { page } = await look(t, { pace: 10 });
  assert.match(await text(page, "#lobby-red"), /agent 1\n.*agent 3/is);
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.game.events.length > 20);
  const rows = await page.locator("#agents .who").allInnerTexts();
  assert.deepEqual(rows.map((row) => parseInt(row, 10)), [1, 3, 5, 7, 2, 4, 6, 8]);
  await page.click("#agents .agent-row >> nth=1");
  assert.match(await text(page, "#agent-panel h2"), /^agent 3/);
  assert.doesNotMatch(await text(page, "#agent-panel h2"), /3[^]*3/, "the number stands there once");
  await page.selectOption("#filter", "all");
  const listed = await page.locator("#events .event:visible b").allInnerTexts();
  assert.ok(listed.length > 3 && listed.every((number) => number >= 1 && number <= 8), listed.join());
  await page.evaluate(() => window.projectGame.lobby.stop());
  await page.waitForSelector("#page-statistics:not([hidden])");
  assert.match(await text(page, ".times"), /\b8\b/);
  assert.doesNotMatch(await text(page, ".times .who >> nth=0"), /0/);
});

test("who is not the operator reads only", async (t) => {
  const { page } = await look(t, { who: "spectator" });
  assert.equal(await page.locator("#start").isVisible(), false);
  assert.equal(await page.locator("#apply").isVisible(), false);
  assert.equal(await page.locator("#setting-boardX").isDisabled(), true);
  assert.match(await text(page, "#read-only"), /Read-only/);
});

test("points are announced to who does not see them", async (t) => {
  const { page } = await look(t, { game: { minutes: 3, goals: 20, sham: 0 }, pace: 60 });
  await page.click("#start");
  await page.waitForFunction(() => /Red \d+, blue \d+/.test(document.getElementById("announce").textContent));
  assert.equal(await page.getAttribute("#announce", "aria-live"), "polite");
});

test("a connection that is lost is made again, and the game is followed on", async (t) => {
  const { page, master } = await look(t, { pace: 10 });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.game.events.length > 20);
  const before = await page.evaluate(() => window.projectGame.game.events.length);
  master.drop();
  await page.waitForFunction((before) => window.projectGame.isConnected && window.projectGame.game.events.length > before, before);
  await page.waitForFunction(() => window.projectGame.time.following && window.projectGame.time.t > 5000);
  assert.equal(await page.locator("#banner").isVisible(), false, "nobody is gone");
  assert.match(await text(page, "#status"), /^live$/);
  assert.ok(await page.locator("#stop").isVisible());
  const events = await page.evaluate(() => window.projectGame.game.events.map(([t]) => t));
  assert.deepEqual(events, [...events].sort((one, other) => one - other));
});

test("a connection that goes silent without an end is lost, and made again", async (t) => {
  const { page, master } = await look(t, { pace: 10, timeoutMs: 1500, silent: false });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.game.events.length > 20);
  await page.route("**/stop", (route) => route.abort());
  await page.evaluate(() => window.projectGame.lobby.stop());
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), /The host does not answer/);
  // The page cannot come back before it was seen to be gone.
  await page.route("**/feed/open", (route) => route.abort());
  const before = await page.evaluate(() => window.projectGame.game.events.length);
  master.silence();
  await page.waitForFunction(() => !window.projectGame.isConnected);
  await page.waitForFunction(() => document.getElementById("status").innerText === "connection lost");
  await page.unroute("**/feed/open");
  await page.waitForFunction((before) => window.projectGame.isConnected && window.projectGame.game.events.length > before, before);
  await page.waitForFunction(() => window.projectGame.time.following && document.getElementById("banner").hidden);
  assert.match(await text(page, "#status"), /^live$/);
});

test("who looks back when the connection is lost goes on looking at the same moment", async (t) => {
  const { page, master } = await look(t, { pace: 10, silent: false });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.time.t > 6000);
  await page.locator("#scrub").fill("2000");
  for (const key of ["]", "b", "+", "+"]) await page.keyboard.press(key);
  const camera = () => page.evaluate(() => window.projectGame.room.board.camera);
  const looked = await camera();
  // The page cannot come back before it was seen to be gone.
  await page.route("**/feed/open", (route) => route.abort());
  master.drop();
  await page.waitForFunction(() => !window.projectGame.isConnected);
  await page.unroute("**/feed/open");
  await page.waitForFunction(() => window.projectGame.isConnected && window.projectGame.game.duration > 2000 && window.projectGame.time.wanted === null);
  await settled(page);
  assert.deepEqual(await page.evaluate(() => {
    const { time: { t, following }, room: { selected, belief }, tab } = window.projectGame;
    return { t, selected, belief, following, tab };
  }), { t: 2000, selected: 0, belief: true, following: false, tab: "board" });
  assert.deepEqual(await camera(), looked, "at the same part of the board");
});

test("who looks back while there is no connection is left there when it is made again", async (t) => {
  const { page, master } = await look(t, { pace: 10, silent: false });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.time.t > 6000);
  // The page cannot come back before it has been scrubbed.
  await page.route("**/feed/open", (route) => route.abort());
  master.drop();
  await page.waitForSelector("#banner:not([hidden])");
  await page.locator("#scrub").fill("3000");
  await page.unroute("**/feed/open");
  await page.waitForFunction(() => window.projectGame.isConnected && window.projectGame.time.wanted === null);
  await settled(page);
  assert.deepEqual(await page.evaluate(() => [window.projectGame.time.t, window.projectGame.time.following]), [3000, false]);
  assert.equal(await page.locator("#banner").isVisible(), false);
});

test("who finds no seat is told why, and gets the next one", async (t) => {
  const { page, master } = await look(t, { seats: 1, silent: false });
  const other = await page.context().newPage();
  await other.goto(master.spectator);
  await other.waitForSelector("#banner:not([hidden])");
  assert.match(await text(other, "#banner"), /No seat for a viewer: it has as many viewers as it can serve/);
  assert.doesNotMatch(await text(other, "#banner"), /gone/);
  await page.close();
  await other.waitForFunction(() => window.projectGame.game.settings);
  assert.equal(await other.locator("#banner").isVisible(), false);
});

test("a game master that comes back is found", async (t) => {
  const { page, master } = await look(t, { silent: false, pace: 10 });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.game.events.length > 5);
  await master.kill();
  await page.waitForSelector("#banner:not([hidden])");
  const next = await startMaster({ port: master.port, lobby: { red: [7], blue: [] } });
  afterwards(t, () => next.close());
  await page.waitForSelector("#page-settings:not([hidden])");
  assert.match(await text(page, "#lobby-red"), /agent 7/);
  assert.equal(await page.locator("#banner").isVisible(), false);
  assert.equal(await page.locator("#start").isVisible(), false, "the token was the other's");
  assert.ok(await page.locator("#tab-board").isDisabled());
});

test("a game master that is killed is missed", async (t) => {
  const { page, master } = await look(t, { silent: false });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.game.events.length > 5);
  await master.kill();
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), /The connection to the host was lost in mid-game/);
  assert.match(await text(page, "#status"), /connection lost/);
  assert.equal(await page.locator("#stop").isVisible(), false);
  await page.click("#first");
  await settled(page);
  assert.equal(await page.evaluate(() => window.projectGame.time.t), 0, "what was seen can be looked at");
});

test("a game master that is killed in the lobby is missed", async (t) => {
  const { page, master } = await look(t, { silent: false });
  await master.kill();
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), /The connection to the host was lost/);
  assert.ok(await page.locator("#start").isDisabled());
});

test("a warning of the game master is told", async (t) => {
  const { page, master } = await look(t, { pace: 20 });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.game.events.length > 0);
  master.warn("agent 7 has sent no request for 10 s");
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), /The game master warns: agent 7 has sent no request for 10 s/);
});

test("the end of a host is told", async (t) => {
  const { page, master } = await look(t);
  master.goodbye("the communication server was lost");
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), /The host has ended: the communication server was lost/);
});

/** What is on the clipboard that the page writes to. */
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

test("the lobby says how to join, with a command to copy, and what starts the game", async (t) => {
  const { page, master } = await look(t, {
    given: { teamSize: 4 }, lobby: { red: [1, 3, 5], blue: [2], startsWhenFull: true, startsAfterMs: 30000 },
  });
  assert.match(await text(page, "#lobby-server"), /127\.0\.0\.1:3728\s+connected/);
  assert.match(await text(page, "#lobby-join"), /Agents connect to 127\.0\.0\.1:3727/);
  assert.equal(await text(page, "#join-command"), "bots join 127.0.0.1:3727 --team blue --agents 3");
  assert.match(await text(page, "#lobby-note"), /starts by itself when both teams are full, or 30 s after/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("#join-copy");
  await page.waitForSelector("#toast.shown");
  assert.equal(await clipboard(page), await text(page, "#join-command"));
  // The port for agents is known only beside the usual one.
  master.contact({ port: 4000, agentsPort: null });
  await page.waitForFunction(() => window.projectGame.game.server.port === 4000);
  assert.match(await text(page, "#join-command"), /127\.0\.0\.1:PORT /);
  assert.match(await text(page, "#lobby-join"), /the server's port for agents/);
  for (const agent of [7, 9]) master.join("blue", agent);
  master.join("red", 8);
  master.join("blue", 11);
  await page.waitForFunction(() => window.projectGame.game.lobby.blue.length === 4);
  assert.equal(await page.locator("#lobby-join").isVisible(), false, "nobody else can join");
});

test("without a game that starts by itself the lobby says nothing of it", async (t) => {
  const { page } = await look(t);
  assert.doesNotMatch(await text(page, "#lobby-note"), /by itself/);
});

test("the server is chosen on the page where it cannot be reached", async (t) => {
  const server = { state: "failed", field: "CsPort", why: "Connection refused" };
  const { page, master } = await look(t, { lobby: { red: [], blue: [] }, server });
  assert.match(await text(page, "#server-state"), /no connection: Connection refused/);
  assert.match(await text(page, "#setting-CsPort-fault"), /Connection refused/);
  assert.equal(await page.locator("#lobby-join").isVisible(), false, "there is nothing to join yet");
  assert.equal(await page.locator("#lobby-faults").isVisible(), false, "the same server may be there now");
  await page.click("#server-change");
  assert.equal(await page.evaluate(() => document.activeElement.id), "setting-CsPort");
  await page.fill("#setting-CsPort", "99999");
  await page.waitForSelector('[data-name="CsPort"].faulty');
  assert.ok(await page.locator("#connect").isDisabled(), "with a faulty port there is nothing to connect to");
  await page.fill("#setting-CsIP", "cs.example");
  await page.fill("#setting-CsPort", "4000");
  await page.waitForFunction(() => !document.querySelector(".faulty"));
  await page.press("#setting-CsPort", "Enter");
  await page.waitForFunction(() => window.projectGame.game.server.state === "connecting");
  assert.deepEqual(master.connects, ["cs.example:4000"]);
  assert.match(await text(page, "#server-address"), /cs\.example:4000/);
  master.contact({ state: "failed", field: "CsIP", why: "no such name" });
  await page.waitForSelector('[data-name="CsIP"].unreachable');
  assert.match(await text(page, "#setting-CsIP-fault"), /no such name/);
  assert.equal(await text(page, "#setting-CsPort-fault"), "");
  await page.click("#connect");
  await page.waitForFunction(() => window.projectGame.game.server.state === "connecting");
  assert.equal(master.connects.length, 2);
  master.contact({ state: "connected" });
  await page.waitForSelector("#connect-row", { state: "hidden" });
  assert.ok(await page.locator("#setting-CsIP").isDisabled(), "the connection stays as it is");
  assert.match(await text(page, "#server-state"), /connected/);
  assert.equal(await page.locator(".unreachable").count(), 0);
  assert.ok(await page.locator("#lobby-join").isVisible());
});

test("spectators see that there is no connection and cannot make one", async (t) => {
  const { page } = await look(t, { who: "spectator", lobby: { red: [], blue: [] }, server: { state: "failed", field: "CsIP", why: "no such name" } });
  assert.match(await text(page, "#server-state"), /no such name/);
  assert.equal(await page.locator("#connect").isVisible(), false);
});

test("a server that is lost is said at once, in the lobby and in a game", async (t) => {
  const { page, master } = await look(t, { pace: 10 });
  master.contact({ state: "lost", why: "it closed the connection" });
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), /The communication server at 127\.0\.0\.1:3728 was lost: it closed the connection/);
  assert.ok(await page.locator("#connect").isVisible());
  master.contact({ state: "connected" });
  await page.waitForSelector("#banner", { state: "hidden" });
  await page.click("#start");
  await page.waitForFunction(() => window.projectGame.game.events.length > 5);
  master.contact({ state: "lost", why: "Connection reset by peer" });
  await page.waitForSelector("#banner:not([hidden])");
  assert.match(await text(page, "#banner"), /was lost: Connection reset by peer/);
});
