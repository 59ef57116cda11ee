//! The board's list: its description of itself before the game.

use std::collections::BTreeMap;
use std::fmt;

use game_conveyor::known::InitialKnowledge;
use game_conveyor::state::{STEPPER, TURNER};
use game_conveyor::{Config, Place};
use game_env::AgentId;
use game_env::text::counted;
use wire::conveyor::{Report, Special};

/// The answer to VISIBLE, as far as it has come.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct List {
    /// Columns and rows, once they are known.
    pub size: Option<(u8, u8)>,
    /// The special fields; of a conveyor its end, if the board sends it.
    pub fields: BTreeMap<Place, (Special, Option<Place>)>,
    /// The places of the players, as far as they are known.
    pub places: [Option<Place>; 2],
}

impl List {
    /// Takes the next line; returns whether the list is whole.
    ///
    /// # Errors
    ///
    /// If the line may not come now, or does not fit those before it; nothing has changed then.
    pub(super) fn take(&mut self, report: Report) -> Result<bool, String> {
        let has = |place: Place| match self.size {
            None => Err("the size of the board comes first".to_owned()),
            Some((columns, rows)) if place.column <= columns && place.row <= rows => Ok(place),
            Some((columns, rows)) => Err(format!("the field {place} lies off a board of {columns}×{rows}")),
        };
        match report {
            Report::Size { columns, rows } if self.size.is_none() => {
                if Config::new(columns, rows).is_err() {
                    return Err(format!("a board of {columns}×{rows} has no room for homes and hints"));
                }
                self.size = Some((columns, rows));
                Ok(false)
            }
            Report::Field { special, place, end } if self.places == [None; 2] => {
                let (place, end) = (has(place)?, end.map(has).transpose()?);
                if self.fields.contains_key(&place) {
                    return Err(format!("the field {place} was told before"));
                }
                if let (Special::Home(player), Some(home)) = (special, self.home_of(special)) {
                    return Err(format!("the home of player {player} is at {home} already"));
                }
                self.fields.insert(place, (special, end));
                Ok(false)
            }
            Report::At(STEPPER, place) if self.places == [None; 2] => {
                self.places[0] = Some(has(place)?);
                Ok(false)
            }
            Report::At(TURNER, place) if self.places[0].is_some() => {
                self.places[1] = Some(has(place)?);
                Ok(true)
            }
            _ => Err("this line may not come at this place of the list".to_owned()),
        }
    }

    /// Returns the home of a player, if the board has sent it.
    pub fn home(&self, player: AgentId) -> Option<Place> {
        self.home_of(Special::Home(player))
    }

    /// Returns the board and the players, once the list is whole.
    pub fn initial(&self) -> Option<InitialKnowledge> {
        let (columns, rows) = self.size?;
        let [first, second] = self.places;
        let of = |wanted: Special| self.fields.iter().filter(move |(_, (special, _))| *special == wanted);
        Some(InitialKnowledge {
            config: Config::new(columns, rows).ok()?,
            homes: [STEPPER, TURNER].map(|player| self.home(player)),
            hints: of(Special::Hint).map(|(place, _)| *place).collect(),
            conveyors: of(Special::Start).map(|(start, (_, end))| (*start, *end)).collect(),
            places: [first?, second?],
        })
    }

    fn home_of(&self, wanted: Special) -> Option<Place> {
        self.fields.iter().find(|(_, (special, _))| *special == wanted).map(|(place, _)| *place)
    }

    fn count(&self, wanted: Special) -> u64 {
        self.fields.values().filter(|(special, _)| *special == wanted).count() as u64
    }
}

/// The size and what is on it, e.g. `12×9 fields, 9 hints, 4 conveyors`.
impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (columns, rows) = self.size.unwrap_or_default();
        let count = |special, one: &str, many: &str| counted(self.count(special), one, many);
        let hints = count(Special::Hint, "hint", "hints");
        let conveyors = count(Special::Start, "conveyor", "conveyors");
        write!(f, "{columns}×{rows} fields, {hints}, {conveyors}")
    }
}
