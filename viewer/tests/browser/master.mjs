// A game master for the tests of the live page: it serves the page and invents the game.
//
// It speaks as `reference-gm` does and checks settings in the same way, as far as the tests go. The tests start
// whatever they play against through `startMaster` only.

import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

import { index, script, style } from "./browser.mjs";
import { parameters, play } from "./generate.mjs";

const FILES = {
  "/": [index, "text/html; charset=utf-8"], "/board.js": [script, "text/javascript; charset=utf-8"],
  "/style.css": [style, "text/css; charset=utf-8"],
};

/** What RFC 6455 appends to a client's key. */
const WEBSOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** One text message as an unmasked frame. */
function frame(text) {
  const body = Buffer.from(text);
  const head = body.length < 126 ? Buffer.from([0x81, body.length])
    : body.length < 65536 ? Buffer.from([0x81, 126, body.length >> 8, body.length & 255])
      : Buffer.concat([Buffer.from([0x81, 127]), (() => {
        const length = Buffer.alloc(8);
        length.writeBigUInt64BE(BigInt(body.length));
        return length;
      })()]);
  return Buffer.concat([head, body]);
}

/** The faults of these values, as the game master words them. */
function faultsOf(values, isConnected) {
  const known = new Map(parameters().map((one) => [one.name, one]));
  const faults = [];
  for (const [field, value] of Object.entries(values)) {
    const range = known.get(field)?.range;
    if (!range) faults.push({ field, value, why: "unknown parameter", allowed: "" });
    else if (range.type === "whole" || range.type === "real") {
      const allowed = `${range.type === "whole" ? "a whole number" : "a number"} from ${range.least} to ${range.most}`;
      if (typeof value !== "number") faults.push({ field, value, why: "it makes no sense", allowed });
      else if (value < range.least) faults.push({ field, value, why: "it is too small", allowed });
      else if (value > range.most) faults.push({ field, value, why: "it is too large", allowed });
    }
  }
  if (isConnected && values.CsPort !== undefined && values.CsPort !== 3728) {
    faults.push({ field: "CsPort", value: values.CsPort, why: "the game master is connected already", allowed: "3728, as it is" });
  }
  const inForce = (field) => values[field] ?? known.get(field).default;
  if (!faults.length && inForce("goalAreaHeight") * 2 >= inForce("boardY")) {
    const most = Math.floor((inForce("boardY") - 1) / 2);
    faults.push({ field: "goalAreaHeight", value: inForce("goalAreaHeight"), why: "no row is left for the task area", allowed: `at most ${most}` });
  }
  return faults;
}

/** Starts a game master.
 *
 * `game` are options of the invented game, `pace` says how much faster than the clock it runs, `given` are the
 * settings that a file gave, `lobby` is who has joined and what starts the game, `server` is the communication server
 * with what became of its connection, `seats` how many may look, `port` where, `timeoutMs` after which time without a
 * message a page is to consider its connection lost. The result has the operator's address, a spectator's, `refuse`
 * to refuse requests with a reason, or no longer with none, `join`, `contact` to change what became of the server's
 * connection, `connects` with the addresses to connect to that were asked for, `drop` to end all connections as a
 * network does, `silence` to send nothing any more over those that there are, `letGo` to break the game off, `warn`
 * to warn the viewers, its `port`, and ways to end: `goodbye` as a game master that stops, `kill` as one that is
 * killed, `close` after the test.
 */
export async function startMaster({
  game = {}, pace = 1, given = {}, lobby = { red: [1, 3], blue: [2, 4] }, server: cs = {}, seats: most = Infinity, port = 0,
  timeoutMs,
} = {}) {
  const token = randomBytes(8).toString("hex");
  let values = given;
  let phase = "lobby";
  let told = [];
  let timer = null;
  const viewers = new Map();

  const settings = (asked = values, faults = []) =>
    ({ kind: "settings", locked: phase !== "lobby", parameters: parameters(asked), faults });
  const seats = () => ({
    kind: "lobby", teamSize: values.teamSize ?? 2, startsWhenFull: false, startsAfterMs: null, ...lobby,
    mayStart: Boolean(lobby.red.length && lobby.blue.length),
  });
  let connection = {
    kind: "server", state: "connected", host: "127.0.0.1", port: 3728, agentsPort: 3727, field: null, why: null, ...cs,
  };
  const connects = [];
  const contact = (change) => {
    connection = { ...connection, field: null, why: null, ...change };
    if (phase === "lobby") say(settings());
    say(connection);
    if (phase === "lobby") say(seats());
  };
  const send = (message) => {
    const bytes = frame(JSON.stringify(message));
    for (const socket of viewers.keys()) socket.write(bytes);
  };
  const say = (message) => {
    told.push(message);
    send(message);
  };

  let invented = null;
  let sent = 0;
  let begun = 0;
  const now = () => (Date.now() - begun) * pace;
  function tick() {
    const t = now(), from = sent;
    while (sent < invented.events.length && invented.events[sent][0] <= t) sent++;
    if (sent > from) say({ kind: "events", events: invented.events.slice(from, sent) });
    else send({ kind: "clock", t });
    if (sent === invented.events.length) finish();
  }
  function finish(isBroken = false) {
    clearInterval(timer);
    phase = "over";
    const points = { red: 0, blue: 0 };
    for (const [, word, , , red, blue] of told.flatMap((message) => message.events ?? [])) {
      if (word === "over") Object.assign(points, { red, blue });
    }
    const figures = (agent) => ({
      agent, team: agent % 2 ? "blue" : "red", leader: agent < 2, present: true,
      granted: { "move": 40, "discover": 4, "pick-up": 3, "put": 2, "check": 2, "destroy": 0, "ask": 1, "answer": 1 },
      refused: { "move": 3, "discover": 0, "pick-up": 0, "put": 0, "check": 0, "destroy": 0, "ask": 0, "answer": 0 },
      refusedBecause: { occupied: 2, "off-board": 1 }, premature: 1, pieces: 3, shams: 1, goals: 1,
      questionsAsked: 1, questionsReceived: 1, questionsAnswered: 1, idleMs: 2000, lockedMs: 60000,
      lockedMsBy: { "move": 50000, "discover": 3000, "pick-up": 0, "put": 1000, "check": 2000, "destroy": 0, "ask": 2000, "answer": 2000 },
    });
    const team = (name) => ({ ...figures(name === "red" ? 0 : 1), points: points[name] });
    const winner = points.red === points.blue ? null : points.red > points.blue ? "red" : "blue";
    say({
      kind: "statistics",
      document: {
        outcome: isBroken ? null : { winner, termination: invented.stopped ? "stopped" : "normal" }, points, timeMs: Math.round(now()), seed: "7",
        requests: 100, teams: { red: team("red"), blue: team("blue") },
        agents: invented.start.agents.map(({ id }) => figures(id)),
      },
    });
  }
  function start() {
    phase = "game";
    invented = play(game);
    // As on a network: the rules count agents from 0, the server its connections from 1.
    for (const agent of invented.start.agents) agent.number = agent.id + 1;
    sent = 0;
    begun = Date.now();
    say(settings());
    say(invented.start);
    timer = setInterval(tick, 40);
  }
  function stop() {
    const points = { red: 0, blue: 0 };
    for (const [, word, agent, result] of invented.events.slice(0, sent)) {
      if (word === "put" && result === "on-goal") points[agent % 2 ? "blue" : "red"]++;
    }
    invented.stopped = true;
    const winner = points.red === points.blue ? -1 : points.red > points.blue ? 0 : 1;
    say({ kind: "events", events: [[Math.round(now()), "over", winner, "stopped", points.red, points.blue, {}]] });
    finish();
  }

  function letGo() {
    say({ kind: "truncated", why: "the host has let the match go before its end" });
    finish(true);
  }

  async function serve(request, response) {
    const address = new URL(request.url, "http://localhost");
    const answer = (status, said) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(said === undefined ? "" : JSON.stringify(said));
    };
    if (request.method === "GET" && FILES[address.pathname]) {
      const [content, type] = FILES[address.pathname];
      response.writeHead(200, {
        "Content-Type": type,
        "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'",
      });
      response.end(await content());
      return;
    }
    if (address.pathname === "/game.replay") {
      response.writeHead(200, { "Content-Type": "application/octet-stream" });
      response.end("replay");
      return;
    }
    if (address.pathname === "/feed/open") {
      const open = viewers.size < most;
      return answer(200, { open, why: open ? null : "it has as many viewers as it can serve" });
    }
    if (request.headers.authorization !== `Bearer ${token}`) return answer(403, { why: "the operator's token is missing" });
    let text = "";
    for await (const piece of request) text += piece;
    const asked = text ? { ...values, ...JSON.parse(text) } : values;
    if (Object.values(asked).some((value) => typeof value === "object")) return answer(400, { why: "no settings: invalid type" });
    const faults = faultsOf(asked, connection.state === "connected");
    switch (`${request.method} ${address.pathname}`) {
      case "POST /settings/check": return answer(200, settings(asked, faults));
      case "PUT /settings":
        if (phase !== "lobby") return answer(409, { why: "the game has started" });
        if (faults.length) return answer(422, settings(asked, faults));
        values = asked;
        say(settings());
        say(seats());
        return answer(200, settings());
      case "POST /connect":
        if (connection.state === "connected") return answer(409, { why: "the game master is connected already" });
        connects.push(`${values.CsIP ?? "127.0.0.1"}:${values.CsPort ?? 3728}`);
        contact({ state: "connecting", host: values.CsIP ?? "127.0.0.1", port: values.CsPort ?? 3728 });
        return answer(204);
      case "POST /start":
        if (refused.get("start")) return answer(409, { why: refused.get("start") });
        if (phase !== "lobby") return answer(409, { why: "the game has started" });
        start();
        return answer(204);
      case "POST /stop":
        if (refused.get("stop")) return answer(409, { why: refused.get("stop") });
        if (phase !== "game") return answer(409, { why: "no game is played" });
        stop();
        return answer(204);
      default: return answer(404, { why: "there is nothing here" });
    }
  }

  /** What is refused, and why. */
  const refused = new Map();

  const server = createServer((request, response) => void serve(request, response));
  server.on("upgrade", (request, socket) => {
    if (viewers.size >= most) {
      socket.end("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      return;
    }
    const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + WEBSOCKET_GUID).digest("base64");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    const operator = new URL(request.url, "http://localhost").searchParams.get("token") === token;
    const hello = { kind: "hello", feed: 1, mode: "live", program: "reference-gm 0.1.0", operator, file: null, timeoutMs };
    const past = told.length ? told : [settings(), connection, seats()];
    for (const message of [hello, ...past]) socket.write(frame(JSON.stringify(message)));
    viewers.set(socket, operator);
    socket.on("close", () => viewers.delete(socket));
    socket.on("error", () => viewers.delete(socket));
    socket.on("end", () => socket.destroy());
    socket.resume();
  });
  await new Promise((listening) => server.listen(port, "127.0.0.1", listening));
  const base = `http://127.0.0.1:${server.address().port}/`;
  const cut = () => {
    clearInterval(timer);
    for (const socket of viewers.keys()) socket.destroy();
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  };
  return {
    operator: `${base}?token=${token}`,
    spectator: base,
    port: server.address().port,
    drop: () => { for (const socket of viewers.keys()) socket.destroy(); },
    silence: () => viewers.clear(),
    join: (team, agent) => {
      lobby = { ...lobby, [team]: [...lobby[team], agent] };
      say(settings());
      say(seats());
    },
    contact,
    connects,
    refuse: (what, why) => refused.set(what, why),
    letGo,
    warn: (text) => say({ kind: "warning", text }),
    goodbye: (why) => say({ kind: "gone", why }),
    kill: cut,
    close: cut,
  };
}
