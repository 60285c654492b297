//! Memory that nobody has touched.

use std::ptr::NonNull;

/// The size of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageSize {
    /// The system's own: 4 KiB on x86-64.
    Small,
    /// 2 MiB, where the kernel gives them to who asks.
    Huge,
}

impl PageSize {
    /// Bytes of a page.
    pub fn bytes(self) -> usize {
        match self {
            // SAFETY: the call reads a constant of the system.
            Self::Small => usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096),
            Self::Huge => 2 << 20,
        }
    }
}

/// A mapping of pages that the kernel has not yet provided: the first write to each is a page fault.
#[derive(Debug)]
pub struct FreshPages {
    map: NonNull<libc::c_void>,
    map_bytes: usize,
    /// Bytes from the mapping's start to its first page.
    skip: usize,
    page_bytes: usize,
    pages: usize,
}

impl FreshPages {
    /// `pages` pages; `None` where the system refuses the memory.
    pub fn new(pages: usize, size: PageSize) -> Option<Self> {
        let page_bytes = size.bytes();
        let map_bytes = pages.checked_add(1)?.checked_mul(page_bytes)?;
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new anonymous mapping at an address of the kernel's choice touches no existing memory.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), map_bytes, protection, flags, -1, 0) };
        let map = NonNull::new(map).filter(|map| map.as_ptr() != libc::MAP_FAILED)?;
        let advice = if size == PageSize::Huge { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE };
        // SAFETY: the range is the mapping above; the advice does not change its contents, and a kernel may refuse it.
        unsafe { libc::madvise(map.as_ptr(), map_bytes, advice) };
        let skip = map.as_ptr().cast::<u8>().align_offset(page_bytes);
        Some(Self { map, map_bytes, skip, page_bytes, pages })
    }

    /// Writes a byte of each of the pages `range`, clipped to those there are.
    pub fn touch(&mut self, pages: std::ops::Range<usize>) {
        for page in pages.start..pages.end.min(self.pages) {
            // SAFETY: `skip` is less than the one page more than `pages` that the mapping has, so that the byte is inside it.
            unsafe { self.map.as_ptr().cast::<u8>().add(self.skip + page * self.page_bytes).write_volatile(1) };
        }
    }

    /// The sum of the bytes that [`FreshPages::touch`] writes: the pages touched. It touches the others.
    pub fn touched(&self) -> usize {
        // SAFETY: as in `touch`; a byte that was never written is zero.
        let byte =
            |page| unsafe { self.map.as_ptr().cast::<u8>().add(self.skip + page * self.page_bytes).read_volatile() };
        (0..self.pages).map(|page| usize::from(byte(page))).sum()
    }
}

impl Drop for FreshPages {
    fn drop(&mut self) {
        // SAFETY: this is the mapping `new` made, and nothing borrows from it.
        unsafe { libc::munmap(self.map.as_ptr(), self.map_bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::{FreshPages, PageSize};
    use crate::system::ThreadCounts;

    #[test]
    fn the_first_write_to_a_small_page_is_a_fault() {
        if cfg!(miri) {
            return;
        }
        let mut pages = FreshPages::new(100, PageSize::Small).expect("there is room");
        let before = ThreadCounts::now().minor_faults;
        pages.touch(0..100);
        let faults = ThreadCounts::now().minor_faults - before;
        assert!(faults >= 100, "{faults}");
        assert_eq!(pages.touched(), 100);
        pages.touch(99..1000);
    }
}
