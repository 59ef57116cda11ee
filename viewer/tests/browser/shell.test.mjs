// Parts of the shell by themselves, without a browser.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";

import { Connection } from "../../page/shell/connection.js";
import { DuelRoom } from "../../page/shell/duel.js";
import { Loop } from "../../page/shell/loop.js";
import { announce } from "../../page/shell/notices.js";
import { Time } from "../../page/shell/time.js";

/** A document whose elements keep what is written into them; its elements by their ids. */
function stubDocument() {
  const elements = new Map();
  const element = () => ({
    textContent: "", checked: false, attributes: {}, setAttribute(name, value) { this.attributes[name] = value; }, addEventListener() {},
  });
  globalThis.document = {
    body: { classList: { add() {} } },
    getElementById: (id) => {
      if (!elements.has(id)) elements.set(id, element());
      return elements.get(id);
    },
  };
  return elements;
}

test("off the board a game under way is painted five times a second, however many messages come", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const frames = [];
  Object.assign(globalThis, {
    requestAnimationFrame: (paint) => frames.push(paint), document: { getElementById: () => ({ textContent: "" }) },
  });
  const loop = new Loop({
    tab: "statistics", ended: false, game: { start: {}, momentText: () => "0:00.0" }, time: { following: true, advance() {} },
    room: { writeScore() {} },
  });
  const paint = () => {
    const count = frames.length;
    for (const frame of frames.splice(0)) frame(0);
    return count;
  };
  for (let message = 0; message < 15; message++) {
    loop.invalidate();
    paint();
    t.mock.timers.tick(10);
  }
  let painted = 0;
  for (let passed = 0; passed < 1000; passed += 20) {
    t.mock.timers.tick(20);
    painted += paint();
  }
  assert.equal(painted, 5);
});

test("after a live game the button plays the game from its beginning, as in a replay", () => {
  const elements = stubDocument();
  const page = {
    live: true, ended: false, isConnected: true, game: { start: {}, hello: {}, duration: 5000, momentText: String, countAt: () => 0 },
    address: { writeSoon() {} }, invalidate() {}, room: { writePanels() {} }, list: { follow() {} },
  };
  const time = page.time = new Time(page), loop = new Loop(page);
  const button = () => {
    loop.writePanels();
    return elements.get("play").attributes["aria-label"];
  };
  time.follow(true);
  time.t = 5000;
  assert.equal(button(), "Pause", "the game goes on");
  page.ended = true;
  time.advance(20);
  assert.deepEqual([time.t, button()], [5000, "Play"]);
  time.play();
  time.advance(20);
  assert.deepEqual([time.t, button()], [20, "Pause"]);
  time.play();
  assert.deepEqual([time.playing, button()], [false, "Play"]);
});

test("the charts of a game that grows are drawn at once, and then with a pause", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let drawn = 0;
  stubDocument();
  const room = new class extends DuelRoom {
    drawCharts() { drawn++; }
  }({ game: { start: {} }, tab: "board", time: { from: 0 } });
  for (let passed = 0; passed < 1800; passed += 100) {
    room.grew();
    t.mock.timers.tick(100);
  }
  assert.equal(drawn, 3, "at the beginning, and after each pause");
  room.grew();
  room.finished();
  assert.equal(drawn, 4, "the end is drawn at once");
  t.mock.timers.tick(5000);
  assert.equal(drawn, 4, "and not again");
  room.grew();
  assert.equal(drawn, 5);
});

test("an announcement that is made again is a change", () => {
  stubDocument();
  const element = document.getElementById("announce"), written = [];
  for (let time = 0; time < 3; time++) {
    announce("It is your turn");
    written.push(element.textContent);
  }
  assert.deepEqual(written, ["It is your turn", "It is your turn\u00a0", "It is your turn"]);
});

test("a connection that is lost while its last messages lead to another match leaves the socket of that match alone", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  stubDocument();
  const sockets = [];
  class Socket extends EventTarget {
    static CONNECTING = 0;
    readyState = 1;

    constructor(address) {
      super();
      sockets.push([address.split("?")[1], this]);
    }

    close() {}
  }
  Object.assign(globalThis, { WebSocket: Socket, location: { protocol: "http:", host: "host", search: "" } });
  const lost = [];
  const connection = new Connection({ take: () => connection.turnTo(2), lost: (how) => { lost.push(how); return false; } });
  connection.match = 1;
  connection.open();
  const [[, first]] = sockets;
  first.dispatchEvent(new MessageEvent("message", { data: JSON.stringify({ kind: "matches" }) }));
  first.dispatchEvent(new Event("close"));
  assert.deepEqual(sockets.map(([query]) => query), ["match=1", "match=2"]);
  assert.equal(connection.socket, sockets[1][1]);
  assert.deepEqual(lost, [], "nothing is lost");
});

test("no score is an output: a screen reader would read it out with every move of playback", async () => {
  const games = new URL("../../page/games/", import.meta.url);
  for (const game of await readdir(games)) {
    for (const file of ["room.html", "room.js"]) assert.doesNotMatch(await readFile(new URL(`${game}/${file}`, games), "utf8"), /<output|"output"/, `${game}/${file}`);
  }
});

test("a file that the host does not begin to send in time is not waited for, and one that takes long is", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  Object.assign(globalThis, { location: { protocol: "http:", host: "host", search: "" } });
  const connection = new Connection({});
  const until = (signal) => new Promise((_, fail) => { signal.addEventListener("abort", () => fail(signal.reason)); });
  t.mock.method(globalThis, "fetch", (_, { signal }) => until(signal));
  const silent = connection.load("game.replay");
  t.mock.timers.tick(5000);
  assert.equal(await silent, null);
  let send;
  const body = new Promise((resolve) => { send = resolve; });
  t.mock.method(globalThis, "fetch", async (_, { signal }) => ({ status: 200, ok: true, blob: () => Promise.race([body, until(signal)]) }));
  const slow = connection.load("game.replay");
  await Promise.resolve();
  await Promise.resolve();
  t.mock.timers.tick(60_000);
  send("the file");
  assert.deepEqual(await slow, { status: 200, ok: true, file: "the file" });
});
