//! Every message once: its sender, its fields, its meaning. The book's reference is generated from this table, and
//! tests compare it with the messages that are read and written.

use std::fmt::Write as _;

/// A message.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The whole message with names for its fields: `line_coords|A|B`.
    pub form: &'static str,
    /// A message of this form, as it is sent.
    pub example: &'static str,
    /// Its meaning, and what follows.
    pub meaning: &'static str,
    /// Whether the original of 2023 has it.
    pub is_original: bool,
}

impl Message {
    const fn new(form: &'static str, example: &'static str, meaning: &'static str) -> Self {
        Self { form, example, meaning, is_original: true }
    }

    const fn ours(self) -> Self {
        Self { is_original: false, ..self }
    }

    /// Returns the word with which the message begins.
    pub fn word(&self) -> &'static str {
        self.form.split(['|', '[']).next().unwrap_or(self.form)
    }
}

/// Messages of clients.
pub const REQUESTS: [Message; 8] = [
    Message::new(
        "login|NAME",
        "login|Ada",
        "The client plays under this name: 1 to 20 characters after spaces are removed, without `|`, control \
         characters and hidden characters. Answer: `logged|ok` or `logged|error`. If a player of this name has lost its \
         connection, the client is this player from now on, and `resume_game` follows if there is a game.",
    ),
    Message::new(
        "login|NAME|",
        "login|Ada|",
        "The same, with an empty field: the client has no token, and asks for one. If the name is new, `token` follows \
         `logged|ok`. The original ignores the empty field.",
    )
    .ours(),
    Message::new(
        "login|NAME|TOKEN",
        "login|Ada|00112233445566778899aabbccddeeff",
        "The same, with the token that the server gave to this player. The server accepts it even while another connection \
         of the player is open, and closes the other connection.",
    )
    .ours(),
    Message::new(
        "queue",
        "queue",
        "The player waits for an opponent. Answer: `queued|ok` or `queued|error`. `start_game` follows when there is an \
         opponent.",
    ),
    Message::new(
        "line_coords|A|B",
        "line_coords|0|1",
        "The player draws the line between the dots A and B, in either order. Answer: `draw_coords` to both players, or \
         `invalid_coords` if there is no such line, it is drawn already, or it is not the player's turn.",
    ),
    Message::new(
        "leave_queue",
        "leave_queue",
        "The player does not wait any longer. Answer: `left_queue|ok` or `left_queue|error`.",
    ),
    Message::new(
        "leave_game",
        "leave_game",
        "The player leaves its game and loses it, or leaves a game that is over. Answer: `you_left_game|ok` or \
         `you_left_game|error`.",
    ),
    Message::new("pong", "pong", "The answer to `ping`. It has no answer."),
];

/// Messages of servers.
pub const NOTICES: [Message; 20] = [
    Message::new("logged|ANSWER", "logged|ok", "The answer to `login`: `ok` or `error`."),
    Message::new(
        "token|TOKEN",
        "token|00112233445566778899aabbccddeeff",
        "Follows the first `logged|ok` of a name, if `login` had a field for the token: 32 hexadecimal digits, with which \
         the client can take its place again.",
    )
    .ours(),
    Message::new(
        "queued|ANSWER",
        "queued|ok",
        "The answer to `queue`; also follows `opponent_left_game`: the player waits again.",
    ),
    Message::new("left_queue|ANSWER", "left_queue|error", "The answer to `leave_queue`."),
    Message::new("you_left_game|ANSWER", "you_left_game|ok", "The answer to `leave_game`."),
    Message::new(
        "grid|ROWS|COLS",
        "grid|7|6",
        "Sent before `start_game` and `resume_game` if the grid does not have 5 rows and 5 columns of dots.",
    )
    .ours(),
    Message::new(
        "start_game|PLAYER|OPPONENT",
        "start_game|1|Bob",
        "A game begins. PLAYER is the receiver's number, 1 or 2; OPPONENT is the other player's name. `play` follows.",
    ),
    Message::new("play|PLAYER", "play|1", "It is the turn of the player with this number. Sent to both players."),
    Message::new(
        "draw_coords|A|B",
        "draw_coords|0|1",
        "A player has drawn a line. Sent to both players. If the line completes boxes, `draw_squares` follows; then `play` or \
         `winner`.",
    ),
    Message::new("invalid_coords", "invalid_coords", "The answer to a `line_coords` that is refused."),
    Message::new(
        "draw_squares|PLAYER|SQ[|SQ]",
        "draw_squares|2|0|1",
        "The player has completed these boxes, one or two. A box has the number of its top left dot.",
    ),
    Message::new(
        "winner|PLAYER|SCORE",
        "winner|1|9",
        "The game is over: the player with this number has won with this number of boxes. After a draw: `winner|0|0`. The \
         player then sends `leave_game`, and `queue` if it wants another game.",
    ),
    Message::new(
        "opponent_left_game",
        "opponent_left_game",
        "The opponent has left the game, or was away for too long. The game is over, and `queued|ok` follows.",
    ),
    Message::new(
        "resume_game|PLAYER|OPPONENT|ACTIVE|MYSCORE|OPPSCORE[|SQ]…[|A|B]…",
        "resume_game|2|Bob|1|0|1|0|0|1|0|5|1|6|5|6",
        "The game continues. ACTIVE is the number of the player whose turn it is. Then follow MYSCORE boxes of the receiver, \
         OPPSCORE boxes of the opponent, and all drawn lines: pairs of dots, the lower dot first, in rising order.",
    ),
    Message::new(
        "opponent_connection|STATE",
        "opponent_connection|0",
        "Sent with each `ping` during a game. 0: the opponent answers pings. 1: it answers, and has had the turn for more than \
         30 s. 2: it is not connected, or did not answer the last ping.",
    ),
    Message::new("ping", "ping", "Sent every 5 s to each player that is logged in. Answer: `pong`."),
    Message::new("unknown_command", "unknown_command", "The word at the beginning of the client's line is unknown. The server then closes the connection."),
    Message::new("server_shutdown", "server_shutdown", "The server ends, and closes the connection."),
    Message::new(
        "disconnected_suspicious_activity",
        "disconnected_suspicious_activity",
        "The server closes the connection: the client sent an invalid line, or too many messages.",
    ),
    Message::new(
        "disconnected_inactivity",
        "disconnected_inactivity",
        "The server closes the connection: 12 pings in a row were not answered, or the client did not log in within a minute, or its player has had the turn for five minutes against a bot of the server for which somebody else waits.",
    ),
];

/// Returns the book's reference of all messages, as Markdown.
pub fn reference() -> String {
    let mut text = "# Messages of Dots & Boxes\n\n\
        This page is generated from `wire::dots::catalogue`; a test compares them.\n\
        [The protocol of Dots & Boxes](dots-protocol.md) explains how the messages follow each other.\n\
        A \u{2020} marks a message that the original of 2023 does not have.\n"
        .to_owned();
    for (title, messages) in
        [("From the client to the server", &REQUESTS[..]), ("From the server to the client", &NOTICES[..])]
    {
        write!(text, "\n## {title}\n").expect("a string takes all that is written");
        for Message { form, example, meaning, is_original } in messages {
            let mark = if *is_original { "" } else { " \u{2020}" };
            let sentences = meaning.replace(". ", ".\n");
            write!(text, "\n**`{form}`**{mark}\n\n{sentences}\n").expect("likewise");
            if form != example {
                writeln!(text, "Example: `{example}`.").expect("likewise");
            }
        }
    }
    text
}
