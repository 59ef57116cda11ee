//! Own strategies in rooms, beside those that are shipped.

use game_dots::{Edge, Observation, State};
use game_env::matches::{MatchLimits, MatchSpec, PlayError, entrants};
use game_env::parameter::Parameter;
use game_env::{AgentId, Choice, Options as _, Parameters, Policy, Seed, SimTime};
use game_project::Preset;
use sdk::prelude::{Action, Strategy, View};
use strategies::notation::count;
use strategies::project::registry::Entry as ProjectEntry;
use strategies::project::room::ProjectRoom;
use strategies::room::{Entry, OwnStrategyError, PolicyRoom, Room, Rooms};

const PLACE: Parameter = Parameter::whole("place", "the place of the edge in the list", 0, 0, 3);

/// Draws the edge at a place of the list.
struct Placed(usize);

impl Policy<State> for Placed {
    fn choose(&mut self, _: SimTime, _: AgentId, seen: &Observation) -> Choice<Edge> {
        let mut edges = Vec::new();
        seen.options(&mut edges);
        Choice::Act(edges[self.0.min(edges.len() - 1)])
    }
}

fn placed(name: &'static str) -> Entry<State> {
    Entry::new(name, "the edge at a place of the list", &[PLACE], |values, _, _| {
        Box::new(Placed(usize::try_from(count(values, PLACE.name)).unwrap_or_default()))
    })
}

fn dots() -> Rooms {
    Rooms::shipped().with(PolicyRoom::shipped().with(placed("placed")).unwrap())
}

fn spec(room: &dyn Room, config: Parameters, line_ups: [&str; 2]) -> MatchSpec {
    let teams = room.game().teams(&config).unwrap();
    let line_ups = line_ups.map(|text| room.line_up(text).unwrap());
    MatchSpec {
        game: room.game().name().to_owned(),
        config,
        seed: Seed::new(7),
        entrants: entrants(&teams, &line_ups),
        limits: MatchLimits::default(),
    }
}

#[test]
fn an_own_strategy_is_in_line_ups_with_its_parameters() {
    let rooms = dots();
    let room = rooms.find("dots").unwrap();
    assert_eq!(room.line_up("placed: place = 2").unwrap(), ["placed:place=2"]);
    assert_eq!(room.line_up("placed:place=0").unwrap(), ["placed"]);
    assert_eq!(room.line_up("greedy:slip=0.5").unwrap(), ["greedy:slip=0.5"]);
    assert_eq!(
        room.line_up("placed:place=9").unwrap_err(),
        "placed: place = 9: it is too large; allowed: a whole number from 0 to 3"
    );
    let unknown = room.line_up("place").unwrap_err();
    assert_eq!(
        unknown,
        "unknown strategy `place`: expected one of random, greedy, chains, placed; did you mean `placed`?"
    );
    assert_eq!(room.strategies().last().unwrap().name, "placed");
}

#[test]
fn the_values_of_its_parameters_reach_it() {
    let rooms = dots();
    let room = rooms.find("dots").unwrap();
    let hash = |own: &str| {
        let spec = spec(room, Parameters::new(), [own, "greedy"]);
        let record = room.play(&spec, "tests 1.0", None).unwrap();
        assert_eq!(record, room.play(&spec, "tests 1.0", None).unwrap());
        record.hash
    };
    assert_eq!(hash("placed"), hash("placed:place=0"));
    assert_ne!(hash("placed"), hash("placed:place=2"));
}

#[test]
fn only_the_rooms_that_have_it_know_it() {
    let with_own = dots();
    let room = with_own.find("dots").unwrap();
    let spec = spec(room, Parameters::new(), ["placed", "greedy"]);
    let shipped = Rooms::shipped();
    let error = shipped.find("dots").unwrap().play(&spec, "tests 1.0", None).unwrap_err();
    assert!(matches!(error, PlayError::Entrant { place: 1, .. }), "{error}");
    assert!(with_own.find("bricks").unwrap().line_up("greedy").is_ok(), "other games keep their rooms");
    assert!(with_own.find("dotz").is_err());
}

#[test]
fn a_later_room_of_a_game_replaces_the_earlier_one() {
    let other = PolicyRoom::shipped().with(placed("other")).unwrap();
    let rooms = dots().with(other);
    let room = rooms.find("dots").unwrap();
    assert!(room.line_up("other").is_ok() && room.line_up("placed").is_err());
    assert_eq!(format!("{rooms:?}"), r#"{"dots": ["random", "greedy", "chains", "other"]}"#);
}

#[test]
fn a_name_that_is_taken_or_cannot_be_in_a_line_up_is_refused() {
    let refused = |room: PolicyRoom<State>, name| room.with(placed(name)).err().unwrap();
    let error = refused(PolicyRoom::shipped(), "greedy");
    assert!(matches!(error, OwnStrategyError::Taken { name: "greedy", .. }));
    assert_eq!(
        error.to_string(),
        "dots already has a strategy `greedy`: expected another name than random, greedy, chains"
    );
    let twice = refused(PolicyRoom::shipped().with(placed("mine")).unwrap(), "mine");
    assert!(matches!(twice, OwnStrategyError::Taken { name: "mine", .. }), "{twice}");
    for name in ["", "2", "a b", "a:b", "a+b", "a*2", "é"] {
        let error = refused(PolicyRoom::shipped(), name);
        assert_eq!(error, OwnStrategyError::Name(name));
        let text = format!(
            "invalid name of a strategy `{name}`: expected a letter, then letters, digits, `-` or `_`"
        );
        assert_eq!(error.to_string(), text);
    }
    assert!(PolicyRoom::shipped().with(placed("my-strategy_2")).is_ok());
}

/// Discovers in every turn.
struct Looker;

impl Strategy for Looker {
    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
        view.discover()
    }
}

static LOOKER: ProjectEntry =
    ProjectEntry::new("looker", "discovers again and again", &[], |_| Box::new(Looker));
static GREEDY: ProjectEntry =
    ProjectEntry::new("greedy", "has a name that is taken", &[], |_| Box::new(Looker));

#[test]
fn a_team_is_mixed_of_own_and_shipped_strategies() {
    let rooms = Rooms::shipped().with(ProjectRoom::shipped().with(&LOOKER).unwrap());
    let room = rooms.find("project").unwrap();
    assert_eq!(room.line_up("looker*2+greedy:slip=0.5").unwrap(), ["looker", "looker", "greedy:slip=0.5"]);
    let spec = spec(room, Preset::Quick.raw().parameters(), ["looker+greedy", "greedy"]);
    let record = room.play(&spec, "tests 1.0", None).unwrap();
    assert!(record.metrics.get("discovering_ms").unwrap()[0] > 0.0);
    let unknown = room.line_up("lokker").unwrap_err();
    assert!(unknown.contains("10 leader, looker; did you mean `looker`?"), "{unknown}");

    let taken = ProjectRoom::shipped().with(&GREEDY).unwrap_err().to_string();
    assert!(
        taken.starts_with("project already has a strategy `greedy`: expected another name than "),
        "{taken}"
    );
}
