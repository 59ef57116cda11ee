//! The figures of a game.

use game_env::{AgentId, Environment as _, Measured as _, Rollout, Seed};
use game_eriantys::{Config, Event, State};

use crate::lively::Lively;

/// Every figure of a game is the number of its events that name a player of the team.
#[test]
fn figures_are_numbers_of_events() {
    for players in 2..=4 {
        let config = Config::new(players, true).unwrap();
        let seed = Seed::new(1);
        let mut state = State::new(&config, seed);
        let mut policies: Vec<Lively> =
            AgentId::all(config.players()).map(|player| Lively::new(seed.agent(player))).collect();
        let mut recording = (state.meter(), Vec::new());
        Rollout::default().play(&mut state, &mut policies, &mut recording);
        let (meter, events) = recording;
        let metrics = state.metrics(&meter);
        let check = |name: &str, team_of: &dyn Fn(&Event) -> Option<usize>| {
            let mut expected = vec![0.0; config.teams()];
            events.iter().filter_map(|(_, event)| team_of(event)).for_each(|team| expected[team] += 1.0);
            assert_eq!(metrics.get(name), Some(&expected[..]), "{name} of {players} players");
            assert!(expected.iter().any(|count| *count > 0.0), "{name} never happens");
        };
        let team = |player: &AgentId| Some(config.team(player.index()));
        check("conquests", &|event| match event {
            Event::Conquered { team, .. } => Some(team.index()),
            _ => None,
        });
        check("professors_taken", &|event| match event {
            Event::Professor { player, .. } => team(player),
            _ => None,
        });
        check("students_dined", &|event| match event {
            Event::ToDining { player, .. } => team(player),
            _ => None,
        });
        check("students_on_islands", &|event| match event {
            Event::ToIsland { player, .. } => team(player),
            _ => None,
        });
        check("coins_earned", &|event| match event {
            Event::Coin(player) => team(player),
            _ => None,
        });
        check("characters_played", &|event| match event {
            Event::Character { player, .. } => team(player),
            _ => None,
        });
    }
}
