//! The share of a processor that a computing thread gets.

use paw_machine::doctor::{Finding, Unreadable};
use paw_native::clock_chain;
use rustix::time::{ClockId, clock_gettime};

use super::{Probe, Probed};

const SECONDS: f64 = 0.3;
/// A sample that waits for more than a hundredth of its time is marked as disturbed.
const DISTURBED: f64 = 0.99;
/// With less than this no sample of a few milliseconds is free of waiting.
const PREEMPTED: f64 = 0.9;

/// The share of a processor that a computing thread gets.
pub const PROCESSOR_SHARE: Probe = Probe {
    id: "processor-share",
    effect: "a thread that computes is stopped while others run on its processor",
    size: Some("a share of 86 % was seen where the best of 16 to 32 runs was 10 to 41 % too long"),
    measure,
};

fn measure(probed: &Probed<'_>) -> Result<Finding, Unreadable> {
    let before_s = own_s();
    let pieces_s = probed.pieces_s(SECONDS, || {
        std::hint::black_box(clock_chain::adds(100_000));
    });
    Ok(judged((own_s() - before_s) / pieces_s.iter().sum::<f64>()))
}

/// Processor time of this thread, in seconds.
fn own_s() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

fn judged(share: f64) -> Finding {
    let percent = (share * 100.0).min(100.0);
    let finding = Finding::of(format!("{percent:.1} % of {SECONDS} s"), "measured");
    let cause = format!("a thread that computes got {percent:.0} % of its processor's time");
    match share {
        share if share < PREEMPTED => finding.fail(cause, "stop other programs, or choose an idle processor (taskset)"),
        share if share < DISTURBED => finding.warn(cause, "stop other programs, or choose an idle processor (taskset)"),
        _ => finding,
    }
}

#[cfg(test)]
mod tests {
    use paw_machine::doctor::Level;

    #[test]
    fn a_thread_that_does_not_get_its_processor_is_disturbed() {
        for (share, level) in [(1.0, Level::Ok), (0.995, Level::Ok), (0.95, Level::Warn), (0.856, Level::Fail)] {
            assert_eq!(super::judged(share).level, level, "{share}");
        }
    }
}
