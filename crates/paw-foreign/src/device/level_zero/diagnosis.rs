//! Errors of the loader, each a sentence with a way out.

use std::path::Path;

use super::status::{self, UNINITIALIZED};
use crate::device::error::DeviceError;
use crate::device::opened;

/// What to look at where the loader has no driver that starts.
const WITHOUT_DRIVER: &str = "install the driver of the device (libze-intel-gpu1 or intel-level-zero-gpu), and look at the rights of \
                              /dev/dri/render* and at ZE_AFFINITY_MASK";

/// Why a library did not open; `role` says why it was tried.
pub(super) fn unopened(path: &Path, said: &str, role: &str) -> String {
    opened::unopened(path, said, role, "install Level Zero's loader anew (libze1 or level-zero)")
}

/// Why a library that opened is not the loader that is needed.
pub(super) fn incomplete(file: &Path, missing: &str) -> String {
    let path = file.display();
    if missing == "zeInit" {
        return format!(
            "{path} is not Level Zero's loader: it has no {missing}; name libze_loader.so.1 in PAW_LEVEL_ZERO_LIBRARY, or nothing"
        );
    }
    format!("the loader {path} is too old: it has no {missing}; install a newer one (libze1 or level-zero)")
}

/// Why a loader did not start.
pub(super) fn unstarted(file: &Path, error: &DeviceError) -> String {
    if status::is(error, UNINITIALIZED) {
        return without_driver(file);
    }
    format!("Level Zero's loader {} does not start: {error}; {WITHOUT_DRIVER}", file.display())
}

/// Why a loader that started has no device.
pub(super) fn without_driver(file: &Path) -> String {
    format!("Level Zero's loader {} has no driver that starts; {WITHOUT_DRIVER}", file.display())
}

/// Why drivers that started have no device.
pub(super) fn without_device(file: &Path) -> String {
    format!("the drivers behind Level Zero's loader {} have no device; {WITHOUT_DRIVER}", file.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_not_one_that_does_not_open() {
        let said = |words: &str| unopened(Path::new("/x/libze_loader.so.1"), words, "tried");
        assert!(said("/x: cannot open shared object file: No such file or directory").contains("does not exist"));
        assert!(said("libz.so.9: undefined symbol").contains("does not open"));
    }

    #[test]
    fn an_old_loader_is_distinguished_from_a_wrong_library() {
        let file = Path::new("/lib/libze_loader.so.1");
        assert!(incomplete(file, "zeDeviceGetCacheProperties").contains("too old"));
        assert!(incomplete(Path::new("/lib/libm.so.6"), "zeInit").contains("is not Level Zero's loader"));
        let other = DeviceError::Refused { call: "zeInit", code: 0x7000_0001, meaning: "LOST".to_owned() };
        assert!(unstarted(file, &other).contains("zeInit failed"));
    }
}
