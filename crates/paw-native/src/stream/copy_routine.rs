//! Copies that are no loop of ours.
#![allow(unsafe_code)]

/// A routine that copies memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyRoutine {
    /// The C library's memcpy(3), which chooses its instructions by size and processor.
    Memcpy,
    /// The processor's string instruction `rep movsb` (x86-64).
    RepMovsb,
}

impl CopyRoutine {
    /// Whether this processor has it. Miri runs no assembly.
    pub fn is_here(self) -> bool {
        self == CopyRoutine::Memcpy || cfg!(all(target_arch = "x86_64", not(miri)))
    }

    /// Whether the processor promises that it is fast: for `rep movsb` by ERMS, or FSRM for short copies (CPUID leaf 7: EBX bit 9, EDX
    /// bit 4; Intel's Software Developer's Manual, volume 2A). memcpy promises nothing, and chooses.
    pub fn is_promised_fast(self) -> bool {
        self == CopyRoutine::Memcpy || has_fast_string_moves()
    }

    /// c = a. Where the routine is not here, memcpy copies.
    ///
    /// # Panics
    /// Where the lengths differ.
    pub fn copy(self, a: &[f64], c: &mut [f64]) {
        assert!(a.len() == c.len(), "arrays of {} and {} elements", a.len(), c.len());
        match self {
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            CopyRoutine::RepMovsb => rep_movsb(a, c),
            _ => c.copy_from_slice(a),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_fast_string_moves() -> bool {
    use std::arch::x86_64::__cpuid_count;
    if cfg!(miri) || __cpuid_count(0, 0).eax < 7 {
        return false;
    }
    let extended = __cpuid_count(7, 0);
    extended.ebx & 1 << 9 != 0 || extended.edx & 1 << 4 != 0
}

#[cfg(not(target_arch = "x86_64"))]
fn has_fast_string_moves() -> bool {
    false
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
fn rep_movsb(a: &[f64], c: &mut [f64]) {
    let bytes = size_of_val(a).min(size_of_val(c));
    // SAFETY: both slices hold `bytes` bytes and do not overlap; the direction flag is clear wherever Rust code runs.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rcx") bytes => _,
            inout("rdi") c.as_mut_ptr() => _,
            inout("rsi") a.as_ptr() => _,
            options(nostack, preserves_flags),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::CopyRoutine;

    #[test]
    fn every_routine_copies_every_element() {
        for routine in [CopyRoutine::Memcpy, CopyRoutine::RepMovsb] {
            for len in [0, 1, 7, 1000] {
                let from: Vec<f64> = (0..len).map(f64::from).collect();
                let mut to = vec![-1.0; from.len() + 1];
                routine.copy(&from, &mut to[..from.len()]);
                assert_eq!((&to[..from.len()], to[from.len()]), (&from[..], -1.0), "{routine:?}");
            }
        }
    }
}
