//! Programs that these tests start.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

/// What one rank of a job does; the test of that name is the rank.
const RANK: &str = "rank::a_rank_of_a_job_finds_every_call_right";

/// The variable that makes a process such a rank, and says what it does.
pub const ROLE: &str = "PAW_FOREIGN_TEST_ROLE";

/// A job that takes this long hangs: a hundred times what it takes.
pub const HANGS: Duration = Duration::from_secs(120);

/// The launchers of the two packages.
#[derive(Clone, Copy)]
pub enum Launcher {
    OpenMpi,
    Mpich,
}

/// The path of `program`, which Debian's `package` brings.
pub fn installed(program: &str, package: &str) -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|directory| directory.join(program)).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("{program} is not here: apt-get install {package}"))
}

/// What `command` prints; it must succeed.
pub fn output(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    assert!(status.success(), "{command:?}: {status}\n{}", String::from_utf8_lossy(&stderr));
    String::from_utf8_lossy(&stdout).into_owned()
}

/// A job of `ranks` ranks, each of which is this test program in the role `role`.
pub fn job(launcher: Launcher, ranks: usize, role: &str) -> Command {
    let mut command = Command::new("timeout");
    command.arg(HANGS.as_secs().to_string());
    match launcher {
        Launcher::OpenMpi => command.arg(installed("mpiexec.openmpi", "openmpi-bin")).arg("--oversubscribe"),
        Launcher::Mpich => command.arg(installed("mpiexec.mpich", "mpich")),
    };
    command.arg("-n").arg(ranks.to_string()).args(rank_command());
    // Open MPI starts as root only if two variables allow it.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1").env(ROLE, role);
    command
}

/// This program as one rank.
pub fn rank_command() -> Vec<OsString> {
    let this = env::current_exe().expect("this program has a path").into_os_string();
    let arguments = ["--exact", RANK, "--nocapture", "--test-threads=1"].map(OsString::from);
    [this].into_iter().chain(arguments).collect()
}

/// The library `file` that cargo built beside this program.
pub fn built(file: &str) -> PathBuf {
    env::current_exe().expect("this program has a path").with_file_name(file)
}
