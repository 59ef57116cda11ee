//! All attacks in namespaces, which bubblewrap makes. Where it is missing, `cargo xtask test` leaves this module out.

use child_process::Isolation;

use super::attacks::{check_all, check_as_nobody, check_ends, check_survivors, check_zombies};

#[tokio::test]
async fn attacks_come_to_what_the_table_says() {
    check_all(Isolation::Namespaces).await;
}

#[tokio::test]
async fn zombies_count_as_processes() {
    check_zombies(Isolation::Namespaces).await;
}

#[tokio::test]
async fn daemons_end_with_their_program() {
    check_survivors(Isolation::Namespaces).await;
}

#[tokio::test]
async fn ends_are_reported() {
    check_ends(Isolation::Namespaces).await;
}

#[test]
fn the_same_holds_for_another_user_than_root() {
    check_as_nobody("namespaces");
}
