//! The system calls that a confined program may not make, as seccomp filters.
//!
//! Landlock decides about files, TCP ports and signals. These filters refuse calls that Landlock does not see: other
//! kinds of sockets, limits and priorities of other processes, owners and times of files, and memory that no limit
//! counts. A call that is not in the table is allowed: runtimes of all languages run.

use std::collections::BTreeMap;

use libc::{
    AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, F_NOTIFY, F_SETLEASE, IPPROTO_TCP, MAP_ANONYMOUS, MAP_SHARED,
    MAP_SHARED_VALIDATE, MSG_FASTOPEN, PRIO_PROCESS, SO_RCVBUF, SO_RCVBUFFORCE, SO_SNDBUF, SO_SNDBUFFORCE,
    SOCK_STREAM, SOL_SOCKET, TCP_FASTOPEN, TCP_FASTOPEN_CONNECT, c_int, c_long,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter, sock_filter,
};

use crate::command::Isolation;

/// The filters of a process; the kernel asks all of them.
pub(super) struct Filters(Vec<BpfProgram>);

/// The process that the filters are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    /// The first process of a namespace, and the launcher in it, which may still have to listen for the caller.
    FirstProcess,
    /// The program.
    Program(Isolation),
}

impl Filters {
    /// Returns the filters for this process.
    pub(super) fn new(subject: Subject) -> Result<Self, String> {
        let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|_| {
            format!("there is no filter for processors of the kind {}", std::env::consts::ARCH)
        })?;
        let unknown = with(&UNKNOWN, &[]);
        let programs = [(unknown, libc::ENOSYS), (refused(subject)?, libc::EPERM)];
        let program = |(rules, error): (Rules, c_int)| {
            let refusal = SeccompAction::Errno(error.unsigned_abs());
            let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, arch)?;
            BpfProgram::try_from(filter)
        };
        let mut programs = programs.map(program).into_iter().collect::<Result<Vec<_>, _>>();
        if cfg!(target_arch = "x86_64") {
            programs.iter_mut().flatten().for_each(|program| drop(program.splice(0..0, NO_X32)));
        }
        programs.map(Self).map_err(|error| format!("the filter of system calls cannot be built: {error}"))
    }

    /// Sets the filters for this process and all that it starts.
    pub(super) fn apply(&self) -> Result<(), String> {
        let applied = self.0.iter().try_for_each(|program| apply_filter(program));
        applied.map_err(|error| format!("the kernel does not take the filter of system calls: {error}"))
    }

    /// Returns each filter as the bytes of its instructions.
    pub(super) fn bytes(&self) -> impl Iterator<Item = Vec<u8>> {
        let instruction = |instruction: &sock_filter| {
            let sock_filter { code, jt, jf, k } = *instruction;
            let [low, high] = code.to_ne_bytes();
            let [first, second, third, fourth] = k.to_ne_bytes();
            [low, high, jt, jf, first, second, third, fourth]
        };
        self.0.iter().map(move |program| program.iter().flat_map(instruction).collect())
    }
}

/// Checks that the kernel has filters of system calls.
pub(super) fn check() -> Result<(), String> {
    let actions = std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
    if !actions.split_ascii_whitespace().any(|action| action == "errno") {
        return Err("this kernel has no filters of system calls: \
                    a Linux with seccomp (CONFIG_SECCOMP_FILTER) is needed"
            .to_owned());
    }
    Filters::new(Subject::Program(Isolation::Filters)).map(drop)
}

/// For each call the cases in which it is refused; without a case, always.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Refuses the calls of the x32 interface, whose numbers are those of other calls with this bit.
const NO_X32: [sock_filter; 3] = [
    // Load the number of the call; skip the next instruction if it is below; refuse.
    sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 },
    sock_filter { code: 0x35, jt: 0, jf: 1, k: 0x4000_0000 },
    sock_filter { code: 0x06, jt: 0, jf: 0, k: 0x0005_0000 | libc::ENOSYS.unsigned_abs() },
];

/// Calls that are answered as by a kernel that does not have them: libraries then do without. The flags of `clone3` are
/// in memory, where no filter reads them; `io_uring` makes other calls unseen; no limit counts the memory
/// of files in memory.
const UNKNOWN: [c_long; 6] = [
    libc::SYS_clone3,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Calls that are refused always.
const REFUSED: [c_long; 69] = [
    // Memory and state of other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_perf_event_open,
    // Memory that belongs to no process, and queues.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semop,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // Namespaces, mounts, and other roots.
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // Owners, rights, times and attributes of files, which Landlock does not protect.
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
    // Watches of files: their number is that of the user.
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    // Parts of the kernel that no game needs.
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_syslog,
    libc::SYS_quotactl,
    libc::SYS_acct,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_kexec_load,
];

/// Calls with the same purpose that only this kind of processor has.
#[cfg(target_arch = "x86_64")]
const OLD: [c_long; 9] = [
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_inotify_init,
    libc::SYS_uselib,
    libc::SYS_modify_ldt,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: [c_long; 0] = [];

/// Calls that `libc` does not name yet; from number 424 on, all processors have the same.
const SYS_FCHMODAT2: c_long = 452;
const SYS_SETXATTRAT: c_long = 463;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_FILE_SETATTR: c_long = 469;

/// New namespaces, as flags of `clone` and `unshare`: time, mounts, control groups, host name, IPC, users, processes,
/// network.
const NEW_NAMESPACES: [u64; 8] =
    [0x80, 0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];

/// The bits of a socket's type that are not flags, and the greatest type.
const SOCKET_TYPE: u64 = 0xf;

/// The bits of a mapping's flags that say whether it is shared.
const MAP_TYPE: u64 = 0xf;

/// Returns the calls that are refused, with their cases.
fn refused(subject: Subject) -> Result<Rules, String> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};

    let mut rules = with(&REFUSED, &OLD);
    let mut add = |call: c_long, cases: &[&[(u8, SeccompCmpOp, u64)]]| {
        let case = |case: &&[(u8, SeccompCmpOp, u64)]| {
            let condition = |(place, operation, value): &(u8, SeccompCmpOp, u64)| {
                // The kernel takes these arguments as 32 bits, whatever the size of the others.
                SeccompCondition::new(*place, SeccompCmpArgLen::Dword, operation.clone(), *value)
            };
            SeccompRule::new(case.iter().map(condition).collect::<Result<_, _>>()?)
        };
        let cases = cases.iter().map(case).collect::<Result<Vec<_>, seccompiler::BackendError>>();
        rules.insert(call, cases.map_err(|error| format!("a rule of the filter is invalid: {error}"))?);
        Ok::<(), String>(())
    };
    let number = |value: c_int| u64::from(value.unsigned_abs());
    // Limits of others. 0 is the process itself.
    add(libc::SYS_prlimit64, &[&[(0, Ne, 0)]])?;
    // TCP, and the kernel's table of addresses, which some runtimes read before they connect.
    let [inet, inet6, netlink] = [AF_INET, AF_INET6, AF_NETLINK].map(number);
    let mut cases: Vec<Vec<_>> = vec![
        vec![(0, Ne, inet), (0, Ne, inet6), (0, Ne, netlink)],
        vec![(0, Ne, netlink), (2, Ne, 0), (2, Ne, number(IPPROTO_TCP))],
        vec![(0, Eq, netlink), (2, Ne, number(libc::NETLINK_ROUTE))],
    ];
    let other_types = (0..=SOCKET_TYPE).filter(|kind| *kind != number(SOCK_STREAM));
    cases.extend(other_types.map(|kind| vec![(0, Ne, netlink), (1, MaskedEq(SOCKET_TYPE), kind)]));
    add(libc::SYS_socket, &cases.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
    add(libc::SYS_socketpair, &[&[(0, Ne, number(AF_UNIX))]])?;
    // TCP Fast Open connects without the call that Landlock checks.
    let fast_open = number(MSG_FASTOPEN);
    add(libc::SYS_sendto, &[&[(3, MaskedEq(fast_open), fast_open)]])?;
    add(libc::SYS_sendmsg, &[&[(2, MaskedEq(fast_open), fast_open)]])?;
    add(libc::SYS_sendmmsg, &[&[(3, MaskedEq(fast_open), fast_open)]])?;
    // Buffers of sockets hold memory that no limit counts.
    let buffers = [SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE, SO_RCVBUFFORCE].map(|option| (SOL_SOCKET, option));
    let options =
        buffers.into_iter().chain([TCP_FASTOPEN, TCP_FASTOPEN_CONNECT].map(|one| (IPPROTO_TCP, one)));
    let cases: Vec<_> =
        options.map(|(level, option)| [(1, Eq, number(level)), (2, Eq, number(option))]).collect();
    add(libc::SYS_setsockopt, &cases.iter().map(<[_; 2]>::as_slice).collect::<Vec<_>>())?;
    // Memory that is shared and has no file stays when its pages are given back.
    let shared = [MAP_SHARED, MAP_SHARED_VALIDATE].map(|kind| {
        let flags = number(MAP_ANONYMOUS);
        [(3, MaskedEq(MAP_TYPE | flags), number(kind) | flags)]
    });
    add(libc::SYS_mmap, &[&shared[0], &shared[1]])?;
    // A lease on a file delays everybody who opens the file.
    add(libc::SYS_fcntl, &[&[(1, Eq, number(F_SETLEASE))], &[(1, Eq, number(F_NOTIFY))]])?;
    let namespaces = NEW_NAMESPACES.map(|flag| [(0, MaskedEq(flag), flag)]);
    let namespaces: Vec<_> = namespaces.iter().map(<[_; 1]>::as_slice).collect();
    add(libc::SYS_unshare, &namespaces)?;
    // In `clone`, the lowest eight bits are the signal at the end.
    add(libc::SYS_clone, &namespaces[1..])?;
    let Subject::Program(isolation) = subject else { return Ok(rules) };
    add(libc::SYS_listen, &[])?;
    if isolation == Isolation::Filters {
        // A namespace of its own hides other processes; here they must not be slowed down.
        for call in [
            libc::SYS_sched_setaffinity,
            libc::SYS_sched_setscheduler,
            libc::SYS_sched_setparam,
            libc::SYS_sched_setattr,
        ] {
            add(call, &[&[(0, Ne, 0)]])?;
        }
        add(libc::SYS_setpriority, &[&[(0, Ne, u64::from(PRIO_PROCESS))], &[(1, Ne, 0)]])?;
        // `IOPRIO_WHO_PROCESS`.
        add(libc::SYS_ioprio_set, &[&[(0, Ne, 1)], &[(1, Ne, 0)]])?;
    }
    Ok(rules)
}

fn with(calls: &[c_long], others: &[c_long]) -> Rules {
    calls.iter().chain(others).map(|call| (*call, Vec::new())).collect()
}
