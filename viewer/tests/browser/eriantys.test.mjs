// Eriantys in a browser: a replay of three players in expert mode that the real program has exported, opened from disk.

import assert from "node:assert/strict";
import { test } from "node:test";

import { exported, openFor, settled } from "./browser.mjs";
import { checkStarts, checkWidth, replayOf, withLongNames } from "./replay.mjs";
import { EriantysTables } from "../../page/games/eriantys/model.js";

const NAMES = ["random", "random too", "random as well"];
const COLOURS = ["yellow", "blue", "green", "red", "pink"];

const replay = replayOf("eriantys", "#eriantys-ring .group");
const { game, events } = replay;

const start = () => replay.feed.find(({ kind }) => kind === "start").picture;

/** What the page shows of a table, by what stands in its elements. */
const shown = (page) => page.evaluate((colours) => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const text = (element, selector) => element.querySelector(selector)?.textContent;
  const counts = (from, selector) => {
    const found = Object.fromEntries(all(selector, from).map((pill) => [pill.dataset.colour, pill]));
    return colours.map((colour) => {
      if (!found[colour]) return 0;
      // The letter and the number that are read are those of the element.
      const read = (found[colour].querySelector("span") ?? found[colour]).textContent;
      return read[0] === colour[0].toUpperCase() ? Number(read.slice(1)) : -1;
    });
  };
  const team = (element) => [0, 1, 2].find((one) => element.classList.contains(`team-${one}`)) ?? null;
  return {
    islands: all("#eriantys-ring .group").map((group) => ({
      number: text(group, ".number:not(.bans)"), students: counts(group, ".pill-of"), owner: team(group), towers: all(".tower", group).map(team),
      size: all(".land circle", group).length, bridges: all(".land line", group).length, mother: all(".mother", group).length, bans: all("circle.ban", group).length > 0,
    })),
    clouds: all("#eriantys-ring .cloud").map((cloud) => counts(cloud, ".pill-of")),
    bag: Number(text(document, "#eriantys-ring .bag .count")),
    schools: all(".eriantys-school").map((school) => ({
      name: text(school, ".name"), mover: school.classList.contains("mover"), entrance: counts(school, ".student"), dining: counts(school, ".seats"),
      professors: all(".seats.professor", school).map(({ dataset }) => dataset.colour),
      facts: all(".fact", school).map(({ textContent }) => textContent),
    })),
    cards: all("#eriantys-cards li").map((card) => ({ name: text(card, ".name"), price: text(card, ".price"), students: counts(card, ".student") })),
    score: all("#eriantys-score .points").map(({ textContent }) => Number(textContent)),
  };
}, COLOURS);

/** The same from the feed's picture. */
function expected(table) {
  const plural = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;
  return {
    islands: table.islands.map(({ students, owner, towers, size, bans }, index) => ({
      number: String(index + 1), students, owner, towers: Array(towers).fill(owner), size, bridges: size - 1, mother: Number(index === table.motherNature), bans: bans > 0,
    })),
    clouds: table.clouds,
    bag: table.bag.reduce((sum, count) => sum + count, 0),
    schools: table.schools.map(({ entrance, dining, hand, assistant, coins }, player) => ({
      name: NAMES[player], mover: table.mover === player, entrance, dining,
      professors: COLOURS.filter((_, colour) => table.professors[colour] === player),
      facts: [`${plural(table.towersLeft[player], "tower")} left`, assistant ? `assistant ${assistant[0]}` : "no assistant", `${hand.length} in hand`, plural(coins, "coin")],
    })),
    cards: table.cards.map(({ character, price, students }) => ({ name: character.replaceAll("-", " "), price: `${price} ¢`, students })),
    score: table.towersLeft.map((left) => table.towers - left),
  };
}

/** Goes to a moment, and waits until the panels, which are written several times a second at the most, have it. */
const seek = async (page, t) => {
  await page.locator("#scrub").fill(String(t));
  await page.waitForFunction((moment) => {
    const { room, time } = window.projectGame;
    return time.t === moment && room.written === room.game.at(moment).table;
  }, t);
  await settled(page);
};

const clock = (page) => page.locator("#clock").textContent();

test("a game opens from disk at its beginning, with names and characters", async (t) => {
  const page = await game(t);
  assert.equal(await page.title(), "eriantys.replay – Eriantys");
  await seek(page, 0);
  assert.deepEqual(await shown(page), expected(start()));
  assert.equal(await clock(page), "move 0");
  assert.deepEqual(await page.locator("#eriantys-cards .does").allTextContents(), start().does);
  assert.ok(await page.locator("#tab-settings").isHidden() && await page.locator("#dots-board").count() === 0, "nothing of another game");
});

test("the page has the counts of the picture at every event, forwards and backwards", async (t) => {
  const page = await game(t);
  const moments = new Map(events().map(([at, , , , table]) => [at, table]));
  assert.ok(events().some(([, kind]) => kind === "merged") && events().some(([, kind]) => kind === "character"), "islands merge, and a character is played");
  for (const [at, table] of moments) {
    await seek(page, at);
    assert.deepEqual(await shown(page), expected(table), `at ${at}`);
  }
  for (const [at, table] of [...moments].reverse().filter((_, place) => place % 9 === 0)) {
    await seek(page, at);
    assert.deepEqual(await shown(page), expected(table), `back at ${at}`);
  }
});

test("keys step from event to event, and jump to conquests and rounds", async (t) => {
  const page = await game(t);
  await page.focus("#stage");
  for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
  await settled(page);
  assert.equal(await clock(page), "move 2");
  const conquests = events().filter(([, kind]) => kind === "conquered").map(([at]) => at / 1000);
  await page.keyboard.press("i");
  await page.keyboard.press("i");
  await settled(page);
  assert.equal(await clock(page), `move ${conquests[1]}`);
  await page.keyboard.press("Shift+I");
  await settled(page);
  assert.equal(await clock(page), `move ${conquests[0]}`);
  await page.keyboard.press("?");
  assert.match(await page.locator("#help-keys").textContent(), /next round, assistant, conquered/);
  assert.match(await page.locator("#help-signs").textContent(), /a round tower: random as well/);
});

test("keys scroll the school boards when they have the focus", async (t) => {
  const page = await game(t);
  // The boards of more players are higher than their place.
  await page.locator("#eriantys-schools").evaluate((boards) => {
    boards.style.maxHeight = "150px";
    boards.focus();
  });
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.getElementById("eriantys-schools").scrollTop > 0);
  for (const key of ["End", "Space", "Home"]) await page.keyboard.press(key);
  await page.waitForFunction(() => document.getElementById("eriantys-schools").scrollTop === 0);
  assert.equal(await page.inputValue("#speed"), "1");
  assert.equal(await page.evaluate(() => window.projectGame.time.playing), false);
  assert.equal(await clock(page), "move 0");
});

test("the list has events in words, and leads to the end", async (t) => {
  const page = await game(t);
  await page.selectOption("#filter", "all");
  const [, , player, { value }] = events()[0];
  assert.match(await page.locator("#events .event:visible").first().textContent(), new RegExp(`${NAMES[player]} plays assistant ${value}: up to`));
  await page.selectOption("#filter", "end");
  await page.locator("#events .event:visible").first().click();
  const { winner } = events().at(-1)[3];
  await page.waitForFunction(() => document.getElementById("eriantys-told").textContent.includes("wins"));
  assert.match(await page.locator("#eriantys-told").textContent(), new RegExp(`${NAMES[winner]} wins, by towers and professors$`));
});

test("the statistics count towers and students of each player", async (t) => {
  const page = await game(t);
  await page.keyboard.press("3");
  const cells = await page.locator("#statistics tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  const [, , , , table] = events().at(-1);
  const count = (kind, player) => String(events().filter(([, one, by]) => one === kind && by === player).length);
  assert.deepEqual(cells.map((row) => row.slice(0, 5)), NAMES.map((name, player) => [name, String(table.towers - table.towersLeft[player]),
    String(table.professors.filter((owner) => owner === player).length), count("dining", player), count("island", player)]));
  assert.match(await page.locator(".result").textContent(), / wins$/);
});

test("the chart of towers leads to its moments", async (t) => {
  const page = await game(t);
  const box = await page.locator("#eriantys-course").boundingBox();
  await page.mouse.click(box.x + box.width - 10, box.y + 30);
  await settled(page);
  assert.equal(await clock(page), `move ${events().at(-1)[0] / 1000}`);
});

for (const colorScheme of ["light", "dark"]) {
  test(`on a phone nothing is wider than the screen, and all islands are in sight: ${colorScheme}`, async (t) => {
    const page = await game(t, { viewport: { width: 390, height: 844 }, colorScheme, fragment: "#t=60000", feed: withLongNames(replay.feed) });
    await checkWidth(page);
    const ring = await page.locator("#eriantys-ring").boundingBox();
    assert.ok(ring.width > 300 && ring.height > 300, JSON.stringify(ring));
    const outside = await page.locator("#eriantys-ring .land circle").evaluateAll((circles, { x, y, width, height }) => circles.map((circle) => circle.getBoundingClientRect())
      .filter(({ left, right, top, bottom }) => left < x - 1 || right > x + width + 1 || top < y - 1 || bottom > y + height + 1).length, ring);
    assert.equal(outside, 0);
    const letters = await page.locator("#eriantys-ring .pill-of text").first().evaluate((sign) => ({ size: parseFloat(getComputedStyle(sign).fontSize), fill: getComputedStyle(sign).fill }));
    assert.ok(letters.size >= 10, `letters of ${letters.size} pixels`);
    assert.equal(letters.fill, "rgb(27, 31, 37)");
  });
}

test("a table that makes no sense ends the game there", async (t) => {
  const { page } = await openFor(t, replay.browser);
  const broken = replay.feed.map((message) => (message.events ? { ...message, events: message.events.map((event, place) =>
    (place === 5 ? [...event.slice(0, 4), { ...event[4], clouds: [[1, 2]] }] : event)) } : message));
  await page.setContent(await exported(broken));
  await page.waitForSelector(".notice");
  assert.match(await page.locator(".notice").first().textContent(), /faulty at event 6/);
  assert.equal(await page.evaluate(() => window.projectGame.game.events.length), 5);
});

test("a start that makes no sense begins no game", () => checkStarts(replay.feed, EriantysTables, ["islands", "clouds", "schools", "cards", "towersLeft", "does"]));
