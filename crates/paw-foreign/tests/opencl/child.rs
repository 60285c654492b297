//! A process of its own for a test, with PoCL alone for a platform.

use std::env;
use std::process::Command;

use paw_foreign::device::{Backend, Device, open};

/// One device.
pub const ONE: &[(&str, &str)] = &[("POCL_DEVICES", "pthread")];
/// Two devices of one platform.
pub const TWO: &[(&str, &str)] = &[("POCL_DEVICES", "pthread pthread")];

const IN_CHILD: &str = "PAW_TEST_OPENCL_CHILD";
/// Where Debian's PoCL registers itself.
const POCL: &str = "/etc/OpenCL/vendors/pocl.icd";

/// Variables that would reach the loader, PoCL or paw from outside.
const CLEARED: &[&str] = &["OPENCL_DYLIB_PATH", "PAW_OPENCL_LIBRARY", "PAW_CLBLAST_LIBRARY", "OCL_ICD_FILENAMES"];

/// Runs `body` in a process of its own that runs the test `name` alone, with `environment` above PoCL's.
pub fn in_child(name: &str, environment: &[(&str, &str)], body: impl FnOnce()) {
    if env::var_os(IN_CHILD).is_some() {
        return body();
    }
    let test = env::current_exe().expect("a test knows its file");
    let mut command = Command::new(test);
    command.args(["--exact", name, "--nocapture", "--test-threads", "1"]).env(IN_CHILD, "1");
    for cleared in CLEARED {
        command.env_remove(cleared);
    }
    // Kernels are compiled once for all tests.
    command.env("POCL_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/pocl"));
    command.env("OCL_ICD_VENDORS", POCL).envs(environment.iter().copied());
    let output = command.output().expect("a test can be started again");
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{told}", output.status);
    assert!(told.contains("1 passed"), "{name} is not the name of this test:\n{told}");
}

/// The first device.
pub fn device() -> Device {
    devices(&[0]).remove(0)
}

/// The devices of these numbers, opened together.
pub fn devices(indexes: &[u32]) -> Vec<Device> {
    open(Backend::OpenCl, indexes).expect("PoCL is installed: apt-get install pocl-opencl-icd ocl-icd-libopencl1")
}

/// Bytes that repeat nowhere near.
pub fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((i + seed).wrapping_mul(2_654_435_761) >> 7) as u8).collect()
}
