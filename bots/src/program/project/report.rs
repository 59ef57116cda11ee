//! The results of games in this process.

use game_env::text::counted;
use game_env::{ByTeam, Environment, Notation as _, Outcome, Termination, Turn};
use game_project::statistics::Statistics;
use game_project::{State, Team};
use reference_gm::project::console::table;
use serde_json::{Value, json};
use viewer::games::project::document::document;
use wire::project::Seats;

use super::game::Game;

/// Result of a game.
pub(crate) struct Played {
    pub(crate) state: State,
    pub(crate) statistics: Statistics,
    /// The agents' connections, where they had any.
    pub(crate) seats: Option<Seats>,
    /// The number of turns that strategies lost by their own faults.
    pub(crate) blunders: u64,
}

impl Played {
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        match self.state.turn() {
            Turn::Over(outcome) => Some(outcome),
            Turn::Act { .. } => None,
        }
    }

    /// Whether the user has ended it.
    pub(crate) fn is_stopped(&self) -> bool {
        self.outcome().is_some_and(|outcome| outcome.termination == Termination::Stopped)
    }

    fn told(&self) -> String {
        self.outcome().map_or_else(|| "not over".to_owned(), |outcome| outcome.text(State::TEAM_NAMES))
    }

    /// The result for people: the strategies, the game master's statistics, and the command that plays it again.
    pub(crate) fn text(&self, game: &Game) -> String {
        let [red, blue] = Team::ALL.map(|team| &game.lineups[team]);
        let table = table(&self.state, &self.statistics, self.seats.as_ref(), game.seed);
        let blunders = match self.blunders {
            0 => String::new(),
            1 => "1 blunder of a strategy cost a turn\n".to_owned(),
            count => format!("{count} blunders of strategies cost turns\n"),
        };
        format!("red: {red}, blue: {blue}\n{}\n{table}\n{blunders}{}\n", self.told(), game.again())
    }

    /// The same as a JSON document.
    pub(crate) fn document(&self, game: &Game) -> Value {
        let mut document = document(&self.state, &self.statistics, self.seats.as_ref(), game.seed);
        let [red, blue] = Team::ALL.map(|team| game.lineups[team].to_string());
        document["strategies"] = json!({ "red": red, "blue": blue });
        document["blunders"] = self.blunders.into();
        document["command"] = game.command.as_str().into();
        document["virtualCommand"] = game.virtual_command().into();
        document
    }

    /// The same in one line.
    pub(crate) fn line(&self, game: &Game) -> String {
        format!("seed {}: {} after {}\n", game.seed, self.told(), self.state.clock())
    }
}

/// The wins in a series of games.
#[derive(Default)]
pub(crate) struct Wins {
    games: u32,
    won: ByTeam<u32>,
    drawn: u32,
    blunders: u64,
    documents: Vec<Value>,
}

impl Wins {
    /// Counts a game.
    pub(crate) fn add(&mut self, game: &Game, played: &Played, keeps_document: bool) {
        self.games += 1;
        self.blunders += played.blunders;
        let winner = played.outcome().and_then(|outcome| outcome.winner());
        match winner.and_then(|winner| Team::try_from(winner).ok()) {
            Some(team) => self.won[team] += 1,
            None => self.drawn += 1,
        }
        if keeps_document {
            self.documents.push(played.document(game));
        }
    }

    /// The closing lines.
    pub(crate) fn text(&self, first: &Game, asked: u32) -> String {
        let [red, blue] =
            Team::ALL.map(|team| format!("{team} ({}) won {}", first.lineups[team], self.won[team]));
        let games = if self.games < asked {
            format!("{} of {}", self.games, counted(asked, "game", "games"))
        } else {
            counted(self.games, "game", "games")
        };
        let blunders = if self.blunders > 0 {
            format!(", {}", counted(self.blunders, "blunder", "blunders"))
        } else {
            String::new()
        };
        format!(
            "{games}: {red}, {blue}, drawn {}{blunders}\nplay {} again: {} --games {asked}\n",
            self.drawn,
            if asked == 1 { "it" } else { "them" },
            first.command
        )
    }

    /// The same, with every game, as a JSON document.
    pub(crate) fn document(self, first: &Game, asked: u32) -> Value {
        let [red, blue] = Team::ALL.map(|team| self.won[team]);
        json!({
            "games": self.documents,
            "wins": { "red": red, "blue": blue, "drawn": self.drawn },
            "command": format!("{} --games {asked}", first.command),
        })
    }
}
