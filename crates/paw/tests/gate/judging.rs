//! The exit codes, and what stands on the page.

use paw_data::outcome::{Caveat, Check, CheckVerdict, Status};
use paw_data::run::Run;

use crate::constructed::{REFERENCE, outcome};
use crate::place::Place;

#[track_caller]
fn check(place: &Place, line: &str, code: i32, words: &[&str]) {
    let ran = place.gate(line);
    assert_eq!(ran.code, code, "{line}\n{}{}", ran.out, ran.err);
    // A sentence goes on in the next line where its column ends.
    let page = [ran.out.as_str(), &ran.err].map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    for word in words {
        assert!(page.iter().any(|text| text.contains(word)), "no `{word}` in\n{}{}", ran.out, ran.err);
    }
}

fn changed(name: &str, change: impl FnOnce(&mut Run)) -> Run {
    let mut run = Place::run(name, 0, 1.0);
    change(&mut run);
    run
}

#[test]
fn a_pass_is_0_and_a_regression_1() {
    let place = Place::new().with("same", 1.01).with("slow", 1.10).with("fast", 0.80);
    check(&place, "same --against ref.toml", 0, &["PASS: 1 pass (ref.toml)"]);
    check(&place, "slow --against ref.toml", 1, &["FAIL: 1 regression", "regression!", "-9.1%"]);
    check(
        &place,
        "fast --against ref.toml",
        0,
        &["SUSPICIOUS: 1 suspiciously good", "has the work, the input or the check changed?"],
    );
    check(&place, "fast --against ref.toml --fail-on suspicious", 1, &["suspiciously good!"]);
    check(&place, "slow --against ref.toml --fail-on wrong", 0, &["TOLERATED: 1 regression"]);
}

#[test]
fn doubts_are_5_where_they_are_asked_for() {
    let place = Place::new().with("near", 1.05);
    let other_work = |run: &mut Run| {
        let caveat = Caveat::new("other-work", "other work ran", "stop it");
        run.records[0].outcome.as_mut().unwrap().caveats.push(caveat);
    };
    place.save("contended", &changed("contended", other_work));
    let wide = |run: &mut Run| run.records[0].samples.elapsed_s.iter_mut().step_by(3).for_each(|time| *time *= 2.0);
    let spread = |run: &mut Run| (0..16).for_each(|i| run.records[0].samples.elapsed_s[i] *= 1.0 + i as f64);
    place.save("unstable", &changed("unstable", |run| [wide, spread].iter().for_each(|change| change(run))));
    for (run, word) in [("near", "inconclusive"), ("contended", "contended"), ("unstable", "unstable")] {
        check(&place, &format!("{run} --against ref.toml"), 0, &[&format!("NOT JUDGED: 1 {word} (not judged)")]);
        check(&place, &format!("{run} --against ref.toml --fail-on regression,{word}"), 5, &[&format!("{word}!")]);
    }
}

#[test]
fn a_slowdown_on_a_contended_machine_is_neither_a_pass_nor_a_regression() {
    let place = Place::new().with("same", 1.0);
    let slow = |run: &mut Run| {
        let caveat = Caveat::new("other-work", "other work ran", "stop it");
        run.records[0].outcome.as_mut().unwrap().caveats.push(caveat);
        run.records[0].samples.elapsed_s.iter_mut().for_each(|time| *time *= 1.2);
    };
    place.save("slow", &changed("slow", slow));
    let words = ["NOT JUDGED: 1 contended (not judged)", "contended!", "it looks like a regression, and may be one"];
    check(&place, "slow --against ref.toml", 5, &words);
    check(&place, "slow --against ref.toml --fail-on regression,wrong", 0, &["NOT JUDGED", "looks like a regression"]);
    // A run without doubts goes before one with them.
    check(&place, "slow same --against ref.toml", 0, &["PASS: 1 pass", "of 1 of 2 runs, without slow: other work ran"]);
}

#[test]
fn wrong_is_1_failed_3_and_missing_4() {
    let place = Place::new();
    let wrong = |run: &mut Run| {
        let (method, note) = ("sum".into(), "b[3] is 7".into());
        let check = Check { method, error: 2.0, bound: 1.0, verdict: CheckVerdict::Fail, note, accuracy: None };
        run.records[0].outcome.as_mut().unwrap().check = Some(check);
    };
    place.save("wrong", &changed("wrong", wrong));
    check(&place, "wrong --against ref.toml", 1, &["wrong!", "b[3] is 7"]);
    check(&place, "wrong --against ref.toml --fail-on regression", 0, &["TOLERATED: 1 wrong"]);
    let failed = |run: &mut Run| run.records[0].outcome = Some(outcome(Status::Failed, Some("it crashed")));
    place.save("failed", &changed("failed", failed));
    check(&place, "failed --against ref.toml", 3, &["failed!", "it crashed"]);
    place.save("lacks", &changed("lacks", |run| run.records.clear()));
    check(&place, "lacks --against ref.toml", 4, &["missing!", "no such cell"]);
    place.write("flops.toml", REFERENCE.replace("GB/s", "GFLOP/s"));
    place.save("same", &Place::run("same", 0, 1.0));
    check(&place, "same --against flops.toml", 4, &["other unit!"]);
    place.write("two.toml", format!("{REFERENCE}\n{}", REFERENCE.replace("4096", "8192")));
    check(&place, "same --against two.toml", 4, &["1 missing, 1 pass"]);
    check(&place, "same --against two.toml --allow-missing", 0, &["PASS IN PART: 1 missing, 1 pass"]);
    // The gravest decides: a wrong answer before a cell that is missing.
    check(&place, "wrong --against two.toml", 1, &["1 wrong, 1 missing"]);
}

#[test]
fn a_gate_that_judged_nothing_is_6() {
    let place = Place::new().with("same", 1.0);
    place.write("other.toml", REFERENCE.replace("Some*", "Another*"));
    check(
        &place,
        "same --against other.toml",
        6,
        &["NOTHING JUDGED", "it is for `Another*`, and this is `Some CPU 7`"],
    );
    place.write("lacks.toml", REFERENCE.replace("4096", "8192"));
    check(&place, "same --against lacks.toml --allow-missing", 6, &["no reference was judged"]);
}

#[test]
fn usage_is_2_and_files_are_7() {
    let place = Place::new().with("same", 1.0);
    place.write("bad.toml", REFERENCE.replace("value", "valeu"));
    check(
        &place,
        "same --against bad.toml",
        2,
        &["bad.toml:5:1: there is no key `valeu` in `reference`: did you mean `value`?", "^"],
    );
    place.write("bad.toml", "[[reference]\n");
    check(&place, "same --against bad.toml", 2, &["bad.toml:1:", "^"]);
    check(&place, "same --against none.toml", 7, &["none.toml: cannot be read"]);
    check(&place, "none --against ref.toml", 7, &["none"]);
    check(&place, "same", 2, &["--against"]);
    check(&place, "--against ref.toml", 2, &["RUN"]);
    check(&place, "same --against ref.toml --fail-on slower", 2, &["slower"]);
    check(&place, "same --against ref.toml --junit none/x.xml", 7, &["none/x.xml cannot be written"]);
}

#[test]
fn a_run_that_was_cut_off_is_judged_as_far_as_it_goes() {
    let place = Place::new().with("whole", 1.0);
    let text = place.read("whole/run.jsonl");
    std::fs::create_dir(place.path("cut")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // Without its outcome, and with half a line in its place.
    let at = lines.iter().position(|line| line.contains("\"outcome\"")).unwrap();
    place.write("cut/run.jsonl", format!("{}\n{}", lines[..at].join("\n"), &lines[at][..lines[at].len() / 2]));
    check(&place, "cut --against ref.toml", 4, &["missing!", "cut off"]);
}

#[test]
fn the_same_run_twice_counts_once() {
    let place = Place::new().with("slow", 1.10);
    check(&place, "slow slow --against ref.toml", 1, &["the same run again, which counts once"]);
}

#[test]
fn the_page_keeps_to_its_width() {
    let place = Place::new().with("slow", 1.10).with("fast", 0.8);
    for width in [40, 80, 120] {
        for run in ["slow", "fast"] {
            let ran = workplace::Ran::of(
                place.process(&format!("exec $PAW gate {run} --against ref.toml")).env("COLUMNS", width.to_string()),
            );
            let widest = ran.out.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{width}:\n{}", ran.out);
        }
    }
}

#[test]
fn a_pass_is_said_only_of_what_passed() {
    let place = Place::new().with("same", 1.0);
    let contended = |time: f64| {
        move |run: &mut Run| {
            let mut slow = Place::run("x", 0, time).records.remove(0);
            (slow.cell.id, slow.outcome.as_mut().unwrap().cell) = (1, 1);
            slow.cell.point = paw_data::point::Point::new().with("bytes", 8192);
            slow.outcome.as_mut().unwrap().caveats.push(Caveat::new("other-work", "other work ran", "stop it"));
            run.records.push(slow);
        }
    };
    place.save("beside", &changed("beside", contended(1.0)));
    place.save("slow-beside", &changed("slow-beside", contended(1.5)));
    place.write("two.toml", format!("{REFERENCE}\n{}", REFERENCE.replace("4096", "8192")));
    let one = "1 contended (not judged), 1 pass";
    check(&place, "beside --against two.toml", 0, &[&format!("PASS IN PART: {one}")]);
    let line = "slow-beside --against two.toml";
    check(&place, line, 5, &[&format!("NOT JUDGED: {one}")]);
    check(&place, &format!("{line} --fail-on regression,wrong"), 0, &[&format!("NOT JUDGED: {one}")]);
    // What may be missing does not pass for that.
    let text = REFERENCE.replace("4096", "8192") + "\n" + &REFERENCE.replace("read", "write");
    place.write("lacks.toml", text);
    let said = "NOT JUDGED: 1 missing, 1 contended (not judged)";
    check(&place, "beside --against lacks.toml --allow-missing", 0, &[said]);
    place.write("bare.toml", "[[reference]]\nbenchmark = 'read'\nvalue = 9\nunit = 'GB/s'\n");
    let line = "same --against bare.toml --fail-on regression,inconclusive";
    check(&place, line, 0, &["NOT JUDGED: 1 no bound (not judged)", "the reference has no `lower`"]);
}

#[test]
fn a_reference_of_several_cells_or_machines_is_a_mistake_that_nothing_waives() {
    let place = Place::new().with("same", 1.0);
    let twice = |run: &mut Run| {
        let mut other = run.records[0].clone();
        (other.cell.id, other.outcome.as_mut().unwrap().cell) = (1, 1);
        other.cell.point = paw_data::point::Point::new().with("bytes", 8192);
        run.records.push(other);
    };
    place.save("twice", &changed("twice", twice));
    place.write("vague.toml", REFERENCE.replace("point = { bytes = 4096 }\n", ""));
    check(&place, "twice --against vague.toml --allow-missing", 4, &["FAIL: 1 ambiguous", "2 cells fit"]);
    place.save("elsewhere", &changed("elsewhere", |run| run.header.machine.identity.cpu = "Some Xeon".into()));
    let said = "same is of Some CPU 7, and elsewhere is of Some Xeon: judge the runs of each machine alone";
    check(&place, "same elsewhere --against ref.toml --allow-missing", 4, &["1 ambiguous", said]);
}
