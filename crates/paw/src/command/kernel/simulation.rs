//! Simulated counts: cachegrind's caches like this machine's, and builds that it can run.

use paw_data::counters::{Counters, Source};
use paw_kernels::builds::BuildJob;
use paw_kernels::cachegrind::{self, SimulatedCaches};
use paw_kernels::campaign::Planned;
use paw_kernels::job::{CountNote, CountedRepetition, JobDescription};
use paw_kernels::request::Workbench;
use paw_kernels::spec::Language;

use crate::counter_groups::AskedGroup;
use crate::counter_record::{self, Context};

/// The word that makes this program repeat a job.
const REPLAY: &str = "__replay";
/// The widest instruction set that valgrind knows.
const WIDEST: &str = "x86-64-v3";

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
    let repetition = CountedRepetition { calls: 1, seconds: f64::NAN, readings: counter_record::simulated(counts) };
    let note = CountNote { repetitions: vec![repetition], notes: notes(planned) };
    let context = Context::of(&group.group, &group.here, None).taken_from(Source::Cachegrind, &caches.words());
    Ok(counter_record::of_calls(&context, &note, planned.cell.work.operations))
}

fn notes(planned: &Planned) -> Vec<String> {
    let flags = planned.cell.build.as_ref().map_or("", |build| build.flags.as_str());
    let other = flags.contains(WIDEST).then(|| {
        format!("a different binary: built with {WIDEST}, because valgrind does not know AVX-512; its times stand above, not those of the build for this processor")
    });
    other.into_iter().collect()
}
