// A real browser for the tests, and what it is to look at.
//
// The variable CHROMIUM names the browser's program; without it Debian's place is tried.

import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

import { afterwards } from "./afterwards.mjs";

const VIEWER = new URL("../../page/", import.meta.url);

/** The longest that a test waits for one thing on a page, and that it lasts in all, on a machine that is busy with something else. */
const TIMEOUT_MS = 120_000;
export const LONGEST_TEST_MS = 600_000;

/** Starts the browser. Nothing that it does by itself reaches a network. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
      // Of a file that a test puts in the place of the server's, the browser does not know that it is from this machine.
      ...(process.env.FROM_DISK ? ["--disable-features=LocalNetworkAccessChecks"] : []),
    ],
  });
}

/** A new page of its own, and the complaints of its console. */
export async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.stack));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  return { page, complaints, context };
}

/** A new page of a test, which is closed with it, and the complaints of its console. */
export async function openFor(t, browser, options) {
  const { page, complaints, context } = await open(browser, options);
  afterwards(t, () => context.close());
  return { page, complaints };
}

/** A new page of a test, which is closed with it. Whatever its console complains of until then fails the test. */
export async function openQuiet(t, browser, options) {
  const { page, complaints, context } = await open(browser, options);
  afterwards(t, async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });
  return page;
}

/** A quiet page at this address. */
export async function pageAt(t, browser, address, options) {
  const page = await openQuiet(t, browser, options);
  await takeFiles(page);
  await page.goto(address);
  return page;
}

/** The script as the game master serves it: its modules, each behind those that it imports. */
export async function script() {
  const joined = new Map();
  const join = async (address) => {
    if (joined.has(address.href)) return;
    const module = await readFile(address, "utf8");
    for (const [, path] of module.matchAll(/^(?:import|\}) .*from "(.*)";$/gm)) await join(new URL(path, address));
    joined.set(address.href, module.replace(/^import [^;]*;\n/gm, "").replace(/^export /gm, ""));
  };
  await join(new URL("main.js", VIEWER));
  return [...joined.values()].join("");
}

/** The page as the game master serves it: with the parts of all rooms. */
export async function index() {
  const rooms = (await readdir(new URL("games/", VIEWER))).sort();
  const part = async (room) => `<template id="room-${room}">\n${await readFile(new URL(`games/${room}/room.html`, VIEWER), "utf8")}</template>\n`;
  return (await readFile(new URL("index.html", VIEWER), "utf8")).replace("<!-- rooms -->\n", (await Promise.all(rooms.map(part))).join(""));
}

/** The style sheet as the game master serves it: behind the page's own those of all rooms. */
export async function style() {
  const rooms = (await readdir(new URL("games/", VIEWER))).sort();
  const ownSheets = await Promise.all(rooms.map(async (room) =>
    ((await readdir(new URL(`games/${room}/`, VIEWER))).includes("room.css") ? [`games/${room}/room.css`] : [])));
  const sheets = ["style.css", ...ownSheets.flat()];
  return (await Promise.all(sheets.map((sheet) => readFile(new URL(sheet, VIEWER), "utf8")))).join("");
}

/** Has a page take the files of the page as they are on disk, where FROM_DISK is set: not those that the program was
 * built with. */
async function takeFiles(page) {
  if (!process.env.FROM_DISK) return;
  const files = { "**/board.js": [script, "text/javascript"], "**/style.css": [style, "text/css"], "**/": [index, "text/html"] };
  for (const [address, [read, contentType]] of Object.entries(files)) {
    await page.route(address, async (route) => route.fulfill({ body: await read(), contentType: `${contentType}; charset=utf-8` }));
  }
}

/** A feed as the game master writes it into a file. */
export function fileOf(feed) {
  return `[${feed.map((message) => JSON.stringify(message)).join(",\n")}]`;
}

/** The page with a feed inside, as the game master exports it; a text is taken as it is. */
export async function exported(feed) {
  const written = typeof feed === "string" ? feed : fileOf(feed);
  const [html, styles, code] = await Promise.all([index(), style(), script()]);
  const put = (text, link, content) => {
    const [before, after, ...more] = text.split(link);
    if (after === undefined || more.length) throw new Error(`index.html has not exactly one ${link}`);
    return before + content + after;
  };
  const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:";
  const styled = put(html, '<link rel="stylesheet" href="style.css">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${styles}</style>`);
  return put(styled, '<script type="module" src="board.js"></script>',
    `<script type="module">${code.replaceAll("</script", "<\\/script")}</script>\n`
    + `<script type="application/json" id="feed">${written.replaceAll("<", "\\u003c")}</script>`);
}

/** An exported file on disk: its address, and how to be rid of it. */
export async function exportedFile(feed) {
  const folder = await mkdtemp(join(tmpdir(), "viewer-"));
  const file = join(folder, "game.html");
  await writeFile(file, await exported(feed));
  return { address: pathToFileURL(file).href, remove: () => rm(folder, { recursive: true }) };
}

/** Waits until the page has painted what it was told to. */
export function settled(page) {
  return page.evaluate(() => new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => done()));
  }));
}
