//! Programs that these tests start.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Output};

/// What one rank of a job does; the test of that name is the rank.
pub const RANK: &str = "rank::a_rank_of_a_job_finds_every_call_right";

/// The variable that makes a process such a rank, and says what it does.
pub const ROLE: &str = "PAW_FOREIGN_TEST_ROLE";

/// Seconds after which a job hangs: a thousand times what it takes.
const HANGS_S: &str = "120";

/// The launchers of the two packages.
#[derive(Clone, Copy)]
pub enum Launch {
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
pub fn job(launch: Launch, ranks: usize, role: &str) -> Command {
    let mut command = Command::new("timeout");
    command.arg(HANGS_S);
    match launch {
        Launch::OpenMpi => command.arg(installed("mpiexec.openmpi", "openmpi-bin")).arg("--oversubscribe"),
        Launch::Mpich => command.arg(installed("mpiexec.mpich", "mpich")),
    };
    let this = env::current_exe().expect("this program has a path");
    command.arg("-n").arg(ranks.to_string()).arg(this).args(["--exact", RANK, "--nocapture", "--test-threads=1"]);
    // Open MPI does not start as root unless told so twice.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1").env(ROLE, role);
    command
}
