//! Kernels of multiplications and additions: computed step by step, as a device would, at its operations a second.
#![allow(unsafe_code)]

use crate::copies::{Way, work};
use crate::heat;
use crate::kernels::Arguments;
use crate::memory::{device_at, note_read, note_write};
use crate::queue::Command;

/// Chains of a thread, and steps of each: those of paw's kernels.
const CHAINS: u32 = 8;
const STEPS: u32 = 1024;
/// Multiplications of a thread on matrix cores; of doubles an eighth.
const MULTIPLICATIONS: u32 = 131_072;
/// Elements that are stepped at once: they stay in registers or the first cache.
const PART: usize = 64;

/// A number of a kernel's type that can be multiplied and added.
trait Number: Copy {
    fn of(chain: u32) -> Self;
    fn step(self, a: Self, b: Self) -> Self;
    fn plus(self, other: Self) -> Self;
    /// As an argument holds it.
    fn argument(word: u64) -> Self;
}

/// Implements [`Number`] for a float.
macro_rules! float {
    ($type:ty, $word:expr) => {
        impl Number for $type {
            fn of(chain: u32) -> Self {
                chain as $type
            }
            fn step(self, a: Self, b: Self) -> Self {
                // Rounded twice, which differs from a fused step only where paw's own kernels never come.
                self * a + b
            }
            fn plus(self, other: Self) -> Self {
                self + other
            }
            fn argument(word: u64) -> Self {
                $word(word)
            }
        }
    };
}

float!(f64, f64::from_bits);
float!(f32, |word: u64| f32::from_bits(word as u32));

impl Number for i32 {
    fn of(chain: u32) -> Self {
        chain as i32
    }

    fn step(self, a: Self, b: Self) -> Self {
        self.wrapping_mul(a).wrapping_add(b)
    }

    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    fn argument(word: u64) -> Self {
        word as u32 as i32
    }
}

/// The sum of the chains of one thread.
fn sum<N: Number>(a: N, b: N) -> N {
    let chain = |chain: u32| (0..STEPS).fold(N::of(chain), |x, _| x.step(a, b));
    (1..CHAINS).fold(chain(0), |sum, of| sum.plus(chain(of)))
}

/// Writes the same value into `count` places; nothing where the device has not so much memory there.
fn write_all<N: Number>(to: usize, count: usize, value: N) -> Option<()> {
    let bytes = count.checked_mul(size_of::<N>())?;
    device_at(to, bytes)?;
    note_write(to, bytes);
    for place in 0..count {
        // SAFETY: the device's memory is that large, as looked up above.
        unsafe { (to as *mut N).wrapping_add(place).write_unaligned(value) };
    }
    Some(())
}

/// `paw_fma_…`: the sum of its chains for each of so many threads.
pub(crate) fn chains(name: &str, device: usize, threads: usize, arguments: &Arguments) -> Option<Command> {
    let (to, a, b) = (arguments.size(0), arguments.word(1), arguments.word(2));
    let operations = 2.0 * f64::from(CHAINS * STEPS) * threads as f64;
    let lanes = match name {
        "paw_fma_f64" => write_all(to, threads, sum(f64::argument(a), f64::argument(b))).map(|()| 1.0),
        "paw_fma_f32" => write_all(to, threads, sum(f32::argument(a), f32::argument(b))).map(|()| 1.0),
        "paw_fma_i32" => write_all(to, threads, sum(i32::argument(a), i32::argument(b))).map(|()| 1.0),
        // Halves that are whole numbers up to 2048 are exact, and so are floats.
        "paw_fma_f16" => {
            let (a, b) = (half(a as u16), half(b as u16));
            write_all(to, threads, 2.0 * sum(a, b)).map(|()| 2.0)
        }
        _ => None,
    }?;
    Some(computing(device, lanes * operations, 0))
}

/// `paw_matrix_…`: how many multiplications each of so many threads made on matrix cores.
pub(crate) fn matrices(name: &str, device: usize, threads: usize, arguments: &Arguments) -> Option<Command> {
    let to = arguments.size(0);
    let multiplications = if name == "paw_matrix_fp64" { MULTIPLICATIONS / 8 } else { MULTIPLICATIONS };
    match name {
        "paw_matrix_fp64" => write_all(to, threads, f64::from(multiplications)),
        "paw_matrix_int8" => write_all(to, threads, multiplications as i32),
        "paw_matrix_fp16" | "paw_matrix_bf16" | "paw_matrix_fp8" => write_all(to, threads, multiplications as f32),
        _ => None,
    }?;
    Some(computing(device, 2.0 * f64::from(multiplications) * threads as f64, 0))
}

/// The number that the bits of a half mean, where it is an ordinary one or zero.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let size =
        if exponent == 0 { fraction * 2f32.powi(-24) } else { (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15) };
    if bits >> 15 == 0 { size } else { -size }
}

/// `paw_intensity_…`: so many steps from each element.
pub(crate) fn intensity(name: &str, device: usize, arguments: &Arguments) -> Option<Command> {
    let [to, from, n] = [0, 1, 5].map(|at| arguments.size(at));
    let (a, b, k) = (arguments.word(2), arguments.word(3), arguments.word(4) as u32);
    let bytes = match name {
        "paw_intensity_f64" => stepped((to, from), n, k, (f64::argument(a), f64::argument(b))),
        "paw_intensity_f32" => stepped((to, from), n, k, (f32::argument(a), f32::argument(b))),
        _ => None,
    }?;
    Some(computing(device, 2.0 * f64::from(k) * n as f64, bytes))
}

/// Does the steps of every element, and says how many bytes were read and written.
fn stepped<N: Number>((to, from): (usize, usize), n: usize, k: u32, (a, b): (N, N)) -> Option<usize> {
    let bytes = n.checked_mul(size_of::<N>())?;
    device_at(to, bytes).and(device_at(from, bytes))?;
    note_read(from, bytes);
    note_write(to, bytes);
    let mut part = [N::of(0); PART];
    for first in (0..n).step_by(PART) {
        let count = PART.min(n - first);
        // SAFETY: the device's memory is that large, as looked up above.
        unsafe { part.as_mut_ptr().copy_from_nonoverlapping((from as *const N).wrapping_add(first), count) };
        for _ in 0..k {
            part.iter_mut().for_each(|x| *x = x.step(a, b));
        }
        // SAFETY: as above.
        unsafe { (to as *mut N).wrapping_add(first).copy_from_nonoverlapping(part.as_ptr(), count) };
    }
    Some(2 * bytes)
}

/// What operations and bytes at once cost: the longer of the two.
fn computing(device: usize, operations: f64, bytes: usize) -> Command {
    let config = crate::config::Config::chosen();
    // 10⁹ operations a second are operations a nanosecond.
    let computing_ns = heat::spent_ns(device, operations / config.gflops);
    let moving_ns = bytes as f64 / config.device_gbs;
    work(Way::Within(device), 0, config.launch_us + computing_ns.max(moving_ns) * 1e-3, f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::{half, sum};

    #[test]
    fn a_thread_has_eight_chains_of_as_many_steps() {
        // 0 + 1 + … + 7, and 1024 from each.
        assert_eq!(sum(1.0_f64, 1.0), 28.0 + 8.0 * 1024.0);
        assert_eq!(sum(1, 3), 28 + 8 * 3 * 1024);
        assert_eq!((half(0x3c00), half(0x4700), half(0)), (1.0, 7.0, 0.0));
    }
}
