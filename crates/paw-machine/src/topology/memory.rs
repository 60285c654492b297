//! Physical memory, as the kernel counts it.

use crate::root::Root;

/// Physical memory, in bytes; zero if unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MachineMemory {
    /// Memory of the machine. The sum over nodes may be less: a virtual machine that initialises memory lazily shows it piece by piece.
    pub total_bytes: u64,
    /// Memory that new programs can have without swapping, by the kernel's estimate.
    pub available_bytes: u64,
    /// Memory that nothing uses, not even as a cache of files.
    pub free_bytes: u64,
    /// Swap space.
    pub swap_bytes: u64,
}

impl MachineMemory {
    /// Reads `/proc/meminfo`.
    pub fn read(root: &Root) -> Self {
        let meminfo = root.text("/proc/meminfo").unwrap_or_default();
        let bytes = |key: &str| kilobytes(&meminfo, key).unwrap_or(0) * 1024;
        let free = bytes("MemFree:");
        // Kernels before 3.14 have no MemAvailable.
        let available = bytes("MemAvailable:");
        Self {
            total_bytes: bytes("MemTotal:"),
            available_bytes: if available == 0 { free } else { available },
            free_bytes: free,
            swap_bytes: bytes("SwapTotal:"),
        }
    }
}

/// The number after `key` in a meminfo text, in kB (which the kernel means as KiB); node files put `Node 0` before the key.
pub fn kilobytes(meminfo: &str, key: &str) -> Option<u64> {
    let rest = meminfo.lines().find_map(|line| line.split_once(key).map(|(_, rest)| rest))?;
    rest.split_whitespace().next()?.parse().ok()
}
