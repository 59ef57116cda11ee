#!/usr/bin/env python3
"""An agent for The Project Game in one file, with nothing but the standard library of Python 3.9.

It is here to be read, and to be copied by whoever writes an agent, in whatever language. From top to bottom:

    Connection    frames and envelopes: how to speak at all
    Knowledge     what the messages have told, and what follows from it
    decide        the strategy: knowledge in, the next request out; put your own in its place
    Agent         one request at a time, and never during the lock that the last one cost
    main          the command line

The protocol is told in book/src/protocol.md, every message in book/src/protocol-messages.md.

Exit codes: 0 when the game is over, 1 when the connection failed or was closed before that, 2 when the game
master turned the agent away or the command line makes no sense.
"""

import argparse
import json
import os
import random
import select
import socket
import sys
import time

# Requests: from an agent to the game master.
CHECK, DESTROY, DISCOVER, ANSWER, ASK, JOIN, MOVE, PICK_UP, PUT = range(1, 10)

# Notices: from the game master to an agent.
CHECKED, DESTROYED, DISCOVERED, GAME_OVER, GAME_START = 101, 102, 103, 104, 105
ASKED, JOINED, MOVED, PICKED_UP, PLACED = 106, 107, 108, 109, 110
MOVE_REFUSED, PICK_UP_REFUSED, PUT_REFUSED, TOO_EARLY, REFUSED = 901, 902, 903, 904, 905

# What may answer the requests that this agent makes, beside TOO_EARLY and REFUSED, which may answer any.
# Nothing answers an ANSWER that was passed on.
ANSWERED_BY = {
    CHECK: {CHECKED},
    DISCOVER: {DISCOVERED},
    MOVE: {MOVED, MOVE_REFUSED},
    PICK_UP: {PICKED_UP, PICK_UP_REFUSED},
    PUT: {PLACED, PUT_REFUSED},
}

# (0, 0) is the south-west corner of the board, x grows to the east and y to the north.
DIRECTIONS = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}

# Where the distances of a DISCOVERED belong, seen from the agent.
DISCOVERY = {
    "distanceFromCurrent": (0, 0),
    "distanceN": (0, 1),
    "distanceNE": (1, 1),
    "distanceE": (1, 0),
    "distanceSE": (1, -1),
    "distanceS": (0, -1),
    "distanceSW": (-1, -1),
    "distanceW": (-1, 0),
    "distanceNW": (-1, 1),
}

# The result of a put has four names in the union dialect; one of them begins its values with a small letter.
PUT_RESULTS = ("putResult", "putEvent", "PlacePieceInfo", "putInformation")

# The longest body that every host accepts.
LONGEST_BODY = 8192


class Failure(Exception):
    """Why the agent ends before the game does, and with which exit code."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


class Connection:
    """A connection to the communication server, in whole messages."""

    def __init__(self, host, port):
        try:
            self.socket = socket.create_connection((host, port), timeout=10)
        except (OSError, UnicodeError) as error:
            raise Failure(
                f"no communication server at {host}:{port}: {error}\n"
                "hint: start one with `cargo run -p cs`, or name another with --host and --port"
            ) from error
        self.socket.settimeout(None)
        # Messages are small, and each is waited for: the system must not collect them.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = bytearray()
        self.agent_id = 0  # Any number will do: the server puts the right one in its place.

    def send(self, request, payload):
        envelope = {"messageID": request, "agentID": self.agent_id, "payload": payload}
        body = json.dumps(envelope, separators=(",", ":")).encode()
        try:
            # One write for length and body: some peers lose frames that arrive in two pieces.
            self.socket.sendall(len(body).to_bytes(2, "little") + body)
        except OSError:
            # The connection is gone. Reading will say so, after whatever came before: perhaps the game's end.
            pass

    def receive(self, until=None):
        """The next message as its id and payload; None if there is none until then."""
        while True:
            body = self.next_body()
            if body is not None:
                message = parse_envelope(body)
                if message is not None:
                    return message
                continue
            patience = None if until is None else until - time.monotonic()
            if patience is not None and patience <= 0:
                return None
            readable, _, _ = select.select([self.socket], [], [], patience)
            if readable:
                self.read()

    def read(self):
        try:
            received = self.socket.recv(65536)
        except OSError as error:
            raise Failure(f"the connection was lost before the game was over: {error}") from error
        if not received:
            raise Failure("the connection was closed before the game was over")
        self.unread += received

    def next_body(self):
        """The next body, once all of it is there: what is read at once may be half a frame, or many."""
        if len(self.unread) < 2:
            return None
        end = 2 + int.from_bytes(self.unread[:2], "little")
        if len(self.unread) < end:
            return None
        body = bytes(self.unread[2:end])
        del self.unread[:end]
        return body


def parse_envelope(body):
    """The id and the payload of a message; None if it is none. Unknown keys mean nothing."""
    try:
        envelope = json.loads(body)
        message_id, payload = int(envelope["messageID"]), envelope.get("payload")
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return message_id, payload if isinstance(payload, dict) else {}


def whole(value):
    """A whole number, which may be written as a decimal string; None if it is missing or none at all."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def field_of(value):
    """A field that is told as an object of x and y, as a pair."""
    return int(value["x"]), int(value["y"])


def neighbour(field, way):
    return field[0] + way[0], field[1] + way[1]


def moves_between(one, other):
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


class Knowledge:
    """What an agent knows of its game."""

    # Distances grow old, since new pieces appear: with many more of them, searches take longer.
    MOST_DISTANCES = 16

    def __init__(self, start, seed=None):
        """`start` is the payload of GAME_START."""
        self.agent_id = int(start["agentID"])
        self.team = start["teamID"].lower()
        self.columns, self.rows = field_of(start["boardSize"])
        self.goal_rows = int(start["goalAreaSize"])
        self.sham_probability = float(start["shamPieceProbability"])
        self.penalties = read_penalties(start["penalties"])
        self.leader = int(start["leaderID"])
        # Some game masters name the agent itself among its allies, and others do not.
        members = sorted({self.agent_id, *(int(ally) for ally in start["alliesIDs"])})
        self.place_in_team, self.team_size = members.index(self.agent_id), len(members)
        # The agent's number as well, or a team that is given one seed would move in step.
        self.random = random.Random(None if seed is None else f"{seed} {self.agent_id}")

        self.position = field_of(start["position"])
        self.came_from = self.wander_target = self.position
        self.holding = False
        self.found_real = False  # Whether a check has found the piece in hand to be no sham.
        self.discovered = False  # Whether the last answer was a discovery's: another would tell nothing new.
        self.questions = []  # Members of the team that wait for an answer; the leader first.

        self.distances = {}  # How far the nearest piece is from a field, the latest last.
        self.goals = {}  # Own goal fields of which something was learnt: "G" or "N".
        self.tried = set()  # Own goal fields where another piece would be wasted.
        self.refusals = {}  # How often others were met on a field, and until which request to avoid it.
        self.requests = 0

        own = range(self.rows - self.goal_rows, self.rows) if self.team == "red" else range(self.goal_rows)
        self.goal_fields = [(x, y) for y in own for x in range(self.columns)]
        # All members use the same numbers, so that no two of them try one field; where shares are used up,
        # each goes through the fields of the others in an order of its own.
        self.share = {f for i, f in enumerate(self.goal_fields) if i % self.team_size == self.place_in_team}
        self.last_choice = {f: self.random.random() for f in self.goal_fields}

    # The board.

    def is_task_field(self, field):
        return 0 <= field[0] < self.columns and self.goal_rows <= field[1] < self.rows - self.goal_rows

    def may_enter(self, field):
        """Whether a move to the field can succeed, as far as it is known."""
        x, y = field
        if not (0 <= x < self.columns and 0 <= y < self.rows) or self.avoids(field):
            return False
        return self.is_task_field(field) or (y >= self.goal_rows) == (self.team == "red")

    def ways(self):
        """The directions that are open, each with the field where it leads."""
        fields = ((name, neighbour(self.position, way)) for name, way in DIRECTIONS.items())
        return [(name, field) for name, field in fields if self.may_enter(field)]

    # Other agents.

    def met(self, field):
        """Somebody stands there. The more often it happens, the longer the field is left alone."""
        times = self.refusals.get(field, (0, 0))[0] + 1
        self.refusals[field] = times, self.requests + 2 ** min(times, 6) + self.random.randrange(4)

    def avoids(self, field):
        return self.refusals.get(field, (0, 0))[1] > self.requests

    # Pieces.

    def learn_distance(self, field, distance):
        """The nearest piece is so far from the field. None, negative and huge numbers stand for no piece."""
        self.distances.pop(field, None)
        distance = whole(distance)
        if distance is None or not 0 <= distance < self.columns + self.rows:
            return
        # A piece that lies nearer than it can, by what was told before, is new: what was told is outdated.
        self.distances = {
            other: far
            for other, far in self.distances.items()
            if far <= distance + moves_between(field, other)
        }
        self.distances[field] = distance
        while len(self.distances) > self.MOST_DISTANCES:
            del self.distances[next(iter(self.distances))]

    def where_pieces_may_lie(self):
        """Task fields, one of which the nearest piece lies on, as far as it is known."""
        distance = self.distances.get(self.position)
        if distance is not None:
            ring = [field for field in self.fields_at(distance) if self.may_hold_piece(field)]
            if ring:
                return ring
            # What is known contradicts itself: a piece has come, and an older one has gone.
            self.distances = {self.position: distance}
            ring = [field for field in self.fields_at(distance) if self.may_hold_piece(field)]
            if ring:
                return ring
        task_rows = range(self.goal_rows, self.rows - self.goal_rows)
        fields = [(x, y) for y in task_rows for x in range(self.columns)]
        return [field for field in fields if self.may_hold_piece(field)] or fields

    def nearest_is_taken(self):
        """Whether the nearest piece seems to lie where somebody else stands, and does not go."""
        distance = self.distances.get(self.position)
        return any(
            times >= 2 and until > self.requests and moves_between(self.position, field) == distance
            for field, (times, until) in self.refusals.items()
        )

    def somewhere_else(self):
        """Somewhere to go until another piece is nearer than the one that is taken."""
        if self.wander_target == self.position or not self.may_enter(self.wander_target):
            x = self.random.randrange(self.columns)
            self.wander_target = x, self.random.randrange(self.goal_rows, self.rows - self.goal_rows)
        return self.wander_target

    def fields_at(self, distance):
        """Task fields at this distance from the agent."""
        x, y = self.position
        for east in range(-distance, distance + 1):
            for north in {distance - abs(east), abs(east) - distance}:
                if self.is_task_field((x + east, y + north)):
                    yield x + east, y + north

    def may_hold_piece(self, field):
        """No told distance would be smaller if a piece were there, and nobody stands on it."""
        if self.avoids(field):
            return False
        return all(moves_between(field, other) >= far for other, far in self.distances.items())

    # Goals.

    def goal_field(self):
        """Where to bring the piece in hand: the own share first, of that what is least out of the way."""
        if len(self.tried) == len(self.goal_fields):
            # Yet the game is not won, so something that seemed to be known is not so.
            self.tried.clear()
        untried = [field for field in self.goal_fields if field not in self.tried]
        untried = [field for field in untried if not self.avoids(field)] or untried
        own = [field for field in untried if field in self.share]
        if own:
            return min(own, key=lambda field: (self.detour(field), field))
        return min(untried, key=self.last_choice.get)

    def detour(self, field):
        """The moves to a goal field, and from there back to the task area."""
        row = field[1]
        depth = row - (self.rows - self.goal_rows) if self.team == "red" else self.goal_rows - 1 - row
        return moves_between(self.position, field) + depth + 1

    def learn_put(self, result):
        """A piece was put here; a game master may leave the result out."""
        result = (result or "").lower()
        if result == "normalongoalfield":
            self.goals[self.position] = "G"
        elif result == "normalonnongoalfield":
            # A goal that a teammate has covered answers like that, too.
            self.goals.setdefault(self.position, "N")
        # A sham tells nothing of the field. Without a result, the piece was real as far as one knows.
        if result != "shamongoalarea":
            self.tried.add(self.position)
        self.holding = False
        return {"G": "a goal", "N": "no goal"}.get(self.goals.get(self.position), "nothing learnt")

    # What others are told.

    def be_asked(self, asker):
        if asker not in self.questions:
            self.questions.insert(0 if asker == self.leader else len(self.questions), asker)

    def information(self, asker):
        """The payload of an ANSWER: all that is known, for whoever is on the same side."""
        fields = ((x, y) for y in range(self.rows) for x in range(self.columns))
        own = [self.goals.get(field, "IDK") for field in self.goal_fields]
        unknown = ["IDK"] * len(own)
        payload = {
            "respondToID": asker,
            "distances": [self.distances.get(field, -1) for field in fields],
            "redTeamGoalAreaInformations": own if self.team == "red" else unknown,
            "blueTeamGoalAreaInformations": own if self.team == "blue" else unknown,
        }
        # What is too long is dropped by the server. Distances go first: they age, and goals do not.
        for part in ("distances", "redTeamGoalAreaInformations", "blueTeamGoalAreaInformations"):
            if len(json.dumps(payload, separators=(",", ":"))) + 100 > LONGEST_BODY:
                payload[part] = []
        return payload


def read_penalties(told):
    """How long each request locks, in seconds. Penalties may be decimal strings, and go by several names."""

    def seconds(*names):
        return next((whole(told[name]) or 0 for name in names if name in told), 0) / 1000

    return {
        CHECK: seconds("checkForSham"),
        DISCOVER: seconds("discovery"),
        ANSWER: seconds("informationExchange", "response"),
        MOVE: seconds("move"),
        PICK_UP: seconds("pickup"),
        PUT: seconds("putPiece"),
    }


def decide(known):
    """The strategy: what to do next, as a request and its payload."""
    if known.questions:
        # Until its leader is answered, an agent can do nothing else.
        return ANSWER, known.information(known.questions[0])
    if not known.holding:
        if known.distances.get(known.position) == 0 and known.is_task_field(known.position):
            return PICK_UP, {}
        return search(known)
    target = known.goal_field()
    walk = moves_between(known.position, target)
    # A sham that is carried home costs the way there and back, and the put.
    wasted = 2 * walk * known.penalties[MOVE] + known.penalties[PUT]
    if not known.found_real and known.sham_probability * wasted > known.penalties[CHECK]:
        return CHECK, {}
    if walk == 0:
        return PUT, {}
    return step(known, target)


def search(known):
    """Nearer to a piece, or a look around to find the way."""
    if known.nearest_is_taken():
        return step(known, known.somewhere_else())
    fields, ways = known.where_pieces_may_lie(), known.ways()

    def chance(way):
        """How likely the move leads nearer."""
        nearer = (f for f in fields if moves_between(way[1], f) < moves_between(known.position, f))
        return sum(1 for _ in nearer) / len(fields)

    if not ways:
        return DISCOVER, {}  # Shut in by others: time has to pass.
    known.random.shuffle(ways)
    best = max(ways, key=chance)
    # A move in vain has to be taken back, which makes two. Reckoned as three, searches are shortest: chances
    # are not quite as good as they look, since pieces come and go unseen.
    lost_by_moving = 3 * (1 - chance(best)) * known.penalties[MOVE]
    if lost_by_moving > known.penalties[DISCOVER] and not known.discovered:
        return DISCOVER, {}
    return MOVE, {"direction": best[0]}


def step(known, target):
    """One move towards a field, around whoever is in the way."""
    ways = known.ways()
    if not ways:
        return DISCOVER, {}  # Shut in by others: time has to pass.

    def cost(way):
        return moves_between(way[1], target), way[1] == known.came_from, known.random.random()

    return MOVE, {"direction": min(ways, key=cost)[0]}


class Agent:
    """Plays one game: one request at a time, each answer before the next, and no request during a lock."""

    def __init__(self, connection, team, seed, is_quiet):
        self.connection, self.team, self.seed, self.is_quiet = connection, team, seed, is_quiet
        self.known = None  # Nothing before the game starts.
        self.request = None  # The request that is not answered yet, with its payload.
        self.told = None  # Whom the last ANSWER was for, until another request shows that it has arrived.
        self.sent_at = self.round_trip = 0.0
        self.ready_at = time.monotonic()  # When the lock ends, by a clock that nobody sets.
        self.puts = 0

    def play(self):
        """Plays to the end; the winner."""
        self.connection.send(JOIN, {"teamID": self.team})
        while True:
            if self.is_free() and time.monotonic() >= self.ready_at:
                self.act()
            message = self.connection.receive(self.ready_at if self.is_free() else None)
            if message is None:
                continue
            notice, payload = message
            if notice == GAME_OVER:
                return str(payload.get("winner")).lower()
            try:
                self.hear(notice, payload)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                text = json.dumps(payload)[:200]
                raise Failure(f"message {notice} makes no sense ({error!r}): {text}") from error

    def is_free(self):
        """Whether the agent plays and waits for no answer."""
        return self.known is not None and self.request is None

    def act(self):
        known = self.known
        request, payload = decide(known)
        known.requests += 1
        self.connection.send(request, payload)
        self.sent_at = time.monotonic()
        if request == ANSWER:
            # Nothing answers it: the lock begins when the game master has it, which is within a round trip.
            self.told = known.questions.pop(0)
            self.ready_at = self.sent_at + self.round_trip + known.penalties[ANSWER]
            self.say(f"tells agent {self.told} what it knows")
        else:
            self.request = request, payload

    def hear(self, notice, payload):
        """Takes one message of the game master. Those that are not known, or came unasked, change nothing."""
        if notice == JOINED:
            if payload.get("accepted") is False:
                raise Failure(f"the game master takes no more agents of {self.team}", 2)
            return
        if notice == GAME_START:
            self.start(payload)
            return
        known = self.known
        if known is None:
            return
        if notice == ASKED:
            self.be_asked(payload)
            return
        request, sent = self.request or (None, {})
        answers = request is not None and notice in ANSWERED_BY[request] | {TOO_EARLY, REFUSED}
        now = time.monotonic()
        if answers:
            # The lock began when the game master served the request: somewhat before now.
            self.request, self.round_trip = None, now - self.sent_at
            self.ready_at = now + known.penalties[request]
            if notice not in (TOO_EARLY, REFUSED):
                self.told = None
        if notice == PICKED_UP:
            # Unasked, too: a new piece that appears where an agent stands may land in its hand.
            self.take_piece()
        elif notice == TOO_EARLY:
            self.wait(payload)
        elif notice == REFUSED:
            self.be_refused(payload)
            if answers and known.questions[:1] == [known.leader]:
                # The request has crossed the leader's question, and cost nothing.
                self.ready_at = now
        elif answers:
            self.learn(notice, payload, sent)

    def start(self, payload):
        self.known = known = Knowledge(payload, self.seed)
        self.connection.agent_id = known.agent_id
        self.ready_at = time.monotonic()
        board = f"{known.columns} x {known.rows}"
        self.say(f"starts at {known.position}, one of {known.team_size} on a board of {board}")

    def be_asked(self, payload):
        """Somebody asks. Teammates are told, enemies are not."""
        if str(payload.get("teamID", self.team)).lower() == self.team:
            self.known.be_asked(int(payload["askingID"]))

    def take_piece(self):
        known = self.known
        known.holding, known.found_real = True, False
        # There may be another piece here, so its own distance is not known any more.
        known.distances.pop(known.position, None)
        self.say(f"has a piece at {known.position}")

    def wait(self, payload):
        """The lock is not over, and nothing has changed. How long it lasts is told as a span and as a moment,
        of which the span will do: clocks differ."""
        if self.told is not None:
            # It may have been the ANSWER that came too early, and the leader would wait for ever.
            self.known.be_asked(self.told)
            self.told = None
        spans = (whole(payload.get(name)) for name in ("waitFor", "delay"))
        span = next((span / 1000 for span in spans if span is not None), self.known.penalties[MOVE])
        self.ready_at = time.monotonic() + span

    def be_refused(self, payload):
        """Something was not as the agent believed; the message tells how it is."""
        known = self.known
        if payload.get("position") is not None:
            known.position = field_of(payload["position"])
        holding = payload.get("holdingPiece")
        if holding is not None and holding != known.holding:
            known.holding, known.found_real = holding, False

    def learn(self, notice, payload, sent):
        """What an answer tells."""
        known = self.known
        known.discovered = notice == DISCOVERED
        if notice == MOVED and payload.get("madeMove", True):
            known.came_from, known.position = known.position, field_of(payload["currentPosition"])
            known.refusals.pop(known.position, None)
            known.learn_distance(known.position, payload.get("closestPiece"))
        elif notice in (MOVED, MOVE_REFUSED):
            # Off the board and into the other goal area it does not go: somebody is in the way.
            known.met(neighbour(known.position, DIRECTIONS[sent["direction"]]))
        elif notice == DISCOVERED:
            for key, way in DISCOVERY.items():
                if key in payload and way != (0, 0):
                    known.learn_distance(neighbour(known.position, way), payload[key])
            # Last, so that it is the one that counts.
            known.learn_distance(known.position, payload.get("distanceFromCurrent"))
        elif notice == CHECKED:
            is_sham = bool(payload["sham"])
            known.holding, known.found_real = not is_sham, not is_sham
            if is_sham:
                self.say("finds a sham")
        elif notice == PLACED:
            self.puts += 1
            result = next((payload[name] for name in PUT_RESULTS if name in payload), None)
            self.say(f"puts a piece at {known.position}: {known.learn_put(result)}")
        elif notice == PICK_UP_REFUSED:
            # Nothing there, or something in hand already.
            known.distances.pop(known.position, None)
            known.holding = payload.get("errorSubtype") == "Other"
        elif notice == PUT_REFUSED:
            known.holding = payload.get("errorSubtype") != "AgentNotHolding"
            if known.holding:
                known.tried.add(known.position)

    def say(self, text):
        if not self.is_quiet:
            print(f"agent {self.known.agent_id} of {self.known.team} {text}", flush=True)


def port(text):
    number = whole(text)
    if number is None or not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port: allowed is a whole number from 1 to 65535")
    return number


def main():
    arguments = argparse.ArgumentParser(description="An agent for The Project Game.")
    arguments.add_argument("--host", default="127.0.0.1", help="where the communication server is")
    arguments.add_argument("--port", type=port, default=3727, help="its port for agents")
    arguments.add_argument("--team", choices=("red", "blue"), default="red", help="on which side to play")
    arguments.add_argument("--seed", type=int, help="what decides whatever is left to chance")
    arguments.add_argument("--quiet", action="store_true", help="tell nothing but who won")
    given = arguments.parse_args()
    try:
        agent = Agent(Connection(given.host, given.port), given.team, given.seed, given.quiet)
        winner = agent.play()
        known = agent.known
        print(f"{winner} wins", flush=True)
        if known is not None and not given.quiet:
            goals = sum(belief == "G" for belief in known.goals.values())
            agent.say(f"made {known.requests} requests and put {agent.puts} pieces, {goals} of them on goals")
        return 0
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Nobody reads what is printed here; nor is there anything to print when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
