//! The events of a game.

use game_env::{Addressed, AgentId, Audience, Outcome, TeamId};

use crate::action::{Action, Refusal};
use crate::assistant::Assistant;
use crate::character::{Character, Play};
use crate::students::{Color, Students};
use crate::table::{CloudId, IslandId};

/// An event of a game. All but a refusal is public.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A round begins.
    Round {
        /// Its number, from 1.
        round: u8,
        /// The player that plays the first assistant.
        first: AgentId,
    },
    /// A cloud got students from the bag.
    Filled {
        /// The cloud.
        cloud: CloudId,
        /// The students.
        students: Students,
    },
    /// This round is the last one: the bag is empty, or a player has no assistants left.
    LastRound,
    /// A player has played an assistant.
    Assistant {
        /// The player.
        player: AgentId,
        /// The assistant.
        assistant: Assistant,
    },
    /// A player has moved a student to its dining room.
    ToDining {
        /// The player.
        player: AgentId,
        /// The student's colour.
        color: Color,
    },
    /// A player has moved a student to an island.
    ToIsland {
        /// The player.
        player: AgentId,
        /// The student's colour.
        color: Color,
        /// The island to which it was moved.
        island: IslandId,
    },
    /// A player got a coin for a student in its dining room.
    Coin(AgentId),
    /// A professor has a new owner.
    Professor {
        /// The professor's colour.
        color: Color,
        /// The owner.
        player: AgentId,
    },
    /// Mother Nature has moved.
    MotherNature {
        /// The player that moved her.
        player: AgentId,
        /// The number of islands that she moved on.
        steps: u8,
        /// The island to which she moved.
        island: IslandId,
    },
    /// A ban was lifted instead of resolving an island.
    Lifted(IslandId),
    /// A team has conquered an island.
    Conquered {
        /// The island.
        island: IslandId,
        /// The new owner.
        team: TeamId,
        /// The number of its towers there.
        towers: u8,
        /// The owner before.
        from: Option<TeamId>,
    },
    /// Two neighbouring islands have become one.
    Merged {
        /// The number of the island that is left. All islands behind the other one have a number less by one.
        island: IslandId,
        /// The number of the island that is gone.
        gone: IslandId,
    },
    /// A player has taken the students of a cloud.
    Cloud {
        /// The player.
        player: AgentId,
        /// The cloud.
        cloud: CloudId,
        /// The students.
        students: Students,
    },
    /// A player has paid for a character and plays it. The events of its effect follow.
    Character {
        /// The player.
        player: AgentId,
        /// The character, with its parameters.
        play: Play,
        /// The coins that it cost.
        price: u8,
    },
    /// A card got a student from the bag.
    Refilled {
        /// The character of the card.
        character: Character,
        /// The student's colour.
        color: Color,
    },
    /// The thief: a player returned students to the bag.
    Returned {
        /// The player.
        player: AgentId,
        /// The students.
        students: Students,
    },
    /// A request was refused.
    Refused {
        /// The player.
        player: AgentId,
        /// The request.
        action: Action,
        /// The reason.
        refusal: Refusal,
    },
    /// The game is over.
    Over(Outcome),
}

impl Addressed for Event {
    #[inline]
    fn audience(&self) -> Audience {
        match self {
            Self::Refused { player, .. } => Audience::Agent(*player),
            _ => Audience::All,
        }
    }

    #[inline]
    fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}
