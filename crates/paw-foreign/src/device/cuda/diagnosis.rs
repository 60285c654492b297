//! Errors of a driver, each a sentence with a way out.

use std::ffi::c_int;
use std::path::Path;

use crate::device::opened;

/// Codes of `cuInit`, and what to do about them.
const STARTS: &[(c_int, &str)] = &[
    (34, "it is the stub that a CUDA toolkit links against; take the toolkit's stubs directory out of LD_LIBRARY_PATH"),
    (100, "it sees no device; look at nvidia-smi, and at CUDA_VISIBLE_DEVICES if that is set"),
    (101, "a device that it shall use does not exist; look at CUDA_VISIBLE_DEVICES"),
    (304, "the operating system refused it; look at the rights of /dev/nvidia* and at the limits of this process"),
    (802, "the switches between the devices are not set up; start nvidia-fabricmanager, and look at its log"),
    (803, "it is of another version than the kernel's module; reboot, or install both from the same release"),
    (804, "it is a compatibility library that this device does not support; take cuda-compat out of LD_LIBRARY_PATH"),
    (999, "the kernel's module does not answer; load nvidia and nvidia_uvm (nvidia-modprobe -u), and look at dmesg"),
];

/// A version as NVIDIA writes it: 12040 is 12.4.
pub(super) fn release(version: c_int) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// Why a library did not open; `role` says why it was tried.
pub(super) fn unopened(path: &Path, said: &str, role: &str) -> String {
    opened::unopened(path, said, role, "install this machine's 64-bit driver anew")
}

/// Why a library that opened is not the driver that is needed.
pub(super) fn incomplete(file: &Path, missing: &str, version: Option<c_int>) -> String {
    let path = file.display();
    match version {
        Some(version) if missing != "cuInit" => format!(
            "the driver {path} (CUDA {}) is too old: it has no {missing}; install a newer one",
            release(version)
        ),
        _ => format!(
            "{path} is not NVIDIA's driver: it has no {missing}; name libcuda.so.1 in PAW_CUDA_LIBRARY, or nothing"
        ),
    }
}

/// Why a function is not called that a driver of that version lacks.
pub(super) fn absent(version: c_int, call: &str) -> String {
    format!("the driver (CUDA {}) has no {call}; a newer driver has it", release(version))
}

/// Why a driver did not start.
pub(super) fn unstarted(file: &Path, code: c_int, name: &str) -> String {
    let known = STARTS.iter().find(|(known, _)| *known == code);
    let out = known.map_or("reinstall the driver, or look for the code in CUDA's documentation", |(_, out)| out);
    format!("the driver {} does not start (cuInit: {code} {name}): {out}", file.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_of_a_start_says_what_to_do() {
        for (code, words) in
            [(34, "stubs"), (100, "nvidia-smi"), (802, "fabricmanager"), (803, "reboot"), (999, "dmesg")]
        {
            let said = unstarted(Path::new("/lib/libcuda.so.1"), code, "CUDA_ERROR");
            assert!(said.contains(words) && said.contains(&code.to_string()), "{said}");
        }
        assert!(unstarted(Path::new("x"), 7777, "").contains("7777"));
    }

    #[test]
    fn a_missing_file_is_not_one_that_does_not_open() {
        let said = |words: &str| unopened(Path::new("/x/libcuda.so.1"), words, "tried");
        assert!(said("/x: cannot open shared object file: No such file or directory").contains("does not exist"));
        assert!(said("libz.so.9: undefined symbol").contains("does not open"));
    }

    #[test]
    fn an_old_driver_is_distinguished_from_a_wrong_library() {
        let old = incomplete(Path::new("/lib/libcuda.so.1"), "cuEventElapsedTime", Some(9020));
        assert!(old.contains("CUDA 9.2") && old.contains("cuEventElapsedTime"), "{old}");
        assert!(incomplete(Path::new("/lib/libm.so.6"), "cuInit", None).contains("is not NVIDIA's driver"));
    }
}
