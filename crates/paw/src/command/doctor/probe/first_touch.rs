//! What the first touch of memory costs, against the second.

use paw_machine::doctor::{Finding, Unreadable};

use super::{Probe, Probed};

/// Larger than second-level caches, and quickly touched.
const BYTES: usize = 64 << 20;
/// From this ratio on an average over first and later touches says little about either.
const RATIO: f64 = 2.0;

/// What the first touch of memory costs, against the second.
pub const FIRST_TOUCH: Probe = Probe {
    id: "first-touch",
    effect: "a program that times its first pass over memory times the system's allocation",
    size: Some("3 GB/s against 35 GB/s on a virtual machine; 0.42 GB/s with huge pages that nobody had touched before"),
    measure,
};

fn measure(probed: &Probed<'_>) -> Result<Finding, Unreadable> {
    let mut memory = Vec::new();
    let refused = |_| Unreadable::new("measured", "there are no 64 MiB of memory to touch");
    memory.try_reserve_exact(BYTES).map_err(refused)?;
    let clock = &probed.clock;
    let start = clock.start();
    // The kernel gives pages when they are written, not when they are reserved.
    memory.resize(BYTES, 1_u8);
    let between = clock.stop();
    std::hint::black_box(&mut memory).fill(2);
    let stop = clock.stop();
    std::hint::black_box(&memory);
    Ok(judged(clock.seconds(start, between), clock.seconds(between, stop)))
}

fn judged(first_s: f64, second_s: f64) -> Finding {
    let rate = |seconds: f64| BYTES as f64 / seconds / 1e9;
    let (first, second) = (rate(first_s), rate(second_s));
    let finding = Finding::of(format!("{first:.1} GB/s, then {second:.1} GB/s"), "measured");
    if second < RATIO * first {
        return finding;
    }
    let cause = format!("the first touch of memory is {:.0} times slower than the second", second / first);
    finding.info(cause, "touch memory before it is timed, as the suites here do")
}

#[cfg(test)]
mod tests {
    use paw_machine::doctor::Level;

    #[test]
    fn a_slow_first_touch_is_worth_knowing() {
        assert_eq!(super::judged(0.02, 0.002).level, Level::Info);
        assert_eq!(super::judged(0.003, 0.002).level, Level::Ok);
    }
}
