//! Shows: an agent's own knowledge, beside the knowledge of the SDK: how many of its pieces were shams. It checks a
//! piece only if the shams that it has met make the check worth its time.
//! Run it: `cargo run -p examples --bin e12_custom_knowledge -- 7`; the number is the seed, which repeats the game.

use sdk::local::{self, Preset};
use sdk::prelude::*;

/// Number of real pieces and number of shams that the agent has found, by its own checks and by putting pieces down.
#[derive(Debug, Default)]
struct Pieces {
    real: u32,
    shams: u32,
}

impl Pieces {
    /// Learns from the messages to the agent.
    fn hear(&mut self, notice: &Notice) {
        match notice {
            Notice::Checked { sham: true } | Notice::Put { result: Some(PutResult::WasSham) } => {
                self.shams += 1;
            }
            // A piece that was found to be real is counted when it is put down.
            Notice::Put { result: Some(PutResult::OnGoal | PutResult::OnNoGoal) } => self.real += 1,
            _ => {}
        }
    }

    /// Returns the share of shams. The announced probability counts like ten pieces, so that the first few pieces
    /// change little.
    fn sham_share(&self, announced: f64) -> f64 {
        const WEIGHT: f64 = 10.0;
        (announced * WEIGHT + f64::from(self.shams)) / (WEIGHT + f64::from(self.real + self.shams))
    }
}

/// Carries pieces to goals, and checks a piece if that pays.
#[derive(Debug, Default)]
struct Learner {
    pieces: Pieces,
}

impl Learner {
    /// Returns whether a check costs less than a sham wastes on average.
    fn pays_to_check(&self, view: &View<'_>, way: u16) -> bool {
        let cost = |kind| f64::from(view.penalty(kind).as_millis());
        let wasted = f64::from(way) * cost(ActionKind::Move) + cost(ActionKind::Put);
        self.pieces.sham_share(view.sham_probability()) * wasted > cost(ActionKind::Check)
    }
}

impl Strategy for Learner {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let (here, has_piece) = (view.position(), view.own.hand.is_full());
        let target =
            if has_piece { view.knowledge.open().nearest(here) } else { view.knowledge.nearest_piece() };
        match target {
            Some(goal)
                if view.own.hand == Hand::Unchecked && self.pays_to_check(view, here.moves_to(goal)) =>
            {
                view.check()
            }
            Some(field) if field != here => view.walk_to(field),
            Some(_) if has_piece => view.put(),
            Some(_) => view.pick_up(),
            None => view.discover(),
        }
    }

    fn hear(&mut self, _: &mut View<'_>, notice: &Notice) {
        self.pieces.hear(notice);
    }

    fn end(&mut self, view: &mut View<'_>, _: Option<Team>) {
        let Pieces { real, shams } = self.pieces;
        let share = 100.0 * self.pieces.sham_share(view.sham_probability());
        println!(
            "agent {}: {real} real pieces, {shams} shams; it expects {share:.0} % shams",
            view.own.agent
        );
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seed = std::env::args().nth(1).map_or(Ok(Seed::new(7)), |text| text.parse())?;
    let config = Preset::Quick.config();
    let played = local::play(&config, seed, |_agent, _team| Learner::default());
    println!("{played}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shams_raise_the_expected_share() {
        let mut pieces = Pieces::default();
        assert!((pieces.sham_share(0.2) - 0.2).abs() < 1e-9);
        for _ in 0..10 {
            pieces.hear(&Notice::Checked { sham: true });
        }
        assert!((pieces.sham_share(0.2) - 0.6).abs() < 1e-9);
        pieces.hear(&Notice::Put { result: Some(PutResult::OnTaskField) });
        assert_eq!(pieces.real, 0, "that says nothing about the piece");
    }
}
