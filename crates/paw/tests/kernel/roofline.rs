//! Roofs that are measured after a kernel's builds.

use paw_data::cell::Role;
use paw_data::outcome::Status;

use crate::place::{ended, examples, kernel, run};

#[test]
fn every_roof_is_measured_into_the_kernels_run() {
    let place = examples();
    let ran = kernel(
        &place,
        "measure triad.toml --variants triad --compilers gcc --flags -O2 --metas 3 --region 1ms --levels L1 --roofline --quiet --out r",
    );
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    let roles = |role: Role| run.records.iter().filter(|record| record.cell.role == role).count();
    assert!(roles(Role::Peak) >= 1, "a peak for each instruction set");
    assert!(roles(Role::Bandwidth) >= 4, "each cache by two patterns, and memory");
    let ids: Vec<u32> = run.records.iter().map(|record| record.cell.id).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "cells have numbers of their own: {ids:?}");
    let roofs = run.records.iter().filter(|record| record.cell.suite != "kernel");
    assert!(roofs.clone().all(|record| ended(record).0 == Status::Measured), "{}", ran.out);
    assert!(ran.out.contains("under the measured roofs") && ran.out.contains("L1 bandwidth"), "{}", ran.out);
}

#[test]
fn a_search_has_no_roofs() {
    let place = examples();
    let ran = kernel(&place, "matrix triad.toml --search --roofline");
    assert_eq!(ran.code, 2, "{}{}", ran.err, ran.out);
    assert!(ran.err.contains("--roofline"), "{}", ran.err);
}
