//! The clock of a core, and how much it moves.

use paw_machine::doctor::{Finding, Unreadable};
use paw_native::clock_chain;
use paw_sort::SortNumbers;

use super::{Probe, Probed};

const SECONDS: f64 = 1.0;
/// About 15 µs: short enough that most pieces are not interrupted.
const STEPS: u64 = 60_000;
/// The fastest of this many pieces is one reading of the clock, since an interruption only lengthens a piece.
const BEST_OF: usize = 3;
/// Share of the clock that moves between runs where it is fixed, and where it is not (METHOD.md, Between runs).
const FIXED: f64 = 0.01;
const FREE: f64 = 0.02;

/// The clock of a core, and how much it moves.
pub const CORE_CLOCK: Probe = Probe {
    id: "core-clock",
    effect: "times follow the clock; what is measured one after the other is measured at another clock",
    size: Some("4.1 GHz ± 1.5 % within a second on a virtual machine"),
    measure,
};

fn measure(probed: &Probed<'_>) -> Result<Finding, Unreadable> {
    let mut steps = STEPS;
    let pieces_s = probed.pieces_s(SECONDS, || steps = clock_chain::adds(STEPS));
    let cycles = steps as f64 * clock_chain::ADD_CYCLES;
    let mut clocks_hz: Vec<f64> = pieces_s
        .chunks_exact(BEST_OF)
        .map(|chunk| cycles / chunk.iter().copied().fold(f64::INFINITY, f64::min))
        .collect();
    clocks_hz.sort_numbers();
    judged(&clocks_hz).ok_or_else(|| Unreadable::new("measured", "it took too long to measure"))
}

/// Decides by ascending readings of the clock.
fn judged(clocks_hz: &[f64]) -> Option<Finding> {
    let quantile = |part: f64| clocks_hz.get(((clocks_hz.len() as f64 - 1.0) * part).round() as usize).copied();
    let (low, median, high) = (quantile(0.05)?, quantile(0.5)?, quantile(0.95)?);
    let spread = (high - low) / 2.0 / median;
    let finding = Finding::of(format!("{:.2} GHz ± {:.1} % within a second", median / 1e9, spread * 100.0), "measured");
    let cause = format!("the clock of a core moves by ± {:.1} % within a second", spread * 100.0);
    Some(match spread {
        spread if spread > FREE => {
            finding.warn(cause, "compare alternatives within one run, where they are interleaved")
        }
        spread if spread > FIXED => {
            finding.info(cause, "compare alternatives within one run, where they are interleaved")
        }
        _ => finding,
    })
}

#[cfg(test)]
mod tests {
    use paw_machine::doctor::Level;

    #[test]
    fn a_clock_that_moves_is_found() {
        for (step, level) in [(0.0, Level::Ok), (0.000_4, Level::Info), (0.001, Level::Warn)] {
            let clocks: Vec<f64> = (0..101).map(|index| 4e9 * (1.0 + step * f64::from(index))).collect();
            let finding = super::judged(&clocks).expect("there are readings");
            assert_eq!(finding.level, level, "{}", finding.value);
        }
        assert!(super::judged(&[]).is_none());
    }
}
