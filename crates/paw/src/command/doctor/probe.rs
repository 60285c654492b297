//! Probes: what files do not tell, measured in a few seconds.

mod core_clock;
mod first_touch;
mod hidden_smt;
mod network_now;
mod os_noise;
mod processor_share;
mod timer_tick;

use paw_machine::doctor::{Examined, Finding, Privilege, Unreadable};
use paw_machine::root::Root;
use paw_machine::topology::Topology;
use paw_measure::clock::Clock;

/// Something that is measured.
#[derive(Debug)]
pub struct Probe {
    /// As of a check.
    pub id: &'static str,
    /// As of a check.
    pub effect: &'static str,
    /// As of a check.
    pub size: Option<&'static str>,
    /// Measures and decides.
    pub measure: fn(&Probed<'_>) -> Result<Finding, Unreadable>,
}

/// The machine that is measured: this one.
#[derive(Debug)]
pub struct Probed<'a> {
    pub topology: &'a Topology,
    pub clock: Clock,
}

/// Table of contents.
const PROBES: &[&Probe] = &[
    &processor_share::PROCESSOR_SHARE,
    &core_clock::CORE_CLOCK,
    &hidden_smt::HIDDEN_SMT,
    &first_touch::FIRST_TOUCH,
    &timer_tick::TIMER_TICK,
    &os_noise::OS_NOISE,
    &network_now::NETWORK_NOW,
];

/// The names of all probes.
pub fn ids() -> impl Iterator<Item = &'static str> {
    PROBES.iter().map(|probe| probe.id)
}

/// Every probe whose name is wanted, one after the other.
pub fn measure(topology: &Topology, is_wanted: impl Fn(&str) -> bool) -> Vec<Examined> {
    let probed = Probed { topology, clock: Clock::monotonic() };
    let measured = |probe: &&Probe| probe.examined((probe.measure)(&probed));
    PROBES.iter().filter(|probe| is_wanted(probe.id)).map(measured).collect()
}

/// Every probe, unknown for this reason.
pub fn unmeasured(why: &str) -> Vec<Examined> {
    PROBES.iter().map(|probe| probe.examined(Err(Unreadable::new("a probe", format!("not measured: {why}"))))).collect()
}

impl Probe {
    fn examined(&self, found: Result<Finding, Unreadable>) -> Examined {
        let Self { id, effect, size, .. } = *self;
        let finding = found.unwrap_or_else(|unreadable| Finding::unknown(&unreadable));
        Examined { id, effect, size, privilege: Privilege::User, finding }
    }
}

impl Probed<'_> {
    /// Does pieces of work, one after the other, for `seconds` at least; the seconds of each.
    fn pieces_s(&self, seconds: f64, mut piece: impl FnMut()) -> Vec<f64> {
        let begin = self.clock.start();
        let mut last = begin;
        let mut pieces_s = Vec::new();
        loop {
            piece();
            let now = self.clock.stop();
            pieces_s.push(self.clock.seconds(last, now));
            if self.clock.seconds(begin, now) >= seconds {
                return pieces_s;
            }
            last = now;
        }
    }

    /// A file of this machine.
    fn text(&self, path: &str) -> Result<String, Unreadable> {
        Root::host().read(path).map_err(|error| Unreadable::new(path, error.to_string()))
    }
}
