//! Signals at a few random moments of a job: what `testing/faults` counts by the hundred.

use std::path::Path;
use std::sync::PoisonError;

use faults::subject::{MPICH, OPENMPI};
use faults::tally::{SIGNALS, tally};

use crate::job::{self, PAW, TURN};

#[test]
fn a_job_that_is_cut_off_loses_nothing_leaves_nobody_and_can_be_read() {
    let installed = job::debian();
    let subjects = [("openmpi", OPENMPI), ("mpich", MPICH)];
    for (_, subject) in subjects.iter().filter(|(name, _)| installed.iter().any(|mpi| mpi.name == *name)) {
        let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        for (seed, signal) in (1..).zip(SIGNALS) {
            let tally = tally(subject, signal, 1, seed, Path::new(PAW));
            assert!(tally.is_clean(), "{:#?}", tally.sentences());
        }
    }
}
