//! Words of the rules for which the page has words of its own.

use game_env::Termination;

#[test]
fn the_page_says_why_a_game_ended_in_words() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/page/shell/players.js");
    let page = std::fs::read_to_string(page).unwrap();
    for termination in Termination::ALL.into_iter().filter(|termination| *termination != Termination::Normal)
    {
        assert!(page.contains(&format!("\"{termination}\": \"")), "{termination}");
    }
}
