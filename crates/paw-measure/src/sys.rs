//! getrusage, which neither std nor rustix offers: what the kernel did to the calling thread.
#![allow(unsafe_code)]

/// Involuntary context switches of the calling thread since it began; `None` where the kernel does not count them.
pub fn involuntary_switches() -> Option<u64> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is valid for writes of one rusage, and RUSAGE_THREAD is a known constant.
    let failed = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
    // SAFETY: an all-zero rusage is valid, whether or not the call filled it in.
    let usage = unsafe { usage.assume_init() };
    if failed == 0 { u64::try_from(usage.ru_nivcsw).ok() } else { None }
}
