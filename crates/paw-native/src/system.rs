//! What a program asks of the system again and again: calls, clocks, fresh pages, turns with a sleeping thread.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

mod fresh_pages;
mod sleepers;
mod time_source;

pub use fresh_pages::{FreshPages, PageSize};
pub use sleepers::{Played, Sleepers};
pub use time_source::TimeSource;

/// Asks the kernel for the number of the parent process, by a system call that no library caches.
#[inline]
pub fn parent() -> i64 {
    // SAFETY: the call takes no argument, and only returns a number.
    unsafe { libc::syscall(libc::SYS_getppid) }
}

/// What the kernel has counted of the calling thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadCounts {
    /// Page faults without a read from a disk.
    pub minor_faults: i64,
    /// Switches to another thread, because this one waited or because the other went first.
    pub switches: i64,
}

impl ThreadCounts {
    /// The counts so far.
    pub fn now() -> Self {
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the kernel fills the structure, all of whose bytes may be zero; a refusal leaves zeros.
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
            usage.assume_init()
        };
        Self { minor_faults: usage.ru_minflt, switches: usage.ru_nvcsw + usage.ru_nivcsw }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_parent_is_the_one_that_the_library_names() {
        if cfg!(miri) {
            return;
        }
        assert_eq!(super::parent(), i64::from(std::os::unix::process::parent_id()));
    }
}
