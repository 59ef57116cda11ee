//! Agents that are decided for from outside: what their planes show, and what they were told.

use std::collections::{BTreeMap, VecDeque};

use game_env::arrays::{ArrayAgent as _, Layout};
use game_env::rollout::{Progress, Running};
use game_env::{AgentId, Rollout, Seed, SimTime};
use game_project::arrays::{Plane, Scope, layout};
use game_project::{RawConfig, Setup, State};
use sdk::arrays::Seat;
use serde_json::{Value, json};

/// Red's agents #0 and #2, blue's #1.
const BOARD: &str = "\
g .    g
----------
. R0!  .
p .    R2
. B1!  .
----------
. .    g";

/// A game whose agents see this part of the board.
struct Game {
    state: State,
    run: Running<State>,
    seats: Vec<Seat>,
    layout: Layout,
}

impl Game {
    fn new(scope: Scope) -> Self {
        let setup: Setup = BOARD.parse().unwrap();
        let state = setup.play(&RawConfig::default(), Seed::new(1)).unwrap();
        let seats = AgentId::all(3).map(|agent| Seat::new(&state, agent, Seed::new(1), scope)).collect();
        let layout = layout(state.config(), scope);
        Self { run: Rollout::default().begin(&state), state, seats, layout }
    }

    /// Plays until an agent is asked, and decides by its next choice in this list. The others wait. Ends when an agent
    /// of the list is asked and has no choice left; returns this agent.
    fn play(&mut self, choices: &[(usize, &[&'static str])]) -> AgentId {
        let mut left: BTreeMap<usize, VecDeque<&str>> =
            choices.iter().map(|(agent, own)| (*agent, own.iter().copied().collect())).collect();
        loop {
            let agent = self.asked();
            let choice = match left.get_mut(&agent.index()) {
                None => "wait",
                Some(own) => match own.pop_front() {
                    Some(choice) => choice,
                    None => return agent,
                },
            };
            self.give(agent, choice);
        }
    }

    fn asked(&mut self) -> AgentId {
        match self.run.play(&mut self.state, &mut self.seats, &mut (), Seat::is_asked) {
            Progress::Paused(agent) => agent,
            Progress::Over(episode) => panic!("the game is over: {episode:?}"),
        }
    }

    fn give(&mut self, agent: AgentId, choice: &str) {
        let number = self.layout.actions.iter().position(|action| action == choice).unwrap();
        self.seats[agent.index()].give(self.run.now(), number);
    }

    fn write(&mut self, agent: usize) -> (Vec<u8>, Vec<f32>) {
        let (mut planes, mut vector) =
            (vec![9; self.layout.plane_bytes()], vec![9.0; self.layout.vector.len()]);
        let (id, now) = (AgentId::from_index(agent), self.run.now());
        self.seats[agent].write(&self.state, now, id, &mut planes, &mut vector);
        (planes, vector)
    }

    /// A plane, a text for each row.
    fn plane(&mut self, agent: usize, plane: Plane) -> Vec<String> {
        let (planes, _) = self.write(agent);
        let Layout { rows, columns, .. } = self.layout;
        let plane = &planes[plane as usize * rows * columns..][..rows * columns];
        let text = |row: &[u8]| row.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
        plane.chunks(columns).map(text).collect()
    }

    fn notices(&self, agent: usize) -> Vec<Value> {
        self.seats[agent].notices().iter().map(|notice| serde_json::from_str(notice).unwrap()).collect()
    }
}

#[test]
fn planes_of_the_whole_board_have_its_fields_from_the_north() {
    let mut game = Game::new(Scope::Board);
    assert_eq!((game.layout.planes.len(), game.layout.rows, game.layout.columns), (10, 5, 3));
    let after = game.play(&[(0, &["discover", "move E"])]);
    assert_eq!(after, AgentId::new(0));
    assert_eq!(game.plane(0, Plane::Agent), ["0 0 0", "0 0 1", "0 0 0", "0 0 0", "0 0 0"]);
    assert_eq!(game.plane(0, Plane::Board), ["1 1 1"; 5]);
    assert_eq!(game.plane(0, Plane::OwnGoals), ["1 1 1", "0 0 0", "0 0 0", "0 0 0", "0 0 0"]);
    assert_eq!(game.plane(0, Plane::OtherGoals), ["0 0 0", "0 0 0", "0 0 0", "0 0 0", "1 1 1"]);
    // A step more than the way to the piece in the west.
    assert_eq!(game.plane(0, Plane::Distance)[1..], ["2 3 4", "1 2 3", "0 0 0", "0 0 0"]);
    assert_eq!(game.plane(0, Plane::DistanceSource)[1..], ["1 1 1", "1 1 1", "0 0 0", "0 0 0"]);
    // The distance of the own field was read a moment ago.
    assert_eq!(game.plane(0, Plane::DistanceAge)[1].split(' ').next_back(), Some("2"));
    let (_, vector) = game.write(0);
    assert_eq!(vector[1..3], [2.0, 3.0]);
    // Another agent has its own board, with the same sides.
    assert_eq!(game.plane(1, Plane::Agent), ["0 0 0", "0 0 0", "0 0 0", "0 1 0", "0 0 0"]);
    assert_eq!(game.plane(1, Plane::OwnGoals)[4], "1 1 1");
    assert_eq!(game.plane(1, Plane::Distance), ["0 0 0"; 5]);
}

#[test]
fn beliefs_and_sightings_stand_on_their_fields_of_the_whole_board() {
    let mut game = Game::new(Scope::Board);
    // The piece in the west covers the goal in the north-west. The second one is refused by the agent in the east.
    game.play(&[(
        0,
        &["move W", "move S", "pick-up", "move N", "move N", "put", "move S", "move S", "move E", "move E"],
    )]);
    assert_eq!(game.plane(0, Plane::Goal), ["3 0 0", "0 0 0", "0 0 0", "0 0 0", "0 0 0"]);
    assert_eq!(game.plane(0, Plane::GoalSource)[0], "1 0 0");
    assert_eq!(game.plane(0, Plane::Agent)[2], "0 1 0");
    assert_eq!(game.plane(0, Plane::Seen), ["0 0 0", "0 0 0", "0 0 1", "0 0 0", "0 0 0"]);
}

#[test]
fn notices_are_those_since_the_last_decision_in_the_words_of_the_agent_protocol() {
    let mut game = Game::new(Scope::Nothing);
    assert_eq!(game.layout.plane_bytes(), 0);
    game.play(&[(0, &[])]);
    assert_eq!(game.notices(0), Vec::<Value>::new());
    game.give(AgentId::new(0), "move W");
    // Another agent is asked while the first one is locked: it has been told already.
    let other = game.asked();
    assert_ne!(other, AgentId::new(0));
    let moved = json!({"t": 0, "type": "moved", "to": [0, 3], "distance": 1});
    assert_eq!(game.notices(0), std::slice::from_ref(&moved));
    assert_eq!(game.notices(other.index()), Vec::<Value>::new());
    // To look changes nothing.
    game.write(0);
    assert_eq!(game.play(&[(0, &[])]), AgentId::new(0));
    assert_eq!(game.notices(0), [moved]);
    assert!(game.run.now() > SimTime::START);
    // A question and its answer.
    game.give(AgentId::new(0), "ask #2");
    assert_eq!(game.play(&[(0, &[])]), AgentId::new(0));
    let told = game.notices(0);
    let kinds: Vec<&Value> = told.iter().map(|notice| &notice["type"]).collect();
    assert_eq!(kinds, ["answered"]);
    assert_eq!(told[0]["by"], 2);
    assert_eq!(told[0]["information"]["distances"].as_array().map(Vec::len), Some(15));
    // The vector says nothing of a search for pieces.
    let (planes, vector) = game.write(0);
    assert!(planes.is_empty());
    let place = game.layout.vector.iter().position(|text| text.contains("the place below is known")).unwrap();
    assert_eq!(vector[place..place + 3], [0.0; 3]);
}
