// A host of Dots & Boxes with several matches: the example `dots_host`, which a test tells what happens.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { PROGRAMS } from "./programs.mjs";

/** Starts a host: the address of its page with and without the operator's token, how to tell it something, how to end it. */
export async function host(address = "127.0.0.1:0") {
  const program = spawn(join(PROGRAMS, "examples", "dots_host"), [address], { stdio: ["pipe", "pipe", "inherit"] });
  const [url] = await once(createInterface({ input: program.stdout }), "line");
  const ended = once(program, "exit");
  return {
    url,
    open: url.split("?")[0],
    say: (command) => program.stdin.write(`${command}\n`),
    end: async () => { program.stdin.end(); await ended; },
    kill: async () => { program.kill("SIGKILL"); await ended; },
  };
}
