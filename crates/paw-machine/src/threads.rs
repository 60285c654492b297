//! Thread counts that a machine's topology suggests, the rule behind each, and the processors to run them on.

use paw_sort::OrderBy;

use crate::cpuset::CpuSet;
use crate::topology::Topology;

/// A number of threads with the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadCount {
    /// Threads.
    pub count: u32,
    /// The rule that gave the number, as a phrase: `all cores`.
    pub rule: String,
    /// Whether every thread has a hardware thread of its own.
    pub fit: ThreadFit,
}

/// Whether threads have hardware threads of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadFit {
    /// Every thread has one.
    Within,
    /// There are more threads than this process may use: they take turns.
    Oversubscribed,
}

/// The rules for one machine under one allowance.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadRules {
    /// Allowed cores of the package that has the most of them.
    socket: u32,
    /// Allowed cores.
    cores: u32,
    /// Allowed hardware threads.
    all: u32,
    /// The most threads that get time of their own, and why no more.
    ceiling: Option<(u32, String)>,
}

impl ThreadRules {
    /// The rules for this machine: affinity and cpuset limit the processors, a quota caps their time.
    pub fn new(topology: &Topology) -> Self {
        let cores = topology.allowed_cores();
        let of_package = |package| cores.iter().filter(|(i, _)| topology.cores[*i].package == package).count();
        let quota = topology.allowance.quota.as_ref().map(|quota| {
            // Rounded down, as the standard library does: a quota of 1.5 processors keeps one thread busy.
            let whole = (quota.cpus.floor() as u32).max(1);
            (whole, format!("the quota of {} processors in {}", round(quota.cpus), quota.path))
        });
        Self {
            socket: (0..topology.packages.len()).map(of_package).max().unwrap_or(1).max(1) as u32,
            cores: cores.len().max(1) as u32,
            all: topology.allowed().len().max(1) as u32,
            ceiling: quota,
        }
    }

    /// Caps the counts at what a batch system granted (`SLURM_CPUS_PER_TASK`).
    #[must_use]
    pub fn granted(mut self, threads: u32, by: &str) -> Self {
        if self.ceiling.as_ref().is_none_or(|(most, _)| threads < *most) {
            self.ceiling = Some((threads.max(1), format!("the {threads} granted by {by}")));
        }
        self
    }

    /// One thread.
    pub fn one(&self) -> ThreadCount {
        self.capped(1, "one thread".to_owned())
    }

    /// One thread for each allowed core of one package.
    pub fn socket(&self) -> ThreadCount {
        self.capped(self.socket, format!("the {} of one package", plural(self.socket, "core")))
    }

    /// One thread for each allowed core.
    pub fn cores(&self) -> ThreadCount {
        self.capped(self.cores, format!("all {}", plural(self.cores, "core")))
    }

    /// One thread for each allowed hardware thread.
    pub fn all(&self) -> ThreadCount {
        self.capped(self.all, format!("all {}", plural(self.all, "hardware thread")))
    }

    /// As many threads as asked for; more than there is room for are oversubscribed, not cut.
    pub fn count(&self, count: u32) -> ThreadCount {
        let count = count.max(1);
        let fit = if count > self.most() { ThreadFit::Oversubscribed } else { ThreadFit::Within };
        ThreadCount { count, rule: "as asked".to_owned(), fit }
    }

    /// Twice as many threads as there is room for.
    pub fn oversubscribed(&self) -> ThreadCount {
        let most = self.most();
        let rule = format!("twice the {}", plural(most, "hardware thread"));
        ThreadCount { count: 2 * most, rule, fit: ThreadFit::Oversubscribed }
    }

    /// The counts worth measuring on this machine, ascending: 1, powers of two, the cores of a package, all cores, all hardware threads.
    pub fn topology(&self) -> Vec<ThreadCount> {
        let powers = (1..31).map(|p| 1_u32 << p).take_while(|n| *n < self.cores.min(self.most()));
        let mut counts = vec![self.one(), self.socket(), self.cores(), self.all()];
        counts.extend(powers.map(|n| ThreadCount {
            count: n,
            rule: "a power of two".to_owned(),
            fit: ThreadFit::Within,
        }));
        // The sort is stable: of equal counts, the rule listed first above stays first.
        counts.order_by_key(|c| c.count);
        let mut merged: Vec<ThreadCount> = Vec::new();
        for next in counts {
            match merged.last_mut().filter(|last| last.count == next.count) {
                Some(last) if next.rule != "a power of two" => last.rule = format!("{}; {}", last.rule, next.rule),
                Some(_) => {}
                None => merged.push(next),
            }
        }
        merged
    }

    fn most(&self) -> u32 {
        self.ceiling.as_ref().map_or(self.all, |(most, _)| self.all.min(*most))
    }

    fn capped(&self, count: u32, rule: String) -> ThreadCount {
        match &self.ceiling {
            Some((most, why)) if *most < count => {
                ThreadCount { count: *most, rule: format!("{rule}, capped to {most} by {why}"), fit: ThreadFit::Within }
            }
            _ => ThreadCount { count, rule, fit: ThreadFit::Within },
        }
    }
}

/// Threads or programs at once for each hardware thread: what is beyond measures the scheduler alone.
const AT_ONCE_EACH: u32 = 64;
/// Threads or programs at once that any machine may have.
const AT_ONCE_ANYWHERE: u32 = 1024;

/// The error that more threads or programs at once were asked for than paw starts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{count} {what} at once are more than paw starts here: {most} at most, {AT_ONCE_EACH} for each of {} (at least {AT_ONCE_ANYWHERE})",
    plural(*hardware_threads, "hardware thread")
)]
pub struct TooMany {
    /// The number asked for.
    pub count: i64,
    /// Of what: `threads`, `copies`.
    pub what: &'static str,
    /// The most that are started.
    pub most: u32,
    /// Hardware threads of the machine.
    pub hardware_threads: u32,
}

/// A count that a user typed, checked before anything of that size is allocated or started.
///
/// # Errors
/// Where the count is beyond any use on this machine.
pub fn at_once(topology: &Topology, what: &'static str, count: i64) -> Result<u32, TooMany> {
    let hardware_threads = topology.cpus.len() as u32;
    let most = hardware_threads.saturating_mul(AT_ONCE_EACH).max(AT_ONCE_ANYWHERE);
    let fits = u32::try_from(count).ok().filter(|count| *count <= most);
    fits.ok_or(TooMany { count, what, most, hardware_threads })
}

/// The processors for `count` threads, thread by thread: one hardware thread of each core first, package after package
/// and the most capable kind of core before the others, then the siblings; further threads start over.
///
/// For one thread, see [`idlest`](crate::idle::idlest).
pub fn cpus_for(topology: &Topology, count: u32) -> Vec<u32> {
    cpus_in(topology, PlacementOrder::Cores, count)
}

/// In which order threads take processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlacementOrder {
    /// One hardware thread of each core first, package after package; then the siblings.
    #[default]
    Cores,
    /// Every hardware thread of a core, then the next core, package after package.
    Compact,
    /// One hardware thread of each core first, from the packages in turn; then the siblings.
    Scatter,
}

/// The processors for `count` threads in this order; threads beyond the number of processors start over.
pub fn cpus_in(topology: &Topology, order: PlacementOrder, count: u32) -> Vec<u32> {
    let mut cores: Vec<(usize, CpuSet)> = topology.allowed_cores();
    let package = |index: usize| topology.cores[index].package;
    let turn = |index: usize| cores_before(topology, index);
    match order {
        PlacementOrder::Cores | PlacementOrder::Compact => {
            cores.order_by_key(|(i, _)| (topology.cores[*i].kind, package(*i)))
        }
        PlacementOrder::Scatter => cores.order_by_key(|(i, _)| (topology.cores[*i].kind, turn(*i), package(*i))),
    }
    let deepest = cores.iter().map(|(_, cpus)| cpus.len()).max().unwrap_or(0);
    let sibling = |depth| cores.iter().filter_map(move |(_, cpus)| cpus.iter().nth(depth));
    let taken: Vec<u32> = match order {
        PlacementOrder::Compact => cores.iter().flat_map(|(_, cpus)| cpus.iter()).collect(),
        PlacementOrder::Cores | PlacementOrder::Scatter => (0..deepest).flat_map(sibling).collect(),
    };
    taken.into_iter().cycle().take(count as usize).collect()
}

/// How many cores of its package come before the core of this index.
fn cores_before(topology: &Topology, index: usize) -> usize {
    let package = topology.cores[index].package;
    topology.cores[..index].iter().filter(|core| core.package == package).count()
}

fn plural(n: u32, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// Two decimals at most.
fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
