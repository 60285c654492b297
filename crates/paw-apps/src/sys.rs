//! System calls of the launcher that the standard library does not offer.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;
use std::time::Duration;

/// Id of a process, and of the group that it leads.
pub(crate) type Pid = libc::pid_t;

/// Arguments of exec, built before the clock starts: nothing may be allocated between clone and exec.
#[derive(Debug)]
pub(crate) struct ExecTarget {
    pub(crate) path: CString,
    pub(crate) directory: Option<CString>,
    pub(crate) words: Strings,
    pub(crate) environment: Strings,
}

/// Strings as a null-terminated list of pointers, for exec.
#[derive(Debug)]
pub(crate) struct Strings {
    pointers: Vec<*const c_char>,
    // Owns the strings that the pointers refer to.
    _texts: Vec<CString>,
}

impl From<Vec<CString>> for Strings {
    fn from(texts: Vec<CString>) -> Self {
        let pointers = texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
        Self { pointers, _texts: texts }
    }
}

/// The step of starting a program that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpawnStep {
    /// clone(2).
    Clone,
    /// setpgid(2).
    Group,
    /// The death signal that ties it to the launcher: prctl(2).
    Tie,
    /// chdir(2).
    Directory,
    /// dup2(2) of its standard files.
    Stdio,
    /// Its signal handlers and mask.
    Signals,
    /// execve(2).
    Exec,
}

/// Why a program was not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) step: SpawnStep,
    /// The error number: errno(3).
    pub(crate) errno: i32,
}

/// Input of the child between clone and exec, and its error.
struct ChildSetup<'a> {
    program: &'a ExecTarget,
    stdio: [RawFd; 3],
    launcher: Pid,
    no_signals: libc::sigset_t,
    refused: Option<Refused>,
}

/// Starts programs. [`become_launcher`], its only constructor, blocks all signals of the calling thread, and the type is not
/// `Send`: a handler that ran in a child before its exec would change the memory of this process.
#[derive(Debug)]
pub(crate) struct Spawner {
    /// The stack of a child until its exec.
    stack: Vec<u128>,
    _thread: PhantomData<*const ()>,
}

impl Spawner {
    /// Size of the child's stack in bytes: a dozen functions of the C library need less than a page.
    const STACK_SIZE: usize = 64 << 10;

    /// The calling thread must have blocked all signals.
    fn new() -> Self {
        Self { stack: vec![0; Self::STACK_SIZE / size_of::<u128>()], _thread: PhantomData }
    }

    /// Starts `program` in a process and group of its own, which dies with this process. Returns after its exec.
    ///
    /// The child shares this process's memory until its exec, as after vfork, but has a stack of its own, as
    /// posix_spawn gives it one: clone(2), `CLONE_VM | CLONE_VFORK`.
    pub(crate) fn spawn(&mut self, program: &ExecTarget, stdio: [BorrowedFd<'_>; 3]) -> Result<Pid, Refused> {
        let launcher = std::process::id() as Pid;
        let stdio = stdio.map(|file| file.as_raw_fd());
        let mut setup = ChildSetup { program, stdio, launcher, no_signals: signals(Signals::None), refused: None };
        let top = self.stack.as_mut_ptr_range().end.cast::<c_void>();
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        // SAFETY: this thread waits until the child has left the shared memory by exec or exit, so that `setup` and the
        // stack outlive its use of them and nobody else touches them; the stack grows down from its aligned end. No
        // signal handler runs in the child: all signals are blocked wherever there is a `Spawner`.
        let pid = unsafe { libc::clone(child, top, flags, (&raw mut setup).cast(), ptr::null_mut::<c_void>()) };
        match setup.refused {
            _ if pid < 0 => Err(Refused { step: SpawnStep::Clone, errno: errno() }),
            None => Ok(pid),
            Some(refused) => {
                // The child has exited, so this does not block.
                let _ = reap(pid);
                Err(refused)
            }
        }
    }
}

extern "C" fn child(setup: *mut c_void) -> c_int {
    // SAFETY: `spawn` passes its `ChildSetup`, and touches it again only after this process has ended or become another program.
    let setup = unsafe { &mut *setup.cast::<ChildSetup<'_>>() };
    setup.refused = become_program(setup).err();
    // SAFETY: it runs nothing of this process's exit, which is not the child's.
    unsafe { libc::_exit(127) }
}

/// Execs the program, and returns only if a step fails. It allocates nothing, takes no lock, and calls only
/// async-signal-safe functions.
fn become_program(setup: &ChildSetup<'_>) -> Result<(), Refused> {
    // SAFETY: numbers only.
    step(SpawnStep::Group, unsafe { libc::setpgid(0, 0) })?;
    // SAFETY: numbers only.
    step(SpawnStep::Tie, unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) })?;
    // SAFETY: takes nothing.
    let parent = unsafe { libc::getppid() };
    if parent != setup.launcher {
        return Err(Refused { step: SpawnStep::Tie, errno: libc::ESRCH });
    }
    if let Some(directory) = &setup.program.directory {
        // SAFETY: a string with its null.
        step(SpawnStep::Directory, unsafe { libc::chdir(directory.as_ptr()) })?;
    }
    for (to, from) in setup.stdio.iter().enumerate() {
        // SAFETY: numbers only; the files are opened with close-on-exec, which their new names do not have.
        step(SpawnStep::Stdio, unsafe { libc::dup2(*from, to as RawFd) })?;
    }
    // Rust programs ignore SIGPIPE, and a child would inherit that.
    // SAFETY: numbers only; the table of handlers is the child's own.
    step(
        SpawnStep::Signals,
        if unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) } == libc::SIG_ERR { -1 } else { 0 },
    )?;
    // SAFETY: the set lives in the setup.
    step(SpawnStep::Signals, unsafe {
        libc::sigprocmask(libc::SIG_SETMASK, &raw const setup.no_signals, ptr::null_mut())
    })?;
    let program = setup.program;
    let (words, environment) = (program.words.pointers.as_ptr(), program.environment.pointers.as_ptr());
    // SAFETY: strings and lists of strings, each with its null.
    step(SpawnStep::Exec, unsafe { libc::execve(program.path.as_ptr(), words, environment) })
}

fn step(step: SpawnStep, result: c_int) -> Result<(), Refused> {
    if result == -1 { Err(Refused { step, errno: errno() }) } else { Ok(()) }
}

fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Signals {
    None,
    All,
    Child,
}

fn signals(which: Signals) -> libc::sigset_t {
    // SAFETY: sigset_t is a plain C structure of numbers.
    let mut set: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is a live local.
    unsafe { libc::sigemptyset(&raw mut set) };
    if which == Signals::All {
        // SAFETY: the set is a live local.
        unsafe { libc::sigfillset(&raw mut set) };
    }
    if which == Signals::Child {
        // SAFETY: the set is a live local.
        unsafe { libc::sigaddset(&raw mut set, libc::SIGCHLD) };
    }
    set
}

/// Makes this process a launcher: it leaves its terminal, blocks all signals, and adopts orphaned descendants.
/// The returned descriptor is readable when children have ended.
pub(crate) fn become_launcher() -> io::Result<(Spawner, OwnedFd)> {
    // SAFETY: takes nothing. It fails for the leader of a group, which keeps its terminal.
    unsafe { libc::setsid() };
    // SAFETY: numbers only.
    checked(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) })?;
    // With SIGCHLD ignored, as paw may have inherited it, children would be reaped without their accounts.
    // SAFETY: numbers only.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    let all = signals(Signals::All);
    // SAFETY: the set is a live local.
    checked(unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const all, ptr::null_mut()) })?;
    let child = signals(Signals::Child);
    // SAFETY: the set is a live local.
    let fd = unsafe { libc::signalfd(-1, &raw const child, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
    checked(fd)?;
    // SAFETY: the descriptor was just opened and is nobody else's.
    Ok((Spawner::new(), unsafe { OwnedFd::from_raw_fd(fd) }))
}

/// Waits until one of `files` is readable or closed by its peer, no longer than `limit`. Returns which of them are.
pub(crate) fn wait_for(files: &[BorrowedFd<'_>], limit: Option<Duration>) -> Vec<bool> {
    let polled = |file: &BorrowedFd<'_>| libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut polled: Vec<libc::pollfd> = files.iter().map(polled).collect();
    let limit = limit.map(|limit| libc::timespec {
        tv_sec: limit.as_secs().min(i32::MAX as u64) as _,
        tv_nsec: limit.subsec_nanos() as _,
    });
    let limit = limit.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the list and the limit are live locals, and the length is the list's.
    let ready = unsafe { libc::ppoll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, limit, ptr::null()) };
    // A failure is an interruption, after which the caller waits again.
    polled.iter().map(|file| ready > 0 && file.revents != 0).collect()
}

/// Makes reading from `file` return at once where there is nothing to read.
pub(crate) fn never_blocks(file: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: numbers only; the descriptor is open.
    checked(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) })
}

/// Asks the kernel to let a pipe hold `bytes`, which it may refuse: pipe(7), pipe-max-size.
pub(crate) fn widen_pipe(pipe: BorrowedFd<'_>, bytes: usize) {
    // SAFETY: numbers only; the descriptor is open.
    unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETPIPE_SZ, bytes as c_int) };
}

/// Whether the child `pid` has ended; it is not reaped.
pub(crate) fn has_ended(pid: Pid) -> bool {
    // SAFETY: siginfo_t is a plain C structure, for which zeros are a value.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the structure is a live local.
    let done = unsafe { libc::waitid(libc::P_PID, pid as libc::id_t, &raw mut info, flags) };
    // SAFETY: waitid(2) fills this field, or leaves the zero where the child still runs.
    done == 0 && unsafe { info.si_pid() } != 0
}

/// Waits for the child `pid` and reaps it; returns its status and resource usage.
pub(crate) fn reap(pid: Pid) -> io::Result<(ExitStatus, libc::rusage)> {
    // SAFETY: rusage is a plain C structure of numbers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let mut status = 0;
    // SAFETY: both pointers are to live locals.
    checked(unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) })?;
    Ok((ExitStatus::from_raw(status), usage))
}

/// State of this process's children after [`reap_any`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChildState {
    /// One child had ended with this status, and was reaped.
    Ended(ExitStatus),
    /// There are children, and all of them run.
    Alive,
    /// There is no child.
    None,
}

/// Reaps one child that has ended, if there is one.
pub(crate) fn reap_any() -> ChildState {
    let mut status = 0;
    // SAFETY: the pointer is to a live local.
    match unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) } {
        0 => ChildState::Alive,
        -1 => ChildState::None,
        _ => ChildState::Ended(ExitStatus::from_raw(status)),
    }
}

/// Sends `signal` to the process `pid`, if it exists.
pub(crate) fn signal(pid: Pid, signal: i32) {
    // SAFETY: numbers only.
    unsafe { libc::kill(pid, signal) };
}

/// Sends `signal` to the group of `leader`, which must not be reaped yet.
pub(crate) fn signal_group(leader: Pid, signal: i32) {
    // SAFETY: numbers only.
    unsafe { libc::kill(-leader, signal) };
}

/// Sets the execution domain of this process and its future children to `persona`, and returns the previous one;
/// `0xffff_ffff` only queries: personality(2).
pub(crate) fn personality(persona: u32) -> io::Result<u32> {
    // SAFETY: numbers only.
    let before = unsafe { libc::personality(persona.into()) };
    checked(before).map(|()| before as u32)
}

/// Makes descriptor `to` a duplicate of `from`.
pub(crate) fn replace(from: BorrowedFd<'_>, to: RawFd) -> io::Result<()> {
    // SAFETY: numbers only; the caller gives up the file that `to` was.
    checked(unsafe { libc::dup2(from.as_raw_fd(), to) })
}

fn checked(result: c_int) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
