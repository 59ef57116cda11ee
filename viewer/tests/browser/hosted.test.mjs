// What the real programs host on the page: people at Dots & Boxes against a strategy, duels of Bricks that an operator
// starts, steers and stops, and a league of Bricks.

import assert from "node:assert/strict";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { LONGEST_TEST_MS, launch, pageAt, settled } from "./browser.mjs";
import { moveByKeys, moveByMouse, play, stopAndConfirm, turn } from "./people.mjs";
import { newFolder, PROGRAMS, start } from "./programs.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** A page at this address; whatever its browser complains of fails the test. */
const visit = (t, address, options) => pageAt(t, browser, address, options);

/** Waits until the page knows this many events of the match that it watches. */
const events = (page, count) => page.waitForFunction((wanted) => window.projectGame.game.events.length === wanted, count);

const listed = (page, id, text) => page.locator(`.match[data-id="${id}"] .how`, { hasText: text }).waitFor({ state: "attached" });

// ---- Dots & Boxes against chains

/** A server with `chains` as its own player: the page's address, and where replays are. */
async function chains(t, rows, cols) {
  const folder = await newFolder(t, "dots");
  const server = start(t, "reference-gm", "dots", "serve", "--port", "0", "--page", "127.0.0.1:0", "--folder", folder,
    "--seed", "5", "--rows", String(rows), "--cols", String(cols), "--bot", "chains", "--bot-wait-ms", "200");
  const [, address] = await server.says(/the page is at (\S+)/);
  return { address, folder, server };
}

/** Compares the end of a whole game on the page with the server's replay of it. */
async function checkEnd(t, page, { folder, server }, name, boxes) {
  await page.waitForSelector("#seat-text:has-text('The match is over: ')");
  const told = await page.locator("#seat-text").textContent();
  const [, winner, first, second] = told.match(/^The match is over: (\S+) wins (\d) : (\d), all lines are drawn\.$/) ?? [];
  assert.equal(Number(first) + Number(second), boxes, told);
  assert.match(winner, new RegExp(`^(${name}|chains.*|Nobody)$`));
  const players = await page.evaluate(() => window.projectGame.game.start.agents.map((agent) => agent.name));
  assert.ok(players.includes(name) && players.some((player) => player.startsWith("chains")), players.join());
  server.child.kill("SIGTERM");
  assert.equal(await server.ended, 0);
  const [replay] = await readdir(join(folder, "games"));
  const verified = start(t, "reference-gm", "verify", join(folder, "games", replay));
  const [, winnerThere] = await verified.says(/(every hash is as recorded)/);
  assert.ok(winnerThere);
  assert.equal(await verified.ended, 0);
}

test("a person plays a whole game against chains with the mouse, on a narrow screen", { timeout: LONGEST_TEST_MS }, async (t) => {
  const hosted = await chains(t, 4, 4);
  const page = await visit(t, hosted.address, { viewport: { width: 390, height: 844 } });
  await play(page, "Ann", /chains/);
  let moves = 0;
  while (await turn(page)) {
    await moveByMouse(page);
    moves++;
  }
  assert.ok(moves >= 4, String(moves));
  page.removeAllListeners("console"); // The server ends, and the browser says so.
  await checkEnd(t, page, hosted, "Ann", 9);
});

test("a person plays a whole game against chains with the keyboard", { timeout: LONGEST_TEST_MS }, async (t) => {
  const hosted = await chains(t, 3, 3);
  const page = await visit(t, `${hosted.address}#play=play`);
  await page.waitForSelector("#play-offers .primary:focus");
  await page.focus("#play-name");
  await page.keyboard.type("Kim");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#stage:focus");
  let moves = 0;
  while (await turn(page)) {
    await moveByKeys(page);
    moves++;
  }
  assert.ok(moves >= 2, String(moves));
  page.removeAllListeners("console");
  await checkEnd(t, page, hosted, "Kim", 4);
});

// ---- Bricks

/** A folder with three players, and the flags of programs that have time. */
async function players(t) {
  const folder = await newFolder(t, "bricks");
  for (const nick of ["Ada", "Bob", "Cy"]) {
    await mkdir(join(folder, "players", nick), { recursive: true });
    await writeFile(join(folder, "players", nick, "info.txt"), `${join(PROGRAMS, "bots")} join --game bricks --strategy greedy\n${nick}\n`);
  }
  const patient = ["answerLimitMs=60000", "moveLimitMs=60000", `mayRead=${PROGRAMS}`].flatMap((pair) => ["--set", pair]);
  return { folder, players: join(folder, "players"), patient };
}

/** A referee that waits for its operator: its page with and without the token. */
async function referee(t, ...words) {
  const { players: of, patient } = await players(t);
  const program = start(t, "reference-gm", "bricks", "serve", "--page", "127.0.0.1:0", "--seed", "7", ...patient, ...words);
  const [, operator] = await program.says(/the page is at (\S+)/);
  return { players: of, program, operator, open: operator.split("?")[0] };
}

/** The table of standings, row by row. */
const standings = (page) => page.locator("#standings-rows tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));

const isStarted = (page, id) => page.waitForFunction((match) => window.projectGame.connection.match === match && window.projectGame.game.start !== null, id);

test("a duel of Bricks is set, started on the page, and watched live", { timeout: LONGEST_TEST_MS }, async (t) => {
  const { players, program, operator, open: address } = await referee(t, "--pace", "1000");
  const watching = await visit(t, address);
  await watching.waitForSelector("#tab-settings:not([hidden])");
  const page = await visit(t, operator);
  // There is no match yet, so the operator comes to the settings that start one. Others see the list.
  await page.waitForSelector("#page-settings:not([hidden])");
  assert.ok(await page.locator("#page-matches").isHidden());
  assert.ok(await watching.locator("#page-settings").isHidden());
  assert.equal(await watching.locator("#matches-note").textContent(), "No match has begun yet.");
  // Values are checked by the rules of the command line, and nothing is played without players.
  await page.fill("#setting-size", "4");
  await page.waitForSelector(".faulty[data-name=size] .fault:has-text('an odd number from 3 to 999')");
  await page.fill("#setting-size", "5");
  await page.waitForSelector(".faulty[data-name=first] .fault:has-text('no folder is named')");
  await page.fill("#setting-players", players);
  await page.fill("#setting-first", "none");
  await page.waitForSelector(".faulty[data-name=first] .fault:has-text('none/info.txt')");
  await page.fill("#setting-first", "Ada");
  await page.fill("#setting-second", "Bob");
  // Cells are picked on a board beside their text, and cleared there.
  await page.fill("#setting-filledCells", "4x0");
  const pick = async (column, row) => {
    const { width } = await page.locator(".bricks-picker").boundingBox();
    await page.locator(".bricks-picker").click({ position: { x: (column + 0.5) * width / 5, y: (row + 0.5) * width / 5 } });
  };
  await pick(2, 2);
  assert.equal(await page.inputValue("#setting-filledCells"), "4x0_2x2");
  await pick(4, 0);
  assert.equal(await page.inputValue("#setting-filledCells"), "2x2");
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/bricks-settings.png` });
  await page.locator("#start:not([disabled])").click();
  // Live: the board grows.
  await isStarted(watching, 1);
  await watching.waitForFunction(() => {
    const { game, connection } = window.projectGame;
    return connection.match === 1 && game.events.length >= 2 && !game.isOver && document.getElementById("status").textContent === "live";
  });
  assert.ok(await watching.locator("#stop").isHidden(), "only the operator can stop it");
  const [size, filled] = await watching.evaluate(() => [window.projectGame.game.start.picture.size, window.projectGame.game.start.picture.filled]);
  assert.deepEqual([size, filled], [5, [[2, 2]]]);
  assert.ok(await page.locator("#start").isDisabled(), "one duel at a time");
  await listed(watching, 1, "wins, ");
  await page.waitForSelector("#stop", { state: "hidden" });
  program.child.kill("SIGTERM");
  for (const one of [page, watching]) one.removeAllListeners("console");
  assert.equal(await program.ended, 0);
});

test("a league of Bricks is watched live, with its standings", { timeout: LONGEST_TEST_MS }, async (t) => {
  const { folder, players: of, patient } = await players(t);
  const [file, results, files] = ["cup.toml", "cup.results", "cup.bricks"].map((name) => join(folder, name));
  const board = ["size=5", "filledCells=2x2"].flatMap((pair) => ["--set", pair]);
  assert.equal(await start(t, "league", "import", "bricks", of, "--out", file, ...patient, ...board).ended, 0);
  const program = start(t, "league", "run", file, "--out", results, "--trust", "--jobs", "1", "--page", "127.0.0.1:0", "--stay");
  const [, address] = await program.says(/the page is at (\S+)/);
  const watching = await visit(t, address);
  await watching.waitForFunction(() => window.projectGame.connection.match > 0);
  await isStarted(watching, 6);
  for (let id = 1; id <= 6; id++) await listed(watching, id, "wins, ");
  await watching.waitForSelector("#standings-note:text-is('6 of 6 matches')", { state: "attached" });
  assert.equal(await watching.locator("#standings-title").textContent(), "cup");
  assert.deepEqual(await watching.locator("#standings-columns th").allTextContents(), ["place", "entrant", "matches", "points", "share"]);
  await program.says(/the page stays/);
  assert.equal(await start(t, "league", "export", results, "--bricks", files).ended, 0);
  const duels = (await readFile(join(files, "duels.txt"), "utf8")).trim().split("\n").map((line) => line.split(":"));
  const wins = Object.fromEntries(["Ada", "Bob", "Cy"].map((nick) => [nick, duels.filter(([, , , winner]) => winner === nick).length]));
  const ranked = await standings(watching);
  assert.deepEqual(ranked.map(([, nick, matches, points, share]) => [nick, matches, points, share]).sort(),
    Object.entries(wins).map(([nick, won]) => [nick, "4", String(won), `${(25 * won).toFixed(1)} %`]).sort());
  // Who comes afterwards sees them too, and on a phone they do not widen the page.
  const late = await visit(t, address, { viewport: { width: 390, height: 844 } });
  // It turns to the newest match first.
  await isStarted(late, 6);
  await late.click("#tab-matches");
  await late.waitForSelector("#standings-note:text-is('6 of 6 matches')");
  assert.deepEqual(await standings(late), ranked);
  await settled(late);
  assert.equal(await late.evaluate(() => document.documentElement.scrollWidth), 390);
  if (process.env.PICTURES) await late.screenshot({ path: `${process.env.PICTURES}/bricks-standings-phone.png` });
  // The page's list and the exported files tell the same.
  for (let id = 1; id <= 6; id++) {
    const row = watching.locator(`.match[data-id="${id}"]`);
    const [first, second] = (await row.locator(".versus-names").textContent()).split(" – ");
    const [, , , winner] = duels.find(([, one, other]) => one === first && other === second);
    assert.match(await row.locator(".how").textContent(), new RegExp(`^${winner} wins`));
  }
  // The last duel stays, and is stepped through both ways.
  await watching.click("#tab-matches");
  if (process.env.PICTURES) await watching.screenshot({ path: `${process.env.PICTURES}/bricks-standings.png` });
  await watching.click('.match[data-id="6"]');
  await watching.waitForFunction(() => window.projectGame.game.isOver);
  const moves = await watching.evaluate(() => window.projectGame.game.ofKind.brick.length);
  const bricks = () => watching.evaluate(() => window.projectGame.room.shown.bricks);
  await watching.focus("#stage");
  for (const [key, there] of [["Home", 0], ["ArrowRight", 1], ["PageDown", Math.min(11, moves)], ["[", 0], ["Shift+PageDown", moves], ["ArrowLeft", moves - 1], ["End", moves]]) {
    await watching.keyboard.press(key);
    await settled(watching);
    assert.equal(await bricks(), there, key);
  }
  for (const one of [watching, late]) one.removeAllListeners("console");
  program.child.kill("SIGTERM");
  assert.equal(await program.ended, 0);
});

test("the faults of players have a tab, with the line as it came and the end of standard error", { timeout: LONGEST_TEST_MS }, async (t) => {
  const { players, operator, open: address } = await referee(t);
  await mkdir(join(players, "Eve"), { recursive: true });
  await writeFile(join(players, "Eve", "info.txt"), "sh player.sh\nEve\n");
  const script = "read -r board; echo OK; read -r start; printf 'Traceback:\\n  line 7\\n' >&2; printf '0x0_1x0 \\t\\n'; read -r stop";
  await writeFile(join(players, "Eve", "player.sh"), `${script}\n`);
  const page = await visit(t, operator), watching = await visit(t, address);
  await page.click("#tab-settings");
  for (const [name, value] of [["players", players], ["first", "Eve"], ["second", "Ada"]]) await page.fill(`#setting-${name}`, value);
  assert.ok(await watching.locator("#tab-faults").isHidden(), "nobody has made a fault yet");
  await page.locator("#start:not([disabled])").click();
  await watching.waitForSelector("#tab-faults:not([hidden])");
  await watching.keyboard.press("5");
  await watching.waitForSelector("#page-faults:not([hidden])");
  assert.equal(await watching.locator("#faults-title").textContent(), "Faults");
  const rows = await watching.locator("#faults-rows tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  const told = "wrote no brick: `0x0_1x0␣\\t` is no brick: expected two cells, e.g. `1x2_2x2`";
  assert.deepEqual(rows, [["1", "Eve", "Ada", "P", told, "0x0_1x0␣\\t", "Traceback:\n  line 7"]]);
  const [whole, shown] = await watching.locator("#page-faults .table-scroll").evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
  assert.ok(whole <= shown, `all columns are seen on a wide screen: ${whole} of ${shown}`);
  if (process.env.PICTURES) await watching.screenshot({ path: `${process.env.PICTURES}/bricks-faults.png` });
  await watching.setViewportSize({ width: 390, height: 844 });
  await settled(watching);
  assert.equal(await watching.evaluate(() => document.documentElement.scrollWidth), 390);
  // The faults stay while further duels are played.
  await page.waitForSelector("#stop", { state: "hidden" });
  await page.click("#tab-settings");
  await page.fill("#setting-first", "Bob");
  await page.locator("#start:not([disabled])").click();
  await listed(page, 2, "wins, ");
  assert.ok(await watching.locator("#tab-faults").isVisible());
  for (const one of [page, watching]) one.removeAllListeners("console");
});

test("a duel of Bricks goes on move by move by hand, and is stopped", { timeout: LONGEST_TEST_MS }, async (t) => {
  const { players, program, operator, open: address } = await referee(t);
  const page = await visit(t, operator);
  await page.click("#tab-settings");
  assert.ok(await page.locator("#next-move").isHidden());
  for (const [name, value] of [["players", players], ["first", "Bob"], ["second", "Bob"], ["size", "7"]]) await page.fill(`#setting-${name}`, value);
  await page.selectOption("#setting-mode", "hand");
  await page.waitForSelector(".faulty[data-name=second] .fault:has-text('two players are called')");
  await page.fill("#setting-second", "Ada");
  await page.locator("#start:not([disabled])").click();
  await isStarted(page, 1);
  const watching = await visit(t, address);
  await isStarted(watching, 1);
  assert.equal(await page.locator("#match-name").textContent(), "Duel 1: Bob – Ada");
  assert.ok(await watching.locator("#next-move").isHidden(), "only the operator makes moves");
  await page.waitForSelector("#next-move:not([hidden])");
  // Each step waits for the operator: the players would answer at once.
  await page.click("#next-move");
  await events(page, 1);
  await page.focus("#stage");
  for (let move = 2; move <= 4; move++) {
    await page.keyboard.press("m");
    await events(page, move);
    await events(watching, move);
    await listed(page, 1, `${move} moves, being played`);
  }
  assert.equal(await stopAndConfirm(page), "Really stop?");
  await listed(page, 1, "nobody wins");
  await page.waitForSelector("#stop", { state: "hidden" });
  await page.waitForSelector("#next-move", { state: "hidden" });
  await program.says(/duel 1: the duel was stopped: nobody has won/);
  // What was chosen stays, and the next duel begins with it.
  await page.click("#tab-settings");
  assert.equal(await page.inputValue("#setting-size"), "7");
  await page.selectOption("#setting-mode", "auto");
  await page.locator("#start:not([disabled])").click();
  await isStarted(page, 2);
  await listed(page, 2, "wins, ");
  await program.says(/duel 2: Bob – Ada: Player /);
  assert.ok(await page.locator("#standings").isHidden(), "one duel has no standings");
  // The referee ends with the test, before the pages, and their browsers say so.
  for (const one of [page, watching]) one.removeAllListeners("console");
});
