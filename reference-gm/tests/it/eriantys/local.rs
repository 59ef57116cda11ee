//! Clients in the server's process: they ask with values, and are told values.

use game_env::{Chance, Seed};
use game_eriantys::Action;
use reference_gm::eriantys::{Ask, ConnectionId};
use reference_gm::server::Master as _;
use wire::eriantys::Notice;
use wire::eriantys::request::{
    LoginJoinMatch, LoginNewMatch, LoginNickname, LoginTowerColor, LoginWizardFamily, PlayHelperCard,
};
use wire::eriantys::words::{RuleSet, TowerColor, WizardFamily};

use super::harness::{Harness, NAMES};

/// A local client that opens a match, or joins the first one.
fn login(harness: &mut Harness, place: usize, rules: RuleSet) -> ConnectionId {
    let id = harness.join();
    let enter = if place == 0 {
        LoginNewMatch { players: 2, rules }.into()
    } else {
        LoginJoinMatch { number: 1 }.into()
    };
    let nickname = LoginNickname { nickname: NAMES[place].parse().unwrap(), token: None };
    let color = [TowerColor::White, TowerColor::Black][place];
    let family = [WizardFamily::King, WizardFamily::Sage][place];
    for request in
        [enter, nickname.into(), LoginTowerColor { color }.into(), LoginWizardFamily { family }.into()]
    {
        let told = harness.ask_local(id, Ask::Request(request));
        assert!(!told.iter().any(|notice| matches!(notice, Notice::ErrorMessage(_))), "{told:?}");
    }
    id
}

/// The choice of the mover of the only match: often a character if there is one, or else a student for the dining room,
/// which earns coins for characters.
fn choose(harness: &Harness, chance: &mut Chance) -> (usize, Action) {
    let state = harness.state();
    let mover = state.table().mover();
    let mut actions = Vec::new();
    state.table().options(mover, &mut actions);
    let all = actions.clone();
    let is_wanted = |wanted: &dyn Fn(&Action) -> bool| -> Vec<Action> {
        all.iter().copied().filter(|action| wanted(action)).collect()
    };
    let characters = is_wanted(&|action| matches!(action, Action::Character(_)));
    let dining = is_wanted(&|action| matches!(action, Action::ToDining(_)));
    for wanted in [characters, dining] {
        if !wanted.is_empty() && chance.index(3) > 0 {
            actions = wanted;
            break;
        }
    }
    (mover.index(), actions[chance.index(actions.len())])
}

#[test]
fn a_choice_of_a_local_client_is_one_request_whatever_it_needs() {
    let mut characters = 0;
    for seed in 0..6 {
        let mut harness = Harness::new(seed);
        let clients = [0, 1].map(|place| login(&mut harness, place, RuleSet::Expert));
        let mut chance = Seed::new(seed).game();
        while harness.master.totals().matches > 0 {
            let (place, action) = choose(&harness, &mut chance);
            characters += u32::from(matches!(action, Action::Character(_)));
            clients.iter().for_each(|id| drop(harness.take_local(*id)));
            let told = harness.ask_local(clients[place], Ask::Play(action));
            let Some(Notice::PlayerAction(done)) = told.first() else { panic!("{action}: {told:?}") };
            assert_eq!(done.nickname.as_str(), NAMES[place]);
            let asks_for_parameters = |notice: &Notice| {
                matches!(
                    notice,
                    Notice::RequestColor(_) | Notice::RequestIsland(_) | Notice::RequestPieceColorList(_)
                )
            };
            assert!(!told.iter().any(asks_for_parameters), "{action}: {told:?}");
            assert_eq!(harness.take_local(clients[1 - place]).first(), told.first());
        }
        let [ended] = &harness.ended[..] else { panic!("one match has ended") };
        assert_eq!(ended.disruption, None);
        assert!(clients.iter().all(|id| harness.closed.contains(id)));
    }
    assert!(characters >= 10, "{characters} characters were played");
}

#[test]
fn a_local_client_waits_for_its_turn_and_for_others() {
    let mut harness = Harness::new(1);
    let ada = login(&mut harness, 0, RuleSet::Simple);
    let (action, error) = (Action::Steps(1), |told: &[Notice]| match told.first() {
        Some(Notice::ErrorMessage(error)) => error.error.clone(),
        other => panic!("{other:?}"),
    });
    let told = harness.ask_local(ada, Ask::Play(action));
    assert_eq!(
        error(&told),
        "`MotherNatureStep`: the match has not begun: expected to wait for `TableUpdate`"
    );
    let bob = login(&mut harness, 1, RuleSet::Simple);
    let mut chance = Seed::new(1).game();
    let (mover, action) = choose(&harness, &mut chance);
    let clients = [ada, bob];
    clients.iter().for_each(|id| drop(harness.take_local(*id)));
    let told = harness.ask_local(clients[1 - mover], Ask::Play(action));
    assert!(error(&told).starts_with("`PlayHelperCard`: it is the turn of "), "{told:?}");
    let told = harness.ask_local(clients[mover], Ask::Play(Action::Steps(1)));
    assert!(matches!(told[..], [Notice::ErrorMessage(_), Notice::PlayableHelperCard(_)]), "{told:?}");
    // A message of the protocol stands for the same choice.
    let Action::Assistant(assistant) = action else { panic!("{action}") };
    let card = PlayHelperCard { card: assistant.value().into() };
    let told = harness.ask_local(clients[mover], Ask::Request(card.into()));
    assert!(matches!(told[0], Notice::PlayerAction(_)), "{told:?}");
    harness.disconnect(clients[mover]);
    let other = clients[1 - mover];
    harness.take_local(other);
    let told = harness.ask_local(other, Ask::Play(action));
    assert!(error(&told).contains("the match waits for"), "{told:?}");
}

#[test]
fn a_local_client_needs_no_pings() {
    let mut harness = Harness::new(1);
    let clients = [0, 1].map(|place| login(&mut harness, place, RuleSet::Simple));
    harness.pass(60_000, &[]);
    assert!(harness.closed.is_empty());
    assert_eq!(harness.master.wake_at(), None, "nothing is due");
    assert!(
        clients
            .iter()
            .all(|id| { harness.take_local(*id).iter().all(|notice| !matches!(notice, Notice::Ping(_))) })
    );
}
