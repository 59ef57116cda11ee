// A replay of a small game in a browser: the real program has exported it, and the page is opened from disk.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { exported, launch, openQuiet, settled } from "./browser.mjs";
import { run } from "./programs.mjs";

/** The replay `NAME.replay` for the tests of a file: its `feed`, and `game`, which opens it and waits until `drawn` is
 * there. Whatever the browser complains of fails the test. */
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
  replay.game = async (t, { fragment = "", ...options } = {}) => {
    const page = await openQuiet(t, replay.browser, options);
    await page.goto(`${replay.address}${fragment}`);
    await page.waitForSelector(drawn);
    await settled(page);
    return page;
  };
  replay.events = () => replay.feed.flatMap((message) => message.events ?? []);
  return replay;
}
