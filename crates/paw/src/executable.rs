//! PAW's executables by name, those of suites that this version does not have included.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// What this version lacks, with the executables and the names of it that a user may type.
struct Later {
    suite: &'static str,
    names: &'static [&'static str],
}

/// PAW's executables for devices. A name that the catalogue knows never gets here.
const LATER: &[Later] = &[Later {
    suite: "device",
    names: &[
        "device",
        "gpu_dgemm",
        "gpu_sgemm",
        "gpu_info",
        "gpu_in_nopin",
        "gpu_in_pinned",
        "gpu_out_nopin",
        "gpu_out_pinned",
        "gpu_inout_nopin",
        "gpu_inout_pinned",
        "phi_alloc_al_in",
        "phi_alloc_al_inout",
        "phi_alloc_al_out",
        "phi_alloc_noal_in",
        "phi_alloc_noal_inout",
        "phi_alloc_noal_out",
        "phi_keep_al_in",
        "phi_keep_al_inout",
        "phi_keep_al_out",
        "phi_keep_noal_in",
        "phi_keep_noal_inout",
        "phi_keep_noal_out",
    ],
}];

/// The suite that `name` belongs to, where this version does not have that suite.
pub fn later_suite(name: &str) -> Option<&'static str> {
    LATER.iter().find(|later| later.names.contains(&name)).map(|later| later.suite)
}

/// The command line as `paw` reads it: a program name that is one of PAW's executables becomes `paw run` of that name.
pub fn arguments(typed: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut typed: Vec<_> = typed.into_iter().collect();
    let program = typed.first().map(Path::new).and_then(Path::file_name).and_then(OsStr::to_str);
    if let Some(name) = program.filter(|name| is_executable(name)).map(OsString::from) {
        typed.splice(0..1, ["paw".into(), "run".into(), name]);
    }
    typed
}

fn is_executable(name: &str) -> bool {
    later_suite(name).is_some() || paw_suites::catalogue().iter().any(|benchmark| benchmark.aliases.contains(&name))
}
