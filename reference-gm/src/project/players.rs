//! The players of a hosted game, for replays, for the console and for the game page.

use game_env::replay::{Header, Player};
use game_env::{AgentId, ByTeam, Environment, Millis};
use game_project::{Config, State, Team};
use wire::project::{AgentNumber, Dialect, Seats};

use crate::PROGRAM;
use crate::project::master::{Master, Settings};

/// Returns the players in the order of agent ids: their strategies as far as they are known, each team's in the order
/// in which it joined, and the numbers of their connections.
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

/// Returns the header of the hosted game's replay; `None` before the game begins. The strategies are those of
/// [`players`].
pub fn header(master: &Master, strategies: &ByTeam<Vec<String>>) -> Option<Header> {
    let (state, seats) = (master.game()?, master.seats()?);
    let players = players(state, seats, strategies);
    Some(Header::new::<State>(state.config(), master.settings().seed, players, PROGRAM))
}

/// Returns the warning that these agents have sent no request for this long, and what may help.
pub fn silence(agents: &[AgentNumber], span: Millis, settings: &Settings) -> String {
    let numbers: Vec<String> = agents.iter().map(AgentNumber::to_string).collect();
    let (subject, verb) = match &numbers[..] {
        [one] => (format!("agent {one}"), "has"),
        [others @ .., last] => (format!("agents {} and {last}", others.join(", ")), "have"),
        [] => ("nobody".to_owned(), "has"),
    };
    let help = match settings.dialect {
        Dialect::Union => "they may wait for messages 112 and 113 (`--ack`)",
        Dialect::Both => {
            "they may need the union dialect (`--dialect union`) or wait for messages 112 and 113 (`--ack`)"
        }
        Dialect::Spec => "they may not understand the spec dialect (`--dialect auto` or `--dialect union`)",
    };
    format!("{subject} {verb} sent no request for {} s; {help}", span.as_millis() / 1000)
}

/// Returns the rules that are on in the settings and off in the game, because agents of other implementations play.
pub fn relaxed_rules(asked: &Config, played: &Config) -> Option<String> {
    let rules = [
        ("landingPickUp", asked.landing_pick_up(), played.landing_pick_up()),
        ("leaderBinds", asked.leader_binds(), played.leader_binds()),
    ];
    let off: Vec<&str> =
        rules.iter().filter(|(_, asked, played)| *asked && !played).map(|(name, ..)| *name).collect();
    let are = if off.len() == 1 { "is" } else { "are" };
    (!off.is_empty())
        .then(|| format!("agents of other implementations play: {} {are} off", off.join(" and ")))
}

#[cfg(test)]
mod tests {
    use game_env::Seed;
    use game_project::RawConfig;
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn silence_names_the_agents_and_what_may_help() {
        let config = RawConfig::default().check().unwrap();
        let settings = Settings::new(config, Seed::new(1), Timestamp::UNIX_EPOCH);
        let text = |agents: &[i64], dialect| {
            let agents: Vec<AgentNumber> = agents.iter().copied().map(AgentNumber).collect();
            silence(&agents, Millis::new(10_000), &Settings { dialect, ..settings.clone() })
        };
        assert_eq!(
            text(&[7], Dialect::Spec),
            "agent 7 has sent no request for 10 s; they may not understand the spec dialect (`--dialect auto` or \
             `--dialect union`)"
        );
        assert!(
            text(&[6, 7], Dialect::Both)
                .starts_with("agents 6 and 7 have sent no request for 10 s; they may need")
        );
        assert!(text(&[5, 6, 7], Dialect::Union).starts_with("agents 5, 6 and 7 have sent"));
    }

    #[test]
    fn rules_that_are_off_for_agents_of_other_implementations_are_named() {
        let config = |landing_pick_up, leader_binds| {
            RawConfig { landing_pick_up, leader_binds, ..RawConfig::default() }.check().unwrap()
        };
        let (both, one, none) = (config(true, true), config(true, false), config(false, false));
        assert_eq!(relaxed_rules(&both, &both), None);
        assert_eq!(relaxed_rules(&none, &none), None);
        let told = |asked, played| relaxed_rules(asked, played).unwrap();
        assert_eq!(
            told(&both, &none),
            "agents of other implementations play: landingPickUp and leaderBinds are off"
        );
        assert_eq!(told(&both, &one), "agents of other implementations play: leaderBinds is off");
    }

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
