"use strict";
// A test of one decision. `lines.jsonl` has the lines of a game that another agent played.

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");

const { Agent } = require("./agent.js");

const lines = fs.readFileSync(path.join(__dirname, "lines.jsonl"), "utf8").split("\n");

test("a decision", () => {
  // DECISION
  const [hello, ...messages] = lines.slice(0, LINE_COUNT).map((line) => JSON.parse(line));
  const agent = new Agent(hello);
  let answer;
  // The agent may remember something of the decisions before, so it makes these too.
  for (const message of messages) {
    if (message.type === "decide") answer = agent.decide(message.observation, message.options ?? []);
  }
  assert.deepStrictEqual(answer, { do: "EXPECTED" });
});
