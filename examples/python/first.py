"""The smallest agent of The Project Game: walks at random, picks up what lies under it, puts it down at home.

The tutorial of the book explains it. `agent.py` beside it plays well; this file shows the protocol alone.

    python3 first.py red            # the team; then host and port, if they are not 127.0.0.1 and 3727
"""

import json
import random
import socket
import struct
import sys
import time


# ANCHOR: frames
class Connection:
    """Messages over TCP: two bytes of length, little-endian, then JSON."""

    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port))
        self.received = b""
        self.requests = 0

    def send(self, message_id, payload):
        self.requests += 1
        message = {"messageID": message_id, "agentID": 0, "payload": payload, "correlationID": self.requests}
        body = json.dumps(message).encode()
        self.socket.sendall(struct.pack("<H", len(body)) + body)  # one write for the whole frame

    def receive(self):
        """Returns the next message: its id, its payload, and whether it answers the last request."""
        length = struct.unpack("<H", self._bytes(2))[0]
        message = json.loads(self._bytes(length))
        is_answer = message.get("correlationID") == self.requests
        return message["messageID"], message.get("payload") or {}, is_answer

    def _bytes(self, count):
        # One read may return half a frame, or three frames.
        while len(self.received) < count:
            chunk = self.socket.recv(65536)
            if not chunk:
                sys.exit("the connection was closed before the end of the game")
            self.received += chunk
        taken, self.received = self.received[:count], self.received[count:]
        return taken
# ANCHOR_END: frames


# ANCHOR: join
def join(connection, team):
    """Joins a team and returns the payload of message 105, which starts the game."""
    connection.send(6, {"teamID": team})
    while True:
        message_id, payload, _ = connection.receive()
        if message_id == 905 or message_id == 107 and not payload["accepted"]:
            sys.exit(f"rejected: {payload.get('reason', 'no place in this team, or the game has begun')}")
        if message_id == 105:
            return payload
# ANCHOR_END: join


# ANCHOR: agent
class Agent:
    def __init__(self, connection, start):
        self.connection = connection
        # Some dialects write numbers as strings.
        self.penalties = {action: int(millis) for action, millis in start["penalties"].items()}
        self.columns, self.rows = start["boardSize"]["x"], start["boardSize"]["y"]
        goal_rows = start["goalAreaSize"]
        # Red's goal area is in the north, blue's in the south.
        self.own_rows, self.enemy_rows = range(self.rows - goal_rows, self.rows), range(goal_rows)
        if start["teamID"] == "blue":
            self.own_rows, self.enemy_rows = self.enemy_rows, self.own_rows
        self.goal_fields = self.columns * goal_rows
        self.x, self.y = start["position"]["x"], start["position"]["y"]
        self.has_piece = False
        self.distance = None  # from here to the nearest piece
        self.leader = None  # the number of the own leader while it waits for an answer
        self.team = start["teamID"]

    def decide(self):
        """The next request: its message id, its payload, its penalty."""
        if self.leader is not None:
            unknown = ["IDK"] * self.goal_fields
            answer = {"respondToID": self.leader, "distances": []}
            answer |= {"redTeamGoalAreaInformations": unknown, "blueTeamGoalAreaInformations": unknown}
            return 4, answer, self.penalties["informationExchange"]
        if self.has_piece and self.y in self.own_rows:
            return 9, {}, self.penalties["putPiece"]
        if not self.has_piece and self.distance == 0:
            return 8, {}, 0
        steps = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
        ways = [way for way, (east, north) in steps.items() if self.may_enter(self.x + east, self.y + north)]
        return 7, {"direction": random.choice(ways)}, self.penalties["move"]

    def may_enter(self, x, y):
        return 0 <= x < self.columns and 0 <= y < self.rows and y not in self.enemy_rows
    # ANCHOR_END: agent

    # ANCHOR: play
    def play(self):
        """Plays until the game is over; returns the winner."""
        while True:
            message_id, payload, penalty = self.decide()
            self.connection.send(message_id, payload)
            if message_id == 4:
                self.leader = None  # the game master does not answer a granted answer
                time.sleep(penalty / 1000)
                continue
            while True:
                answer, payload, is_answer = self.connection.receive()
                if answer == 104:
                    return payload["winner"]
                self.hear(answer, payload)
                if is_answer:
                    break
            time.sleep((payload.get("waitFor", 0) if answer == 904 else penalty) / 1000)

    def hear(self, message_id, payload):
        """Takes in a message, whether it is an answer or not: a piece (109) may also appear in the hand by itself."""
        position = payload.get("currentPosition") or payload.get("position")
        if position:
            self.x, self.y = position["x"], position["y"]
        if message_id == 106 and payload["leader"] and payload["teamID"] == self.team:
            self.leader = payload["askingID"]
        elif message_id == 108:
            self.distance = payload.get("closestPiece")
        elif message_id == 109:
            self.has_piece, self.distance = True, None
        elif message_id == 110:
            self.has_piece = False
        elif message_id == 902:
            self.distance = None
        elif message_id == 903:
            self.has_piece = False
    # ANCHOR_END: play


# ANCHOR: main
def main():
    team = sys.argv[1] if len(sys.argv) > 1 else "red"
    host = sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1"
    port = int(sys.argv[3]) if len(sys.argv) > 3 else 3727
    connection = Connection(host, port)
    agent = Agent(connection, join(connection, team))
    print(agent.play(), "wins")
# ANCHOR_END: main


if __name__ == "__main__":
    main()
