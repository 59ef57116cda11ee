"""An agent whose decisions come from a language model.

The host sends each decision as a text: the board, the meaning of its signs, and the options. `prompt` makes a question
of it, `parse` reads the action from the answer, and `fallback` decides if the answer names no action.

`ask_model` stands in for the model: it needs no network, and picks an option that the text makes plausible. For a real
model, replace its body: send the prompt to the service, and return the text of the answer. Thinking takes no game time
unless the match says so, but a match may have a limit for each decision (`thinking` in `hello`).

    bots "python3 language_model.py" random --preset quick --virtual --games 5
"""

import json
import random
import re
import sys

RULES = """You play The Project Game for a team of agents.
Pick up a piece in the middle of the board, carry it to a field of your own goal area, and put it there.
Red's goal area is at the top, blue's at the bottom. A team wins with a piece on each of its goals.
Answer with one of the options and nothing else."""


def prompt(text: str, history: list) -> str:
    """The question for the model: the rules, its last answers, and the decision as the host describes it."""
    past = "\n".join(history[-8:]) or "none"
    return f"{RULES}\n\nYour last answers:\n{past}\n\n{text}"


def listed(message: dict) -> list:
    """The options of a decision. If they are more than 256, only its text has them."""
    if "options" in message:
        return message["options"]
    return re.search(r"^options: (.*)$", message["text"], re.MULTILINE)[1].split(", ")


def parse(answer: str, options: list):
    """The option that the answer names last, or None: models explain before they decide."""
    patterns = [(option, rf"\b{re.escape(option)}\b") for option in options]
    named = [(match.start(), option) for option, pattern in patterns for match in re.finditer(pattern, answer)]
    return max(named)[1] if named else None


def fallback(options: list, chance: random.Random) -> str:
    """An action without the model: any move, since an agent that moves learns the distance to the nearest piece."""
    moves = [option for option in options if option.startswith("move ")]
    return chance.choice(moves or options)


def ask_model(question: str, chance: random.Random) -> str:
    """Stands in for a model: reads the text of the decision, and explains a plausible option."""
    if chance.random() < 0.1:
        return "I am not sure."
    head, *lines = question[question.rindex("clock ") :].splitlines()
    x, y = map(int, re.search(r" at (\d+),(\d+) ", head).groups())
    is_holding, is_red = "holding nothing" not in head, " red at " in head
    legend = next(place for place, line in enumerate(lines) if line.startswith("@ the agent itself"))
    rows = lines[:legend][::-1]  # from the south to the north
    half = range(len(rows) // 2, len(rows)) if is_red else range(len(rows) // 2)
    # `.` is an unknown field of a goal area, `?` a field on which the nearest piece may lie.
    wanted, places = (".", half) if is_holding else ("?", range(len(rows)))
    fields = [(column, row) for row in places for column, sign in enumerate(rows[row]) if sign == wanted]
    if re.search(rf"The field {x},{y} is near: .*\n\nclock ", question) and (is_holding or not fields):
        return "I have arrived: " + ("put" if is_holding else "pick-up")
    if not fields:
        return "Nothing is near: " + ("put" if is_holding else "discover")
    column, row = min(fields, key=lambda field: abs(field[0] - x) + abs(field[1] - y))
    steps = [("E", column > x), ("W", column < x), ("N", row > y), ("S", row < y)]
    way = chance.choice([way for way, is_nearer in steps if is_nearer])
    return f"The field {column},{row} is near: move {way}"


class Agent:
    """One agent in one game."""

    def __init__(self, hello: dict):
        self.chance = random.Random(hello["chance"])
        self.history = []

    def decide(self, message: dict) -> dict:
        """Returns the answer to a message of the host."""
        options = listed(message)
        answer = ask_model(prompt(message["text"], self.history), self.chance)
        action = parse(answer, options)
        if action is None:
            print(f"no option in the answer: {answer!r}")
            action = fallback(options, self.chance)
        self.history.append(answer)
        return {"do": action, "note": answer[:200]}


def main():
    # Only answers go to standard output: from here on, `print` writes to standard error.
    answers, sys.stdout = sys.stdout, sys.stderr
    agent = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            agent = Agent(message)
            answer = {"type": "ready", "protocol": 1, "name": "language model", "text": True}
        elif message["type"] == "decide":
            answer = agent.decide(message)
        else:
            continue
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
