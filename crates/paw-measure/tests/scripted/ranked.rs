//! Several programs in one ranking: equal ones tie, 5 % are found, and rounds go on until every comparison with the fastest is decided.

use paw_data::application::SUITE;
use paw_data::comparison::{Comparison, MARGIN, Origin};
use paw_data::method::{Plan, Until};
use paw_data::outcome::Ending;
use paw_data::point::Point;
use paw_data::run::Record;
use paw_measure::invocations::Source;
use paw_measure::measure::{Invocations, LOOKS_OF_ONE, over_invocations};
use paw_stats::comparison::bonferroni;
use paw_stats::verdict::Verdict;

use crate::bench::{free_clock, plan, session};
use crate::diary::Diary;
use crate::versus::{CALM, program, rounds};

/// How the programs that take so long end under `until`, their rounds, and the word on each against the first and the fastest.
fn ranked(times_s: &[f64], until: Until) -> (Vec<Option<Ending>>, usize, Vec<&'static str>) {
    let script = free_clock();
    let mut diary = Diary::default();
    let of = |(id, time_s): (u32, &f64)| {
        let mut prepared = program(id, &rounds(16), &script, (*time_s, CALM, 40 + u64::from(id)));
        prepared.cell.suite = SUITE.into();
        // Alternatives differ in a value, not in the provider alone.
        prepared.cell.point = Point::new().with("mode", i64::from(id));
        prepared
    };
    let mut group: Vec<_> = (1..).zip(times_s).map(of).collect();
    let together = times_s.len() - 1;
    let invocations = Invocations { source: Source::EachSample, start_s: 0.0, together };
    let plan = Plan { until: Some(until), ..plan(1) };
    let outcomes = over_invocations(&mut group, &plan, &session(&script), &mut diary, invocations);
    let records: Vec<Record> = group
        .iter()
        .map(|one| Record { samples: diary.samples[&one.cell.id].clone(), ..Record::new(one.cell.clone()) })
        .collect();
    let confidence = bonferroni(paw_data::comparison::CONFIDENCE, together + 1);
    let fastest = (0..times_s.len()).min_by(|a, b| times_s[*a].total_cmp(&times_s[*b])).unwrap();
    let verdict = |record: &Record| {
        let found = Comparison::within(&records[fastest], record, Origin::SameRun, confidence, MARGIN);
        found.expect("both were measured").verdict.word()
    };
    let words = records.iter().map(verdict).collect();
    (outcomes.iter().map(|outcome| outcome.ending).collect(), records[0].samples.len(), words)
}

#[test]
fn equal_programs_tie_and_five_per_cent_are_found() {
    let (endings, rounds, words) = ranked(&[1.0, 1.0, 1.05], Until::Ranked);
    assert_eq!(endings, [Some(Ending::Decided); 3]);
    assert_eq!(words[1..], [Verdict::WORDS[2], Verdict::WORDS[1]], "SAME, SLOWER after {rounds} rounds");
}

#[test]
fn a_ranking_waits_for_no_comparison_but_those_with_the_fastest() {
    // The first and the last lie at the margin, where nothing decides.
    let times_s = [1.2, 1.0, 1.2 * (1.0 + MARGIN)];
    let (endings, rounds, _) = ranked(&times_s, Until::Ranked);
    assert_eq!((endings, rounds), (vec![Some(Ending::Decided); 3], LOOKS_OF_ONE[0] as usize));
    let (_, all, _) = ranked(&times_s, Until::Decided);
    assert!(all > rounds, "held against the first too, they go on");
}
