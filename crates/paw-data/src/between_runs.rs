//! The variation of a number from run to run of a machine, which the samples of one run cannot show.

use crate::machine::Machine;

/// Half width of a 95 % interval in standard deviations of a normal distribution.
const NORMAL_95: f64 = 1.959_964;

/// The standard deviation between runs that the state of the machine lets expect, relative to the number.
/// It is an uncertainty of type B (JCGM 100:2008, 4.3): known from earlier measurements, not from this series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BetweenRuns {
    /// Relative standard deviation.
    pub deviation: f64,
    /// The state of the machine that lets expect it; empty where nothing is known of the machine.
    pub cause: &'static str,
}

impl BetweenRuns {
    /// The value for an unknown machine: 0.
    pub const UNKNOWN: Self = Self { deviation: 0.0, cause: "" };

    /// Neighbours of a virtual machine move its clock and caches: see the calibration in METHOD.md.
    pub const VIRTUAL: Self = Self { deviation: 0.025, cause: "a virtual machine" };

    /// The processor chooses its own frequency.
    pub const FREE_CLOCK: Self = Self { deviation: 0.01, cause: "a machine whose clock is not fixed" };

    /// Governor `performance` without boost: memory and the system still differ from run to run.
    pub const FIXED_CLOCK: Self = Self { deviation: 0.005, cause: "a machine with a fixed clock" };

    /// The value for `machine`, from its hypervisor and its frequency control.
    pub fn of(machine: &Machine) -> Self {
        let state = |name: &str| machine.state.get(name).map(String::as_str);
        if machine.identity.cpu.is_empty() {
            return Self::UNKNOWN;
        }
        if !machine.identity.hypervisor.is_empty() {
            return Self::VIRTUAL;
        }
        match (state("governor"), state("boost")) {
            (Some("performance"), Some("off")) => Self::FIXED_CLOCK,
            _ => Self::FREE_CLOCK,
        }
    }

    /// Half the 95 % interval that it has alone, relative to the number.
    pub fn half_width(self) -> f64 {
        NORMAL_95 * self.deviation
    }

    /// `± is 4.9 % at least on a virtual machine`; `None` where nothing is added.
    pub fn sentence(self) -> Option<String> {
        let percent = 100.0 * self.half_width();
        (percent > 0.0).then(|| format!("± is {percent:.1} % at least on {}", self.cause))
    }

    /// The 95 % interval `ends` of `value` with the deviation between runs: on logarithms, each half is combined with it in quadrature
    /// (JCGM 100:2008, 5.1.2).
    pub fn widened(self, value: f64, ends: (f64, f64)) -> (f64, f64) {
        let (low, high) = ends;
        if !(value > 0.0 && low > 0.0) || self.deviation == 0.0 {
            return ends;
        }
        let half = |own: f64| own.hypot(self.half_width());
        (value * (-half((value / low).ln())).exp(), value * half((high / value).ln()).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Identity;

    fn machine(hypervisor: &str, state: &[(&str, &str)]) -> Machine {
        let identity =
            Identity { cpu: "a processor".to_owned(), hypervisor: hypervisor.to_owned(), ..Identity::default() };
        let state = state.iter().map(|(name, reading)| ((*name).to_owned(), (*reading).to_owned())).collect();
        Machine { identity, state, ..Machine::default() }
    }

    #[test]
    fn a_clock_that_more_can_move_lets_expect_more() {
        let fixed = [("governor", "performance"), ("boost", "off")];
        assert_eq!(BetweenRuns::of(&machine("KVM", &fixed)), BetweenRuns::VIRTUAL);
        assert_eq!(BetweenRuns::of(&machine("", &fixed)), BetweenRuns::FIXED_CLOCK);
        assert_eq!(BetweenRuns::of(&machine("", &fixed[..1])), BetweenRuns::FREE_CLOCK);
        assert_eq!(BetweenRuns::of(&machine("", &[])), BetweenRuns::FREE_CLOCK);
        assert_eq!(BetweenRuns::of(&Machine::default()), BetweenRuns::UNKNOWN);
    }

    #[test]
    fn halves_add_in_quadrature_on_logarithms() {
        let between = BetweenRuns { deviation: 0.03 / NORMAL_95, ..BetweenRuns::VIRTUAL };
        let (low, high) = between.widened(100.0, (100.0 * (-0.04_f64).exp(), 100.0));
        assert!((low - 100.0 * (-0.05_f64).exp()).abs() < 1e-9);
        assert!((high - 100.0 * 0.03_f64.exp()).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_positive_number_stays_as_it_is() {
        assert_eq!(BetweenRuns::VIRTUAL.widened(0.0, (0.0, 1.0)), (0.0, 1.0));
        assert_eq!(BetweenRuns::UNKNOWN.widened(1.0, (0.9, 1.2)), (0.9, 1.2));
    }
}
