//! The server of Eriantys: matches of two players with expert rules, one after another. In each, one player has the
//! turn.
//!
//! After each choice both players receive the choice and the whole table, some kilobytes. These clients skip tables
//! and make the first choice that a question offers, so that a match takes no time that the server does not need.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use game_env::Seed;
use reference_gm::archive::Archive;
use reference_gm::eriantys::page::Room;
use reference_gm::eriantys::{Master, Settings};
use reference_gm::journal::{Journal, Sync};
use reference_gm::server::Server;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use wire::eriantys::request::{
    ChooseCloud, EntranceToDining, EntranceToIsland, LoginAnyMatch, LoginNickname, LoginTowerColor,
    LoginWizardFamily, MotherNatureStep, PlayHelperCard, Pong,
};
use wire::eriantys::words::RuleSet;
use wire::eriantys::{Decoder, Message as _, NOTICE_LIMIT, Notice, Request};

use super::{Failure, LIMITS, Watch, tokens};

/// The beginning of lines that hold a whole table.
const TABLE: &str = "{\"type\":\"TableUpdate\"";

pub(super) fn measure(connections: usize, measured: Duration, sync: Sync) -> Result<Vec<Duration>, Failure> {
    let make = move |path: &std::path::Path| -> Result<Server<Room>, Failure> {
        let (journal, _) = Journal::open(path, sync)?;
        let settings = Settings { seed: Seed::new(7), matches_per_hour: u32::MAX, ..Settings::default() };
        let archive = Archive::start(&path.join("matches"))?;
        Ok(Server::new(Master::new(settings, tokens()), journal, archive, LIMITS))
    };
    super::measure(make, connections, measured, play)
}

/// Plays match after match, each on a connection of its own, as the server wants it.
async fn play(
    number: usize,
    server: SocketAddr,
    stream: TcpStream,
    watch: Watch,
) -> Result<Vec<Duration>, Failure> {
    let mut answers = Vec::new();
    let mut stream = stream;
    while play_match(number, stream, &watch, &mut answers).await? {
        stream = tcp::dial(server).await?;
    }
    Ok(answers)
}

/// Plays one match; whether there is time for another one.
async fn play_match(
    number: usize,
    stream: TcpStream,
    watch: &Watch,
    answers: &mut Vec<Duration>,
) -> Result<bool, Failure> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    let (mut sent, mut out) = (None, Vec::new());
    while let Some(line) = lines.next_line().await? {
        if line.starts_with(TABLE) {
            continue;
        }
        let mut decoder = Decoder::<Notice>::new(NOTICE_LIMIT);
        let notice = decoder.next(&mut format!("{line}\n").as_bytes()).ok_or("the line is empty")??;
        let request: Request = match notice {
            // Only the player that was asked chooses, so the next choice that is sent to all is its own.
            Notice::PlayerAction(_) => {
                if let Some(sent) = sent.take()
                    && !watch.take(sent, answers)
                {
                    return Ok(false);
                }
                continue;
            }
            Notice::Ping(_) => Pong {}.into(),
            Notice::LoginMatchOptions(_) => LoginAnyMatch { players: 2, rules: RuleSet::Expert }.into(),
            Notice::RequestNickname(_) => {
                LoginNickname { nickname: format!("p{number}").parse()?, token: None }.into()
            }
            Notice::LoginTowerColorOptions(options) => {
                LoginTowerColor { color: *options.colors.first().ok_or("no colour is free")? }.into()
            }
            Notice::LoginWizardFamilyOptions(options) => {
                LoginWizardFamily { family: *options.families.first().ok_or("no wizard is free")? }.into()
            }
            question => {
                let Some(choice) = first_choice(&question) else { continue };
                sent = Some(Instant::now());
                choice
            }
        };
        if watch.is_over() {
            return Ok(false);
        }
        out.clear();
        request.write(&mut out);
        write.write_all(&out).await?;
    }
    Ok(!watch.is_over())
}

/// The first choice that a question offers; nothing if it is no question. Characters are left alone.
fn first_choice(question: &Notice) -> Option<Request> {
    Some(match question {
        Notice::PlayableHelperCard(question) => {
            PlayHelperCard { card: (*question.cards.first()?).into() }.into()
        }
        Notice::RequestStudent(question) => match question.dining.first() {
            Some(color) => EntranceToDining { color: *color }.into(),
            None => EntranceToIsland { color: *question.colors.first()?, island: 1 }.into(),
        },
        Notice::RequestMotherNatureStep(_) => MotherNatureStep { steps: 1 }.into(),
        Notice::RequestCloud(question) => ChooseCloud { cloud: (*question.clouds.first()?).into() }.into(),
        _ => return None,
    })
}
