//! Plays duels and tournaments, and prints what came of them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use child_process::{Command, Ended, Guard};
use game_bricks::State;
use game_env::notation::escape_hidden;
use game_env::replay::{Header, Player};
use game_env::{Environment as _, Measured as _, Millis, Seed, TeamId};
use jiff::Timestamp;
use reference_gm::bricks::config::{BricksConfig, Mode};
use reference_gm::bricks::duel::{self, Gate, Played};
use reference_gm::bricks::entrants::Entrant;
use reference_gm::bricks::program::command;
use reference_gm::bricks::results::{Duel, Results, message, table};
use reference_gm::bricks::standings::schedule;
use reference_gm::keyboard::Keyboard;
use reference_gm::link::{Command as Key, Order};
use reference_gm::recorder::Recorder;
use reference_gm::signals;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, watch};
use viewer::matches::{Matches, Opening};
use viewer::server::{Place, ServerLimits, ViewerServer};
use wire::bricks::Reason;

use super::options::{BricksMisuse, Options};
use crate::program::hosting::drawn_seed;
use crate::program::{complain, print};

/// All that duels are played with.
pub(super) struct Host {
    config: BricksConfig,
    seed: Seed,
    entrants: Vec<Entrant>,
    commands: Vec<Command>,
    is_confined: bool,
    guard: Guard,
    start: State,
}

/// What is open while duels are played.
struct Session {
    gate: Gate,
    stop: watch::Receiver<bool>,
    keyboard: Option<Keyboard>,
    page: Option<(ViewerServer, Matches<State>)>,
}

impl Session {
    /// Keeps the page for those who look at it, until somebody ends the program.
    async fn finish(mut self, stays: bool) {
        let Some((page, _)) = self.page else { return };
        if stays || self.keyboard.is_some() {
            let how = if self.keyboard.is_some() { "q stops" } else { "a signal stops" };
            complain(&format!("the page stays: {}, {how}", page.url()));
            let _ = self.stop.wait_for(|stop| *stop).await;
        }
        page.close("the referee has ended");
    }
}

impl Host {
    pub(super) fn new(config: BricksConfig, entrants: Vec<Entrant>) -> Result<Self> {
        let rules = &config.programs;
        let (is_confined, why_not) = duel::is_confined(rules.confine)
            .map_err(|error| BricksMisuse(format!("{error}\nhint: `--set confine=never` plays without")))?;
        if let Some(why) = why_not {
            complain(&format!("warning: players' programs can read and write all that you can: {why}"));
        }
        let commands = entrants.iter().map(|one| command(one, rules, is_confined)).collect();
        let guard = Guard::of_this_program().context("this program does not know its own path")?;
        let seed = config.seed.unwrap_or_else(|| drawn_seed(Timestamp::now()));
        let start = State::new(&config.game, seed);
        Ok(Self { config, seed, entrants, commands, is_confined, guard, start })
    }

    fn runtime() -> Result<Runtime> {
        // A program that floods its standard error keeps one of them busy.
        Builder::new_multi_thread().worker_threads(2).enable_all().build().context("the runtime cannot start")
    }

    /// Plays one duel of these players, with this number on the page.
    async fn play(
        &self,
        number: usize,
        players: [usize; 2],
        session: &mut Session,
        mut recorder: Recorder,
    ) -> Result<(Option<Duel>, Played, Option<PathBuf>)> {
        let player =
            |place: u8| Player::new(TeamId::new(place), &self.entrants[players[usize::from(place)]].nick);
        let game = &self.config.game;
        let header = Header::new::<State>(game, self.seed, (0..2).map(player).collect(), PROGRAM);
        recorder.begin(&header)?;
        let mut meter = self.start.meter();
        let commands = players.map(|player| self.commands[player].clone());
        let live = session.page.as_ref().map(|(_, matches)| {
            matches.open(Opening {
                title: format!("Duel {number}"),
                config: game.clone(),
                seed: self.seed,
                players: (0..2).map(player).collect(),
                people: Vec::new(),
            })
        });
        let mut witness = (&mut recorder, &mut meter, live);
        let played = duel::play(
            &self.guard,
            self.config.settings,
            self.start.clone(),
            &commands,
            &mut session.gate,
            &mut session.stop,
            &mut witness,
        );
        let played = played.await?;
        if played.programs.iter().all(Option::is_none) {
            // Nothing was started: the witness has not heard of the end.
            game_env::Witness::end(&mut witness, &played.state, played.state.clock());
        }
        if let Reason::CannotStart(_) = played.verdict.reason
            && self.is_confined
        {
            complain(
                "hint: players' programs can read nothing but their own folders and the system's programs; \
                 `--set mayRead=PATH` adds a path, `--set confine=never` lets them read everything",
            );
        }
        let duel = Duel::new(players, &self.start, &played, &meter);
        Ok((duel, played, recorder.finish()?))
    }

    pub(super) fn duel(&self, replay: Option<&Path>, options: &Options) -> Result<ExitCode> {
        let recorder = replay.map(Recorder::create).transpose()?.unwrap_or_default();
        let place = options.place()?;
        Self::runtime()?.block_on(async {
            let mut session = self.session(place)?;
            complain(&self.about());
            let (duel, played, replay) = self.play(1, [0, 1], &mut session, recorder).await?;
            if let Some(path) = &replay {
                complain(&format!("the replay is {}", path.display()));
            }
            for (place, ended) in played.programs.iter().enumerate() {
                self.tell_errors(place, ended.as_ref());
            }
            let Some(duel) = duel else {
                complain("the duel was stopped: nobody has won");
                return Ok(ExitCode::FAILURE);
            };
            print(&if options.json { self.document(&duel) } else { self.text(&duel, &played) })?;
            session.finish(options.stay).await;
            Ok(ExitCode::SUCCESS)
        })
    }

    pub(super) fn tournament(&self, folder: &Path, options: &Options) -> Result<ExitCode> {
        let results = Results::create(folder, self.entrants.clone(), &self.config, self.seed, PROGRAM);
        let mut results = results.map_err(|error| match error {
            error @ reference_gm::bricks::results::ResultsError::NotEmpty(_) => {
                BricksMisuse(format!("{error}\nhint: choose another one with --results")).into()
            }
            error => anyhow!(error),
        })?;
        let duels: Vec<[usize; 2]> = schedule(self.entrants.len()).collect();
        let place = options.place()?;
        Self::runtime()?.block_on(async {
            let mut session = self.session(place)?;
            let (players, count) = (self.entrants.len(), duels.len());
            complain(&format!("{}; {players} players, {count} duels", self.about()));
            let is_complete = self.play_all(&duels, &mut results, &mut session).await?;
            results.finish()?;
            complain(&format!("the results are in {}", folder.display()));
            if !is_complete {
                complain(&format!("stopped after {} of {count} duels", results.duels().len()));
            }
            let text = || table(&results.standings(), &self.entrants);
            print(&if options.json { format!("{:#}\n", results.document()) } else { text() })?;
            session.finish(options.stay).await;
            Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        })
    }

    /// Plays all duels of a tournament; whether it was not stopped.
    async fn play_all(
        &self,
        duels: &[[usize; 2]],
        results: &mut Results,
        session: &mut Session,
    ) -> Result<bool> {
        for (place, players) in duels.iter().enumerate() {
            let number = place + 1;
            let recorder = Recorder::create(&results.next_replay())?;
            let (duel, ..) = self.play(number, *players, session, recorder).await?;
            let Some(duel) = duel else { return Ok(false) };
            let [first, second] = players.map(|player| escape_hidden(&self.entrants[player].nick));
            let told = escape_hidden(&message(&duel.result, &self.entrants));
            let (seconds, count, bricks) = (duel.took.as_secs_f64(), duels.len(), duel.bricks.len());
            complain(&format!(
                "{number} of {count}: {first} – {second}: {told} ({bricks} bricks, {seconds:.1} s)"
            ));
            results.add(duel)?;
        }
        Ok(true)
    }

    /// Opens what duels are played with: keys, signals, the page.
    fn session(&self, place: Option<Place>) -> Result<Session> {
        let (stop, stopped) = watch::channel(false);
        let signal = signals::stop().context("cannot install signal handlers")?;
        let by_signal = stop.clone();
        tokio::spawn(async move {
            signal.await;
            by_signal.send_replace(true);
        });
        let (pressed, mut keys) = mpsc::channel(16);
        let keyboard = Keyboard::open(pressed).context("the keyboard cannot be read")?;
        // A key that comes before the next move can begin is meant for it.
        let (next, moves) = mpsc::channel(1);
        tokio::spawn(async move {
            while let Some(order) = keys.recv().await {
                match order {
                    Order::Command(Key::Stop) => {
                        stop.send_replace(true);
                    }
                    Order::Command(Key::Start) => {
                        let _ = next.try_send(());
                    }
                    _ => {}
                }
            }
        });
        let gate = match self.config.mode {
            Mode::Automatic(pace) => Gate::Open(pace),
            Mode::ByHand if keyboard.is_none() => {
                let hint = "start it in a terminal, or leave `--mode hand` out";
                return Err(BricksMisuse(format!("mode = hand needs a keyboard\nhint: {hint}")).into());
            }
            Mode::ByHand => {
                complain("press Enter for the next move, q to stop");
                Gate::Closed(moves)
            }
        };
        let page = place.map(|place| {
            let (page, matches, mut requests) =
                ViewerServer::matches::<State>(place, ServerLimits::default())
                    .context("the page cannot be served")?;
            // Nothing is offered, so that nobody asks for anything.
            tokio::spawn(async move { while requests.recv().await.is_some() {} });
            complain(&format!("the page is at {}", page.url()));
            Ok::<_, anyhow::Error>((page, matches))
        });
        Ok(Session { gate, stop: stopped, keyboard, page: page.transpose()? })
    }

    /// The board and the rules of this host, for people.
    fn about(&self) -> String {
        let (game, start) = (&self.config.game, &self.start);
        let size = game.size();
        let cells = usize::from(size) * usize::from(size);
        let filled = match cells - start.board().free_cells().count() {
            0 => String::new(),
            1 => ", 1 cell filled".to_owned(),
            count => format!(", {count} cells filled"),
        };
        let torus = if game.is_torus() { " torus" } else { "" };
        let limit = game.limit().map_or("no limit".to_owned(), |limit: Millis| limit.to_string());
        let (seed, dialect) = (self.seed, self.config.settings.dialect);
        format!("{size}×{size}{torus} cells{filled}, {limit} a move, dialect {dialect}, seed {seed}")
    }

    fn tell_errors(&self, place: usize, ended: Option<&Ended>) {
        if let Some(ended) = ended.filter(|ended| !ended.errors.is_empty()) {
            let nick = escape_hidden(&self.entrants[place].nick);
            complain(&format!("standard error of {nick}:\n{}", ended.errors.to_string().trim_end()));
        }
    }

    /// The result of a duel for people.
    fn text(&self, duel: &Duel, played: &Played) -> String {
        let nicks = duel.result.players.map(|player| escape_hidden(&self.entrants[player].nick));
        let mut text = String::new();
        if usize::from(self.config.game.size()) <= WIDEST_DRAWN {
            use game_env::Notation as _;
            text += &format!("{}\n", played.state.scene());
        }
        text += &format!("{}\n\n", escape_hidden(&message(&duel.result, &self.entrants)));
        let width = nicks.iter().map(|nick| nick.chars().count()).max().unwrap_or_default().max(6);
        text += &format!("{:<width$}  bricks  longest move\n", "player");
        let metric =
            |name: &str, player: usize| duel.metrics.get(name).and_then(|values| values.get(player)).copied();
        for (place, nick) in nicks.iter().enumerate() {
            let [bricks, longest] =
                ["bricks", "longest_move_ms"].map(|name| metric(name, place).unwrap_or_default());
            text += &format!("{nick:<width$}  {bricks:>6}  {longest:>9} ms\n");
        }
        text
    }

    fn document(&self, duel: &Duel) -> String {
        let nick = |player: usize| &self.entrants[player].nick;
        let [first, second] = duel.result.players.map(nick);
        let longest = duel.metrics.get("longest_move_ms").map(<[f64]>::to_vec);
        let end = |ended: &Option<Ended>| ended.as_ref().map(Ended::to_string);
        let errors = |ended: &Option<Ended>| ended.as_ref().map(|ended| ended.errors.to_string());
        let document = json!({
            "first": first,
            "second": second,
            "winner": nick(duel.result.winner()),
            "letter": duel.result.letter().to_string(),
            "message": message(&duel.result, &self.entrants),
            "seed": self.seed.to_string(),
            "opening": duel.opening,
            "bricks": duel.bricks,
            "longest_move_ms": longest,
            "seconds": duel.took.as_secs_f64(),
            "programs": duel.programs.iter().map(end).collect::<Vec<_>>(),
            "stderr": duel.programs.iter().map(errors).collect::<Vec<_>>(),
        });
        format!("{document:#}\n")
    }
}

const PROGRAM: &str = concat!("reference-gm ", env!("CARGO_PKG_VERSION"));

/// The widest board that is drawn in a terminal, in cells.
const WIDEST_DRAWN: usize = 25;
