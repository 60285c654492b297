//! Ranks of paw under the mock MPI, whose costs are known and whose faults are asked for.

use std::path::PathBuf;
use std::sync::PoisonError;
use std::time::Duration;

use mock_mpi::{Ended, Launch};

use crate::job::{Job, PAW, Ran, TURN};

/// No job of these tests takes longer, unless a rank hangs that should have ended.
pub const LIMIT: Duration = Duration::from_secs(90);

/// A library that lies beside this test's program.
pub fn built(file: &str) -> PathBuf {
    let path = std::env::current_exe().unwrap().with_file_name(file);
    assert!(path.exists(), "{} was not built", path.display());
    path
}

/// A job of `ranks` ranks whose run lands in `r` of its directory; its arguments hold no blank.
pub fn launch(job: &Job, ranks: usize, variables: &[(&str, &str)], args: &str) -> Launch {
    let words = std::iter::once(PAW).chain(args.split_whitespace()).map(ToOwned::to_owned);
    let directory = ["--out".to_owned(), job.path("r").display().to_string()];
    let directory = directory.into_iter().filter(|_| args.starts_with("run"));
    let launch = Launch::new(ranks, words.chain(directory)).limit(LIMIT);
    let launch = launch.variable("PAW_MPI_LIBRARY", built("libmock_mpi.so"));
    variables.iter().fold(launch, |launch, (name, value)| launch.variable(*name, *value))
}

/// What came of it, once no other job runs.
pub fn paw(job: &Job, ranks: usize, variables: &[(&str, &str)], args: &str) -> Ran {
    let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    ran(&launch(job, ranks, variables, args).run().unwrap())
}

/// What all ranks wrote, and the code of the first that ended badly.
pub fn ran(ended: &Ended) -> Ran {
    let text = |bytes: fn(&std::process::Output) -> &Vec<u8>| {
        ended.ranks.iter().map(|rank| String::from_utf8_lossy(bytes(rank))).collect::<String>()
    };
    Ran { code: ended.code(), out: text(|rank| &rank.stdout), err: text(|rank| &rank.stderr) }
}

/// The least over the samples of a cell, in seconds an iteration: a busy machine makes some later, and none earlier.
pub fn least_s(job: &Job, directory: &str, cell: &serde_json::Value) -> f64 {
    let saved = job.lines(directory, "samples");
    let own = saved.iter().filter(|part| part["cell"] == cell["id"] && part["phase"] == "measure");
    let column = |part: &serde_json::Value, name: &str| -> Vec<f64> {
        part[name].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    };
    let per_loop = own.flat_map(|part| column(part, "elapsed_s").into_iter().zip(column(part, "loops")));
    let least_s = per_loop.map(|(elapsed_s, loops)| elapsed_s / loops).fold(f64::INFINITY, f64::min);
    assert!(least_s.is_finite(), "the cell has samples: {cell}");
    least_s
}
