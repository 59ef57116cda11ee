//! One match for its viewers, sans-IO.
//!
//! Without viewers, only the inputs are kept. From the first viewer on, messages are made of them: of those so far at
//! once, of further ones as they come.

use std::mem;
use std::sync::Arc;
use std::vec;

use game_env::replay::{Header, Player};
use game_env::{AgentId, Information, Options as _, Seed, SimTime, Turn};
use serde_json::{Value, json};

use super::{MatchId, Opening, PersonId};
use crate::course::Course;
use crate::event_queue::Step;
use crate::feed::{self, PROGRAM};
use crate::outbox::Outbox;
use crate::outbox::{FeedMessage, Limits};
use crate::room::{GameFeed as _, Shown};

/// A match of this game.
pub(crate) struct Followed<E: Shown> {
    title: String,
    players: Vec<Player>,
    pub(crate) people: Vec<(AgentId, PersonId)>,
    seed: Seed,
    header: Header,
    limits: Limits,
    progress: Progress<E>,
    /// Inputs so far, as the page counts moves.
    moves: u64,
    /// Whether the match is over, and when; not known if it was broken off.
    over: Option<Option<SimTime>>,
    end: Option<End>,
    frame: Frame,
    outbox: Outbox,
}

/// Messages that stand around each beginning of the feed of a match.
#[derive(Default)]
pub(crate) struct Frame {
    pub(crate) before: Vec<String>,
    pub(crate) after: Vec<String>,
}

enum Progress<E: Shown> {
    Unwatched {
        first: Box<E>,
        steps: Vec<Step<E>>,
        state: Box<E>,
        /// Whether nothing is missing before `first`.
        is_whole: bool,
    },
    Watched(Box<Course<E, E::Feed>>),
}

/// The remains of a match that is over.
pub struct End {
    /// The statistics.
    pub statistics: Value,
    /// The replay, if the whole match was followed and the replay is not too long.
    pub replay: Option<Arc<[u8]>>,
}

/// The most inputs of a match without viewers; past them it is shown from a later state.
const MOST_STEPS: usize = 1 << 20;

impl<E: Shown> Followed<E> {
    pub(crate) fn new(Opening { title, config, seed, players, people }: Opening<E>, limits: Limits) -> Self {
        let state = E::new(&config, seed);
        let header = Header::new::<E>(&config, seed, players.clone(), PROGRAM);
        let progress = Progress::Unwatched {
            first: Box::new(state.clone()),
            steps: Vec::new(),
            state: Box::new(state),
            is_whole: true,
        };
        Self {
            title,
            players,
            people,
            seed,
            header,
            limits,
            progress,
            moves: 0,
            over: None,
            end: None,
            frame: Frame::default(),
            outbox: Outbox::default(),
        }
    }

    /// Takes the next input.
    pub(crate) fn take(&mut self, step: Step<E>) {
        if let Step::Action(_, agent, _) | Step::Note(agent, _) = &step
            && agent.index() >= self.state().agents()
        {
            return;
        }
        self.moves += u64::from(matches!(step, Step::Action(..) | Step::Disruption(..)));
        match &mut self.progress {
            Progress::Unwatched { first, steps, state, is_whole } => {
                match &step {
                    Step::Action(at, agent, action) => state.step(*at, *agent, action.clone(), &mut ()),
                    Step::Disruption(at, disruption) => state.disrupt(*at, *disruption, &mut ()),
                    Step::Note(..) => {}
                    Step::Lost(now) => *state = now.clone(),
                }
                if steps.len() >= MOST_STEPS || matches!(step, Step::Lost(_)) {
                    steps.clear();
                    *first = state.clone();
                    *is_whole = false;
                } else {
                    steps.push(step);
                }
            }
            Progress::Watched(course) => {
                if course.take(step) {
                    self.outbox.say_many_events(course);
                } else {
                    self.tell_anew();
                }
            }
        }
    }

    /// A person takes the seat of a player from now on.
    pub(crate) fn seat(&mut self, agent: AgentId, person: PersonId) {
        self.people.retain(|(taken, _)| *taken != agent);
        self.people.push((agent, person));
    }

    /// Ends the match; `at` is unknown if it was broken off.
    pub(crate) fn over(&mut self, at: Option<SimTime>) {
        if self.over.is_none() {
            self.over = Some(at);
            self.finish();
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// Sets the messages around each further beginning of the feed.
    pub(crate) fn surround(&mut self, frame: Frame) {
        self.frame = frame;
    }

    /// Adds a message to the feed, after what has happened so far.
    pub(crate) fn say(&mut self, message: String) {
        if let Progress::Watched(course) = &mut self.progress {
            self.outbox.say_events(course);
            self.outbox.say(message);
        }
    }

    /// Begins to make messages, first for all inputs so far.
    pub(crate) fn watch(&mut self) {
        let Progress::Unwatched { first, steps, is_whole, .. } = &mut self.progress else { return };
        let (first, steps, is_whole) = (first.clone(), mem::take(steps), *is_whole);
        let mut feed = E::Feed::new(&first, self.seed, &self.players);
        if E::SHOWS_NO_SECRETS && E::DESCRIPTION.information == Information::Imperfect {
            feed.hide_seed();
        }
        let room = if is_whole && E::HAS_REPLAY { self.limits.replay } else { 0 };
        self.progress = Progress::Watched(Box::new(Course::new(*first, feed, &self.header, room)));
        self.tell_anew();
        steps.into_iter().for_each(|step| {
            // They were counted when they came.
            self.moves -= u64::from(matches!(step, Step::Action(..) | Step::Disruption(..)));
            self.take(step);
        });
        self.finish();
    }

    pub(crate) fn is_watched(&self) -> bool {
        matches!(self.progress, Progress::Watched(_))
    }

    /// Returns the messages since the last call.
    pub(crate) fn new_messages(&mut self) -> vec::Drain<'_, FeedMessage> {
        if let Progress::Watched(course) = &mut self.progress {
            self.outbox.say_events(course);
        }
        if self.outbox.bytes() > self.limits.feed && !self.is_over() {
            self.tell_anew();
        }
        self.outbox.drain()
    }

    /// Returns about how many bytes are kept for viewers: the inputs, or the messages and the replay; without the
    /// states and the texts of notes.
    pub(crate) fn bytes(&self) -> usize {
        let inputs = match &self.progress {
            Progress::Unwatched { steps, .. } => size_of_val(&steps[..]),
            Progress::Watched(_) => 0,
        };
        let replay = self.end.as_ref().and_then(|end| end.replay.as_ref());
        inputs + self.outbox.bytes() + replay.map_or(0, |replay| replay.len())
    }

    /// Returns the statistics and the replay, if the match is over and was watched.
    pub(crate) fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    pub(crate) fn state(&self) -> &E {
        match &self.progress {
            Progress::Unwatched { state, .. } => state,
            Progress::Watched(course) => course.state(),
        }
    }

    /// Inputs so far.
    pub(crate) fn moves(&self) -> u64 {
        self.moves
    }

    /// Returns the options of a seat, if it may act now.
    pub(crate) fn options(&self, agent: AgentId) -> Vec<E::Action> {
        let mut options = Vec::new();
        let state = self.state();
        if self.is_over() || agent.index() >= state.agents() || state.ready(agent).is_none() {
            return options;
        }
        let mut observation = E::Observation::default();
        state.observe(agent, &mut observation);
        observation.options(&mut options);
        options
    }

    /// Returns the match as the list shows it.
    pub(crate) fn entry(&self, id: MatchId) -> Value {
        let outcome = match self.state().turn() {
            Turn::Over(outcome) => json!({
                "winner": outcome.winner().map(|team| team.index()),
                "points": outcome.returns.points(),
                "termination": outcome.termination.to_string(),
            }),
            Turn::Act { .. } => Value::Null,
        };
        let state = match self.over {
            None => "playing",
            Some(Some(_)) => "over",
            Some(None) => "broken",
        };
        let player = |(place, player): (usize, &Player)| {
            let is_person = self.people.iter().any(|(agent, _)| agent.index() == place);
            json!({ "name": player.name, "team": player.team.index(), "person": is_person })
        };
        json!({
            "id": id.number(),
            "title": self.title,
            "players": self.players.iter().enumerate().map(player).collect::<Value>(),
            "state": state,
            "moves": self.moves,
            "outcome": outcome,
        })
    }

    /// Sends the end, once it is known and the match is watched.
    fn finish(&mut self) {
        let (Some(at), Progress::Watched(course)) = (self.over, &mut self.progress) else { return };
        if self.end.is_some() {
            return;
        }
        let replay = course.finish_replay(at.unwrap_or_else(|| course.state().clock()));
        let statistics = course.document();
        self.outbox.say_events(course);
        if at.is_none() {
            self.outbox.say(feed::truncated("the host has let the match go before its end"));
        }
        self.outbox.say(feed::statistics(&statistics, replay.is_some()));
        self.end = Some(End { statistics, replay: replay.map(Arc::from) });
    }

    fn tell_anew(&mut self) {
        let Progress::Watched(course) = &mut self.progress else { return };
        let Frame { before, after } = &self.frame;
        let before = before.iter().cloned();
        self.outbox.begin_with(before.chain([course.start_anew()]).chain(after.iter().cloned()));
    }
}
