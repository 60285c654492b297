//! The base of speed-ups: the original program, or one thread of the parallel one.

use crate::application::Application;
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
    /// One thread of the program itself.
    OneThread,
}

/// The base of speed-ups.
#[derive(Debug, Clone, PartialEq)]
pub struct Base<'run> {
    /// Its kind.
    pub kind: BaseKind<'run>,
    /// The cells of the base program; empty for one thread.
    pub records: Vec<&'run Record>,
    rule: &'run EndRule,
    yardstick: Yardstick<'run>,
}

impl<'run> Base<'run> {
    pub(super) fn of(run: &'run Run, app: &'run Application, yardstick: Yardstick<'run>) -> Self {
        let records: Vec<&Record> = axes::bases(run).collect();
        let kind = match &app.base {
            Some(command) => BaseKind::Program(command),
            None if records.is_empty() => BaseKind::OneThread,
            None => BaseKind::Program(&[]),
        };
        Self { kind, records, rule: &run.header.plan.method.ending, yardstick }
    }

    /// In words: `the original program`, `1 thread of the parallel program`.
    pub fn words(&self) -> &'static str {
        match self.kind {
            BaseKind::Program(_) => "the original program",
            BaseKind::OneThread => "1 thread of the parallel program",
        }
    }

    /// The base program's cell for a size: among the cells that agree with it on all their axes, the one with most axes.
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
            BaseKind::Program(_) => self.program_at(size),
            BaseKind::OneThread => one_thread,
        }?;
        Some((record, RunTiming::of(record, self.rule, self.yardstick)?))
    }
}
