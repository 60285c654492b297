//! What every view makes of a kernel.

use expect_test::expect_file;
use paw_data::cell::Role;
use paw_data::kernel::{Kernel, Question};
use paw_data::outcome::{Caveat, CheckVerdict, Outcome, Status};
use paw_data::point::Point;
use paw_data::run::{Record, Run};
use paw_data::sample::Sample;
use paw_report::{Colour, compare, html, markdown, text};
use unicode_width::UnicodeWidthStr;

use crate::handmade::three_like;
use crate::html::drawings;
use crate::kernels::{
    Answer, answered, build, cell, check, kernel, matrix, residency, run, search, sensitivity, timed,
};

/// A row of one level, answered.
fn one(flags: &str, role: Role, ticks: f64, answer: Answer) -> Record {
    let point = Point::new().with("level", "L1").with("n", 10);
    answered(timed(cell(build("gcc", flags, "", "aa"), role, 0, point, 100.0), ticks, 0.002), answer, 10)
}

fn of(records: Vec<Record>) -> Run {
    run(kernel(Question::Matrix), records)
}

/// Runs at the edge of what there is.
pub fn odd() -> Vec<Run> {
    let good = || one("-O2", Role::Base, 20.0, Answer::Reference);
    let mut monotonic = of(vec![good(), one("-O3", Role::Subject, 10.0, Answer::Exact)]);
    monotonic.instruments[0].hz = None;
    let mut cut = of(vec![good(), one("-O3", Role::Subject, 10.0, Answer::Exact)]);
    cut.end = None;
    cut.records[1].outcome = None;
    let mut bare = of(vec![good()]);
    bare.header.kernel = Some(Kernel::default());
    bare.records[0].cell.build = None;
    bare.records[0].cell.point = Point::new();
    let every = [Question::Matrix, Question::Sensitivity, Question::Check, Question::Residency, Question::Search];
    let empty = every.map(|question| run(kernel(question), vec![]));
    let failed = Answer::Broken("did not build: no");
    let others = vec![
        of(vec![good()]),
        of(vec![one("-O2", Role::Base, 20.0, failed), one("-O3", Role::Subject, 10.0, Answer::Off(1.0, 1 << 40))]),
        of(vec![
            one("-O2", Role::Base, 20.0, Answer::Off(0.5, 1 << 40)),
            one("-O3", Role::Subject, 9.0, Answer::Exact),
        ]),
        of(vec![one("-O2", Role::Base, 20.0, failed)]),
        of(vec![one("-O2", Role::Base, 0.0, Answer::Reference), Record::new(good().cell)]),
        run(kernel(Question::Sensitivity), vec![good()]),
        monotonic,
        cut,
        bare,
    ];
    empty.into_iter().chain(others).collect()
}

/// All runs of kernels.
pub fn all() -> Vec<Run> {
    [vec![matrix(), search(), sensitivity(), residency(), check()], odd()].concat()
}

#[test]
fn a_matrix_on_terminals() {
    for width in [100, 80, 40] {
        let file = format!("expected/kernel-matrix-{width}.txt");
        expect_file![file].assert_eq(&text(&matrix(), width, Colour::Plain));
    }
}

#[test]
fn sensitivity_and_answers_on_a_terminal() {
    expect_file!["expected/kernel-sensitivity-80.txt"].assert_eq(&text(&sensitivity(), 80, Colour::Plain));
    expect_file!["expected/kernel-check-80.txt"].assert_eq(&text(&check(), 80, Colour::Plain));
}

#[test]
fn a_matrix_as_markdown() {
    expect_file!["expected/kernel-matrix.md"].assert_eq(&markdown(&matrix()));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for run in all() {
        for width in [32, 40, 80, 100, 200] {
            for line in text(&run, width, Colour::Plain).lines() {
                assert!(line.width() <= width, "{width}: {line}");
            }
        }
    }
}

#[test]
fn a_wrong_answer_is_shown_with_its_speed_and_called_nothing_but_wrong() {
    let page = text(&matrix(), 200, Colour::Plain);
    let row = page.lines().find(|l| l.contains("[power]") && l.contains("%  ")).unwrap();
    assert!(
        row.contains("3.311")
            && row.contains("2.12")
            && row.contains("✗ wrong")
            && row.contains("6.8%")
            && row.contains("1.1e6"),
        "{row}"
    );
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("[power] would be faster (3.311 core cycles), but its answer is wrong"), "{words}");
    assert!(!words.contains("[power] is the fastest"), "{words}");
}

#[test]
fn a_check_shows_what_a_function_does_beside_its_answer() {
    let mut run = check();
    let outcome = run.records[1].outcome.as_mut().unwrap();
    outcome.caveats.push(Caveat::new(
        "const-written",
        "it writes to `a`, which the signature declares const",
        "fix the source",
    ));
    let words = text(&run, 200, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("it writes to `a`, which the signature declares const. → fix the source"), "{words}");
}

#[test]
fn an_answer_that_says_nothing_is_never_called_exact() {
    let mut check = check();
    let mut timed =
        of(vec![one("-O2", Role::Base, 20.0, Answer::Reference), one("-O3", Role::Subject, 10.0, Answer::Exact)]);
    for (run, id) in [(&mut check, "answer-nan"), (&mut timed, "answer-unwritten")] {
        let outcome = run.records[1].outcome.as_mut().unwrap();
        outcome.caveats.push(Caveat::new(id, "it is empty", "fix the source"));
    }
    let said = words(&check);
    assert!(said.contains("1 with an empty answer") && said.contains("? empty"), "{said}");
    let is_wrong = |record: &Record| {
        let check = record.outcome.as_ref().and_then(|outcome| outcome.check.as_ref());
        check.is_some_and(|check| check.verdict == CheckVerdict::Fail)
    };
    check.records.retain(|record| !is_wrong(record));
    let said = words(&check);
    assert!(said.contains("trust empty answers"), "{said}");
    let said = words(&timed);
    assert!(said.contains("2 builds: 1 right, 1 with an empty answer."), "{said}");
    assert!(
        said.contains("its answer is empty, so that its check says nothing") && !said.contains("✓ exact"),
        "{said}"
    );
}

#[test]
fn what_ties_is_told_in_one_sentence() {
    let tied = of(vec![
        one("-O2", Role::Base, 20.0, Answer::Reference),
        one("-O3", Role::Subject, 10.0, Answer::Exact),
        one("-O3 -g", Role::Subject, 10.01, Answer::Exact),
    ]);
    let words = text(&tied, 200, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("gcc -O3 and gcc -O3 -g are the fastest, and nothing separates them"), "{words}");
}

#[test]
fn a_search_tells_what_joined_and_what_it_gained() {
    let words = text(&search(), 200, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("found gcc -O3 -funsafe-math-optimizations, 1.38 times as fast as gcc -O3 by 1 step."),
        "{words}"
    );
    assert!(words.contains("4 builds in 2 steps"), "{words}");
}

/// The page of `run` as one line of words.
fn words(run: &Run) -> String {
    text(run, 200, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `run` with the samples of these cells disturbed, but for the first `clean`.
fn disturbed(mut run: Run, group: u32, clean: usize) -> Run {
    for record in run.records.iter_mut().filter(|record| record.cell.group == group) {
        record.samples.disturbed.iter_mut().skip(clean).for_each(|disturbed| *disturbed = true);
    }
    run
}

#[test]
fn a_search_whose_last_step_had_too_few_clean_rounds_says_that_it_does_not_know() {
    let said = words(&disturbed(search(), 1, 4));
    assert!(
        said.contains("by 1 step. Whether another flag helps is not known: step 2 had too few clean rounds, 3 of 6."),
        "{said}"
    );
    let mut first = search();
    first.records.truncate(3);
    let said = words(&disturbed(first.clone(), 0, 4));
    assert!(
        said.contains("no flag is known to make gcc -O3 faster: step 1 had too few clean rounds, 3 of 7."),
        "{said}"
    );
    first.records[2].outcome = None;
    let said = words(&first);
    assert!(
        said.contains("no flag is known to make gcc -O3 faster: 1 of 3 builds in step 1 was not measured to the end."),
        "{said}"
    );
}

#[test]
fn a_build_that_failed_after_it_was_timed_has_no_time_but_a_reason() {
    let mut run =
        of(vec![one("-O2", Role::Base, 20.0, Answer::Reference), one("-O3", Role::Subject, 10.0, Answer::Exact)]);
    let outcome = run.records[1].outcome.as_mut().unwrap();
    *outcome = Outcome {
        status: Status::Failed,
        check: None,
        why: Some("the kernel read past the end of array `x`".into()),
        ..outcome.clone()
    };
    let page = text(&run, 200, Colour::Plain);
    let row = page.lines().find(|line| line.trim_start().starts_with("gcc -O3 ")).unwrap();
    assert!(row.contains("the kernel read past the end of array `x`") && !row.contains("GOOD"), "{page}");
}

#[test]
fn a_level_that_noise_hides_is_called_the_latest_and_a_step_without_an_interval_is_unknown() {
    let said = words(&sensitivity());
    assert!(said.contains("from 10 warm-up calls on: 15 are recommended."), "{said}");
    let mut run = sensitivity();
    for record in &mut run.records {
        let few = record.cell.point.int("warmup") == Some(1) || record.cell.group == 2;
        if few {
            record.samples.disturbed.iter_mut().skip(4).for_each(|disturbed| *disturbed = true);
        }
    }
    let said = words(&run);
    assert!(
        said.contains(
            "from 10 warm-up calls on at the latest: 15 suffice; fewer may, but 1 were too unsteady to tell."
        ),
        "{said}"
    );
    assert!(
        said.contains(
            "it is not known how much longer an iteration takes: the medians have a ratio of 1.56, and no interval."
        ),
        "{said}"
    );
    assert!(said.contains("10 warm-up calls (or as many as a row says) in each"), "{said}");
}

#[test]
fn nan_has_no_distance_in_the_last_place_and_two_samples_no_grade() {
    let mut run = check();
    let accuracy = run.records[9].outcome.as_mut().unwrap().check.as_mut().unwrap().accuracy.as_mut().unwrap();
    (accuracy.nan, accuracy.ulp_max, accuracy.relative_max) = (accuracy.differing, 0, f64::INFINITY);
    let said = words(&run);
    assert!(said.contains("off by ∞ at most, 58 NaN") && !said.contains("(0 ULP)"), "{said}");
    let mut two = of(vec![one("-O2", Role::Base, 20.0, Answer::Reference)]);
    assert!(words(&two).contains("GOOD"));
    let samples = std::mem::take(&mut two.records[0].samples);
    for round in 0..2 {
        let (loops, elapsed_s) = (samples.loops[0], samples.elapsed_s[0]);
        two.records[0].samples.push(Sample { round, loops, elapsed_s, ..Sample::default() });
    }
    assert!(!words(&two).contains("GOOD"), "{}", words(&two));
}

#[test]
fn ticks_are_never_called_cycles_and_a_clock_without_ticks_has_seconds() {
    let page = markdown(&matrix());
    for (at, _) in page.match_indices("cycles") {
        assert!(page[..at].ends_with("core ") || page[..at].ends_with("Core "), "{}", &page[at - 40..at]);
    }
    let page = text(&odd()[11], 100, Colour::Plain);
    assert!(page.contains("core cycles an iteration, 2.00 times") && !page.contains("ticks/iter"), "{page}");
}

#[test]
fn odd_runs_say_what_there_is() {
    let pages: Vec<String> = odd().iter().map(|run| text(run, 200, Colour::Plain)).collect();
    assert!(pages[1].contains("Nothing was varied that has a number."), "{}", pages[1]);
    assert!(pages[6].contains("No build has a right answer."), "{}", pages[6]);
    assert!(pages[7].contains("Nothing is held against the reference gcc -O2"), "{}", pages[7]);
    assert!(pages[8].contains("No build has a time.") && pages[8].contains("did not build: no"), "{}", pages[8]);
    assert!(pages[12].contains("? not checked"), "{}", pages[12]);
    for run in odd() {
        assert!(!markdown(&run).contains("NaN"));
    }
}

#[test]
fn another_compiler_and_another_tolerance_are_told_when_runs_are_compared() {
    let a = matrix();
    let mut b = matrix();
    b.header.kernel.as_mut().unwrap().tolerance.relative = 1e-3;
    for record in &mut b.records {
        let build = record.cell.build.as_mut().unwrap();
        if build.compiler == "gcc" {
            build.version = "gcc 13.1".to_owned();
            build.code = "99".repeat(32);
            record.samples.elapsed_s.iter_mut().for_each(|t| *t *= 0.9);
        }
    }
    let page = compare(&three_like("a", &a), &three_like("b", &b), 200, Colour::Plain);
    for told in [
        "compiler gcc: gcc (Debian 12.2.0-14) 12.2.0 ≠ gcc 13.1",
        "tolerance: relative error 1e-5",
        "code of gcc -O2 [plain]: a1a1a1a1a1a1 ≠ 999999999999",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
    assert!(page.contains("12 FASTER"), "the reference row is compared, too: {page}");
    let same = compare(std::slice::from_ref(&a), std::slice::from_ref(&a), 200, Colour::Plain);
    assert!(!same.contains("code of") && !same.contains("tolerance"), "{same}");
}

/// The drawings of a page that show builds, errors, and curves.
fn pictures<'p>(page: &'p str, label: &str) -> Vec<&'p str> {
    drawings(page).into_iter().filter(|d| d.split('>').next().is_some_and(|head| head.contains(label))).collect()
}

#[test]
fn a_level_has_a_bar_for_each_time_and_a_grade_in_words() {
    let page = html(&[matrix()]);
    let bars = pictures(&page, "core cycles an iteration of 10 builds");
    assert_eq!(bars.len(), 2, "a picture for each level");
    assert_eq!(bars[0].matches(r#"class="length""#).count(), 10);
    assert_eq!(bars[0].matches(r#"class="whisker""#).count(), 30, "a line and two ends");
    assert_eq!(bars[0].matches(r#"class="hue0 leads""#).count(), 1);
    assert_eq!(bars[0].matches(r#"class="wrong""#).count(), 1);
    assert_eq!(bars[1].matches(">BAD<").count(), 1);
}

#[test]
fn a_wrong_answer_is_a_cross_beyond_the_tolerance() {
    let page = html(&[matrix()]);
    let errors = pictures(&page, "relative error over speed-up of 10 builds");
    let document = roxmltree::Document::parse(errors[0]).unwrap();
    let of = |class: &str| document.descendants().filter(|n| n.attribute("class") == Some(class)).collect::<Vec<_>>();
    assert_eq!((of("cross").len(), of("point").len()), (1, 9));
    let up = |node: &roxmltree::Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let limit = up(&of("limit")[0], "y1");
    let cross = of("cross")[0].attribute("d").unwrap().split(' ').nth(1).unwrap();
    let cross: f64 = cross.split('L').next().unwrap().parse().unwrap();
    assert!(cross < limit, "{cross} is above {limit}");
    assert!(errors[0].contains(">exact<"));
}

#[test]
fn curves_mark_the_level_and_the_ends_of_caches() {
    let page = html(&[sensitivity()]);
    let of = |label: &str| pictures(&page, label)[0];
    assert_eq!(of("over warm-up calls").matches(r#"class="level""#).count(), 1);
    assert_eq!(of("over calls of a sample").matches(r#"class="level""#).count(), 0, "it does not settle");
    let sizes = of("over size n");
    assert!(sizes.contains(">L1<") && sizes.contains(">L2<"));
    assert_eq!(sizes.matches(r#"class="boundary""#).count(), 2);
}

#[test]
fn builds_are_told_in_full_behind_a_fold() {
    let page = html(&[matrix()]);
    let at = page.find("Builds: command lines").expect("the fold is there");
    for told in
        ["-fno-semantic-interposition", "Debian clang version 19.1.7", "znver5", "d4d4d4d4d4d4<", "is deprecated"]
    {
        assert!(page[at..].contains(told), "{told}");
    }
    assert!(!page.contains("d4d4d4d4d4d4d"), "twelve characters tell codes apart");
}

#[test]
fn a_check_has_verdicts_and_nothing_of_time() {
    let page = html(&[check()]);
    assert!(page.contains("✗ wrong") && page.contains("✓ exact") && page.contains("58&#x2f;84"));
    assert!(!page.contains("TSC ticks/iter") && !page.contains("A series takes"));
    let right = check();
    let records = right.records.into_iter().filter(|r| r.outcome.as_ref().is_some_and(|o| o.why.is_none())).collect();
    let page = text(&run(kernel(Question::Check), records), 80, Colour::Plain);
    assert!(page.contains("trust    right"), "{page}");
}
