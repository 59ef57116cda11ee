//! The client of Eriantys before a server that only sends messages.

use clients::ClientSession as _;
use clients::eriantys::{End, Input, News, Output, Session, Settings};
use game_env::{Environment as _, Millis, Seed, SimTime, Termination};
use game_eriantys::{Config, State};
use wire::eriantys::convert::table_update;
use wire::eriantys::notice::{
    ConnectionClosed, EndMatchMessage, ErrorMessage, LoginMatchOptions, LoginPlayersOptions, LoginReply,
    MatchOption, MatchPaused, MatchResumed,
};
use wire::eriantys::words::{EndReason, RuleSet, TowerColor, WizardFamily};
use wire::eriantys::{Message as _, Nickname, Notice, Profile, Token};

fn nickname(text: &str) -> Nickname {
    text.parse().unwrap()
}

/// A client that comes back to match 7 as Ada, and all that it has sent.
struct Client {
    session: Session,
    now: SimTime,
    sent: String,
    connections: usize,
    /// Of each match that ended, whether it was won, and whether it was a tie.
    results: Vec<(bool, bool)>,
    terminations: Vec<Termination>,
    end: Option<End>,
}

impl Client {
    fn new() -> Self {
        Self::of_match(Some(7))
    }

    fn of_match(number: Option<u64>) -> Self {
        let settings = Settings { number, ..Settings::new(nickname("Ada"), Config::new(2, false).unwrap()) };
        let session = Session::new(settings, SimTime::START);
        let mut client = Self {
            session,
            now: SimTime::START,
            sent: String::new(),
            connections: 0,
            results: Vec::new(),
            terminations: Vec::new(),
            end: None,
        };
        client.obey();
        client
    }

    fn obey(&mut self) {
        while let Some(output) = self.session.poll_output() {
            match output {
                Output::Connect => {
                    self.connections += 1;
                    self.session.handle(self.now, Input::Connected);
                }
                Output::Send(bytes) => self.sent.push_str(str::from_utf8(&bytes).unwrap()),
                Output::Done(end) => self.end = Some(end),
                Output::Report(News::Over { has_won, is_tie, .. }) => self.results.push((has_won, is_tie)),
                Output::Over(outcome) => self.terminations.push(outcome.termination),
                Output::Decide | Output::Hear(_) | Output::Report(_) => {}
            }
        }
    }

    /// Returns what the client answers to this message.
    fn hear(&mut self, notice: impl Into<Notice>) -> String {
        let mut bytes = Vec::new();
        notice.into().write(&mut bytes);
        self.sent.clear();
        self.session.handle(self.now, Input::Received(&bytes));
        self.obey();
        self.sent.clone()
    }

    /// The server asks for the player of match 7; `missing` have no connection.
    fn resume(&mut self, missing: &[&str]) -> String {
        let nicknames: Vec<_> = missing.iter().map(|text| nickname(text)).collect();
        let saved =
            MatchOption { number: 7, players: 2, rules: RuleSet::Simple, nicknames: nicknames.clone() };
        let saved = if missing.is_empty() { Vec::new() } else { vec![saved] };
        let chosen = self.hear(LoginMatchOptions { open: Vec::new(), saved });
        assert_eq!(chosen, "{\"type\":\"LoginResumeMatch\",\"match\":7}\n");
        self.hear(LoginPlayersOptions { nicknames })
    }

    /// Its match begins, and it loses its connection.
    fn begin(&mut self, token: Option<Token>) {
        self.enter(token);
        self.session.handle(self.now, Input::Closed);
        self.pass(Millis::new(100));
    }

    fn enter(&mut self, token: Option<Token>) {
        self.enter_match_of(2, token);
    }

    fn enter_match_of(&mut self, players: u8, token: Option<Token>) {
        let login = "{\"type\":\"LoginNickname\",\"nickname\":\"Ada\"}\n";
        assert_eq!(self.resume(&["Ada", "Bob"]), login);
        self.hear(LoginReply { number: 7, nickname: nickname("Ada"), token });
        let config = Config::new(players, false).unwrap();
        let seats =
            ["Ada", "Bob", "Cyd", "Dan"].into_iter().zip(WizardFamily::ALL).take(players.into()).enumerate();
        let profiles: Vec<Profile> = seats
            .map(|(place, (name, wizard))| {
                let tower = TowerColor::ALL[config.team(place)];
                Profile { nickname: nickname(name), tower, wizard }
            })
            .collect();
        let state = State::new(&config, Seed::new(1));
        self.hear(table_update(7, state.table(), &profiles));
    }

    fn pass(&mut self, span: Millis) {
        self.now += span;
        self.session.handle(self.now, Input::Tick);
        self.obey();
    }
}

/// Ada looks for matches of two, and has joined one of four by its number.
#[test]
fn a_team_that_wins_is_no_tie() {
    for (players, winners, tie) in
        [(2, &["Ada"][..], false), (2, &["Ada", "Bob"], true), (4, &["Ada", "Cyd"], false)]
    {
        let mut client = Client::new();
        client.enter_match_of(players, None);
        client.hear(EndMatchMessage {
            winners: winners.iter().map(|name| nickname(name)).collect(),
            reason: EndReason::Towers,
            text: String::new(),
        });
        assert_eq!(client.results, [(true, tie)], "{winners:?}");
    }
}

#[test]
fn a_match_that_ends_because_a_player_is_lost_is_no_normal_end() {
    for (reason, termination) in
        [(EndReason::PlayerLost, Termination::AgentLost), (EndReason::Bag, Termination::Normal)]
    {
        let mut client = Client::new();
        client.enter(None);
        client.hear(EndMatchMessage { winners: vec![nickname("Ada")], reason, text: String::new() });
        assert_eq!(client.terminations, [termination], "{reason:?}");
    }
}

/// The server holds the lost connection, which has the last place of match 7: the match is neither open nor saved.
#[test]
fn a_client_waits_for_its_place_in_a_match_that_is_full() {
    let options = || LoginMatchOptions { open: Vec::new(), saved: Vec::new() };
    let refused = || ErrorMessage { error: "match 7 has all its players".to_owned() };
    let join = "{\"type\":\"LoginJoinMatch\",\"match\":7}\n";
    let mut client = Client::new();
    assert_eq!(client.hear(options()), join);
    client.hear(LoginReply { number: 7, nickname: nickname("Ada"), token: Some(Token::new([7; 16])) });
    client.session.handle(client.now, Input::Closed);
    client.pass(Millis::new(100));
    for attempt in 2..5 {
        assert_eq!((client.connections, client.hear(options()).as_str()), (attempt, join));
        client.hear(refused());
        assert_eq!(client.hear(options()), "{\"type\":\"LoginResumeMatch\",\"match\":7}\n");
        client.hear(refused());
        assert_eq!((client.hear(options()), client.end.clone()), (String::new(), None));
        client.pass(Millis::new(1_000));
    }
}

/// The server said so: it holds no place for the client.
#[test]
fn a_client_that_was_sent_away_before_its_match_began_does_not_wait_for_its_place() {
    let options = || LoginMatchOptions { open: Vec::new(), saved: Vec::new() };
    let mut client = Client::new();
    client.hear(options());
    client.hear(LoginReply { number: 7, nickname: nickname("Ada"), token: Some(Token::new([7; 16])) });
    client.hear(ConnectionClosed { reason: "nobody waits for this match any more".to_owned() });
    client.session.handle(client.now, Input::Closed);
    client.pass(Millis::new(100));
    for _ in 0..2 {
        client.hear(options());
        client.hear(ErrorMessage { error: "match 7 is not open".to_owned() });
    }
    client.hear(options());
    assert!(matches!(client.end, Some(End::TurnedAway(_))), "{:?}", client.end);
}

#[test]
fn a_client_with_a_token_takes_its_place_while_the_server_holds_the_former_connection() {
    let mut client = Client::new();
    client.begin(Some(Token::new([7; 16])));
    let token = "07".repeat(16);
    assert_eq!(
        client.resume(&[]),
        format!("{{\"type\":\"LoginNickname\",\"nickname\":\"Ada\",\"token\":\"{token}\"}}\n")
    );
}

#[test]
fn a_client_without_a_token_waits_until_the_server_has_lost_the_former_connection() {
    let mut client = Client::new();
    client.begin(None);
    for attempt in 2..5 {
        assert_eq!((client.connections, client.resume(&[])), (attempt, String::new()));
        assert_eq!(client.session.wake_at(), Some(client.now + Millis::new(1_000)));
        client.pass(Millis::new(1_000));
    }
    assert_eq!(client.resume(&["Ada"]), "{\"type\":\"LoginNickname\",\"nickname\":\"Ada\"}\n");
    // Another player that has the place keeps it.
    let mut client = Client::new();
    client.begin(None);
    for _ in 0..=60 {
        assert_eq!((client.end.clone(), client.resume(&[])), (None, String::new()));
        client.pass(Millis::new(1_000));
    }
    assert_eq!(client.end, Some(End::Missed));
}

/// An answer that crosses a pause is refused, however often others lose their connections: that is no fault of anybody.
#[test]
fn only_refusals_without_a_pause_end_a_client() {
    let mut client = Client::new();
    client.enter(None);
    let refused = || ErrorMessage { error: "the match waits for Bob".to_owned() };
    for _ in 0..10 {
        client.hear(MatchPaused { missing: vec![nickname("Bob")], wait_ms: 60_000 });
        client.hear(refused());
        client.hear(MatchResumed {});
    }
    assert_eq!(client.end, None);
    for _ in 0..3 {
        client.hear(refused());
    }
    let why = "the server refused an action that the rules allow: the match waits for Bob".to_owned();
    assert_eq!(client.end, Some(End::Unplayable(why)));
}

/// A lobby forgets a player who is lost. If the match begins before the player is back, another match will do.
#[test]
fn a_client_whose_match_began_without_it_plays_in_another_one() {
    let any = "{\"type\":\"LoginAnyMatch\",\"players\":2,\"rules\":\"simple\"}\n";
    let mut client = Client::of_match(None);
    let nothing = LoginMatchOptions { open: Vec::new(), saved: Vec::new() };
    assert_eq!(client.hear(nothing.clone()), any);
    client.hear(LoginReply { number: 7, nickname: nickname("Ada"), token: Some(Token::new([7; 16])) });
    client.session.handle(client.now, Input::Closed);
    client.pass(Millis::new(100));
    let login =
        format!("{{\"type\":\"LoginNickname\",\"nickname\":\"Ada\",\"token\":\"{}\"}}\n", "07".repeat(16));
    assert_eq!(client.resume(&["Bob"]), login, "the server may hold the former connection");
    let error = "`Ada` is no player of match 7: expected one of those who are missing".to_owned();
    assert_eq!(client.hear(ErrorMessage { error }), "");
    client.pass(Millis::new(1_000));
    assert_eq!((client.connections, client.end.clone()), (3, None));
    let saved =
        MatchOption { number: 7, players: 2, rules: RuleSet::Simple, nicknames: vec![nickname("Bob")] };
    assert_eq!(client.hear(LoginMatchOptions { open: Vec::new(), saved: vec![saved] }), any);
}
