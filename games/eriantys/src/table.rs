//! The table. It is public: nobody hides anything, only the order of the bag is unknown.

use game_env::{AgentId, Outcome, TeamId};

use crate::action::{Action, Refusal};
use crate::assistant::{Assistant, Hand};
use crate::character::{Character, Exchange, Play};
use crate::config::Config;
use crate::students::{Color, Students};

/// The number of islands at the beginning.
pub const ISLANDS: usize = 12;

/// The number of seats of each colour in a dining room.
pub const SEATS: u8 = 10;

/// The number of students of each colour in the box.
const STUDENTS: u8 = 26;

/// The most players.
const PLAYERS: usize = Config::MOST_PLAYERS as usize;

/// Everything on the table.
///
/// The fields are public so that tests and strategies can build situations; [`State::resume`](crate::State::resume)
/// continues from one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Table {
    /// The configuration, chosen by the host.
    pub config: Config,
    /// The number of the round, from 1.
    pub round: u8,
    /// The phase, which decides the kind of the next action.
    pub phase: Phase,
    /// The players in the order of this phase; only the first are used if there are fewer than four.
    pub order: [u8; PLAYERS],
    /// The place of the mover in the order.
    pub place: u8,
    /// Whether this round is the last one.
    pub is_last_round: bool,
    /// Whether this round's clouds could not all be filled: nobody takes students from them.
    pub are_clouds_short: bool,
    /// The islands in a ring, clockwise; merged ones are one island. Only the first [`Table::island_count`] are used.
    pub islands: [Island; ISLANDS],
    /// The number of islands, merged ones counted once.
    pub island_count: u8,
    /// The place in the ring at which Mother Nature stands.
    pub mother_nature: u8,
    /// The students in the bag. All others are visible, so every player can count these.
    pub bag: Students,
    /// The students on the clouds: one cloud for each player.
    pub clouds: [Students; PLAYERS],
    /// The owner of each professor, in the order of [`Color::ALL`].
    pub professors: [Option<u8>; Color::COUNT],
    /// The school boards of the players.
    pub schools: [School; PLAYERS],
    /// The towers that each team has left.
    pub towers_left: [u8; PLAYERS - 1],
    /// Expert game: the characters.
    pub cards: Option<[Card; Config::CHARACTERS]>,
    /// Expert game: the coins that nobody has.
    pub bank: u8,
    /// The character that the mover has played in this turn, and the part of its effect that still holds.
    pub effect: Option<Effect>,
    /// The outcome, if the game has ended.
    pub outcome: Option<Outcome>,
}

/// A phase of a turn or a round, named by the next action.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Phase {
    /// The mover plays an assistant.
    #[default]
    Planning,
    /// The mover moves students.
    Students {
        /// The number of students that are still to be moved.
        left: u8,
    },
    /// The mover moves Mother Nature.
    MotherNature,
    /// The mover takes the students of a cloud.
    Cloud,
}

/// One island, or several that have merged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Island {
    /// The students on it.
    pub students: Students,
    /// The team whose towers stand on it.
    pub owner: Option<u8>,
    /// The number of towers on it.
    pub towers: u8,
    /// The number of bans on it.
    pub bans: u8,
    /// The place, clockwise from 0, that its first island had before islands merged.
    pub first: u8,
    /// The number of islands that it consists of.
    pub size: u8,
}

/// The rules of influence at one moment; the same for all islands.
///
/// The sums of all teams are one number: a byte for each team, and one for students that count for nobody. With sums in
/// an array, which go through memory, `planner` takes half as long again.
#[derive(Clone, Copy, Debug)]
pub struct Scoring {
    /// For each colour, in the order of [`Color::ALL`], the first bit of the byte that its students are added to.
    bytes: [u32; Color::COUNT],
    /// Whether towers count.
    towers: bool,
    /// The influence that there is without students and towers.
    further: u32,
}

/// Returns the first bit of a team's byte.
#[expect(clippy::cast_possible_truncation, reason = "there are at most three teams")]
const fn byte(team: usize) -> u32 {
    8 * team as u32
}

/// The byte of students that count for nobody.
const NOBODY: u32 = byte(PLAYERS - 1);

impl Scoring {
    /// Returns the influence of each team on an island, the first team's first. Teams that do not play have 0.
    #[inline]
    pub fn influence(&self, island: &Island) -> [u8; PLAYERS - 1] {
        let mut sums = self.further;
        for (count, byte) in island.students.counts().into_iter().zip(self.bytes) {
            sums += u32::from(count) << byte;
        }
        if let Some(owner) = island.owner
            && self.towers
        {
            sums += u32::from(island.towers) << byte(owner.into());
        }
        let [one, two, three, _] = sums.to_le_bytes();
        [one, two, three]
    }

    /// Returns the team that has strictly more influence on an island than every other, and its lead over the next one;
    /// `None` if no team has.
    #[inline]
    pub fn strongest(&self, island: &Island) -> Option<(TeamId, u8)> {
        let [one, two, three] = self.influence(island);
        let (team, most, next) = if one >= two && one >= three {
            (0, one, two.max(three))
        } else if two >= three {
            (1, two, one.max(three))
        } else {
            (2, three, one.max(two))
        };
        (most > next).then(|| (TeamId::new(team), most - next))
    }
}

/// A player's school board, hand and coins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct School {
    /// The students in the entrance.
    pub entrance: Students,
    /// The students in the dining room.
    pub dining: Students,
    /// The assistants that are left.
    pub hand: Hand,
    /// The assistant of this round.
    pub assistant: Option<Assistant>,
    /// The coins.
    pub coins: u8,
}

/// A character on the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Card {
    /// The character.
    pub character: Character,
    /// The students on it.
    pub students: Students,
    /// The bans on it.
    pub bans: u8,
    /// Whether it has been played. Then a coin lies on it, and it costs one more.
    pub is_used: bool,
}

impl Card {
    /// Returns the price now.
    #[inline]
    pub const fn price(self) -> u8 {
        self.character.price() + self.is_used as u8
    }
}

/// The effect of a character after it has been played, until the end of the turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// Nothing more: a character has been played in this turn, and its effect is over.
    Done,
    /// The farmer: the mover takes professors with equal counts.
    EqualCounts,
    /// The mailman: two more steps.
    MoreSteps,
    /// The centaur: towers do not count.
    NoTowers,
    /// The knight: the mover's team has two more influence.
    MoreInfluence,
    /// The mushroom hunter: this colour does not count.
    NoColor(Color),
}

/// An island: its place in the ring. People and messages count from 1.
///
/// The numbers change when islands merge: they are always those of a ring without gaps. Island 1 is the one that
/// contains the first island of the beginning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct IslandId(u8);

impl IslandId {
    /// Returns the island at this place in the ring, from 0; `None` if it can never be one.
    pub const fn new(index: usize) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, reason = "it is below twelve")]
        if index < ISLANDS { Some(Self(index as u8)) } else { None }
    }

    /// Returns the island of this number, from 1; `None` if it can never be one.
    pub const fn from_number(number: usize) -> Option<Self> {
        if number == 0 { None } else { Self::new(number - 1) }
    }

    /// Returns the place in the ring, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the number that people see, from 1.
    pub const fn number(self) -> u8 {
        self.0 + 1
    }
}

/// A cloud. People and messages count from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CloudId(u8);

impl CloudId {
    /// Returns the cloud at this place, from 0; `None` if it can never be one.
    pub const fn new(index: usize) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, reason = "it is below four")]
        if index < PLAYERS { Some(Self(index as u8)) } else { None }
    }

    /// Returns the cloud of this number, from 1; `None` if it can never be one.
    pub const fn from_number(number: usize) -> Option<Self> {
        if number == 0 { None } else { Self::new(number - 1) }
    }

    /// Returns the place, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the number that people see, from 1.
    pub const fn number(self) -> u8 {
        self.0 + 1
    }
}

impl Table {
    /// Checks a table that comes from elsewhere: that it has no more pieces than the box, so that no count of them is
    /// too large for a byte.
    ///
    /// # Errors
    ///
    /// Names the first kind of piece of which there are too many.
    pub fn check_pieces(&self) -> Result<(), String> {
        let at_most = |what: &str, counts: &mut dyn Iterator<Item = u8>, most: usize| {
            let found: usize = counts.map(usize::from).sum();
            if found <= most { Ok(()) } else { Err(format!("{found} {what}: expected at most {most}")) }
        };
        let schools = || self.schools[..self.config.players()].iter();
        for color in Color::ALL {
            let on_boards = schools().flat_map(|school| [school.entrance, school.dining]);
            let on_islands = self.islands().iter().map(|island| island.students);
            let on_cards = self.cards().iter().map(|card| card.students);
            let places = on_boards.chain(on_islands).chain(on_cards).chain(self.clouds().iter().copied());
            let mut counts = places.chain([self.bag]).map(|students| students[color]);
            at_most(&format!("{color} students"), &mut counts, STUDENTS.into())?;
            for school in schools() {
                let seated = &mut [school.dining[color]].into_iter();
                at_most(&format!("{color} students in a dining room"), seated, SEATS.into())?;
            }
        }
        for (team, left) in (0..).zip(self.towers_left()) {
            let built = self.islands().iter().filter(|island| island.owner == Some(team));
            let mut towers = built.map(|island| island.towers).chain([*left]);
            at_most("towers of a team", &mut towers, self.config.towers().into())?;
        }
        at_most("islands", &mut self.islands().iter().map(|island| island.size), ISLANDS)?;
        let on_cards = self.cards().iter().map(|card| card.bans);
        let mut bans = self.islands().iter().map(|island| island.bans).chain(on_cards);
        at_most("bans", &mut bans, Character::Granny.bans().into())?;
        let mut coins = schools().map(|school| school.coins).chain([self.bank]);
        at_most("coins", &mut coins, Config::COINS.into())
    }

    /// Returns the players, in the order of their places.
    pub fn players(&self) -> impl ExactSizeIterator<Item = AgentId> + use<> {
        AgentId::all(self.config.players())
    }

    /// Returns the player whose turn it is, or was when the game ended.
    #[inline]
    pub fn mover(&self) -> AgentId {
        AgentId::new(self.order[usize::from(self.place)].into())
    }

    /// Returns the team of a player.
    #[inline]
    pub fn team(&self, player: AgentId) -> TeamId {
        team_id(self.config.team(player.index()))
    }

    /// Returns the players in the order of this phase.
    pub fn in_order(&self) -> impl Iterator<Item = AgentId> + '_ {
        self.order[..self.config.players()].iter().map(|player| AgentId::new((*player).into()))
    }

    /// Returns the islands in the ring, clockwise.
    #[inline]
    pub fn islands(&self) -> &[Island] {
        &self.islands[..usize::from(self.island_count)]
    }

    /// Returns the ids of all islands, in the order of the ring.
    #[inline]
    pub fn island_ids(&self) -> impl Iterator<Item = IslandId> + use<> {
        (0..self.island_count).map(IslandId)
    }

    /// Returns an island.
    ///
    /// # Panics
    ///
    /// If there is no such island any more.
    #[inline]
    pub fn island(&self, island: IslandId) -> &Island {
        &self.islands()[island.index()]
    }

    /// Returns the team whose towers stand on an island.
    ///
    /// # Panics
    ///
    /// If there is no such island any more.
    pub fn owner(&self, island: IslandId) -> Option<TeamId> {
        self.island(island).owner.map(|team| team_id(team.into()))
    }

    /// Returns the island on which Mother Nature stands.
    #[inline]
    pub fn mother_nature(&self) -> IslandId {
        IslandId(self.mother_nature)
    }

    /// Returns the clouds.
    #[inline]
    pub fn clouds(&self) -> &[Students] {
        &self.clouds[..self.config.players()]
    }

    /// Returns a player's school.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    #[inline]
    pub fn school(&self, player: AgentId) -> &School {
        &self.schools[..self.config.players()][player.index()]
    }

    /// Returns the owner of the professor of a colour.
    #[inline]
    pub fn professor(&self, color: Color) -> Option<AgentId> {
        self.professors[color.index()].map(|player| AgentId::new(player.into()))
    }

    /// Returns the number of professors of a team.
    pub fn professors_of(&self, team: TeamId) -> u8 {
        let owners = self.professors.iter().flatten();
        owners.map(|player| u8::from(self.config.team((*player).into()) == team.index())).sum()
    }

    /// Returns the towers that each team has left, the first team's first.
    pub fn towers_left(&self) -> &[u8] {
        &self.towers_left[..self.config.teams()]
    }

    /// Returns the characters; empty in a simple game.
    #[inline]
    pub fn cards(&self) -> &[Card] {
        self.cards.as_ref().map_or(&[], |cards| cards)
    }

    /// Returns a character's card, if it is one of this game.
    #[inline]
    pub fn card(&self, character: Character) -> Option<&Card> {
        self.cards().iter().find(|card| card.character == character)
    }

    /// Returns the most steps that Mother Nature may go in this turn. 0 in the planning phase, before the mover has
    /// played an assistant.
    #[inline]
    pub fn most_steps(&self) -> u8 {
        let own = self.school(self.mover()).assistant.map_or(0, Assistant::steps);
        own + if self.effect == Some(Effect::MoreSteps) { 2 } else { 0 }
    }

    /// Returns the influence of each team on an island now, the first team's first. Teams that do not play have 0.
    ///
    /// # Panics
    ///
    /// If there is no such island any more.
    #[inline]
    pub fn influence(&self, island: IslandId) -> [u8; PLAYERS - 1] {
        self.scoring().influence(self.island(island))
    }

    /// Returns the rules of influence now, with the effect of a character.
    #[inline]
    pub fn scoring(&self) -> Scoring {
        let mut scoring = self.lasting_scoring();
        match self.effect {
            Some(Effect::NoColor(color)) => scoring.bytes[color.index()] = NOBODY,
            Some(Effect::NoTowers) => scoring.towers = false,
            Some(Effect::MoreInfluence) => scoring.further = 2 << byte(self.team(self.mover()).index()),
            _ => {}
        }
        scoring
    }

    /// Returns the rules of influence without the effect of a character, which ends with the turn.
    #[inline]
    pub fn lasting_scoring(&self) -> Scoring {
        let mut bytes = [NOBODY; Color::COUNT];
        for (to, owner) in bytes.iter_mut().zip(self.professors) {
            if let Some(owner) = owner {
                *to = byte(self.config.team(owner.into()));
            }
        }
        Scoring { bytes, towers: true, further: 0 }
    }

    /// Returns the team that has strictly more influence than every other on an island: the one that conquers it, or
    /// keeps it, when the island is resolved now.
    ///
    /// # Panics
    ///
    /// If there is no such island any more.
    #[inline]
    pub fn strongest(&self, island: IslandId) -> Option<TeamId> {
        self.scoring().strongest(self.island(island)).map(|(team, _)| team)
    }

    /// Returns the player that has the professor of a colour after the dining rooms have changed.
    ///
    /// A player with strictly more students than every other takes it; with the farmer the mover takes it with as many
    /// as any other. Otherwise it stays where it is.
    #[inline]
    pub(crate) fn professor_now(&self, color: Color) -> Option<u8> {
        let mut most = (0, None);
        for (player, school) in (0..).zip(&self.schools[..self.config.players()]) {
            let count = school.dining[color];
            if count > most.0 {
                most = (count, Some(player));
            } else if count == most.0 {
                most.1 = None;
            }
        }
        let mover = self.order[usize::from(self.place)];
        let own = self.schools[usize::from(mover)].dining[color];
        if self.effect == Some(Effect::EqualCounts) && own > 0 && own == most.0 {
            return Some(mover);
        }
        most.1.or(self.professors[color.index()])
    }

    /// Returns the assistants that the mover may play: those that nobody has played in this round, or all if there are
    /// none.
    #[inline]
    pub fn playable(&self) -> Hand {
        let hand = self.school(self.mover()).hand;
        let schools = &self.schools[..self.config.players()];
        let played: Hand = schools.iter().filter_map(|school| school.assistant).collect();
        let others = hand.without(played);
        if others.is_empty() { hand } else { others }
    }

    /// Returns the reason why a player is refused an action, or `None` if it is not.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    #[inline]
    pub fn refusal(&self, player: AgentId, action: Action) -> Option<Refusal> {
        assert!(player.index() < self.config.players(), "there is no player {player}");
        if self.outcome.is_some() {
            return Some(Refusal::Over);
        }
        if player != self.mover() {
            return Some(Refusal::NotYourTurn);
        }
        let school = self.school(player);
        let refused = |is_refused: bool, refusal: Refusal| is_refused.then_some(refusal);
        match (self.phase, action) {
            (Phase::Planning, Action::Assistant(assistant)) => {
                refused(!school.hand.has(assistant), Refusal::NotInHand)
                    .or_else(|| refused(!self.playable().has(assistant), Refusal::AlreadyPlayed))
            }
            (Phase::Students { .. }, Action::ToDining(color)) => {
                refused(!school.entrance.has(color), Refusal::NotInEntrance)
                    .or_else(|| refused(school.dining[color] >= SEATS, Refusal::DiningRoomFull))
            }
            (Phase::Students { .. }, Action::ToIsland(color, island)) => {
                refused(!school.entrance.has(color), Refusal::NotInEntrance)
                    .or_else(|| refused(!self.has(island), Refusal::NoIsland))
            }
            (Phase::MotherNature, Action::Steps(steps)) => {
                refused(!(1..=self.most_steps()).contains(&steps), Refusal::Steps)
            }
            (Phase::Cloud, Action::Cloud(cloud)) => match self.clouds().get(cloud.index()) {
                None => Some(Refusal::NoCloud),
                Some(students) => refused(students.is_empty(), Refusal::EmptyCloud),
            },
            (Phase::Students { .. } | Phase::MotherNature | Phase::Cloud, Action::Character(play)) => {
                self.refusal_of(school, play)
            }
            _ => Some(Refusal::OtherPhase),
        }
    }

    fn has(&self, island: IslandId) -> bool {
        island.0 < self.island_count
    }

    /// Returns the reason why the mover may not play a character in this way, or `None` if it may.
    #[inline]
    fn refusal_of(&self, school: &School, play: Play) -> Option<Refusal> {
        let Some(card) = self.card(play.character()) else { return Some(Refusal::NoCharacter) };
        if self.effect.is_some() {
            return Some(Refusal::OnePerTurn);
        }
        if school.coins < card.price() {
            return Some(Refusal::TooExpensive);
        }
        let refused = |is_refused: bool, refusal: Refusal| is_refused.then_some(refusal);
        let no_island = |island: IslandId| refused(!self.has(island), Refusal::NoIsland);
        match play {
            Play::Monk(color, island) => {
                refused(!card.students.has(color), Refusal::NotOnCard).or_else(|| no_island(island))
            }
            Play::Herald(island) => no_island(island),
            Play::Granny(island) => refused(card.bans == 0, Refusal::NoBan).or_else(|| no_island(island)),
            Play::Jester(exchange) => {
                refused(!school.entrance.covers(exchange.given()), Refusal::NotInEntrance)
                    .or_else(|| refused(!card.students.covers(exchange.taken()), Refusal::NotOnCard))
            }
            Play::Minstrel(exchange) => refused(exchange.len() > MINSTREL_MOST, Refusal::TooMany)
                .or_else(|| refused(!school.entrance.covers(exchange.given()), Refusal::NotInEntrance))
                .or_else(|| refused(!school.dining.covers(exchange.taken()), Refusal::NotInDining))
                .or_else(|| refused(!fits(school, exchange), Refusal::DiningRoomFull)),
            Play::Princess(color) => refused(!card.students.has(color), Refusal::NotOnCard)
                .or_else(|| refused(school.dining[color] >= SEATS, Refusal::DiningRoomFull)),
            Play::Farmer
            | Play::Mailman
            | Play::Centaur
            | Play::Knight
            | Play::MushroomHunter(_)
            | Play::Thief(_) => None,
        }
    }

    /// Replaces `out` by all actions that a player may ask for now.
    #[inline]
    pub fn options(&self, player: AgentId, out: &mut Vec<Action>) {
        out.clear();
        if self.outcome.is_some() || player != self.mover() {
            return;
        }
        let school = self.school(player);
        match self.phase {
            Phase::Planning => return out.extend(self.playable().iter().map(Action::Assistant)),
            Phase::Students { .. } => {
                for color in school.entrance.colors() {
                    if school.dining[color] < SEATS {
                        out.push(Action::ToDining(color));
                    }
                    out.extend(self.island_ids().map(|island| Action::ToIsland(color, island)));
                }
            }
            Phase::MotherNature => out.extend((1..=self.most_steps()).map(Action::Steps)),
            Phase::Cloud => {
                let clouds = (0..).zip(self.clouds()).filter(|(_, students)| !students.is_empty());
                out.extend(clouds.map(|(cloud, _)| Action::Cloud(CloudId(cloud))));
            }
        }
        if self.effect.is_none() {
            for card in self.cards().iter().filter(|card| card.price() <= school.coins) {
                self.plays(school, card, |play| out.push(Action::Character(play)));
            }
        }
    }

    /// Calls a function with every way in which the mover may play a character that it can pay for.
    #[inline]
    fn plays(&self, school: &School, card: &Card, mut call: impl FnMut(Play)) {
        match card.character {
            Character::Monk => {
                for color in card.students.colors() {
                    self.island_ids().for_each(|island| call(Play::Monk(color, island)));
                }
            }
            Character::Farmer => call(Play::Farmer),
            Character::Herald => self.island_ids().for_each(|island| call(Play::Herald(island))),
            Character::Mailman => call(Play::Mailman),
            Character::Granny => {
                if card.bans > 0 {
                    self.island_ids().for_each(|island| call(Play::Granny(island)));
                }
            }
            Character::Centaur => call(Play::Centaur),
            Character::Jester => {
                Exchange::for_each(school.entrance, card.students, Exchange::MOST, |exchange| {
                    call(Play::Jester(exchange));
                });
            }
            Character::Knight => call(Play::Knight),
            Character::MushroomHunter => {
                Color::ALL.into_iter().for_each(|color| call(Play::MushroomHunter(color)));
            }
            Character::Minstrel => {
                Exchange::for_each(school.entrance, school.dining, MINSTREL_MOST, |exchange| {
                    if fits(school, exchange) {
                        call(Play::Minstrel(exchange));
                    }
                });
            }
            Character::Princess => {
                let has_seat = |color: &Color| school.dining[*color] < SEATS;
                card.students.colors().filter(has_seat).for_each(|color| call(Play::Princess(color)));
            }
            Character::Thief => Color::ALL.into_iter().for_each(|color| call(Play::Thief(color))),
        }
    }
}

/// The most students that the minstrel exchanges.
pub(crate) const MINSTREL_MOST: u8 = 2;

/// Returns whether the dining room has seats for the students that it gets. No colour goes both ways.
fn fits(school: &School, exchange: Exchange) -> bool {
    Color::ALL.into_iter().all(|color| school.dining[color] + exchange.given()[color] <= SEATS)
}

/// Returns the team at a place of tables.
pub(crate) fn team_id(team: usize) -> TeamId {
    TeamId::new(u8::try_from(team).expect("there are at most three teams"))
}
