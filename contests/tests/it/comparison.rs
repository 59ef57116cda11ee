//! Comparisons of policies that have no name, in a game of turns.

use contests::comparison::{Comparison, Construct, Side};
use game_dots::{Config, Edge, Observation, State};
use game_env::panics::catch;
use game_env::replay::Reader;
use game_env::{AgentId, Chance, Choice, Options as _, Policy, Seed, SimTime, TeamId};

/// Draws a random edge; the second version completes a box if it can.
struct Version {
    completes: bool,
    chance: Chance,
}

impl Policy<State> for Version {
    fn choose(&mut self, _: SimTime, _: AgentId, seen: &Observation) -> Choice<Edge> {
        let mut edges = Vec::new();
        seen.options(&mut edges);
        let completes = |edge: &&Edge| seen.boxes_beside(**edge).any(|corner| seen.drawn_around(corner) == 3);
        let best = edges.iter().find(completes).filter(|_| self.completes);
        Choice::Act(best.copied().unwrap_or_else(|| edges[self.chance.index(edges.len())]))
    }
}

fn first(_: AgentId, chance: Chance) -> Box<dyn Policy<State>> {
    Box::new(Version { completes: false, chance })
}

fn second(_: AgentId, chance: Chance) -> Box<dyn Policy<State>> {
    Box::new(Version { completes: true, chance })
}

fn config() -> Config {
    Config::new(4, 4).expect("a small grid")
}

fn sentence(names: [&str; 2], makers: [Construct<'_, State>; 2], most_pairs: u64) -> String {
    let [one, other] = [0, 1].map(|place| Side::of(names[place], makers[place]));
    let config = config();
    let compared = Comparison::new(&config, one, other).run(Seed::new(1), most_pairs);
    compared.expect("both sides can play").findings.sentence
}

#[test]
fn the_better_version_is_called_stronger_on_either_side() {
    let better = sentence(["v2", "v1"], [&second, &first], 1_000);
    assert!(better.starts_with("v2 is stronger: "), "{better}");
    assert_eq!(sentence(["v2", "v1"], [&second, &first], 1_000), better, "the seed decides");
    let worse = sentence(["v1", "v2"], [&first, &second], 1_000);
    assert!(worse.starts_with("v2 is stronger: "), "{worse}");
}

#[test]
fn equal_versions_are_undecided_after_few_pairs() {
    let undecided = sentence(["v2", "copy"], [&second, &second], 50);
    assert!(undecided.starts_with("undecided after 100 games: "), "{undecided}");
}

#[test]
fn a_match_to_look_at_takes_the_same_course_again() {
    let (one, other) = (Side::of("v2", &second), Side::of("v1", &first));
    let config = config();
    let comparison = Comparison::new(&config, one, other);
    let games = comparison.run(Seed::new(1), 1_000).unwrap().games;
    assert!(games.iter().any(|game| game.team == TeamId::new(1)), "{games:?}");
    for game in &games {
        let mut replay = Vec::new();
        let record = comparison.again(game.seed, game.team, &mut replay).unwrap();
        let winner = record.outcome.winner();
        match game.why.as_str() {
            "the clearest win of v2" => assert_eq!(winner, Some(game.team)),
            "the clearest win of v1" => {
                assert_eq!(winner, Some(TeamId::new(u8::from(game.team.index() == 0))));
            }
            _ => {}
        }
        let names = Reader::open(&replay[..]).unwrap().header().players.clone();
        assert_eq!(names[game.team.index()].name, "v2");
    }
    assert!(games.iter().any(|game| game.why == "the clearest win of v2"), "{games:?}");
}

#[test]
fn sides_have_different_names() {
    let told = catch(|| sentence(["v1", "v1"], [&first, &second], 1)).unwrap_err();
    assert!(told.contains("different names"), "{told}");
}
