//! The program: its output, the places of its output, and its exit codes.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use insta::assert_snapshot;
use tcp::ReservedPort;
use wire::frame;

/// Longest time for anything that must happen.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The program, to be run in a folder of its own.
pub(crate) fn cs(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cs"));
    command.args(arguments).current_dir(folder).env_remove("RUST_LOG");
    command
}

/// Runs it to its end, and returns its exit code and its output.
fn outcome(folder: &Path, arguments: &[&str]) -> String {
    let output = cs(folder, arguments).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.stdout.is_empty());
    format!("exit code {}\n{said}", output.status.code().unwrap())
}

/// Starts it on free ports; its one line, and where it listens.
pub(crate) fn started(folder: &Path, arguments: &[&str]) -> (Child, String, Vec<SocketAddr>) {
    let mut command = cs(folder, &["--port-agentow", "0", "--port-gm", "0"]);
    let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let addresses =
        line.split_whitespace().filter_map(|word| word.trim_end_matches(',').parse().ok()).collect();
    (child, line, addresses)
}

/// A connection whose reads fail when nothing comes.
fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.set_write_timeout(Some(TIMEOUT)).unwrap();
    stream
}

/// Returns its answer to Prometheus.
pub(crate) fn metrics(address: SocketAddr) -> String {
    ask(address, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

fn ask(address: SocketAddr, question: &str) -> String {
    let mut stream = connect(address);
    stream.write_all(question.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Waits for its end, and gives its exit code and everything it logged, without times.
fn end(mut child: Child) -> (i32, String) {
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code().unwrap(), without_times(&said))
}

fn without_times(log: &str) -> String {
    log.lines().map(|line| line.split_once(' ').unwrap().1.trim_start().to_owned() + "\n").collect()
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    assert!(
        Command::new("sh").args(["-c", &format!("kill {name} {}", child.id())]).status().unwrap().success()
    );
}

#[cfg(unix)]
#[test]
fn it_says_in_one_line_where_it_listens_and_ends_by_signal() {
    for name in ["-INT", "-TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let (child, line, addresses) = started(folder.path(), &[]);
        let [agents, gm] = addresses[..] else { panic!("{line}") };
        assert_eq!(line, format!("cs: agents on {agents}, game master on {gm}\n"));
        let mut agent = TcpStream::connect(agents).unwrap();
        let mut bytes = Vec::new();
        frame::write(br#"{"messageID":3}"#, &mut bytes).unwrap();
        frame::write(b"\xff no JSON", &mut bytes).unwrap();
        agent.write_all(&bytes).unwrap();
        // The answer shows that the message was served.
        let mut told = vec![0; 2];
        agent.read_exact(&mut told).unwrap();
        signal(&child, name);
        agent.read_to_end(&mut told).expect("an agent is told by a closed connection");
        assert!(String::from_utf8_lossy(&told).contains(r#"{"messageID":905,"agentID":1,"#));
        drop(agent);
        let (code, log) = end(child);
        assert_eq!(code, 0);
        assert!(log.ends_with("INFO stopped: closing all connections\n"), "{log}");
        let files: Vec<_> = fs::read_dir(folder.path().join("logs")).unwrap().collect();
        let written = fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
        assert_eq!(without_times(&written), log, "the file has what the console has");
    }
}

/// A paused terminal or a pipe that nobody reads.
#[cfg(unix)]
#[test]
fn an_unread_console_stops_nobody() {
    // More than any pipe and the queue of lines hold.
    const LINES: usize = 12_000;
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--max-log-lines-per-second", "100000", "--max-invalid-messages", "1000000"];
    let (mut child, _, addresses) = started(folder.path(), &arguments);
    let mut gm = connect(addresses[1]);
    let mut faulty = connect(addresses[0]);
    let mut valid = Vec::new();
    frame::write(br#"{"messageID":6,"agentID":0}"#, &mut valid).unwrap();
    let mut invalid = Vec::new();
    frame::write(&[b'~'; 200], &mut invalid).unwrap();
    faulty.write_all(&[&valid[..], &invalid.repeat(LINES), &valid].concat()).unwrap();
    // A message behind all the lines is passed on.
    for _ in 0..2 {
        let mut passed_on = [0; 29];
        gm.read_exact(&mut passed_on).unwrap();
        assert_eq!(passed_on[2..], *br#"{"messageID":6,"agentID":1}"#);
    }
    drop((gm, faulty));
    signal(&child, "-TERM");
    let stderr = child.stderr.take();
    let (sender, ended) = mpsc::channel();
    let id = child.id();
    thread::spawn(move || sender.send(child.wait()));
    let ended = ended.recv_timeout(TIMEOUT);
    if ended.is_err() {
        Command::new("sh").args(["-c", &format!("kill -KILL {id}")]).status().unwrap();
    }
    drop(stderr);
    ended.expect("the program ends although nobody reads its standard error").unwrap();
    let files: Vec<_> = fs::read_dir(folder.path().join("logs")).unwrap().collect();
    let written = fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
    assert!(
        written.contains(" lines were not written to the console, which is too slow"),
        "it says what is lost"
    );
}

#[test]
fn a_lost_game_master_is_an_exit_code_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    for (last_words, expected) in [(&b"\x02"[..], 3), (b"", 0)] {
        let (child, _, addresses) = started(folder.path(), &["--log-directory", ""]);
        let mut gm = TcpStream::connect(addresses[1]).unwrap();
        let mut bytes = Vec::new();
        frame::write(br#"{"messageID":104,"agentID":1}"#, &mut bytes).unwrap();
        gm.write_all(&[&bytes, last_words].concat()).unwrap();
        drop(gm);
        assert_eq!(end(child).0, expected);
    }
    assert!(!folder.path().join("logs").exists());
}

/// The system closes a killed program's connection as it closes that of one that ends: only messages tell.
#[test]
fn a_game_master_that_is_gone_before_the_end_of_the_game_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    for (message, expected) in [(105, 3), (104, 0)] {
        let (child, _, addresses) = started(folder.path(), &["--log-directory", ""]);
        let mut gm = connect(addresses[1]);
        let mut agent = connect(addresses[0]);
        let mut bytes = Vec::new();
        frame::write(br#"{"messageID":6,"agentID":0}"#, &mut bytes).unwrap();
        agent.write_all(&bytes).unwrap();
        gm.read_exact(&mut bytes).unwrap();
        bytes.clear();
        frame::write(format!(r#"{{"messageID":{message},"agentID":1}}"#).as_bytes(), &mut bytes).unwrap();
        gm.write_all(&bytes).unwrap();
        drop(gm);
        agent.read_to_end(&mut bytes).unwrap();
        drop(agent);
        let (code, log) = end(child);
        assert_eq!(code, expected, "{log}");
        assert_eq!(log.contains("before the game had ended"), expected == 3, "{log}");
    }
}

/// The hint names the port that was chosen.
#[test]
fn an_agent_at_the_game_masters_port_does_not_end_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, _, addresses) = started(folder.path(), &["--log-directory", ""]);
    let mut lost = connect(addresses[1]);
    let mut bytes = Vec::new();
    frame::write(br#"{"messageID":6,"agentID":0}"#, &mut bytes).unwrap();
    lost.write_all(&bytes).unwrap();
    let mut told = Vec::new();
    lost.read_to_end(&mut told).unwrap();
    let told = String::from_utf8_lossy(&told);
    let hint = format!("agents connect to port {}", addresses[0].port());
    assert!(told.contains(&hint), "{told}");
    let from = lost.local_addr().unwrap().to_string();
    drop(lost);
    let mut line = String::new();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    while !line.contains(&hint) {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the log ended");
    }
    assert!(line.contains(&from), "{line}");
    // The next one may be the game master.
    let mut gm = connect(addresses[1]);
    connect(addresses[0]).write_all(&bytes).unwrap();
    gm.read_exact(&mut bytes).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn metrics_are_served_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let reserved = ReservedPort::new().unwrap();
    let port = reserved.number();
    let arguments = ["--metrics-port", &port.to_string(), "--log-directory", ""];
    let (mut child, line, addresses) = started(folder.path(), &arguments);
    assert!(line.ends_with(&format!(", metrics on 127.0.0.1:{port}\n")), "{line}");
    let answer = metrics(addresses[2]);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
    assert!(body.contains("# TYPE cs_agents gauge\ncs_agents 0\n"), "{body}");
    assert!(ask(addresses[2], "POST / HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with("HTTP/1.1 405 "));
    // The name of another site that points to this machine.
    let foreign = ask(addresses[2], "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert!(foreign.starts_with("HTTP/1.1 403 ") && !foreign.contains("cs_agents"), "{foreign}");
    // The server does not wait for clients that send nothing.
    let silent: Vec<TcpStream> = (0..20).map(|_| connect(addresses[2])).collect();
    assert!(metrics(addresses[2]).contains("cs_agents 0\n"));
    drop(silent);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_port_in_use_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let arguments = ["--port-agentow", "0", "--port-gm", &port, "--log-directory", ""];
    let said = outcome(folder.path(), &arguments).replace(&port, "PORT");
    // The system's words for it differ.
    let (start, rest) = said.split_once("PORT: ").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    assert_snapshot!(format!("{start}PORT: …\n{rest}"), @"
    exit code 1
    error: cannot listen for the game master on 127.0.0.1:PORT: …
    hint: end the program that has port PORT, or choose another port with --port-gm
    ");
}

#[test]
fn an_address_of_another_machine_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    // An address of documentation (RFC 5737): no machine has it.
    let said = outcome(folder.path(), &["--listen", "192.0.2.1", "--log-directory", ""]);
    // The system's words for it differ.
    let (start, rest) = said.split_once("3727: ").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    assert_snapshot!(format!("{start}3727: …\n{rest}"), @"
    exit code 1
    error: cannot listen for agents on 192.0.2.1:3727: …
    hint: this machine has no such address; --listen 0.0.0.0 takes all that it has
    ");
}

#[test]
fn the_log_level_is_chosen_by_flag() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [(&["--log", "debug"][..], true), (&[], false), (&["--log", "warn"], false)]
    {
        let (child, _, addresses) = started(folder.path(), &[&["--log-directory", ""], arguments].concat());
        drop(connect(addresses[0]));
        let mut gm = connect(addresses[1]);
        let mut bytes = Vec::new();
        frame::write(br#"{"messageID":104,"agentID":1}"#, &mut bytes).unwrap();
        gm.write_all(&bytes).unwrap();
        drop(gm);
        let (_, log) = end(child);
        assert_eq!(log.contains("DEBUG agent 1 ("), expected, "{arguments:?}: {log}");
        assert_eq!(log.is_empty(), arguments.contains(&"warn"), "{arguments:?}: {log}");
    }
    assert_snapshot!(outcome(folder.path(), &["--log", "loud"]), @r#"
    exit code 2
    error: the configuration cannot be used
      log = "loud": it names no lines of the log; allowed: "error", "warn", "info", "debug", "trace" or "off", or directives as in RUST_LOG
    hint: `cs --help` has each parameter with its default
    "#);
}

/// A file's keys and values are printed and not obeyed.
#[test]
fn what_a_file_says_disturbs_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = "{\"\\u001b[2J\": 1, \"listen\": \"\u{202e}\u{2028}\"}";
    fs::write(folder.path().join("cs.json"), file).unwrap();
    let said = outcome(folder.path(), &["--config", "cs.json"]);
    assert!(said.contains(r"\u{1b}[2J = 1: "), "{said}");
    assert!(said.contains(r#"listen = "\u{202e}\u{2028}""#), "{said}");
    assert!(said.chars().all(|letter| letter == '\n' || !letter.is_control()), "{said}");
}

#[test]
fn faults_of_file_and_flags_are_named_together() {
    let folder = tempfile::tempdir().unwrap();
    let file = r#"{"portAgent": 3727, "maxMessageBytes": 100000, "gmWaitMs": 10}"#;
    fs::write(folder.path().join("cs.json"), file).unwrap();
    let arguments = ["--config", "cs.json", "--listen", "here", "--max-connections", "-1"];
    assert_snapshot!(outcome(folder.path(), &arguments), @r#"
    exit code 2
    error: the configuration cannot be used
      portAgent = 3727: unknown parameter; allowed: perhaps `portAgentow`
      listen = "here": it is no address; allowed: an IPv4 or IPv6 address in quotes
      maxConnections = -1: it is too small; allowed: a whole number from 1 to 1000000
      maxMessageBytes = 100000: it is too large; allowed: a whole number from 64 to 65535
    hint: `cs --help` has each parameter with its default
    "#);
    // A flag is over the file, also where the file is wrong.
    let arguments = ["--config", "cs.json", "--max-message-bytes", "9000"];
    assert!(!outcome(folder.path(), &arguments).contains("maxMessageBytes"));
}

#[test]
fn a_file_that_is_no_configuration_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_snapshot!(outcome(folder.path(), &["--config", "absent.json"]), @"
    exit code 2
    error: cannot read absent.json: No such file or directory (os error 2)
    hint: name another file with --config
    ");
    fs::write(folder.path().join("list.json"), "[1]").unwrap();
    assert_snapshot!(outcome(folder.path(), &["--config", "list.json"]), @"
    exit code 2
    error: cannot read list.json: invalid type: sequence, expected an object of numbers, flags and texts at line 1 column 0
    hint: a file is one JSON object, e.g. {\"portAgentow\": 3727}
    ");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    assert_snapshot!(outcome(folder.path(), &["--log-directory", "file/logs"]), @"
    exit code 1
    error: no log can be written: the folder `file/logs`: Not a directory (os error 20)
    hint: choose another folder with --log-directory, or none with --log-directory ''
    ");
}

#[test]
fn the_help_is_as_its_readers_know_it() {
    let output = cs(Path::new("."), &["--help"]).output().unwrap();
    assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}

#[test]
fn the_port_without_further_words_is_that_for_agents() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for flag in ["--port", "--port-agents", "--port-agentow"] {
        let said = outcome(folder.path(), &[flag, &port, "--port-gm", "0", "--log-directory", ""]);
        assert!(said.contains(&format!("cannot listen for agents on 127.0.0.1:{port}")), "{said}");
    }
}

#[test]
fn completions_and_manual_pages_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let output = cs(folder.path(), &["completions", "bash"]).output().unwrap();
    let script = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && script.contains("--max-message-bytes"), "{script}");
    assert!(cs(folder.path(), &["man", "."]).output().unwrap().status.success());
    let page = fs::read_to_string(folder.path().join("cs.1")).unwrap();
    assert!(page.contains("max\\-message\\-bytes"), "{page}");
}

#[test]
fn the_help_names_every_parameter_with_its_default() {
    let output = cs(Path::new("."), &["--help"]).output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    for parameter in &cs::config::PARAMETERS {
        assert!(help.contains(&format!("--{} <VALUE>", command_line::flag(parameter))), "{help}");
        assert!(help.contains(&format!("[file: {}; default: {}]", parameter.name, parameter.default)));
    }
}
