//! PAW's executables by name.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// PAW's executable that described devices, here `paw machine`.
pub const DEVICE_INFO: &str = "gpu_info";

/// The command line as `paw` reads it: a program name that is one of PAW's executables becomes `paw run` of that name.
pub fn arguments(typed: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut typed: Vec<_> = typed.into_iter().collect();
    let program = typed.first().map(Path::new).and_then(Path::file_name).and_then(OsStr::to_str);
    match program.map(OsString::from) {
        Some(name) if name == DEVICE_INFO => drop(typed.splice(0..1, ["paw".into(), "machine".into()])),
        Some(name) if is_executable(&name) => drop(typed.splice(0..1, ["paw".into(), "run".into(), name])),
        _ => {}
    }
    typed
}

/// PAW's executables with the suites of their benchmarks.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let aliases =
        paw_suites::catalogue().iter().flat_map(|b| b.aliases.iter().map(move |alias| (b.common.suite, *alias)));
    aliases.chain([("device", DEVICE_INFO)])
}

fn is_executable(name: &OsStr) -> bool {
    all().any(|(_, alias)| alias == name)
}
