//! The requests of players, and the reasons of refusals.

use crate::assistant::Assistant;
use crate::character::Play;
use crate::students::Color;
use crate::table::{CloudId, IslandId};

/// A request of a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Planning phase: play this assistant.
    Assistant(Assistant),
    /// Moves a student of this colour from the entrance to the own dining room.
    ToDining(Color),
    /// Moves a student of this colour from the entrance to this island.
    ToIsland(Color, IslandId),
    /// Moves Mother Nature on by this number of islands.
    Steps(u8),
    /// Take the students of this cloud.
    Cloud(CloudId),
    /// Expert game: pay for a character and play it, at any point of the own turn in the action phase.
    Character(Play),
}

/// The reason of a refusal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Refusal {
    /// The game is over.
    Over,
    /// It is another player's turn.
    NotYourTurn,
    /// The action does not belong to this phase.
    OtherPhase,
    /// The player has played this assistant already.
    NotInHand,
    /// Another player has played this assistant in this round, and the player has one that nobody has played.
    AlreadyPlayed,
    /// No student of this colour is in the entrance.
    NotInEntrance,
    /// All ten seats of this colour are taken.
    DiningRoomFull,
    /// There is no such island any more.
    NoIsland,
    /// Mother Nature goes at least one step, and at most as many as the assistant and the mailman allow.
    Steps,
    /// There is no such cloud.
    NoCloud,
    /// The cloud has no students.
    EmptyCloud,
    /// The character is none of this game.
    NoCharacter,
    /// The player has played a character in this turn.
    OnePerTurn,
    /// The player has not enough coins.
    TooExpensive,
    /// The card does not hold these students.
    NotOnCard,
    /// The dining room does not have these students.
    NotInDining,
    /// These are more students than the character exchanges.
    TooMany,
    /// All bans lie on islands.
    NoBan,
}
