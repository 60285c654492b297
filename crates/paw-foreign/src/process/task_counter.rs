//! Counts the threads of this process while a call runs.
//!
//! A forked process counts. A thread would end the mode in which the C library locks without atomic operations, for good: it made
//! every later call of OpenBLAS 25 ns longer.
#![allow(unsafe_code)]

use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicU32, Ordering};

use super::tasks;

/// Microseconds between two counts: short compared with a first call's milliseconds, long enough to leave the processor to it.
const BETWEEN_COUNTS_US: libc::useconds_t = 100;
/// Fields of proc_pid_stat(5) between the program's name and the number of threads.
const FIELDS_BEFORE: usize = 17;

/// The most threads that this process had while `call` ran. Counting during the call sees threads that live for one call only,
/// such as those of BLIS.
pub(crate) fn most_tasks_during(call: impl FnOnce()) -> usize {
    let counter = TaskCounter::start();
    call();
    let most = counter.map_or(0, TaskCounter::stop);
    most.max(tasks())
}

/// Whether this process has had one thread only, so that the C library locks without atomic operations; `None` where the C library
/// does not tell (glibc does from 2.32 on).
pub fn is_single_threaded() -> Option<bool> {
    // SAFETY: a C string; the address is read below.
    let flag = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__libc_single_threaded".as_ptr()) };
    // SAFETY: glibc declares the variable as a char, and writes it where threads start and end.
    (!flag.is_null()).then(|| unsafe { flag.cast::<u8>().read_volatile() } != 0)
}

/// A child process that counts this process's threads.
struct TaskCounter {
    shared: &'static SharedCounter,
    child: libc::pid_t,
}

/// Memory of both processes.
#[derive(Default)]
struct SharedCounter {
    most: AtomicU32,
    ended: AtomicU32,
}

impl TaskCounter {
    /// Starts counting; `None` where the system refuses memory or another process.
    fn start() -> Option<Self> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address of the kernel's choice touches no existing memory.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), size_of::<SharedCounter>(), protection, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the mapping is large enough, begins on a page, holds zeros, and stays mapped until `stop`.
        let shared = unsafe { &*address.cast::<SharedCounter>() };
        let parent = std::process::id().cast_signed();
        let stat = CString::new(format!("/proc/{parent}/stat")).ok()?;
        // The system call, not fork(3): OpenBLAS ends its threads before a fork that it hears of.
        // SAFETY: as fork; the child makes system calls alone, on memory of its own and `shared`.
        let child = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) } as libc::pid_t;
        match child {
            0 => count(&stat, parent, shared),
            1.. => Some(Self { shared, child }),
            _ => None,
        }
    }

    /// Ends the child and returns the most threads it saw.
    fn stop(self) -> usize {
        self.shared.ended.store(1, Ordering::Release);
        // SAFETY: a child of ours; its status is not wanted.
        unsafe { libc::waitpid(self.child, std::ptr::null_mut(), 0) };
        let most = self.shared.most.load(Ordering::Acquire) as usize;
        // SAFETY: the mapping that `start` made, to which no reference is left.
        unsafe { libc::munmap((&raw const *self.shared).cast_mut().cast::<c_void>(), size_of::<SharedCounter>()) };
        most
    }
}

/// Counts until the parent says that the call has ended, or has itself ended. Allocates nothing and takes no lock.
fn count(stat: &CString, parent: libc::pid_t, shared: &SharedCounter) -> ! {
    let mut text = [0_u8; 1024];
    // SAFETY: takes nothing.
    while shared.ended.load(Ordering::Acquire) == 0 && unsafe { libc::getppid() } == parent {
        // SAFETY: a C string.
        let file = unsafe { libc::open(stat.as_ptr(), libc::O_RDONLY) };
        // SAFETY: the kernel writes at most the array's length.
        let length = unsafe { libc::read(file, text.as_mut_ptr().cast(), text.len()) };
        // SAFETY: a file of this function's own.
        unsafe { libc::close(file) };
        shared.most.fetch_max(threads(&text[..usize::try_from(length).unwrap_or(0)]), Ordering::AcqRel);
        // SAFETY: takes a number.
        unsafe { libc::usleep(BETWEEN_COUNTS_US) };
    }
    // SAFETY: runs nothing of the parent's exit.
    unsafe { libc::_exit(0) }
}

/// The number of threads in a line of proc_pid_stat(5); 0 where there is none.
fn threads(stat: &[u8]) -> u32 {
    let after_name = stat.iter().rposition(|byte| *byte == b')').map_or(stat.len(), |end| end + 2);
    let field = stat.get(after_name..).and_then(|fields| fields.split(|byte| *byte == b' ').nth(FIELDS_BEFORE));
    field.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn the_number_of_threads_is_read_behind_any_name() {
        let stat = b"7 (a) R (b) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 23 0 99 1 1";
        assert_eq!((threads(stat), threads(b""), threads(b"7 (a)")), (23, 0, 0));
    }

    #[test]
    fn threads_started_by_the_call_are_counted() {
        let (started, start) = mpsc::channel();
        let mut releases = Vec::new();
        let most = most_tasks_during(|| {
            for _ in 0..3 {
                let (release, released) = mpsc::channel::<()>();
                let started = started.clone();
                releases.push(release);
                thread::spawn(move || {
                    started.send(()).expect("the test listens");
                    released.recv().ok();
                });
            }
            assert_eq!(start.iter().take(3).count(), 3);
        });
        assert!(most >= 4, "{most}: this thread and the three it started");
    }
}
