//! The heap of this process.

/// Bytes that are allocated and not freed, by glibc's own count; 0 with other C libraries.
#[cfg(target_env = "gnu")]
pub(crate) fn bytes_in_use() -> usize {
    // SAFETY: the function reads counters of the allocator and takes no argument.
    let counts = unsafe { libc::mallinfo2() };
    counts.uordblks + counts.hblkhd
}

/// Bytes that are allocated and not freed: unknown here.
#[cfg(not(target_env = "gnu"))]
pub(crate) fn bytes_in_use() -> usize {
    0
}
