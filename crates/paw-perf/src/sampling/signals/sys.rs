//! The system calls of sampling by signals: ptrace, waiting for traced threads, the timer, and clocks and memory of other processes.
#![allow(unsafe_code)]

use std::io;
use std::mem::{self, MaybeUninit};
use std::ptr;
use std::time::Duration;

/// Registers of a stopped thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Registers {
    /// The address of the next instruction.
    pub instruction: u64,
    /// The frame pointer.
    pub frame: u64,
    /// The stack pointer.
    pub stack: u64,
    /// Whether it is about to return from a system call.
    pub is_in_call: bool,
}

/// A traced thread that has stopped or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Coming {
    /// The thread.
    pub tid: u32,
    /// Whether it has ended.
    pub has_ended: bool,
}

/// Whether registers can be read on this processor.
pub(super) const IS_KNOWN_HERE: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// `ITIMER_PROF` of setitimer(2).
const TIMER_OF_PROCESSOR_TIME: i32 = 2;

/// Makes this thread the tracer of the process `pid`, which runs on, and of all threads that it starts: `PTRACE_SEIZE`.
pub(super) fn seize(pid: u32) -> io::Result<()> {
    let options = libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_TRACEEXEC;
    // SAFETY: numbers only.
    done(unsafe { libc::ptrace(libc::PTRACE_SEIZE, pid as libc::pid_t, 0_usize, options as usize) })
}

/// Lets a stopped thread go on, with `signal` delivered to it; 0 is none.
pub(super) fn resume(tid: u32, signal: i32) -> io::Result<()> {
    // SAFETY: numbers only.
    done(unsafe { libc::ptrace(libc::PTRACE_CONT, tid as libc::pid_t, 0_usize, signal as usize) })
}

/// Leaves a thread stopped as job control has stopped it, until SIGCONT comes: `PTRACE_LISTEN`.
pub(super) fn listen(tid: u32) -> io::Result<()> {
    // SAFETY: numbers only.
    done(unsafe { libc::ptrace(libc::PTRACE_LISTEN, tid as libc::pid_t, 0_usize, 0_usize) })
}

/// Lets a stopped thread go, untraced.
pub(super) fn detach(tid: u32) -> io::Result<()> {
    // SAFETY: numbers only.
    done(unsafe { libc::ptrace(libc::PTRACE_DETACH, tid as libc::pid_t, 0_usize, 0_usize) })
}

/// Where the signal of a stopped thread comes from: `si_code` of sigaction(2).
pub(super) fn signal_code(tid: u32) -> Option<i32> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    // SAFETY: the kernel writes a `siginfo_t` there.
    let read = unsafe { libc::ptrace(libc::PTRACE_GETSIGINFO, tid as libc::pid_t, 0_usize, info.as_mut_ptr()) };
    done(read).ok()?;
    // SAFETY: a structure of numbers, for which zeros are a value too.
    Some(unsafe { info.assume_init() }.si_code)
}

fn done(result: libc::c_long) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Waits until a thread that this thread traces has stopped or ended, and leaves it to be [`taken`].
///
/// # Errors
/// This thread traces none.
pub(super) fn coming() -> io::Result<Coming> {
    let options = libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT | libc::__WALL | libc::__WNOTHREAD;
    loop {
        let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: the kernel writes a `siginfo_t` there.
        let waited = unsafe { libc::waitid(libc::P_ALL, 0, info.as_mut_ptr(), options) };
        if waited == 0 {
            // SAFETY: a structure of numbers, for which zeros are a value too.
            let info = unsafe { info.assume_init() };
            // SAFETY: waitid fills in the part of the structure that has the process.
            let tid = unsafe { info.si_pid() } as u32;
            let has_ended = matches!(info.si_code, libc::CLD_EXITED | libc::CLD_KILLED | libc::CLD_DUMPED);
            return Ok(Coming { tid, has_ended });
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// The status of a thread that has stopped or ended, as wait(2) gives it, and the processor seconds that it and those that it waited for
/// used, where it was a process; `None` where it runs again, because it is being killed.
pub(super) fn taken(tid: u32) -> io::Result<Option<(i32, f64)>> {
    let mut status = 0;
    // SAFETY: rusage is a plain C structure of numbers, for which zeros are a value.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: both pointers are to live locals.
    let waited = unsafe {
        libc::wait4(
            tid as libc::pid_t,
            &raw mut status,
            libc::__WALL | libc::__WNOTHREAD | libc::WNOHANG,
            &raw mut usage,
        )
    };
    if waited < 0 {
        return Err(io::Error::last_os_error());
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    Ok((waited > 0).then(|| (status, seconds(usage.ru_utime) + seconds(usage.ru_stime))))
}

/// Registers of a stopped thread: `NT_PRSTATUS` of ptrace(2).
pub(super) fn registers(tid: u32) -> Option<Registers> {
    const GENERAL: usize = 1;
    let mut found = MaybeUninit::<libc::user_regs_struct>::zeroed();
    register_set(tid, GENERAL, &mut found)?;
    // SAFETY: a structure of numbers, for which zeros are a value too.
    let found = unsafe { found.assume_init() };
    #[cfg(target_arch = "x86_64")]
    let known = Registers {
        instruction: found.rip,
        frame: found.rbp,
        stack: found.rsp,
        // The number of the call; negative where an interrupt or a fault has led into the kernel.
        is_in_call: found.orig_rax.cast_signed() >= 0,
    };
    #[cfg(target_arch = "aarch64")]
    let known = {
        // `NT_ARM_SYSTEM_CALL`.
        let mut call = MaybeUninit::<i32>::zeroed();
        let is_known = register_set(tid, 0x404, &mut call).is_some();
        // SAFETY: a number.
        let call = unsafe { call.assume_init() };
        Registers { instruction: found.pc, frame: found.regs[29], stack: found.sp, is_in_call: is_known && call >= 0 }
    };
    Some(known)
}

fn register_set<T>(tid: u32, set: usize, to: &mut MaybeUninit<T>) -> Option<()> {
    let mut part = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: size_of::<T>() };
    // SAFETY: the kernel writes at most `iov_len` bytes to `iov_base`, which is the caller's.
    done(unsafe { libc::ptrace(libc::PTRACE_GETREGSET, tid as libc::pid_t, set, &raw mut part) }).ok()
}

/// Two words of the memory of the process `pid`, at `address`.
pub(super) fn words(pid: u32, address: u64) -> Option<[u64; 2]> {
    let mut words = [0_u64; 2];
    let length = size_of_val(&words);
    let to = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: length };
    let from = libc::iovec { iov_base: ptr::without_provenance_mut(address as usize), iov_len: length };
    // SAFETY: `to` is a live local; `from` is an address of the other process, which the kernel checks.
    let read = unsafe { libc::process_vm_readv(pid as libc::pid_t, &raw const to, 1, &raw const from, 1, 0) };
    (usize::try_from(read) == Ok(length)).then_some(words)
}

/// Seconds of processor time that the process `pid` has used, its ended threads included.
pub(super) fn processor_s(pid: u32) -> Option<f64> {
    let mut clock: libc::clockid_t = 0;
    // SAFETY: the pointer is to a live local.
    if unsafe { libc::clock_getcpuclockid(pid as libc::pid_t, &raw mut clock) } != 0 {
        return None;
    }
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live local.
    (unsafe { libc::clock_gettime(clock, &raw mut time) } == 0)
        .then_some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

/// The kernel's tick, at which timers of processor time are looked at: the resolution of its coarse clock.
pub(super) fn tick() -> Duration {
    let mut resolution = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live local.
    unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &raw mut resolution) };
    Duration::new(resolution.tv_sec.unsigned_abs(), resolution.tv_nsec as u32)
}

/// Makes this process ignore SIGPROF, which its tracer sees all the same, and sends it SIGPROF after each `period` of its processor time.
/// Both last beyond exec: signal(7), setitimer(2).
pub(super) fn start_timer(period: Duration) -> io::Result<()> {
    // SAFETY: numbers only; no handler runs.
    unsafe { libc::signal(libc::SIGPROF, libc::SIG_IGN) };
    let period = libc::timeval { tv_sec: period.as_secs() as _, tv_usec: period.subsec_micros() as _ };
    let timer = libc::itimerval { it_interval: period, it_value: period };
    // SAFETY: the pointer is to a live local, and the timer's former value is not asked for.
    let set = unsafe { libc::setitimer(TIMER_OF_PROCESSOR_TIME as _, &raw const timer, ptr::null_mut()) };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
