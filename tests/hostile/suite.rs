//! Ten attacks in their short form, one of each class. One after the other: each has the machine for itself.
//!
//! `cargo xtask attack` makes all of them.

/// The attacks that every run of the tests makes.
#[cfg(target_os = "linux")]
const OF_EVERY_CLASS: [&str; 10] = [
    "bricks-players",
    "confined-players",
    "conveyor-silent",
    "dots-squatters",
    "eriantys-noise",
    "half-messages",
    "killed-master",
    "league-commands",
    "pages-of-others",
    "ten-flooders",
];

#[cfg(target_os = "linux")]
#[test]
fn an_attack_of_every_class_leaves_what_it_must() {
    use std::time::Duration;

    use game_env::Seed;
    use workspace_tests::hostile::{attacks, program::Programs, run};

    /// Least duration of an attack at a game.
    const LENGTH: Duration = Duration::from_millis(500);

    let programs = Programs::find().unwrap();
    // Others: `ATTACK=unread-log cargo test -p workspace-tests --test hostile`.
    let named = std::env::var("ATTACK").ok();
    let wanted: Vec<&str> =
        named.as_deref().map_or(OF_EVERY_CLASS.to_vec(), |named| named.split(',').collect());
    let mut failures = Vec::new();
    let chosen: Vec<_> = attacks().filter(|attack| wanted.contains(&attack.name)).collect();
    assert_eq!(chosen.len(), wanted.len(), "one of these attacks does not exist: {wanted:?}");
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
