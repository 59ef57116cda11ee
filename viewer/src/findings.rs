//! The findings of a study on the page, sans-IO: the course of a team's chance below the board, and remarks beside it
//! that lead to their moments.

use game_env::SimTime;
use serde_json::{Value, json};

use crate::room::Room;

/// The findings of a study of a recorded game.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Findings {
    /// The name of the team whose chances these are.
    pub team: String,
    /// Its chances, in the order of their moments; none if they were not measured.
    pub chances: Vec<ChanceAt>,
    /// The remarks, the most important one first.
    pub remarks: Vec<Remark>,
}

/// A moment of a recorded game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// The number of actions before it.
    pub steps: u64,
    /// Its time.
    pub at: SimTime,
}

/// The chance of a team to win at a moment: a share from 0 to 1, with its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChanceAt {
    /// The moment.
    pub mark: Mark,
    /// The estimate.
    pub value: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
}

/// A sentence, and the moment to which it leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The sentence.
    pub text: String,
    /// The moment, if there is one.
    pub mark: Option<Mark>,
}

impl Findings {
    /// Returns the message of the feed for a game of this room.
    pub fn message(&self, room: &Room) -> String {
        self.document(room).to_string()
    }

    /// Returns the same as a JSON object.
    pub(crate) fn document(&self, room: &Room) -> Value {
        let moment = |mark: Mark| room.moment(mark.steps, mark.at);
        let chances = self.chances.iter().map(|chance| {
            let shares = [chance.low, chance.value, chance.high].map(rounded);
            json!([moment(chance.mark), shares[0], shares[1], shares[2]])
        });
        let remarks =
            self.remarks.iter().map(|Remark { text, mark }| json!({ "text": text, "t": mark.map(moment) }));
        json!({
            "kind": "study",
            "team": self.team,
            "chances": chances.collect::<Value>(),
            "remarks": remarks.collect::<Value>(),
        })
    }
}

/// Returns a share with the digits that a drawing can show.
fn rounded(share: f64) -> f64 {
    const DIGITS: f64 = 10_000.0;
    (share * DIGITS).round() / DIGITS
}
