//! A HIP device, and the run-time library.

use std::sync::OnceLock;

use super::rocm::{self, HIP};
use super::throttling::Throttling;
use crate::device::gpu::Gpu;
use crate::device::gpu::library::Library;

/// A HIP device.
pub(super) type Hip = Gpu<Amd>;

/// What a HIP device has beside what both interfaces have.
pub(super) struct Amd {
    /// The architecture as compilers take it: `gfx90a:sramecc+:xnack-`.
    pub(super) architecture: Option<String>,
    /// Why its clock is held down.
    pub(super) throttling: Throttling,
}

/// The library of this process, opened and started once. The error is one sentence with a way out.
pub(super) fn library() -> Result<&'static Library<Amd>, String> {
    static LIBRARY: OnceLock<Result<Library<Amd>, String>> = OnceLock::new();
    LIBRARY.get_or_init(|| Library::start(rocm::open(&HIP, &rocm::here(&HIP), None)?)).as_ref().map_err(Clone::clone)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Debian's libamdhip64-5 is one, and answers without a device.
    #[test]
    fn the_library_that_is_installed_has_every_function() {
        let Ok(opened) = rocm::open(&HIP, &rocm::here(&HIP), None) else { return };
        let refused = Library::<Amd>::start(opened).err();
        assert!(refused.as_ref().is_none_or(|why| why.contains("does not start (hipInit: 10")), "{refused:?}");
    }
}
