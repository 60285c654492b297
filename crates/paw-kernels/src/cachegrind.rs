//! Simulated counts of calls by valgrind's cachegrind: two runs of the same process with different numbers of calls, whose difference
//! is that of the calls alone.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::job::CallJob;
use crate::request::Workbench;

/// The simulator.
const VALGRIND: &str = "valgrind";
/// Calls of the shorter run, after the warm-up, and of the longer one.
const CALLS: [u64; 2] = [1, 5];
/// The time after which a run is ended: simulated code is some fifty times as slow.
const DEADLINE: Duration = Duration::from_secs(300);
/// The pause between two looks at a run.
const PAUSE: Duration = Duration::from_millis(20);
/// Least and most bytes of the last cache: virtual machines show shares of caches, and sums of several.
const LAST_MIN: u64 = 256 << 10;
const LAST_MAX: u64 = 256 << 20;

/// A cache as cachegrind has them: bytes, ways, bytes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimulatedCache {
    /// Bytes.
    pub bytes: u64,
    /// Ways of associativity.
    pub ways: u64,
    /// Bytes of a line.
    pub line: u64,
}

impl SimulatedCache {
    /// The cache nearest to `bytes` that cachegrind can simulate: its number of sets is a power of two.
    pub fn near(bytes: u64, ways: Option<u32>, line: Option<u32>) -> Self {
        let line = u64::from(line.filter(|line| line.is_power_of_two() && *line >= 16).unwrap_or(64));
        let ways = u64::from(ways.filter(|ways| (1..=64).contains(ways)).unwrap_or(16));
        let sets = (bytes / (ways * line)).max(1);
        let sets = if sets.is_power_of_two() { sets } else { sets.next_power_of_two() / 2 };
        Self { bytes: sets * ways * line, ways, line }
    }

    /// The last cache, within bounds.
    pub fn last(bytes: u64, ways: Option<u32>, line: Option<u32>) -> Self {
        Self::near(bytes.clamp(LAST_MIN, LAST_MAX), ways, line)
    }

    fn argument(&self) -> String {
        format!("{},{},{}", self.bytes, self.ways, self.line)
    }

    /// In words: `48 KiB, 12 ways`.
    pub fn words(&self) -> String {
        let size = if self.bytes >= 1 << 20 && self.bytes.is_multiple_of(1 << 20) {
            format!("{} MiB", self.bytes >> 20)
        } else {
            format!("{} KiB", self.bytes >> 10)
        };
        format!("{size}, {} ways", self.ways)
    }
}

/// The caches that are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimulatedCaches {
    /// Instructions, first level.
    pub instructions: SimulatedCache,
    /// Data, first level.
    pub data: SimulatedCache,
    /// The last level.
    pub last: SimulatedCache,
}

impl SimulatedCaches {
    /// In words, as the origin of counts.
    pub fn words(&self) -> String {
        let Self { instructions, data, last } = self;
        let (instructions, data, last) = (instructions.words(), data.words(), last.words());
        format!("cachegrind with I1 {instructions}; D1 {data}; last level {last}; no prefetching")
    }
}

/// The version of the simulator.
///
/// # Errors
/// It is not installed.
pub fn version() -> Result<String, String> {
    let missing = |error: io::Error| {
        format!(
            "valgrind cannot be started ({error}): install it, by `apt-get install valgrind` or your system's package"
        )
    };
    let said = Command::new(VALGRIND).arg("--version").stderr(Stdio::null()).output().map_err(missing)?;
    Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

/// The simulated events of one call, by cachegrind's names: `Ir`, `D1mr` …
///
/// `replay` are the words that make the child program repeat a job: the file of the job and the number of calls follow.
///
/// # Errors
/// The simulator cannot run the code: one sentence.
pub fn simulate(
    call: &CallJob,
    replay: &[&str],
    caches: &SimulatedCaches,
    bench: &Workbench,
) -> Result<Vec<(String, f64)>, String> {
    let file = |name: &str| bench.builds.join(name);
    let job = file("simulated-job.json");
    let text = serde_json::to_vec(call).map_err(|error| error.to_string())?;
    std::fs::write(&job, text).map_err(|error| format!("cannot write {}: {error}", job.display()))?;
    let [short, long] = CALLS.map(|calls| {
        let out = file(&format!("cachegrind-{calls}.out"));
        run(&command(&bench.child.0, replay, &job, calls, caches, &out), &out)
    });
    let (short, long) = (short?, long?);
    let calls = (CALLS[1] - CALLS[0]) as f64;
    let by_call = |((name, long), (_, short)): (&(String, f64), &(String, f64))| {
        (name.clone(), ((long - short) / calls).max(0.0))
    };
    Ok(long.iter().zip(&short).map(by_call).collect())
}

fn command(
    program: &Path,
    replay: &[&str],
    job: &Path,
    calls: u64,
    caches: &SimulatedCaches,
    out: &Path,
) -> Vec<std::ffi::OsString> {
    let mut words: Vec<std::ffi::OsString> = options(caches).into_iter().map(Into::into).collect();
    let mut to = std::ffi::OsString::from("--cachegrind-out-file=");
    to.push(out);
    words.push(to);
    words.push(program.into());
    words.extend(replay.iter().map(std::ffi::OsString::from));
    words.extend([job.into(), calls.to_string().into()]);
    words
}

/// The simulator's options.
fn options(caches: &SimulatedCaches) -> Vec<String> {
    let mut options: Vec<String> =
        ["-q", "--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes"].map(str::to_owned).to_vec();
    // What cachegrind finds by itself is wrong in virtual machines.
    let sizes = [("I1", &caches.instructions), ("D1", &caches.data), ("LL", &caches.last)];
    options.extend(sizes.map(|(name, cache)| format!("--{name}={}", cache.argument())));
    options
}

/// The words that run the command `words` under the simulator, with all that it starts; each process leaves a file that begins as `out`.
pub fn simulating(words: &[String], caches: &SimulatedCaches, out: &Path) -> Vec<String> {
    let first = std::iter::once(VALGRIND.to_owned()).chain(options(caches));
    let more = ["--trace-children=yes".to_owned(), format!("--cachegrind-out-file={}.%p", out.display())];
    first.chain(more).chain(words.iter().cloned()).collect()
}

/// The totals of all processes of a command that was run by [`simulating`].
///
/// # Errors
/// The simulator left nothing that can be read.
pub fn counted(out: &Path) -> Result<Vec<(String, f64)>, String> {
    let name = format!("{}.", out.file_name().unwrap_or_default().to_string_lossy());
    let files = std::fs::read_dir(out.parent().unwrap_or(Path::new("."))).map_err(|error| error.to_string())?;
    let own = |path: &PathBuf| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&name));
    let mut sums: Vec<(String, f64)> = Vec::new();
    for path in files.flatten().map(|file| file.path()).filter(own) {
        let text = paw_data::bounded::text(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        // A process that was replaced by another program leaves no totals.
        for (name, count) in totals(&text).unwrap_or_default() {
            match sums.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += count,
                None => sums.push((name, count)),
            }
        }
    }
    if sums.is_empty() { Err("the simulator left no totals".to_owned()) } else { Ok(sums) }
}

/// The way out of an instruction that the simulator does not know, if that is what it `said`.
pub fn unknown_instruction(said: &str) -> Option<String> {
    let is_unknown = ["SIGILL", "Illegal opcode", "unhandled instruction"].iter().any(|word| said.contains(word));
    is_unknown.then(|| {
        "the code has instructions that valgrind does not know (AVX-512): build it with `-march=x86-64-v3`".to_owned()
    })
}

/// Runs the simulator and reads its totals.
fn run(words: &[std::ffi::OsString], out: &Path) -> Result<Vec<(String, f64)>, String> {
    let started = Instant::now();
    let mut command = Command::new(VALGRIND);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    // One thread: with several, what is simulated depends on their order.
    command.env("OMP_NUM_THREADS", "1");
    let mut process = command.spawn().map_err(|error| format!("valgrind cannot be started: {error}"))?;
    while process.try_wait().map_err(|error| error.to_string())?.is_none() {
        if started.elapsed() > DEADLINE {
            // It is waited for below.
            let _ = process.kill();
        }
        std::thread::sleep(PAUSE);
    }
    let ended = process.wait_with_output().map_err(|error| error.to_string())?;
    if !ended.status.success() {
        return Err(broken(&ended.status.to_string(), &String::from_utf8_lossy(&ended.stderr), started.elapsed()));
    }
    let text = paw_data::bounded::text(out).map_err(|error| format!("{} cannot be read: {error}", out.display()))?;
    totals(&text).ok_or_else(|| format!("{} has no totals", out.display()))
}

fn broken(status: &str, said: &str, elapsed: Duration) -> String {
    if elapsed > DEADLINE {
        return format!("the simulation took longer than {} s: choose a smaller size", DEADLINE.as_secs());
    }
    if let Some(unknown) = unknown_instruction(said) {
        return unknown;
    }
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    format!("the simulation ended with {status}: {}", paw_data::visible::visible(last))
}

/// Names and totals of cachegrind's file: its lines `events:` and `summary:`.
fn totals(text: &str) -> Option<Vec<(String, f64)>> {
    let line = |key: &str| text.lines().rev().find_map(|line| line.strip_prefix(key));
    let names = line("events:")?.split_whitespace();
    let numbers: Vec<f64> = line("summary:")?.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let totals: Vec<(String, f64)> = names.map(str::to_owned).zip(numbers).collect();
    (!totals.is_empty()).then_some(totals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_has_a_power_of_two_of_sets() {
        let near = |bytes, ways| SimulatedCache::near(bytes, ways, Some(64));
        assert_eq!(near(48 << 10, Some(12)), SimulatedCache { bytes: 48 << 10, ways: 12, line: 64 });
        // A share of 11 MiB with 11 ways fits; 30 MiB with 20 ways does not.
        assert_eq!(near(11 << 20, Some(11)).bytes, 11 << 20);
        assert_eq!(near(30 << 20, Some(20)).bytes, 20 << 20);
        assert_eq!(SimulatedCache::last(402 << 20, Some(1), None).bytes, 256 << 20);
        assert_eq!(SimulatedCache::last(0, None, None).bytes, 256 << 10);
    }

    #[test]
    fn totals_are_read_by_their_names() {
        let text = "desc: I1 cache: 32768 B\ncmd: ./a\nevents: Ir I1mr D1mr\nfl=a.c\n1 2 3 4\nsummary: 10 2 7\n";
        assert_eq!(totals(text).unwrap()[2], ("D1mr".to_owned(), 7.0));
        assert!(totals("events: Ir\n").is_none() && totals("").is_none());
    }

    #[test]
    fn an_unknown_instruction_has_its_way_out() {
        let said = broken("signal: 4", "vex: unhandled instruction bytes: 0x62", Duration::ZERO);
        assert!(said.contains("AVX-512") && said.contains("x86-64-v3"), "{said}");
    }
}
