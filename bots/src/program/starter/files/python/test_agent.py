"""A test of one decision. `lines.jsonl` has the lines of a game that another agent played."""

import json
import unittest
from pathlib import Path

from agent import Agent

LINES = Path(__file__).with_name("lines.jsonl").read_text(encoding="utf-8").splitlines()


class Decisions(unittest.TestCase):
    def test_a_decision(self):
        # DECISION
        hello, *messages = [json.loads(line) for line in LINES[:LINE_COUNT]]
        agent = Agent(hello)
        # The agent may remember something of the decisions before, so it makes these too.
        for message in messages:
            if message["type"] == "decide":
                answer = agent.decide(message["observation"], message.get("options", []))
        self.assertEqual(answer, {"do": "EXPECTED"})


if __name__ == "__main__":
    unittest.main()
