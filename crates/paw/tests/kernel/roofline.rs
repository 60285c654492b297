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

/// A spec of an example without the operations that its author states.
fn unstated(place: &workplace::Workplace, name: &str) {
    let spec = place.read(&format!("{name}.toml"));
    let kept: Vec<&str> = spec.lines().filter(|line| !line.starts_with("flops")).collect();
    place.write(&format!("{name}.toml"), kept.join("\n"));
}

#[test]
fn operations_that_nobody_states_come_from_the_machine_code() {
    if cfg!(not(target_arch = "x86_64")) {
        return;
    }
    let place = examples();
    unstated(&place, "dot");
    let ran = kernel(
        &place,
        "matrix dot.toml --variants ordered --compilers gcc --flags -O2 --flags '-O3 -ffast-math' --n 1024 --metas 6 --region 1ms --budget 6s --roofline --quiet --out r",
    );
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    let builds: Vec<_> = run.records.iter().filter(|record| record.cell.suite == "kernel").collect();
    assert_eq!(builds.len(), 2);
    for record in builds {
        let executed = record.executed.as_ref().expect("its loops were counted");
        // A product and a sum for each of two loads.
        assert_eq!(executed.of_call(), Ok((2.0 * 1024.0, 16.0 * 1024.0)), "{executed:?}");
    }
    assert!(ran.out.contains("machine code") && ran.out.contains("under the measured roofs"), "{}", ran.out);
    let again = place.run("exec $PAW export r --format md");
    assert!(again.out.contains("machine code"), "{}", again.out);
}

#[test]
fn what_machine_code_does_not_tell_has_its_reason() {
    if cfg!(not(target_arch = "x86_64")) {
        return;
    }
    let place = examples();
    place.write(
        "sine.c",
        "double sin(double); void sine(long n, double *restrict a, const double *restrict b) { for (long i = 0; i < n; i++) a[i] = sin(b[i]); }",
    );
    place.write(
        "sine.toml",
        "paw = \"kernel/1\"\nsources = [\"sine.c\"]\nsignature = \"void sine(long n, double *a, const double *b)\"\n\
         iterations = \"n\"\n[arrays]\na = { type = \"f64[n]\", output = true }\nb = { type = \"f64[n]\", fill = \"uniform(0, 1)\" }\n",
    );
    let ran = kernel(
        &place,
        "measure sine.toml --compilers gcc --flags -O2 --n 500 --metas 3 --region 1ms --budget 2s --roofline --quiet --out r",
    );
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("it calls sin, whose operations are not in its own code"), "{}", ran.out);
    assert!(said.contains("`flops` in the spec states them"), "{}", ran.out);
}

#[test]
fn a_search_has_no_roofs() {
    let place = examples();
    let ran = kernel(&place, "matrix triad.toml --search --roofline");
    assert_eq!(ran.code, 2, "{}{}", ran.err, ran.out);
    assert!(ran.err.contains("--roofline"), "{}", ran.err);
}
