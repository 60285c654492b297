//! Page-aligned buffers, first touched by the workers that use them; running out of memory is an error value.
#![allow(unsafe_code)]

use std::fmt;
use std::ops::{Deref, DerefMut, Range};
use std::ptr::NonNull;
use std::slice;

use crate::page_count::PageCount;
use crate::partition::part;
use crate::pool::ThreadPool;

/// Bytes of a page, at which workers' parts are cut: the small page of x86-64 and of most AArch64 systems.
pub const PAGE_BYTES: usize = 4096;

/// A huge page of x86-64, and of AArch64 with 4 KiB pages.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// The size of a buffer's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// The system's default pages, which may be huge ones.
    Plain,
    /// Small pages, also where the system gives huge ones to all (`madvise(MADV_NOHUGEPAGE)`).
    Small,
    /// 2 MiB pages where the system can give them (`madvise(MADV_HUGEPAGE)`): the buffer starts on such a page and has whole ones.
    Huge,
}

/// The system refused memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory {
    /// Bytes wanted; `usize::MAX` where the count does not fit in an address.
    pub wanted_bytes: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.wanted_bytes;
        write!(out, "the system refused {bytes} bytes of memory; choose smaller sizes or raise the limit (`ulimit -v`)")
    }
}

impl std::error::Error for OutOfMemory {}

pub(crate) mod sealed {
    /// Types for which every pattern of bits, zero above all, is a value.
    pub trait Plain: Send + Sync + 'static {}
    impl Plain for f64 {}
    impl Plain for f32 {}
    impl Plain for i32 {}
    impl Plain for u32 {}
    impl Plain for i8 {}
    impl Plain for u8 {}
    impl Plain for crate::short_gemm::Bf16 {}
    impl Plain for u64 {}
    impl Plain for usize {}
    impl Plain for std::sync::atomic::AtomicU64 {}
}

/// Numbers that a buffer may hold.
pub trait Number: sealed::Plain {}
impl<T: sealed::Plain> Number for T {}

/// A page-aligned buffer of numbers. It reads as zeros, but the kernel allocates a page when it is first written: fill it
/// through the pool that will use it, so that each worker's part is in that worker's memory node.
/// (A buffer that was never written is read from one shared page of zeros, and measures nothing.)
pub struct Aligned<T: sealed::Plain> {
    start: NonNull<T>,
    len: usize,
    map: NonNull<libc::c_void>,
    map_bytes: usize,
    pages: Pages,
}

// SAFETY: the mapping belongs to this value alone, and its elements are plain numbers.
unsafe impl<T: sealed::Plain> Send for Aligned<T> {}
// SAFETY: shared access only reads plain numbers, or is atomic.
unsafe impl<T: sealed::Plain> Sync for Aligned<T> {}

impl<T: sealed::Plain> Aligned<T> {
    /// A buffer of `len` numbers, not yet touched.
    ///
    /// # Errors
    /// Where the system refuses the memory; nothing aborts.
    pub fn try_new(len: usize, pages: Pages) -> Result<Aligned<T>, OutOfMemory> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(OutOfMemory { wanted_bytes: usize::MAX })?;
        // Whole huge pages, and room to begin on one. What is left over keeps two buffers' huge pages in different mappings.
        let whole_bytes = |bytes: usize| bytes.checked_next_multiple_of(HUGE_PAGE_BYTES)?.checked_add(HUGE_PAGE_BYTES);
        let map_bytes = if pages == Pages::Huge { whole_bytes(bytes) } else { Some(bytes) };
        // The kernel refuses an empty mapping, so at least one byte is mapped.
        let map_bytes = map_bytes.ok_or(OutOfMemory { wanted_bytes: bytes })?.max(1);
        let map = map(map_bytes).ok_or(OutOfMemory { wanted_bytes: bytes })?;
        let mut start = map.cast::<u8>();
        if pages == Pages::Huge {
            let skip = start.as_ptr().align_offset(HUGE_PAGE_BYTES);
            // SAFETY: `skip` is less than the huge page by which the mapping was widened.
            start = unsafe { start.add(skip) };
        }
        let buffer = Aligned { start: start.cast(), len, map, map_bytes, pages };
        buffer.advise();
        Ok(buffer)
    }

    /// A buffer whose element `i` is `value(i)`; each worker of `pool` writes its own part.
    ///
    /// # Errors
    /// Where the system refuses the memory.
    pub fn try_filled(
        len: usize,
        pages: Pages,
        pool: &ThreadPool,
        value: impl Fn(usize) -> T + Sync,
    ) -> Result<Aligned<T>, OutOfMemory> {
        let mut buffer = Aligned::try_new(len, pages)?;
        buffer.fill(pool, value);
        Ok(buffer)
    }

    /// Makes element `i` be `value(i)`; each worker writes its own part, as [`Aligned::part`] cuts them.
    pub fn fill(&mut self, pool: &ThreadPool, value: impl Fn(usize) -> T + Sync) {
        pool.run_parts(self, Self::PAGE_LEN, |_, range, part| {
            for (element, index) in part.iter_mut().zip(range) {
                *element = value(index);
            }
        });
    }

    /// Makes every element `value`, on the calling thread.
    pub fn fill_here(&mut self, value: T)
    where
        T: Copy,
    {
        self.iter_mut().for_each(|element| *element = value);
    }

    /// Advises the kernel of the pages. A kernel without huge ones refuses, and the buffer keeps small ones.
    fn advise(&self) {
        let (start, bytes, advice) = match self.pages {
            Pages::Plain => return,
            Pages::Small => (self.map.as_ptr(), self.map_bytes, libc::MADV_NOHUGEPAGE),
            Pages::Huge => (self.start.as_ptr().cast(), self.paged_bytes(), libc::MADV_HUGEPAGE),
        };
        // Miri knows no madvise.
        if cfg!(miri) {
            return;
        }
        // SAFETY: the range is inside the mapping of this buffer, and the advice does not change its contents.
        unsafe { libc::madvise(start, bytes, advice) };
    }

    /// Bytes of the pages that the elements lie on.
    fn paged_bytes(&self) -> usize {
        let page_bytes = if self.pages == Pages::Huge { HUGE_PAGE_BYTES } else { PAGE_BYTES };
        size_of_val(&self[..]).next_multiple_of(page_bytes)
    }

    /// The pages that it was asked to have.
    pub fn pages(&self) -> Pages {
        self.pages
    }

    /// What the kernel says of the pages that it has; `None` where it says nothing.
    pub fn page_count(&self) -> Option<PageCount> {
        let start = self.start.as_ptr().addr();
        PageCount::read(start..start + self.paged_bytes())
    }

    /// Where the mapping starts, and its bytes.
    pub(crate) fn mapping(&self) -> (*mut libc::c_void, usize) {
        (self.map.as_ptr(), self.map_bytes)
    }

    /// Elements on one small page.
    pub const PAGE_LEN: usize = PAGE_BYTES / size_of::<T>();

    /// The indices that worker `index` of `workers` touches first in [`Aligned::fill`].
    pub fn part(&self, workers: usize, index: usize) -> Range<usize> {
        part(self.len, workers, Self::PAGE_LEN, index)
    }
}

/// A private mapping of `bytes` bytes; the kernel reserves it without touching it.
fn map(bytes: usize) -> Option<NonNull<libc::c_void>> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new anonymous mapping at an address of the kernel's choice touches no existing memory.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    if address == libc::MAP_FAILED { None } else { NonNull::new(address) }
}

impl<T: sealed::Plain> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the mapping holds `len` elements, reads as zeros before it is written, and lives as long as `self`.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: sealed::Plain> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`, and `self` is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T: sealed::Plain> Drop for Aligned<T> {
    fn drop(&mut self) {
        // SAFETY: this is the mapping `try_new` made, and nothing borrows from it any more.
        unsafe { libc::munmap(self.map.as_ptr(), self.map_bytes) };
    }
}

impl<T: sealed::Plain> fmt::Debug for Aligned<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Aligned({} elements of {} bytes)", self.len, size_of::<T>())
    }
}

#[cfg(test)]
mod tests {
    use super::{Aligned, HUGE_PAGE_BYTES, OutOfMemory, PAGE_BYTES, Pages};
    use crate::pool::ThreadPool;

    #[test]
    fn a_buffer_starts_on_its_page_and_reads_as_zeros() {
        for (pages, alignment) in
            [(Pages::Plain, PAGE_BYTES), (Pages::Small, PAGE_BYTES), (Pages::Huge, HUGE_PAGE_BYTES)]
        {
            let buffer = Aligned::<f64>::try_new(1_000_003, pages).unwrap();
            assert_eq!(buffer.as_ptr() as usize % alignment, 0);
            assert_eq!(buffer.len(), 1_000_003);
            assert!(buffer.iter().all(|&x| x == 0.0));
        }
    }

    #[test]
    fn too_much_memory_is_an_error_that_names_the_bytes() {
        let wanted_bytes = 1 << 60;
        assert_eq!(Aligned::<f64>::try_new(wanted_bytes / 8, Pages::Plain).unwrap_err(), OutOfMemory { wanted_bytes });
        assert_eq!(Aligned::<u64>::try_new(usize::MAX, Pages::Huge).unwrap_err().wanted_bytes, usize::MAX);
        assert!(OutOfMemory { wanted_bytes }.to_string().contains("1152921504606846976 bytes"));
    }

    #[test]
    fn an_empty_buffer_is_a_buffer() {
        assert!(Aligned::<f32>::try_new(0, Pages::Huge).unwrap().is_empty());
    }

    #[test]
    fn a_buffer_of_small_pages_has_no_huge_one() {
        let mut buffer = Aligned::<u64>::try_new(1 << 20, Pages::Small).unwrap();
        buffer.fill_here(1);
        // A system without /proc, as Miri's, tells nothing.
        assert_eq!(buffer.page_count().map_or(0, |count| count.huge_bytes), 0);
    }

    #[test]
    fn filling_writes_every_element_with_any_number_of_workers() {
        for workers in 1..4 {
            let pool = ThreadPool::unpinned(workers).unwrap();
            let buffer = Aligned::try_filled(5000, Pages::Plain, &pool, |i| i as f32).unwrap();
            assert!(buffer.iter().enumerate().all(|(i, &x)| x == i as f32));
            assert_eq!(buffer.part(workers, workers - 1).end, 5000);
        }
    }
}
