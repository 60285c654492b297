//! The embedded SPIR-V: as its script makes it, valid, and computed by a device of OpenCL that takes SPIR-V.

use std::path::Path;
use std::process::{Command, Stdio};

const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/device/level_zero/kernels");

fn is_here(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// The tools are those of Debian 12: other versions make other words of the same text.
#[test]
fn the_words_are_those_that_the_script_makes_of_the_text() {
    if let Some(missing) = ["clang-15", "llvm-spirv-15", "spirv-val"].into_iter().find(|program| !is_here(program)) {
        assert!(std::env::var_os("PAW_TEST_DEMAND").is_none(), "install {missing}");
        eprintln!("left out: {missing} is not installed");
        return;
    }
    let made = tempfile::tempdir().unwrap();
    let script = Path::new(KERNELS).join("assemble.sh");
    let run = Command::new("sh").arg(script).arg(made.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let both =
        ["paw", "fma", "portable"].iter().flat_map(|of| [format!("{of}-double.spv"), format!("{of}-single.spv")]);
    for name in both.chain(["fma-half.spv", "paw-atomic.spv"].map(str::to_owned)) {
        let [kept, made] = [Path::new(KERNELS), made.path()].map(|folder| std::fs::read(folder.join(&name)).unwrap());
        assert!(kept == made, "{name} is not what assemble.sh makes; run it");
    }
}
