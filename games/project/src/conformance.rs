//! The conformance suite for this game.

use game_env::conformance::{Case, Conforming, check};
use game_env::{AgentId, ByTeam, Chance, Environment, Millis, Seed};

use crate::action::Action;
use crate::config::{Config, RawConfig};
use crate::geometry::{Area, Direction, Position};
use crate::piece::Piece;
use crate::state::State;
use crate::team::Team;

impl Conforming for State {
    fn scramble(&mut self, agent: AgentId, chance: &mut Chance) -> bool {
        let before = self.hash();
        let geometry = self.config().geometry();
        let mut pieces = 0;
        self.board.for_each_piece(|_, _| pieces += 1);
        let goals_left = ByTeam::new(Team::ALL.map(|team| self.board.goals_left(team)));
        self.board.clear(self.config().pieces());
        for _ in 0..pieces {
            let field = geometry.goal_fields() + chance.below(geometry.task_fields());
            self.board.lay(geometry.position(field), Piece::from_sham(chance.below(2) == 0));
        }
        for team in Team::ALL {
            while self.board.goals_left(team) < goals_left[team] {
                let field = chance.below(geometry.goal_fields());
                let first = Position::new(0, geometry.goal_area_start(team));
                self.board
                    .hide_goal(geometry.position(u32::try_from(geometry.index(first)).unwrap() + field));
            }
        }
        for other in AgentId::all(self.agents.len()).filter(|other| *other != agent) {
            self.scramble_other(other, chance);
        }
        let own = &mut self.agents[agent.index()];
        own.hand = own.hand.map(|_| Piece::from_sham(chance.below(2) == 0));
        self.reseed(Seed::new(chance.below(u32::MAX).into()));
        self.hash() != before
    }

    fn candidates(&self, _: AgentId, out: &mut Vec<Action>) {
        out.extend(Direction::ALL.map(Action::Move));
        out.extend([Action::Discover, Action::PickUp, Action::Put, Action::Check, Action::Destroy]);
        for other in AgentId::all(self.agents.len() + 1) {
            out.push(Action::Ask(other));
            out.push(Action::Answer { to: other, information: self.nothing_known.clone() });
        }
    }
}

impl State {
    /// Redraws an agent's hand and the end of its lock, removes its questions, and moves it to a random field if it may
    /// stand there.
    fn scramble_other(&mut self, agent: AgentId, chance: &mut Chance) {
        let geometry = self.config().geometry();
        let own = &mut self.agents[agent.index()];
        own.hand = (chance.below(2) == 0).then(|| Piece::from_sham(chance.below(2) == 0));
        own.questions.clear();
        own.asked.clear();
        if !own.gone {
            self.cooldowns.serve(agent, self.clock + Millis::new(chance.below(10_000)));
        }
        let to = geometry.position(chance.below(geometry.fields()));
        let allowed = geometry.area(to) != Area::Goal(own.briefing.team.opponent());
        if !own.gone && allowed && !self.board.is_occupied(to) {
            self.board.leave(own.position);
            self.board.enter(to);
            own.position = to;
        }
    }
}

fn case(name: &'static str, raw: &RawConfig, seeds: u64, bound: u64) -> Case<Config> {
    Case { name, config: raw.check().unwrap(), seeds: 0..seeds, bound }
}

fn small() -> RawConfig {
    RawConfig {
        board_x: 4,
        board_y: 6,
        goal_area_height: 1,
        number_of_goals: 1,
        number_of_pieces: 4,
        team_size: 2,
        sham_piece_probability: 0.3,
        ..RawConfig::default()
    }
}

#[test]
fn the_game_keeps_the_contract() {
    let crowded = RawConfig { board_x: 3, board_y: 5, team_size: 4, number_of_goals: 2, ..small() };
    let without = RawConfig { landing_pick_up: false, pick_up_penalty: 200, ..small() };
    let alone = small().check().unwrap().seat(ByTeam::new([1, 0])).unwrap();
    let many_pieces = RawConfig { number_of_pieces: 150, ..small() };
    let report = check::<State>(&[
        case("small", &small(), 10, 100_000),
        case("crowded", &crowded, 5, 100_000),
        case("without landing pick-up", &without, 5, 100_000),
        case("pieces in buckets", &many_pieces, 3, 100_000),
        Case { name: "one agent alone", config: alone, seeds: 0..5, bound: 100_000 },
    ]);
    let report = report.unwrap_or_else(|violation| panic!("{violation}"));
    assert!(report.episodes == 28 && report.scrambles > 5_000 && report.probes > 100_000, "{report}");
}

#[test]
fn a_board_is_scrambled_beyond_recognition() {
    let config = Config::default();
    let mut state = State::new(&config, Seed::new(1));
    let before = state.setup();
    assert!(state.scramble(AgentId::new(0), &mut Seed::new(2).game()));
    let after = state.setup();
    assert_ne!(before.goals, after.goals);
    assert_ne!(before.pieces, after.pieces);
    assert_ne!(before.agents[1..], after.agents[1..]);
    assert_eq!(before.agents[0], after.agents[0]);
}
