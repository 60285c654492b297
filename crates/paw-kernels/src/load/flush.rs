//! Flushes the lines of arrays from all caches.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use std::arch::asm;

use std::marker::PhantomData;

use crate::load::guard::Guarded;

/// The cache lines of arrays, which outlive it.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    spans: Vec<(usize, usize)>,
    line: usize,
    flush: fn(usize),
    arrays: PhantomData<&'a [Guarded]>,
}

impl<'a> Lines<'a> {
    /// All lines of `arrays`.
    pub fn of(arrays: &'a [Guarded]) -> Self {
        let spans = arrays.iter().map(|array| (array.address() as usize, array.bytes().len())).collect();
        Self { spans, line: line_bytes(), flush: way(), arrays: PhantomData }
    }

    /// Writes every line back to memory and evicts it from all caches, and waits until that is done.
    pub fn flush(&self) {
        for (start, bytes) in &self.spans {
            for line in addresses(*start, *bytes, self.line) {
                (self.flush)(line);
            }
        }
        wait();
    }
}

/// Addresses of the lines of `line` bytes that hold any of `bytes` bytes from `start` on.
fn addresses(start: usize, bytes: usize, line: usize) -> impl Iterator<Item = usize> {
    (start / line * line..start + bytes).step_by(line)
}

#[cfg(target_arch = "x86_64")]
mod processor {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    use super::asm;

    /// CPUID leaf 1, EBX bits 8 to 15, in units of eight bytes (Intel SDM vol. 2, CPUID).
    pub fn line_bytes() -> usize {
        ((__cpuid(1).ebx >> 8 & 0xff) * 8).max(8) as usize
    }

    /// CLFLUSHOPT if the processor has it (CPUID leaf 7, EBX bit 23): its flushes do not wait for each other.
    pub fn way() -> fn(usize) {
        let has_opt = __cpuid(0).eax >= 7 && __cpuid_count(7, 0).ebx & 1 << 23 != 0;
        if has_opt { flush_optimised } else { flush }
    }

    fn flush_optimised(line: usize) {
        // SAFETY: the line holds bytes of a mapping of ours, and its contents stay; `way` has seen that the instruction exists.
        unsafe { asm!("clflushopt [{line}]", line = in(reg) line, options(nostack, preserves_flags)) };
    }

    fn flush(line: usize) {
        // SAFETY: the line holds bytes of a mapping of ours, and its contents stay.
        unsafe { asm!("clflush [{line}]", line = in(reg) line, options(nostack, preserves_flags)) };
    }

    pub fn wait() {
        // SAFETY: the instruction orders what comes before and after it, and changes nothing.
        unsafe { asm!("mfence", options(nostack, preserves_flags)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod processor {
    use super::asm;

    /// CTR_EL0, DminLine: the smallest data line of all caches, as a power of two of words of four bytes (Arm ARM, D19.2.34).
    pub fn line_bytes() -> usize {
        let register: u64;
        // SAFETY: Linux lets user space read the register, and nothing else changes.
        unsafe { asm!("mrs {register}, ctr_el0", register = out(reg) register, options(nostack, preserves_flags)) };
        4 << (register >> 16 & 0xf)
    }

    pub fn way() -> fn(usize) {
        |line| {
            // SAFETY: Linux lets user space clean and drop a line (DC CIVAC) that it may read; this one holds bytes of ours, and they stay.
            unsafe { asm!("dc civac, {line}", line = in(reg) line, options(nostack, preserves_flags)) };
        }
    }

    pub fn wait() {
        // SAFETY: the instruction orders what comes before and after it, and changes nothing.
        unsafe { asm!("dsb sy", options(nostack, preserves_flags)) };
    }
}

/// Elsewhere no kernel is called.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod processor {
    pub fn line_bytes() -> usize {
        64
    }

    pub fn way() -> fn(usize) {
        |_| {}
    }

    pub fn wait() {}
}

use processor::{line_bytes, wait, way};

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of 64 bytes.
    fn check(start: usize, bytes: usize, expected: &[usize]) {
        assert_eq!(addresses(start, bytes, 64).collect::<Vec<_>>(), expected, "{bytes} bytes from {start}");
    }

    #[test]
    fn every_line_that_holds_a_byte_is_flushed_once() {
        check(128, 64, &[128]);
        check(128, 65, &[128, 192]);
        check(128, 1, &[128]);
        check(191, 2, &[128, 192]);
        check(190, 130, &[128, 192, 256]);
        for bytes in 1..500 {
            let lines: Vec<usize> = addresses(4096, bytes, 64).collect();
            let covered = |at: usize| lines.iter().filter(|line| (**line..**line + 64).contains(&at)).count();
            assert!((4096..4096 + bytes).all(|at| covered(at) == 1), "{bytes} bytes");
        }
    }

    #[test]
    fn flushing_leaves_the_numbers_as_they_are() {
        use crate::load::guard::{Guarded, PagePlacement};
        let mut array = Guarded::new("a", 1000, 8, PagePlacement::Tight).expect("memory");
        array.bytes_mut().iter_mut().zip(0..).for_each(|(byte, i): (&mut u8, u32)| *byte = i as u8);
        let arrays = [array];
        Lines::of(&arrays).flush();
        assert!(arrays[0].bytes().iter().zip(0_u32..).all(|(byte, i)| *byte == i as u8));
        assert!(line_bytes().is_power_of_two(), "{}", line_bytes());
    }
}
