// The real programs, for tests of the page over them. `cargo xtask test` builds them and says in the variable PROGRAMS where
// they are.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterwards } from "./afterwards.mjs";

export const PROGRAMS = process.env.PROGRAMS ?? fileURLToPath(new URL("../../../target/debug", import.meta.url));

/** Starts a program, and ends it with the test. */
export function start(t, name, ...words) {
  const child = spawn(join(PROGRAMS, name), words, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const lines = [];
  const waiting = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      for (const look of [...waiting]) look();
    });
  }
  /** What the first line that matches has to say. */
  const says = (pattern) => new Promise((resolve, reject) => {
    const look = () => {
      const found = lines.map((line) => line.match(pattern)).find(Boolean);
      if (found) resolve(found);
    };
    waiting.push(look);
    ended.then((code) => reject(new Error(`${name} ended with ${code}:\n${lines.join("\n")}`)));
    look();
  });
  afterwards(t, async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended, says };
}

/** Runs a program to its end, which has to be a success. */
export function run(name, ...words) {
  return promisify(execFile)(join(PROGRAMS, name), words);
}

/** A new folder, which is removed with the test. */
export async function newFolder(t, name) {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  afterwards(t, () => rm(folder, { recursive: true, maxRetries: 5, retryDelay: 100 }));
  return folder;
}
