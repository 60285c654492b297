//! Samples of a cell come from several processes, each started, warmed up and closed within the budget.

use std::cell::RefCell;
use std::rc::Rc;

use paw_data::method::{Method, Plan, Until};
use paw_data::outcome::{CheckVerdict, Ending, Outcome, Status};
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;
use paw_measure::invocations::{Restart, Source};
use paw_measure::measure::{Invocations, over_invocations};
use paw_measure::method::Overrides;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::workload::Workload;

use crate::bench::{Bench, entry, free_clock, plan, preset, session};
use crate::diary::Diary;

/// A machine on which every start of a cell takes `start_s` and gives its process a speed of its own.
#[derive(Clone)]
struct Machine {
    script: Script,
    start_s: f64,
    /// Seconds of an iteration of a cell (from 0) in an invocation; infinite where that process does not start.
    cost_s: Rc<dyn Fn(usize, u32) -> f64>,
    /// Verdict on the answer of a cell in an invocation.
    answer: Rc<dyn Fn(usize, u32) -> CheckVerdict>,
    /// Starts and ends of processes, in order: `+1`, `+2`, `end`.
    log: Rc<RefCell<Vec<String>>>,
    invocation: u32,
}

impl Machine {
    fn new(start_s: f64, cost_s: impl Fn(usize, u32) -> f64 + 'static) -> Self {
        let (answer, cost_s) = (Rc::new(|_, _| CheckVerdict::Pass), Rc::new(cost_s));
        Self { script: free_clock(), start_s, cost_s, answer, log: Rc::default(), invocation: 0 }
    }

    fn cell(&self, cell: usize, method: &Method) -> Result<PreparedCell, Fault> {
        self.log.borrow_mut().push(format!("+{}", cell + 1));
        self.script.advance(self.start_s);
        let cost_s = (self.cost_s)(cell, self.invocation);
        if cost_s.is_infinite() {
            return Err(Fault::Missing("no memory is left".to_owned()));
        }
        let mut call = 0_u32;
        let region = move |script: &Script, loops: u64| {
            call += 1;
            // Samples of a process differ by a part in a thousand.
            script.advance(loops as f64 * cost_s * (1.0 + 1e-3 * f64::from(call % 5)));
            Ok(())
        };
        let bench = Bench::new(&self.script, region).answering((self.answer)(cell, self.invocation));
        Ok(entry(cell as u32 + 1, method.clone(), &self.script, bench))
    }

    /// Measures two cells.
    fn measured(&self, method: &Method, plan: &Plan, diary: &mut Diary) -> Vec<Outcome> {
        let mut cells: Vec<_> = (0..2).map(|cell| self.cell(cell, method).unwrap()).collect();
        let mut again = Again { machine: self.clone(), method: method.clone() };
        let source = Source::Processes(&mut again);
        let start_s = 2.0 * self.start_s;
        over_invocations(&mut cells, plan, &session(&self.script), diary, Invocations { source, start_s, together: 1 })
    }
}

struct Again {
    machine: Machine,
    method: Method,
}

impl Restart for Again {
    fn end(&mut self) {
        self.machine.log.borrow_mut().push("end".to_owned());
        self.machine.invocation += 1;
    }

    fn start(&mut self, cell: usize) -> Result<Box<dyn Workload>, Fault> {
        self.machine.cell(cell, &self.method).map(|prepared| prepared.workload)
    }
}

/// Two equal cells whose processes do not differ.
fn equal(_: usize, _: u32) -> f64 {
    2e-3
}

/// Processes that differ by some per cent, both cells' alike.
fn differing(_: usize, invocation: u32) -> f64 {
    2e-3 * (1.0 + 0.02 * f64::from(invocation * 7 % 5))
}

fn invocations(diary: &Diary, cell: u32) -> Vec<u32> {
    diary.samples[&cell].invocation.clone()
}

/// Counts of equal neighbours: `[0, 0, 1]` is 2 and 1.
fn runs(ids: &[u32]) -> Vec<usize> {
    ids.chunk_by(|a, b| a == b).map(<[u32]>::len).collect()
}

#[test]
fn samples_come_from_three_processes_at_least() {
    let machine = Machine::new(0.01, equal);
    let mut diary = Diary::default();
    let outcomes = machine.measured(&preset("adaptive"), &plan(1), &mut diary);
    for cell in [1, 2] {
        assert_eq!(runs(&invocations(&diary, cell)), [6, 6, 6]);
        assert_eq!(diary.samples[&cell].round, (0..18).collect::<Vec<_>>(), "rounds go on counting");
        let loops = &diary.samples[&cell].loops;
        assert!(loops.iter().all(|n| *n == loops[0]), "loops stay: {loops:?}");
    }
    assert_eq!(machine.log.borrow().join(" "), "+1 +2 end +1 +2 end +1 +2");
    assert_eq!([diary.count("begun 1"), diary.count("ended 1")], [1, 1]);
    for outcome in outcomes {
        assert_eq!((outcome.ending, outcome.caveats), (Some(Ending::Converged), vec![]));
    }
}

#[test]
fn each_process_is_warmed_up_by_a_probe_at_the_same_loops() {
    let mut diary = Diary::default();
    Machine::new(0.01, equal).measured(&preset("adaptive"), &plan(1), &mut diary);
    let later: Vec<_> = diary.warmups[&1].iter().filter(|sample| sample.invocation > 0).collect();
    let found: Vec<_> = later.iter().map(|probe| (probe.invocation, probe.round)).collect();
    assert_eq!(found, [(1, 6), (2, 12)]);
    assert!(later.iter().all(|probe| probe.loops == diary.samples[&1].loops[0]));
}

#[test]
fn processes_that_differ_are_followed_by_more_of_them() {
    let mut diary = Diary::default();
    let outcomes = Machine::new(0.01, differing).measured(&preset("adaptive"), &plan(1), &mut diary);
    let found = runs(&invocations(&diary, 1));
    assert!(found.len() >= 6, "the interval over three processes is far too wide: {found:?}");
    assert!(matches!(outcomes[0].ending, Some(Ending::NoisyStable | Ending::MaxSamples)), "{outcomes:?}");
}

#[test]
fn a_number_of_samples_is_the_number_in_all() {
    let with = |reps, asked| {
        let method = Overrides { reps: Some(reps), ..Overrides::default() }.over(preset("adaptive"));
        let plan = Plan { invocations: asked, ..plan(1) };
        let mut diary = Diary::default();
        Machine::new(0.01, differing).measured(&method, &plan, &mut diary);
        runs(&invocations(&diary, 1))
    };
    assert_eq!(with(31, None), [6, 6, 6, 6, 6, 1]);
    assert_eq!(with(10, None), [4, 4, 2]);
    assert_eq!(with(5, None), [5], "a handful has one process");
    assert_eq!(with(31, Some(1)), [31]);
    assert_eq!(with(10, Some(5)), [2; 5]);
}

#[test]
fn paws_methods_have_one_process_unless_asked() {
    let with = |asked| {
        let mut diary = Diary::default();
        Machine::new(0.01, equal).measured(&preset("paw"), &Plan { invocations: asked, ..plan(1) }, &mut diary);
        runs(&invocations(&diary, 2))
    };
    assert_eq!(with(None), [10]);
    assert_eq!(with(Some(2)), [5, 5]);
}

#[test]
fn k_best_agrees_over_three_processes() {
    let mut diary = Diary::default();
    let outcomes = Machine::new(0.01, equal).measured(&preset("kbest"), &plan(1), &mut diary);
    assert_eq!(runs(&invocations(&diary, 1)), [6, 6, 4]);
    assert_eq!(outcomes[1].ending, Some(Ending::Valid));
}

/// Invocations, ending and caveats of cells whose start takes 5 s together, within a budget.
fn budgeted(budget_s: f64) -> (Vec<usize>, Outcome, f64) {
    let machine = Machine::new(2.5, equal);
    let plan = Plan { budget_s: Some(budget_s), ..plan(1) };
    let mut diary = Diary::default();
    let outcomes = machine.measured(&preset("adaptive"), &plan, &mut diary);
    (runs(&invocations(&diary, 1)), outcomes[0].clone(), machine.script.now_s() - 5.0)
}

#[test]
fn starts_count_against_the_budget() {
    let (found, outcome, took_s) = budgeted(11.0);
    assert_eq!((found, outcome.caveats.len()), (vec![6, 6, 6], 0));
    assert!(took_s < 11.0, "{took_s}");
}

#[test]
fn a_budget_too_small_for_three_processes_stays_with_one() {
    let (found, outcome, took_s) = budgeted(9.0);
    assert_eq!((found, outcome.ending), (vec![16], Some(Ending::Converged)));
    assert!(took_s < 1.0, "{took_s}");
}

#[test]
fn a_stop_in_the_second_process_keeps_what_was_measured() {
    // The 2 warm-ups of calibrating a cell of 2 ms and their checks precede; the second process begins with round 6.
    let mut diary = Diary::stopping_at("round 7");
    let outcomes = Machine::new(0.01, equal).measured(&preset("adaptive"), &plan(1), &mut diary);
    assert_eq!(runs(&invocations(&diary, 1)), [6, 2]);
    assert!(outcomes.iter().all(|outcome| outcome.ending == Some(Ending::Interrupted)), "{outcomes:?}");
}

#[test]
fn a_stop_while_processes_start_keeps_what_was_measured() {
    let machine = Machine::new(0.01, equal);
    let probes = {
        let mut diary = Diary::default();
        machine.measured(&preset("adaptive"), &plan(1), &mut diary);
        diary.events.iter().take_while(|event| *event != "round 5").filter(|event| *event == "warmup 1").count()
    };
    // A diary stops from an event on; the first probe of the second process is the next warm-up of cell 1.
    struct Stopping(Diary, usize);
    impl paw_measure::watch::Watch for Stopping {
        fn on(&mut self, event: paw_measure::watch::Event<'_>) -> paw_measure::watch::Control {
            self.0.on(event);
            let stop = self.0.count("warmup 1") > self.1;
            if stop { paw_measure::watch::Control::Stop } else { paw_measure::watch::Control::Go }
        }
    }
    let machine = Machine::new(0.01, equal);
    let mut cells: Vec<_> = (0..2).map(|cell| machine.cell(cell, &preset("adaptive")).unwrap()).collect();
    let mut again = Again { machine: machine.clone(), method: preset("adaptive") };
    let source = Source::Processes(&mut again);
    let mut watch = Stopping(Diary::default(), probes);
    let invocations_ = Invocations { source, start_s: 0.02, together: 1 };
    let outcomes = over_invocations(&mut cells, &plan(1), &session(&machine.script), &mut watch, invocations_);
    for (outcome, cell) in outcomes.iter().zip([1, 2]) {
        assert_eq!((outcome.status, outcome.ending), (Status::Measured, Some(Ending::Interrupted)));
        assert_eq!(runs(&invocations(&watch.0, cell)), [6]);
        assert!(outcome.caveats.iter().any(|caveat| caveat.id == "unchecked"), "{outcome:?}");
    }
}

#[test]
fn a_cell_whose_second_process_does_not_start_fails_and_keeps_its_samples() {
    let cost = |cell, invocation| if (cell, invocation) == (0, 1) { f64::INFINITY } else { 2e-3 };
    let mut diary = Diary::default();
    let outcomes = Machine::new(0.01, cost).measured(&preset("adaptive"), &plan(1), &mut diary);
    assert_eq!(outcomes[0].status, Status::Failed);
    assert_eq!(outcomes[0].why.as_deref(), Some("no memory is left (when process 2 was started)"));
    assert_eq!(runs(&invocations(&diary, 1)), [6]);
    assert_eq!((outcomes[1].status, runs(&invocations(&diary, 2))), (Status::Measured, vec![6, 6, 6]));
}

/// Outcomes of two cells, and how many samples of each invocation the first has, where answers have these verdicts.
fn answered(answer: impl Fn(usize, u32) -> CheckVerdict + 'static) -> (Vec<Outcome>, Vec<usize>) {
    let machine = Machine { answer: Rc::new(answer), ..Machine::new(0.01, equal) };
    let mut diary = Diary::default();
    let outcomes = machine.measured(&preset("adaptive"), &plan(1), &mut diary);
    (outcomes, runs(&invocations(&diary, 1)))
}

#[test]
fn a_wrong_answer_in_any_process_fails_the_cell_and_names_the_process() {
    for (wrong, samples) in [(0, vec![6]), (1, vec![6, 6]), (2, vec![6, 6, 6])] {
        let of = move |cell, at| if (cell, at) == (0, wrong) { CheckVerdict::Fail } else { CheckVerdict::Pass };
        let (outcomes, taken) = answered(of);
        let process = wrong + 1;
        assert_eq!((outcomes[0].status, taken), (Status::Failed, samples));
        let why = outcomes[0].why.as_deref().unwrap_or_default();
        assert!(why.starts_with("wrong answer") && why.ends_with(&format!("(in process {process})")), "{why}");
        assert_eq!(outcomes[0].check.as_ref().map(|check| check.verdict), Some(CheckVerdict::Fail));
        assert_eq!((outcomes[1].status, outcomes[1].caveats.len()), (Status::Measured, 0));
    }
}

#[test]
fn a_doubtful_answer_of_an_early_process_is_kept() {
    let (outcomes, taken) = answered(|cell, at| match (cell, at) {
        (0, 1) => CheckVerdict::Warn,
        _ => CheckVerdict::Pass,
    });
    assert_eq!((outcomes[0].status, taken), (Status::Measured, vec![6, 6, 6]));
    let check = outcomes[0].check.as_ref().unwrap();
    assert_eq!((check.verdict, check.note.as_str()), (CheckVerdict::Warn, "c[3] is off (in process 2)"));
    assert!(outcomes[0].caveats.iter().any(|caveat| caveat.id == "reduced-precision"), "{outcomes:?}");
}

#[test]
fn every_sample_of_a_program_is_a_process() {
    let machine = Machine::new(0.0, equal);
    let mut cells = vec![machine.cell(0, &preset("kbest")).unwrap()];
    let mut diary = Diary::default();
    let invocations_ = Invocations { source: Source::EachSample, start_s: 0.0, together: 1 };
    over_invocations(&mut cells, &plan(1), &session(&machine.script), &mut diary, invocations_);
    assert_eq!(invocations(&diary, 1), (0..16).collect::<Vec<_>>());
}

/// Invocations and ending of two cells, the second slower by `slower`, measured until their comparison is decided.
fn decided(slower: f64, budget_s: Option<f64>) -> (usize, Option<Ending>) {
    // One early process of the second cell is lucky, and its others are by turns half a per cent slower and faster.
    let cost = move |cell: usize, invocation: u32| {
        let luck = match (cell, invocation) {
            (0, _) => 0.0,
            (_, 1) => -0.025,
            _ => 0.005 - 0.01 * f64::from(invocation / 2 % 2),
        };
        2e-3 * (1.0 + luck) * (1.0 + slower * cell as f64)
    };
    let plan = Plan { until: Some(Until::Decided), budget_s, ..plan(1) };
    let mut diary = Diary::default();
    let outcomes = Machine::new(0.01, cost).measured(&preset("adaptive"), &plan, &mut diary);
    assert_eq!(outcomes[0].ending, outcomes[1].ending);
    (runs(&invocations(&diary, 1)).len(), outcomes[0].ending)
}

#[test]
fn rounds_go_on_until_comparisons_are_decided() {
    let (clear, ending) = decided(0.2, None);
    assert_eq!((clear, ending), (3, Some(Ending::Decided)), "a fifth shows at the first look");
    let (close, ending) = decided(0.03, None);
    assert!(close > clear, "{close} invocations");
    assert_eq!(ending, Some(Ending::Decided));
}

#[test]
fn what_no_look_decides_says_so() {
    // A difference at the margin itself lies on its edge for ever.
    let (invocations, ending) = decided(0.01, None);
    assert_eq!(invocations, 62);
    assert_ne!(ending, Some(Ending::Decided));
    let (invocations, ending) = decided(0.01, Some(1.0));
    assert!(invocations < 62, "{invocations}");
    assert_eq!(ending, Some(Ending::Budget));
}
