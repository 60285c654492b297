//! The kernel's scheduling statistics of the threads of a region, read before and after it.

use std::fs::File;
use std::os::unix::fs::FileExt;

use rustix::thread::{gettid, sched_getcpu};

use crate::clock::Clock;
use crate::clock::scripted::Script;
use crate::disturbance::{Disturbance, Sight};
use crate::sys;

/// Watches threads through `/proc/self/task/TID`; where that is missing, its disturbances are zero and say that they are unknown.
#[derive(Debug)]
pub struct SchedstatProbe(Source);

#[derive(Debug)]
enum Source {
    Kernel(Vec<Watched>),
    Scripted { script: Script, before: Disturbance },
}

impl SchedstatProbe {
    /// Watches the threads of this process with these kernel ids; none means the calling thread.
    pub fn of(threads: &[i32]) -> Self {
        let own = [thread_id()];
        let threads = if threads.is_empty() { &own } else { threads };
        Self(Source::Kernel(threads.iter().map(|thread| Watched::open("/proc/self/task", *thread)).collect()))
    }

    /// Watches the threads of a region that is timed by `clock`; for a scripted clock, reads the script's disturbances.
    pub fn under(clock: &Clock, threads: &[i32]) -> Self {
        match clock {
            Clock::Scripted(script) => SchedstatProbe::scripted(script),
            Clock::Monotonic(_) | Clock::Tsc(_) => SchedstatProbe::of(threads),
        }
    }

    /// Watches a script's disturbances.
    pub fn scripted(script: &Script) -> Self {
        Self(Source::Scripted { script: script.clone(), before: Disturbance::default() })
    }

    /// Call right before a region.
    pub fn before(&mut self) {
        match &mut self.0 {
            Source::Kernel(threads) => threads.iter_mut().for_each(Watched::refresh),
            Source::Scripted { script, before } => *before = script.disturbance(),
        }
    }

    /// Call right after a region: what happened to its threads, summed, since [`SchedstatProbe::before`].
    pub fn after(&mut self) -> Disturbance {
        match &mut self.0 {
            Source::Kernel(threads) => threads.iter_mut().map(Watched::since).fold(NOTHING, |all, one| sum(&all, &one)),
            Source::Scripted { script, before } => since(before, &script.disturbance()),
        }
    }
}

const NOTHING: Disturbance = Disturbance { run_delay_s: 0.0, switches: 0, migrations: 0, sight: Sight::Seen };

/// The sum of the disturbances of two regions, or of two threads.
pub(crate) fn sum(a: &Disturbance, b: &Disturbance) -> Disturbance {
    let seen = a.sight == Sight::Seen && b.sight == Sight::Seen;
    Disturbance {
        run_delay_s: a.run_delay_s + b.run_delay_s,
        switches: a.switches + b.switches,
        migrations: a.migrations + b.migrations,
        sight: if seen { Sight::Seen } else { Sight::Unknown },
    }
}

fn since(before: &Disturbance, now: &Disturbance) -> Disturbance {
    Disturbance {
        run_delay_s: now.run_delay_s - before.run_delay_s,
        switches: now.switches - before.switches,
        migrations: now.migrations - before.migrations,
        sight: now.sight,
    }
}

/// One thread and what was last read of it. Its files are opened once: a read costs half a microsecond, an open several.
#[derive(Debug)]
struct Watched {
    thread: i32,
    schedstat: Option<File>,
    status: Option<File>,
    stat: Option<File>,
    last: Option<ThreadStats>,
}

/// Scheduling statistics of a thread, from its start.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct ThreadStats {
    /// Nanoseconds runnable but not running, since the thread began.
    run_delay_ns: u64,
    /// How often it was put on a processor. Unchanged means that it never left.
    turns: u64,
    /// Involuntary context switches since it began.
    switches: u64,
    /// Processor it runs or last ran on.
    processor: u64,
}

impl Watched {
    fn open(tasks: &str, thread: i32) -> Self {
        let file = |name: &str| File::open(format!("{tasks}/{thread}/{name}")).ok();
        Self { thread, schedstat: file("schedstat"), status: file("status"), stat: file("stat"), last: None }
    }

    fn refresh(&mut self) {
        self.last = self.read();
    }

    fn since(&mut self) -> Disturbance {
        let before = self.last;
        self.refresh();
        let (Some(before), Some(now)) = (before, self.last) else {
            return Disturbance::default();
        };
        Disturbance {
            run_delay_s: now.run_delay_ns.saturating_sub(before.run_delay_ns) as f64 / 1e9,
            switches: u32::try_from(now.switches.saturating_sub(before.switches)).unwrap_or(u32::MAX),
            migrations: u32::from(now.processor != before.processor),
            sight: Sight::Seen,
        }
    }

    /// The statistics now. The two slower files are read only where the thread has left its processor since the last reading.
    fn read(&self) -> Option<ThreadStats> {
        let mut buffer = [0; 2048];
        let (run_delay_ns, turns) = schedstat(text(self.schedstat.as_ref()?, &mut buffer)?)?;
        if let Some(last) = self.last.filter(|last| last.turns == turns) {
            return Some(ThreadStats { run_delay_ns, ..last });
        }
        let own = self.thread == thread_id();
        let (switches, processor) = if own { own_thread()? } else { self.other_thread(&mut buffer)? };
        Some(ThreadStats { run_delay_ns, turns, switches, processor })
    }

    fn other_thread(&self, buffer: &mut [u8]) -> Option<(u64, u64)> {
        let switches = involuntary_switches(text(self.status.as_ref()?, buffer)?)?;
        Some((switches, processor(text(self.stat.as_ref()?, buffer)?)?))
    }
}

/// The kernel's id of the calling thread.
fn thread_id() -> i32 {
    gettid().as_raw_pid()
}

fn own_thread() -> Option<(u64, u64)> {
    Some((sys::involuntary_switches()?, sched_getcpu() as u64))
}

fn text<'b>(file: &File, buffer: &'b mut [u8]) -> Option<&'b str> {
    let length = file.read_at(buffer, 0).ok()?;
    std::str::from_utf8(&buffer[..length]).ok()
}

/// Run delay (ns) and turns: second and third field (Documentation/scheduler/sched-stats.rst).
fn schedstat(text: &str) -> Option<(u64, u64)> {
    let mut fields = text.split_ascii_whitespace().skip(1).map(str::parse);
    Some((fields.next()?.ok()?, fields.next()?.ok()?))
}

/// `nonvoluntary_ctxt_switches` (proc_pid_status(5)).
fn involuntary_switches(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("nonvoluntary_ctxt_switches:"))?;
    line.trim().parse().ok()
}

/// `processor`, the 39th field; the second is a name in brackets that may hold anything (proc_pid_stat(5)).
fn processor(text: &str) -> Option<u64> {
    let (_, after_name) = text.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(39 - 3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_files_are_understood() {
        assert_eq!(schedstat("1189843 57321 12\n"), Some((57321, 12)));
        let status = "Name:\tpaw\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t3\n";
        assert_eq!(involuntary_switches(status), Some(3));
        let fields: Vec<String> = (3..=52).map(|field| field.to_string()).collect();
        assert_eq!(processor(&format!("17 (a) b) {}", fields.join(" "))), Some(39));
    }

    #[test]
    fn damaged_files_are_unknown() {
        assert_eq!(schedstat("12"), None);
        assert_eq!(involuntary_switches("Name:\tpaw\n"), None);
        assert_eq!(processor("17 (paw) S 1 2"), None);
    }

    #[test]
    fn threads_of_this_process_are_seen_wherever_the_kernel_has_their_statistics() {
        let (told, hear) = std::sync::mpsc::channel::<()>();
        let (tell, heard) = std::sync::mpsc::channel();
        let other = std::thread::spawn(move || {
            tell.send(thread_id()).expect("the test waits for the id");
            // Ends when the test drops its side.
            hear.recv().is_err()
        });
        let other_id = heard.recv().expect("the thread says who it is");
        for threads in [&[][..], &[other_id]] {
            let mut probe = SchedstatProbe::of(threads);
            probe.before();
            let kernel_tells = std::path::Path::new("/proc/thread-self/schedstat").exists();
            assert_eq!(probe.after().sight == Sight::Seen, kernel_tells, "{threads:?}");
        }
        drop(told);
        assert!(other.join().expect("the thread only waits"));
    }

    #[test]
    fn a_thread_that_cannot_be_watched_is_undisturbed_and_unknown() {
        let mut probe = SchedstatProbe(Source::Kernel(vec![Watched::open("/nowhere", 1)]));
        probe.before();
        assert_eq!(probe.after(), Disturbance::default());
        assert_eq!(probe.after().sight, Sight::Unknown);
    }

    #[test]
    fn scripted_delays_are_counted_from_the_last_before() {
        let script = Script::new(1e-9, 0.0);
        let mut probe = SchedstatProbe::scripted(&script);
        script.delay(1e-3);
        probe.before();
        script.delay(2e-3);
        script.migrate();
        let seen = Disturbance { run_delay_s: 2e-3, switches: 1, migrations: 1, sight: Sight::Seen };
        assert_eq!(probe.after(), seen);
    }
}
