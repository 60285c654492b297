//! A process of its own for a test that needs a device of OpenCL: the host's processor, by PoCL or Rusticl as Debian installs them.
//!
//! The loader and the implementations look at their environment once, so no two configurations fit into one process.

#![forbid(unsafe_code)]

use std::env;
use std::path::PathBuf;
use std::process::Command;

use workplace::requirement;

/// Variables and their values.
pub type Environment = &'static [(&'static str, &'static str)];

/// One device, by PoCL.
pub const ONE: Environment = &[("POCL_DEVICES", "pthread")];
/// Two devices of one platform, by PoCL.
pub const TWO: Environment = &[("POCL_DEVICES", "pthread pthread")];
/// One device by Mesa's Rusticl: no double precision, and marks that are all 0.
pub const RUSTICL: Environment =
    &[("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/rusticl.icd"), ("RUSTICL_ENABLE", "llvmpipe"), ("LP_NUM_THREADS", "2")];

/// What tells a process that it is a test's own.
const IN_CHILD: &str = "PAW_TEST_OPENCL_CHILD";

/// Variables that would reach the loader, PoCL or paw from outside.
const CLEARED: &[&str] = &["OPENCL_DYLIB_PATH", "PAW_OPENCL_LIBRARY", "PAW_CLBLAST_LIBRARY", "OCL_ICD_FILENAMES"];

/// Runs `body` in a process of its own that runs the test `name` alone, with `environment` above what leaves PoCL the only platform.
///
/// # Panics
/// Where the test fails there, or `name` is not its name.
pub fn in_child(name: &str, environment: &[(&str, &str)], body: impl FnOnce()) {
    if env::var_os(IN_CHILD).is_some() {
        return body();
    }
    let requirement = if environment == RUSTICL { &requirement::RUSTICL } else { &requirement::POCL };
    if !requirement.is_met() {
        return;
    }
    let test = env::current_exe().expect("a test knows its file");
    let mut command = Command::new(test);
    command.args(["--exact", name, "--nocapture", "--test-threads", "1"]).env(IN_CHILD, "1");
    let output = prepare(&mut command).envs(environment.iter().copied()).output().expect("a test can be started again");
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{told}", output.status);
    assert!(told.contains("1 passed"), "{name} is not the name of this test:\n{told}");
}

/// Gives `command` an environment in which PoCL is the only platform, and compiles a kernel once for all tests.
pub fn prepare(command: &mut Command) -> &mut Command {
    for cleared in CLEARED {
        command.env_remove(cleared);
    }
    command.env("POCL_CACHE_DIR", cache()).env("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd")
}

fn cache() -> PathBuf {
    let test = env::current_exe().expect("a test knows its file");
    test.with_file_name("pocl-cache")
}
