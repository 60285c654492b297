//! The cells of a group that are compared with each other: how sure a comparison must be, and the rounds it takes.

use paw_data::application::SUITE as PROGRAMS;
use paw_data::axis::{COPIES, THREADS};
use paw_data::cell::Role;
use paw_data::comparison::CONFIDENCE;
use paw_data::method::EndRule;
use paw_data::rounds;
use paw_stats::comparison::bonferroni;
use paw_stats::interval;

use super::Group;
use crate::invocations::Source;

/// Comparisons wait for undisturbed rounds until this many times the rounds that they need have been taken.
const TAKEN_PER_ROUND: usize = 2;

/// The confidence of a verdict among `alternatives` where `together` comparisons are to hold at once.
fn confidence(alternatives: usize, together: usize) -> f64 {
    bonferroni(CONFIDENCE, alternatives.max(together + 1))
}

/// The fewest undisturbed rounds of one process that decide between `alternatives`: 8 for 2, 9 for 3, 10 for 4.
pub fn rounds_needed(alternatives: usize) -> usize {
    interval::fewest(confidence(alternatives, 1))
}

impl Group<'_, '_> {
    /// The cells of each task that has several. A base is the first of its task's alternatives, but that of programs is another
    /// program, which speed-ups refer to.
    pub(super) fn compared(&self) -> Vec<Vec<usize>> {
        let is_foreign = |i: &usize| {
            let cell = &self.cells[*i].cell;
            cell.role == Role::Base && cell.suite == PROGRAMS
        };
        let mut tasks = self.tasks();
        tasks.iter_mut().for_each(|members| members.retain(|i| !is_foreign(i)));
        self.join_own_widths(&mut tasks);
        tasks.retain(|members| members.len() > 1);
        tasks
    }

    /// Adds programs whose threads nobody set to the tasks of all numbers of threads: they are held against the others at each.
    fn join_own_widths(&self, tasks: &mut Vec<Vec<usize>>) {
        let cell = |members: &[usize]| members.first().map(|i| &self.cells[*i].cell);
        let has_own_width = |members: &[usize]| {
            cell(members).is_some_and(|cell| cell.suite == PROGRAMS && cell.point.value(THREADS).is_none())
        };
        let (own, told): (Vec<_>, Vec<_>) = tasks.drain(..).partition(|members| has_own_width(members));
        *tasks = told;
        for own in own {
            let place = |members: &[usize]| cell(members).map(|cell| (&cell.benchmark, cell.point.value(COPIES)));
            let mut is_beside = false;
            for members in tasks.iter_mut().filter(|members| !has_own_width(members) && place(members) == place(&own)) {
                members.extend(&own);
                members.sort_unstable();
                is_beside = true;
            }
            if !is_beside {
                tasks.push(own);
            }
        }
    }

    /// The confidence of verdicts among this number of alternatives.
    pub(super) fn confidence_of(&self, alternatives: usize) -> f64 {
        confidence(alternatives, self.together)
    }

    /// Notes the rounds that comparisons need: one process a side has no interval of a ratio before. A number of samples that was asked
    /// for stays that number, and programs and cells of several processes have intervals over these.
    pub(super) fn note_needs(&mut self) {
        let compared = self.compared();
        self.series.iter_mut().for_each(|series| series.needed = 0);
        if self.pace.is_spread() || matches!(self.source, Source::EachSample) {
            return;
        }
        for members in compared {
            let needed = interval::fewest(self.confidence_of(members.len()));
            for i in members {
                self.series[i].needed = needed;
            }
        }
    }

    /// The cells that are timed on although their rules are met, because their comparisons lack undisturbed rounds.
    pub(super) fn owing_rounds(&self) -> Vec<usize> {
        let most = self.series.iter().map(|series| series.needed).max().unwrap_or(0);
        if self.pace.rounds() as usize >= TAKEN_PER_ROUND * most {
            return Vec::new();
        }
        let owes = |members: &Vec<usize>| {
            let samples: Vec<_> = members.iter().map(|i| &self.series[*i].samples).collect();
            let clean = rounds::complete(&samples).first().map_or(0, Vec::len);
            members.iter().any(|i| clean < self.series[*i].needed)
        };
        let is_open = |i: &usize| !matches!(self.cells[*i].method.ending, EndRule::Fixed { .. });
        self.compared().into_iter().filter(owes).flatten().filter(is_open).collect()
    }
}
