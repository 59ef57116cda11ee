//! Shows: asking and answering teammates, and how an agent handles answers when a teammate lies.
//! Run it: `cargo run -p examples --bin e10_ask_and_doubt -- 5`; the number is the seed, which repeats the game.

use sdk::local::{Game, Preset};
use sdk::prelude::*;
use strategies::project::registry::{BoxedStrategy, LineUp};

// ANCHOR: agent
/// Seeks pieces and tries goal fields; asks one teammate after another, with a pause between two questions.
#[derive(Default)]
struct Asker {
    asked: usize,
    not_before: SimTime,
    /// Pieces that it has put down in its goal area.
    puts: usize,
}

/// The pause between two questions.
const PAUSE: Millis = Millis::new(2_000);

impl Strategy for Asker {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        if view.now >= self.not_before {
            let agents = (0..).map(AgentId::new).take(view.briefing.game.teams.len());
            let allies: Vec<AgentId> = agents
                .filter(|agent| view.is_ally(*agent) && *agent != view.own.agent && !view.is_silent(*agent))
                .collect();
            if !allies.is_empty() {
                self.asked += 1;
                self.not_before = view.now + PAUSE;
                return view.ask(allies[self.asked % allies.len()]);
            }
        }
        let (here, has_piece) = (view.position(), view.own.hand.is_full());
        let target = if has_piece {
            // Every third piece tests a claim.
            let claimed = if self.puts % 3 == 2 { nearest_claim(view) } else { None };
            claimed.or_else(|| view.knowledge.open().nearest(here))
        } else {
            view.knowledge.nearest_piece()
        };
        match target {
            Some(field) if field != here => view.walk_to(field),
            Some(_) if has_piece => view.put(),
            Some(_) => view.pick_up(),
            None => view.discover(),
        }
    }
    // ANCHOR_END: agent

    // ANCHOR: hear
    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        self.puts += usize::from(matches!(notice, Notice::Put { .. }));
        let Notice::Answered { by: Some(by), information } = notice else { return };
        let said = information.goals[view.own.team].iter().filter(|belief| **belief != GoalBelief::Unknown);
        let (said, trust) = (said.count(), view.knowledge.trust(*by));
        let is_believed = if trust >= Knowledge::TRUSTED { "believed" } else { "not believed" };
        let open = view.knowledge.open().len();
        println!(
            "{}: {by} speaks of {said} goal fields; trust {trust:.2}, {is_believed}; {open} left to try",
            view.now
        );
    }
    // ANCHOR_END: hear

    // ANCHOR: answer
    fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        let is_trusted = view.knowledge.trust(question.by) >= Knowledge::TRUSTED;
        (view.is_ally(question.by) && is_trusted).then(|| view.knowledge.report())
    }
    // ANCHOR_END: answer
}

// ANCHOR: claim
/// Returns the nearest field of the own goal area that is no goal, as somebody else says.
fn nearest_claim(view: &View<'_>) -> Option<Position> {
    let (geometry, here) = (view.geometry(), view.position());
    let is_claim = |at: &Position| {
        let said = view.knowledge.hearsay(*at);
        said.is_some_and(|said| said.value == GoalBelief::NoGoal && said.from != Source::Own)
    };
    let own_area = geometry.positions().filter(|at| geometry.area(*at) == Area::Goal(view.own.team));
    own_area.filter(is_claim).min_by_key(|at| here.moves_to(*at))
}
// ANCHOR_END: claim

// ANCHOR: main
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seed = std::env::args().nth(1).map_or(Ok(Seed::new(7)), |text| text.parse())?;
    let mut rules = Preset::Quick.raw();
    (rules.team_size, rules.goal_area_height, rules.number_of_goals) = (4, 4, 8);
    // Of red, the first agent asks, two are honest, and one lies. Blue hinders nobody, so that the game is a long one.
    let (mates, idle): (LineUp, LineUp) = ("coordinated*2+liar".parse()?, "idle".parse()?);
    let mut place = 0;
    let played = Game::new(&rules.check()?, seed).play(|_agent, team| -> BoxedStrategy {
        if team == Team::Blue {
            return idle.construct(0);
        }
        place += 1;
        if place == 1 { Box::new(Asker::default()) } else { mates.construct(place - 2) }
    });
    println!("{played}");
    Ok(())
}
// ANCHOR_END: main
