// People who play Eriantys on the page of the real server, against bots.

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { LONGEST_TEST_MS, launch, pageAt, settled } from "./browser.mjs";
import { turn } from "./people.mjs";
import { newFolder, start } from "./programs.mjs";

/** With this seed the first match of a server has the monk. */
const SEED_WITH_MONK = 3;

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** A page at this address; whatever its browser complains of fails the test. */
const visit = (t, address, options) => pageAt(t, browser, address, options);

/** A server with `greedy` for the last free seat: the page's address, and where replays are. Nobody is lost by being slow. */
async function serve(t, folder, seed) {
  const server = start(t, "reference-gm", "eriantys", "serve", "--port", "0", "--page", "127.0.0.1:0", "--folder", folder,
    "--seed", String(seed), "--bots", "1", "--bot-wait-ms", "0", "--ping-ms", "3600000", "--wait-ms", "3600000");
  const [, address] = await server.says(/the page is at (\S+)/);
  return { address, folder, server };
}

/** Fills in the form of a new match, and asks for it. */
async function openMatch(page, name, choices) {
  await page.click("#tab-matches");
  await page.fill("#play-name", name);
  for (const [field, value] of Object.entries(choices)) await page.selectOption(`select[data-offer="new"][name="${field}"]`, value);
  await page.getByRole("button", { name: /^Open a match/ }).click();
}

/** Waits until the person is to choose; false when the match is over. */
async function toChoose(page) {
  if (!await turn(page)) return false;
  // The texts beside the board are written several times a second at the most.
  await page.waitForFunction(() => {
    const { room } = window.projectGame;
    return document.querySelector("#eriantys-buttons button") && room.written === room.latest.table;
  });
  await settled(page);
  return true;
}

const choices = (page) => page.locator("#eriantys-buttons button").evaluateAll((buttons) => buttons.map(({ dataset }) => dataset.choice));

/** How often events of a kind of the person have happened. */
const count = (page, kind) => page.evaluate((name) => {
  const { game, matches } = window.projectGame;
  return game.ofKind[name].filter((index) => game.events[index][2] === matches.person.agent).length;
}, kind);

/** Acts, and waits until the page knows of a further event of this kind. */
async function acted(page, kind, act) {
  const had = await count(page, kind);
  await act();
  await page.waitForFunction(([name, before]) => {
    const { game, matches } = window.projectGame;
    return !matches.isActing && game.ofKind[name].filter((index) => game.events[index][2] === matches.person.agent).length > before;
  }, [kind, had]);
}

/** Clicks on what is marked on the table. */
async function clickMarked(page, selector) {
  const { x, y } = await page.locator(selector).first().evaluate((marked) => {
    const { left, top, width, height } = marked.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  });
  await page.mouse.click(x, y);
}

/** Plays a round by mouse: whatever lies on the table is clicked there. */
async function roundByMouse(page) {
  assert.ok(await toChoose(page));
  await acted(page, "assistant", () => page.locator("#eriantys-buttons button").last().click());
  for (let student = 0; student < 3; student++) {
    assert.ok(await toChoose(page));
    await clickMarked(page, '#eriantys-schools [data-choice^="entrance"]');
    await page.waitForSelector('#eriantys-buttons [data-choice^="island"]');
    if (student === 0) await acted(page, "island", () => clickMarked(page, '#eriantys-ring [data-choice^="island"] .land circle'));
    else await acted(page, "dining", () => clickMarked(page, '#eriantys-schools [data-choice^="dining"]'));
  }
  assert.ok(await toChoose(page));
  await acted(page, "steps", () => clickMarked(page, '#eriantys-ring [data-choice^="steps"] .land circle'));
  assert.ok(await toChoose(page));
  await acted(page, "cloud", () => clickMarked(page, "#eriantys-ring .cloud[data-choice] path"));
}

/** Leads the keyboard to a choice, and takes it. */
async function chooseByKeys(page, choice) {
  const all = await choices(page), place = all.findIndex((one) => one.startsWith(choice));
  assert.ok(place >= 0, `${choice} among ${all}`);
  await page.waitForFunction(() => document.getElementById("eriantys-buttons").contains(document.activeElement));
  for (let pressed = 0; pressed < all.length; pressed++) {
    if (await page.evaluate(() => document.activeElement.dataset.choice) === all[place]) break;
    await page.keyboard.press("ArrowRight");
  }
  assert.equal(await page.evaluate(() => document.activeElement.dataset.choice), all[place]);
  await page.keyboard.press("Enter");
}

/** Plays to the end: the page presses the last button whenever there is one. */
const playOut = (page) => page.evaluate(() => new Promise((done) => {
  const press = () => {
    if (window.projectGame.matches.person?.over) {
      done();
      return;
    }
    document.querySelector("#eriantys-buttons button:last-child")?.click();
    setTimeout(press, 0);
  };
  press();
}));

/** Ends a server, and verifies its only replay. */
async function checkReplay(t, { folder, server }) {
  server.child.kill("SIGTERM");
  assert.equal(await server.ended, 0);
  const [replay, ...more] = await readdir(join(folder, "matches"));
  assert.deepEqual(more, []);
  const verified = start(t, "reference-gm", "verify", join(folder, "matches", replay));
  assert.ok(await verified.says(/every hash is as recorded/));
  assert.equal(await verified.ended, 0);
}

test("a person opens a match, and plays all of it against greedy", { timeout: LONGEST_TEST_MS }, async (t) => {
  const hosted = await serve(t, await newFolder(t, "eriantys"), 5);
  const page = await visit(t, hosted.address);
  // What cannot be is said where it was chosen.
  await openMatch(page, "Ann", { players: "2", rules: "simple", tower: "grey", wizard: "sage" });
  await page.waitForSelector("#play-fault:has-text('grey towers are not free: expected white or black')");
  await openMatch(page, "Ann", { tower: "black" });
  await roundByMouse(page);
  if (process.env.PICTURES) {
    await toChoose(page);
    await page.screenshot({ path: `${process.env.PICTURES}/eriantys-playing.png` });
  }
  await playOut(page);
  await page.waitForSelector("#seat-text:has-text('The match is over: ')");
  assert.deepEqual((await page.evaluate(() => window.projectGame.game.start.agents.map(({ name }) => name))).sort(), ["Ann", "greedy-bot1"]);
  assert.equal(await page.evaluate(() => window.projectGame.game.start.seed), null, "nobody can know what the bag gives");
  assert.ok(await page.locator("#eriantys-choices").isHidden());
  page.removeAllListeners("console"); // The server ends, and the browser says so.
  await checkReplay(t, hosted);
});

test("a person plays a character by keyboard, and comes back twice", { timeout: LONGEST_TEST_MS }, async (t) => {
  const folder = await newFolder(t, "eriantys");
  const hosted = await serve(t, folder, SEED_WITH_MONK);
  const page = await visit(t, hosted.address);
  await openMatch(page, "Kim", { players: "2", rules: "expert" });
  assert.ok(await toChoose(page));
  await chooseByKeys(page, "assistant");
  assert.ok(await toChoose(page));
  // A choice is taken back, and others are as they were.
  const first = await choices(page);
  await chooseByKeys(page, "card monk");
  await page.waitForSelector('#eriantys-buttons [data-choice^="colour"]');
  await page.keyboard.press("Escape");
  assert.deepEqual(await choices(page), first);
  await chooseByKeys(page, "card monk");
  await page.waitForSelector('#eriantys-buttons [data-choice^="colour"]');
  await chooseByKeys(page, "colour");
  await page.waitForSelector('#eriantys-buttons [data-choice^="island"]');
  assert.equal(await page.locator('#eriantys-ring [data-choice^="island"]').count(), 12);
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/eriantys-monk.png` });
  await acted(page, "character", () => chooseByKeys(page, "island 5"));
  const played = await page.evaluate(() => {
    const { game } = window.projectGame;
    return game.events[game.ofKind.character.at(-1)][3];
  });
  assert.deepEqual([played.character, played.island], ["monk", 5]);
  // The page is lost, and comes back to its seat.
  await page.reload();
  assert.ok(await toChoose(page));
  await page.waitForSelector("#seat-text:text-is('Kim, it is your turn.')");
  // The server is lost, and goes on with the match; the person takes the same seat again.
  page.removeAllListeners("console");
  hosted.server.child.kill("SIGKILL");
  await hosted.server.ended;
  const next = await serve(t, folder, SEED_WITH_MONK);
  const again = await visit(t, next.address);
  // The page shows the board as soon as the match arrives, wherever somebody was before.
  await again.waitForFunction(() => window.projectGame.game.start);
  await again.click("#tab-matches");
  await again.fill("#play-name", "kim");
  await again.getByRole("button", { name: "Go on with match 1, under the name Kim" }).click();
  // The bot comes back when the person has.
  await again.waitForSelector("#seat-text:text-is('kim, it is your turn.')");
  assert.ok(await toChoose(again));
  const coins = await again.evaluate(() => {
    const { game, matches } = window.projectGame;
    return game.at(game.duration).table.schools[matches.person.agent].coins;
  });
  assert.equal(coins, 0, "the character was paid for");
  await acted(again, "dining", async () => {
    // A key that is held presses one button.
    await again.focus('#eriantys-buttons [data-choice^="entrance"]');
    await again.keyboard.down("Enter");
    await again.waitForSelector('#eriantys-buttons [data-choice^="dining"]');
    await again.keyboard.down("Enter");
    await again.keyboard.up("Enter");
    assert.ok(await again.locator('#eriantys-buttons [data-choice^="dining"]').isVisible());
    await chooseByKeys(again, "dining");
  });
  again.removeAllListeners("console");
  next.server.child.kill("SIGTERM");
  assert.equal(await next.server.ended, 0);
});
