"""An agent for Dots & Boxes: it reads lines of JSON and writes lines of JSON.

Change `decide`. `main` speaks the agent protocol and can stay as it is.
"""

import json
import sys


class Agent:
    """One agent in one game."""

    def __init__(self, hello: dict):
        self.columns = hello["config"]["cols"]

    def decide(self, see: dict, options: list) -> dict:
        """Returns the answer: {"do": EDGE}, an edge as the numbers of its dots, row by row: "0-1".

        `see` has player, mover, points, across, down and boxes.
        The message in `main` also has `events`, what was drawn since the last decision, and `now`, which is 0 in this game.
        To use them, pass the message here.
        """
        return {"do": min(self.free(see), key=lambda edge: self.cost(see, edge))}

    def free(self, see: dict) -> list:
        """The edges that are not drawn. `options` lists them too, but only up to 256."""
        def edges(rows, step):
            for row, signs in enumerate(rows):
                for column, sign in enumerate(signs):
                    if sign == ".":
                        dot = row * self.columns + column
                        yield f"{dot}-{dot + step}"

        return [*edges(see["across"], 1), *edges(see["down"], self.columns)]

    def cost(self, see: dict, edge: str) -> int:
        """The boxes that the opponent can complete after this edge, less those that the edge completes."""
        drawn = [self.drawn(see, row, column) for row, column in self.boxes(see, edge)]
        return drawn.count(2) - 2 * drawn.count(3)

    def boxes(self, see: dict, edge: str) -> list:
        """The one or two boxes beside an edge, as row and column."""
        first, second = map(int, edge.split("-"))
        row, column = divmod(first, self.columns)
        other = (row - 1, column) if second == first + 1 else (row, column - 1)
        return [
            (row, column)
            for row, column in [(row, column), other]
            if 0 <= row < len(see["boxes"]) and 0 <= column < len(see["boxes"][row])
        ]

    def drawn(self, see: dict, row: int, column: int) -> int:
        """The number of drawn edges of a box."""
        across, down = see["across"], see["down"]
        edges = across[row][column] + across[row + 1][column] + down[row][column] + down[row][column + 1]
        return 4 - edges.count(".")
