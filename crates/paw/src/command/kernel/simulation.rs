//! Simulated counts: cachegrind's caches like this machine's, and builds that it can run.

use paw_data::counters::{Counters, Source};
use paw_kernels::builds::BuildJob;
use paw_kernels::cachegrind::{self, SimulatedCache, SimulatedCaches};
use paw_kernels::campaign::Planned;
use paw_kernels::job::{CountNote, CountedRepetition, JobDescription};
use paw_kernels::request::Workbench;
use paw_kernels::spec::Language;
use paw_machine::topology::{CacheKind, Topology};
use paw_perf::counting::{Count, EventReading};

use crate::counter_groups::{self, AskedGroup};
use crate::counter_record::{self, Context};
use crate::failure::Failure;

/// The word that makes this program repeat a job.
const REPLAY: &str = "__replay";
/// The widest instruction set that valgrind knows.
const WIDEST: &str = "x86-64-v3";

/// The simulated group, where the simulator is installed.
pub fn group() -> Result<AskedGroup, Failure> {
    cachegrind::version().map_err(Failure::missing)?;
    counter_groups::simulated()
}

/// Makes `job` a build that the simulator can run: one for this very processor may hold AVX-512, which valgrind does not know.
pub fn sibling(language: Language, job: &mut BuildJob) {
    let flags = &job.flags.flags;
    let is_x86 = cfg!(target_arch = "x86_64");
    if !is_x86 || !["march=native", "target-cpu=native", "avx512"].iter().any(|word| flags.contains(word)) {
        return;
    }
    let narrower =
        if language == Language::Rust { format!("-C target-cpu={WIDEST}") } else { format!("-march={WIDEST}") };
    job.flags.flags = format!("{flags} {narrower}");
    job.flags.label = String::new();
}

/// The caches of the first processor, as cachegrind can have them.
pub fn caches(topology: &Topology) -> SimulatedCaches {
    let found = |level: u32, kinds: &[CacheKind]| {
        topology.caches.iter().find(|cache| cache.level == level && kinds.contains(&cache.kind))
    };
    let near = |kind: CacheKind| match found(1, &[kind, CacheKind::Unified]) {
        Some(cache) => SimulatedCache::near(cache.size_bytes, cache.ways, cache.line_bytes),
        None => SimulatedCache::near(32 << 10, Some(8), Some(64)),
    };
    let last =
        topology.caches.iter().filter(|cache| cache.kind != CacheKind::Instruction).max_by_key(|cache| cache.level);
    let last = last.map_or_else(
        || SimulatedCache::last(8 << 20, Some(16), Some(64)),
        |cache| SimulatedCache::last(cache.size_bytes, cache.ways, cache.line_bytes),
    );
    SimulatedCaches { instructions: near(CacheKind::Instruction), data: near(CacheKind::Data), last }
}

/// The simulated counts of a cell.
pub fn simulated(
    planned: &Planned,
    group: &AskedGroup,
    caches: &SimulatedCaches,
    bench: &Workbench,
) -> Result<Counters, String> {
    let Ok(JobDescription::Call(call)) = &planned.job.description else {
        return Err("only calls on a processor are simulated".to_owned());
    };
    let counts = cachegrind::simulate(call, &[REPLAY], caches, bench)?;
    let reading = |(name, count): (String, f64)| EventReading {
        text: name.clone(),
        name,
        count: Ok(Count { count, enabled_s: 1.0, running_s: 1.0 }),
    };
    let repetition =
        CountedRepetition { calls: 1, seconds: f64::NAN, readings: counts.into_iter().map(reading).collect() };
    let note = CountNote { repetitions: vec![repetition], notes: notes(planned) };
    let origin = format!(
        "cachegrind with I1 {}; D1 {}; last level {}; no prefetching",
        caches.instructions.words(),
        caches.data.words(),
        caches.last.words()
    );
    let context = Context::of(&group.group, &group.here, None).taken_from(Source::Cachegrind, &origin);
    Ok(counter_record::of_calls(&context, &note, planned.cell.work.operations))
}

fn notes(planned: &Planned) -> Vec<String> {
    let flags = planned.cell.build.as_ref().map_or("", |build| build.flags.as_str());
    let other = flags.contains(WIDEST).then(|| {
        format!("a different binary: built with {WIDEST}, because valgrind does not know AVX-512; its times stand above, not those of the build for this processor")
    });
    other.into_iter().collect()
}
