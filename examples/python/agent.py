#!/usr/bin/env python3
"""An agent for The Project Game in one file, with nothing but the standard library of Python 3.9.

It is here to be read, and to be copied by authors of agents in any language. From top to bottom:

    Request, Notice   the messages, by name
    Connection        frames and envelopes: how to speak at all
    Knowledge         what the messages have told, and what follows from it
    decide            the strategy: knowledge in, the next request out; put your own in its place
    Agent             one request at a time, and never during the lock that the last one cost
    main              the command line

The rules are in book/src/rules.md, the protocol in book/src/protocol.md, every message in
book/src/protocol-messages.md.

What it does when it is refused:

    901   takes over the position that is told, and goes around the field where somebody stands
    902   forgets the piece that it believed to lie there; after `Other`, that its hand was empty
    903   believes that its hand is empty after `AgentNotHolding`, and tries another field otherwise
    904   waits as long as it is told, and decides anew
    905   takes over position and hand where they are told; answers the leader first if it was asked

Exit codes: 0 when the game is over, 1 when the connection failed, was closed before that, or answers did not
come, 2 when the game master rejected the agent or the command line makes no sense.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import select
import socket
import sys
import time
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

Payload = Dict[str, Any]
Field = Tuple[int, int]  # Column and row.


class Request(IntEnum):
    """From an agent to the game master."""

    CHECK = 1
    DESTROY = 2
    DISCOVER = 3
    ANSWER = 4
    ASK = 5
    JOIN = 6
    MOVE = 7
    PICK_UP = 8
    PUT = 9


class Notice(IntEnum):
    """From the game master to an agent."""

    CHECKED = 101
    DESTROYED = 102
    DISCOVERED = 103
    GAME_OVER = 104
    GAME_START = 105
    ASKED = 106
    JOINED = 107
    MOVED = 108
    PICKED_UP = 109
    PLACED = 110
    ANSWERED = 111
    ANSWER_PASSED_ON = 112
    QUESTION_PASSED_ON = 113
    MOVE_REFUSED = 901
    PICK_UP_REFUSED = 902
    PUT_REFUSED = 903
    TOO_EARLY = 904
    REFUSED = 905


# What may answer each request, beside TOO_EARLY and REFUSED, which may answer any.
# Nothing answers an ANSWER that was passed on.
ANSWERED_BY: Dict[Request, Set[int]] = {
    Request.CHECK: {Notice.CHECKED},
    Request.DESTROY: {Notice.DESTROYED},
    Request.DISCOVER: {Notice.DISCOVERED},
    Request.MOVE: {Notice.MOVED, Notice.MOVE_REFUSED},
    Request.PICK_UP: {Notice.PICKED_UP, Notice.PICK_UP_REFUSED},
    Request.PUT: {Notice.PLACED, Notice.PUT_REFUSED},
}
MAY_ANSWER_ANY: Set[int] = {Notice.TOO_EARLY, Notice.REFUSED}

# (0, 0) is the south-west corner of the board, x grows to the east and y to the north.
DIRECTIONS: Dict[str, Field] = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}

# Where the distances of a DISCOVERED belong, seen from the agent.
DISCOVERY: Dict[str, Field] = {
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

# The longest body that every host accepts, and room for the envelope in it.
LONGEST_BODY = 8192
ENVELOPE = 100

# After this many requests in a row without an answer the agent ends.
MOST_UNANSWERED = 3

# Requests whose late answers are still recognised.
MOST_PENDING = 8


class Failure(Exception):
    """Why the agent ends before the game does, and with which exit code."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Message:
    """A message of the game master."""

    notice: int  # Mostly a `Notice`; other game masters have messages of their own.
    payload: Payload
    correlation: Optional[int]  # The `correlationID` of the request that it answers, if it has one.


class Connection:
    """A connection to the communication server, in whole messages."""

    def __init__(self, host: str, port: int, traces: bool = False) -> None:
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
        self.correlation = 0  # Of the last request.
        self.traces, self.began = traces, time.monotonic()

    def send(self, request: Request, payload: Payload) -> int:
        """Sends a request; its `correlationID`, which comes back in the answer."""
        self.correlation += 1
        envelope = {
            "messageID": int(request),
            "agentID": self.agent_id,
            "correlationID": self.correlation,
            "payload": payload,
        }
        body = json.dumps(envelope, separators=(",", ":")).encode()
        self.trace(">", request.name, body)
        try:
            # One write for length and body: some peers lose frames that arrive in two pieces.
            self.socket.sendall(len(body).to_bytes(2, "little") + body)
        except OSError:
            # The connection is gone. Reading will say so, after whatever came before: perhaps the game's end.
            pass
        return self.correlation

    def receive(self, until: Optional[float] = None) -> Optional[Message]:
        """The next message; None if there is none until then."""
        while True:
            body = self.next_body()
            if body is not None:
                message = parse_envelope(body)
                self.trace("<", name_of(message), body)
                if message is not None:
                    return message
                continue
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return None
            readable, _, _ = select.select([self.socket], [], [], left)
            if readable:
                self.read()

    def read(self) -> None:
        try:
            received = self.socket.recv(65536)
        except OSError as error:
            raise Failure(f"the connection was lost before the game was over: {error}") from error
        if not received:
            raise Failure("the connection was closed before the game was over")
        self.unread += received

    def next_body(self) -> Optional[bytes]:
        """The next body, once all of it is there: what is read at once may be half a frame, or many."""
        if len(self.unread) < 2:
            return None
        end = 2 + int.from_bytes(self.unread[:2], "little")
        if len(self.unread) < end:
            return None
        body = bytes(self.unread[2:end])
        del self.unread[:end]
        return body

    def trace(self, way: str, name: str, body: bytes) -> None:
        """Prints a message to standard error: seconds since the start, direction, name, body."""
        if self.traces:
            text = body.decode(errors="backslashreplace")
            moment = time.monotonic() - self.began
            print(f"{moment:9.3f} {way} {name:<18} {text}", file=sys.stderr, flush=True)


def parse_envelope(body: bytes) -> Optional[Message]:
    """The message; None if it is none. Unknown keys mean nothing."""
    try:
        envelope = json.loads(body)
        message_id, payload = int(envelope["messageID"]), envelope.get("payload")
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None
    correlation = whole(envelope.get("correlationID"))
    return Message(message_id, payload if isinstance(payload, dict) else {}, correlation)


def name_of(message: Optional[Message]) -> str:
    if message is None:
        return "not a message"
    try:
        return Notice(message.notice).name
    except ValueError:
        return "unknown"


def whole(value: Any) -> Optional[int]:
    """A whole number, which may be written as a decimal string; None if it is missing or none at all."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def field_of(value: Any) -> Field:
    """A field that is told as an object of x and y, as a pair."""
    return int(value["x"]), int(value["y"])


def neighbour(field: Field, way: Field) -> Field:
    return field[0] + way[0], field[1] + way[1]


def moves_between(one: Field, other: Field) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


@dataclass
class Game:
    """What the game master tells at the start (message 105)."""

    agent_id: int
    team: str
    leader: int
    members: List[int]  # Of the own team, the agent included, in ascending order.
    columns: int
    rows: int
    goal_rows: int
    sham_probability: float
    penalties: Dict[Request, float]  # How long each request locks, in seconds.
    start: Field

    @classmethod
    def read(cls, payload: Payload) -> Game:
        agent_id = int(payload["agentID"])
        columns, rows = field_of(payload["boardSize"])
        return cls(
            agent_id=agent_id,
            team=payload["teamID"].lower(),
            leader=int(payload["leaderID"]),
            # Some game masters name the agent itself among its allies, and others do not.
            members=sorted({agent_id, *(int(ally) for ally in payload["alliesIDs"])}),
            columns=columns,
            rows=rows,
            goal_rows=int(payload["goalAreaSize"]),
            sham_probability=float(payload["shamPieceProbability"]),
            penalties=read_penalties(payload["penalties"]),
            start=field_of(payload["position"]),
        )

    @property
    def task_rows(self) -> range:
        return range(self.goal_rows, self.rows - self.goal_rows)

    @property
    def own_rows(self) -> range:
        """The rows of the own goal area, the one nearest to the task area first."""
        if self.team == "red":
            return range(self.rows - self.goal_rows, self.rows)
        return range(self.goal_rows - 1, -1, -1)


def read_penalties(told: Payload) -> Dict[Request, float]:
    """How long each request locks, in seconds. Penalties may be decimal strings, and go by several names."""

    def seconds(*names: str) -> float:
        return next((whole(told[name]) or 0 for name in names if name in told), 0) / 1000

    return {
        Request.CHECK: seconds("checkForSham"),
        Request.DESTROY: seconds("destroyPiece"),
        Request.DISCOVER: seconds("discovery"),
        Request.ANSWER: seconds("informationExchange", "response"),
        Request.ASK: seconds("informationExchange", "ask"),
        Request.MOVE: seconds("move"),
        Request.PICK_UP: seconds("pickup"),
        Request.PUT: seconds("putPiece"),
    }


class Knowledge:
    """What an agent knows of its game."""

    # Distances grow old, since new pieces appear: with many more of them, searches take longer.
    MOST_DISTANCES = 16

    def __init__(self, game: Game, seed: Optional[int] = None) -> None:
        self.game = game
        # The agent's number as well, or a team that is given one seed would move in step.
        self.random = random.Random(None if seed is None else f"{seed} {game.agent_id}")

        self.position: Field = game.start
        self.came_from: Field = self.position
        self.wander_target: Field = self.position
        self.holding = False
        self.found_real = False  # Whether a check has found the piece in hand to be no sham.
        self.discovered = False  # Whether the last answer was a discovery's: another would tell nothing new.
        self.questions: List[int] = []  # Members of the team that wait for an answer; the leader first.

        self.distances: Dict[Field, int] = {}  # How far the nearest piece is from a field, the latest last.
        self.goals: Dict[Field, str] = {}  # Own goal fields of which something was learnt: "G" or "N".
        self.tried: Set[Field] = set()  # Own goal fields where another piece would be wasted.
        # How often others were met on a field, and until which request to avoid it.
        self.refusals: Dict[Field, Tuple[int, int]] = {}
        self.requests = 0

        # In the order of messages: row by row from the south.
        self.goal_fields: List[Field] = [(x, y) for y in sorted(game.own_rows) for x in range(game.columns)]
        # All members use the same numbers, so that no two of them try one field; where shares are used up,
        # each goes through the fields of the others in an order of its own.
        size, place = len(game.members), game.members.index(game.agent_id)
        self.share: Set[Field] = {f for i, f in enumerate(self.goal_fields) if i % size == place}
        self.last_choice: Dict[Field, float] = {f: self.random.random() for f in self.goal_fields}

    # The board.

    def is_task_field(self, field: Field) -> bool:
        return 0 <= field[0] < self.game.columns and field[1] in self.game.task_rows

    def may_enter(self, field: Field) -> bool:
        """Whether a move to the field can succeed, as far as it is known."""
        is_own = 0 <= field[0] < self.game.columns and field[1] in self.game.own_rows
        return (is_own or self.is_task_field(field)) and not self.avoids(field)

    def ways(self) -> List[Tuple[str, Field]]:
        """The directions that are open, each with the field where it leads."""
        fields = ((name, neighbour(self.position, way)) for name, way in DIRECTIONS.items())
        return [(name, field) for name, field in fields if self.may_enter(field)]

    # Other agents.

    def met(self, field: Field) -> None:
        """Somebody stands there. The more often it happens, the longer the field is left alone."""
        times = self.refusals.get(field, (0, 0))[0] + 1
        self.refusals[field] = times, self.requests + 2 ** min(times, 6) + self.random.randrange(4)

    def avoids(self, field: Field) -> bool:
        return self.refusals.get(field, (0, 0))[1] > self.requests

    # Pieces.

    def learn_distance(self, field: Field, told: Any) -> None:
        """The nearest piece is so far from the field. None, negative and huge numbers stand for no piece."""
        self.distances.pop(field, None)
        distance = whole(told)
        if distance is None or not 0 <= distance < self.game.columns + self.game.rows:
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

    def where_pieces_may_lie(self) -> List[Field]:
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
        fields = [(x, y) for y in self.game.task_rows for x in range(self.game.columns)]
        return [field for field in fields if self.may_hold_piece(field)] or fields

    def nearest_is_taken(self) -> bool:
        """Whether the nearest piece seems to lie where somebody else stands, and does not go."""
        distance = self.distances.get(self.position)
        return any(
            times >= 2 and until > self.requests and moves_between(self.position, field) == distance
            for field, (times, until) in self.refusals.items()
        )

    def somewhere_else(self) -> Field:
        """Somewhere to go until another piece is nearer than the one that is taken."""
        if self.wander_target == self.position or not self.may_enter(self.wander_target):
            x = self.random.randrange(self.game.columns)
            self.wander_target = x, self.random.choice(self.game.task_rows)
        return self.wander_target

    def fields_at(self, distance: int) -> Iterator[Field]:
        """Task fields at this distance from the agent."""
        x, y = self.position
        for east in range(-distance, distance + 1):
            for north in {distance - abs(east), abs(east) - distance}:
                if self.is_task_field((x + east, y + north)):
                    yield x + east, y + north

    def may_hold_piece(self, field: Field) -> bool:
        """No told distance would be smaller if a piece were there, and nobody stands on it."""
        if self.avoids(field):
            return False
        return all(moves_between(field, other) >= far for other, far in self.distances.items())

    # Goals.

    def goal_field(self) -> Field:
        """Where to bring the piece in hand: the own share first, of that what is least out of the way."""
        if len(self.tried) == len(self.goal_fields):
            # Yet the game is not won, so something that seemed to be known is not so.
            self.tried.clear()
        untried = [field for field in self.goal_fields if field not in self.tried]
        untried = [field for field in untried if not self.avoids(field)] or untried
        own = [field for field in untried if field in self.share]
        if own:
            return min(own, key=lambda field: (self.detour(field), field))
        return min(untried, key=lambda field: self.last_choice[field])

    def detour(self, field: Field) -> int:
        """The moves to a goal field, and from there back to the task area."""
        depth = self.game.own_rows.index(field[1])
        return moves_between(self.position, field) + depth + 1

    def learn_put(self, told: Any) -> str:
        """A piece was put here; a game master may leave the result out."""
        result = str(told or "").lower()
        if result == "normalongoalfield":
            self.goals[self.position] = "G"
        elif result == "normalonnongoalfield":
            # A goal that a teammate has covered answers like that, too.
            self.goals.setdefault(self.position, "N")
        # A sham tells nothing of the field. Without a result, the piece was real as far as one knows.
        if result != "shamongoalarea":
            self.tried.add(self.position)
        self.holding = False
        return {"G": "a goal", "N": "no goal"}.get(self.goals.get(self.position, ""), "nothing learnt")

    # What others are told.

    def be_asked(self, asker: int) -> None:
        if asker not in self.questions:
            self.questions.insert(0 if asker == self.game.leader else len(self.questions), asker)

    def information(self, asker: int) -> Payload:
        """The payload of an ANSWER: all that is known."""
        fields = ((x, y) for y in range(self.game.rows) for x in range(self.game.columns))
        own = [self.goals.get(field, "IDK") for field in self.goal_fields]
        unknown = ["IDK"] * len(own)
        payload: Payload = {
            "respondToID": asker,
            "distances": [self.distances.get(field, -1) for field in fields],
            "redTeamGoalAreaInformations": own if self.game.team == "red" else unknown,
            "blueTeamGoalAreaInformations": own if self.game.team == "blue" else unknown,
        }
        # What is too long is dropped by the server. Distances go first: they age, and goals do not.
        for part in ("distances", "redTeamGoalAreaInformations", "blueTeamGoalAreaInformations"):
            if len(json.dumps(payload, separators=(",", ":"))) + ENVELOPE > LONGEST_BODY:
                payload[part] = []
        return payload


def decide(known: Knowledge) -> Tuple[Request, Payload]:
    """The strategy: what to do next, as a request and its payload."""
    if known.questions:
        # Until its leader is answered, an agent can do nothing else.
        return Request.ANSWER, known.information(known.questions[0])
    if not known.holding:
        if known.distances.get(known.position) == 0 and known.is_task_field(known.position):
            return Request.PICK_UP, {}
        return search(known)
    target = known.goal_field()
    walk = moves_between(known.position, target)
    # A sham that is carried home costs the way there and back, and the put.
    wasted = 2 * walk * known.game.penalties[Request.MOVE] + known.game.penalties[Request.PUT]
    if not known.found_real and known.game.sham_probability * wasted > known.game.penalties[Request.CHECK]:
        return Request.CHECK, {}
    if walk == 0:
        return Request.PUT, {}
    return step(known, target)


def search(known: Knowledge) -> Tuple[Request, Payload]:
    """Nearer to a piece, or a look around to find the way."""
    if known.nearest_is_taken():
        return step(known, known.somewhere_else())
    fields, ways = known.where_pieces_may_lie(), known.ways()

    def chance(way: Tuple[str, Field]) -> float:
        """How likely the move leads nearer."""
        nearer = (f for f in fields if moves_between(way[1], f) < moves_between(known.position, f))
        return sum(1 for _ in nearer) / len(fields)

    if not ways:
        return Request.DISCOVER, {}  # Shut in by others: time has to pass.
    known.random.shuffle(ways)
    best = max(ways, key=chance)
    # A wrong move has to be taken back, which makes two. Reckoned as three, searches are shortest: chances
    # are not quite as good as they look, since pieces come and go unseen.
    lost_by_moving = 3 * (1 - chance(best)) * known.game.penalties[Request.MOVE]
    if lost_by_moving > known.game.penalties[Request.DISCOVER] and not known.discovered:
        return Request.DISCOVER, {}
    return Request.MOVE, {"direction": best[0]}


def step(known: Knowledge, target: Field) -> Tuple[Request, Payload]:
    """One move towards a field, around other agents."""
    ways = known.ways()
    if not ways:
        return Request.DISCOVER, {}  # Shut in by others: time has to pass.

    def cost(way: Tuple[str, Field]) -> Tuple[int, bool, float]:
        return moves_between(way[1], target), way[1] == known.came_from, known.random.random()

    return Request.MOVE, {"direction": min(ways, key=cost)[0]}


@dataclass
class Pending:
    """A request that was sent."""

    request: Request
    payload: Payload
    position: Field  # Where the agent stood.
    sent_at: float


@dataclass
class Agent:
    """Plays one game: one request at a time, each answer before the next, and no request during a lock."""

    connection: Connection
    team: str
    seed: Optional[int] = None
    timeout: float = 10.0  # How long an answer may take, in seconds.
    is_quiet: bool = False

    known: Optional[Knowledge] = None  # Nothing before the game starts.
    current: Optional[int] = None  # The `correlationID` of the request that is not answered yet.
    pending: Dict[int, Pending] = field(default_factory=dict)  # With those whose answers are late.
    has_echo: bool = False  # Whether this game master returns a `correlationID`; some do not.
    unanswered: int = 0  # Requests in a row that were not answered in time.
    told: Optional[int] = None  # Whom the last ANSWER was for, until another answer shows that it arrived.
    round_trip: float = 0.0
    ready_at: float = 0.0  # When the lock ends, by a clock that nobody sets.
    puts: int = 0

    def play(self) -> str:
        """Plays to the end; the winner."""
        # Neither this request nor the start of the game has a timeout: the host may wait for others.
        self.connection.send(Request.JOIN, {"teamID": self.team})
        while True:
            now = time.monotonic()
            if self.is_free() and now >= self.ready_at:
                self.act()
            elif self.is_late(now):
                self.give_up()
                continue
            message = self.connection.receive(self.next_moment())
            if message is None:
                continue
            if message.notice == Notice.GAME_OVER:
                return str(message.payload.get("winner")).lower()
            try:
                self.hear(message)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                text = json.dumps(message.payload)[:200]
                raise Failure(f"message {message.notice} makes no sense ({error!r}): {text}") from error

    def is_free(self) -> bool:
        """Whether the agent plays and waits for no answer."""
        return self.known is not None and self.current is None

    def next_moment(self) -> Optional[float]:
        """Until when to wait for a message; None for any time."""
        if self.is_free():
            return self.ready_at
        return None if self.current is None else self.pending[self.current].sent_at + self.timeout

    def is_late(self, now: float) -> bool:
        return self.current is not None and now >= self.pending[self.current].sent_at + self.timeout

    def give_up(self) -> None:
        """No answer came in time. The agent decides anew; a late answer is still believed if it comes."""
        assert self.current is not None, "only a request can be late"
        name = self.pending[self.current].request.name
        self.unanswered += 1
        if self.unanswered == MOST_UNANSWERED:
            raise Failure(
                f"{self.unanswered} requests in a row were not answered within {self.timeout:g} s each\n"
                "hint: --timeout allows more time, --trace shows every message"
            )
        self.say(f"has no answer to {name} after {self.timeout:g} s, and decides anew")
        self.current = None

    def act(self) -> None:
        known = self.known
        assert known is not None, "an agent acts when it plays"
        request, payload = decide(known)
        known.requests += 1
        sent = self.connection.send(request, payload)
        now = time.monotonic()
        self.pending[sent] = Pending(request, payload, known.position, now)
        while len(self.pending) > MOST_PENDING:
            del self.pending[next(iter(self.pending))]
        if request == Request.ANSWER:
            # Nothing answers it: the lock begins when the game master has it, which is within a round trip.
            self.told = known.questions.pop(0)
            self.ready_at = now + self.round_trip + known.game.penalties[Request.ANSWER]
            self.say(f"tells agent {self.told} what it knows")
        else:
            self.current = sent

    def hear(self, message: Message) -> None:
        """Takes one message of the game master. Those that are not known, or came unasked, change nothing."""
        if message.notice == Notice.JOINED:
            self.has_echo = message.correlation is not None
            if message.payload.get("accepted") is False:
                # A communication server that is full tells why; a game master that has no place need not.
                why = message.payload.get("reason") or f"the game master takes no more agents of {self.team}"
                raise Failure(str(why), 2)
        elif message.notice == Notice.GAME_START:
            self.start(message.payload)
        elif self.known is not None:
            self.hear_in_game(self.known, message)

    def start(self, payload: Payload) -> None:
        game = Game.read(payload)
        self.known = Knowledge(game, self.seed)
        self.connection.agent_id = game.agent_id
        self.ready_at = time.monotonic()
        board = f"{game.columns} x {game.rows}"
        self.say(f"starts at {game.start}, one of {len(game.members)} on a board of {board}")

    def hear_in_game(self, known: Knowledge, message: Message) -> None:
        notice, payload = message.notice, message.payload
        if notice == Notice.ASKED:
            # Teammates are told, enemies are not.
            if str(payload.get("teamID", known.game.team)).lower() == known.game.team:
                known.be_asked(int(payload["askingID"]))
            return
        sent = self.answered_by(message)
        pending = None if sent is None else self.pending.pop(sent)
        now = time.monotonic()
        if pending is not None and sent == self.current:
            self.current, self.unanswered = None, 0
            self.round_trip = now - pending.sent_at
            # The lock began when the game master served the request: somewhat before now.
            self.ready_at = now + known.game.penalties[pending.request]
        if pending is not None and notice not in MAY_ANSWER_ANY:
            self.told = None
        if notice == Notice.PICKED_UP:
            # Unasked, too: a new piece that appears where an agent stands may land in its hand.
            self.take_piece(known)
        elif notice == Notice.TOO_EARLY:
            # Only an id tells that it was not the last ANSWER that came too early.
            if message.correlation is None or pending is None or pending.request == Request.ANSWER:
                self.tell_again(known)
            self.wait(known, payload)
        elif notice == Notice.REFUSED:
            self.be_refused(known, payload, pending)
        elif pending is not None:
            self.learn(known, notice, payload, pending)

    def answered_by(self, message: Message) -> Optional[int]:
        """The `correlationID` of the request that this message answers; None if it came unasked."""
        if message.correlation is not None:
            return message.correlation if message.correlation in self.pending else None
        if self.current is None:
            return None
        # Without an id the kind of message decides, which takes an unasked 109 for an answer. Where answers
        # have ids, only refusals of the communication server itself come without.
        by_kind = set() if self.has_echo else ANSWERED_BY[self.pending[self.current].request]
        return self.current if message.notice in by_kind | MAY_ANSWER_ANY else None

    def take_piece(self, known: Knowledge) -> None:
        known.holding, known.found_real = True, False
        # There may be another piece here, so its own distance is not known any more.
        known.distances.pop(known.position, None)
        self.say(f"has a piece at {known.position}")

    def wait(self, known: Knowledge, payload: Payload) -> None:
        """904: the lock is not over, and nothing has changed. How long it lasts is told as a span and as a
        moment, of which the span will do: clocks differ."""
        spans = (whole(payload.get(name)) for name in ("waitFor", "delay"))
        told = next((span / 1000 for span in spans if span is not None), None)
        span = known.game.penalties[Request.MOVE] if told is None else told
        self.ready_at = time.monotonic() + span
        self.say(f"was too early, and waits {span:.3f} s")

    def tell_again(self, known: Knowledge) -> None:
        """The last ANSWER may not have arrived, and the leader would wait without end."""
        if self.told is not None:
            known.be_asked(self.told)
            self.told = None

    def be_refused(self, known: Knowledge, payload: Payload, pending: Optional[Pending]) -> None:
        """905: something was not as the agent believed; the message tells how it is."""
        if payload.get("position") is not None:
            known.position = field_of(payload["position"])
        holding = payload.get("holdingPiece")
        if holding is not None and holding != known.holding:
            known.holding, known.found_real = holding, False
        name = "a request" if pending is None else pending.request.name
        then = "decides anew"
        if known.questions[:1] == [known.game.leader]:
            # The request has crossed the leader's question, and cost nothing.
            self.ready_at = time.monotonic()
            then = "answers its leader first"
        self.say(f"was refused {name}{because(payload)}, and {then}")

    def learn(self, known: Knowledge, notice: int, payload: Payload, pending: Pending) -> None:
        """What an answer tells."""
        known.discovered = notice == Notice.DISCOVERED
        if notice == Notice.MOVED and payload.get("madeMove", True):
            known.came_from, known.position = known.position, field_of(payload["currentPosition"])
            known.refusals.pop(known.position, None)
            known.learn_distance(known.position, payload.get("closestPiece"))
        elif notice in (Notice.MOVED, Notice.MOVE_REFUSED):
            self.go_around(known, payload, pending.payload["direction"])
        elif notice == Notice.DISCOVERED:
            for key, way in DISCOVERY.items():
                if key in payload and way != (0, 0):
                    known.learn_distance(neighbour(pending.position, way), payload[key])
            # Last, so that it is the one that counts.
            known.learn_distance(pending.position, payload.get("distanceFromCurrent"))
        elif notice == Notice.CHECKED:
            is_sham = bool(payload["sham"])
            known.holding, known.found_real = not is_sham, not is_sham
            if is_sham:
                self.say("finds a sham")
        elif notice == Notice.DESTROYED:
            known.holding = False
        elif notice == Notice.PLACED:
            self.puts += 1
            result = next((payload[name] for name in PUT_RESULTS if name in payload), None)
            self.say(f"puts a piece at {known.position}: {known.learn_put(result)}")
        elif notice == Notice.PICK_UP_REFUSED:
            # Nothing there, or something in hand already.
            known.distances.pop(known.position, None)
            known.holding = payload.get("errorSubtype") == "Other"
            then = "believes its hand full" if known.holding else "searches on"
            self.say(f"cannot pick up at {known.position}{because(payload)}, and {then}")
        elif notice == Notice.PUT_REFUSED:
            known.holding = payload.get("errorSubtype") != "AgentNotHolding"
            if known.holding:
                known.tried.add(known.position)
            then = "tries another field" if known.holding else "believes its hand empty"
            self.say(f"cannot put at {known.position}{because(payload)}, and {then}")

    def go_around(self, known: Knowledge, payload: Payload, direction: str) -> None:
        """901, or a 108 without a move: off the board and into the other goal area the agent does not go, so
        somebody is in the way. If it stands elsewhere than it believed, that was the reason."""
        told = payload.get("position", payload.get("currentPosition"))
        position = known.position if told is None else field_of(told)
        if position == known.position:
            known.met(neighbour(position, DIRECTIONS[direction]))
            self.say(f"cannot move {direction}{because(payload)}, and goes around")
        else:
            known.position = position
            self.say(f"cannot move {direction}{because(payload)}, and stands at {position}")

    def say(self, text: str) -> None:
        if self.known is not None and not self.is_quiet:
            game = self.known.game
            print(f"agent {game.agent_id} of {game.team} {text}", flush=True)


def because(payload: Payload) -> str:
    """Why something was refused, where it is told."""
    why = [str(payload[key]) for key in ("errorSubtype", "reason") if payload.get(key)]
    return f" ({', '.join(why)})" if why else ""


def port(text: str) -> int:
    number = whole(text)
    if number is None or not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"invalid port `{text}`: expected a whole number from 1 to 65535")
    return number


def seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= 86_400:
        raise argparse.ArgumentTypeError(f"invalid timeout `{text}`: expected seconds, from above 0 to 86400")
    return number


def main() -> int:
    arguments = argparse.ArgumentParser(description="An agent for The Project Game.")
    arguments.add_argument("--host", default="127.0.0.1", help="address of the communication server")
    arguments.add_argument("--port", type=port, default=3727, help="its port for agents (3727)")
    arguments.add_argument("--team", choices=("red", "blue"), default="red", help="the team to join (red)")
    arguments.add_argument("--seed", type=int, help="seed of the agent's random choices")
    arguments.add_argument(
        "--timeout", type=seconds, default=10.0, help="seconds to wait for the answer to a request (10)"
    )
    arguments.add_argument("--trace", action="store_true", help="print every message to standard error")
    arguments.add_argument("--quiet", action="store_true", help="print nothing but the winner")
    given = arguments.parse_args()
    try:
        connection = Connection(given.host, given.port, given.trace)
        agent = Agent(connection, given.team, given.seed, given.timeout, given.quiet)
        winner = agent.play()
        print(f"{winner} wins", flush=True)
        if agent.known is not None:
            known = agent.known
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
