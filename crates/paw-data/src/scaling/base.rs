//! The base of speed-ups: the original program, one of several, or one thread of the parallel one.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::application::{Application, Reference};
use crate::axis::{COPIES, THREADS};
use crate::method::EndRule;
use crate::point::Point;
use crate::run::{Record, Run};
use crate::scaling::axes;
use crate::scaling::timing::RunTiming;
use crate::scaling::yardstick::Yardstick;

/// Kind of a base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BaseKind<'run> {
    /// Another program, with its command.
    Program(&'run [String]),
    /// One of the commands, by its name: with one thread where it was told how many.
    Command(&'run str),
    /// One thread of the program itself.
    OneThread,
}

/// The base of speed-ups.
#[derive(Debug, Clone, PartialEq)]
pub struct Base<'run> {
    /// Its kind.
    pub kind: BaseKind<'run>,
    /// The cells of the base; empty for one thread of each program.
    pub records: Vec<&'run Record>,
    rule: &'run EndRule,
    yardstick: Yardstick<'run>,
}

impl<'run> Base<'run> {
    pub(super) fn of(run: &'run Run, app: &'run Application, yardstick: Yardstick<'run>) -> Self {
        let mut records: Vec<&Record> = axes::bases(run).collect();
        let kind = match (&app.base, &app.against) {
            (Some(command), _) => BaseKind::Program(command),
            (None, _) if !records.is_empty() => BaseKind::Program(&[]),
            // At one point alternatives are ranked, and have nothing to speed up over.
            (None, Some(Reference::Command(name))) if app.ladders().next().is_some() || !app.threads.is_empty() => {
                records = of_command(run, name);
                BaseKind::Command(name)
            }
            _ => BaseKind::OneThread,
        };
        Self { kind, records, rule: &run.header.plan.method.ending, yardstick }
    }

    /// In words: `the original program`, `1 thread of the parallel program`.
    pub fn words(&self) -> Cow<'run, str> {
        let threads = || self.records.first().and_then(|record| record.cell.point.int(THREADS));
        match (self.kind, threads()) {
            (BaseKind::Program(_), _) => "the original program".into(),
            (BaseKind::Command(name), None) => name.into(),
            (BaseKind::Command(name), Some(1)) => format!("{name} with 1 thread").into(),
            (BaseKind::Command(name), Some(threads)) => format!("{name} with {threads} threads").into(),
            (BaseKind::OneThread, _) => "1 thread of the parallel program".into(),
        }
    }

    /// Whether the speed-ups of all programs refer to the same.
    pub fn is_common(&self) -> bool {
        !matches!(self.kind, BaseKind::OneThread)
    }

    /// The base's cell for a size: among the cells that agree with it on all their axes, the one with most axes.
    pub(super) fn program_at(&self, size: &Point) -> Option<&'run Record> {
        let axes = |record: &Record| record.cell.point.iter().filter(|(a, _)| *a != THREADS && *a != COPIES).count();
        let agrees = |record: &&&Record| {
            let mut axes = record.cell.point.iter().filter(|(axis, _)| *axis != THREADS && *axis != COPIES);
            axes.all(|(axis, value)| size.value(axis) == Some(value))
        };
        self.records.iter().filter(agrees).max_by_key(|r| axes(r)).copied()
    }

    /// The base record of a size and its timing; `one_thread` is the program's own cell with one thread.
    pub(super) fn at(&self, size: &Point, one_thread: Option<&'run Record>) -> Option<(&'run Record, RunTiming<'run>)> {
        let record = match self.kind {
            BaseKind::Program(_) | BaseKind::Command(_) => self.program_at(size),
            BaseKind::OneThread => one_thread,
        }?;
        Some((record, RunTiming::of(record, self.rule, self.yardstick)?))
    }
}

/// The cells of the command `name` that others are held against: without a number of threads, with one, or with the only one there is.
fn of_command<'run>(run: &'run Run, name: &str) -> Vec<&'run Record> {
    let own = || axes::subjects(run).filter(|r| r.cell.provider == name && axes::copies(&r.cell) == 1);
    let counts: BTreeSet<Option<i64>> = own().map(|record| record.cell.point.int(THREADS)).collect();
    let chosen = [None, Some(1)].into_iter().find(|count| counts.contains(count));
    let only = counts.first().copied().filter(|_| counts.len() == 1);
    own().filter(|record| chosen.or(only) == Some(record.cell.point.int(THREADS))).collect()
}
