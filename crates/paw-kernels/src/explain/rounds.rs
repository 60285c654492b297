//! Rounds over a kernel and its changed versions, one sample of each in turn, so that a machine that changes its speed changes all.

use std::time::{Duration, Instant};

use paw_data::explanation::ExplanationRow;
use paw_data::kernel::Level;
use paw_data::matrix::DRIFT_MAX;
use paw_data::secondary::SecondaryMetric;
use paw_measure::fault::Fault;
use paw_measure::workload::Workload;

use super::Subject;
use crate::job::{CallJob, JobDescription};
use crate::workload::{Child, ChildWorkload};

/// The shortest time of a sample in seconds: twenty times what reading the core's clock takes.
const REGION_S: f64 = 2e-3;
/// The fewest samples of a row: a spread needs three.
const SAMPLES_MIN: u32 = 3;
/// How often a sample is taken again whose core changed its clock.
const AGAIN: u32 = 3;
/// The most calls of a sample.
const LOOPS_MAX: f64 = 1e7;

/// A row to be measured.
pub(super) struct Variant {
    /// The row, without its figures.
    pub row: ExplanationRow,
    /// The job of its child; `None` if there is nothing to measure.
    pub job: Option<CallJob>,
}

/// A variant that is being measured.
struct Running {
    row: ExplanationRow,
    workload: Option<ChildWorkload>,
    loops: u64,
}

/// Measures `variants` at `level` for `time`, or until each has its fewest samples; what breaks costs its row.
pub(super) fn measured(
    subject: Subject<'_>,
    level: &Level,
    variants: Vec<Variant>,
    time: Duration,
) -> Vec<ExplanationRow> {
    let began = Instant::now();
    let iterations = subject.request.spec.iterations_at(level.n).map_or(1.0, |iterations| iterations as f64);
    let mut all: Vec<Running> = variants.into_iter().map(|variant| started(subject, variant)).collect();
    for round in 0..subject.samples {
        if round >= SAMPLES_MIN && began.elapsed() > time {
            all.iter_mut().for_each(|running| running.ended_early(subject.samples));
            break;
        }
        for running in &mut all {
            let Some(workload) = &mut running.workload else { continue };
            match cycles(workload, running.loops) {
                Ok(cycles) => running.row.cycles.push(cycles / iterations),
                Err(fault) => running.fail(&fault),
            }
        }
    }
    all.into_iter().map(|running| running.row).collect()
}

impl Running {
    /// Says how many samples it has in place of `wanted`, and how far apart they lie.
    fn ended_early(&mut self, wanted: u32) {
        let cycles = self.row.cycles.iter().copied().filter(|cycles| cycles.is_finite());
        let (low, high) =
            cycles.fold((f64::INFINITY, 0.0_f64), |(low, high), cycles| (low.min(cycles), high.max(cycles)));
        if self.workload.is_none() || low > high {
            return;
        }
        let (taken, within) = (self.row.cycles.len(), 100.0 * (high - low) / (high + low));
        let said =
            format!("{taken} samples in place of {wanted}, within ±{within:.1} %: `--budget 5m` gives more time");
        self.row.why =
            [self.row.why.as_str(), &said].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    }

    /// Gives the row up.
    fn fail(&mut self, fault: &Fault) {
        self.row.why = fault.to_string();
        self.row.cycles.clear();
        self.workload = None;
    }
}

fn started(subject: Subject<'_>, variant: Variant) -> Running {
    let Variant { row, job } = variant;
    let mut running = Running { row, workload: None, loops: 1 };
    let Some(job) = job else { return running };
    let description = JobDescription::Call(job);
    let words = running.row.ablation.map_or("the kernel", |ablation| ablation.words());
    let runtime = &subject.built.build.runtime;
    let opened = Child::start(words, &description, subject.bench).and_then(|child| child.open(&description, runtime));
    let noted = opened.inspect(|workload| {
        if let Some(change) = workload.change() {
            running.row.changed = change.changed;
            running.row.why = match change.left.as_str() {
                "" => String::new(),
                left => format!("left in: {left}"),
            };
        }
    });
    match noted.and_then(calibrated) {
        Ok((workload, loops)) => {
            running.workload = Some(workload);
            running.loops = loops;
        }
        Err(fault) => running.fail(&fault),
    }
    running
}

/// The calls that make a sample long enough.
fn calibrated(mut workload: ChildWorkload) -> Result<(ChildWorkload, u64), Fault> {
    workload.resume()?;
    let mut loops = 1_u64;
    loop {
        let elapsed_s = workload.sample(loops)?.map_or(0.0, |reading| reading.elapsed_s);
        if elapsed_s >= REGION_S || loops as f64 >= LOOPS_MAX {
            break;
        }
        let wanted = if elapsed_s > 0.0 { REGION_S / elapsed_s * 1.2 } else { 16.0 };
        loops = (loops as f64 * wanted.clamp(2.0, 16.0)).ceil() as u64;
    }
    workload.pause();
    Ok((workload, loops))
}

/// Core cycles of one call, on fresh memory.
fn cycles(workload: &mut ChildWorkload, loops: u64) -> Result<f64, Fault> {
    workload.resume()?;
    workload.renew()?;
    let mut cycles = f64::NAN;
    for _ in 0..AGAIN {
        let reading = workload.sample(loops)?.ok_or_else(|| Fault::Broken("the child measured nothing".to_owned()))?;
        let hz = reading.secondary(SecondaryMetric::CoreClock).unwrap_or(f64::NAN);
        cycles = reading.elapsed_s * hz / loops as f64;
        if reading.secondary(SecondaryMetric::CoreDrift).is_none_or(|drift| drift <= DRIFT_MAX) {
            break;
        }
    }
    workload.pause();
    Ok(cycles)
}
