//! Packets that pass now.

use paw_machine::doctor::{Finding, PACKETS_QUIET, Unreadable, packets};
use paw_native::clock_chain;

use super::{Probe, Probed};

const SECONDS: f64 = 0.5;
const PATH: &str = "/proc/net/dev";

/// Packets that pass now.
pub const NETWORK_NOW: Probe = Probe {
    id: "network-now",
    effect: "packets interrupt processors, and the kernel works on them in the name of whoever runs there",
    size: None,
    measure,
};

fn measure(probed: &Probed<'_>) -> Result<Finding, Unreadable> {
    let before = packets(&probed.text(PATH)?);
    let pieces_s = probed.pieces_s(SECONDS, || {
        std::hint::black_box(clock_chain::adds(100_000));
    });
    Ok(judged((packets(&probed.text(PATH)?) - before) / pieces_s.iter().sum::<f64>()))
}

fn judged(rate: f64) -> Finding {
    let finding = Finding::of(format!("{rate:.0} packets a second"), PATH);
    if rate <= PACKETS_QUIET {
        return finding;
    }
    let cause = format!("{rate:.0} packets a second pass");
    finding.warn(cause, "stop what sends and receives, or take the machine off the network")
}

#[cfg(test)]
mod tests {
    use paw_machine::doctor::Level;

    #[test]
    fn many_packets_disturb() {
        assert_eq!(super::judged(100.0).level, Level::Ok);
        assert_eq!(super::judged(50_000.0).level, Level::Warn);
    }
}
