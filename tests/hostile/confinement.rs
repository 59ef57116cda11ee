//! Attacks of confined players on the referee, their guards, their opponents and the traces of their work.
//!
//! The system calls that confinement stops are tested with `child-process`, attack by attack. Here a player makes the
//! attacks of a tournament, under each kind of confinement that this system and this user have.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::bricks::{HONEST, Tournament, player, shown};
use super::peer::DEADLINE;
use super::{Attack, Bench, Run};

/// Every attack of confined players.
pub(super) const ATTACKS: &[Attack] = &[Attack {
    name: "confined-players",
    what: "a confined player sets limits of its guard, changes rights of the opponents' files, reads and writes them, \
           leaves a daemon, and then plays on",
    stays: "every duel ends by the rules; the rights of all files; no process is left; output and logs say how \
            players were confined",
    peak_mib: 96,
    run: Run::Own(confined_players),
}];

/// Makes its attacks, plays like an honest player if all were stopped, and otherwise answers with a wrong word.
/// `{daemon}` is a number of seconds that no other process waits for.
const HOSTILE: &str = "setsid sleep {daemon} >/dev/null 2>&1 </dev/null &
for try in 'prlimit --pid '$PPID' --nofile=0:0' 'chmod 777 ../Ada' 'chmod 777 ../Bob/player.sh' 'chmod 777 .' \
  'cat ../Ada/player.sh' 'touch ../Ada/player.sh' 'cp player.sh copy.sh' 'cat /proc/net/tcp'; do
  if [ \"$try\" = 'cat /proc/net/tcp' ] && [ \"$(hostname 2>/dev/null)\" = player ]; then continue; fi
  if $try >/dev/null 2>&1; then read -r opening; echo \"$try\"; exit 1; fi
done
";

fn confined_players(bench: &Bench<'_>) -> Result<String> {
    child_process::check_confinement().map_err(anyhow::Error::msg)?;
    let mut notes = Vec::new();
    // Root's players are others users, which get to a closed folder without namespaces only.
    for (name, rights) in [("closed", 0o700), ("open", 0o755)] {
        let folder = bench.folder.join(name);
        fs::create_dir(&folder)?;
        for path in [bench.folder, &folder] {
            fs::set_permissions(path, Permissions::from_mode(rights))?;
        }
        notes.push(tournament(bench, &folder).with_context(|| name.to_owned())?);
    }
    Ok(notes.join(", "))
}

/// Plays a tournament in this folder, and returns how its players were confined.
fn tournament(bench: &Bench<'_>, folder: &Path) -> Result<&'static str> {
    let players = folder.join("players");
    // Unlike that of any other process, so that the daemon is recognised.
    let daemon = format!("{}.{}", 100_000 + std::process::id(), folder.as_os_str().len());
    let hostile = HOSTILE.replace("{daemon}", &daemon) + HONEST;
    for (nick, script) in [("Ada", HONEST), ("Bob", HONEST), ("hostile", &hostile)] {
        player(players.join(nick), nick, script)?;
    }
    let rights = |nick: &str| -> Result<[u32; 2]> {
        let of = |path: &Path| Ok::<_, std::io::Error>(path.metadata()?.permissions().mode());
        Ok([of(&players.join(nick))?, of(&players.join(nick).join("player.sh"))?])
    };
    let before = ["Ada", "Bob", "hostile"].map(rights);
    let played = Tournament::play(bench, folder, &["confine=always", "graceMs=20"])?;
    ensure!(played.duels.len() == 6, "{} duels were played", played.duels.len());
    for duel in &played.duels {
        // By the rules, the second player wins.
        let [_, second, winner, told] = duel;
        ensure!(winner == second && told.ends_with("won normally!"), "{duel:?}");
    }
    for (nick, before) in ["Ada", "Bob", "hostile"].into_iter().zip(before) {
        ensure!(rights(nick)? == before?, "the rights of the files of {nick} have changed");
    }
    ensure!(!is_running(&daemon)?, "a daemon of a player has survived");
    let is_told = played.ended.complaint().contains("warning: programs are confined without namespaces: ");
    let log = bench.start("league").args(["log", &shown(&played.store), "1"]).run(DEADLINE)?;
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    let is_recorded = log.contains("confinement: programs are confined without namespaces: ");
    ensure!(is_told == is_recorded, "output and log disagree: {log}");
    Ok(if is_told { "without namespaces" } else { "in namespaces" })
}

/// Returns whether a process has this word in its command.
fn is_running(word: &str) -> Result<bool> {
    for entry in fs::read_dir("/proc")? {
        let command = fs::read(entry?.path().join("cmdline")).unwrap_or_default();
        if command.split(|byte| *byte == 0).any(|own| own == word.as_bytes()) {
            return Ok(true);
        }
    }
    Ok(false)
}
