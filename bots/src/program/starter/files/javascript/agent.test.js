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
  const [hello, decide] = [JSON.parse(lines[0]), JSON.parse(lines[LINE_NUMBER])];
  const answer = new Agent(hello).decide(decide.observation, decide.options);
  assert.deepStrictEqual(answer, { do: "EXPECTED" });
});
