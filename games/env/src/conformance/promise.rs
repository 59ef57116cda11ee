//! The promises of the contract that the suite looks at, in words.
//!
//! For each of them the tests of this crate have a game that breaks it, and is found out.

pub(super) const EQUAL_INPUTS: &str = "equal configurations and seeds give equal states and events";
pub(super) const CONFIGURATION: &str = "a configuration reads as it is written";
pub(super) const DESCRIPTION: &str = "a description holds for every episode";
pub(super) const PERFECT_INFORMATION: &str = "a game of perfect information hides nothing";
pub(super) const WITHOUT_CHANCE: &str =
    "in a game without chance a seed decides nothing after the first state";
pub(super) const ONE_MOVER: &str = "in a game of turns one agent has the turn";
pub(super) const WITHOUT_TIME: &str = "a game without time stays at its start";
pub(super) const TURN: &str = "the turn is that of the agent that is ready first";
pub(super) const LEGAL_ACTION: &str = "the agent that has the turn has a legal action";
pub(super) const LEGAL_ACTIONS: &str = "the legal actions are those that are not refused";
pub(super) const ANSWER: &str = "every request is answered by an event";
pub(super) const ACTION_TEXT: &str = "an action reads as it is written";
pub(super) const OPTIONS: &str = "every legal action is an option";
pub(super) const OPTION_BUFFER: &str = "options replace what is in the buffer";
pub(super) const EVENT_TIME: &str = "an event happens when its cause does";
pub(super) const EVENT_TEXT: &str = "an event is one line of text";
pub(super) const AUDIENCE: &str = "an event is addressed to those who play";
pub(super) const SECRETS: &str = "states that differ only in secrets give equal observations";
pub(super) const SECRET_OPTIONS: &str = "states that differ only in secrets give equal options";
pub(super) const CLONE: &str = "a clone is independent";
pub(super) const LOSS: &str = "an agent that is gone acts no more";
pub(super) const FAULT: &str = "an agent that ends an episode is named as the one at fault";
pub(super) const BOUND: &str = "an episode ends within its bound under random play";
pub(super) const OUTCOME: &str = "an outcome gives every team its place and its points";
pub(super) const FAULTY_AGENT: &str = "a fault is that of an agent in the game";
pub(super) const AFTER_THE_END: &str = "after the end nothing happens any more";
pub(super) const STOP: &str = "a game that is ended from outside is over, and nobody is at fault";
pub(super) const REPLAY: &str = "a replay gives the same states and events";
pub(super) const RESEED: &str = "a new seed changes nothing that was drawn before";

/// All promises that [`check`](super::check) looks at, as [`Violation::promise`](super::Violation::promise) names them.
pub const PROMISES: [&str; 29] = [
    EQUAL_INPUTS,
    CONFIGURATION,
    DESCRIPTION,
    PERFECT_INFORMATION,
    WITHOUT_CHANCE,
    ONE_MOVER,
    WITHOUT_TIME,
    TURN,
    LEGAL_ACTION,
    LEGAL_ACTIONS,
    ANSWER,
    ACTION_TEXT,
    OPTIONS,
    OPTION_BUFFER,
    EVENT_TIME,
    EVENT_TEXT,
    AUDIENCE,
    SECRETS,
    SECRET_OPTIONS,
    CLONE,
    LOSS,
    FAULT,
    BOUND,
    OUTCOME,
    FAULTY_AGENT,
    AFTER_THE_END,
    STOP,
    REPLAY,
    RESEED,
];
