//! Every attacker at once, beside one honest game: bots against bots, and an agent a team that counts its answers.
//!
//! The game is as long as the attack: its penalties are stretched until the same game on a virtual clock takes
//! longer. When the attackers have gone, memory and descriptors have to be back where they were, and the game has
//! to be played to its end.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use game_env::Seed;
use game_project::Team;

use super::attackers::{self, Attacker, Siege, Tally};
use super::comes_to_rest;
use super::game::{Master, Rules, Server, Target};
use super::peer::{DEADLINE, Honest, Record};
use super::program::{Program, Programs, Usage};

/// A long attack.
pub struct Plan {
    /// The programs.
    pub programs: Programs,
    /// Time for which the attackers go on.
    pub length: Duration,
    /// Seed of the game, and of everything that attackers may choose.
    pub seed: Seed,
}

/// All attackers.
const ATTACKERS: &[Attacker] = &[
    Attacker { name: "flood", count: 10, act: attackers::flood },
    Attacker { name: "flood of moves", count: 2, act: attackers::flood_moves },
    Attacker { name: "deaf flood", count: 2, act: attackers::deaf_flood },
    Attacker { name: "questions", count: 2, act: attackers::questions },
    Attacker { name: "invalid messages", count: 3, act: attackers::invalid_messages },
    Attacker { name: "log lines", count: 1, act: attackers::log_lines },
    Attacker { name: "silent agents", count: 3, act: attackers::silent_agents },
    Attacker { name: "come and go", count: 2, act: attackers::come_and_go },
    Attacker { name: "scripts of bots", count: 2, act: attackers::scripts },
    Attacker { name: "second master", count: 2, act: attackers::second_master },
    Attacker { name: "silent metrics", count: 20, act: attackers::silent_metrics },
    Attacker { name: "slow downloads", count: 40, act: attackers::slow_download },
    Attacker { name: "downloads", count: 2, act: attackers::downloads },
    Attacker { name: "kept alive", count: 100, act: attackers::kept_alive },
    Attacker { name: "deaf viewer", count: 40, act: attackers::deaf_viewer },
    Attacker { name: "board noise", count: 4, act: attackers::board_noise },
];

/// Agents of a team: two bots, one that counts, three places for attackers.
const TEAM_SIZE: usize = 6;

/// Bots of a team.
const BOTS: usize = 2;

/// Largest resident memory of each program, in MiB.
const PEAK_MIB: u64 = 512;

/// Memory that a program may hold at rest beyond its memory before, in KiB: memory that allocators keep, and the game
/// master's messages for viewers who come late.
const REST_KIB: u64 = 192 << 10;

/// Observations of a long attack.
pub struct Report {
    /// By kind of attacker: its name, the number of attackers, and the counts of their connections and bytes.
    pub attackers: Vec<(&'static str, usize, Tally)>,
    /// The agents that count their answers, beside the attackers.
    pub beside: Vec<Record>,
    /// The same after the attackers had gone.
    pub after: Vec<Record>,
    /// By program: its usage before, when the attackers had gone, and the largest memory in MiB.
    pub programs: Vec<(&'static str, Usage, Usage, u64)>,
    /// Duration of the game.
    pub game: Duration,
}

/// State of an attack that goes on.
pub struct Progress {
    /// Time since the attackers came.
    pub elapsed: Duration,
    /// Honest requests, and answers to them.
    pub honest: (u64, u64),
    /// The 99th percentile of honest answers so far.
    pub slowest: Duration,
    /// The communication server at present.
    pub server: Usage,
    /// The game master at present.
    pub master: Usage,
}

/// Time between two reports of progress.
const TOLD: Duration = Duration::from_secs(5);

/// Lets everyone attack one game, and plays it to its end.
///
/// # Errors
///
/// The first thing that was lost, or that has cost too much.
pub fn attack(plan: &Plan, mut tell: impl FnMut(&Progress)) -> Result<Report> {
    let folder = tempfile::tempdir()?;
    let replay = folder.path().join("game.replay").display().to_string();
    let config = folder.path().join("gm.json");
    let config_path = config.display().to_string();
    let factor = stretch(plan, &config_path)?;
    fs::write(&config, configuration(factor))?;

    let rules = Rules { log_is_unread: true, ..Rules::PLAIN };
    let server = Server::start(&plan.programs, 4096, &rules)?;
    let seed = plan.seed.to_string();
    let team_size = format!("teamSize={TEAM_SIZE}");
    let words = ["--config", &config_path, "--replay", &replay, "--seed", &seed, "--set", &team_size];
    let master = Master::start(&plan.programs, 4096, server.gm, &words.map(str::to_owned))?;
    let honest: Vec<_> = Team::ALL.map(|team| Honest::start(server.agents, team)).into();
    for agent in &honest {
        agent.wait_until(DEADLINE, "a place in the game", |record| record.has_joined)?;
    }
    let bots = Team::ALL.map(|team| bots(plan, &server, team));
    let bots: Vec<Program> = bots.into_iter().collect::<Result<_>>()?;
    for team in &bots {
        team.wait_for_line(&format!("agent {BOTS} of {BOTS}"), DEADLINE).context("the bots do not join")?;
    }
    let before = [server.program.usage()?, master.program.usage()?];

    let target = Target {
        programs: plan.programs.clone(),
        agents: server.agents,
        gm: server.gm,
        metrics: server.metrics,
        board: master.board.clone(),
    };
    let siege = Siege::in_bursts(&target, ATTACKERS, plan.seed);
    let began = Instant::now();
    // The operator gets through all of them, now and at the end of the attack.
    let started =
        master.board.ask("POST", "/start", DEADLINE).context("the operator cannot start the game")?;
    ensure!(started.status == 204, "the operator's POST /start was answered {}", started.status);
    for agent in &honest {
        agent.wait_until(DEADLINE, "the start", |record| record.has_begun)?;
    }
    while began.elapsed() < plan.length {
        let left = plan.length.saturating_sub(began.elapsed());
        for agent in &honest {
            let answered = agent.record().answered;
            agent.wait_for_answers(1, DEADLINE)?;
            // Until it is time to tell, or a fault ends it.
            let _ = agent.wait_until(left.min(TOLD) / 2, "", |record| record.is_closed && answered > 0);
            ensure!(!agent.record().is_closed, "the game ended before the attack");
        }
        let records: Vec<_> = honest.iter().map(Honest::record).collect();
        tell(&Progress {
            elapsed: began.elapsed(),
            honest: sums(&records),
            slowest: records.iter().map(|record| record.quantile(0.99)).max().unwrap_or_default(),
            server: server.program.usage().context("the communication server")?,
            master: master.program.usage().context("the game master")?,
        });
    }
    let locked = master.board.ask("POST", "/start", DEADLINE).context("the operator's request")?;
    ensure!(locked.status == 409, "the operator's POST /start was answered {}", locked.status);
    let tallies = siege.stop()?;
    let beside: Vec<_> = honest.iter().map(Honest::record).collect();
    honest.iter().for_each(Honest::forget_delays);
    for agent in &honest {
        agent.wait_for_answers(300, DEADLINE)?;
    }
    let after: Vec<_> = honest.iter().map(Honest::record).collect();

    let mut programs = Vec::new();
    for (name, program, before) in
        [("cs", &server.program, before[0]), ("reference-gm", &master.program, before[1])]
    {
        let rest = comes_to_rest(program, before.descriptors, before.resident_kib + REST_KIB)
            .with_context(|| name.to_owned())?;
        let peak = program.peak_mib();
        ensure!(peak <= PEAK_MIB, "{name} took {peak} MiB, allowed are {PEAK_MIB}");
        programs.push((name, before, rest, peak));
    }

    // The game is played on by the bots until a team has won.
    let longest = plan.length * 2 + Duration::from_secs(120);
    for team in &bots {
        let status = team.wait_for_end(longest).context("the bots do not come to an end")?;
        let (out, err) = team.output();
        let said = String::from_utf8_lossy(&out);
        ensure!(
            status.success() && said.matches("\"end\": \"over\"").count() == BOTS,
            "bots ended with {status}: {said}{}",
            String::from_utf8_lossy(&err)
        );
    }
    let game = began.elapsed();
    for agent in &honest {
        agent.wait_until(DEADLINE, "the end of the game", |record| record.is_over)?;
    }
    let (asked, answered) = sums(&honest.iter().map(Honest::record).collect::<Vec<_>>());
    ensure!(asked == answered, "{} honest answers were lost", asked - answered);
    for (name, program) in [("reference-gm", &master.program), ("cs", &server.program)] {
        let status = program.wait_for_end(DEADLINE).context(name)?;
        ensure!(status.code() == Some(0), "{name} ended with {status}");
    }
    let verified = plan.programs.start("reference-gm").args(["verify", &replay]).run(DEADLINE * 6)?;
    ensure!(verified.code == Some(0), "the replay does not match its record: {}", verified.complaint());
    let attackers = ATTACKERS.iter().map(|attacker| (attacker.name, attacker.count)).zip(tallies);
    let attackers = attackers.map(|((name, count), tally)| (name, count, tally)).collect();
    Ok(Report { attackers, beside, after, programs, game })
}

fn sums(records: &[Record]) -> (u64, u64) {
    records.iter().fold((0, 0), |sum, record| (sum.0 + record.asked, sum.1 + record.answered))
}

fn bots(plan: &Plan, server: &Server, team: Team) -> Result<Program> {
    let (address, team, count) = (server.agents.to_string(), team.to_string(), BOTS.to_string());
    let words = ["join", &address, "--strategy", "greedy", "--team", &team, "--agents", &count, "--json"];
    plan.programs.start("bots").args(words).spawn()
}

/// A game master's configuration with penalties of this many tenths of the usual ones.
fn configuration(tenths: u64) -> String {
    let penalty = |usual: u64| (usual * tenths / 10).min(3_600_000);
    format!(
        r#"{{"boardX": 24, "boardY": 30, "goalAreaHeight": 6, "numberOfGoals": 40, "numberOfPieces": 24,
            "shamPieceProbability": 0.2, "movePenalty": {}, "putPenalty": {}, "checkForShamPenalty": {},
            "destroyPiecePenalty": {}, "discoveryPenalty": 10, "informationExchangePenalty": 0}}"#,
        penalty(100),
        penalty(100),
        penalty(100),
        penalty(100),
    )
}

/// Returns the factor, in tenths, by which penalties are to be stretched for a game that outlasts the attack.
fn stretch(plan: &Plan, config: &str) -> Result<u64> {
    fs::write(config, configuration(10))?;
    let (seed, size) = (plan.seed.to_string(), format!("teamSize={BOTS}"));
    let words = ["--virtual", "--json", "--strategy", "greedy", "--config", config, "--seed", &seed];
    let played = plan.programs.start("bots").args(words).args(["--set", &size]).run(DEADLINE * 6)?;
    ensure!(played.code == Some(0), "the game cannot be played in advance: {}", played.complaint());
    let document: serde_json::Value = serde_json::from_slice(&played.stdout)?;
    let Some(usual @ 1..) = document["time_ms"].as_u64() else { bail!("no time in {document}") };
    let wanted = u64::try_from(plan.length.as_millis())? * 11 / 10;
    Ok((wanted * 10).div_ceil(usual).max(1))
}
