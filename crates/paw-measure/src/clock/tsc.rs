//! The processor's time-stamp counter, read in order and calibrated. It counts reference ticks, not core cycles.
#![allow(unsafe_code)]

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::fault::Fault;

/// A time-stamp counter whose frequency was measured against CLOCK_MONOTONIC_RAW.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tsc {
    hz: f64,
}

/// Windows compared with each other.
const WINDOWS: usize = 3;

/// Length of a window: readings are placed to 20 ns, so that 100 ms are known to a few 1e-7, far below the spread allowed.
const WINDOW: Duration = Duration::from_millis(100);

/// Windows of an invariant counter repeat to 1e-8; a spread of 1e-5 is a counter that changes its pace or is emulated.
const SPREAD_MAX: f64 = 1e-5;

/// Tries to read both clocks at one moment; the tightest counts.
const TRIES: usize = 16;

impl Tsc {
    /// The counter with its frequency measured now, over three windows of at least 100 ms; the error says why it cannot be trusted
    /// on this machine.
    pub fn calibrated() -> Result<Self, Fault> {
        trustworthy()?;
        let mut windows = [0.0; WINDOWS];
        for hz in &mut windows {
            let (ticks, ns) = both();
            std::thread::sleep(WINDOW);
            let (ticks_after, ns_after) = both();
            *hz = ticks_after.wrapping_sub(ticks) as f64 / ((ns_after - ns) * 1e-9);
        }
        frequency(&windows).map(|hz| Self { hz })
    }

    /// This machine's counter at `hz` ticks per second, calibrated by another process: calibration takes a third of a second.
    pub fn known(hz: f64) -> Self {
        Self { hz }
    }

    /// Ticks per second.
    pub fn hz(&self) -> f64 {
        self.hz
    }
}

/// The mean frequency of the windows, in ticks per second; an error where they differ by more than 1e-5 of it.
pub fn frequency(windows_hz: &[f64]) -> Result<f64, Fault> {
    let mean = windows_hz.iter().sum::<f64>() / windows_hz.len() as f64;
    let low = windows_hz.iter().copied().fold(f64::INFINITY, f64::min);
    let high = windows_hz.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let spread = (high - low) / mean;
    if spread < SPREAD_MAX {
        return Ok(mean);
    }
    Err(Fault::Missing(format!(
        "the time-stamp counter's pace differs by {spread:.1e} between windows of 100 ms (at most {SPREAD_MAX:.0e} is accepted); use the monotonic clock"
    )))
}

/// CLOCK_MONOTONIC_RAW in nanoseconds: the hardware's pace, never slewed by time synchronisation.
fn monotonic_raw_ns() -> u64 {
    let time = clock_gettime(ClockId::MonotonicRaw);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Counter and CLOCK_MONOTONIC_RAW (ns) at one moment: the tightest bracket of a few tries.
fn both() -> (u64, f64) {
    let mut best = (u64::MAX, 0, 0.0);
    for _ in 0..TRIES {
        let before = monotonic_raw_ns();
        let ticks = start();
        let after = monotonic_raw_ns();
        let width = after - before;
        if width < best.0 {
            best = (width, ticks, (before as f64 + after as f64) / 2.0);
        }
    }
    (best.1, best.2)
}

/// Clock sources the kernel falls back to once it has found the counter unstable.
const FALLBACKS: &[&str] = &["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"];

/// An error where the kernel has stopped trusting the counter. Other sources (kvm-clock, Hyper-V's page) are themselves made from it.
fn kernel_trusts(source: Option<&str>) -> Result<(), Fault> {
    match source.map(str::trim) {
        Some(name) if FALLBACKS.contains(&name) => Err(Fault::Missing(format!(
            "the kernel keeps time by {name} because it found the time-stamp counter unstable; use the monotonic clock"
        ))),
        _ => Ok(()),
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::asm;
    use std::arch::x86_64::__cpuid;

    use super::kernel_trusts;
    use crate::fault::Fault;

    /// Ticks before a region: everything earlier has ended, nothing later has begun
    /// (Intel SDM vol. 2, RDTSC: `LFENCE` before and after orders it both ways).
    #[inline(always)]
    pub fn start() -> u64 {
        let (low, high): (u32, u32);
        // SAFETY: the instructions change only the registers named; without `nomem` the compiler keeps memory accesses on their side.
        unsafe {
            asm!("lfence", "rdtsc", "lfence", out("eax") low, out("edx") high, options(nostack, preserves_flags))
        };
        u64::from(high) << 32 | u64::from(low)
    }

    /// Ticks after a region: `RDTSCP` waits for everything earlier, `LFENCE` keeps later work behind it.
    #[inline(always)]
    pub fn stop() -> u64 {
        let (low, high): (u32, u32);
        // SAFETY: as above; RDTSCP also writes the processor's number to ecx, which is named. `trustworthy` has seen that it exists.
        unsafe {
            asm!("rdtscp", "lfence", out("eax") low, out("edx") high, out("ecx") _, options(nostack, preserves_flags))
        };
        u64::from(high) << 32 | u64::from(low)
    }

    /// An error where the counter is not invariant (CPUID 0x80000007 EDX bit 8) or RDTSCP is missing (0x80000001 EDX bit 27).
    pub fn trustworthy() -> Result<(), Fault> {
        let highest = __cpuid(0x8000_0000).eax;
        let edx = |leaf: u32| if highest >= leaf { __cpuid(leaf).edx } else { 0 };
        if edx(0x8000_0007) & 1 << 8 == 0 {
            return Err(Fault::Missing(
                "this processor's time-stamp counter is not invariant; use the monotonic clock".to_owned(),
            ));
        }
        if edx(0x8000_0001) & 1 << 27 == 0 {
            return Err(Fault::Missing("this processor has no RDTSCP; use the monotonic clock".to_owned()));
        }
        let source = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
        kernel_trusts(source.ok().as_deref())
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use std::arch::asm;

    use super::kernel_trusts;
    use crate::fault::Fault;

    /// Ticks before a region: `ISB` lets everything earlier end before the virtual counter is read (Arm ARM, D12.2).
    #[inline(always)]
    pub fn start() -> u64 {
        let ticks: u64;
        // SAFETY: Linux lets user space read cntvct_el0; only the register named changes.
        unsafe {
            asm!("isb", "mrs {ticks}, cntvct_el0", "isb", ticks = out(reg) ticks, options(nostack, preserves_flags))
        };
        ticks
    }

    /// Ticks after a region; the same sequence orders both sides.
    #[inline(always)]
    pub fn stop() -> u64 {
        start()
    }

    /// The generic timer is invariant by architecture.
    pub fn trustworthy() -> Result<(), Fault> {
        kernel_trusts(None)
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod absent {
    use crate::fault::Fault;

    /// Never reached: `trustworthy` refuses first.
    pub fn start() -> u64 {
        0
    }

    /// Never reached: `trustworthy` refuses first.
    pub fn stop() -> u64 {
        0
    }

    /// Refuses.
    pub fn trustworthy() -> Result<(), Fault> {
        Err(Fault::Missing(format!(
            "no time-stamp counter is known for {}; use the monotonic clock",
            std::env::consts::ARCH
        )))
    }
}

#[cfg(target_arch = "aarch64")]
use aarch64::trustworthy;
#[cfg(target_arch = "aarch64")]
pub use aarch64::{start, stop};
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use absent::trustworthy;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub use absent::{start, stop};
#[cfg(target_arch = "x86_64")]
use x86_64::trustworthy;
#[cfg(target_arch = "x86_64")]
pub use x86_64::{start, stop};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_that_agree_give_their_mean() {
        assert_eq!(frequency(&[2.5e9, 2.5e9 + 2.0, 2.5e9 - 2.0]), Ok(2.5e9));
    }

    #[test]
    fn windows_that_differ_are_refused_with_the_spread() {
        let refusal = frequency(&[2.5e9, 2.5e9, 2.6e9]).unwrap_err().to_string();
        assert!(refusal.contains("differs by 3.9e-2"), "{refusal}");
    }

    #[test]
    fn a_trusted_counter_does_not_stand_still() {
        if trustworthy().is_ok() {
            let first = start();
            assert!((0..1000).any(|_| stop() != first), "a thousand readings of a running counter were equal");
        }
    }

    #[test]
    fn a_known_counter_ticks_as_it_is_told() {
        let clock = crate::clock::Clock::Tsc(Tsc::known(2e9));
        assert_eq!((clock.hz(), clock.seconds(5, 4_000_000_005)), (Some(2e9), 2.0));
    }

    #[test]
    fn a_counter_the_kernel_gave_up_is_refused() {
        assert!(kernel_trusts(Some("hpet\n")).unwrap_err().to_string().contains("hpet"));
        assert_eq!(kernel_trusts(Some("tsc\n")), Ok(()));
        assert_eq!(kernel_trusts(Some("kvm-clock\n")), Ok(()));
        assert_eq!(kernel_trusts(None), Ok(()));
    }
}
