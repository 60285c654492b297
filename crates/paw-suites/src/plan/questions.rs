//! The order of a suite that answers its questions in turn: every question first, by its telling steps on every device, then the
//! other steps, on devices that stand for their likes. Each question has the same part of a budget, however many cells it has.

use paw_data::point::Point;
use paw_measure::planned::Group;

use super::{Assignment, Planner};
use crate::benchmark::{Benchmark, Providers};
use crate::device_sample::Depth;
use crate::device_set::{DeviceGrouping, DeviceSet};
use crate::estimate::Operands;
use crate::host::Host;
use crate::ladder;
use crate::plan_error::PlanError;
use crate::provider::{Provider, Resolved};
use crate::request::RunRequest;

/// The part of a budget that is for answers, where there is detail too.
const ANSWERS: f64 = 0.6;

/// The groups that a device calls for which lies apart from its likes: all steps of a question that only devices that stand for it
/// were to be measured at. Cells and groups are counted from `next`.
pub fn follow_up(
    request: &RunRequest,
    host: &Host,
    next: (u32, u32),
    question: &str,
    device: &DeviceSet,
) -> Vec<Group<Assignment>> {
    let (next_cell, first_group) = next;
    let mut planner =
        Planner { request, host, next_cell, first_group, groups: Vec::new(), operands: Operands::default() };
    let provider = [Resolved::Here(Provider::devices(device.clone()))];
    let together = Providers::Device(DeviceGrouping::Together);
    let asked = request.benchmarks.iter().filter(|b| b.common.providers != together && names(b) == Some(question));
    for benchmark in asked {
        for points in planner.steps(benchmark, Depth::Detail) {
            planner.group(benchmark, &points, &provider, &[host.beside()]);
        }
    }
    planner.groups
}

/// The name of the question that a benchmark answers.
pub fn names(benchmark: &Benchmark) -> Option<&'static str> {
    benchmark.question.map(|question| question.name)
}

/// Whether a benchmark answers its question at this point.
pub fn is_answer(benchmark: &Benchmark, point: &Point) -> bool {
    let value = benchmark.common.axes.first().and_then(|axis| point.value(axis.name));
    benchmark.question.is_some_and(|question| question.telling.is_at(value))
}

impl Planner<'_> {
    /// Plans benchmarks with questions.
    pub(super) fn questions(&mut self, benchmarks: &[&'static Benchmark]) -> Result<(), PlanError> {
        let mut questions: Vec<_> = benchmarks.iter().filter_map(|benchmark| names(benchmark)).collect();
        let mut known = Vec::new();
        questions.retain(|name| {
            !known.contains(name) && {
                known.push(*name);
                true
            }
        });
        let first = self.groups.len();
        let mut answers = Vec::new();
        for depth in [Depth::Answer, Depth::Detail] {
            for question in &questions {
                let begin = self.groups.len();
                for benchmark in benchmarks.iter().filter(|benchmark| names(benchmark) == Some(question)) {
                    self.question(benchmark, depth, benchmarks.len() > 1)?;
                }
                answers.push((depth, begin..self.groups.len()));
            }
        }
        let planned_s: f64 = self.groups[first..].iter().filter_map(|group| group.estimate_s).sum();
        answers.retain(|(_, groups)| !groups.is_empty());
        let count = |of: Depth| answers.iter().filter(|(depth, _)| *depth == of).count() as f64;
        let (answered, detailed) = (count(Depth::Answer), count(Depth::Detail));
        for (depth, groups) in answers {
            let part = match depth {
                Depth::Answer if detailed == 0.0 => 1.0 / answered,
                Depth::Detail if answered == 0.0 => 1.0 / detailed,
                Depth::Answer => ANSWERS / answered,
                Depth::Detail => (1.0 - ANSWERS) / detailed,
            };
            share(&mut self.groups[groups], planned_s * part);
        }
        Ok(())
    }

    fn question(&mut self, benchmark: &'static Benchmark, depth: Depth, has_others: bool) -> Result<(), PlanError> {
        let devices = &self.host.devices;
        let Providers::Device(together) = benchmark.common.providers else { return Ok(()) };
        // Beside other benchmarks, nobody asked a device alone what it copies from others.
        if together == DeviceGrouping::Together && has_others && devices.devices().count() == 1 {
            return Ok(());
        }
        let sampled = self.request.samples_devices().then(|| devices.sampled(together, depth)).flatten();
        let providers = match sampled {
            Some(sets) => sets.into_iter().map(|set| Resolved::Here(Provider::devices(set))).collect(),
            None => self.providers(benchmark)?,
        };
        for points in self.steps(benchmark, depth) {
            self.group(benchmark, &points, &providers, &[self.host.beside()]);
        }
        Ok(())
    }

    /// The steps of a benchmark's ladder that are measured at `depth`: sizes that the user set are answers.
    fn steps(&self, benchmark: &'static Benchmark, depth: Depth) -> Vec<Vec<Point>> {
        let ladder = benchmark.common.axes.first().map_or("", |axis| axis.name);
        let is_set = self.request.axes.contains_key(ladder) || self.request.ladders.contains_key(benchmark.name);
        let is_answer = |points: &Vec<Point>| {
            self.request.quick || is_set || points.first().is_some_and(|point| is_answer(benchmark, point))
        };
        let steps = ladder::points(benchmark, &self.axes(benchmark), self.host);
        steps.into_iter().filter(|points| is_answer(points) == (depth == Depth::Answer)).collect()
    }
}

/// Gives groups together that part of a budget, each by its estimate.
fn share(groups: &mut [Group<Assignment>], part_s: f64) {
    let whole_s: f64 = groups.iter().filter_map(|group| group.estimate_s).sum();
    for group in groups {
        group.share = group.estimate_s.map(|estimate_s| part_s * estimate_s / whole_s);
    }
}
