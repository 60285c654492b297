//! Measures other work on the machine between two moments.

use paw_machine::root::Root;

/// Processors that other work may keep busy before a failed check is blamed on it: the kernel's own housekeeping stays below a tenth.
const OTHERS_MAX: f64 = 0.15;

/// Share of the processors' time that a hypervisor may take before a failed check is blamed on it.
const STEAL_MAX: f64 = 0.005;

/// Share of the time that this process may wait for a processor before a failed check is blamed on that.
const WAIT_MAX: f64 = 0.01;

/// Counters of the machine and of this process at one moment, all in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Activity {
    /// The moment, in seconds.
    pub at_s: f64,
    /// Processor time used by everyone, summed over the processors.
    pub all_s: f64,
    /// Processor time that the hypervisor gave to other guests, summed over the processors.
    pub steal_s: f64,
    /// Processor time used by this process and its children.
    pub own_s: f64,
    /// Time for which this thread waited for a processor.
    pub waited_s: f64,
}

impl Activity {
    /// The activity from `before` to `after`.
    pub fn between(before: &Self, after: &Self) -> Self {
        Self {
            at_s: after.at_s - before.at_s,
            all_s: after.all_s - before.all_s,
            steal_s: after.steal_s - before.steal_s,
            own_s: after.own_s - before.own_s,
            waited_s: after.waited_s - before.waited_s,
        }
    }

    /// The other work on the machine, in one sentence; `None` if there was none.
    pub fn busy(&self) -> Option<String> {
        // The kernel counts in ticks of 10 ms: less than three of them is no evidence.
        let others_s = (self.all_s - self.own_s - 0.03).max(0.0);
        let others = others_s / self.at_s;
        if others > OTHERS_MAX {
            return Some(format!("other work kept {others:.1} processors busy meanwhile"));
        }
        if self.steal_s > 0.03 && self.steal_s > STEAL_MAX * self.at_s {
            let steal = self.steal_s / self.at_s;
            return Some(format!("the hypervisor gave {steal:.2} processors to other guests meanwhile"));
        }
        let waited = self.waited_s / self.at_s;
        (waited > WAIT_MAX).then(|| format!("this process waited for a processor {:.0} % of the time", waited * 100.0))
    }

    /// The counters now, as the kernel keeps them under `root`; what cannot be read is zero.
    pub fn read(root: &Root, at_s: f64) -> Self {
        let stat = root.text("/proc/stat").unwrap_or_default();
        let (all_s, steal_s) = machine_s(&stat);
        let own_s = own_s(&root.text("/proc/self/stat").unwrap_or_default());
        let waited = root.text("/proc/thread-self/schedstat").unwrap_or_default();
        let waited_ns: f64 = waited.split_whitespace().nth(1).and_then(|ns| ns.parse().ok()).unwrap_or(0.0);
        Self { at_s, all_s, steal_s, own_s, waited_s: waited_ns / 1e9 }
    }
}

/// Length of one of the kernel's ticks, which proc(5) fixes for user space.
const TICK_S: f64 = 0.01;

/// Busy and stolen seconds, from the first line of /proc/stat: `cpu user nice system idle iowait irq softirq steal`.
fn machine_s(stat: &str) -> (f64, f64) {
    let line = stat.lines().next().unwrap_or("");
    let ticks: Vec<f64> = line.split_whitespace().skip(1).take(8).map_while(|field| field.parse().ok()).collect();
    let sum = |columns: &[usize]| columns.iter().filter_map(|column| ticks.get(*column)).sum::<f64>() * TICK_S;
    (sum(&[0, 1, 2, 5, 6]), sum(&[7]))
}

/// Seconds this process and its children that have ended used, from the fields utime, stime, cutime and cstime of /proc/self/stat.
fn own_s(stat: &str) -> f64 {
    let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    rest.split_whitespace().skip(11).take(4).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * TICK_S
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_from_the_columns_of_the_kernel() {
        let (all_s, steal_s) = machine_s("cpu  100 10 20 5000 300 4 6 50 7 8\ncpu0 1 2 3\n");
        assert!((all_s - 1.4).abs() < 1e-12 && (steal_s - 0.5).abs() < 1e-12);
        let stat = "7 (a (b) c) R 1 2 3 4 5 6 7 8 9 10 100 50 20 30 20 0";
        assert!((own_s(stat) - 2.0).abs() < 1e-12);
        assert_eq!((machine_s(""), own_s("")), ((0.0, 0.0), 0.0));
    }

    #[test]
    fn other_work_steal_and_waiting_are_named() {
        let idle = Activity { at_s: 1.0, all_s: 1.02, own_s: 1.0, ..Activity::default() };
        assert_eq!(idle.busy(), None);
        let busy = |activity: Activity| activity.busy().unwrap_or_default();
        assert!(busy(Activity { all_s: 3.53, ..idle }).contains("2.5 processors busy"));
        assert!(busy(Activity { steal_s: 0.2, ..idle }).contains("0.20 processors to other guests"));
        assert!(busy(Activity { waited_s: 0.3, ..idle }).contains("30 % of the time"));
    }
}
