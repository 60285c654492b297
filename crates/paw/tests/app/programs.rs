//! Programs of this workspace that are measured.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use workplace::programs;

use crate::workplace::PAW;

/// Where the programs are.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| programs::beside(Path::new(PAW), &["spin", "ttbar"]));

/// A load of known length and habits.
pub fn spin() -> PathBuf {
    FOLDER.join("spin")
}

/// A real program with threads.
pub fn ttbar() -> PathBuf {
    FOLDER.join("ttbar")
}
