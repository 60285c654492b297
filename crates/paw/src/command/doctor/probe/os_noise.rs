//! What is taken from a thread that only computes.

use paw_machine::doctor::{Finding, Unreadable};
use paw_native::clock_chain;
use paw_native::noise::Detours;

use super::{Probe, Probed};

const SECONDS: f64 = 1.0;
/// Additions of a piece of work, as of the benchmark `os_noise`.
const STEPS: u64 = 4096;
/// A sample that waits for more than a hundredth of its time is marked as disturbed.
const DISTURBED: f64 = 0.01;
/// What a tick of the kernel's timer takes, and a little more.
const QUIET: f64 = 0.001;

/// What is taken from a thread that only computes.
pub const OS_NOISE: Probe = Probe {
    id: "os-noise",
    effect: "work takes longer by what the system, other programs, a hypervisor or a falling clock take",
    size: None,
    measure,
};

fn measure(probed: &Probed<'_>) -> Result<Finding, Unreadable> {
    let pieces_s = probed.pieces_s(SECONDS, || {
        std::hint::black_box(clock_chain::adds(STEPS));
    });
    Ok(judged(&Detours::of(&pieces_s)))
}

fn judged(found: &Detours) -> Finding {
    let share = found.seconds / found.elapsed_s;
    let value = format!(
        "{:.2} % in {} detours of 1 µs or more within a second, the longest {:.2} ms",
        share * 100.0,
        found.count(),
        found.longest_s() * 1e3
    );
    let finding = Finding::of(value, "measured");
    let cause = format!("{:.1} % of the time was taken from a thread that only computes", share * 100.0);
    match share {
        share if share > DISTURBED => finding.warn(cause, "`paw run os_noise` shows detours by their length"),
        share if share > QUIET => finding.info(cause, "`paw run os_noise` shows detours by their length"),
        _ => finding,
    }
}

#[cfg(test)]
mod tests {
    use paw_machine::doctor::Level;
    use paw_native::noise::Detours;

    #[test]
    fn noise_is_judged_by_the_time_it_takes() {
        for (taken_s, level) in [(0.0, Level::Ok), (0.004, Level::Info), (0.05, Level::Warn)] {
            let mut pieces_s = vec![1e-3; 1000];
            pieces_s[7] += taken_s;
            assert_eq!(super::judged(&Detours::of(&pieces_s)).level, level, "{taken_s}");
        }
    }
}
