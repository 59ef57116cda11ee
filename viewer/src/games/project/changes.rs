//! The changes of an entry of The Project Game's feed, as the members of one JSON object.
//!
//! A reader that applies the changes knows the game without knowing its rules.

use std::fmt::{self, Write as _};

use game_env::AgentId;
use game_env::messages::ClaimVerdict;
use game_project::beliefs::{BeliefUpdate, Change, Holder, New};
use game_project::claims::{Claim, ClaimContent};
use game_project::{Geometry, GoalBelief};

/// The changes of one entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    members: String,
}

impl Changes {
    /// Adds a member with this value, which is JSON.
    pub(crate) fn set(&mut self, name: &str, value: impl fmt::Display) {
        let gap = if self.members.is_empty() { "" } else { "," };
        write!(self.members, "{gap}\"{name}\":{value}").expect("a string takes all that is written");
    }

    /// Adds figures: the number of the agent, the number of the figure and its value, again for each.
    pub(crate) fn figures(&mut self, figures: impl Iterator<Item = (AgentId, usize, u64)>) {
        let figures: Vec<String> =
            figures.map(|(agent, place, value)| format!("{},{place},{value}", agent.index())).collect();
        if !figures.is_empty() {
            self.set("figures", format_args!("[{}]", figures.join(",")));
        }
    }

    /// Adds the beliefs from now on.
    pub(crate) fn beliefs(&mut self, update: &BeliefUpdate, geometry: Geometry) {
        let groups: Vec<String> = update.changes.iter().map(|change| group(change, geometry)).collect();
        if !groups.is_empty() {
            self.set("beliefs", format_args!("[{}]", groups.join(",")));
        }
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}}}", self.members)
    }
}

fn group(Change { holders, by, beliefs }: &Change, geometry: Geometry) -> String {
    let holder = |holder: &Holder| match holder {
        Holder::Agent(agent) => agent.index().to_string(),
        Holder::Team(team) => format!("\"{team}\""),
    };
    let holders: Vec<String> = holders.iter().map(holder).collect();
    let by = by.map_or_else(|| "-1".to_owned(), |by| by.index().to_string());
    let beliefs = match beliefs {
        New::Claims => "null".to_owned(),
        New::These(claims) => format!("\"{}\"", Runs(claims, geometry)),
    };
    format!("[[{}],{by},{beliefs}]", holders.join(","))
}

/// Claims as text: stretches of neighbouring fields joined by semicolons, each `FIRST:ITEM,ITEM*COUNT,…`.
///
/// An item is a distance, `inf`, `G` for a goal or `N` for none, with a letter behind it if the claim is false: `s` for
/// stale, `m` for mistaken, `l` for a lie.
///
/// Fields are numbers in the order of [`Geometry::index`].
pub(crate) struct Runs<'a>(pub(crate) &'a [Claim], pub(crate) Geometry);

impl fmt::Display for Runs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = |claim: &Claim| self.1.index(claim.at);
        let follows = |one: &Claim, next: &Claim| field(one) + 1 == field(next);
        for (place, stretch) in self.0.chunk_by(follows).enumerate() {
            let gap = if place == 0 { "" } else { ";" };
            write!(f, "{gap}{}:", field(&stretch[0]))?;
            let equal =
                |one: &Claim, next: &Claim| (one.content, one.verdict) == (next.content, next.verdict);
            for (place, run) in stretch.chunk_by(equal).enumerate() {
                if place > 0 {
                    f.write_char(',')?;
                }
                match run[0].content {
                    ClaimContent::Distance(distance) => write!(f, "{distance}")?,
                    ClaimContent::Goal(GoalBelief::Goal) => f.write_char('G')?,
                    ClaimContent::Goal(GoalBelief::NoGoal | GoalBelief::Unknown) => f.write_char('N')?,
                }
                f.write_str(match run[0].verdict {
                    ClaimVerdict::Honest => "",
                    ClaimVerdict::Stale => "s",
                    ClaimVerdict::Mistaken => "m",
                    ClaimVerdict::Lie => "l",
                })?;
                if run.len() > 1 {
                    write!(f, "*{}", run.len())?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use game_project::{Distance, Position, Team};

    use super::*;

    const BOARD: (u16, u16, u16) = (4, 6, 1);

    fn claim(x: u16, y: u16, content: ClaimContent, verdict: ClaimVerdict) -> Claim {
        Claim { at: Position::new(x, y), content, verdict }
    }

    fn distance(moves: u16) -> ClaimContent {
        ClaimContent::Distance(Distance::new(moves))
    }

    #[test]
    fn claims_are_stretches_of_runs_with_their_verdicts() {
        let (columns, rows, goal_rows) = BOARD;
        let geometry = Geometry::new(columns, rows, goal_rows).unwrap();
        let claims = [
            claim(2, 1, distance(3), ClaimVerdict::Honest),
            claim(3, 1, distance(3), ClaimVerdict::Honest),
            claim(0, 2, distance(3), ClaimVerdict::Stale),
            claim(1, 2, ClaimContent::Distance(Distance::INFINITE), ClaimVerdict::Mistaken),
            claim(3, 2, distance(12), ClaimVerdict::Lie),
            claim(0, 5, ClaimContent::Goal(GoalBelief::Goal), ClaimVerdict::Lie),
            claim(1, 5, ClaimContent::Goal(GoalBelief::NoGoal), ClaimVerdict::Honest),
        ];
        assert_eq!(Runs(&claims, geometry).to_string(), "6:3*2,3s,infm;11:12l;20:Gl,N");
        assert_eq!(Runs(&[], geometry).to_string(), "");
        let holders = vec![Holder::Agent(AgentId::new(2)), Holder::Team(Team::Red)];
        let believed = |by, beliefs| Change { holders: holders.clone(), by, beliefs };
        let update = BeliefUpdate {
            answer: None,
            changes: vec![
                believed(Some(AgentId::new(7)), New::Claims),
                believed(None, New::These(claims[..1].to_vec())),
            ],
        };
        let mut changes = Changes::default();
        changes.set("lock", 900);
        changes.beliefs(&update, geometry);
        changes.beliefs(&BeliefUpdate::default(), geometry);
        changes.figures([(AgentId::new(2), 0, 5), (AgentId::new(1), 23, 1500)].into_iter());
        assert_eq!(
            changes.to_string(),
            r#"{"lock":900,"beliefs":[[[2,"red"],7,null],[[2,"red"],-1,"6:3"]],"figures":[2,0,5,1,23,1500]}"#
        );
        assert_eq!(Changes::default().to_string(), "{}");
    }
}
