//! Every message and every field, described once: the book's reference and the JSON Schemas are generated from
//! this table, and tests compare all written messages with it.

use std::fmt;

use super::Dialect;

/// The message by which the communication server tells the game master of a lost agent.
pub const LOST_AGENT: i64 = 906;

/// One kind of message.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Its `messageID`.
    pub id: i64,
    /// Its name, in a word or two.
    pub name: &'static str,
    /// Its sender and its receiver.
    pub route: Route,
    /// The moment at which it is sent, and its meaning.
    pub meaning: &'static str,
    /// The fields of its payload.
    pub fields: &'static [Field],
}

/// Sender and receiver of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Route {
    /// From an agent to the game master.
    AgentToMaster,
    /// From the game master to an agent.
    MasterToAgent,
    /// From the communication server to the game master.
    ServerToMaster,
}

/// One field of a payload.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its key.
    pub name: &'static str,
    /// The values that it may have.
    pub kind: Kind,
    /// Its meaning.
    pub meaning: &'static str,
    /// Whether it is always there.
    pub presence: Presence,
}

/// Whether a field is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// Always.
    Always,
    /// If the sender has a value for it.
    Sometimes,
    /// Always, in the dialects with the keys of other implementations only.
    InUnion,
    /// If there is a reason to give, in the dialects that give reasons only.
    InSpec,
}

/// The values that a field may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A whole number.
    Whole,
    /// A number from 0 to 1.
    Probability,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A moment as RFC 3339 has it.
    Moment,
    /// Any text.
    Text,
    /// `{"x": …, "y": …}`, whole numbers from 0.
    Pair,
    /// `{"allies": …, "enemies": …}`, whole numbers.
    Players,
    /// The penalties in milliseconds.
    Penalties,
    /// A list of whole numbers.
    Numbers,
    /// A list of `IDK`, `N` and `G`.
    Beliefs,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("whole number"),
            Self::Probability => f.write_str("number from 0 to 1"),
            Self::Flag => f.write_str("true or false"),
            Self::Word(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
                f.write_str(&quoted.join(", "))
            }
            Self::Moment => f.write_str("RFC 3339 moment"),
            Self::Text => f.write_str("text"),
            Self::Pair => f.write_str("object of `x`, `y`"),
            Self::Players => f.write_str("object of `allies`, `enemies`"),
            Self::Penalties => f.write_str("object of penalties, see below"),
            Self::Numbers => f.write_str("list of whole numbers"),
            Self::Beliefs => f.write_str("list of `\"IDK\"`, `\"N\"`, `\"G\"`"),
        }
    }
}

const fn always(name: &'static str, kind: Kind, meaning: &'static str) -> Field {
    Field { name, kind, meaning, presence: Presence::Always }
}

const fn sometimes(name: &'static str, kind: Kind, meaning: &'static str) -> Field {
    Field { name, kind, meaning, presence: Presence::Sometimes }
}

const fn in_union(name: &'static str, kind: Kind, meaning: &'static str) -> Field {
    Field { name, kind, meaning, presence: Presence::InUnion }
}

const REASON: Field = Field {
    name: "reason",
    kind: Kind::Text,
    meaning: "the reason, for people and logs: programs should not depend on it",
    presence: Presence::InSpec,
};

const TEAM: Kind = Kind::Word(&["red", "blue"]);
const PUT_RESULT: Kind =
    Kind::Word(&["NormalOnGoalField", "NormalOnNonGoalField", "TaskField", "ShamOnGoalArea"]);
const PUT_INFORMATION: Kind =
    Kind::Word(&["normalOnGoalField", "normalOnNonGoalField", "taskField", "shamOnGoalArea"]);

const DISTANCES: Field = always(
    "distances",
    Kind::Numbers,
    "the distance from every field to the nearest piece, row by row from the south, each row from the west; -1 for unknown; empty if the message would be too long",
);
const RED: Field =
    always("redTeamGoalAreaInformations", Kind::Beliefs, "the fields of red's goal area, in the same order");
const BLUE: Field = always(
    "blueTeamGoalAreaInformations",
    Kind::Beliefs,
    "the fields of blue's goal area, in the same order",
);

/// Every message, by direction and id.
pub const MESSAGES: &[Message] = {
    const fn request(
        id: i64,
        name: &'static str,
        meaning: &'static str,
        fields: &'static [Field],
    ) -> Message {
        Message { id, name, route: Route::AgentToMaster, meaning, fields }
    }
    const fn notice(id: i64, name: &'static str, meaning: &'static str, fields: &'static [Field]) -> Message {
        Message { id, name, route: Route::MasterToAgent, meaning, fields }
    }
    const fn around(name: &'static str) -> Field {
        sometimes(
            name,
            Kind::Whole,
            "the distance from this neighbouring field; absent if the field is off the board",
        )
    }
    &[
        request(
            1,
            "check",
            "The agent asks whether the piece in its hand is a sham. A sham is destroyed.",
            &[],
        ),
        request(2, "destroy", "The agent destroys the piece in its hand.", &[]),
        request(
            3,
            "discover",
            "The agent asks for the distances from its own field and the fields around it to the nearest piece.",
            &[],
        ),
        request(
            4,
            "answer",
            "The agent answers the question of another agent (message 106).",
            &[always("respondToID", Kind::Whole, "the agent that asked"), DISTANCES, RED, BLUE],
        ),
        request(
            5,
            "ask",
            "The agent asks another agent for information.",
            &[always("askedAgentID", Kind::Whole, "the agent that is asked")],
        ),
        request(
            6,
            "join",
            "The agent asks to join a team.",
            &[always("teamID", TEAM, "the team that the agent wants to join")],
        ),
        request(
            7,
            "move",
            "The agent moves to a neighbouring field.",
            &[always("direction", Kind::Word(&["N", "E", "S", "W"]), "north is towards red's goal area")],
        ),
        request(8, "pick up", "The agent takes a piece from its field.", &[]),
        request(9, "put", "The agent puts down the piece in its hand.", &[]),
        notice(
            101,
            "check answer",
            "The result of a check.",
            &[always("sham", Kind::Flag, "whether the piece is a sham")],
        ),
        notice(102, "destroy answer", "The piece is destroyed.", &[]),
        notice(
            103,
            "discover answer",
            "Distances to the nearest piece; 2147483647 if no piece lies on the board.",
            &[
                always("distanceFromCurrent", Kind::Whole, "the distance from the agent's own field"),
                around("distanceN"),
                around("distanceNE"),
                around("distanceE"),
                around("distanceSE"),
                around("distanceS"),
                around("distanceSW"),
                around("distanceW"),
                around("distanceNW"),
            ],
        ),
        notice(
            104,
            "game over",
            "A team has won, and the game is over. If nobody wins, the connections are closed without this message.",
            &[always("winner", TEAM, "the team that has won")],
        ),
        notice(
            105,
            "game start",
            "The game begins.",
            &[
                always("agentID", Kind::Whole, "the agent itself"),
                always("alliesIDs", Kind::Numbers, "the other agents of its team"),
                always("leaderID", Kind::Whole, "the leader of its team"),
                always("enemiesIDs", Kind::Numbers, "the agents of the other team"),
                always("teamID", TEAM, "its team"),
                always("boardSize", Kind::Pair, "`x` columns and `y` rows"),
                always("goalAreaSize", Kind::Whole, "rows of each goal area"),
                always(
                    "numberOfPlayers",
                    Kind::Players,
                    "the numbers of agents in both teams; `allies` includes the agent itself",
                ),
                always("numberOfPieces", Kind::Whole, "pieces in play at any moment"),
                always("numberOfGoals", Kind::Whole, "goals of each team"),
                always("penalties", Kind::Penalties, "the penalty of each action, in milliseconds"),
                always(
                    "shamPieceProbability",
                    Kind::Probability,
                    "the probability that a new piece is a sham",
                ),
                always("position", Kind::Pair, "the field on which the agent starts"),
            ],
        ),
        notice(
            106,
            "question",
            "Another agent asks for information.",
            &[
                always("askingID", Kind::Whole, "the agent that asks"),
                always("leader", Kind::Flag, "whether it is the leader of its team"),
                always("teamID", TEAM, "its team"),
            ],
        ),
        notice(
            107,
            "join answer",
            "The answer to a join.",
            &[
                always("accepted", Kind::Flag, "whether the agent may play"),
                sometimes("agentID", Kind::Whole, "the agent's number; our game master always writes it"),
                sometimes(
                    "reason",
                    Kind::Text,
                    "why the communication server refuses the connection, for people and logs; the game master never writes it",
                ),
            ],
        ),
        notice(
            108,
            "move answer",
            "The agent has moved.",
            &[
                always("madeMove", Kind::Flag, "always true: the answer to a refused move is 901"),
                always("currentPosition", Kind::Pair, "the agent's field"),
                sometimes(
                    "closestPiece",
                    Kind::Whole,
                    "the distance to the nearest piece, 2147483647 if there is none; our game master always writes it",
                ),
            ],
        ),
        notice(
            109,
            "pick-up answer",
            "The agent has a piece in its hand: it picked the piece up, or a new piece appeared on its field.",
            &[],
        ),
        notice(
            110,
            "put answer",
            "The agent has put down its piece.",
            &[
                sometimes("putResult", PUT_RESULT, "the result; our game master always writes it"),
                in_union("putEvent", PUT_RESULT, "the same"),
                in_union("PlacePieceInfo", PUT_RESULT, "the same"),
                in_union("putInformation", PUT_INFORMATION, "the same"),
            ],
        ),
        notice(
            111,
            "information",
            "Another agent has answered a question.",
            &[
                sometimes(
                    "respondingID",
                    Kind::Whole,
                    "the agent that answered; our game master always writes it",
                ),
                in_union("respondToID", Kind::Whole, "the agent that asked: the receiver of this message"),
                DISTANCES,
                RED,
                BLUE,
            ],
        ),
        notice(
            112,
            "answer passed on",
            "Sent only to agents that the host has named or that the game master recognises as waiting for it.",
            &[always("succeeded", Kind::Flag, "whether the answer was passed on")],
        ),
        notice(
            113,
            "question passed on",
            "Sent only to agents that the host has named or that the game master recognises as waiting for it.",
            &[always("succeeded", Kind::Flag, "whether the question was passed on")],
        ),
        notice(
            901,
            "move refused",
            "The agent has not moved.",
            &[
                sometimes("position", Kind::Pair, "the agent's field; our game master always writes it"),
                REASON,
            ],
        ),
        notice(
            902,
            "pick-up refused",
            "Nothing was picked up.",
            &[always("errorSubtype", Kind::Word(&["NothingThere", "Other"]), "the reason")],
        ),
        notice(
            903,
            "put refused",
            "Nothing was put.",
            &[always(
                "errorSubtype",
                Kind::Word(&["AgentNotHolding", "CannotPutThere", "Other"]),
                "the reason",
            )],
        ),
        notice(
            904,
            "too early",
            "The agent is locked.",
            &[
                sometimes(
                    "waitUntil",
                    Kind::Moment,
                    "the end of the lock, by the game master's clock; our game master always writes it",
                ),
                sometimes(
                    "waitFor",
                    Kind::Whole,
                    "the rest of the lock in milliseconds; our game master always writes it",
                ),
                in_union("delay", Kind::Whole, "the same"),
            ],
        ),
        notice(
            905,
            "refused",
            "Any other refusal.",
            &[
                sometimes("position", Kind::Pair, "the agent's field, if it is known"),
                sometimes(
                    "holdingPiece",
                    Kind::Flag,
                    "whether the agent has a piece in its hand, if this is known",
                ),
                REASON,
            ],
        ),
        Message {
            id: LOST_AGENT,
            name: "lost agent",
            route: Route::ServerToMaster,
            meaning: "An agent's connection has ended.",
            fields: &[always("agentID", Kind::Whole, "the agent whose connection has ended")],
        },
    ]
};

/// The penalties' keys in message 105, in each dialect.
pub const PENALTIES: [(&str, Presence, &str); 10] = [
    ("move", Presence::Always, "a move"),
    ("checkForSham", Presence::Always, "checking a piece"),
    ("discovery", Presence::Always, "a discovery"),
    ("destroyPiece", Presence::Always, "destroying a piece"),
    ("putPiece", Presence::Always, "putting a piece"),
    ("informationExchange", Presence::Always, "asking and answering"),
    ("ask", Presence::InUnion, "asking"),
    ("response", Presence::InUnion, "answering"),
    ("pickup", Presence::InUnion, "picking up"),
    ("prematureRequest", Presence::InUnion, "a request during the lock: 0"),
];

/// Returns the name of a message; `unknown` if there is none with this id.
pub fn name(id: i64) -> &'static str {
    MESSAGES.iter().find(|message| message.id == id).map_or("unknown", |message| message.name)
}

impl Presence {
    /// Returns whether a field may be there in this dialect.
    pub const fn is_in(self, dialect: Dialect) -> bool {
        match self {
            Self::Always | Self::Sometimes => true,
            Self::InUnion => dialect.has_keys_of_others(),
            Self::InSpec => dialect.gives_reasons(),
        }
    }
}

/// Returns the tables of the book's protocol reference.
pub fn reference() -> String {
    let mut text = String::new();
    for (route, title) in [
        (Route::AgentToMaster, "From an agent to the game master"),
        (Route::MasterToAgent, "From the game master to an agent"),
        (Route::ServerToMaster, "From the communication server to the game master"),
    ] {
        text += &format!("## {title}\n");
        for message in MESSAGES.iter().filter(|message| message.route == route) {
            text += &format!("\n### {}: {}\n\n{}\n", message.id, message.name, message.meaning);
            if message.fields.is_empty() {
                text += "The payload is `{}`.\n";
                continue;
            }
            text += "\n| field | value | meaning | |\n|---|---|---|---|\n";
            for field in message.fields {
                let presence = presence_in_words(field.presence);
                text += &format!("| `{}` | {} | {} | {presence} |\n", field.name, field.kind, field.meaning);
            }
        }
        text += "\n";
    }
    text += "## Penalties in message 105\n\n| key | what it is for | |\n|---|---|---|\n";
    for (key, presence, meaning) in PENALTIES {
        text += &format!("| `{key}` | {meaning} | {} |\n", presence_in_words(presence));
    }
    text += "\n`both` means the keys of both dialects, which the game master writes by default (`--dialect auto`).\nThe dialects `spec` and `both` write whole numbers, `union` decimal strings.\n";
    text
}

const fn presence_in_words(presence: Presence) -> &'static str {
    match presence {
        Presence::Always => "",
        Presence::Sometimes => "may be absent",
        Presence::InUnion => "in `union` and `both` only",
        Presence::InSpec => "in `spec` and `both` only, may be absent",
    }
}
