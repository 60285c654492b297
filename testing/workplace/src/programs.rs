//! Programs of this workspace that tests start: built when first asked for, where the program under test was built.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory of `tested`, which has the programs of these packages.
///
/// # Panics
/// Where one cannot be built.
pub fn beside(tested: &Path, packages: &[&str]) -> PathBuf {
    let folder = tested.parent().expect("a program lies in a directory");
    let profile = match folder.file_name().and_then(|name| name.to_str()).expect("the directory has a profile's name") {
        "debug" => "dev",
        profile => profile,
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--offline", "--locked", "--bins", "--profile", profile]);
    packages.iter().for_each(|package| {
        cargo.args(["-p", package]);
    });
    cargo.current_dir(env!("CARGO_MANIFEST_DIR")).env("CARGO_TARGET_DIR", folder.parent().expect("it lies in target"));
    let output = cargo.output().expect("cargo runs this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.to_owned()
}
