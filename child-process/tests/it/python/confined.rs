//! Children that may read their own folder and connect to one port.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;

use child_process::{Confinement, Isolation, check_confinement};

use crate::harness::{interpreter, open_folder, python, run};

/// A program that tries several acts, and prints the result of each on a line.
const TRIES: &str = "
import os, socket, subprocess, sys
def tries(what, act):
    try:
        act()
        print(what, 'done')
    except OSError as error:
        print(what, error.strerror.split(' (')[0])
tries('own', lambda: open('own.txt').read())
tries('passwd', lambda: open('/etc/passwd').read())
tries('other', lambda: open(sys.argv[3]).read())
tries('write', lambda: open('new.txt', 'w'))
tries('temporary', lambda: open('/tmp/child-process-confined', 'w'))
tries('port', lambda: socket.create_connection(('127.0.0.1', int(sys.argv[1]))))
tries('elsewhere', lambda: socket.create_connection(('127.0.0.1', int(sys.argv[2]))))
tries('listen', lambda: socket.create_server(('127.0.0.1', 0)))
tries('shell', lambda: print(subprocess.run(['cat', '/etc/passwd'], capture_output=True).returncode, end=' '))
";

const CONFINED: &str = "own done
passwd Permission denied
other Permission denied
write Permission denied
temporary Permission denied
port done
elsewhere Permission denied
listen Permission denied
1 shell done
";

#[tokio::test]
async fn a_confined_child_reaches_its_folder_and_its_port_alone() {
    if let Err(reason) = check_confinement() {
        eprintln!("left out: a_confined_child_reaches_its_folder_and_its_port_alone: {reason}");
        return;
    }
    let isolation = Isolation::Filters;
    let (folder, other) = (open_folder(), open_folder());
    fs::write(folder.path().join("own.txt"), "").unwrap();
    let secret = other.path().join("secret.txt");
    fs::write(&secret, "").unwrap();
    let [port, elsewhere] = [(); 2].map(|()| TcpListener::bind(("127.0.0.1", 0)).unwrap());
    let number = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let library = PathBuf::from(&interpreter().1);
    let mut program = python(TRIES);
    let words = [number(&port).to_string(), number(&elsewhere).to_string(), secret.display().to_string()];
    program.arguments.extend(words.map(Into::into));
    program.folder = folder.path().to_owned();
    program.confinement =
        Some(Confinement { isolation, port: Some(number(&port)), may_read: vec![library.clone()] });
    let ended = run(&program).await;
    assert_eq!((ended.output.to_string().as_str(), ended.errors.to_string().as_str()), (CONFINED, ""));
    // The same program outside: every try succeeds, so that it is the confinement that forbids.
    program.confinement = None;
    let free = run(&program).await.output.to_string();
    assert_eq!(free.lines().filter(|line| line.ends_with("done")).count(), 9, "{free}");
    fs::remove_file("/tmp/child-process-confined").unwrap();
    // With the secret file allowed and no port: the file can be read, the port is refused.
    program.confinement = Some(Confinement { isolation, port: None, may_read: vec![library, secret] });
    let output = run(&program).await.output.to_string();
    assert!(output.contains("other done\n") && output.contains("port Permission denied\n"), "{output}");
}
