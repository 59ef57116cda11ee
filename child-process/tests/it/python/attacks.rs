//! The table of attacks. Each is tried without confinement first, where it succeeds.

use std::fs::{self, Permissions};
use std::io::Read as _;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::Stdio;

use child_process::{Command, Confinement, Ended, How, Isolation, Limits, Stop, Stream};

use crate::harness::{POLITE, check_gone, command, first_line, interpreter, open_folder, run, spawn};

/// An attack of a program, and its result.
struct Attack {
    name: &'static str,
    /// Python code that ends with an exception if the attack fails. It may print its findings.
    code: &'static str,
    /// Its output under [`Isolation::Filters`]: nothing if it is stopped.
    filters: Option<&'static str>,
    /// The same in namespaces.
    namespaces: Option<&'static str>,
    /// Whether it succeeds without confinement, on every Linux and for every user.
    works_free: bool,
}

/// An attack that confinement of both kinds stops.
const fn stopped(name: &'static str, code: &'static str) -> Attack {
    Attack { name, code, filters: None, namespaces: None, works_free: true }
}

/// The same; without confinement, the system may forbid it as well.
const fn stopped_here(name: &'static str, code: &'static str) -> Attack {
    Attack { works_free: false, ..stopped(name, code) }
}

/// An attack that only namespaces stop.
const fn only_namespaces(name: &'static str, code: &'static str) -> Attack {
    Attack { filters: Some(""), ..stopped(name, code) }
}

/// The names are those of the table in the book's page on confinement.
const ATTACKS: [Attack; 44] = [
    // Other processes.
    stopped("limits of another process", "resource.prlimit(victim, resource.RLIMIT_NPROC, (9, 9))"),
    stopped("cores of another process", "os.sched_setaffinity(victim, os.sched_getaffinity(0))"),
    stopped("priority of another process", "os.setpriority(os.PRIO_PROCESS, victim, 19)"),
    stopped("disk priority of another process", "call(251, 1, victim, 3 << 13)"),
    stopped("a signal to another process", "os.kill(victim, signal.SIGCONT)"),
    stopped_here("the memory of another process", "open('/proc/%d/mem' % victim, 'rb')"),
    stopped_here("tracing another process", "call(101, 16, victim, 0, 0)"),
    stopped_here("a file that another process has open", "call(438, os.pidfd_open(victim), 0, 0)"),
    // Files.
    stopped("reading a file", "open(other + '/secret.txt').read()"),
    stopped("writing a file", "open(other + '/secret.txt', 'a')"),
    stopped("truncating a file", "os.truncate(other + '/secret.txt', 0)"),
    stopped("removing a file", "os.unlink(other + '/removed.txt')"),
    stopped("rights of a file", "os.chmod(other + '/secret.txt', 0o666)"),
    stopped("rights of a folder", "os.chmod(other, 0o777)"),
    stopped("owner of a file", "os.chown(other + '/secret.txt', -1, -1)"),
    stopped("times of a file", "os.utime(other + '/secret.txt')"),
    stopped("watching a folder", "call(254, call(294, 0), other.encode(), 0xfff)"),
    stopped("a new file in its folder", "open('new.txt', 'w')"),
    stopped("rights of its own folder", "os.chmod('.', 0o777)"),
    stopped(
        "a lease on a file",
        "fcntl.fcntl(os.open('own.txt', os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)",
    ),
    only_namespaces("size and time of a file", "os.stat(other + '/secret.txt')"),
    // Networks.
    stopped("TCP to another port", "socket.create_connection(('127.0.0.1', port))"),
    stopped_here(
        "MPTCP to another port",
        "socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).connect(('127.0.0.1', port))",
    ),
    stopped(
        "TCP Fast Open to another port",
        "socket.socket().sendto(b'x', socket.MSG_FASTOPEN, ('127.0.0.1', port))",
    ),
    stopped(
        "TCP Fast Open by an option",
        "fast = socket.socket(); fast.setsockopt(6, 30, 1); fast.connect(('127.0.0.1', port))",
    ),
    stopped("UDP", "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', udp))"),
    stopped("listening at a port", "socket.create_server(('127.0.0.1', 0))"),
    stopped("listening without a port", "socket.socket().listen()"),
    stopped("a Unix socket with a file", "socket.socket(socket.AF_UNIX).connect(other + '/socket')"),
    stopped("a Unix socket with a name", "socket.socket(socket.AF_UNIX).connect(b'\\0' + name.encode())"),
    stopped_here("sockets of virtual machines", "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)"),
    stopped_here("raw sockets", "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"),
    Attack {
        // The first line is a heading. The program has a network of its own, with nobody in it.
        namespaces: Some("0"),
        ..stopped("the list of connections", "print(len(open('/proc/self/net/tcp').readlines()) - 1)")
    },
    // Memory and other means of the system.
    stopped("files in memory", "os.memfd_create('a')"),
    stopped("SysV memory", "call(31, call(29, 0, 4096, 0o1600), 0, 0)"),
    stopped("SysV semaphores", "call(66, call(64, 0, 1, 0o1600), 0, 0)"),
    stopped("shared memory without a file", "mmap.mmap(-1, 4096)"),
    stopped_here("message queues", "call(240, b'a', os.O_CREAT | os.O_RDWR, 0o600, 0)"),
    stopped(
        "larger buffers of sockets",
        "socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)",
    ),
    stopped_here("a namespace of users", "call(272, 0x10000000)"),
    stopped_here("io_uring", "call(425, 1, b'\\0' * 120)"),
    stopped_here("keys of the kernel", "call(250, 0, -3, 1)"),
    stopped("calls of x32", "call(0x40000000 + 39)").without_x32(),
    stopped_here("the kernel's log", "call(103, 10, 0, 0)"),
];

impl Attack {
    /// Few kernels have these calls; for the others, the attack fails everywhere.
    const fn without_x32(self) -> Self {
        Self { works_free: false, ..self }
    }
}

/// The beginning of all attacks. System calls that Python does not have are made by their numbers on x86-64.
const PRELUDE: &str = "
import ctypes, fcntl, mmap, os, resource, signal, socket, sys
victim, port, udp = map(int, sys.argv[1:4])
other, name = sys.argv[4:6]
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *(one if isinstance(one, bytes) else ctypes.c_long(one) for one in arguments))
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
";

/// A program in Python in a folder of its own. Every user may enter the folder.
fn program(code: &str, folder: &Path, isolation: Option<Isolation>) -> Command {
    let (python, library) = interpreter();
    let mut program = command(&[python, "-I", "-S", "-B", "-u", "-c", code]);
    program.folder = folder.to_owned();
    program.confinement =
        isolation.map(|isolation| Confinement { isolation, port: None, may_read: vec![library.into()] });
    program
}

/// Makes every attack, and compares the result with the table.
pub(super) async fn check_all(isolation: Isolation) {
    let (folder, other) = (open_folder(), open_folder());
    fs::write(folder.path().join("own.txt"), "").expect("it can be written");
    let port = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let udp = UdpSocket::bind(("127.0.0.1", 0)).expect("a port");
    let socket = other.path().join("socket");
    let _with_file = UnixListener::bind(&socket).expect("a socket");
    let name = format!("child-process-{}-{isolation:?}", std::process::id());
    let _with_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).expect("a short name"))
        .expect("a socket");
    let mut victim = std::process::Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("`cat` starts");
    let words = [
        victim.id().to_string(),
        port.local_addr().expect("an address").port().to_string(),
        udp.local_addr().expect("an address").port().to_string(),
        other.path().display().to_string(),
        name,
    ];
    let mut faults = Vec::new();
    for attack in &ATTACKS {
        let prepare = || {
            // Readable for every user: the rights of files must not be the obstacle to an attack.
            for file in ["secret.txt", "removed.txt"] {
                fs::write(other.path().join(file), "secret").expect("it can be written");
                fs::set_permissions(other.path().join(file), Permissions::from_mode(0o666))
                    .expect("its owner may do this");
            }
            fs::set_permissions(&socket, Permissions::from_mode(0o777)).expect("its owner may do this");
        };
        let code = format!("{PRELUDE}{}", attack.code);
        let made = async |isolation| {
            prepare();
            let mut program = program(&code, folder.path(), isolation);
            program.arguments.extend(words.iter().map(Into::into));
            run(&program).await
        };
        let succeeded =
            |ended: &Ended| (ended.how == How::Exited(0)).then(|| ended.output.to_string().trim().to_owned());
        let expected = match isolation {
            Isolation::Filters => attack.filters,
            Isolation::Namespaces => attack.namespaces,
        };
        let ended = made(Some(isolation)).await;
        // The attack is stopped by an error of the system, and not by a fault of its own.
        let is_refused = ended.errors.to_string().contains("Error: [Errno ");
        if succeeded(&ended).as_deref() != expected || (expected.is_none() && !is_refused) {
            faults.push(format!("{}: expected {expected:?}: {ended:?}", attack.name));
        }
        if attack.works_free {
            let ended = made(None).await;
            if succeeded(&ended).is_none() {
                faults.push(format!("{} without confinement: {ended:?}", attack.name));
            }
        }
    }
    drop(victim.stdin.take());
    victim.wait().expect("it ends");
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// Checks that processes that have ended and were never waited for are counted.
pub(super) async fn check_zombies(isolation: Isolation) {
    let code = "
import os, time
for _ in range(200):
    if os.fork() == 0: os._exit(0)
print('made')
time.sleep(1000)
";
    let folder = open_folder();
    let mut program = program(code, folder.path(), Some(isolation));
    program.limits = Limits { processes: 20, ..Limits::default() };
    let ended = run(&program).await;
    assert_eq!(ended.stop, Some(Stop::Processes), "{ended:?}");
}

/// Checks that nothing is left of a program that starts daemons, and has taken files from its guard if it could.
pub(super) async fn check_survivors(isolation: Isolation) {
    let code = "
import os, resource, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for above in (os.getppid(), 1):
    try: resource.prlimit(above, resource.RLIMIT_NOFILE, (0, 0))
    except OSError: pass
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(1000)
    os._exit(0)
os.wait()
print('ready')
while True: time.sleep(1000)
";
    let folder = open_folder();
    let mut program = program(code, folder.path(), Some(isolation));
    program.output = Stream::Piped;
    program.grace = std::time::Duration::from_millis(50);
    let mut child = spawn(&program).await;
    first_line(&mut child).await;
    let below = below(child.guard_id());
    // The program and its daemon, at least.
    assert!(below.len() >= 2, "{below:?}");
    child.stop();
    let ended = crate::harness::ended(&mut child).await;
    assert_eq!(ended.stop, Some(Stop::Killed), "{ended:?}");
    below.iter().for_each(|id| check_gone(id));
}

/// The ids of all processes below one.
fn below(head: u32) -> Vec<String> {
    let children = |id: &str| {
        let mut text = String::new();
        if let Ok(mut file) = fs::File::open(format!("/proc/{id}/task/{id}/children")) {
            let _ = file.read_to_string(&mut text);
        }
        text.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut found = children(&head.to_string());
    let mut next = 0;
    while let Some(id) = found.get(next) {
        let more = children(id);
        found.extend(more);
        next += 1;
    }
    found
}

/// Checks that a program that is asked to end does so in its own way, and that its exit code and signals are reported.
pub(super) async fn check_ends(isolation: Isolation) {
    let folder = open_folder();
    let mut polite = program(POLITE, folder.path(), Some(isolation));
    polite.output = Stream::Piped;
    let mut child = spawn(&polite).await;
    first_line(&mut child).await;
    child.stop();
    let ended = crate::harness::ended(&mut child).await;
    let told = (ended.how.clone(), ended.stop, ended.errors.to_string());
    assert_eq!(told, (How::Exited(7), Some(Stop::Asked), "leaving\n".into()));
    let code = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)";
    assert_eq!(run(&program(code, folder.path(), Some(isolation))).await.how, How::Signalled(11));
    let mut absent = program("", folder.path(), Some(isolation));
    absent.program = "./no-such-program".into();
    let How::NotStarted(reason) = run(&absent).await.how else { panic!("it does not exist") };
    assert!(reason.starts_with("`./no-such-program`: No such file"), "{reason}");
}

/// Checks that nobody, or a user like it, can be harmed as root can: the tests run again as that user if they run as
/// root.
pub(super) fn check_as_nobody(module: &str) {
    use std::os::unix::process::CommandExt as _;

    const NOBODY: u32 = 65534;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    // Not by its path, which this user may not enter.
    let mut tests = std::process::Command::new("/proc/self/exe");
    tests.arg(format!("python::{module}::")).env("TMPDIR", "/tmp").current_dir("/").uid(NOBODY).gid(NOBODY);
    let output = tests.output().expect("they start");
    let told =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success() && told.contains(" passed"), "{told}");
}
