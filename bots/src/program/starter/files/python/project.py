"""An agent for The Project Game: it reads lines of JSON and writes lines of JSON.

Change `decide`. `main` speaks the agent protocol and can stay as it is.
"""

import json
import sys


class Agent:
    """One agent in one game."""

    def __init__(self, hello: dict):
        config, teams, agent = hello["config"], hello["teams"], hello["agent"]
        rows, goal_rows = config["boardY"], config["goalAreaHeight"]
        # Red's goal area is in the north, blue's in the south.
        is_red = hello["team_names"][teams[agent]] == "red"
        self.goal_rows = range(rows - goal_rows, rows) if is_red else range(goal_rows)
        mates = [mate for mate, team in enumerate(teams) if team == teams[agent]]
        self.place, self.team_size = mates.index(agent), len(mates)

    def decide(self, see: dict, options: list) -> dict:
        """Returns the answer: {"do": ACTION}, {"walk": [X, Y]} or {"wait": MILLISECONDS}.

        `see` has at, hand, distance, piece, points, questions, asked, silent, seen, board and, on large boards, window.
        The message in `main` also has `now`, the game time in milliseconds, and `events`, what the agent has heard since
        its last decision. To use them, pass the message here.
        """
        here, piece = see["at"], see["piece"]
        if see["hand"] != "empty":
            goal = self.goal(see)
            return {"do": "put"} if goal == here else {"walk": goal, "note": "a goal may be there"}
        if piece is None:
            return {"do": "discover"}
        return {"do": "pick-up"} if piece == here else {"walk": piece, "note": "a piece may be there"}

    def goal(self, see: dict) -> list:
        """The nearest field that can be a goal, first in the agent's own share of the columns."""
        left, south = see.get("window", [0, 0])
        x, y = see["at"]
        fields = [
            [left + column, south + row]
            for row, signs in enumerate(see["board"])
            for column, sign in enumerate(signs)
            if south + row in self.goal_rows and sign in "?G"
        ]

        def cost(field):
            is_own = field[0] % self.team_size == self.place
            return not is_own, abs(field[0] - x) + abs(field[1] - y)

        return min(fields, key=cost, default=[x, self.goal_rows[0]])
