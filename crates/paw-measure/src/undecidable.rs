//! What a plan cannot decide, known before anything is measured.

use paw_data::application::SUITE as PROGRAMS;
use paw_data::cell::{Cell, Role};
use paw_data::method::{EndRule, Plan};
use paw_stats::hierarchical::INVOCATIONS_MIN;

use crate::campaign::Processes;
use crate::invocations::Spread;
use crate::measure::rounds_needed;
use crate::planned::{Campaign, Group};
use crate::shared_loops::task;

/// Why comparisons of `campaign` will have no verdict, with the way out; `None` where its rounds suffice, or nothing is compared.
pub fn undecidable<J>(campaign: &Campaign<J>, plan: &Plan, processes: Processes) -> Option<String> {
    let alternatives = campaign.groups.iter().map(alternatives).max().filter(|most| *most > 1)?;
    let spread = Spread::of(&plan.method, plan.invocations, 0.0).filter(|_| processes == Processes::Fresh);
    if let Some(spread) = spread.filter(|spread| spread.least < INVOCATIONS_MIN as u32) {
        return Some(format!(
            "samples of {} processes decide no comparison: {INVOCATIONS_MIN} are needed. hint: --invocations {INVOCATIONS_MIN}",
            spread.least
        ));
    }
    let needed = match (processes, spread) {
        (Processes::EachSample, _) => INVOCATIONS_MIN,
        (_, Some(_)) => INVOCATIONS_MIN,
        (_, None) => rounds_needed(alternatives),
    };
    let most = match plan.method.ending {
        EndRule::Fixed { samples } => samples,
        EndRule::Interval { max, .. } | EndRule::KBest { max, .. } => max,
    };
    if plan.until.is_none() && (most as usize) < needed {
        let samples = if most == 1 { "sample" } else { "samples" };
        return Some(format!(
            "{most} {samples} of each cell decide no comparison of {alternatives}: {needed} are needed. hint: --reps {needed}"
        ));
    }
    short_of_time(campaign, plan.budget_s?, needed)
}

/// Why the budget has no room for the rounds of a comparison.
fn short_of_time<J>(campaign: &Campaign<J>, budget_s: f64, needed: usize) -> Option<String> {
    let all_s: f64 = campaign.groups.iter().map(|group| group.estimate_s).sum::<Option<f64>>()?;
    let is_short = |group: &&Group<J>| {
        let share_s = budget_s * group.estimate_s.unwrap_or(0.0) / all_s;
        alternatives(group) > 1 && group.round_s.is_some_and(|round_s| needed as f64 * round_s > share_s)
    };
    let short = campaign.groups.iter().filter(is_short).count();
    (short > 0).then(|| {
        format!(
            "at nominal speeds the budget of {budget_s} s has no room for the {needed} rounds that a comparison needs, in {short} of {} \
             groups. hint: --budget gives more time",
            campaign.groups.len()
        )
    })
}

/// The most cells of the group that are compared with each other.
fn alternatives<J>(group: &Group<J>) -> usize {
    let is_foreign = |cell: &Cell| cell.role == Role::Base && cell.suite == PROGRAMS;
    let cells = group.cells.iter().map(|planned| &planned.cell).filter(|cell| !is_foreign(cell));
    let tasks: Vec<_> = cells.filter_map(task).collect();
    tasks.iter().map(|one| tasks.iter().filter(|other| *other == one).count()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use paw_data::cell::Cell;
    use paw_data::method::Method;
    use paw_data::point::Point;
    use paw_data::quantity::Quantity;

    use super::*;
    use crate::method::{Overrides, preset};
    use crate::planned::PlannedCell;

    /// One group of this number of alternatives, whose round takes 10 s.
    fn campaign(cells: usize) -> Campaign<()> {
        let cell = |id: usize| Cell { id: id as u32, ..Cell::new("blas", "dgemm", "a", Quantity::Flops, Point::new()) };
        let cells = (0..cells).map(|id| PlannedCell { cell: cell(id), job: () }).collect();
        let mut campaign = Campaign::unestimated(vec![cells]);
        campaign.groups[0].estimate_s = Some(60.0);
        campaign.groups[0].round_s = Some(10.0);
        campaign
    }

    fn samples(reps: u32) -> Method {
        Overrides { reps: Some(reps), ..Overrides::default() }.over(preset("adaptive").unwrap())
    }

    fn check(cells: usize, plan: &Plan, processes: Processes, expected: Option<&str>) {
        let found = undecidable(&campaign(cells), plan, processes);
        match expected {
            None => assert_eq!(found, None),
            Some(text) => assert!(found.as_deref().is_some_and(|found| found.contains(text)), "{text}: {found:?}"),
        }
    }

    #[test]
    fn a_number_of_samples_that_decides_nothing_is_announced() {
        let plan = |reps| Plan::new(samples(reps), 1, None);
        check(2, &plan(6), Processes::One, Some("6 samples of each cell decide no comparison of 2: 8 are needed"));
        check(2, &plan(8), Processes::One, None);
        check(3, &plan(8), Processes::One, Some("9 are needed"));
        check(1, &plan(1), Processes::One, None);
        check(2, &plan(5), Processes::Fresh, Some("8 are needed"));
        check(2, &plan(6), Processes::Fresh, None);
        check(2, &plan(2), Processes::EachSample, Some("3 are needed"));
        check(2, &Plan::new(preset("adaptive").unwrap(), 1, None), Processes::One, None);
    }

    #[test]
    fn two_processes_decide_nothing() {
        let plan = |asked| Plan { invocations: Some(asked), ..Plan::new(preset("adaptive").unwrap(), 1, None) };
        check(2, &plan(2), Processes::Fresh, Some("hint: --invocations 3"));
        check(2, &plan(3), Processes::Fresh, None);
    }

    #[test]
    fn a_budget_without_room_for_the_rounds_is_announced() {
        let plan = |budget_s| Plan::new(preset("adaptive").unwrap(), 1, Some(budget_s));
        check(
            2,
            &plan(79.0),
            Processes::One,
            Some("no room for the 8 rounds that a comparison needs, in 1 of 1 groups"),
        );
        check(2, &plan(81.0), Processes::One, None);
        check(1, &plan(5.0), Processes::One, None);
    }
}
