//! The program of a server, and clients over TCP.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::run::program;

/// A program that is killed when its test ends, also if the test fails.
pub(crate) struct Program(pub(crate) Child);

impl Deref for Program {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Program {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that runs.
pub(crate) struct Server {
    process: Program,
    address: String,
}

impl Server {
    /// Starts the server of a game with these flags, on any free port.
    pub(crate) fn start(game: &str, flags: &[&str], folder: &Path) -> Self {
        let mut process = program(folder, &[game, "serve", "--port", "0", "--seed", "7", "--log", "error"])
            .args(flags)
            .arg("--folder")
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split(' ').nth(3).unwrap().trim_end_matches(',').to_owned();
        Self { process: Program(process), address }
    }

    /// Ends the server in order.
    pub(crate) fn stop(mut self) {
        kill_process(Pid::from_child(&self.process), Signal::TERM).unwrap();
        assert!(self.process.wait().unwrap().success());
    }

    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// A client that sends and reads lines.
pub(crate) struct Lines(BufReader<TcpStream>);

impl Lines {
    pub(crate) fn connect(server: &Server) -> Self {
        let stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self(BufReader::new(stream))
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    /// The next line with its end; none if the connection is closed.
    pub(crate) fn read(&mut self) -> Option<String> {
        let mut line = String::new();
        (self.0.read_line(&mut line).unwrap() > 0).then_some(line)
    }
}
