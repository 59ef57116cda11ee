// Makes the pictures of the page for the README and the book: `node screenshots.mjs`, or into another folder:
// `node screenshots.mjs FOLDER`.
//
// The game is one that `bots` plays on the virtual clock, so the pictures change only with the page and the
// strategies. The programs have to be built: `cargo build -p reference-gm -p bots`, or their folder named in the
// variable PROGRAMS. Settings and lobby are those of the game master that the tests invent, with the parameters of the
// real one: they are written into `settings.json` first. A test of `reference-gm` compares that file with the program,
// so that the pictures show every parameter there is.

import { execFileSync, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync, inflateSync } from "node:zlib";

import { exportedFile, launch, open, settled } from "./browser.mjs";

const FOLDER = process.argv[2] ? resolve(process.argv[2]) : fileURLToPath(new URL("../../../book/src/images", import.meta.url));
const PROGRAMS = process.env.PROGRAMS ?? fileURLToPath(new URL("../../../target/debug", import.meta.url));
const GAME = { boardX: 26, boardY: 22, goalAreaHeight: 4, numberOfGoals: 12, numberOfPieces: 14, shamPieceProbability: 0.3, teamSize: 6 };
const SEED = "28";
const LINE_UP = "coordinated*5+liar";
const DESKTOP = { viewport: { width: 1360, height: 850 } };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, isMobile: true, hasTouch: true };

/** Writes down every parameter as the real game master describes it. */
async function writeSettings() {
  // Its board is there without a server, on port 1 there is none.
  const words = ["--headless", "--stay", "--page", "127.0.0.1:0", "--cs", "127.0.0.1:1"];
  const master = spawn(join(PROGRAMS, "reference-gm"), words, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => master.once("exit", resolve));
  for await (const line of createInterface({ input: master.stderr })) {
    const [, address] = line.match(/the game page is at ([^?]+)/) ?? [];
    if (!address) continue;
    const feed = await (await fetch(`${address}feed.json`)).json();
    const { parameters } = feed.find(({ kind }) => kind === "settings");
    const lines = parameters.map(({ name, meaning, default: usual, range }) => `  ${JSON.stringify({ name, meaning, default: usual, range })}`);
    await writeFile(new URL("settings.json", import.meta.url), `[\n${lines.join(",\n")}\n]\n`);
    break;
  }
  master.kill();
  await ended;
}

await writeSettings();
// It reads the file when it is imported.
const { startMaster } = await import("./master.mjs");
const browser = await launch();
await mkdir(FOLDER, { recursive: true });

/** The feed of the game, and a file name as people have them. */
async function played() {
  const folder = await mkdtemp(join(tmpdir(), "screenshots-"));
  const [rules, replay, feed] = ["gm.json", "coordinated.replay", "feed.json"].map((name) => join(folder, name));
  await writeFile(rules, JSON.stringify(GAME));
  const run = (program, ...words) => execFileSync(join(PROGRAMS, program), words, { stdio: "ignore" });
  run("bots", "--virtual", "--seed", SEED, "--config", rules, "--strategy", LINE_UP, "--replay", replay);
  run("reference-gm", "export", replay, "--feed", feed);
  const messages = JSON.parse(await readFile(feed, "utf8"));
  await rm(folder, { recursive: true });
  return messages;
}

/** The bytes of each pixel of a picture as the browser writes it: eight bits a channel, not interlaced. */
function pixelsOf(png) {
  const width = png.readUInt32BE(16), height = png.readUInt32BE(20), channels = png[25] === 6 ? 4 : 3;
  const packed = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") packed.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(packed)), stride = width * channels;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? pixels[y * stride + x - channels] : 0;
      const above = y ? pixels[(y - 1) * stride + x] : 0;
      const corner = x >= channels && y ? pixels[(y - 1) * stride + x - channels] : 0;
      const guess = left + above - corner;
      const [toLeft, toAbove, toCorner] = [left, above, corner].map((near) => Math.abs(guess - near));
      const paeth = toLeft <= toAbove && toLeft <= toCorner ? left : toAbove <= toCorner ? above : corner;
      pixels[y * stride + x] = raw[y * (stride + 1) + 1 + x] + [0, left, above, (left + above) >> 1, paeth][filter];
    }
  }
  return { width, height, channels, pixels };
}

/** The same picture in 256 colours: it shows a page of few colours, and takes a third of the room. */
function withPalette(png) {
  const { width, height, channels, pixels } = pixelsOf(png);
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += channels) {
    const colour = (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  // The most frequent colours, each of them far enough from those before; the others become the nearest.
  const far = (one, other) =>
    ((one >> 16) - (other >> 16)) ** 2 + (((one >> 8) & 255) - ((other >> 8) & 255)) ** 2 + ((one & 255) - (other & 255)) ** 2;
  const palette = [];
  for (const [colour] of [...counts].sort(([, one], [, other]) => other - one)) {
    if (palette.length < 256 && palette.every((chosen) => far(chosen, colour) > 20)) palette.push(colour);
  }
  const place = new Map([...counts.keys()].map((colour) => {
    let best = 0;
    for (let one = 1; one < palette.length; one++) if (far(palette[one], colour) < far(palette[best], colour)) best = one;
    return [colour, best];
  }));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const at = (y * width + x) * channels;
    rows[y * (width + 1) + 1 + x] = place.get((pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2]);
  }
  const chunk = (type, content) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), content]), framed = Buffer.alloc(body.length + 8);
    framed.writeUInt32BE(content.length, 0);
    body.copy(framed, 4);
    framed.writeUInt32BE(crc32(body), body.length + 4);
    return framed;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    png.subarray(0, 8), chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))),
    chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** One picture, light and dark. */
async function take(name, options, prepare) {
  for (const colorScheme of ["light", "dark"]) {
    const { page, context } = await open(browser, { ...options, colorScheme });
    await prepare(page);
    await settled(page);
    const picture = withPalette(await page.screenshot());
    await writeFile(join(FOLDER, `${name}-${colorScheme}.png`), picture);
    console.log(`${name}-${colorScheme}.png ${Math.round(picture.length / 1024)} kB`);
    await context.close();
  }
}

const master = await startMaster({ given: { teamSize: 4, boardX: 26, boardY: 22 }, lobby: { red: [1, 4, 5], blue: [2, 3, 6, 7] } });
await take("settings", DESKTOP, async (page) => {
  await page.goto(master.operator);
  await page.waitForSelector("#setting-boardX");
  await page.fill("#setting-goalAreaHeight", "4");
  await page.fill("#setting-shamPieceProbability", "1.5");
  await page.waitForSelector('[data-name="shamPieceProbability"].faulty');
  await page.waitForTimeout(400);
});
await take("lobby", PHONE, async (page) => {
  await page.goto(master.spectator);
  await page.waitForSelector("#setting-boardX");
});
await master.close();

const messages = await played();
const { agents } = messages.find((message) => message.kind === "start");
const events = messages.flatMap((message) => message.events ?? []);
const game = await exportedFile(messages);
// A moment with something to see: a lie across a good part of the board, when there is much to believe.
const places = agents.map(({ x, y }) => [x, y]);
const [when, , asker] = events.find(([t, word, agent, ...rest]) => {
  if (word === "moved") places[agent] = rest;
  if (word !== "answered" || t < 200_000 || agents[rest[0]].name !== "liar") return false;
  const [[x, y], [otherX, otherY]] = [places[agent], places[rest[0]]];
  return Math.abs(x - otherX) + Math.abs(y - otherY) > 8;
});
const replay = (fragment, then = async () => {}) => async (page) => {
  await page.goto(`${game.address}#${fragment}`);
  await then(page);
};
await take("game", DESKTOP, replay(`t=${when}`));
await take("belief", DESKTOP, replay(`t=${when}&agent=${asker}`, (page) => page.keyboard.press("b")));
await take("statistics", DESKTOP, replay("t=0", (page) => page.keyboard.press("3")));
await take("phone", PHONE, replay(`t=${when}`));

await game.remove();
await browser.close();
