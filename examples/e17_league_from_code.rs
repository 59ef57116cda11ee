//! Shows: a league of strategies of your own, without a league file: each strategy meets each other one, and the
//! ratings use all games.
//! Run it: `cargo run --release -p examples --bin e17_league_from_code -- 30`; the number of seeds for each pairing
//! is the argument.

use contests::project::contest::{self, Construct, constructor};
use contests::statistics::{Bootstrap, Match, Ratings, Results};
use sdk::local::{ByTeam, Preset};
use sdk::prelude::*;
use strategies::project::registry::{BoxedStrategy, LineUp};

/// Walks to the nearest piece and to the nearest untried goal field; checks pieces first if `checks` is set.
struct Seeker {
    checks: bool,
}

impl Strategy for Seeker {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let (here, has_piece) = (view.position(), view.own.hand.is_full());
        if self.checks && view.own.hand == Hand::Unchecked {
            return view.check();
        }
        let target =
            if has_piece { view.knowledge.open().nearest(here) } else { view.knowledge.nearest_piece() };
        match target {
            Some(field) if field != here => view.walk_to(field),
            Some(_) if has_piece => view.put(),
            Some(_) => view.pick_up(),
            None => view.discover(),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seeds = std::env::args().nth(1).map_or(Ok(30), |count| count.parse())?;
    let config = Preset::Quick.config();
    let hour = SimTime::from_millis(3_600_000);
    let seeker = |checks| move |_place: usize| -> BoxedStrategy { Box::new(Seeker { checks }) };
    let (plain, careful) = (seeker(false), seeker(true));
    let (greedy, random): (LineUp, LineUp) = ("greedy".parse()?, "random".parse()?);
    let (greedy, random) = (constructor(&greedy), constructor(&random));
    let entrants: [(&str, Construct<'_>); 4] =
        [("seeker", &plain), ("careful seeker", &careful), ("greedy", &greedy), ("random", &random)];

    let mut results = Results::new(entrants.len());
    for first in 0..entrants.len() {
        for second in first + 1..entrants.len() {
            for number in 0..seeds {
                // A set: the same seed with the sides swapped.
                let seed = Seed::new(7).child(number);
                let set = [[first, second], [second, first]].map(|sides| {
                    let teams = ByTeam::new(sides.map(|entrant| entrants[entrant].1));
                    let game = contest::play(&config, seed, teams, hour);
                    Match::new(&sides, game.outcome.ranking.places())
                });
                results.add(set.to_vec());
            }
        }
    }

    let ratings = Ratings::new(&results, &Bootstrap::default());
    let totals = results.totals();
    println!("{} matches", results.matches());
    println!("{:<16}{:>8}{:>8}   95 % interval", "entrant", "points", "Elo");
    for rating in ratings.ratings() {
        let ((name, _), (_, points), elo) = (entrants[rating.entrant], totals[rating.entrant], rating.elo);
        println!("{name:<16}{points:>8.1}{:>+8.0}   {:+.0} to {:+.0}", elo.value, elo.low, elo.high);
    }
    Ok(())
}
