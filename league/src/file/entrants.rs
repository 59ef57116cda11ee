//! Reading the entrants of a league.

use std::ops::Range;

use game_env::matches::TooManyAgents;
use game_env::text::{fit_for_a_log, or_list};

use super::Entrant;
use super::fault::Faults;
use super::table::{Placed, Table};
use crate::games::Games;
use crate::network::NetworkRoom;
use crate::network::commands::{CommandEntrant, Confine, PLACEHOLDERS};
use crate::network::joining::JoiningEntrant;

/// The facts of a league on which its entrants depend.
#[derive(Clone, Copy)]
pub(super) struct EntrantPlace<'a> {
    pub(super) game: Option<&'a str>,
    /// The game's room over the network, if the league plays there.
    pub(super) room: Option<&'static NetworkRoom>,
    pub(super) team_sizes: Option<&'a [usize]>,
    /// The way to play in process, if the league plays over the network.
    pub(super) without_network: Option<&'a str>,
}

pub(super) fn read_entrants(
    tables: Vec<Table<'_>>,
    place: EntrantPlace<'_>,
    games: &dyn Games,
    faults: &mut Faults<'_>,
) -> Vec<Entrant> {
    let EntrantPlace { game, room, team_sizes, without_network } = place;
    let without_server = room.filter(|room| !room.has_server);
    let mut entrants: Vec<Entrant> = Vec::new();
    let mut ports: Vec<u16> = Vec::new();
    for mut table in tables {
        let at = table.at().clone();
        let name = table.text_of_name(faults);
        if table.has("join") {
            if let Some(room) = without_server {
                let why = "agents from outside cannot join: expected a `command`";
                faults.add(&at, format!("{} has no server, so {why}", room.game));
            }
            let entrant = read_joining(table, name, &mut ports, faults);
            add_entrant(&mut entrants, entrant, &at, faults);
            continue;
        }
        if table.has("command") {
            if table.has("strategy") {
                faults.add(&at, "an entrant has a `strategy` or a `command`, not both");
                table.text("strategy", faults);
            }
            if !table.has("name") {
                faults.add(&at, "`name` is missing: an entrant with a `command` needs one");
            }
            let command = read_command(&mut table, room, faults);
            table.finish(faults);
            let strategies = command.iter().map(ToString::to_string).collect();
            add_entrant(&mut entrants, Entrant { name: name.unwrap_or_default(), strategies }, &at, faults);
            continue;
        }
        if !table.has("strategy") {
            faults.add(
                &at,
                "`strategy` is missing: expected a strategy or a line-up, e.g. `strategy = \"random\"`, a `command`, or `join = true`",
            );
        }
        let strategy = table.text("strategy", faults);
        table.finish(faults);
        let strategies = game.zip(strategy.as_ref()).and_then(|(game, strategy)| {
            let strategies = games.line_up(game, strategy.value);
            strategies.map_err(|fault| faults.add(&strategy.at, fault)).ok()
        });
        let smallest = team_sizes.and_then(|sizes| sizes.iter().copied().min());
        if let (Some(strategy), Some(strategies), Some(size)) = (&strategy, &strategies, smallest)
            && strategies.len() > size
        {
            faults.add(&strategy.at, TooManyAgents { named: strategies.len(), size }.to_string());
        }
        if let (Some(room), Some(strategy)) = (without_server, &strategy) {
            let (game, named) = (room.game, fit_for_a_log(strategy.value));
            let command = format!(
                "expected a program, e.g. `command = [\"bots\", \"join\", \"--game\", \"{game}\", \"--strategy\", \"{named}\"]`"
            );
            faults.add(&strategy.at, format!("over the network, strategies do not play {game}: {command}"));
        }
        let at_strategy = strategy.as_ref().map(|strategy| strategy.at.clone());
        let name = name.or_else(|| strategy.map(|strategy| strategy.value.to_owned())).unwrap_or_default();
        if let (Some(game), Some(at_strategy), Some(strategies), Some(hint)) =
            (game, at_strategy, &strategies, without_network)
            && let Some(own) = games.own_strategy(game, strategies)
        {
            let (name, own) = (fit_for_a_log(&name), fit_for_a_log(own));
            faults.add(
                &at_strategy,
                format!("entrant `{name}`: the own strategy `{own}` plays only in process: {hint}"),
            );
        }
        let entrant = Entrant { name, strategies: strategies.unwrap_or_default() };
        add_entrant(&mut entrants, entrant, &at, faults);
    }
    entrants
}

/// Returns an entrant whose agents join from outside. `taken` are the ports of those before it.
fn read_joining(
    mut table: Table<'_>,
    name: Option<String>,
    taken: &mut Vec<u16>,
    faults: &mut Faults<'_>,
) -> Entrant {
    let at = table.at().clone();
    if table.flag("join", faults) == Some(false) {
        faults.add(&at, "`join` is false: leave it out, or give the entrant `join = true`");
    }
    for other in ["strategy", "command"] {
        if table.has(other) {
            faults.add(&at, format!("an entrant that joins from outside has no `{other}`"));
            table.skip(other);
        }
    }
    if !table.has("name") {
        faults.add(&at, "`name` is missing: an entrant with `join = true` needs one");
    }
    let ports = table.ports("ports", faults);
    table.finish(faults);
    if let Some(ports) = &ports {
        if let Some(port) = ports.value.iter().find(|port| taken.contains(port)) {
            faults
                .add(&ports.at, format!("port {port} is that of another entrant: expected ports of its own"));
        }
        taken.extend(ports.value);
    }
    let name = name.unwrap_or_default();
    let joining = JoiningEntrant { name: name.clone(), ports: ports.map(|ports| ports.value) };
    Entrant { name, strategies: vec![joining.to_string()] }
}

/// Adds an entrant; reports a name that an earlier one has.
fn add_entrant(entrants: &mut Vec<Entrant>, entrant: Entrant, at: &Range<usize>, faults: &mut Faults<'_>) {
    let is_same = |other: &Entrant| other.name == entrant.name && !entrant.name.is_empty();
    if let Some(place) = entrants.iter().position(is_same) {
        let (name, number) = (fit_for_a_log(&entrant.name), place + 1);
        let expected = "give each entrant a `name` of its own";
        faults.add(at, format!("entrant {number} is called `{name}` as well: {expected}"));
    }
    entrants.push(entrant);
}

/// Returns an entrant that is a command.
fn read_command(
    table: &mut Table<'_>,
    room: Option<&NetworkRoom>,
    faults: &mut Faults<'_>,
) -> Option<CommandEntrant> {
    let run = table.texts("command", faults);
    let folder = table.text("folder", faults);
    let confine = table.flag_or("confine", Confine::NAMESPACES, faults);
    let may_read = table.texts("may_read", faults);
    let memory = table.whole("memory_mib", CommandEntrant::LEAST_MEMORY_MIB..=1_048_576, faults);
    let processes = table.whole("processes", 1..=10_000, faults);
    let run = run?;
    for word in &run.value {
        if let Some(room) = room.filter(|room| !room.has_server) {
            if let Some(found) = CommandEntrant::placeholder([word.value]) {
                let game = room.game;
                let why = "its programs have no server and no team, and speak on standard input and output";
                faults.add(&word.at, format!("the placeholder `{found}` in a command of {game}: {why}"));
            }
        } else if let Some(unknown) = CommandEntrant::unknown_placeholder([word.value]) {
            let known = or_list(PLACEHOLDERS);
            faults.add(&word.at, format!("unknown placeholder `{unknown}`: expected {known}"));
        }
        if word.value.contains('\0') {
            faults.add(&word.at, "a word of a command cannot hold the character U+0000");
        }
    }
    if run.value.first().is_none_or(|program| program.value.is_empty()) {
        faults.add(&run.at, "`command` is empty: expected a program and its arguments");
    }
    let texts = |texts: Vec<Placed<&str>>| texts.iter().map(|text| text.value.to_owned()).collect::<Vec<_>>();
    let mut entrant = CommandEntrant::new(texts(run.value));
    entrant.folder = folder.map_or(entrant.folder, |folder| folder.value.to_owned());
    entrant.confine = match confine {
        None => Confine::No,
        Some(Some(is_confined)) => is_confined.into(),
        Some(None) => Confine::Namespaces,
    };
    entrant.may_read = may_read.map_or_else(Vec::new, |may_read| texts(may_read.value));
    entrant.memory_mib = memory.map_or(entrant.memory_mib, |memory| memory.value);
    entrant.processes =
        processes.and_then(|most| u16::try_from(most.value).ok()).unwrap_or(entrant.processes);
    Some(entrant)
}
