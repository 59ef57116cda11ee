//! Matches with limited decisions, and whether this machine was fast enough for them.

use child_process::host::{HostLimits, Load, Measurement};
use game_env::Thinking;
use game_env::matches::{MatchRecord, MatchSpec};

use super::has_programs;

/// Plays a match, and measures this machine meanwhile if the wall time of a program's decision can decide the match.
///
/// With the record it returns the reason why the match does not count, if there is one: something failed, and this
/// machine was too slow. Then a league plays the match again.
///
/// # Errors
///
/// If `play` fails.
pub fn measured<E>(
    spec: &MatchSpec,
    play: impl FnOnce() -> Result<MatchRecord, E>,
) -> Result<(MatchRecord, Option<String>), E> {
    if !depends_on_the_machine(spec) {
        return Ok((play()?, None));
    }
    let limits = HostLimits::default();
    let measurement = Measurement::begin(&limits);
    let record = play();
    let load = measurement.end();
    let record = record?;
    let doubt = doubt(&record, &load, &limits);
    Ok((record, doubt))
}

/// Returns whether the time of a program's decision can decide a match.
fn depends_on_the_machine(spec: &MatchSpec) -> bool {
    matches!(spec.limits.thinking, Thinking::LimitMs(_)) && has_programs(&spec.entrants)
}

/// Returns the reason why a match with limited decisions does not count: something was reported, and this machine was
/// too slow under this load.
fn doubt(record: &MatchRecord, load: &Load, limits: &HostLimits) -> Option<String> {
    if record.blunders == 0 { None } else { load.fault(limits) }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use game_env::matches::MatchLimits;
    use game_env::{Parameters, Seed};

    use super::*;

    fn spec(entrants: [&str; 2], thinking: Thinking) -> MatchSpec {
        MatchSpec {
            game: "dots".to_owned(),
            config: Parameters::new(),
            seed: Seed::new(7),
            entrants: entrants.map(str::to_owned).to_vec(),
            limits: MatchLimits { thinking, ..MatchLimits::default() },
        }
    }

    fn sound() -> MatchRecord {
        let dots = crate::room::find("dots").unwrap();
        dots.play(&spec(["greedy", "random"], Thinking::Free), "tests 1.0", None).unwrap()
    }

    #[test]
    fn only_limited_decisions_of_programs_depend_on_the_machine() {
        let limited = Thinking::LimitMs(100);
        for (entrants, thinking, expected) in [
            (["greedy", "random"], limited, false),
            (["greedy", "\"python3 agent.py\""], limited, true),
            (["greedy", "\"python3 agent.py\""], Thinking::Free, false),
            (["greedy", "\"python3 agent.py\""], Thinking::ChargeMs(1), false),
        ] {
            assert_eq!(
                depends_on_the_machine(&spec(entrants, thinking)),
                expected,
                "{entrants:?} {thinking:?}"
            );
        }
    }

    #[test]
    fn a_match_with_a_report_does_not_count_if_the_machine_was_too_slow() {
        let sound = sound();
        let late = MatchRecord { blunders: 1, ..sound.clone() };
        let limits = HostLimits::default();
        let quiet = Load { beats: 1_000, ..Load::default() };
        let busy = Load { longest: Duration::from_secs(1), ..quiet };
        assert_eq!(doubt(&late, &quiet, &limits), None);
        assert_eq!(doubt(&sound, &busy, &limits), None, "nothing was late");
        assert!(doubt(&late, &busy, &limits).is_some_and(|why| why.contains("1000 ms")));
    }

    #[test]
    fn a_match_that_is_measured_keeps_its_record() {
        let limited = spec(["greedy", "\"python3 agent.py\""], Thinking::LimitMs(100));
        let played = measured(&limited, || Ok::<_, Infallible>(sound())).unwrap();
        assert_eq!(played, (sound(), None), "nothing was late");
        assert_eq!(measured(&limited, || Err("no match")), Err("no match"));
    }
}
