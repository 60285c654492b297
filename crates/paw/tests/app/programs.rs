//! Programs of this workspace that are measured: built when first asked for, where paw was built.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use crate::workplace::PAW;

/// Where the programs are.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(PAW).parent().unwrap();
    let profile = match folder.file_name().unwrap().to_str().unwrap() {
        "debug" => "dev",
        profile => profile,
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "build",
        "--quiet",
        "--offline",
        "--locked",
        "--bins",
        "-p",
        "spin",
        "-p",
        "ttbar",
        "--profile",
        profile,
    ]);
    cargo.current_dir(env!("CARGO_MANIFEST_DIR")).env("CARGO_TARGET_DIR", folder.parent().unwrap());
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.to_owned()
});

/// A load of known length and habits.
pub fn spin() -> PathBuf {
    FOLDER.join("spin")
}

/// A real program with threads.
pub fn ttbar() -> PathBuf {
    FOLDER.join("ttbar")
}
