//! Messages between two ranks in fresh jobs: of the mock library, whose costs are known, and of the real ones that are here.

use std::path::Path;

use crate::coverage::between_runs;
use crate::experiment::{Experiment, Finding, Goal};
use crate::repeats::Repeats;
use crate::tool::{Launcher, Tool};

/// One MPI and what its jobs said.
#[derive(Debug)]
struct Library {
    name: &'static str,
    launcher: Launcher,
    repeats: Repeats,
}

/// All libraries that are here, by turns.
#[derive(Debug)]
pub struct FreshJobs {
    libraries: Vec<Library>,
    next: usize,
}

/// Launchers of Debian's packages.
const LAUNCHERS: [(&str, &str, &[&str]); 2] = [
    ("mpich", "/usr/bin/mpiexec.mpich", &[]),
    ("openmpi", "/usr/bin/mpiexec.openmpi", &["--allow-run-as-root", "--oversubscribe"]),
];

/// The libraries that are here.
///
/// # Errors
/// There is none.
pub fn start(tool: &Tool) -> Result<Box<dyn Experiment>, String> {
    let real =
        LAUNCHERS.into_iter().filter(|(_, program, _)| Path::new(program).exists()).map(|(name, program, flags)| {
            let flags = flags.iter().chain(&["-n", "2"]).map(ToString::to_string);
            let words = std::iter::once(program.to_owned()).chain(flags).collect();
            Library { name, launcher: Launcher { words, variables: Vec::new() }, repeats: Repeats::default() }
        });
    let libraries: Vec<Library> = mock(tool).into_iter().chain(real).collect();
    if libraries.is_empty() {
        return Err("no MPI was found: cargo build --release -p mock-mpi, or install MPICH or Open MPI".to_owned());
    }
    Ok(Box::new(FreshJobs { libraries, next: 0 }))
}

/// The mock library, if it was built.
fn mock(tool: &Tool) -> Option<Library> {
    let (launcher, library) = (tool.program("mockrun"), tool.program("libmock_mpi.so"));
    if !launcher.exists() || !library.exists() {
        return None;
    }
    let words = vec![launcher.display().to_string(), "-n".to_owned(), "2".to_owned()];
    let variables = vec![("PAW_MPI_LIBRARY".to_owned(), library.display().to_string())];
    Some(Library { name: "mock", launcher: Launcher { words, variables }, repeats: Repeats::default() })
}

impl Experiment for FreshJobs {
    fn repeat(&mut self, tool: &Tool) -> Result<(), String> {
        let place = self.next % self.libraries.len();
        self.next += 1;
        let library = &mut self.libraries[place];
        let words = ["run", "p2p_send", "--set", "n=1,8192"];
        let run = tool.launched(&library.launcher, &words, &[]).map_err(|why| format!("{}: {why}", library.name))?;
        library.repeats.add(&run);
        Ok(())
    }

    fn findings(&self) -> Vec<Finding> {
        let of = |library: &Library| {
            // A job is one invocation, and its rows say so: their intervals are of this job alone.
            let findings = library.repeats.findings(Goal::None);
            let all = findings.into_iter().take(1).chain([between_runs(&library.repeats.between_runs())]);
            let named = |finding: Finding| Finding { what: format!("{}: {}", library.name, finding.what), ..finding };
            all.map(named).collect::<Vec<_>>()
        };
        self.libraries.iter().flat_map(of).collect()
    }
}
