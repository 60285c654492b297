//! Caveats derived from the machine's files, each with cause and action; nothing is probed.

use paw_data::machine::State;
use paw_data::outcome::Caveat;

use crate::environment::{self, Variables};
use crate::topology::Topology;

/// A quiet machine's load stays below a tenth of a processor.
const LOAD_IDLE: f64 = 0.1;

/// Nodes that show less than nine tenths of the machine's memory: kernels keep a few per cent for themselves, not more.
const VISIBLE_SHARE: f64 = 0.9;

/// Reasons to trust numbers from this machine less, the most serious first.
pub fn caveats(topology: &Topology, state: &State, env: &Variables) -> Vec<Caveat> {
    let host = [
        quota(topology),
        throttled(state),
        load(topology, state),
        heat(state),
        governor(state),
        virtual_machine(state),
        unseen_frequency(state),
        lazy_memory(topology),
        fewer_processors(topology),
        memory_limit(topology),
        hybrid(topology),
        clocksource(state),
        variable_tsc(state),
        swap(state),
        numa_balancing(topology, state),
        strange(topology),
    ];
    let capped = environment::capping(env).iter().map(environment::Capping::caveat).collect::<Vec<_>>();
    capped.into_iter().chain(host.into_iter().flatten()).collect()
}

fn number(state: &State, name: &str) -> Option<f64> {
    state.get(name)?.parse().ok()
}

fn quota(topology: &Topology) -> Option<Caveat> {
    let quota = topology.allowance.quota.as_ref().filter(|q| q.cpus < topology.allowed().len() as f64)?;
    Some(Caveat::new(
        "cpu-quota",
        format!(
            "{} lets this process use {:.2} of its {} processors: beyond that it is stopped until the next period",
            quota.path,
            quota.cpus,
            topology.allowed().len()
        ),
        "measure outside the container, or give it no CPU limit",
    ))
}

fn throttled(state: &State) -> Option<Caveat> {
    let times = number(state, "quota_throttled").filter(|n| *n > 0.0)?;
    Some(Caveat::new(
        "quota-throttled",
        format!("the control group was stopped {times} times for having used up its CPU quota"),
        "measure outside the container, or give it no CPU limit",
    ))
}

fn load(topology: &Topology, state: &State) -> Option<Caveat> {
    let load = number(state, "load_1min").filter(|load| *load > LOAD_IDLE)?;
    Some(Caveat::new(
        "load",
        format!(
            "load of the last minute is {load:.2} on {} processors: other programs are running",
            topology.cpus.len()
        ),
        "stop other programs, or wait until the load is below 0.1",
    ))
}

fn heat(state: &State) -> Option<Caveat> {
    let sum = number(state, "throttle_core").unwrap_or(0.0) + number(state, "throttle_package").unwrap_or(0.0);
    (sum > 0.0).then(|| {
        Caveat::new(
            "thermal-throttling",
            "heat has slowed processors since the machine was started",
            "compare throttle_core and throttle_package of two states; improve cooling if they grow",
        )
    })
}

fn governor(state: &State) -> Option<Caveat> {
    let governor = state.get("governor").filter(|g| *g != "performance")?;
    Some(Caveat::new(
        "governor",
        format!("the frequency governor is {governor}: clocks rise only after work has begun"),
        "sudo cpupower frequency-set -g performance",
    ))
}

fn virtual_machine(state: &State) -> Option<Caveat> {
    let name = state.get("virtualization").filter(|v| *v != "none")?;
    Some(Caveat::new(
        "virtual-machine",
        format!(
            "this is a virtual machine ({name}): neighbours share caches, memory and clocks, memory may be backed only when first touched, and the topology is what the hypervisor shows"
        ),
        "repeat runs at other times, or measure on bare metal",
    ))
}

fn unseen_frequency(state: &State) -> Option<Caveat> {
    (!state.contains_key("governor")).then(|| {
        Caveat::new(
            "unseen-frequency",
            "this machine shows no frequency control: whether clocks are steady is unknown",
            "check the measured core clock in the run, and compare alternatives within one run",
        )
    })
}

/// Nodes that show less memory than the machine has: a virtual machine backs memory when it is touched.
fn lazy_memory(topology: &Topology) -> Option<Caveat> {
    let visible: u64 = topology.nodes.iter().map(|n| n.visible_bytes).sum();
    let total = topology.memory.total_bytes;
    ((visible as f64) < VISIBLE_SHARE * total as f64 && visible > 0).then(|| {
        Caveat::new(
            "lazy-memory",
            format!(
                "memory nodes show {:.1} of {:.1} GiB: memory is backed when it is first touched",
                gibibytes(visible),
                gibibytes(total)
            ),
            "touch operands twice before timing, as the suites here do",
        )
    })
}

fn gibibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

fn fewer_processors(topology: &Topology) -> Option<Caveat> {
    let (allowed, online) = (topology.allowed(), topology.online());
    (allowed.len() < online.len()).then(|| {
        Caveat::new(
            "fewer-processors",
            format!(
                "this process may use processors {allowed} of {online}: peaks and bandwidths are those of this part"
            ),
            "start it without taskset and outside the cpuset to assess the whole machine",
        )
    })
}

fn memory_limit(topology: &Topology) -> Option<Caveat> {
    let limit = topology.allowance.memory.as_ref().filter(|m| m.bytes < topology.memory.total_bytes)?;
    Some(Caveat::new(
        "memory-limit",
        format!("{} limits memory to {:.1} GiB: larger points are left out", limit.path, gibibytes(limit.bytes)),
        "raise the control group's limit",
    ))
}

fn hybrid(topology: &Topology) -> Option<Caveat> {
    (topology.kinds.len() > 1).then(|| {
        let counts: Vec<String> = topology.kinds.iter().map(|k| format!("{} {}", k.cores.len(), k.name)).collect();
        Caveat::new(
            "hybrid",
            format!("cores are of several kinds ({}): work shared out evenly waits for the slowest", counts.join(", ")),
            "compare kinds of cores separately (taskset selects one)",
        )
    })
}

fn clocksource(state: &State) -> Option<Caveat> {
    // Clocks that live outside the processor, or in the timer tick.
    const SLOW: &[&str] = &["hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"];
    let source = state.get("clocksource").filter(|s| SLOW.contains(&s.as_str()))?;
    Some(Caveat::new(
        "clocksource",
        format!("the kernel's clock is {source}: each reading costs about a microsecond"),
        "find out why the kernel gave up the time-stamp counter: dmesg | grep -i clocksource",
    ))
}

fn variable_tsc(state: &State) -> Option<Caveat> {
    state.get("tsc").filter(|kind| *kind != "invariant")?;
    Some(Caveat::new(
        "variable-tsc",
        "the processor does not guarantee that its time-stamp counter ticks evenly (constant_tsc, nonstop_tsc)",
        "use the monotonic clock, as paw does by default",
    ))
}

fn swap(state: &State) -> Option<Caveat> {
    let used = number(state, "swap_used_bytes").filter(|bytes| *bytes > 0.0)?;
    Some(Caveat::new(
        "swap",
        format!("{:.0} MiB of swap space is in use: memory was short", used / f64::from(1 << 20)),
        "free memory before measuring: sudo swapoff -a",
    ))
}

fn numa_balancing(topology: &Topology, state: &State) -> Option<Caveat> {
    let on = state.get("numa_balancing").is_some_and(|v| v != "0") && topology.nodes.len() > 1;
    on.then(|| {
        Caveat::new(
            "numa-balancing",
            "the kernel moves pages between memory nodes while programs run",
            "sudo sysctl kernel.numa_balancing=0",
        )
    })
}

fn strange(topology: &Topology) -> Option<Caveat> {
    (!topology.notes.is_empty()).then(|| {
        Caveat::new("strange-topology", topology.notes.join("; "), "compare with lscpu, and set --threads to a number")
    })
}
