//! Where a program reads the time.

/// A clock of the system or of the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeSource {
    /// `CLOCK_MONOTONIC`.
    Monotonic,
    /// `CLOCK_MONOTONIC_RAW`: no adjustment by a time server.
    MonotonicRaw,
    /// `CLOCK_MONOTONIC_COARSE`: the last tick of the kernel.
    MonotonicCoarse,
    /// `CLOCK_REALTIME`: the time of day.
    Realtime,
    /// `CLOCK_THREAD_CPUTIME_ID`: processor time of the thread.
    ThreadCpu,
    /// The processor's counter: `rdtscp` on x86-64, `cntvct_el0` on AArch64.
    Counter,
}

impl TimeSource {
    /// Every source that a program can read on this processor.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::Monotonic, Self::MonotonicRaw, Self::MonotonicCoarse, Self::Realtime, Self::ThreadCpu];
        all.extend(has_counter().then_some(Self::Counter));
        all
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Monotonic => "monotonic",
            Self::MonotonicRaw => "monotonic_raw",
            Self::MonotonicCoarse => "monotonic_coarse",
            Self::Realtime => "realtime",
            Self::ThreadCpu => "thread_cpu",
            Self::Counter => "counter",
        }
    }

    /// Reads it `times` times, and returns whether no reading was before the one before it. A counter that [`TimeSource::all`] does not
    /// name is never read.
    pub fn read(self, times: u64) -> bool {
        let id = match self {
            Self::Monotonic => libc::CLOCK_MONOTONIC,
            Self::MonotonicRaw => libc::CLOCK_MONOTONIC_RAW,
            Self::MonotonicCoarse => libc::CLOCK_MONOTONIC_COARSE,
            Self::Realtime => libc::CLOCK_REALTIME,
            Self::ThreadCpu => libc::CLOCK_THREAD_CPUTIME_ID,
            Self::Counter => return has_counter() && never_backwards(times, counter),
        };
        never_backwards(times, || clock(id))
    }
}

#[inline(always)]
fn never_backwards(times: u64, read: impl Fn() -> u64) -> bool {
    let (mut last, mut is_forward) = (0, true);
    for _ in 0..times {
        let now = read();
        is_forward &= now >= last;
        last = now;
    }
    is_forward
}

#[inline(always)]
fn clock(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes the structure it is given, and nothing else.
    unsafe { libc::clock_gettime(id, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Whether the processor has a counter that programs read: RDTSCP (CPUID 0x80000001, EDX bit 27), or the generic timer of AArch64.
fn has_counter() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::__cpuid;
        const EXTENDED: u32 = 0x8000_0000;
        __cpuid(EXTENDED).eax > EXTENDED && __cpuid(EXTENDED + 1).edx & (1 << 27) != 0
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    {
        cfg!(all(target_arch = "aarch64", not(miri)))
    }
}

#[inline(always)]
fn counter() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut processor = 0;
        // SAFETY: `has_counter` found the instruction; it writes the variable it is given.
        unsafe { std::arch::x86_64::__rdtscp(&raw mut processor) }
    }
    #[cfg(target_arch = "aarch64")]
    {
        let ticks: u64;
        // SAFETY: Linux lets programs read this register, which changes nothing.
        unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
        ticks
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    0
}

#[cfg(test)]
mod tests {
    use super::TimeSource;

    #[test]
    fn every_source_goes_forward() {
        // The time of day may be set back.
        for source in TimeSource::all().into_iter().filter(|source| *source != TimeSource::Realtime) {
            // Miri has few clocks.
            if !cfg!(miri) {
                assert!(source.read(1000), "{source:?}");
            }
        }
    }
}
