//! Measured costs of messages are the costs that the mock is set to.

use crate::job::Job;
use crate::mock::{self, least_s};

const ALPHA_NS: f64 = 50_000.0;
const BETA_NS_PER_BYTE: f64 = 2.0;

/// A busy machine makes messages late, never early: the least of each cell falls towards its cost over so many launches.
const LAUNCHES: u32 = 40;

/// Runs `args` on two ranks and gives `judge` the least seconds an iteration took so far in every cell, with its point, until it is content.
fn repeated(variables: &[(&str, &str)], args: &str, judge: impl Fn(&[(serde_json::Value, f64)]) -> Result<(), String>) {
    let (alpha, beta) = (ALPHA_NS.to_string(), BETA_NS_PER_BYTE.to_string());
    let mut costs = vec![("MOCK_MPI_ALPHA_NS", alpha.as_str()), ("MOCK_MPI_BETA_NS_PER_BYTE", beta.as_str())];
    costs.extend(variables);
    let mut least: Vec<(serde_json::Value, f64)> = Vec::new();
    let mut verdict = Ok(());
    for _ in 0..LAUNCHES {
        let job = Job::new();
        let ran = mock::paw(&job, 2, &costs, args);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        for cell in job.lines("r", "cell") {
            let time_s = least_s(&job, "r", &cell);
            match least.iter_mut().find(|(point, _)| *point == cell["point"]) {
                Some((_, least_s)) => *least_s = least_s.min(time_s),
                None => least.push((cell["point"].clone(), time_s)),
            }
        }
        verdict = judge(&least);
        if verdict.is_ok() {
            break;
        }
    }
    verdict.unwrap();
}

/// Whether `found` is within five hundredths of `expected`.
fn near(what: &str, found: f64, expected: f64) -> Result<(), String> {
    let off = found / expected - 1.0;
    if off.abs() <= 0.05 { Ok(()) } else { Err(format!("{what}: {found} where {expected} was injected")) }
}

fn bytes(point: &serde_json::Value) -> f64 {
    8.0 * point["n"].as_f64().unwrap()
}

#[test]
fn latency_is_the_way_of_a_byte() {
    repeated(&[], "run latency --reps 60 --loops 2 --quiet", |times| {
        let [(_, round_trip_s)] = times else { return Err(format!("one cell: {times:?}")) };
        near("ns", round_trip_s / 2.0 * 1e9, ALPHA_NS + BETA_NS_PER_BYTE)
    });
}

#[test]
fn a_line_through_the_sizes_has_the_links_slope_and_start() {
    repeated(&[], "run p2p_send --set n=1,512,4096 --reps 60 --loops 2 --quiet", |times| {
        let one_way: Vec<(f64, f64)> = times.iter().map(|(point, s)| (bytes(point), s / 2.0 * 1e9)).collect();
        let [small, middle, large] = one_way[..] else { return Err(format!("three cells: {times:?}")) };
        let beta = (large.1 - small.1) / (large.0 - small.0);
        near("ns a byte", beta, BETA_NS_PER_BYTE)?;
        near("ns of the shortest", small.1 - beta * small.0, ALPHA_NS)?;
        near("ns between", middle.1, ALPHA_NS + BETA_NS_PER_BYTE * middle.0)
    });
}

#[test]
fn the_parameters_of_loggp_are_those_of_the_link() {
    repeated(&[], "run loggp --set n=1,1024 --reps 60 --loops 1 --quiet", |times| {
        let train = |n: i64, word: &str| {
            let is_it = |(point, _): &&(serde_json::Value, f64)| point["n"] == n && point["train"] == word;
            times.iter().find(is_it).map(|(_, s)| s * 1e9).ok_or_else(|| format!("no {word} of {n}: {times:?}"))
        };
        let more = |n: i64, word: &str| Ok::<f64, String>((train(n, word)? - train(n, "single")?) / 15.0);
        let overhead_ns = more(1, "apart")?;
        // A message of the mock costs its sender next to nothing, and occupies the link for its bytes. Twice as much is missing from L.
        if overhead_ns > 0.02 * ALPHA_NS {
            return Err(format!("an overhead of {overhead_ns} ns"));
        }
        near("ns of L", train(1, "single")? / 2.0 - 2.0 * overhead_ns, ALPHA_NS)?;
        near("ns a byte", (more(1024, "together")? - more(1, "together")?) / (8.0 * 1023.0), BETA_NS_PER_BYTE)
    });
}

#[test]
fn a_link_that_is_slower_one_way_is_seen() {
    let back_beta_ns_per_byte = 4.0 * BETA_NS_PER_BYTE;
    let back = back_beta_ns_per_byte.to_string();
    let variables = [("MOCK_MPI_BACK_BETA_NS_PER_BYTE", back.as_str())];
    repeated(&variables, "run p2p_isend_ping --set n=1024 --reps 60 --loops 2 --quiet", |times| {
        let ways = [("forward", BETA_NS_PER_BYTE), ("backward", back_beta_ns_per_byte)];
        ways.into_iter().try_for_each(|(way, beta)| {
            let (point, s) = times.iter().find(|(point, _)| point["direction"] == way).ok_or(way)?;
            near(way, s * 1e9, 2.0 * ALPHA_NS + beta * bytes(point))
        })
    });
}
