//! Who plays in a hosted game, for replays and for the game page.

use game_env::replay::{Header, Player};
use game_env::{AgentId, ByTeam, Environment};
use game_project::{State, Team};
use wire::project::Seats;

use crate::master::Master;

/// The players in the order of agent ids: their strategies as far as they are known, each team's in the order in which
/// it joined, and the numbers of their connections.
pub fn players(state: &State, seats: &Seats, strategies: &ByTeam<Vec<String>>) -> Vec<Player> {
    let mut known = [Team::Red, Team::Blue].map(|team| strategies[team].iter());
    let player = |agent| {
        let number = seats.number(agent).0;
        let strategy = known[state.team(agent).index()].next().cloned();
        let name = strategy.unwrap_or_else(|| format!("agent {number}"));
        Player::new(state.team(agent), name).with_number(number)
    };
    AgentId::all(state.agents()).map(player).collect()
}

/// The header of the hosted game's replay; `None` before the game begins. The strategies are those of [`players`].
pub fn header(master: &Master, strategies: &ByTeam<Vec<String>>) -> Option<Header> {
    let (state, seats) = (master.game()?, master.seats()?);
    let program = concat!("reference-gm ", env!("CARGO_PKG_VERSION"));
    let players = players(state, seats, strategies);
    Some(Header::new::<State>(state.config(), master.settings().seed, players, program))
}

#[cfg(test)]
mod tests {
    use game_env::Seed;
    use game_project::RawConfig;
    use wire::project::AgentNumber;

    use super::*;

    #[test]
    fn players_have_their_strategies_and_the_numbers_of_their_seats() {
        let raw = RawConfig { team_size: 2, ..RawConfig::default() };
        let state = State::new(&raw.check().unwrap(), Seed::new(1));
        let seats = Seats::new([3, 5, 2, 9].map(AgentNumber).to_vec());
        let strategies = ByTeam::new([vec!["greedy".to_owned(), "liar".to_owned()], Vec::new()]);
        let player = |team: Team, name: &str, number| Player::new(team, name).with_number(number);
        let expected = [
            player(Team::Red, "greedy", 3),
            player(Team::Red, "liar", 5),
            player(Team::Blue, "agent 2", 2),
            player(Team::Blue, "agent 9", 9),
        ];
        assert_eq!(players(&state, &seats, &strategies), expected);
    }
}
