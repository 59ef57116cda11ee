//! Tournaments of Bricks as the original referee has them: its folders of players as league files, and its result
//! files.

pub(crate) mod original_files;
pub(crate) mod players_folder;
