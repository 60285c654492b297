//! All checks, in the order in which they are made.

use super::check::Check;
use super::{chains, comparison, model, multiply, null_call, pauses, populations, round_trip, sleep, timer};

/// The checks.
pub const CHECKS: &[Check] = &[
    multiply::CHECK,
    chains::ADDS,
    chains::CHASE,
    model::CHAINS,
    model::LOAD,
    model::KEPT,
    timer::LINEAR,
    timer::COST,
    timer::FORWARD,
    timer::PACE,
    sleep::EARLY,
    sleep::LATE,
    null_call::BLAS,
    null_call::MPI,
    null_call::DEVICE,
    null_call::KERNEL,
    round_trip::CHECK,
    pauses::CHECK,
    comparison::EQUAL,
    comparison::ADDED,
    populations::INTERVAL,
    populations::INVOCATIONS,
    populations::K_BEST,
    populations::VERDICTS,
];
