//! NVRTC, the compiler of CUDA C++ for programs that run.

mod sys;

use sys::Compiler;

/// Compiles for a device of that compute capability (90 is 9.0) and a driver of that version (12040 is 12.4): to machine
/// code, or to PTX, which the driver translates, where the compiler is older than the device.
pub(super) fn compile(source: &str, capability: u32, driver: u32) -> Result<Vec<u8>, String> {
    let compiler = Compiler::open(&files(driver / 1000)).map_err(|why| {
        format!("NVRTC, which compiles the fit, cannot be opened ({why}): install CUDA's run-time compiler, libnvrtc, no newer than the driver, or name its folder in LD_LIBRARY_PATH")
    })?;
    let known = compiler.architectures()?;
    let best = known.into_iter().filter(|known| *known <= capability).max();
    let best = best.ok_or_else(|| {
        format!(
            "this NVRTC compiles no more for devices of compute capability {}: install an older one",
            f64::from(capability) / 10.0
        )
    })?;
    let is_machine_code = best == capability;
    let kind = if is_machine_code { "sm" } else { "compute" };
    // Without the second option products and sums would be joined, and rounded once.
    compiler.compile(source, &[format!("--gpu-architecture={kind}_{best}"), "--fmad=false".to_owned()], is_machine_code)
}

/// Where it is looked for: no newer than what the driver loads.
fn files(major: u32) -> Vec<String> {
    let newer = (12..=major).rev().map(|major| format!("libnvrtc.so.{major}"));
    newer.chain(["libnvrtc.so.11.2".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::files;

    #[test]
    fn no_compiler_is_tried_that_is_newer_than_the_driver() {
        assert_eq!(files(13), ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"]);
        assert_eq!(files(11), ["libnvrtc.so.11.2"]);
    }
}
