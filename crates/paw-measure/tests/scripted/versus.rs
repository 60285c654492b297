//! Two programs against each other, as a run of programs compares them: equal ones are not told apart, and 5 % are found.

use paw_data::application::SUITE;
use paw_data::cell::{Cell, Role};
use paw_data::comparison::{CONFIDENCE, Comparison, MARGIN, Origin};
use paw_data::method::{EndRule, LoopRule, Memory, Method, Plan, Until};
use paw_data::outcome::Ending;
use paw_data::point::Point;
use paw_data::run::Record;
use paw_measure::clock::scripted::Script;
use paw_measure::disturbance::Placement;
use paw_measure::fault::Fault;
use paw_measure::invocations::Source;
use paw_measure::measure::{Invocations, LOOKS_OF_ONE, measure, over_invocations};
use paw_measure::prepared_cell::PreparedCell;
use paw_stats::comparison::bonferroni;
use paw_stats::rng::Rng;
use paw_stats::verdict::{Size, Verdict};

use crate::bench::{Bench, entry, free_clock, plan, preset, session};
use crate::diary::Diary;

/// What a machine does to the time of a run.
#[derive(Debug, Clone, Copy)]
pub struct Noise {
    /// Standard deviation of the logarithm: every run's own.
    spread: f64,
    /// How many runs meet something that makes them longer by half on average.
    spikes: f64,
    /// How much slower the machine becomes and faster again, in waves of a minute: all programs suffer alike.
    drift: f64,
    /// How much slower the machine is in every other stretch of 20 seconds.
    step: f64,
}

pub const CALM: Noise = Noise { spread: 0.01, spikes: 0.0, drift: 0.0, step: 0.0 };
const MACHINES: [Noise; 4] = [
    CALM,
    Noise { spread: 0.02, spikes: 0.05, ..CALM },
    Noise { spread: 0.015, drift: 0.10, ..CALM },
    Noise { spread: 0.01, spikes: 0.10, step: 0.10, ..CALM },
];

const TRIALS: u64 = 100;

impl Noise {
    /// A run that takes a second on a machine that has nothing else to do, times this, at this time.
    fn factor(&self, now_s: f64, random: &mut Rng) -> f64 {
        let own = (self.spread * random.normal()).exp();
        let spike = if random.uniform() < self.spikes { 1.0 - 0.5 * (1.0 - random.uniform()).ln() } else { 1.0 };
        let drift = 1.0 + self.drift * (std::f64::consts::TAU * now_s / 60.0).sin().powi(2);
        let step = if (now_s / 20.0) as u64 % 2 == 1 { 1.0 + self.step } else { 1.0 };
        own * spike * drift * step
    }
}

/// A program that takes `time_s`, run once a sample, as programs are.
pub fn program(id: u32, method: &Method, script: &Script, (time_s, noise, seed): (f64, Noise, u64)) -> PreparedCell {
    let mut random = Rng::new(seed);
    let region = move |script: &Script, _: u64| -> Result<(), Fault> {
        script.advance(time_s * noise.factor(script.now_s(), &mut random));
        Ok(())
    };
    entry(id, method.clone(), script, Bench::new(script, region)).placed(Placement::Program)
}

/// What is said of a program that takes `ratio` times as long as another.
fn verdict(method: &Method, noise: Noise, ratio: f64, seed: u64) -> &'static str {
    let script = free_clock();
    let mut diary = Diary::default();
    let of = |id: u32, time_s| program(id, method, &script, (time_s, noise, 1000 * seed + u64::from(id)));
    let mut group = [of(1, 1.0), of(2, ratio)];
    measure(&mut group, &plan(seed), &session(&script), &mut diary);
    let record = |at: usize| {
        let cell = Cell { suite: SUITE.into(), ..group[at].cell.clone() };
        let samples = diary.samples[&cell.id].clone();
        Record { samples, ..Record::new(cell) }
    };
    Comparison::between(&record(0), &record(1), Origin::SameRun).expect("both were measured").verdict.word()
}

/// How often one of `words` is the verdict in all trials.
fn count(method: &Method, noise: Noise, ratio: f64, words: &[&str]) -> usize {
    (0..TRIALS).filter(|seed| words.contains(&verdict(method, noise, ratio, *seed))).count()
}

/// The method of `paw app`, with at least so many rounds.
pub fn rounds(least: u32) -> Method {
    let mut method = Method { loops: LoopRule::Fixed(1), memory: Memory::Kept, ..preset("kbest") };
    if let EndRule::KBest { min, max, .. } = &mut method.ending {
        (*min, *max) = (least, (*max).max(least));
    }
    method
}

#[test]
fn equal_programs_are_not_told_apart() {
    for noise in MACHINES {
        let right = count(&rounds(32), noise, 1.0, &["SAME", "INCONCLUSIVE"]);
        assert!(right >= 95, "{right} of {TRIALS} on {noise:?}");
    }
}

#[test]
fn a_program_slower_by_five_per_cent_is_found() {
    for noise in MACHINES {
        let found = count(&rounds(32), noise, 1.05, &["SLOWER"]);
        assert!(found >= 90, "{found} of {TRIALS} on {noise:?}");
    }
}

#[test]
fn rounds_beyond_those_that_agree_find_smaller_differences() {
    let found = |least: u32| MACHINES.map(|noise| count(&rounds(least), noise, 1.02, &["SLOWER"]));
    let (few, many): (usize, usize) = (found(16).iter().sum(), found(32).iter().sum());
    assert!(4 * many > 5 * few, "of 2 % more time, 16 rounds find {few} and 32 rounds {many} of {}", 4 * TRIALS);
}

/// Points at which the two programs of a sweep are compared.
const POINTS: usize = 8;

/// How two programs and the base of their speed-ups ended under `--until decided`, their rounds, and the verdict of the report.
fn until_decided(noise: Noise, ratio: f64, budget_s: Option<f64>) -> ([Option<Ending>; 3], [usize; 3], Verdict) {
    let script = free_clock();
    let mut diary = Diary::default();
    let of = |(id, time_s): (u32, f64)| {
        let mut prepared = program(id, &rounds(16), &script, (time_s, noise, 7 + u64::from(id)));
        prepared.cell.suite = SUITE.into();
        prepared.cell.role = if id == 1 { Role::Base } else { Role::Subject };
        prepared
    };
    let mut group = [(1, 3.0), (2, 1.0), (3, ratio)].map(of);
    let plan = Plan { until: Some(Until::Decided), budget_s, ..plan(1) };
    let invocations = Invocations { source: Source::EachSample, start_s: 0.0, together: POINTS };
    let outcomes = over_invocations(&mut group, &plan, &session(&script), &mut diary, invocations);
    let record = |at: usize| {
        let cell = group[at].cell.clone();
        Record { samples: diary.samples[&cell.id].clone(), ..Record::new(cell) }
    };
    let confidence = bonferroni(CONFIDENCE, POINTS + 1);
    let found = Comparison::within(&record(1), &record(2), Origin::SameRun, confidence, MARGIN);
    let endings = [0, 1, 2].map(|i| outcomes[i].ending);
    (endings, [1, 2, 3].map(|id| diary.samples[&id].len()), found.expect("both were measured").verdict)
}

#[test]
fn programs_run_until_the_report_has_their_verdict() {
    let (decided, valid) = (Some(Ending::Decided), Some(Ending::Valid));
    let first = LOOKS_OF_ONE[0] as usize;
    let (endings, rounds, verdict) = until_decided(CALM, 1.2, None);
    assert_eq!((endings, rounds), ([valid, decided, decided], [first; 3]), "a fifth shows at the first look");
    assert_eq!(verdict, Verdict::Slower(Size::Beyond));
    let (endings, rounds, verdict) = until_decided(CALM, 1.025, None);
    assert_eq!((endings, verdict), ([valid, decided, decided], Verdict::Slower(Size::Beyond)));
    assert!(rounds[1] > first && rounds[1] == rounds[2] && rounds[0] == first, "{rounds:?}: the base has its own rule");
    let (endings, rounds, verdict) = until_decided(CALM, 1.0, None);
    assert_eq!((endings, verdict), ([valid, decided, decided], Verdict::Same), "{rounds:?}");
}

#[test]
fn a_program_whose_threads_nobody_set_goes_on_until_it_is_decided_at_every_width() {
    let script = free_clock();
    let mut diary = Diary::default();
    let of = |(id, time_s, threads): (u32, f64, Option<i64>)| {
        let mut prepared = program(id, &rounds(16), &script, (time_s, CALM, 7 + u64::from(id)));
        prepared.cell.suite = SUITE.into();
        prepared.cell.point = threads.map_or_else(Point::new, |threads| Point::new().with("threads", threads));
        prepared
    };
    let mut group = [(1, 1.2, Some(1)), (2, 1.0, None), (3, 1.025, Some(2))].map(of);
    let plan = Plan { until: Some(Until::Decided), ..plan(1) };
    let invocations = Invocations { source: Source::EachSample, start_s: 0.0, together: POINTS };
    let outcomes = over_invocations(&mut group, &plan, &session(&script), &mut diary, invocations);
    assert_eq!([0, 1, 2].map(|i| outcomes[i].ending), [Some(Ending::Decided); 3]);
    let rounds = [1, 2, 3].map(|id| diary.samples[&id].len());
    assert_eq!(rounds[0], LOOKS_OF_ONE[0] as usize, "a fifth shows at the first look");
    assert!(rounds[1] == rounds[2] && rounds[1] > rounds[0], "{rounds:?}");
}

#[test]
fn programs_that_no_look_or_budget_decides_say_so() {
    // A difference at the margin itself lies on its edge for ever.
    let (endings, rounds, verdict) = until_decided(MACHINES[1], 1.0 + MARGIN, None);
    assert_eq!((endings[1], rounds[1]), (Some(Ending::MaxSamples), LOOKS_OF_ONE[7] as usize), "{verdict:?}");
    let (endings, rounds, _) = until_decided(MACHINES[1], 1.0 + MARGIN, Some(200.0));
    assert_eq!(endings[1], Some(Ending::Budget));
    assert!(rounds[1] < LOOKS_OF_ONE[7] as usize, "{rounds:?}");
}
