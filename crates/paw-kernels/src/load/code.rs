//! Machine code that repeats instructions, called as a function of a page and of a number of turns.

use std::ptr::NonNull;

use paw_measure::clock::Clock;
use paw_measure::fault::Fault;

/// Bytes of the page behind the code.
const PAGE_BYTES: usize = 4096;

type Repeats = unsafe extern "C" fn(page: *mut u8, turns: u64);

/// Code in memory of its own, which is never writable and executable at once, and its page.
#[derive(Debug)]
pub(crate) struct Code {
    map: NonNull<u8>,
    code_bytes: usize,
}

impl Code {
    /// `code` with a page that holds `contents`, and at `pointer` its own address.
    ///
    /// # Errors
    /// The system refuses the memory.
    pub fn new(code: &[u8], contents: &[u8], pointer: usize) -> Result<Self, Fault> {
        let code_bytes = code.len().next_multiple_of(PAGE_BYTES).max(PAGE_BYTES);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new anonymous mapping at an address of the kernel's choice touches no existing memory.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), code_bytes + PAGE_BYTES, access, flags, -1, 0) };
        let refused = || Fault::Missing("the system refuses memory for code".to_owned());
        let map = NonNull::new(address.cast::<u8>()).filter(|_| address != libc::MAP_FAILED).ok_or_else(refused)?;
        let own = Self { map, code_bytes };
        own.copy(0, code);
        own.copy(code_bytes, &contents[..contents.len().min(PAGE_BYTES)]);
        let word = code_bytes + pointer.min(PAGE_BYTES - 8);
        own.copy(word, &(own.map.as_ptr() as usize + word).to_ne_bytes());
        // SAFETY: these pages are part of the mapping above, and nobody runs them yet.
        let made = unsafe { libc::mprotect(address, code_bytes, libc::PROT_READ | libc::PROT_EXEC) };
        if made == 0 { Ok(own) } else { Err(Fault::Missing("the system does not let new code be run".to_owned())) }
    }

    fn copy(&self, at: usize, bytes: &[u8]) {
        // SAFETY: callers stay within the mapping, which is writable and to which no reference exists.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.map.as_ptr().add(at), bytes.len()) };
    }

    /// Ticks of `clock` that `turns` turns take, one at least.
    pub fn time(&mut self, turns: u64, clock: &Clock) -> u64 {
        let entry = self.map.as_ptr();
        // SAFETY: the mapping begins with a function of this type, which its maker wrote.
        let repeats = unsafe { std::mem::transmute::<*mut u8, Repeats>(entry) };
        // SAFETY: the page lies behind the code, in the same mapping.
        let page = unsafe { entry.add(self.code_bytes) };
        let start = clock.start();
        // SAFETY: the code reads and writes its page alone and keeps the registers that a callee must keep.
        unsafe { repeats(page, turns.max(1)) };
        let stop = clock.stop();
        stop.wrapping_sub(start)
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: this is the mapping that `new` made, and no code in it runs.
        unsafe { libc::munmap(self.map.as_ptr().cast(), self.code_bytes + PAGE_BYTES) };
    }
}
