// Live matches of a host of Dots & Boxes in a browser, and people who play in them.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { afterwards } from "./afterwards.mjs";
import { launch, pageAt, settled } from "./browser.mjs";
import { host } from "./host.mjs";
import { moveByKeys, moveByMouse, play, turn } from "./people.mjs";

let browser;

before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

/** A host, and pages of it; whatever their browsers complain of fails the test. */
async function hall(t, size = "4 4") {
  const hosted = await host();
  afterwards(t, () => hosted.end());
  hosted.say(`size ${size}`);
  const visit = (fragment = "", options = {}) => pageAt(t, browser, `${hosted.open}${fragment}`, options);
  return { ...hosted, visit };
}

/** Waits until the page knows this many events of the match that it watches. */
const events = (page, count) => page.waitForFunction((wanted) => window.projectGame.game.events.length === wanted, count);

const listed = (page, id, text) => page.locator(`.match[data-id="${id}"] .how`, { hasText: text }).waitFor({ state: "attached" });

const lines = (page) => page.locator("#dots-board .line:not(.last)").count();

const isTurn = (page) => page.locator("#seat").getAttribute("data-turn").then((turn) => turn === "true");

test("a match is followed from its middle, and goes on", async (t) => {
  const { say, visit } = await hall(t);
  say("open First");
  say("move 1 5");
  const page = await visit("#match=1");
  await events(page, 5);
  await settled(page);
  // The list of the matches may come after the events.
  await page.waitForSelector("#match-name:text-is('First: red – blue')");
  assert.equal(await page.locator("#status").textContent(), "live");
  await page.waitForFunction(() => document.querySelectorAll("#dots-board .line:not(.last)").length === 5);
  say("move 1 3");
  await events(page, 8);
  await page.waitForFunction(() => document.querySelectorAll("#dots-board .line:not(.last)").length === 8);
  // Looking back keeps the moment while the match goes on.
  await page.keyboard.press("Home");
  say("finish 1");
  await events(page, 25);
  await settled(page);
  assert.equal(await lines(page), 0);
  assert.equal(await page.locator("#status").textContent(), "game over");
  assert.match(await page.locator('[data-about="end"]').textContent(), /wins \d : \d, all lines are drawn/);
  await page.keyboard.press("End");
  await settled(page);
  assert.equal(await lines(page), 24);
  await page.keyboard.press("3");
  const download = page.waitForEvent("download");
  await page.click("#save-replay");
  assert.equal((await download).suggestedFilename(), "game.replay");
});

test("a match that is broken off is told as such, to a person who plays in it too, and its replay is there", async (t) => {
  const { say, visit } = await hall(t);
  const page = await visit();
  await play(page, "Ann", "Play against random");
  await turn(page);
  await moveByMouse(page);
  say("drop 1");
  await listed(page, 1, "broken off after");
  await page.waitForSelector("#seat-text:text-is('The match is broken off.')");
  const told = await page.locator('[data-about="end"] p').textContent();
  assert.equal(told, "The game is broken off: the host has let the match go before its end.");
  assert.equal(await page.locator('[data-about="feed"]').count(), 0, "it is told once");
  assert.equal(await page.locator("#status").textContent(), "broken off");
  await page.click("#tab-statistics");
  assert.match(await page.locator(".outcome .note").textContent(), /^broken off: the host has let the match go before its end · \d+ moves/);
  const download = page.waitForEvent("download");
  await page.click("#save-replay");
  assert.equal((await download).suggestedFilename(), "game.replay");
});

test("matches are listed, switched, and each has a link", async (t) => {
  const { say, visit } = await hall(t);
  const page = await visit();
  await page.waitForSelector("#matches-note:has-text('No match has begun yet')");
  say("open First");
  await page.waitForFunction(() => window.projectGame.connection.match === 1);
  say("open Second");
  say("move 1 3");
  say("move 2 7");
  await listed(page, 2, "7 moves, being played");
  await events(page, 3);
  assert.equal(await page.locator("#match-name").textContent(), "First: red – blue", "it has come first");
  await page.click("#tab-matches");
  // The list takes no focus away when its rows change and when another one goes down in it.
  say("open Third");
  await page.focus('.match[data-id="2"]');
  say("drop 3");
  await listed(page, 3, "broken off after 0 moves");
  say("move 2 1");
  await listed(page, 2, "8 moves, being played");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.id), "2");
  await page.keyboard.press("Enter");
  await events(page, 8);
  await page.waitForFunction(() => location.hash === "#match=2");
  await page.waitForFunction(() => document.querySelectorAll("#dots-board .line:not(.last)").length === 8);
  assert.equal(await page.locator("#match-name").textContent(), "Second: red – blue");
  say("move 1 1");
  await listed(page, 1, "4 moves");
  await settled(page);
  assert.equal(await lines(page), 8, "what happens in another match does nothing here");
  await page.goBack().catch(() => {});
  const linked = await visit("#match=1&t=2000");
  await events(linked, 4);
  await settled(linked);
  assert.equal(await lines(linked), 2);
  assert.equal(await linked.locator("#clock").textContent(), "move 2");
  // A link to a moment of another match leads there on a page that is open already.
  await linked.evaluate(() => { location.hash = "#match=2&t=3000"; });
  await events(linked, 8);
  await linked.waitForSelector("#clock:text-is('move 3')");
  await linked.evaluate(() => { location.hash = "#match=1&t=2000"; });
  await events(linked, 4);
  say("drop 1");
  await listed(linked, 1, "broken off after 4 moves");
  const lost = await visit("#match=77");
  await lost.waitForSelector('[data-about="match"]');
  assert.match(await lost.locator('[data-about="match"]').textContent(), /Match 77 is not here/);
});

/** The rows of the list of all events that can be seen. */
async function rows(page) {
  await page.selectOption("#filter", "all");
  await settled(page);
  return page.locator("#events .event:visible").allInnerTexts();
}

test("the list of events is that of the match that is watched", async (t) => {
  const { say, visit } = await hall(t, "8 8");
  for (const match of [1, 2]) {
    say(`open Match ${match}`);
    say(`move ${match} 4`);
  }
  const truths = [];
  for (const match of [1, 2]) {
    const page = await visit(`#match=${match}`);
    await events(page, 4);
    truths.push(await rows(page));
  }
  assert.notDeepEqual(truths[0], truths[1], "else nothing is tested");
  const page = await visit("#match=1");
  await events(page, 4);
  assert.deepEqual(await rows(page), truths[0]);
  await page.click("#events .event >> nth=0");
  await page.click("#tab-matches");
  await page.click('.match[data-id="2"]');
  await page.waitForFunction(() => window.projectGame.connection.match === 2 && window.projectGame.game.events.length === 4);
  await page.waitForSelector("#events .event >> nth=3");
  await settled(page);
  assert.deepEqual(await page.locator("#events .event:visible").allInnerTexts(), truths[1]);
  assert.equal(await page.getAttribute("#events", "aria-activedescendant"), null, "no row of another match is chosen");
});

test("a match follows one whose list was scrolled", async (t) => {
  const { say, visit } = await hall(t, "8 8");
  say("open First");
  say("finish 1");
  const page = await visit("#match=1");
  await page.waitForFunction(() => window.projectGame.game.statistics);
  await page.click("#tab-board");
  await page.selectOption("#filter", "all");
  await page.keyboard.press("End");
  await settled(page);
  // What a user has scrolled there is drawn, and the end of the list is not any more.
  await page.evaluate(() => { document.getElementById("events").scrollTop = 0; });
  await settled(page);
  say("open Second");
  say("move 2 3");
  await listed(page, 2, "3 moves");
  await page.click("#tab-matches");
  await page.click('.match[data-id="2"]');
  await page.waitForSelector("#match-name:text-is('Second: red – blue')");
  await events(page, 3);
  await settled(page);
  assert.equal((await rows(page)).length, 3);
  assert.equal(await page.locator("#clock").textContent(), "move 3");
});

test("a page that follows the newest match goes on when one is over", async (t) => {
  const { say, visit } = await hall(t);
  say("open First");
  const page = await visit();
  await events(page, 0);
  say("finish 1");
  await events(page, 25);
  say("open Second");
  say("move 2 4");
  await page.waitForFunction(() => window.projectGame.connection.match === 2);
  await events(page, 4);
  assert.equal(await page.locator("#tab-board").getAttribute("aria-selected"), "true");
  // A link to a moment names the match, although the page itself goes on to the next one.
  const link = await page.evaluate(async () => {
    let copied = null;
    navigator.clipboard.writeText = async (text) => { copied = text; };
    await window.projectGame.address.copy();
    return copied;
  });
  assert.equal(new URL(link).hash, "#match=2&t=4000");
  // The list stays before a viewer who has turned to it, and the next match is there behind it.
  await page.click("#tab-matches");
  say("finish 2");
  say("open Next");
  await page.waitForFunction(() => window.projectGame.connection.match === 3 && window.projectGame.game.start);
  await settled(page);
  assert.equal(await page.locator("#tab-matches").getAttribute("aria-selected"), "true");
  // A viewer who has chosen a match stays with it.
  await page.click('.match[data-id="1"]');
  await events(page, 25);
  assert.equal(await page.locator("#tab-board").getAttribute("aria-selected"), "true");
  say("open Third");
  await listed(page, 4, "0 moves");
  assert.equal(await page.locator("#newest").isChecked(), false);
});

test("a person plays a whole game with the mouse", async (t) => {
  const { visit } = await hall(t);
  const page = await visit();
  await play(page, "Zoë", "Play against random");
  let moves = 0;
  while (await turn(page)) {
    assert.equal(await page.locator("#seat-text").textContent(), "Zoë, it is your turn.");
    // All free lines may be drawn, and no others. The seat's options may come before the move that they follow.
    await page.waitForFunction(() => {
      const { across, down } = window.projectGame.game.at(Infinity).picture;
      const drawn = [...across, ...down].filter((sign) => sign === "1").length;
      return document.querySelectorAll("#dots-board .choice").length === 24 - drawn;
    });
    await moveByMouse(page);
    moves++;
  }
  assert.ok(moves >= 8 && moves <= 24, String(moves));
  await page.waitForSelector("#seat-text:has-text('The match is over: ')");
  assert.match(await page.locator("#seat-text").textContent(), /^The match is over: (Zoë|random|Nobody) wins \d : \d, all lines are drawn\.$/);
  assert.equal(await page.locator("#dots-board .choice").count(), 0);
  await page.click("#seat-leave");
  await page.waitForSelector("#seat", { state: "hidden" });
});

test("a click on a line counts although the page is drawn anew before the release", async (t) => {
  const { visit } = await hall(t);
  const page = await visit();
  await play(page, "Ann", "Play against random");
  await turn(page);
  await moveByMouse(page, () => page.evaluate(() => {
    document.getElementById("stage").blur();
    document.getElementById("stage").focus();
    window.projectGame.matches.offerOptions();
  }));
});

test("a person plays a whole game with the keyboard", async (t) => {
  const { visit } = await hall(t, "3 3");
  const page = await visit("#play=random");
  // The link leads to the button; all else is keys.
  await page.waitForSelector("#play-offers .primary:focus");
  await page.focus("#play-name");
  await page.keyboard.type("Kim");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#stage:focus");
  assert.equal(await page.locator("#stage").getAttribute("aria-label"), "Board. Arrow keys choose a line, Enter draws it.");
  while (await turn(page)) await moveByKeys(page);
  await page.waitForSelector("#seat-text:has-text('The match is over')");
  const [, , , , { points }] = await page.evaluate(() => window.projectGame.game.events.at(-1));
  assert.equal(points[0] + points[1], 4);
});

test("the keyboard of a person who plays is on the board also after another match", async (t) => {
  const { say, visit } = await hall(t, "3 3");
  say("open First");
  say("move 1 2");
  const page = await visit("#match=1");
  await events(page, 2);
  await play(page, "Kim", "Play against random");
  await page.waitForSelector("#stage:focus");
  await turn(page);
  await moveByKeys(page);
});

test("on a phone the board has the same place under a short and a long name of a match", async (t) => {
  const { say, visit } = await hall(t);
  const tops = [];
  for (const [place, title] of ["First", "The second semifinal of the spring cup"].entries()) {
    say(`open ${title}`);
    const page = await visit(`#match=${place + 1}`, { viewport: { width: 390, height: 844 } });
    await page.waitForSelector(`#match-name:text-is('${title}: red – blue')`);
    tops.push((await page.locator("#stage").boundingBox()).y);
  }
  assert.equal(tops[0], tops[1]);
});

test("two people play, and nobody plays with a seat that is not its own", async (t) => {
  const { open: address, visit } = await hall(t, "3 3");
  const [one, other] = [await visit(), await visit()];
  await play(one, "Ann", "Wait for another person");
  assert.equal(await one.locator("#seat-text").textContent(), "Ann, you wait for a match.");
  await play(other, "Bo", "Wait for another person");
  for (const page of [one, other]) await page.waitForSelector("#match-name:has-text('Two people: Ann – Bo')");
  await one.waitForFunction(() => window.projectGame.matches.person.state === "seated");
  await other.waitForFunction(() => window.projectGame.matches.person.state === "seated");
  const [mover, waiter] = (await isTurn(one)) ? [one, other] : [other, one];
  assert.match(await waiter.locator("#seat-text").textContent(), /the other player is to move/);
  assert.equal(await waiter.locator("#dots-board .choice").count(), 0);
  // A third page watches, is sent no options, and cannot act: neither without a token nor with one that it made up.
  const third = await visit("#match=1");
  await events(third, 0);
  assert.equal(await third.locator("#dots-board .choice").count(), 0);
  assert.equal(await third.locator("#seat").isHidden(), true);
  const act = (page, headers) => page.evaluate(async ([at, more]) => {
    const answer = await fetch(`${at}act`, { method: "POST", headers: more, body: JSON.stringify({ match: 1, action: "0-1" }) });
    return [answer.status, (await answer.json()).why];
  }, [address, headers]);
  const statuses = [];
  third.removeAllListeners("console");
  for (const headers of [{}, { Authorization: "Seat 0123456789abcdef0123456789abcdef" }]) statuses.push((await act(third, headers))[0]);
  assert.deepEqual(statuses, [403, 403]);
  // The one who waits has a seat, and it is not its turn.
  waiter.removeAllListeners("console");
  const seat = await waiter.evaluate(() => sessionStorage.getItem("seat"));
  assert.deepEqual(await act(waiter, { Authorization: `Seat ${seat}` }), [409, "it is not your turn"]);
  await mover.locator("#dots-board .choice").first().dispatchEvent("click");
  await events(waiter, 1);
  assert.equal(await turn(waiter), true);
  // The player that leaves loses.
  await mover.click("#seat-leave");
  await waiter.waitForSelector("#seat-text:has-text('The match is over')");
  assert.match(await waiter.locator("#seat-text").textContent(), /wins .*a player did not answer/);
});

test("a page that turns to another match at once complains of nothing", async (t) => {
  const { visit } = await hall(t, "3 3");
  const page = await visit();
  const states = await page.evaluate(() => {
    const { connection } = window.projectGame;
    connection.turnTo(null);
    const { socket } = connection;
    const before = socket.readyState;
    connection.turnTo(null);
    window.left = socket;
    return [before, WebSocket.CONNECTING];
  });
  assert.equal(states[0], states[1], "the socket that is left is not open yet");
  await page.waitForFunction(() => window.left.readyState === WebSocket.CLOSED);
  await page.waitForFunction(() => window.projectGame.connection.socket.readyState === WebSocket.OPEN);
});

test("a person whose connection was lost comes back to the seat", async (t) => {
  const { visit } = await hall(t, "3 3");
  const page = await visit();
  await play(page, "Ann", "Play against random");
  await turn(page);
  // The turn may be known before the move that led to it: each move draws one of twelve lines.
  await page.waitForFunction(() => {
    const { game, matches } = window.projectGame;
    return game.events.length + matches.person.options.length === 12;
  });
  const count = await page.evaluate(() => window.projectGame.game.events.length);
  // The connection is cut. There may be another one before anybody looks.
  const cut = await page.evaluateHandle(() => window.projectGame.connection.socket);
  await cut.evaluate((socket) => socket.close());
  await page.waitForFunction((socket) => socket.readyState === WebSocket.CLOSED, cut);
  await page.waitForFunction(([socket, known]) => {
    const { connection, isConnected, game } = window.projectGame;
    return connection.socket !== socket && isConnected && game.events.length === known;
  }, [cut, count]);
  assert.equal(await turn(page), true);
  await page.locator("#dots-board .choice").first().dispatchEvent("click");
  await page.waitForFunction((known) => window.projectGame.game.events.length > known, count);
  // The page is loaded again.
  const later = await page.evaluate(() => window.projectGame.game.events.length);
  await page.reload();
  await page.waitForFunction((known) => window.projectGame.game.events.length >= known, later);
  assert.equal(await turn(page), true);
  assert.ok(await page.locator("#dots-board .choice").count() > 0);
});

test("a person who has left on one page has no seat on another one", async (t) => {
  const { visit } = await hall(t, "3 3");
  const page = await visit();
  await play(page, "Ann", "Play against random");
  await turn(page);
  const other = await visit("#match=1");
  // As a browser does that duplicates a page.
  await other.evaluate((seat) => sessionStorage.setItem("seat", seat), await page.evaluate(() => sessionStorage.getItem("seat")));
  await other.reload();
  assert.equal(await turn(other), true);
  assert.equal(await isTurn(other), true);
  await page.click("#seat-leave");
  await page.waitForSelector("#seat", { state: "hidden" });
  await other.waitForSelector("#seat", { state: "hidden" });
  assert.match(await other.locator('[data-about="seat"]').textContent(), /Your seat is gone: you have left on another page/);
  assert.equal(await other.locator("#dots-board .choice").count(), 0);
  assert.equal(await other.evaluate(() => sessionStorage.getItem("seat")), null);
});

test("an operator starts a match from the settings, and makes its moves by hand", async (t) => {
  const { url, visit } = await hall(t);
  const watching = await visit();
  await watching.waitForSelector("#tab-settings:not([hidden])");
  assert.ok(await watching.locator("#next-move").isHidden(), "only the operator has the button");
  await watching.click("#tab-settings");
  assert.ok(await watching.locator("#setting-rows").isDisabled() && await watching.locator("#start").isHidden());
  const page = await visit(`?${url.split("?")[1]}`);
  await page.click("#tab-settings");
  await page.fill("#setting-rows", "9999");
  await page.waitForSelector(".faulty[data-name=rows] .fault:not([hidden])");
  assert.ok(await page.locator("#start").isDisabled());
  await page.fill("#setting-rows", "3");
  await page.fill("#setting-cols", "4");
  await settled(page);
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/settings.png` });
  await page.locator("#start:not([disabled])").click();
  await page.waitForFunction(() => window.projectGame.connection.match === 1);
  await page.waitForSelector("#dots-board .dot");
  assert.equal(await page.locator("#dots-board .dot").count(), 12);
  await page.click("#next-move");
  await events(page, 1);
  await page.focus("#stage");
  await page.keyboard.press("m");
  await events(page, 2);
  await events(watching, 2);
});

for (const colorScheme of ["light", "dark"]) {
  test(`on a phone nothing is wider than the screen: ${colorScheme}`, async (t) => {
    const { say, visit } = await hall(t);
    say(`open A table with quite a long title ${"W".repeat(40)}`);
    say("move 1 9");
    const page = await visit("", { viewport: { width: 390, height: 844 }, colorScheme });
    await events(page, 9);
    await play(page, "W".repeat(40), "Play against random");
    await turn(page);
    for (const tab of ["board", "matches", "statistics"]) {
      await page.click(`#tab-${tab}`);
      await settled(page);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, tab);
      if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/phone-${colorScheme}-${tab}.png` });
    }
  });
}

for (const colorScheme of process.env.PICTURES ? ["light", "dark"] : []) {
  test(`pictures: ${colorScheme}`, async (t) => {
    const { say, visit } = await hall(t);
    for (const title of ["First", "Second", "Third"]) say(`open ${title}`);
    say("move 1 9");
    say("finish 2");
    say("drop 3");
    const page = await visit("#match=1", { viewport: { width: 1400, height: 900 }, colorScheme });
    await events(page, 9);
    await play(page, "Ann", "Play against random");
    await turn(page);
    await page.keyboard.press("ArrowRight");
    await settled(page);
    for (const tab of ["board", "matches", "statistics"]) {
      await page.click(`#tab-${tab}`);
      await settled(page);
      await page.screenshot({ path: `${process.env.PICTURES}/wide-${colorScheme}-${tab}.png` });
    }
  });
}
