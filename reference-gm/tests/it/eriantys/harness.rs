//! The server of Eriantys with clients that are only messages. They know no rules: they answer the questions of the
//! master.

use std::collections::BTreeMap;

use game_env::{Environment as _, Seed};
use game_eriantys::State;
use reference_gm::eriantys::{ConnectionId, Master, Output, Settings};
use reference_gm::server::Master as _;
use wire::eriantys::notice::LoginReply;
use wire::eriantys::request::{
    CharacterCardParameters, ChooseCloud, DeclineCharacterCard, EntranceToDining, EntranceToIsland,
    LoginNewMatch, LoginNickname, LoginTowerColor, LoginWizardFamily, MotherNatureStep, PlayCharacterCard,
    PlayHelperCard,
};
use wire::eriantys::words::{CharacterName, RuleSet};
use wire::eriantys::{Decoder, Message as _, NOTICE_LIMIT, Notice, Request};

use crate::served::{self, counted_tokens};

pub(crate) struct Eriantys;

pub(crate) type Harness = served::Harness<Eriantys>;

impl served::Game for Eriantys {
    type Master = Master;
    type Decoder = Decoder<Notice>;
    type Told = Notice;

    const PONG: &'static str = "{\"type\":\"Pong\"}";

    fn decoder() -> Decoder<Notice> {
        Decoder::new(NOTICE_LIMIT)
    }

    fn read(decoder: &mut Decoder<Notice>, mut bytes: &[u8]) -> Vec<Notice> {
        std::iter::from_fn(|| decoder.next(&mut bytes)).map(Result::unwrap).collect()
    }
}

pub(crate) const NAMES: [&str; 4] = ["Ada", "Bob", "Čeněk", "Dora L."];

impl Harness {
    pub(crate) fn new(seed: u64) -> Self {
        let settings = Settings { seed: Seed::new(seed), ..Settings::default() };
        Self::of(Master::new(settings, counted_tokens()))
    }

    /// The server that follows if this one ends now.
    pub(crate) fn restarted(&self) -> Self {
        let settings = self.master.settings().clone();
        let master = Master::restore(settings, counted_tokens(), self.records.clone()).unwrap();
        let mut harness = Self::of(master);
        harness.records = harness.master.snapshot();
        while let Some(output) = harness.master.poll_output() {
            match output {
                Output::Ended(game) => harness.ended.push(*game),
                other => panic!("{other:?}"),
            }
        }
        harness
    }

    pub(crate) fn send(&mut self, id: ConnectionId, request: impl Into<Request>) {
        let mut bytes = Vec::new();
        request.into().write(&mut bytes);
        self.send_bytes(id, &bytes);
    }

    /// Sends a request, and takes its answers.
    pub(crate) fn ask(&mut self, id: ConnectionId, request: impl Into<Request>) -> Vec<Notice> {
        self.take(id);
        self.send(id, request);
        self.take(id)
    }

    /// A client that has answered everything but its wizard's family.
    pub(crate) fn almost(&mut self, place: usize, enter: impl Into<Request>) -> ConnectionId {
        let id = self.connect();
        self.send(id, enter);
        self.send(id, LoginNickname { nickname: NAMES[place].parse().unwrap(), token: None });
        let colors = self.take(id).into_iter().find_map(|notice| match notice {
            Notice::LoginTowerColorOptions(options) => Some(options.colors),
            _ => None,
        });
        self.send(id, LoginTowerColor { color: colors.unwrap()[0] });
        id
    }

    /// A client that has logged in.
    pub(crate) fn login(&mut self, place: usize, enter: impl Into<Request>) -> ConnectionId {
        let id = self.almost(place, enter);
        let families = self.take(id).into_iter().find_map(|notice| match notice {
            Notice::LoginWizardFamilyOptions(options) => Some(options.families),
            _ => None,
        });
        let answer = self.ask(id, LoginWizardFamily { family: families.unwrap()[0] });
        assert!(matches!(answer[0], Notice::LoginReply(_)), "{answer:?}");
        self.put_back(id, answer);
        id
    }

    /// Clients in a match; nothing of it is taken.
    pub(crate) fn game(&mut self, players: usize, rules: RuleSet) -> Vec<ConnectionId> {
        let wanted = LoginNewMatch { players: i64::try_from(players).unwrap(), rules };
        let first = self.login(0, wanted);
        let Some(Notice::LoginReply(LoginReply { number, .. })) = self.waiting(first).first().cloned() else {
            panic!("the login was answered");
        };
        let number = i64::try_from(number).unwrap();
        let join = wire::eriantys::request::LoginJoinMatch { number };
        let others: Vec<ConnectionId> = (1..players).map(|place| self.login(place, join)).collect();
        [vec![first], others].concat()
    }

    /// The state of the only match.
    pub(crate) fn state(&self) -> State {
        self.master.matches().next().expect("there is a match").1.clone()
    }

    pub(crate) fn hash(&self) -> u64 {
        self.state().hash()
    }

    /// The client that is asked a question now, and the question.
    pub(crate) fn question(&mut self, clients: &[ConnectionId]) -> Option<(ConnectionId, Notice)> {
        let mut found = None;
        for id in clients {
            for notice in self.take(*id) {
                if is_question(&notice) {
                    found = Some((*id, notice));
                }
            }
        }
        found
    }

    /// Plays the only match to its end; calls `before` with the place of the mover's client and its question.
    pub(crate) fn play_out(
        &mut self,
        clients: &mut Vec<ConnectionId>,
        chooser: &mut Chooser,
        mut before: impl FnMut(&mut Self, &mut Vec<ConnectionId>, &Notice),
    ) {
        for _ in 0..10_000 {
            let Some((_, question)) = self.question(clients) else { return };
            before(self, clients, &question);
            let mover = self.state().table().mover();
            // Everybody sits in the order of the names but in a match of four.
            let id = clients[self.client_of(clients.len(), mover.index())];
            let answer = chooser.answer(&question);
            self.send(id, answer);
        }
        panic!("the match does not end");
    }

    /// The place among clients of the player at a place of the rules: with four players the first team is Ada's and
    /// Bob's.
    pub(crate) fn client_of(&self, players: usize, place: usize) -> usize {
        if players == 4 { [0, 2, 1, 3][place] } else { place }
    }
}

pub(crate) fn is_question(notice: &Notice) -> bool {
    matches!(
        notice,
        Notice::PlayableHelperCard(_)
            | Notice::RequestStudent(_)
            | Notice::RequestMotherNatureStep(_)
            | Notice::RequestCloud(_)
            | Notice::RequestColor(_)
            | Notice::RequestIsland(_)
            | Notice::RequestPieceColorList(_)
    )
}

/// Answers questions with one of the choices that they offer.
pub(crate) struct Chooser {
    chance: game_env::Chance,
    /// Number of times that each character was played.
    pub(crate) characters: BTreeMap<CharacterName, u32>,
    /// Whether the last character was declined: it is not played again before something else happens.
    has_declined: bool,
}

impl Chooser {
    pub(crate) fn new(seed: u64) -> Self {
        Self { chance: Seed::new(seed).game(), characters: BTreeMap::new(), has_declined: false }
    }

    fn below(&mut self, count: usize) -> usize {
        self.chance.below(u32::try_from(count).unwrap()).try_into().unwrap()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    pub(crate) fn answer(&mut self, question: &Notice) -> Request {
        let characters = match question {
            Notice::RequestStudent(question) => &question.characters[..],
            Notice::RequestMotherNatureStep(question) => &question.characters[..],
            Notice::RequestCloud(question) => &question.characters[..],
            _ => &[],
        };
        if !characters.is_empty() && !self.has_declined && self.below(2) == 0 {
            let character = self.one(characters);
            *self.characters.entry(character).or_default() += 1;
            return PlayCharacterCard { character }.into();
        }
        self.has_declined = false;
        match question {
            Notice::PlayableHelperCard(question) => {
                PlayHelperCard { card: self.one(&question.cards).into() }.into()
            }
            Notice::RequestStudent(question) => {
                if !question.dining.is_empty() && self.below(3) > 0 {
                    return EntranceToDining { color: self.one(&question.dining) }.into();
                }
                let island = 1 + i64::try_from(self.below(question.islands.into())).unwrap();
                EntranceToIsland { color: self.one(&question.colors), island }.into()
            }
            Notice::RequestMotherNatureStep(question) => {
                let steps = 1 + i64::try_from(self.below(question.most.into())).unwrap();
                MotherNatureStep { steps }.into()
            }
            Notice::RequestCloud(question) => ChooseCloud { cloud: self.one(&question.clouds).into() }.into(),
            Notice::RequestColor(question) => {
                CharacterCardParameters { color: Some(self.one(&question.colors)), ..Default::default() }
                    .into()
            }
            Notice::RequestIsland(question) => {
                let island = Some(self.one(&question.islands).into());
                CharacterCardParameters { island, ..Default::default() }.into()
            }
            Notice::RequestPieceColorList(question) => {
                if self.below(8) == 0 {
                    self.has_declined = true;
                    return DeclineCharacterCard {}.into();
                }
                let count = question.least
                    + u8::try_from(self.below((question.most - question.least + 1).into())).unwrap();
                let mut left = question.colors.clone();
                let colors = (0..count).map(|_| left.remove(self.below(left.len()))).collect();
                CharacterCardParameters { colors: Some(colors), ..Default::default() }.into()
            }
            other => panic!("{other:?} is no question"),
        }
    }
}
