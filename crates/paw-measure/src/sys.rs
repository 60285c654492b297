//! System calls: who the calling thread is, where it runs, and what the kernel did to it.
#![allow(unsafe_code)]

/// Kernel thread id of the calling thread.
pub fn thread_id() -> i32 {
    // SAFETY: gettid takes nothing, touches no memory and cannot fail.
    unsafe { libc::gettid() }
}

/// Number of the processor the calling thread runs on; `None` where the kernel does not tell.
pub fn processor() -> Option<u32> {
    // SAFETY: sched_getcpu takes nothing and writes nothing of ours.
    let cpu = unsafe { libc::sched_getcpu() };
    u32::try_from(cpu).ok()
}

/// Involuntary context switches of the calling thread since it began; `None` where the kernel does not tell.
pub fn involuntary_switches() -> Option<u64> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is valid for writes of one rusage, and RUSAGE_THREAD is a known constant.
    let failed = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
    // SAFETY: an all-zero rusage is valid, whether or not the call filled it in.
    let usage = unsafe { usage.assume_init() };
    if failed == 0 { u64::try_from(usage.ru_nivcsw).ok() } else { None }
}

/// CLOCK_MONOTONIC_RAW in nanoseconds: the hardware's pace, never slewed by time synchronisation.
pub fn monotonic_raw_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes of one timespec; the clock exists since Linux 2.6.28, and a refusal leaves zero.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
