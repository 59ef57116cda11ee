//! The figures of a game.

use game_env::{AgentId, Environment as _, Measured as _, Rollout, Seed, SimTime, Turn, Witness as _};
use game_eriantys::{Color, Config, Event, State};

use crate::lively::Lively;

/// Every figure of a game is the number of its events that name a player of the team, or stands in its last table.
#[test]
fn figures_are_those_of_events_and_of_the_last_table() {
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
        let table = state.table();
        let mut professors = vec![0.0; config.teams()];
        for owner in Color::ALL.into_iter().filter_map(|color| table.professor(color)) {
            professors[config.team(owner.index())] += 1.0;
        }
        assert_eq!(metrics.get("professors_at_the_end"), Some(&professors[..]), "{players} players");
        // The first round begins before the first event.
        let later = events.iter().filter(|(_, event)| matches!(event, Event::Round { .. })).count();
        let rounds = vec![f64::from(1 + u8::try_from(later).unwrap()); config.teams()];
        assert_eq!(metrics.get("rounds"), Some(&rounds[..]), "{players} players");
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

#[test]
fn a_refused_request_counts_for_the_team_that_made_it() {
    let config = Config::new(4, false).unwrap();
    let mut state = State::new(&config, Seed::new(1));
    let mut meter = state.meter();
    let Turn::Act { agent: mover, .. } = state.turn() else { panic!("the game begins") };
    for player in AgentId::all(4).filter(|player| *player != mover) {
        state.step(SimTime::START, player, "assistant 1".parse().unwrap(), &mut meter.sink());
    }
    let mut expected = [2.0; 2];
    expected[config.team(mover.index())] = 1.0;
    assert_eq!(state.metrics(&meter).get("refused"), Some(&expected[..]));
}
