//! What on a machine spoils measurements: one list of checks, each with what was read, where, what it does and the remedy.
//!
//! A check reads files and decides by them alone; what a file does not say is UNKNOWN, never guessed. Probes that take time are elsewhere.

mod aslr;
mod autogroup;
mod boost;
mod clocksource;
mod cpu_quota;
mod energy_preference;
mod fewer_processors;
mod finding;
mod frequency_limits;
mod governor;
mod graphical_session;
mod hardware_counters;
mod hybrid;
mod idle_states;
mod irqs;
mod isolation;
mod ksm;
mod lazy_memory;
mod limits;
mod load;
mod machine_files;
mod mains_power;
mod memory_limit;
mod mitigations;
mod network;
mod nmi_watchdog;
mod numa_balancing;
mod perf_access;
mod pressure;
mod processes;
mod quota_throttled;
mod rt_throttle;
mod smt;
mod steal;
mod strange_topology;
mod swap;
mod swappiness;
mod temperature;
mod thermal_throttling;
mod thp;
mod thp_defrag;
mod variable_tsc;
mod virtual_machine;

use paw_data::outcome::Caveat;

use crate::root::Root;
use crate::topology::Topology;

pub use finding::{Finding, Level, Setting, Step};
pub use machine_files::{MachineFiles, Unreadable};
pub use network::{PACKETS_QUIET, packets};

/// One thing that may spoil measurements.
#[derive(Debug)]
pub struct Check {
    /// Stable identifier; a caveat drawn from the check has it, too.
    pub id: &'static str,
    /// What it does to measurements.
    pub effect: &'static str,
    /// How much, where somebody has measured it: the size, and the machine.
    pub size: Option<&'static str>,
    /// Who can apply the remedy.
    pub privilege: Privilege,
    /// Reads the files and decides.
    pub examine: fn(&MachineFiles<'_>) -> Result<Finding, Unreadable>,
}

/// Who can apply a remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privilege {
    /// The user.
    User,
    /// Root.
    Root,
}

/// A finding, and the facts of the check that made it.
#[derive(Debug)]
pub struct Examined {
    /// As [`Check::id`].
    pub id: &'static str,
    /// As [`Check::effect`].
    pub effect: &'static str,
    /// As [`Check::size`].
    pub size: Option<&'static str>,
    /// Who can apply the remedy of this finding.
    pub privilege: Privilege,
    /// The finding.
    pub finding: Finding,
}

/// Table of contents, the most serious first.
pub const CHECKS: &[&Check] = &[
    &cpu_quota::CPU_QUOTA,
    &quota_throttled::QUOTA_THROTTLED,
    &load::LOAD,
    &pressure::PRESSURE,
    &steal::STEAL,
    &thermal_throttling::THERMAL_THROTTLING,
    &temperature::TEMPERATURE,
    &energy_preference::ENERGY_PREFERENCE,
    &governor::GOVERNOR,
    &virtual_machine::VIRTUAL_MACHINE,
    &lazy_memory::LAZY_MEMORY,
    &fewer_processors::FEWER_PROCESSORS,
    &memory_limit::MEMORY_LIMIT,
    &hybrid::HYBRID,
    &clocksource::CLOCKSOURCE,
    &variable_tsc::VARIABLE_TSC,
    &swap::SWAP,
    &numa_balancing::NUMA_BALANCING,
    &strange_topology::STRANGE_TOPOLOGY,
    &mains_power::MAINS_POWER,
    &graphical_session::GRAPHICAL_SESSION,
    &boost::BOOST,
    &frequency_limits::FREQUENCY_LIMITS,
    &smt::SMT,
    &isolation::ISOLATION,
    &irqs::IRQS,
    &idle_states::IDLE_STATES,
    &thp::THP,
    &thp_defrag::THP_DEFRAG,
    &ksm::KSM,
    &swappiness::SWAPPINESS,
    &aslr::ASLR,
    &autogroup::AUTOGROUP,
    &rt_throttle::RT_THROTTLE,
    &limits::LIMITS,
    &network::NETWORK,
    &mitigations::MITIGATIONS,
    &perf_access::PERF_ACCESS,
    &hardware_counters::HARDWARE_COUNTERS,
    &nmi_watchdog::NMI_WATCHDOG,
];

impl Examined {
    /// The caveat of numbers measured under it; none where it does not disturb.
    pub fn caveat(&self) -> Option<Caveat> {
        let Finding { level, cause, action, .. } = &self.finding;
        level.disturbs().then(|| Caveat::new(self.id, cause.clone(), action.clone()))
    }
}

/// Reasons to trust numbers from this machine less, the most serious first.
pub fn caveats(root: &Root, topology: &Topology) -> Vec<Caveat> {
    examine(root, topology).iter().filter_map(Examined::caveat).collect()
}

/// Every check, made on the files below `root`.
pub fn examine(root: &Root, topology: &Topology) -> Vec<Examined> {
    let files = MachineFiles::new(root, topology);
    let examined = |check: &&'static Check| {
        let finding = (check.examine)(&files).unwrap_or_else(|unreadable| Finding::unknown(&unreadable));
        let Check { id, effect, size, privilege, .. } = **check;
        let privilege = if finding.is_users { Privilege::User } else { privilege };
        Examined { id, effect, size, privilege, finding }
    };
    CHECKS.iter().map(examined).collect()
}
