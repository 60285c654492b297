//! A campaign measures group after group within its budget, and ends where it must.

use std::thread;

use paw_data::cell::{Cell, Role};
use paw_data::method::Plan;
use paw_data::outcome::{Caveat, CheckVerdict, Ending, Status};
use paw_data::run::{ClockKind, Instrument};
use paw_measure::campaign::{self, Producer};
use paw_measure::clock::Clock;
use paw_measure::clock::scripted::Script;
use paw_measure::fault::{Fault, NOT_TRIED};
use paw_measure::measure::measure;
use paw_measure::planned::{Campaign, PlannedCell};
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::session::Session;
use paw_measure::watch::Control;

use crate::bench::{Bench, cell, entry, free_clock, plan, preset, session, steady};
use crate::diary::Diary;
use crate::team::Rank;

/// How a cell answers, or why it does not start.
type Job = Result<CheckVerdict, Fault>;

const RIGHT: Job = Ok(CheckVerdict::Pass);

/// Starts cells of half a second an iteration.
struct Stage {
    script: Script,
    /// The cells of each group, as they were given back.
    finished: Vec<Vec<u32>>,
}

impl Stage {
    fn new(script: &Script) -> Self {
        Self { script: script.clone(), finished: Vec::new() }
    }
}

impl Producer for Stage {
    type Job = Job;

    fn start(&mut self, planned: &PlannedCell<Job>) -> Result<PreparedCell, Fault> {
        let bench = Bench::new(&self.script, steady(0.5)).answering(planned.job.clone()?);
        let caveat = Caveat::new("small-arrays", "an example".to_owned(), "none");
        let prepared = entry(planned.cell.id, preset("meta31"), &self.script, bench).with_caveats([caveat]);
        Ok(PreparedCell { cell: planned.cell.clone(), ..prepared })
    }

    fn is_wanted(&self, _reference: &Cell, started: &[PreparedCell]) -> bool {
        !started.is_empty()
    }

    fn instrument(&self) -> Instrument {
        Instrument { id: 0, clock: ClockKind::Scripted, resolution_s: 1e-9, overhead_s: 0.0, hz: None }
    }

    fn finish(&mut self, cells: Vec<PreparedCell>) {
        self.finished.push(cells.iter().map(|prepared| prepared.cell.id).collect());
    }
}

/// Groups of cells, numbered from 1 through all groups.
fn groups(jobs: &[&[Job]]) -> Campaign<Job> {
    let mut ids = 1..;
    let numbered = (0..).zip(jobs).map(|(group, jobs)| {
        let planned = |job: &Job| {
            let id = ids.next().expect("there are more numbers than cells");
            PlannedCell { cell: Cell { group, ..cell(id, Role::Subject) }, job: job.clone() }
        };
        jobs.iter().map(planned).collect()
    });
    Campaign::unestimated(numbered.collect())
}

fn run(campaign: Campaign<Job>, plan: &Plan, mut diary: Diary) -> (Diary, Stage, Control) {
    let script = free_clock();
    let mut stage = Stage::new(&script);
    let control = campaign::run(campaign, plan, &session(&script), &mut stage, &mut diary);
    (diary, stage, control)
}

#[test]
fn every_group_is_measured_and_given_back() {
    let (diary, stage, control) = run(groups(&[&[RIGHT, RIGHT], &[RIGHT]]), &plan(1), Diary::default());
    assert_eq!((stage.finished, control), (vec![vec![1, 2], vec![3]], Control::Go));
    assert!(diary.outcomes.iter().all(|outcome| outcome.status == Status::Measured), "{:?}", diary.outcomes);
    assert!(diary.outcomes.iter().all(|outcome| outcome.caveats.last().is_some_and(|c| c.id == "small-arrays")));
}

#[test]
fn a_cell_that_does_not_start_costs_itself_alone() {
    let missing = Err(Fault::Missing("libnone.so: not found".to_owned()));
    let broken = Err(Fault::Broken("it fell over".to_owned()));
    let (diary, ..) = run(groups(&[&[missing, RIGHT], &[broken], &[RIGHT]]), &plan(1), Diary::default());
    let ended: Vec<_> = diary.outcomes.iter().map(|outcome| (outcome.cell, outcome.status)).collect();
    let expected = [Status::Skipped, Status::Measured, Status::Failed, Status::Measured];
    assert_eq!(ended, (1..).zip(expected).collect::<Vec<_>>());
    assert_eq!(diary.outcomes[0].why.as_deref(), Some("libnone.so: not found"));
    assert_eq!((diary.count("begun 1"), diary.count("ended 1"), diary.count("sample 1")), (1, 1, 0));
}

#[test]
fn a_reference_without_subjects_is_left_out() {
    let missing = Err(Fault::Missing("no library".to_owned()));
    let mut campaign = groups(&[&[missing, RIGHT], &[RIGHT, RIGHT]]);
    campaign.groups.iter_mut().for_each(|group| group.cells[1].cell.role = Role::Peak);
    let (diary, ..) = run(campaign, &plan(1), Diary::default());
    assert_eq!([diary.count("begun 2"), diary.count("begun 4")], [0, 1]);
}

#[test]
fn a_stop_holds_until_no_group_follows() {
    let (diary, stage, control) = run(groups(&[&[RIGHT], &[RIGHT]]), &plan(1), Diary::stopping_at("sample 1"));
    assert_eq!(diary.outcomes.iter().map(|o| (o.cell, o.ending)).collect::<Vec<_>>(), [(1, Some(Ending::Interrupted))]);
    assert_eq!((stage.finished, control), (vec![vec![1]], Control::Stop));
    let (diary, stage, _) = run(groups(&[&[RIGHT], &[RIGHT]]), &plan(1), Diary::stopping_at("ended 1"));
    assert_eq!(
        (diary.count("begun 2"), stage.finished),
        (0, vec![vec![1], vec![]]),
        "what was said once is not forgotten"
    );
}

#[test]
fn an_interrupted_start_ends_the_campaign() {
    let (diary, _, control) = run(groups(&[&[RIGHT, Err(Fault::Interrupted)], &[RIGHT]]), &plan(1), Diary::default());
    assert_eq!(diary.events, ["starting 1", "starting 2", "begun 2", "ended 2"]);
    assert_eq!((diary.outcomes[0].status, control), (Status::Skipped, Control::Stop));
}

#[test]
fn a_budget_is_shared_by_estimates_or_else_equally() {
    let plan = Plan { budget_s: Some(40.0), ..plan(1) };
    let taken = |estimates: [Option<f64>; 2]| {
        let mut campaign = groups(&[&[RIGHT], &[RIGHT]]);
        campaign.groups.iter_mut().zip(estimates).for_each(|(group, estimate_s)| group.estimate_s = estimate_s);
        let (diary, ..) = run(campaign, &plan, Diary::default());
        [1, 2].map(|id| diary.samples[&id].len())
    };
    let [first, second] = taken([None, None]);
    assert!(first.abs_diff(second) <= 1 && first < 31, "{first} and {second} samples");
    let [first, second] = taken([Some(1.0), Some(3.0)]);
    assert!(second > 2 * first, "{first} and {second} samples");
}

#[test]
fn a_group_is_measured_even_where_the_budget_is_spent() {
    let (diary, ..) = run(groups(&[&[RIGHT]]), &Plan { budget_s: Some(-1.0), ..plan(1) }, Diary::default());
    assert_eq!((diary.samples[&1].len(), diary.outcomes[0].ending), (1, Some(Ending::Budget)));
}

#[test]
fn a_group_that_cannot_end_in_time_is_not_begun() {
    let mut campaign = groups(&[&[RIGHT], &[RIGHT, RIGHT], &[RIGHT]]);
    campaign.groups[1].cells[1].cell.role = Role::Peak;
    campaign.groups[1].least_s = 30.0;
    let (diary, ..) = run(campaign, &Plan { budget_s: Some(40.5), ..plan(1) }, Diary::default());
    let ended: Vec<_> = diary.outcomes.iter().map(|outcome| (outcome.cell, outcome.status)).collect();
    assert_eq!(
        ended,
        [(1, Status::Measured), (2, Status::Skipped), (4, Status::Measured)],
        "the reference goes with it"
    );
    let why = diary.outcomes[1].why.as_deref().unwrap_or_default();
    assert!(why.contains("the budget of 40.5 s was used up") && why.contains("--budget"), "{why}");
}

#[test]
fn each_group_has_a_seed_of_its_own() {
    let (diary, ..) = run(groups(&[&[], &[RIGHT, RIGHT, RIGHT]]), &plan(5), Diary::default());
    let (script, mut alone) = (free_clock(), Diary::default());
    let start = |id| entry(id, preset("meta31"), &script, Bench::new(&script, steady(0.5)));
    measure(&mut [start(1), start(2), start(3)], &plan(6), &session(&script), &mut alone);
    assert_eq!(diary.order(), alone.order());
}

#[test]
fn on_a_team_a_start_that_breaks_ends_all_where_it_leaves_the_ranks_out_of_step() {
    let ran = |fault: Fault, before: fn(Rank) -> Rank| {
        let ranks = Rank::pair().map(|rank| {
            let rank = before(rank);
            let campaign = groups(&[&[Err(fault.clone())], &[RIGHT]]);
            thread::spawn(move || {
                let (script, mut diary) = (free_clock(), Diary::default());
                let session = Session::with_team(Clock::Scripted(script.clone()), &rank);
                let control = campaign::run(campaign, &plan(1), &session, &mut Stage::new(&script), &mut diary);
                let ended: Vec<_> =
                    diary.outcomes.iter().map(|o| (o.status, o.why.clone().unwrap_or_default())).collect();
                (control, ended)
            })
        });
        ranks.map(|rank| rank.join().expect("a rank panicked"))
    };
    let broken = Fault::Broken("rank 1: it fell over".to_owned());
    for (control, ended) in ran(broken.clone(), Rank::out_of_step) {
        assert_eq!((control, ended[0].0, ended[1].0), (Control::Stop, Status::Failed, Status::Skipped));
        assert_eq!(ended[1].1, NOT_TRIED);
    }
    for fault in [broken, Fault::Missing("no library".to_owned())] {
        for (control, ended) in ran(fault, |rank| rank) {
            assert_eq!((control, ended[1].0), (Control::Go, Status::Measured), "{ended:?}");
        }
    }
}

#[test]
fn a_check_times_nothing() {
    let script = free_clock();
    let (mut stage, mut diary) = (Stage::new(&script), Diary::default());
    let campaign = groups(&[&[RIGHT, Ok(CheckVerdict::Fail)], &[Err(Fault::Broken("no answer".to_owned()))]]);
    assert_eq!(campaign::check(campaign, &mut stage, &mut diary), Control::Go);
    assert_eq!(
        diary.events,
        ["starting 1", "begun 1", "ended 1", "starting 2", "begun 2", "ended 2", "starting 3", "begun 3", "ended 3"]
    );
    let ended: Vec<_> = diary.outcomes.iter().map(|o| (o.status, o.why.as_deref())).collect();
    let (wrong, none) = ("wrong answer: c[3] is off", "no answer");
    assert_eq!(ended, [(Status::Measured, None), (Status::Failed, Some(wrong)), (Status::Failed, Some(none))]);
    assert_eq!(diary.outcomes[1].check.as_ref().map(|check| check.verdict), Some(CheckVerdict::Fail));
}
