//! Questions to the player whose turn it is, and its answers.

use game_env::{AgentId, Environment as _, SimTime};
use game_eriantys::{Action, Assistant, CloudId, Color, Event, IslandId, Phase, Play, Table};
use wire::eriantys::convert;
use wire::eriantys::notice::{
    self, GenericMessage, PlayableHelperCard, PlayerAction, RequestCloud, RequestMotherNatureStep,
    RequestStudent,
};
use wire::eriantys::words::{CharacterName, PieceColor};
use wire::eriantys::{Message as _, Notice, Request};

use super::matches::Match;
use super::{ConnectionId, Master};
use crate::eriantys::record::{MatchId, Record};

impl Master {
    /// Returns the question for a player: none unless it has the turn, and the match does not wait for a missing
    /// player.
    pub(super) fn question(&self, number: MatchId, place: usize) -> Option<Notice> {
        let game = self.matches.get(&number)?;
        let mover = game.mover().filter(|mover| mover.index() == place && game.waits_until().is_none())?;
        if let Some(pending) = &game.pending {
            return Some(pending.question(game.state.table()));
        }
        let table = game.state.table();
        let mut actions = Vec::new();
        table.options(mover, &mut actions);
        let mut characters: Vec<CharacterName> = Vec::new();
        for action in &actions {
            if let Action::Character(play) = action
                && characters.last() != Some(&play.character().into())
            {
                characters.push(play.character().into());
            }
        }
        Some(match table.phase {
            Phase::Planning => {
                let cards = table.playable().iter().map(Assistant::value).collect();
                PlayableHelperCard { cards }.into()
            }
            Phase::Students { left } => {
                let colors = |wanted: fn(&Action) -> Option<Color>| -> Vec<PieceColor> {
                    let mut colors: Vec<PieceColor> =
                        actions.iter().filter_map(wanted).map(PieceColor::from).collect();
                    colors.dedup();
                    colors
                };
                RequestStudent {
                    left,
                    colors: colors(|action| match action {
                        Action::ToIsland(color, _) => Some(*color),
                        _ => None,
                    }),
                    dining: colors(|action| match action {
                        Action::ToDining(color) => Some(*color),
                        _ => None,
                    }),
                    islands: table.island_count,
                    characters,
                }
                .into()
            }
            Phase::MotherNature => RequestMotherNatureStep { most: table.most_steps(), characters }.into(),
            Phase::Cloud => {
                let clouds = actions.iter().filter_map(|action| match action {
                    Action::Cloud(cloud) => Some(cloud.number()),
                    _ => None,
                });
                RequestCloud { clouds: clouds.collect(), characters }.into()
            }
        })
    }

    /// A player of a match answers, or says something else.
    pub(super) fn play(&mut self, id: ConnectionId, number: MatchId, place: usize, request: Request) {
        let Some(game) = self.matches.get_mut(&number) else { return };
        let name = request.name();
        if let Some(why) = not_now(game, place) {
            return self.refuse(id, &format!("`{name}`: {why}"));
        }
        if game.pending.is_some() {
            return self.answer_character(id, number, place, request);
        }
        let table = game.state.table();
        let read = match (request, table.phase) {
            (Request::PlayCharacterCard(wanted), phase) if phase != Phase::Planning => {
                return self.begin_character(id, number, place, wanted.character.into());
            }
            (request, _) => action(table, &request),
        };
        match read {
            Ok(action) => self.act(id, number, place, action),
            Err(why) => self.refuse(id, &format!("`{name}`: {why}")),
        }
    }

    /// A local client chooses an action as a whole.
    pub(super) fn play_whole(&mut self, id: ConnectionId, number: MatchId, place: usize, action: Action) {
        let Some(game) = self.matches.get(&number) else { return };
        match not_now(game, place) {
            Some(why) => {
                let name = convert::request_of(action).name();
                self.refuse(id, &format!("`{name}`: {why}"));
            }
            None => self.act(id, number, place, action),
        }
    }

    /// Does what a player chose, if the rules allow it.
    pub(super) fn act(&mut self, id: ConnectionId, number: MatchId, place: usize, action: Action) {
        let player = AgentId::from_index(place);
        let Some(game) = self.matches.get_mut(&number) else { return };
        if let Some(refusal) = game.state.table().refusal(player, action) {
            return self.refuse(id, &format!("{action}: {}", refusal.reason()));
        }
        // An accepted choice costs nothing of the allowance: the rules decide how many there can be.
        self.gate.give_back(id);
        let (before, events) = game.step(player, action);
        game.asked_since = self.gate.now();
        let nickname = game.nickname(player).clone();
        let said = texts(game, before, &events);
        let is_new_round = events.iter().any(|event| matches!(event, Event::Round { .. }));
        self.actions += 1;
        self.record(Record::Action(number, action));
        if is_new_round {
            self.tell_state_record(number);
        }
        self.tell_all(number, &PlayerAction { nickname, action: to_wire(action) }.into());
        for text in said {
            self.tell_all(number, &GenericMessage { text }.into());
        }
        self.tell_table(number);
        self.end_if_over(number, None);
        self.ask_mover(number);
    }
}

impl Match {
    /// Plays an action that the rules allow; returns the table before it, and its events.
    pub(super) fn step(&mut self, player: AgentId, action: Action) -> (Table, Vec<Event>) {
        let before = *self.state.table();
        let mut events: Vec<(SimTime, Event)> = Vec::new();
        self.state.step(SimTime::START, player, action, &mut events);
        self.pending = None;
        self.actions.push(action);
        (before, events.into_iter().map(|(_, event)| event).collect())
    }
}

/// Returns the reason for which a player cannot choose anything now; none if it can.
fn not_now(game: &Match, place: usize) -> Option<String> {
    let missing: Vec<String> = game.missing().iter().map(ToString::to_string).collect();
    if !missing.is_empty() {
        return Some(format!(
            "the match waits for {}: expected to wait for `MatchResumed`",
            missing.join(", ")
        ));
    }
    let mover = game.mover().filter(|mover| mover.index() != place)?;
    Some(format!("it is the turn of {}: expected to wait for a question", game.nickname(mover)))
}

/// Returns the action that a message stands for in this phase, with numbers that are there.
fn action(table: &Table, request: &Request) -> Result<Action, String> {
    match (table.phase, request) {
        (Phase::Planning, Request::PlayHelperCard(wanted)) => {
            let assistant = u8::try_from(wanted.card).ok().and_then(Assistant::new);
            let playable = table.playable();
            let fit = assistant.filter(|assistant| playable.has(*assistant)).map(Action::Assistant);
            fit.ok_or_else(|| {
                let cards: Vec<String> = playable.iter().map(|card| card.value().to_string()).collect();
                format!("card {} cannot be played: expected one of {}", wanted.card, cards.join(", "))
            })
        }
        (Phase::Students { .. }, Request::EntranceToDining(wanted)) => {
            Ok(Action::ToDining(wanted.color.into()))
        }
        (Phase::Students { .. }, Request::EntranceToIsland(wanted)) => {
            Ok(Action::ToIsland(wanted.color.into(), island(table, wanted.island)?))
        }
        (Phase::MotherNature, Request::MotherNatureStep(wanted)) => {
            let most = table.most_steps();
            let steps = u8::try_from(wanted.steps).ok().filter(|steps| (1..=most).contains(steps));
            steps.map(Action::Steps).ok_or_else(|| {
                format!("can't move Mother Nature for {} steps: expected 1 to {most}", wanted.steps)
            })
        }
        (Phase::Cloud, Request::ChooseCloud(wanted)) => {
            let cloud = usize::try_from(wanted.cloud).ok().and_then(CloudId::from_number);
            let cloud = cloud.filter(|cloud| cloud.index() < table.clouds().len()).map(Action::Cloud);
            let most = table.clouds().len();
            cloud.ok_or_else(|| {
                format!("there is no cloud {}: expected a number from 1 to {most}", wanted.cloud)
            })
        }
        (Phase::Planning, _) => Err("expected `PlayHelperCard`".to_owned()),
        (Phase::Students { .. }, _) => {
            Err("expected `EntranceToDining`, `EntranceToIsland` or `PlayCharacterCard`".to_owned())
        }
        (Phase::MotherNature, _) => Err("expected `MotherNatureStep` or `PlayCharacterCard`".to_owned()),
        (Phase::Cloud, _) => Err("expected `ChooseCloud` or `PlayCharacterCard`".to_owned()),
    }
}

/// Returns the island of this number.
pub(super) fn island(table: &Table, number: i64) -> Result<IslandId, String> {
    let most = table.island_count;
    let island = usize::try_from(number).ok().and_then(IslandId::from_number);
    let island = island.filter(|island| island.index() < usize::from(most));
    island.ok_or_else(|| format!("there is no island {number}: expected a number from 1 to {most}"))
}

/// Returns the action of a player as the message to all players.
fn to_wire(action: Action) -> notice::Action {
    match action {
        Action::Assistant(assistant) => notice::Action::PlayHelperCard { card: assistant.value() },
        Action::ToDining(color) => notice::Action::EntranceToDining { color: color.into() },
        Action::ToIsland(color, island) => {
            notice::Action::EntranceToIsland { color: color.into(), island: island.number() }
        }
        Action::Steps(steps) => notice::Action::MotherNatureStep { steps },
        Action::Cloud(cloud) => notice::Action::ChooseCloud { cloud: cloud.number() },
        Action::Character(play) => {
            let character = play.character().into();
            let (mut color, mut island) = (None, None);
            let (mut taken, mut given) = (Vec::new(), Vec::new());
            match play {
                Play::Monk(one, to) => (color, island) = (Some(one.into()), Some(to.number())),
                Play::Herald(to) | Play::Granny(to) => island = Some(to.number()),
                Play::MushroomHunter(one) | Play::Princess(one) | Play::Thief(one) => {
                    color = Some(one.into());
                }
                Play::Jester(exchange) | Play::Minstrel(exchange) => {
                    taken = exchange.taken().each_student().map(PieceColor::from).collect();
                    given = exchange.given().each_student().map(PieceColor::from).collect();
                }
                Play::Farmer | Play::Mailman | Play::Centaur | Play::Knight => {}
            }
            notice::Action::PlayCharacterCard { character, color, island, taken, given }
        }
    }
}

/// Returns the texts of the messages to all players about an action.
fn texts(game: &Match, before: Table, events: &[Event]) -> Vec<String> {
    let after = game.state.table();
    let mut texts = Vec::new();
    let is_turn_over = after.outcome.is_some()
        || before.mover() != after.mover()
        || (before.phase == Phase::Planning) != (after.phase == Phase::Planning);
    if is_turn_over {
        texts.push(format!("{} {} finished", game.nickname(before.mover()), phase(&before)));
    }
    for event in events {
        match event {
            Event::Round { round, .. } => {
                texts.push("Action phase finished".to_owned());
                texts.extend(texts_of_round(*round));
            }
            Event::LastRound => texts.push("Final round started".to_owned()),
            _ => {}
        }
    }
    if convert::phase(after) != wire::eriantys::words::Phase::Over {
        if before.phase == Phase::Planning && after.phase != Phase::Planning {
            texts.push("Planning phase finished".to_owned());
            texts.push("Action phase started".to_owned());
        }
        if is_turn_over {
            texts.push(text_of_turn(game));
        }
    } else if before.phase != Phase::Planning {
        texts.push("Action phase finished".to_owned());
    }
    texts
}

/// Returns the texts of the messages to all players at the beginning of a match.
pub(super) fn first_texts(game: &Match) -> Vec<String> {
    let mut texts = vec!["The match begins".to_owned()];
    texts.extend(texts_of_round(game.state.table().round));
    texts.push(text_of_turn(game));
    texts
}

fn texts_of_round(round: u8) -> [String; 2] {
    [format!("Round {round}: planning phase started"), "Clouds have been refilled".to_owned()]
}

fn text_of_turn(game: &Match) -> String {
    let table = game.state.table();
    format!("{} {} started", game.nickname(table.mover()), phase(table))
}

fn phase(table: &Table) -> &'static str {
    if table.phase == Phase::Planning { "planning phase" } else { "action phase" }
}
