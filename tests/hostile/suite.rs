//! Every attack in its short form. One after the other: each has the machine for itself.

#[cfg(target_os = "linux")]
#[test]
fn every_attack_leaves_what_it_must() {
    use std::time::Duration;

    use game_env::Seed;
    use workspace_tests::hostile::{attacks, program::Programs, run};

    /// Least duration of an attack.
    const LENGTH: Duration = Duration::from_millis(1500);

    let programs = Programs::find().unwrap();
    // One of them alone: `ATTACK=unread-log cargo test -p workspace-tests --test hostile`.
    let only = std::env::var("ATTACK").ok();
    let mut failures = Vec::new();
    let chosen: Vec<_> = attacks()
        .filter(|attack| only.as_deref().is_none_or(|only| only.split(',').any(|only| only == attack.name)))
        .collect();
    assert!(!chosen.is_empty(), "there is no attack {only:?}");
    for attack in chosen {
        match run(attack, &programs, Seed::new(7), LENGTH) {
            Ok(seen) => println!("{:<24} {:>6.1} s  {}", attack.name, seen.took.as_secs_f64(), seen.note),
            Err(error) => {
                println!("{:<24} FAILED  {error:#}", attack.name);
                failures.push(format!(
                    "{}: {error:#}\n  {}\n  must stay: {}",
                    attack.name, attack.what, attack.stays
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{} attacks succeeded\n{}", failures.len(), failures.join("\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn attacks_have_names_of_their_own() {
    use std::collections::BTreeSet;

    use workspace_tests::hostile::attacks;

    let names: BTreeSet<_> = attacks().map(|attack| attack.name).collect();
    assert_eq!(names.len(), attacks().count());
}
