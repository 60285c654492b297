//! The system calls of this crate: which processors a thread may run on, and the kernel's name for the host.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::io;
use std::mem;

use crate::cpuset::CpuSet;

/// Bits of one word of the kernel's mask.
const WORD_BITS: usize = usize::BITS as usize;

/// Words of the first mask tried: 1024 processors; the kernel says EINVAL where it counts more, and the mask grows.
const WORDS_FIRST: usize = 1024 / WORD_BITS;

/// Words of the largest mask tried: 65,536 processors.
const WORDS_LAST: usize = 65_536 / WORD_BITS;

/// Processors that thread `tid` may run on; 0 is the calling thread.
pub fn affinity(tid: i32) -> io::Result<CpuSet> {
    let mut words = WORDS_FIRST;
    loop {
        let mut mask = vec![0_usize; words];
        let bytes = mem::size_of_val(&mask[..]);
        // SAFETY: the kernel writes at most `bytes` bytes to the mask, which owns as many, aligned as its words are.
        let status = unsafe { libc::sched_getaffinity(tid, bytes, mask.as_mut_ptr().cast()) };
        if status == 0 {
            return Ok(members(&mask));
        }
        let error = io::Error::last_os_error();
        if error.raw_os_error() != Some(libc::EINVAL) || words >= WORDS_LAST {
            return Err(error);
        }
        words *= 2;
    }
}

/// Lets thread `tid` run on `cpus` alone; 0 is the calling thread.
pub fn set_affinity(tid: i32, cpus: &CpuSet) -> io::Result<()> {
    let words = cpus.last().map_or(1, |last| last as usize / WORD_BITS + 1).max(WORDS_FIRST);
    let mut mask = vec![0_usize; words];
    for cpu in cpus.iter() {
        mask[cpu as usize / WORD_BITS] |= 1 << (cpu as usize % WORD_BITS);
    }
    let bytes = mem::size_of_val(&mask[..]);
    // SAFETY: the kernel reads at most `bytes` bytes of the mask, which owns as many, aligned as its words are.
    let status = unsafe { libc::sched_setaffinity(tid, bytes, mask.as_ptr().cast()) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The numbers whose bits are set.
fn members(mask: &[usize]) -> CpuSet {
    let bit = |cpu: &usize| mask[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1 == 1;
    (0..mask.len() * WORD_BITS).filter(bit).map(|cpu| cpu as u32).collect()
}

/// What the running kernel calls the host and itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelNames {
    /// Host name.
    pub host: String,
    /// Kernel release.
    pub release: String,
    /// Architecture.
    pub arch: String,
}

/// What the running kernel calls the host and itself (`uname`).
pub fn kernel_names() -> io::Result<KernelNames> {
    // SAFETY: `utsname` is plain arrays of characters, for which all zeros is a value.
    let mut names: libc::utsname = unsafe { mem::zeroed() };
    // SAFETY: the kernel writes one `utsname` to a place that holds one.
    let status = unsafe { libc::uname(&raw mut names) };
    if status != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(KernelNames { host: text(&names.nodename), release: text(&names.release), arch: text(&names.machine) })
}

/// The text before the first NUL.
fn text(field: &[libc::c_char]) -> String {
    let bytes: Vec<u8> = field.iter().flat_map(|c| c.to_ne_bytes()).collect();
    CStr::from_bytes_until_nul(&bytes).map_or_else(|_| String::new(), |s| s.to_string_lossy().into_owned())
}
