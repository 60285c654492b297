//! Error messages for a program that the system did not start: errno(3) in a sentence with the way out.

use std::io;

use crate::lookup;
use crate::sys::{Refused, SpawnStep};

/// The sentence for a refusal to start the file `path`.
pub(crate) fn sentence(path: &std::path::Path, refused: Refused) -> String {
    let file = path.display();
    let system = io::Error::from_raw_os_error(refused.errno);
    match (refused.step, refused.errno) {
        (SpawnStep::Exec, libc::ENOENT) => format!(
            "{file} is there, but the interpreter that it names is not: see its first line (head -n1 {file}), or for a binary its loader (file {file})"
        ),
        (SpawnStep::Exec, libc::EACCES) => lookup::not_executable(path),
        (SpawnStep::Exec, libc::ENOEXEC) => format!(
            "{file} is no program for this system: a script needs a first line such as #!/bin/sh, and a binary must be built for this processor"
        ),
        (SpawnStep::Exec, libc::E2BIG) => format!(
            "the arguments and the environment of {file} are longer than this system takes: hand them over in a file, or raise the stack's limit (ulimit -s)"
        ),
        (SpawnStep::Exec, libc::ETXTBSY) => {
            format!("{file} is being written by another process: wait until it is whole")
        }
        (SpawnStep::Exec, _) => format!("{file} cannot be executed: {system}"),
        (SpawnStep::Clone, _) => {
            format!("no process can be started for {file}: {system}; see ulimit -u and the free memory")
        }
        (SpawnStep::Directory, _) => format!("the directory for {file} cannot be entered: {system}"),
        (SpawnStep::Group | SpawnStep::Tie | SpawnStep::Stdio | SpawnStep::Signals, _) => {
            format!("{file} cannot be started in a process of its own ({:?}): {system}", refused.step)
        }
    }
}
