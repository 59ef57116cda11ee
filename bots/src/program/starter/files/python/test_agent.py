"""A test of one decision. `lines.jsonl` has the lines of a game that another agent played."""

import json
import unittest
from pathlib import Path

from agent import Agent

LINES = Path(__file__).with_name("lines.jsonl").read_text(encoding="utf-8").splitlines()


class Decisions(unittest.TestCase):
    def test_a_decision(self):
        # DECISION
        hello, decide = json.loads(LINES[0]), json.loads(LINES[LINE_NUMBER])
        answer = Agent(hello).decide(decide["observation"], decide["options"])
        self.assertEqual(answer, {"do": "EXPECTED"})


if __name__ == "__main__":
    unittest.main()
