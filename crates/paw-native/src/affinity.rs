//! The processors that a thread may run on: read and set, for as many processors as the kernel counts.
#![allow(unsafe_code)]

use std::io;

/// The calling thread, in calls that take a thread's id.
pub const CALLER: i32 = 0;

/// Bits of one word of the kernel's mask.
const WORD_BITS: usize = usize::BITS as usize;
/// Words of the first mask tried: 1,024 processors. The kernel answers EINVAL where it counts more, and the mask grows.
const WORDS_FIRST: usize = 1024 / WORD_BITS;
/// Words of the largest mask: 65,536 processors, more than any Linux can be built for, so that a mistyped number allocates little.
const WORDS_MAX: usize = 65_536 / WORD_BITS;

/// Restricts the calling thread to these processors.
///
/// # Errors
/// What the kernel says where none of them exists or is allowed.
pub fn pin(cpus: &[u32]) -> io::Result<()> {
    pin_thread(CALLER, cpus)
}

/// Restricts the thread with this kernel id to these processors.
///
/// # Errors
/// As [`pin`], or where there is no such thread.
pub fn pin_thread(tid: i32, cpus: &[u32]) -> io::Result<()> {
    let highest = cpus.iter().max().copied().unwrap_or(0) as usize;
    let mut mask = vec![0_usize; (highest / WORD_BITS + 1).min(WORDS_MAX)];
    for &cpu in cpus {
        let word = mask.get_mut(cpu as usize / WORD_BITS).ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))?;
        *word |= 1 << (cpu as usize % WORD_BITS);
    }
    // SAFETY: the kernel reads at most `size_of_val(&mask[..])` bytes of the mask, which owns that many.
    let status = unsafe { libc::sched_setaffinity(tid, size_of_val(&mask[..]), mask.as_ptr().cast()) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The processors the calling thread may run on, in ascending order.
///
/// # Errors
/// What the kernel says.
pub fn allowed() -> io::Result<Vec<u32>> {
    allowed_of(CALLER)
}

/// The processors that the thread with this kernel id may run on, in ascending order.
///
/// # Errors
/// Where there is no such thread.
pub fn allowed_of(tid: i32) -> io::Result<Vec<u32>> {
    let mut words = WORDS_FIRST;
    loop {
        let mut mask = vec![0_usize; words];
        // SAFETY: the kernel writes at most `size_of_val(&mask[..])` bytes to the mask, which owns that many.
        let status = unsafe { libc::sched_getaffinity(tid, size_of_val(&mask[..]), mask.as_mut_ptr().cast()) };
        if status == 0 {
            let is_set = |cpu: &u32| mask[*cpu as usize / WORD_BITS] >> (*cpu as usize % WORD_BITS) & 1 == 1;
            return Ok((0..(words * WORD_BITS) as u32).filter(is_set).collect());
        }
        let error = io::Error::last_os_error();
        if error.raw_os_error() != Some(libc::EINVAL) || words >= WORDS_MAX {
            return Err(error);
        }
        words *= 2;
    }
}

/// The kernel's id of the calling thread, as in `/proc/self/task`.
pub fn thread_id() -> i32 {
    // SAFETY: gettid has no arguments and cannot fail.
    unsafe { libc::gettid() }
}

#[cfg(test)]
mod tests {
    use super::{allowed, allowed_of, pin, pin_thread, thread_id};

    #[test]
    fn a_pinned_thread_may_run_on_that_processor_only() {
        let spawned = std::thread::spawn(|| {
            let last = *allowed().unwrap().last().unwrap();
            pin(&[last]).unwrap();
            assert_eq!(allowed().unwrap(), [last]);
            assert_eq!(allowed_of(thread_id()).unwrap(), [last]);
        });
        spawned.join().unwrap();
    }

    #[test]
    fn a_processor_or_thread_that_cannot_exist_is_refused() {
        for cpus in [&[1 << 20][..], &[60_000], &[u32::MAX], &[]] {
            assert_eq!(pin(cpus).unwrap_err().raw_os_error(), Some(libc::EINVAL), "{cpus:?}");
        }
        assert_eq!(pin_thread(i32::MAX, &[0]).unwrap_err().raw_os_error(), Some(libc::ESRCH));
        assert_eq!(allowed_of(i32::MAX).unwrap_err().raw_os_error(), Some(libc::ESRCH));
    }
}
