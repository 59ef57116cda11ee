"""A player of Bricks in Python: puts the brick after which the opponent has the fewest replies."""

import sys


def neighbours(cell):
    column, row = cell
    return [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]


def read_cell(text):
    """1x2 is column 1, row 2, both from 0 at the top left."""
    column, row = text.split("x")
    return int(column), int(row)


def choose(free):
    """The brick that blocks the most others; none if none fits."""
    best, most = None, -1
    for column, row in free:
        for other in ((column + 1, row), (column, row + 1)):
            if other in free:
                brick = (column, row), other
                blocked = sum(near in free for cell in brick for near in neighbours(cell))
                if blocked > most:
                    best, most = brick, blocked
    return best


def say(line):
    print(line, flush=True)  # a line that waits in a buffer comes too late


def main():
    size, *filled = sys.stdin.readline().strip().split("_")  # 7_2x3_4x5
    free = {(column, row) for column in range(int(size)) for row in range(int(size))}
    free -= {read_cell(text) for text in filled}
    say("OK")
    for line in map(str.strip, sys.stdin):
        if line == "STOP":
            return
        if line != "START":  # the opponent's brick
            free -= {read_cell(text) for text in line.split("_")}
        brick = choose(free)
        if brick is None:
            return
        free -= set(brick)
        say("_".join(f"{column}x{row}" for column, row in brick))


main()
