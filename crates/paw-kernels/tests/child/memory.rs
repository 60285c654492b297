//! Fresh memory for every sample, and none while others are measured.

use paw_data::kernel::Restore;
use paw_kernels::job::CallJob;
use paw_measure::fault::Fault;
use paw_measure::workload::Workload;
use paw_worker::remote::RemoteWorkload;

use crate::workbench::{Workbench, open};

/// A kernel that is ended by the sixth call on the same data; its calls last long enough to be read.
fn impatient(bench: &Workbench) -> CallJob {
    let mut job =
        bench.kernel("for (volatile long i = 0; i < 2000; i++); if (b[0] == 5) __builtin_trap(); b[0] += 1;", 8);
    job.warmup = 2;
    job.restore = Some(Restore::Sample);
    job
}

fn sample(workload: &mut RemoteWorkload, loops: u64) -> Result<(), Fault> {
    workload.sample(loops).map(drop)
}

#[test]
fn every_renewal_fills_and_warms_up_afresh() {
    let bench = Workbench::new();
    let job = impatient(&bench);
    let mut workload = open(&job).expect("it opens");
    for _ in 0..3 {
        workload.resume().expect("it resumes");
        workload.renew().expect("it renews");
        sample(&mut workload, 5).expect("five calls are allowed");
    }
    assert!(sample(&mut workload, 6).is_err(), "a sixth call on the same data");
}

#[test]
fn the_warm_up_is_as_long_as_ordered() {
    let bench = Workbench::new();
    let mut job = impatient(&bench);
    job.warmup = 5;
    assert_eq!(open(&job).expect("it opens").renew(), Ok(()));
    job.warmup = 6;
    assert!(open(&job).expect("it opens").renew().is_err());
}

#[test]
fn memory_is_given_up_between_turns() {
    let bench = Workbench::new();
    let job = impatient(&bench);
    let mut workload = open(&job).expect("it opens");
    for _ in 0..3 {
        workload.resume().expect("it resumes");
        sample(&mut workload, 5).expect("five calls on fresh data");
        workload.pause();
    }
}

#[test]
fn checking_starts_from_fresh_data_and_leaves_none() {
    let bench = Workbench::new();
    let job = impatient(&bench);
    let mut workload = open(&job).expect("it opens");
    sample(&mut workload, 5).expect("five calls");
    workload.verify().expect("a call on data of its own");
    sample(&mut workload, 5).expect("five calls on fresh data");
}

#[test]
fn only_a_sample_on_renewed_memory_must_be_long_enough() {
    let bench = Workbench::new();
    let mut job = bench.kernel("b[0] = n;", 8);
    // A counter this slow shows no sample as long as it should be.
    job.instrument.hz = Some(1e-9);
    let mut workload = open(&job).expect("it opens");
    sample(&mut workload, 1).expect("a region that searches for calls");
    workload.renew().expect("it renews");
    let refused = sample(&mut workload, 1).expect_err("too short").to_string();
    let way_out = "take more calls with --reps, or let --region choose";
    assert_eq!(refused, format!("a sample lasted 0 ticks, fewer than 2000: {way_out}"));
    sample(&mut workload, 1).expect("a region that does not count");
}
