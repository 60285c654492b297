//! The processors the calling thread may run on.
#![allow(unsafe_code)]

use std::io;

/// Bits in one word of a processor mask.
const WORD: usize = u64::BITS as usize;
/// Words of the widest mask asked for: the kernel's `NR_CPUS` is at most 8192 on the architectures it ships for.
const WORDS: usize = 8192 / WORD;

/// Restricts the calling thread to these processors.
///
/// # Errors
/// What the kernel says where none of them exists or is allowed.
pub fn pin(cpus: &[u32]) -> io::Result<()> {
    let mut mask = [0u64; WORDS];
    for &cpu in cpus {
        let word = mask.get_mut(cpu as usize / WORD).ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))?;
        *word |= 1 << (cpu as usize % WORD);
    }
    // SAFETY: the mask is `size_of_val(&mask)` bytes long and the kernel only reads it.
    let status = unsafe { libc::sched_setaffinity(0, size_of_val(&mask), mask.as_ptr().cast()) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The processors the calling thread may run on, in ascending order.
///
/// # Errors
/// What the kernel says.
pub fn allowed() -> io::Result<Vec<u32>> {
    let mut mask = [0u64; WORDS];
    // SAFETY: the mask is `size_of_val(&mask)` bytes long and the kernel writes at most so many.
    let status = unsafe { libc::sched_getaffinity(0, size_of_val(&mask), mask.as_mut_ptr().cast()) };
    if status < 0 {
        return Err(io::Error::last_os_error());
    }
    let bits = (0..WORDS * WORD).filter(|bit| mask[bit / WORD] >> (bit % WORD) & 1 == 1);
    Ok(bits.map(|bit| bit as u32).collect())
}

/// The kernel's id of the calling thread, as in `/proc/self/task`.
pub fn thread_id() -> i32 {
    // SAFETY: gettid has no arguments and cannot fail.
    unsafe { libc::gettid() }
}

#[cfg(test)]
mod tests {
    use super::{allowed, pin};

    #[test]
    fn a_pinned_thread_may_run_on_that_processor_only() {
        std::thread::spawn(|| {
            let last = *allowed().unwrap().last().unwrap();
            pin(&[last]).unwrap();
            assert_eq!(allowed().unwrap(), [last]);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_processor_that_cannot_exist_is_refused() {
        assert!(pin(&[1 << 20]).is_err());
        assert!(pin(&[]).is_err());
    }
}
