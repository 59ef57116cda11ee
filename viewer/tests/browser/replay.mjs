// A replay of a small game in a browser: the real program has exported it, and the page is opened from disk.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { afterwards } from "./afterwards.mjs";
import { exported, exportedFile, launch, openQuiet, settled } from "./browser.mjs";
import { run } from "./programs.mjs";

/** The replay `NAME.replay` for the tests of a file: its `feed`, and `game`, which opens it, or another feed, and waits
 * until `drawn` is there. Whatever the browser complains of fails the test. */
export function replayOf(name, drawn) {
  const replay = { browser: null, address: null, feed: null };
  let folder;
  before(async () => {
    replay.browser = await launch();
    folder = await mkdtemp(join(tmpdir(), `${name}-`));
    const to = (file) => join(folder, file);
    const file = fileURLToPath(new URL(`../games/${name}.replay`, import.meta.url));
    await run("reference-gm", "export", file, "--html", to("game.html"), "--feed", to("game.json"));
    replay.address = pathToFileURL(to("game.html")).href;
    replay.feed = JSON.parse(await readFile(to("game.json"), "utf8"));
    if (process.env.FROM_DISK) await writeFile(to("game.html"), await exported(replay.feed));
  });
  after(async () => {
    await replay.browser?.close();
    if (folder) await rm(folder, { recursive: true });
  });
  replay.game = async (t, { fragment = "", feed = null, ...options } = {}) => {
    const other = feed && await exportedFile(feed);
    if (other) afterwards(t, () => other.remove());
    const page = await openQuiet(t, replay.browser, options);
    await page.goto(`${(other ?? replay).address}${fragment}`);
    await page.waitForSelector(drawn);
    await settled(page);
    return page;
  };
  replay.events = () => replay.feed.flatMap((message) => message.events ?? []);
  return replay;
}

/** A feed with a changed start. */
export function withStart(feed, change) {
  return feed.map((message) => (message.kind === "start" ? change(message) : message));
}

/** A feed whose players have names as long as the page of a host takes them, without a place for a line break. */
export function withLongNames(feed) {
  return withStart(feed, (start) => ({ ...start, agents: start.agents.map((agent) => ({ ...agent, name: "W".repeat(40) })) }));
}

/** Asserts that no page over a game is wider than the screen. */
export async function checkWidth(page) {
  for (const tab of ["statistics", "board"]) {
    await page.click(`#tab-${tab}`);
    await settled(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), page.viewportSize().width, tab);
  }
}

/** Asserts that a model takes the start of a feed, and none without agents or picture, or whose picture lacks one of
 * these parts. */
export function checkStarts(feed, Model, parts) {
  const start = feed.find(({ kind }) => kind === "start"), { agents, picture } = start;
  const begin = (change) => new Model().add({ ...start, ...change });
  begin({});
  for (const wrong of [null, [null, null], agents.slice(1)]) assert.throws(() => begin({ agents: wrong }), `agents ${JSON.stringify(wrong)}`);
  assert.throws(() => begin({ picture: undefined }));
  for (const part of parts) assert.throws(() => begin({ picture: { ...picture, [part]: undefined } }), `a picture without ${part}`);
}
