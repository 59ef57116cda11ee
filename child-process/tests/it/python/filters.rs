//! All attacks under Landlock and seccomp without namespaces.

use child_process::{Isolation, check_confinement};

use super::attacks::{check_all, check_as_nobody, check_ends, check_survivors, check_zombies};

/// Returns whether the kernel can confine programs; says so otherwise.
fn can() -> bool {
    check_confinement().map_err(|reason| eprintln!("left out: {reason}")).is_ok()
}

#[tokio::test]
async fn attacks_come_to_what_the_table_says() {
    if can() {
        check_all(Isolation::Filters).await;
    }
}

#[tokio::test]
async fn zombies_count_as_processes() {
    if can() {
        check_zombies(Isolation::Filters).await;
    }
}

#[tokio::test]
async fn daemons_end_with_their_program() {
    if can() {
        check_survivors(Isolation::Filters).await;
    }
}

#[tokio::test]
async fn ends_are_reported() {
    if can() {
        check_ends(Isolation::Filters).await;
    }
}

#[test]
fn the_same_holds_for_another_user_than_root() {
    check_as_nobody("filters");
}
