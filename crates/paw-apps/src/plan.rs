//! The plan of a request: its cells, their groups, and the launch of each cell.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use paw_data::application::{BASE, SUITE, ThreadPoint};
use paw_data::axis::{COPIES, THREADS};
use paw_data::cell::{Cell, Role};
use paw_data::method::{EndRule, Plan};
use paw_data::point::{AxisValue, Point};
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_formula::Formula;
use paw_measure::measure::LOOKS_OF_ONE;
use paw_measure::planned::{Campaign, Group, PlannedCell};
use thiserror::Error;

use crate::launch::{Launch, Sink};
use crate::request::{AppRequest, LaunchOptions};
use crate::sweep::{self, SweepError};
use crate::template::{Template, TemplateError};
use crate::variables;

/// Why there is no plan.
#[derive(Debug, Error)]
pub enum AppPlanError {
    /// A command cannot be filled in.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The points cannot be computed.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// `--weak` names an axis that cannot grow with the threads.
    #[error("{0}")]
    Weak(String),
    /// A stated amount of work has no value at a point.
    #[error("{0}")]
    Work(String),
    /// More cells than a run can number.
    #[error("the sweep has more cells than a run can hold: leave some out with --exclude")]
    Many,
}

/// A program to be measured.
pub type PlannedProgram = PlannedCell<Commands>;

/// The commands of one cell.
#[derive(Debug, Clone)]
pub struct Commands {
    /// Thread count and processors; `None` where the program chooses.
    pub threads: Option<ThreadPoint>,
    /// The command that is timed.
    pub launch: Launch,
    /// The command that runs before, untimed.
    pub prepare: Option<Launch>,
    /// The command that runs after, untimed.
    pub conclude: Option<Launch>,
    /// The command that runs once, before the first run.
    pub setup: Option<Launch>,
    /// The command that runs once, after the last run.
    pub cleanup: Option<Launch>,
}

/// The fewest and the most runs that `campaign` takes, warm-up included.
pub fn runs(campaign: &Campaign<Commands>, plan: &Plan) -> (u64, u64) {
    let by_rule = match plan.method.ending {
        EndRule::Fixed { samples } => (samples, samples),
        EndRule::Interval { min, max, min_long, .. } => (min_long.min(min), max),
        EndRule::KBest { min, max, .. } => (min, max),
    };
    // Compared cells are looked at instead, and the base of speed-ups is compared with none.
    let looks = (LOOKS_OF_ONE[0], LOOKS_OF_ONE[LOOKS_OF_ONE.len() - 1]);
    let of = |planned: &PlannedProgram| match plan.until {
        Some(_) if planned.cell.role != Role::Base => looks,
        _ => by_rule,
    };
    let all: Vec<(u32, u32)> = campaign.cells().map(of).collect();
    let sum = |of: fn(&(u32, u32)) -> u32| all.iter().map(|runs| u64::from(of(runs) + plan.method.warmup)).sum();
    (sum(|runs| runs.0), sum(|runs| runs.1))
}

/// Comparisons of alternatives in `campaign`: each of a size and width against one of them.
pub fn comparisons(campaign: &Campaign<Commands>) -> usize {
    let tasks = |group: &Group<Commands>| {
        let subjects = || group.cells.iter().map(|planned| &planned.cell).filter(|cell| cell.role == Role::Subject);
        let width = |cell: &Cell| (cell.point.int(COPIES), cell.point.int(THREADS));
        let widths: BTreeSet<_> = subjects().map(width).collect();
        // A command without a number of threads is held against the others at each.
        let is_alone = |(copies, threads): &(_, Option<i64>)| {
            threads.is_none() && widths.range((*copies, Some(i64::MIN))..=(*copies, Some(i64::MAX))).next().is_some()
        };
        let at = |(copies, threads): &(_, Option<i64>)| {
            subjects().map(width).filter(|own| own.0 == *copies && (own.1 == *threads || own.1.is_none())).count() - 1
        };
        widths.iter().filter(|own| !is_alone(own)).map(at).sum::<usize>()
    };
    campaign.groups.iter().map(tasks).sum()
}

/// Checks that every placeholder of every command has a value.
pub fn check(request: &AppRequest) -> Result<(), AppPlanError> {
    let commands = request.commands.iter().map(|command| &command.template);
    let known = known(request);
    Ok(commands.chain(&request.base).chain(asides(request)).try_for_each(|template| template.check(&known))?)
}

/// The commands that run around each run of a program, and around all.
pub fn asides(request: &AppRequest) -> impl Iterator<Item = &Template> {
    let LaunchOptions { prepare, conclude, setup, cleanup, .. } = &request.options;
    [prepare, conclude, setup, cleanup].into_iter().flatten()
}

/// The plan of `request`. Exclusions see the values as typed, before `--weak` multiplies one by the threads.
pub fn plan(request: &AppRequest) -> Result<Campaign<Commands>, AppPlanError> {
    check(request)?;
    let mut planner = CellBuilder { request, next: 0, bases: Vec::new() };
    let mut groups: Vec<(Point, Vec<PlannedProgram>)> = Vec::new();
    for point in sweep::points(&axes(request), &request.exclude)? {
        let size = size_of(request, &point);
        if groups.last().is_none_or(|(last, _)| *last != size) {
            u32::try_from(groups.len()).map_err(|_| AppPlanError::Many)?;
            groups.push((size, Vec::new()));
        }
        let group = groups.len() as u32 - 1;
        let cells = &mut groups.last_mut().expect("a group was pushed").1;
        cells.extend(planner.base(group, &point)?);
        planner.cells(group, &point, cells)?;
    }
    Ok(Campaign::unestimated(apart(groups.into_iter().map(|(_, cells)| cells).collect())))
}

/// `groups` with those cells of a group apart that have another setup or cleanup, in order, and numbered anew.
///
/// Alternatives take turns, so that a setup of one would run before the other's last run, and could undo what that needs: a compiler
/// that writes the program both run.
fn apart(groups: Vec<Vec<PlannedProgram>>) -> Vec<Vec<PlannedProgram>> {
    let mut apart: Vec<Vec<PlannedProgram>> = Vec::new();
    for group in groups {
        let first = apart.len();
        for mut planned in group {
            let own = |known: &Vec<PlannedProgram>| known.first().is_some_and(|cell| around(cell) == around(&planned));
            let at = first + apart[first..].iter().position(own).unwrap_or(apart.len() - first);
            planned.cell.group = at as u32;
            match apart.get_mut(at) {
                Some(cells) => cells.push(planned),
                None => apart.push(vec![planned]),
            }
        }
    }
    apart
}

/// The words of setup and cleanup.
fn around(planned: &PlannedProgram) -> [Option<&[String]>; 2] {
    let Commands { setup, cleanup, .. } = &planned.job;
    [setup, cleanup].map(|launch| launch.as_ref().map(|launch| launch.words.as_slice()))
}

/// Placeholders that have a value in every command.
fn known(request: &AppRequest) -> Vec<&str> {
    let threads = (!request.threads.is_empty()).then_some(THREADS);
    threads.into_iter().chain([COPIES]).chain(request.axes.iter().map(|(name, _)| name.as_str())).collect()
}

/// All axes: parameters, then threads, then copies.
pub fn axes(request: &AppRequest) -> Vec<(String, Vec<AxisValue>)> {
    let mut axes = request.axes.clone();
    let mut add = |name: &str, counts: Vec<u32>| {
        if !counts.is_empty() {
            axes.push((name.to_owned(), counts.into_iter().map(|count| AxisValue::Int(i64::from(count))).collect()));
        }
    };
    add(THREADS, request.threads.iter().map(|point| point.threads).collect());
    add(COPIES, request.copies.clone());
    axes
}

/// Whether the values of a parameter go in order.
fn is_ladder(request: &AppRequest, axis: &str) -> bool {
    !request.alternatives.iter().any(|own| own == axis)
}

/// The values of the ladders at a point.
fn size_of(request: &AppRequest, point: &Point) -> Point {
    parameters(request, point, &|axis| is_ladder(request, axis))
}

/// The parameters of a point that are `kept`, without threads and copies.
fn parameters(request: &AppRequest, point: &Point, kept: &dyn Fn(&str) -> bool) -> Point {
    let axes = request.axes.iter().filter(|(name, _)| kept(name));
    let of = |(name, _): &(String, Vec<AxisValue>)| Some((name.clone(), point.value(name)?.clone()));
    axes.filter_map(of).fold(Point::new(), |size, (name, value)| size.with(&name, value))
}

struct CellBuilder<'a> {
    request: &'a AppRequest,
    next: u32,
    /// The base program's commands that have a cell: those of one are measured once.
    bases: Vec<Vec<String>>,
}

/// Numbers of threads and instances of a cell.
#[derive(Clone, Copy)]
struct Width<'a> {
    threads: Option<&'a ThreadPoint>,
    copies: u32,
}

impl CellBuilder<'_> {
    /// The base cell of a point, if the request has a base that was not measured before: the sequential program with one thread.
    /// Its point has the parameters that its commands name.
    fn base(&mut self, group: u32, point: &Point) -> Result<Option<PlannedProgram>, AppPlanError> {
        let request = self.request;
        let Some(base) = &request.base else { return Ok(None) };
        let one = request.threads.iter().find(|point| point.threads == 1);
        let width = Width { threads: one, copies: 1 };
        let templates = std::iter::once(base).chain(asides(request));
        let words: Vec<String> =
            templates.map(|template| filled(template, point, width)).collect::<Result<Vec<_>, _>>()?.concat();
        if self.bases.contains(&words) {
            return Ok(None);
        }
        self.bases.push(words);
        let own = parameters(request, point, &|axis| names(request, base, axis));
        self.cell(group, (BASE, Role::Base), base, own, width).map(Some)
    }

    /// Adds the cells of one point to those of its group: one of each command, unless it is there because an alternative that differs
    /// between both points does not occur in it.
    fn cells(&mut self, group: u32, point: &Point, there: &mut Vec<PlannedProgram>) -> Result<(), AppPlanError> {
        let request = self.request;
        let count = point.int(THREADS);
        let threads = request.threads.iter().find(|point| Some(i64::from(point.threads)) == count);
        let copies = point.int(COPIES).and_then(|copies| u32::try_from(copies).ok()).unwrap_or(1);
        for command in &request.commands {
            let width = Width { threads: threads.filter(|_| !has_own_width(request, &command.template)), copies };
            let own = |axis: &str| is_ladder(request, axis) || names(request, &command.template, axis);
            let point = self.point(&parameters(request, point, &own), width)?;
            let is_same = |cell: &Cell| {
                (cell.role, cell.provider.as_str(), &cell.point) == (Role::Subject, command.name.as_str(), &point)
            };
            if !there.iter().any(|planned| is_same(&planned.cell)) {
                let provider = (command.name.as_str(), Role::Subject);
                there.push(self.cell(group, provider, &command.template, point, width)?);
            }
        }
        Ok(())
    }

    /// The point of this size and width; `--weak` multiplies its axis by the threads.
    fn point(&self, size: &Point, width: Width<'_>) -> Result<Point, AppPlanError> {
        let mut point = size.clone();
        if let (Some(axis), Some(threads)) = (&self.request.weak, width.threads) {
            let grown = size.int(axis).and_then(|n| n.checked_mul(i64::from(threads.threads)));
            let grown = grown.ok_or_else(|| {
                AppPlanError::Weak(format!(
                    "--weak {axis}: only a whole number can grow with the threads, by --set {axis}=…"
                ))
            })?;
            point.set(axis, AxisValue::Int(grown));
        }
        if let Some(threads) = width.threads {
            point.set(THREADS, AxisValue::Int(i64::from(threads.threads)));
        }
        if !self.request.copies.is_empty() {
            point.set(COPIES, AxisValue::Int(i64::from(width.copies)));
        }
        Ok(point)
    }

    fn cell(
        &mut self,
        group: u32,
        (provider, role): (&str, Role),
        command: &Template,
        point: Point,
        width: Width<'_>,
    ) -> Result<PlannedProgram, AppPlanError> {
        let id = self.next;
        self.next = id.checked_add(1).ok_or(AppPlanError::Many)?;
        let words = filled(command, &point, width)?;
        let launch = self.launch(id, &words, width);
        let aside = |template: &Option<Template>, suffix: &str| -> Result<Option<Launch>, AppPlanError> {
            let Some(template) = template else { return Ok(None) };
            let said = self.log(id, suffix);
            let words = filled(template, &point, width)?;
            let mut aside = Launch::new(words, Sink::File(said.clone()), Sink::File(said));
            aside.directory.clone_from(&self.request.options.directory);
            Ok(Some(aside))
        };
        let options = &self.request.options;
        let (prepare, conclude) = (aside(&options.prepare, "prepare")?, aside(&options.conclude, "conclude")?);
        let (setup, cleanup) = (aside(&options.setup, "setup")?, aside(&options.cleanup, "cleanup")?);
        let work = self.work(&point, width)?;
        let cell = Cell {
            id,
            work,
            role,
            group,
            method: self.request.plan.method.name.as_str().into(),
            formula: "wall time from the program's start to its end".into(),
            ..Cell::new(SUITE, self.name(), provider, Quantity::Time, point)
        };
        let threads = width.threads.cloned();
        Ok(PlannedProgram { cell, job: Commands { threads, launch, prepare, conclude, setup, cleanup } })
    }

    /// The work of all copies of a run at `point`, as far as the user states it.
    fn work(&self, point: &Point, width: Width<'_>) -> Result<Work, AppPlanError> {
        let amount = |flag: &str, formula: &Option<Formula>| -> Result<f64, AppPlanError> {
            let Some(formula) = formula else { return Ok(0.0) };
            let value = |name: &str| match name {
                COPIES => Some(f64::from(width.copies)),
                THREADS => Some(width.threads.map_or(1.0, |threads| f64::from(threads.threads))),
                axis => point.float(axis),
            };
            let refused = |why: String| AppPlanError::Work(format!("{flag}: {why} at {point}"));
            let each = formula.evaluate(&value).map_err(|error| refused(error.to_string()))?;
            if each.is_finite() && each > 0.0 {
                return Ok(each * f64::from(width.copies));
            }
            Err(refused(format!("it is {each}, and must be more than 0")))
        };
        let (flops, bytes) = (amount("--flops", &self.request.flops)?, amount("--bytes", &self.request.bytes)?);
        Ok(Work { flops, bytes, ..Work::default() })
    }

    /// The name of the benchmark: the program's file name, or the first word of a shell's command line.
    fn name(&self) -> String {
        let typed = self.request.commands.first().map_or(&[][..], |command| command.template.typed());
        let first = typed.first().and_then(|word| word.split_whitespace().next()).unwrap_or("command");
        Path::new(first).file_name().map_or_else(|| first.to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// The file for an output of cell `id`.
    fn log(&self, id: u32, suffix: &str) -> PathBuf {
        self.request.options.logs.join(format!("{id:04}.{suffix}"))
    }

    fn launch(&self, id: u32, words: &[String], width: Width<'_>) -> Launch {
        let options = &self.request.options;
        let (out, err) = options.outputs.sinks(self.log(id, "out"), self.log(id, "err"));
        let mut launch = Launch::new(words.to_vec(), out, err);
        launch.directory.clone_from(&options.directory);
        launch.stdin.clone_from(&options.stdin);
        launch.timeout_s = options.timeout_s;
        launch.aslr = options.aslr;
        launch.copies = width.copies;
        let processors = &self.request.processors;
        if let Some(threads) = width.threads {
            launch.environment =
                variables::settings(threads.threads, &threads.cpus, &|name| std::env::var_os(name).is_some());
            launch.cpus = distinct(&threads.cpus);
        }
        if width.copies > 1 && !processors.is_empty() {
            let each = width.threads.map_or(1, |threads| threads.threads.max(1)) as usize;
            let seat = |i: usize| processors[i % processors.len()];
            let share = |copy: usize| (0..each).map(|thread| seat(copy * each + thread)).collect::<Vec<_>>();
            launch.copy_cpus = (0..width.copies as usize).map(|copy| distinct(&share(copy))).collect();
        }
        launch
    }
}

/// Whether `command` is measured with the threads it starts by itself, because another one is told how many in its words: it is one point
/// of each size, to hold all widths of the other against.
pub fn has_own_width(request: &AppRequest, command: &Template) -> bool {
    let is_told = |command: &Template| names(request, command, THREADS);
    let others_are = request.commands.iter().any(|command| is_told(&command.template));
    request.weak.is_none() && !request.threads.is_empty() && others_are && !is_told(command)
}

/// Whether the parameter `axis` occurs in a command, or in those that run around it.
fn names(request: &AppRequest, command: &Template, axis: &str) -> bool {
    std::iter::once(command).chain(asides(request)).any(|template| template.names().contains(&axis))
}

/// The words of `command` with the values of a point.
fn filled(command: &Template, point: &Point, width: Width<'_>) -> Result<Vec<String>, AppPlanError> {
    let threads = width.threads.map(|threads| threads.threads);
    let lookup = |name: &str| match name {
        THREADS => threads.map(|threads| threads.to_string()),
        COPIES => Some(width.copies.to_string()),
        axis => point.value(axis).map(ToString::to_string),
    };
    Ok(command.fill(&lookup)?)
}

fn distinct(cpus: &[u32]) -> Vec<u32> {
    let mut distinct = cpus.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}
