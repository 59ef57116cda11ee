//! Shows: another game of the workspace. A strategy for Dots & Boxes plays against random moves; the loop is the same
//! for every game.
//! Run it: `cargo run -p examples --bin e19_another_game -- 7`; the number is the seed, which repeats the game.

use game_dots::{Config, Edge, Observation, State};
use game_env::{
    AgentId, Environment as _, Notation as _, Options as _, Policy, RandomPolicy, Rollout, Seed, SimTime,
};

/// Completes a box if it can, and else draws an edge that does not let the opponent complete one, if there is any.
fn careful(_: SimTime, _: AgentId, seen: &Observation) -> Edge {
    let mut edges = Vec::new();
    seen.options(&mut edges);
    let sides =
        |edge: &Edge| seen.boxes_beside(*edge).map(|corner| seen.drawn_around(corner)).collect::<Vec<_>>();
    let completes = edges.iter().find(|edge| sides(edge).contains(&3));
    let is_safe = edges.iter().find(|edge| !sides(edge).contains(&2));
    *completes.or(is_safe).unwrap_or(&edges[0])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seed = std::env::args().nth(1).map_or(Ok(Seed::new(7)), |text| text.parse())?;
    let config = Config::new(5, 5)?; // 5×5 dots are 16 boxes
    let mut state = State::new(&config, seed);
    let mut players: [Box<dyn Policy<State>>; 2] =
        [Box::new(careful), Box::new(RandomPolicy::<Edge>::new(seed.child(1).game()))];
    let episode = Rollout::default().play(&mut state, &mut players, &mut ());
    print!("{}", state.scene());
    let [own, other] = state.points();
    println!("{} edges; the strategy has {own} boxes, random moves have {other}", episode.steps);
    Ok(())
}
