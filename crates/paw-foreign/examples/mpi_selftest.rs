//! One rank of a job that holds the MPI wall against a real library: finds it, starts it, tests it, says what it is.

use std::error::Error;
use std::path::PathBuf;

use paw_foreign::mpi::{Mpi, ThreadLevel, discovery, launcher, selftest};

fn main() -> Result<(), Box<dyn Error>> {
    let launcher = launcher::of_process();
    let chosen = std::env::args_os().nth(1).map(PathBuf::from);
    let found = discovery::find(launcher.as_ref(), chosen.as_deref())?;
    let mpi = Mpi::start(&found.path, ThreadLevel::Multiple)?;
    if let Some(launcher) = launcher {
        selftest::check_launcher(&launcher, mpi)?;
    }
    selftest::self_test(mpi)?;
    selftest::window_test(mpi)?;
    let (rank, size) = (mpi.world().rank(), mpi.world().size());
    eprintln!("rank {rank} of {size}: {} {:?} {}", mpi.version(), mpi.abi(), mpi.level().name());
    mpi.finalize()?;
    Ok(())
}
