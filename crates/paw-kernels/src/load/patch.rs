//! Machine code that takes the place of a loop of a loaded library, in this process alone.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use paw_measure::fault::Fault;

use crate::load::library::Function;

/// Bytes for code: a changed loop is hardly longer than the loop.
pub(crate) const CODE_BYTES: usize = 1 << 20;
/// Bytes of a page of memory.
const PAGE_BYTES: usize = 4096;
/// Bytes for data behind the code: a page of operands, or counters.
pub(crate) const DATA_BYTES: usize = 4 * PAGE_BYTES;
/// How far a jump of five bytes reaches, less room for the library itself.
const REACH: u64 = 1 << 30;
/// Steps in which free addresses are looked for.
const STEP: u64 = 16 << 20;

/// Memory for code, and pages of data behind it, near a function. It stays until the process ends.
#[derive(Debug)]
pub(crate) struct PatchRoom {
    code: u64,
    used: usize,
}

impl PatchRoom {
    /// Room near `function`.
    ///
    /// # Errors
    /// The system grants none there.
    pub fn near(function: Function) -> Result<Self, Fault> {
        let home = function.address() as u64 & !(STEP - 1);
        let hints = (1..REACH / STEP).flat_map(|step| [home.wrapping_sub(step * STEP), home.wrapping_add(step * STEP)]);
        let refused = || Fault::Broken("the system grants no memory for code near the library".to_owned());
        let code = hints.into_iter().filter(|at| *at < i64::MAX as u64).find_map(map_at).ok_or_else(refused)?;
        Ok(Self { code, used: 0 })
    }

    /// The address for the next code.
    pub fn next_code(&self) -> u64 {
        self.code + self.used as u64
    }

    /// The address of the data.
    pub fn page(&self) -> u64 {
        self.code + CODE_BYTES as u64
    }

    /// The word of the data at `offset`, a multiple of eight below their size.
    pub fn word(&self, offset: u64) -> u64 {
        let at = self.page() + offset.min(DATA_BYTES as u64 - 8) / 8 * 8;
        // SAFETY: the pages are mapped for as long as this process lives, and its words are only read and written whole.
        let word = unsafe { AtomicU64::from_ptr(at as *mut u64) };
        word.load(Relaxed)
    }

    /// Puts `code` at [`next_code`](Self::next_code).
    ///
    /// # Errors
    /// There is no room, or the system refuses.
    pub fn put(&mut self, code: &[u8]) -> Result<(), Fault> {
        if code.len() > CODE_BYTES - self.used {
            return Err(Fault::Broken("the changed loops are too long".to_owned()));
        }
        write(self.next_code(), code)?;
        self.used += code.len().next_multiple_of(64);
        Ok(())
    }

    /// Fills the data from their beginning.
    pub fn fill(&self, contents: &[u8]) {
        let bytes = contents.len().min(DATA_BYTES);
        // SAFETY: the pages are mapped, and no reference to it exists.
        unsafe { std::ptr::copy_nonoverlapping(contents.as_ptr(), self.page() as *mut u8, bytes) };
    }
}

/// Writes `bytes` over code at `at`, which nobody runs meanwhile; it is never writable and executable at once.
///
/// # Errors
/// The system refuses.
pub(crate) fn write(at: u64, bytes: &[u8]) -> Result<(), Fault> {
    let from = at & !(PAGE_BYTES as u64 - 1);
    let len = (at + bytes.len() as u64 - from) as usize;
    protect(from, len, libc::PROT_READ | libc::PROT_WRITE)?;
    // SAFETY: the pages belong to a private mapping of this process and were made writable; no code in them runs now.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, bytes.len()) };
    protect(from, len, libc::PROT_READ | libc::PROT_EXEC)
}

fn protect(from: u64, len: usize, protection: libc::c_int) -> Result<(), Fault> {
    // SAFETY: the pages are this process's own code; a refusal changes nothing.
    if unsafe { libc::mprotect(from as *mut libc::c_void, len, protection) } == 0 {
        return Ok(());
    }
    let why = std::io::Error::last_os_error();
    Err(Fault::Broken(format!("the system does not let code be changed: {why}")))
}

/// Code and data at `at`, if nothing is there.
fn map_at(at: u64) -> Option<u64> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    let (bytes, access) = (CODE_BYTES + DATA_BYTES, libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: the mapping replaces no other one.
    let address = unsafe { libc::mmap(at as *mut libc::c_void, bytes, access, flags, -1, 0) };
    if address == libc::MAP_FAILED {
        return None;
    }
    if address as u64 != at {
        // SAFETY: this is the mapping made above, at a place where it is of no use.
        unsafe { libc::munmap(address, bytes) };
        return None;
    }
    Some(at)
}
