// A person at the page: one who plays Dots & Boxes by mouse or by keyboard, and one who stops what is played.

import assert from "node:assert/strict";

import { settled } from "./browser.mjs";

/** Takes an offer under a name, and waits for the seat. */
export async function play(page, name, offer) {
  await page.click("#tab-matches");
  await page.fill("#play-name", name);
  await page.getByRole("button", { name: offer }).click();
  await page.waitForSelector("#seat:not([hidden])");
}

/** Waits until the person is to move in the match that the page shows, or the match is over; whether it goes on. */
export async function turn(page) {
  const seat = await page.waitForFunction(() => {
    const { game, matches: { person, isActing } } = window.projectGame;
    // The turn is known from the feed without a match; the board comes with the feed of the match.
    const isToMove = person?.options?.length && game.start?.match === person.match;
    return person && !isActing && (person.over || isToMove) && { over: person.over };
  });
  return !(await seat.jsonValue()).over;
}

/** Acts, and waits until the page knows what came of it. */
async function acted(page, act) {
  const before = await page.evaluate(() => window.projectGame.game.events.length);
  await act();
  await page.waitForFunction((count) => window.projectGame.game.events.length > count, before);
}

/** Clicks on the first free line; `between` happens between the press and the release. */
export async function moveByMouse(page, between = async () => {}) {
  // Until the page is painted, what was told last may still move the board.
  await settled(page);
  const { x, y } = await page.locator("#dots-board .choice").first().evaluate((line) => {
    const at = line.getScreenCTM(), middle = (name) => (Number(line.getAttribute(`${name}1`)) + Number(line.getAttribute(`${name}2`))) / 2;
    const point = new DOMPoint(middle("x"), middle("y")).matrixTransform(at);
    return { x: point.x, y: point.y };
  });
  await acted(page, async () => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await between();
    await page.mouse.up();
  });
}

/** Goes over all lines of a board of 3×3 dots, row by row, until one is free, and draws it. */
export async function moveByKeys(page) {
  const isFree = () => page.locator("#dots-board .cursor.open").count();
  const press = async (key, times) => {
    for (let time = 0; time < times; time++) await page.keyboard.press(key);
  };
  await press("ArrowUp", 5);
  let found = 0;
  for (let row = 0; row < 5 && !found; row++) {
    if (row) await press("ArrowDown", 1);
    await press("ArrowLeft", 3);
    found = await isFree();
    for (let place = 0; place < 2 && !found; place++) {
      await press("ArrowRight", 1);
      found = await isFree();
    }
  }
  assert.ok(found, "every free line is reached");
  assert.match(await page.locator("#announce").textContent(), /\d·\d – \d·\d, free|It is your turn/);
  await acted(page, () => page.keyboard.press("Enter"));
}

/** Stops what is played, and confirms it at once: the question is there for a few seconds only. Returns the question. */
export const stopAndConfirm = (page) => page.evaluate(() => {
  const button = document.getElementById("stop");
  button.click();
  const question = button.innerText;
  button.click();
  return question;
});
