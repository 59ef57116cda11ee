//! `join --game dots`: a strategy that plays Dots & Boxes on a server.

use std::cmp::Ordering;

use clients::agent::Played;
use clients::dots::{End, News, Session, Settings};
use command_line::Failure;
use game_dots::State;
use game_env::text::counted;
use game_env::{Notation as _, Seed, SimTime};
use serde_json::{Value, json};
use wire::dots::Name;

use super::series::pairs;
use super::served::{self, Player, PlayerFlags};

/// The variable with the token of a player that an earlier program played.
const TOKEN: &str = "DOTS_TOKEN";

/// The client's name, its own boxes and those of the opponent in each game, and the number of games that it won because
/// the opponent left.
pub(super) struct Client {
    name: Name,
    games: Vec<(u16, u16)>,
    left: usize,
}

impl served::Client for Client {
    type Session = Session;
    type Flags = PlayerFlags;

    const EXAMPLE: &'static str = "e.g. `bots join 127.0.0.1:10000 --game dots`";

    const NO_ANSWER: End = End::NoAnswer;

    fn new(flags: &PlayerFlags, strategy: &str) -> Result<(Self, Session), Failure> {
        let settings = settings(flags, strategy)?;
        let room = Self { name: settings.name.clone(), games: Vec::new(), left: 0 };
        Ok((room, Session::new(settings, SimTime::START)))
    }

    fn prefix(&self, _strategy: &str) -> String {
        format!("{}: ", self.name)
    }

    fn hear(&mut self, news: &News) {
        match news {
            News::Over { own, others } => self.games.push((*own, *others)),
            News::OpponentLeft => self.left += 1,
            _ => {}
        }
    }

    fn unreached(&self, _server: &str, _end: &End) -> Option<Failure> {
        None
    }

    fn document(&self, server: &str, Player { strategy, seed }: &Player, played: &Played<Session>) -> Value {
        let games: Vec<_> = self.games.iter().map(|(own, others)| json!([own, others])).collect();
        let [won, lost, tied] = self.counts();
        json!({
            "server": server, "name": self.name.as_str(), "strategy": strategy, "seed": seed.to_string(),
            "games": games, "left": self.left, "won": won, "lost": lost, "tied": tied, "end": played.end.to_string(),
        })
    }

    fn text(&self, seed: Seed, _played: &Played<Session>) -> String {
        let [won, lost, tied] = self.counts();
        let count = counted((self.games.len() + self.left) as u64, "game", "games");
        format!("{count}: won {won}, lost {lost}, tied {tied}; seed {seed}\n")
    }

    fn hint(end: &End) -> Option<&'static str> {
        Some(match end {
            End::Played | End::Left => return None,
            End::GaveUp => "the first message of the strategy above says why",
            End::Missed => "the server keeps a game for about a minute; its log says more",
            End::TurnedAway => "choose another --name; a name is free a minute after its player was lost",
            End::Expelled(_) => "the server's log says more",
            End::Unreachable(_) | End::NoAnswer => {
                "start one with `reference-gm dots serve`, or name another HOST:PORT"
            }
            End::Unplayable(_) => {
                "name the port of a server of Dots & Boxes; one without the message `grid` needs --set rows=… and --set cols=…"
            }
        })
    }
}

impl Client {
    /// Returns the numbers of games won, lost and tied.
    fn counts(&self) -> [usize; 3] {
        let [won, lost, tied] = [Ordering::Greater, Ordering::Less, Ordering::Equal]
            .map(|order| self.games.iter().filter(|(own, others)| own.cmp(others) == order).count());
        [won + self.left, lost, tied]
    }
}

fn settings(flags: &PlayerFlags, strategy: &str) -> Result<Settings, Failure> {
    let name: Name = flags.name(strategy)?;
    let grid = State::read_config(&pairs(&flags.set, State::parameters())?)
        .map_err(|error| Failure::misuse(error.to_string(), "e.g. `--set rows=5 --set cols=5`"))?;
    Ok(Settings { token: served::token(TOKEN)?, grid, games: flags.count(), ..Settings::new(name) })
}

#[cfg(test)]
mod tests {
    use super::served::Client as _;
    use super::*;

    #[test]
    fn a_game_that_the_opponent_has_left_is_won() {
        let mut client = Client { name: "Ada".parse().expect("a name"), games: Vec::new(), left: 0 };
        let over = |own, others| News::Over { own, others };
        for news in [over(3, 1), News::OpponentLeft, over(1, 3), over(2, 2), News::Waiting] {
            client.hear(&news);
        }
        assert_eq!(client.counts(), [2, 1, 1]);
    }

    #[test]
    fn the_address_of_a_silent_server_is_named() {
        let reason = |end| served::reason::<Client>("127.0.0.1:10000", end);
        assert_eq!(reason(&End::NoAnswer), "127.0.0.1:10000 has not answered for 75 s");
        assert!(Client::hint(&End::NoAnswer).is_some_and(|hint| hint.ends_with("name another HOST:PORT")));
        assert_eq!(reason(&End::GaveUp), End::GaveUp.to_string());
    }
}
