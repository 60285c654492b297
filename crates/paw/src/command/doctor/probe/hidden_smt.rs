//! Processors that share a core although the system shows a core of its own for each.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use paw_machine::doctor::{Finding, Unreadable};
use paw_measure::clock::Clock;
use paw_native::affinity;
use paw_native::peak::{Mix, Peak};
use paw_sort::SortNumbers;

use super::{Probe, Probed};

/// Length of one measurement.
const SECONDS: f64 = 0.05;
/// Pairs that are tried: all on a small machine, and about a second at most.
const PAIRS_MAX: usize = 8;
/// Turns of a piece of work: some ten microseconds.
const TURNS: u64 = 2_000;
/// Two threads of a core get about half of its units each; two cores lose a few per cent to a lower clock.
const SHARED: f64 = 0.75;

/// Processors that share a core although the system shows a core of its own for each.
pub const HIDDEN_SMT: Probe = Probe {
    id: "hidden-smt",
    effect: "two threads on what look like two cores share one",
    size: Some("two cores: 65.4 GFLOP/s alone, 65.5 with the other busy"),
    measure,
};

fn measure(probed: &Probed<'_>) -> Result<Finding, Unreadable> {
    let cores: Vec<u32> = probed.topology.allowed_cores().iter().filter_map(|(_, cpus)| cpus.first()).collect();
    let Some((first, others)) = cores.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Ok(Finding::of("one core", "measured").fine("there is no second core to share it with"));
    };
    let peak = Peak::widest::<f64>(Mix::MultiplyAdd)
        .ok_or_else(|| Unreadable::new("measured", "paw has no loop for this processor"))?;
    let refused = |why: io::Error| Unreadable::new("measured", format!("threads cannot be bound: {why}"));
    let mut worst: Option<(f64, u32)> = None;
    // A hypervisor numbers the threads of a core one after the other, or first all first ones and then all second ones.
    let far = others.get(others.len() / 2).filter(|_| others.len() > PAIRS_MAX);
    for partner in others.iter().take(PAIRS_MAX).chain(far).copied() {
        let alone = piece_s(peak, *first, None).map_err(refused)?;
        let together = piece_s(peak, *first, Some(partner)).map_err(refused)?;
        let share = alone / together;
        if worst.is_none_or(|(least, _)| share < least) {
            worst = Some((share, partner));
        }
    }
    let (share, partner) = worst.unwrap_or((1.0, *first));
    Ok(judged(share, *first, partner))
}

fn judged(share: f64, first: u32, partner: u32) -> Finding {
    let value = format!("{:.0} % of its rate while processor {partner} computes, too", share.min(1.0) * 100.0);
    let finding = Finding::of(format!("processor {first}: {value}"), "measured");
    if share >= SHARED {
        return finding;
    }
    let cause = format!("processor {first} slows down while processor {partner} computes: they seem to share a core");
    finding.warn(cause, "measure with one thread for each core: --threads, taskset")
}

/// Seconds of a piece of work on `cpu`, the median, while `partner` does the same.
fn piece_s(peak: Peak, cpu: u32, partner: Option<u32>) -> io::Result<f64> {
    let over = Arc::new(AtomicBool::new(false));
    let begun = Arc::new(Barrier::new(2));
    let partner = partner.map(|cpu| {
        let (over, begun) = (Arc::clone(&over), Arc::clone(&begun));
        thread::spawn(move || {
            let bound = affinity::pin(&[cpu]);
            begun.wait();
            while bound.is_ok() && !over.load(Ordering::Acquire) {
                std::hint::black_box(peak.run(TURNS));
            }
            bound
        })
    });
    if partner.is_some() {
        begun.wait();
    }
    let measured = thread::spawn(move || median_s(peak, cpu)).join();
    over.store(true, Ordering::Release);
    let bound = partner.map_or(Ok(Ok(())), thread::JoinHandle::join);
    match (measured, bound) {
        (Ok(measured), Ok(bound)) => bound.and(measured),
        _ => Err(io::Error::other("a thread broke off")),
    }
}

/// Seconds of a piece of work of this thread on `cpu`, the median: an interruption lengthens a few pieces, a shared core all of them.
fn median_s(peak: Peak, cpu: u32) -> io::Result<f64> {
    affinity::pin(&[cpu])?;
    let clock = Clock::monotonic();
    let begin = clock.start();
    let mut last = begin;
    let mut pieces_s = Vec::new();
    loop {
        std::hint::black_box(peak.run(TURNS));
        let now = clock.stop();
        pieces_s.push(clock.seconds(last, now));
        last = now;
        if clock.seconds(begin, now) >= SECONDS {
            pieces_s.sort_numbers();
            return Ok(pieces_s[pieces_s.len() / 2]);
        }
    }
}

#[cfg(test)]
mod tests {
    use paw_machine::doctor::Level;

    #[test]
    fn half_a_rate_is_a_shared_core() {
        for (share, level) in [(1.0, Level::Ok), (0.93, Level::Ok), (0.55, Level::Warn)] {
            assert_eq!(super::judged(share, 0, 1).level, level, "{share}");
        }
    }
}
