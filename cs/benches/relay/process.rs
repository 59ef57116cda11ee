//! The servers as processes: their cores, their addresses, and their costs.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{self, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

/// The unit of processor time in `/proc`: the kernel's USER_HZ, 100 a second on every platform of Linux.
const TICK: Duration = Duration::from_millis(10);

/// A server that ends with this value.
pub(crate) struct Child {
    process: process::Child,
    /// The addresses on which it listens, from its first line.
    pub(crate) addresses: Vec<SocketAddr>,
}

impl Child {
    /// The communication server of this build, or another program that is one.
    pub(crate) fn cs(program: Option<&str>) -> Result<Self> {
        let any_port = ["--port-agentow=0", "--port-gm=0", "--log-directory=", "--gm-wait-ms=3600000"];
        Self::start(program.unwrap_or(env!("CARGO_BIN_EXE_cs")), &any_port, "1")
    }

    /// Agents that flood a server, beside the load.
    pub(crate) fn flood(server: SocketAddr, agents: usize) -> Result<Self> {
        let arguments = [format!("--flood={server}"), format!("--flooders={agents}")];
        let own = std::env::current_exe()?;
        let own = own.to_str().context("the path of this program is no text")?;
        Self::start(own, &arguments.each_ref().map(String::as_str), "0")
    }

    /// A server that is this program.
    pub(crate) fn own(arguments: &[&str]) -> Result<Self> {
        let own = std::env::current_exe()?;
        Self::start(own.to_str().context("the path of this program is no text")?, arguments, "1")
    }

    fn start(program: &str, arguments: &[&str], core: &str) -> Result<Self> {
        let mut command = if can_pin() {
            let mut command = Command::new("taskset");
            command.args(["-c", core, program]);
            command
        } else {
            Command::new(program)
        };
        // Without the lines about agents that come and go.
        command.args(arguments).env("RUST_LOG", "warn");
        let mut process = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no output")?).read_line(&mut line)?;
        let addresses: Vec<SocketAddr> =
            line.split_whitespace().filter_map(|word| word.trim_end_matches(',').parse().ok()).collect();
        if addresses.is_empty() {
            bail!("{program} says `{line}` instead of its addresses");
        }
        Ok(Self { process, addresses })
    }

    /// The processor time that it has used.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id())).ok()?;
        // The second field is a name in brackets that may contain spaces; fields 14 and 15 are the times.
        let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(11);
        let ticks: u32 = fields.next()?.parse::<u32>().ok()? + fields.next()?.parse::<u32>().ok()?;
        Some(TICK * ticks)
    }

    /// The memory that it has.
    pub(crate) fn resident_bytes(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Puts this process on the core that servers are not on; whether that was possible.
pub(crate) fn pin_self() -> bool {
    can_pin()
        && Command::new("taskset")
            .args(["-c", "-p", "0", &process::id().to_string()])
            .stdout(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
}

/// Returns whether there are two cores and a program to choose between them. The number of cores is that of the
/// system, since this process is on one of them later.
fn can_pin() -> bool {
    use std::sync::OnceLock;
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        thread::available_parallelism().is_ok_and(|cores| cores.get() > 1)
            && Command::new("taskset").arg("--version").stdout(Stdio::null()).status().is_ok()
    })
}
