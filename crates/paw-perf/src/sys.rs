//! The system calls of perf_event: open, switch, read, map.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};

/// `perf_event_attr` of linux/perf_event.h in its fifth published length, which Linux 4.1 and all later ones read.
///
/// The names are those of perf_event_open(2), where each field is described.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attributes {
    /// Kind of event: `PERF_TYPE_…`, or the number of a unit below `/sys/bus/event_source/devices`.
    pub kind: u32,
    /// Bytes of this structure.
    size: u32,
    /// The event.
    pub config: u64,
    /// Events between two samples, or samples a second if [`flag::FREQUENCY`] is set; 0 counts only.
    pub sample_period: u64,
    /// Fields of a sample: `PERF_SAMPLE_…`.
    pub sample_type: u64,
    /// Fields of a reading: `PERF_FORMAT_…`.
    pub read_format: u64,
    /// Bits of [`flag`].
    pub flags: u64,
    /// Events or bytes between two wake-ups.
    pub wakeup: u32,
    /// Kind of breakpoint.
    pub breakpoint: u32,
    /// Second word of the event.
    pub config1: u64,
    /// Third word of the event.
    pub config2: u64,
    /// Kinds of branches that are sampled.
    pub branch_sample_type: u64,
    /// User registers of a sample.
    pub sample_regs_user: u64,
    /// Bytes of the user stack of a sample.
    pub sample_stack_user: u32,
    /// Clock of the time stamps.
    pub clockid: i32,
    /// Interrupted registers of a sample.
    pub sample_regs_intr: u64,
    /// Bytes of the auxiliary area between two wake-ups.
    pub aux_watermark: u32,
    /// Most addresses of a call chain.
    pub sample_max_stack: u16,
    reserved: u16,
}

/// Bits of [`Attributes::flags`], in the order of linux/perf_event.h.
pub mod flag {
    /// The event begins switched off.
    pub const DISABLED: u64 = 1 << 0;
    /// Processes and threads started later are counted too.
    pub const INHERIT: u64 = 1 << 1;
    /// User space is left out.
    pub const EXCLUDE_USER: u64 = 1 << 4;
    /// The kernel is left out.
    pub const EXCLUDE_KERNEL: u64 = 1 << 5;
    /// The hypervisor is left out.
    pub const EXCLUDE_HV: u64 = 1 << 6;
    /// Records of mapped files are kept.
    pub const MMAP: u64 = 1 << 8;
    /// Records of program names are kept.
    pub const COMM: u64 = 1 << 9;
    /// The period is a frequency in hertz.
    pub const FREQUENCY: u64 = 1 << 10;
    /// The event is switched on when its process calls exec.
    pub const ENABLE_ON_EXEC: u64 = 1 << 12;
    /// Records of started and ended tasks are kept.
    pub const TASK: u64 = 1 << 13;
    /// The wake-up is a number of bytes.
    pub const WATERMARK: u64 = 1 << 14;
    /// Records that are no samples carry the fields of one.
    pub const SAMPLE_ID_ALL: u64 = 1 << 18;
    /// Call chains leave the kernel's part out.
    pub const EXCLUDE_CHAIN_OF_KERNEL: u64 = 1 << 21;
    /// Records of mapped files have their inode or build identifier.
    pub const MMAP2: u64 = 1 << 23;
    /// Records of program names say whether exec set them.
    pub const COMM_EXEC: u64 = 1 << 24;
    /// Time stamps are of the attribute `clockid`.
    pub const USE_CLOCK_ID: u64 = 1 << 25;
}

/// `PERF_FORMAT_TOTAL_TIME_ENABLED`.
pub const FORMAT_TIME_ENABLED: u64 = 1;
/// `PERF_FORMAT_TOTAL_TIME_RUNNING`.
pub const FORMAT_TIME_RUNNING: u64 = 2;

/// `PERF_FLAG_FD_CLOEXEC`: programs that are started do not get the descriptor.
const CLOSE_ON_EXEC: libc::c_ulong = 8;
/// `PERF_EVENT_IOC_ENABLE`.
const ENABLE: libc::c_ulong = 0x2400;
/// `PERF_EVENT_IOC_DISABLE`.
const DISABLE: libc::c_ulong = 0x2401;

/// Opens an event of the thread `pid` (0: the calling one; -1: any) on the processor `cpu` (-1: any).
///
/// # Errors
/// The kernel's, see perf_event_open(2).
pub fn open(attributes: &Attributes, pid: i32, cpu: i32) -> io::Result<File> {
    opened(attributes, pid, cpu, -1)
}

/// Opens an event as [`open`] does, in the group that `leader` leads: both are on counters at once, or neither.
///
/// # Errors
/// The kernel's, see perf_event_open(2).
pub fn open_in_group(attributes: &Attributes, pid: i32, cpu: i32, leader: BorrowedFd<'_>) -> io::Result<File> {
    opened(attributes, pid, cpu, leader.as_raw_fd())
}

fn opened(attributes: &Attributes, pid: i32, cpu: i32, leader: libc::c_int) -> io::Result<File> {
    let whole = Attributes { size: size_of::<Attributes>() as u32, ..*attributes };
    // SAFETY: the structure has the layout that the kernel reads, and `size` says how long it is; the kernel keeps no pointer to it.
    let descriptor =
        unsafe { libc::syscall(libc::SYS_perf_event_open, &raw const whole, pid, cpu, leader, CLOSE_ON_EXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor, and nobody else knows it.
    Ok(unsafe { File::from_raw_fd(descriptor as i32) })
}

/// Switches an event on, with those that its children inherited.
///
/// # Errors
/// The kernel's.
pub fn enable(event: BorrowedFd<'_>) -> io::Result<()> {
    switch(event, ENABLE)
}

/// Switches an event off, with those that its children inherited.
///
/// # Errors
/// The kernel's.
pub fn disable(event: BorrowedFd<'_>) -> io::Result<()> {
    switch(event, DISABLE)
}

fn switch(event: BorrowedFd<'_>, request: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the descriptor is open while it is borrowed, and this request takes a number, not an address.
    let done = unsafe { libc::ioctl(event.as_raw_fd(), request as _, 0) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Reads `N` words of an event's reading.
///
/// # Errors
/// The kernel's, or a reading that is shorter: an event that could not be put on a counter reads as nothing.
pub fn read<const N: usize>(mut event: &File) -> io::Result<[u64; N]> {
    let mut words = [0; N];
    let mut bytes = vec![0; N * size_of::<u64>()];
    // One call: the kernel gives a whole reading or nothing.
    let length = event.read(&mut bytes)?;
    if length < bytes.len() {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
    }
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(size_of::<u64>())) {
        *word = u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
    }
    Ok(words)
}

/// Bytes of a page.
pub(crate) fn page_size() -> usize {
    // SAFETY: takes a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Processor seconds in user mode and in the kernel of this process's children that have ended and were waited for.
pub(crate) fn children_s() -> (f64, f64) {
    // SAFETY: rusage is a plain C structure of numbers, for which zeros are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is a live local. A failure leaves zeros.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    (seconds(usage.ru_utime), seconds(usage.ru_stime))
}

/// Memory that an event shares with this process: a page of positions, and a ring of bytes after it.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: NonNull<u8>,
    page: usize,
    ring: usize,
}

// SAFETY: the mapping is this value's own, and every access goes through its methods; positions are atomic.
unsafe impl Send for Mapping {}

/// Offset of `data_head` in `struct perf_event_mmap_page`; `data_tail` follows it.
const HEAD: usize = 1024;

impl Mapping {
    /// Maps a ring of `pages` pages, a power of two, of `event`.
    pub fn new(event: BorrowedFd<'_>, pages: usize) -> io::Result<Self> {
        let page = page_size();
        let ring = pages * page;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a fresh mapping at an address of the kernel's choice replaces nothing.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), page + ring, protection, libc::MAP_SHARED, event.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, page, ring })
    }

    /// Bytes of the ring.
    pub fn size(&self) -> usize {
        self.ring
    }

    /// Bytes that the kernel has written since the event began. What lies before it can be read.
    pub fn head(&self) -> u64 {
        self.position(HEAD).load(Ordering::Acquire)
    }

    /// Lets the kernel overwrite everything before `tail`.
    pub fn release(&self, tail: u64) {
        self.position(HEAD + 8).store(tail, Ordering::Release);
    }

    fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the first page is mapped as long as `self`, and holds an aligned 64-bit number there, which the kernel reads and writes
        // as a whole.
        unsafe { AtomicU64::from_ptr(self.start.as_ptr().add(offset).cast()) }
    }

    /// Copies the ring's bytes from position `at` on. They must lie between tail and head, where the kernel does not write.
    pub fn copy(&self, at: u64, to: &mut [u8]) {
        let mut done = 0;
        while done < to.len().min(self.ring) {
            let from = (at.wrapping_add(done as u64) % self.ring as u64) as usize;
            let count = (self.ring - from).min(to.len() - done);
            // SAFETY: `from + count` lies within the ring, which is mapped as long as `self`; `to` is memory of this process's own.
            unsafe {
                ptr::copy_nonoverlapping(self.start.as_ptr().add(self.page + from), to[done..].as_mut_ptr(), count);
            }
            done += count;
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: exactly what was mapped, and nobody has a reference into it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.page + self.ring) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_has_a_published_length() {
        // PERF_ATTR_SIZE_VER5.
        assert_eq!(size_of::<Attributes>(), 112);
    }
}
