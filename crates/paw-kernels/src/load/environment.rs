//! The floating-point environment of a thread: whether subnormal numbers are computed, or read and written as zero.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use std::arch::asm;

/// The control register of a thread's floating-point unit: MXCSR on x86-64 (Intel SDM vol. 1, 10.2.3), FPCR on AArch64 (Arm ARM, C5.2.8).
/// Each thread has its own; a new thread inherits its creator's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Environment(u64);

/// Bits that read or write subnormal numbers as zero: FTZ (15) and DAZ (6), or FZ (24).
const FLUSHES: u64 = if cfg!(target_arch = "x86_64") { 1 << 15 | 1 << 6 } else { 1 << 24 };
/// Bits of the rounding mode: RC (13, 14), or RMode (22, 23).
const ROUNDING: u64 = if cfg!(target_arch = "x86_64") { 3 << 13 } else { 3 << 22 };
/// The register at a process's start: exceptions masked, rounding to nearest.
const BEGINNING: u64 = if cfg!(target_arch = "x86_64") { 0x1f80 } else { 0 };
/// The flags of exceptions that occurred, which are no setting; AArch64 has them in another register.
const SEEN: u64 = if cfg!(target_arch = "x86_64") { 0x3f } else { 0 };

impl Environment {
    /// IEEE 754: the environment at a process's start.
    pub const IEEE: Environment = Environment(BEGINNING);
    /// IEEE 754, but with subnormal numbers read and written as zero.
    pub const FTZ: Environment = Environment(BEGINNING | FLUSHES);

    /// This thread's environment, without the flags of exceptions.
    pub fn current() -> Self {
        Self(read() & !SEEN)
    }

    /// The differences from `before`, in words.
    pub fn changes(self, before: Self) -> String {
        let words = [
            (ROUNDING, "the rounding mode"),
            (FLUSHES, "whether subnormal numbers are zero"),
            (!(ROUNDING | FLUSHES), "which exceptions are masked"),
        ];
        let differs = |bits: u64| (self.0 ^ before.0) & bits != 0;
        words.iter().filter(|(bits, _)| differs(*bits)).map(|(_, words)| *words).collect::<Vec<_>>().join(", ")
    }

    /// Whether subnormal numbers are read or written as zero in it.
    pub fn flushes(self) -> bool {
        self.0 & FLUSHES != 0
    }

    /// Puts this thread into the environment until the returned guard is dropped.
    pub fn enter(self) -> EnvironmentGuard {
        let outside = Self::current();
        write(self.0);
        EnvironmentGuard { outside }
    }

    /// Puts this thread into the environment for good.
    pub fn set(self) {
        write(self.0);
    }
}

/// A guard that puts its thread back into the former environment when it is dropped.
#[derive(Debug)]
#[must_use = "the environment ends when this is dropped"]
pub(crate) struct EnvironmentGuard {
    outside: Environment,
}

impl Drop for EnvironmentGuard {
    fn drop(&mut self) {
        self.outside.set();
    }
}

#[cfg(target_arch = "x86_64")]
fn read() -> u64 {
    let mut register = 0_u32;
    // SAFETY: the instruction writes the four bytes of the local it is given the address of.
    unsafe { asm!("stmxcsr [{place}]", place = in(reg) &raw mut register, options(nostack, preserves_flags)) };
    u64::from(register)
}

#[cfg(target_arch = "x86_64")]
fn write(register: u64) {
    let register = register as u32;
    // SAFETY: the value was read from this register, or differs from such a one in FTZ and DAZ, which every x86-64 processor has. What the
    // compiler assumes of the environment holds again before any arithmetic of ours: only calls and clock readings run in the other one.
    unsafe { asm!("ldmxcsr [{place}]", place = in(reg) &raw const register, options(nostack, preserves_flags)) };
}

#[cfg(target_arch = "aarch64")]
fn read() -> u64 {
    let register: u64;
    // SAFETY: user space may read the register, and nothing else changes.
    unsafe { asm!("mrs {register}, fpcr", register = out(reg) register, options(nostack, preserves_flags)) };
    register
}

#[cfg(target_arch = "aarch64")]
fn write(register: u64) {
    // SAFETY: the value was read from this register, or differs from such a one in FZ. What the compiler assumes of the environment holds
    // again before any arithmetic of ours: only calls and clock readings run in the other one.
    unsafe { asm!("msr fpcr, {register}", register = in(reg) register, options(nostack, preserves_flags)) };
}

/// On other processors the environment is left alone.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn read() -> u64 {
    BEGINNING
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn write(_register: u64) {}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use std::hint::black_box;

    use super::Environment;

    /// A compiler knows of one environment alone: behind a call it cannot compute this earlier or later.
    #[inline(never)]
    fn half_of_smallest() -> f64 {
        black_box(black_box(f64::MIN_POSITIVE) * black_box(0.5))
    }

    #[test]
    fn an_environment_holds_until_it_is_left() {
        let before = Environment::current();
        let entered = Environment::FTZ.enter();
        let (inside, flushed) = (Environment::current(), half_of_smallest());
        drop(entered);
        assert_eq!((inside, flushed.to_bits()), (Environment::FTZ, 0));
        assert!(inside.flushes() && !Environment::IEEE.flushes());
        assert_eq!(Environment::current(), before);
        assert_ne!(half_of_smallest().to_bits(), 0);
    }
}
