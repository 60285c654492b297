//! Errors of the run-time library, each a sentence with a way out.

use std::ffi::c_int;
use std::path::Path;

use crate::device::opened;

/// Codes of `hipInit`, and what to do about them (hipError_t; ROCm 5.2 answers 101 where it finds no device).
const STARTS: &[(c_int, &str)] = &[
    (3, "it was not initialised; look at the rights of /dev/kfd and /dev/dri/render*"),
    (35, "the kernel's driver is older than the library; update amdgpu, or take an older ROCm"),
    (100, NO_DEVICE),
    (101, NO_DEVICE),
    (999, "the kernel's driver does not answer; load amdgpu, and look at dmesg"),
];
const NO_DEVICE: &str = "it sees no device; look at rocminfo, at the rights of /dev/kfd and /dev/dri/render* (groups render and \
                         video), and at HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES if they are set";

/// A version as `hipRuntimeGetVersion` counts: 50221153 is 5.2.21153 (HIP_VERSION in hip_version.h).
pub(super) fn release(version: c_int) -> String {
    format!("{}.{}.{}", version / 10_000_000, version / 100_000 % 100, version % 100_000)
}

/// Why a library did not open; `role` says why it was tried.
pub(super) fn unopened(path: &Path, said: &str, role: &str) -> String {
    opened::unopened(path, said, role, "install ROCm's run-time libraries for this machine anew")
}

/// Why a library that opened is not the one that is needed.
pub(super) fn incomplete(file: &Path, missing: &str, version: Option<c_int>) -> String {
    let path = file.display();
    match version {
        Some(version) if missing != "hipInit" => {
            format!("{path} (HIP {}) is too old: it has no {missing}; install ROCm 5 or later", release(version))
        }
        _ => format!(
            "{path} is not AMD's HIP run-time library: it has no {missing}; name libamdhip64.so in PAW_HIP_LIBRARY, or nothing"
        ),
    }
}

/// Why a function is not called that a library of that version lacks.
pub(super) fn absent(version: c_int, call: &str) -> String {
    format!("HIP {} has no {call}; a newer ROCm has it", release(version))
}

/// Why a library did not start.
pub(super) fn unstarted(file: &Path, code: c_int, name: &str) -> String {
    let known = STARTS.iter().find(|(known, _)| *known == code);
    let out = known.map_or("reinstall ROCm, or look for the code in HIP's documentation", |(_, out)| out);
    format!("{} does not start (hipInit: {code} {name}): {out}", file.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_of_a_start_says_what_to_do() {
        for (code, words) in [(35, "update amdgpu"), (100, "/dev/kfd"), (101, "rocminfo"), (999, "dmesg")] {
            let said = unstarted(Path::new("/opt/rocm/lib/libamdhip64.so.6"), code, "hipError");
            assert!(said.contains(words) && said.contains(&code.to_string()), "{said}");
        }
        assert!(unstarted(Path::new("x"), 7777, "").contains("7777"));
    }

    #[test]
    fn versions_are_read_as_the_library_counts() {
        assert_eq!([50_221_153, 60_342_134, 70_051_831].map(release), ["5.2.21153", "6.3.42134", "7.0.51831"]);
    }

    #[test]
    fn an_old_library_is_distinguished_from_a_wrong_one() {
        let old = incomplete(Path::new("/lib/libamdhip64.so.4"), "hipMallocAsync", Some(40_321_300));
        assert!(old.contains("HIP 4.3.21300") && old.contains("hipMallocAsync"), "{old}");
        assert!(incomplete(Path::new("/lib/libm.so.6"), "hipInit", None).contains("is not AMD's"));
    }
}
