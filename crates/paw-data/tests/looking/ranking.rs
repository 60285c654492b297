//! Alternatives in order: commands and values that ran in the same rounds.

use paw_data::application::{Application, NamedCommand, Reference};
use paw_data::point::Point;
use paw_data::run::{Record, Run};
use paw_data::scaling::{RankedRow, Ranking, Scaling};
use paw_stats::verdict::{Size, Verdict};

use crate::application::{cell, failed, run, steady, threads};

fn named(name: &str) -> NamedCommand {
    NamedCommand { name: name.into(), command: vec![format!("./{name}")] }
}

/// Three commands, of which the first has this name.
fn three() -> Application {
    Application { name: "a".into(), others: vec![named("b"), named("c")], ..Application::default() }
}

fn of(provider: &str, time_s: f64) -> Record {
    steady(cell(provider, Point::new()), time_s)
}

fn rankings(run: &Run) -> Vec<Ranking<'_>> {
    Scaling::of(run).unwrap().rankings
}

fn told<'a>(row: &'a RankedRow<'_>) -> (&'a str, &'a str) {
    (&row.name, &row.letters)
}

#[test]
fn the_fastest_comes_first_and_equal_ones_share_a_letter() {
    let run = run(three(), vec![of("a", 1.2), of("b", 1.0), of("c", 1.0)]);
    let found = rankings(&run);
    let [ranking] = found.as_slice() else { panic!("{found:?}") };
    let told: Vec<_> = ranking.rows.iter().map(told).collect();
    assert_eq!(told, [("b", "a"), ("c", "a"), ("a", "b")]);
    assert_eq!(ranking.rows[0].comparison, None, "nothing is held against itself");
    let verdict = |at: usize| ranking.rows[at].comparison.unwrap().verdict;
    assert_eq!((verdict(1), verdict(2)), (Verdict::Same, Verdict::Slower(Size::Beyond)));
    let ratio = ranking.rows[2].comparison.unwrap();
    assert!((ratio.ratio - 1.2).abs() < 1e-9 && ranking.rows[2].against.as_deref() == Some("b"), "{ratio:?}");
    let scaling = Scaling::of(&run).unwrap();
    let (sweep, row) = scaling.headline().unwrap();
    assert_eq!((sweep.provider, row.best()), ("b", Some(1.0)), "the headline is the fastest, not the first");
}

#[test]
fn a_named_command_is_what_others_are_held_against() {
    let app = Application { against: Some(Reference::Command("a".into())), ..three() };
    let run = run(app, vec![of("a", 1.2), of("b", 1.0), of("c", 1.5)]);
    let found = rankings(&run);
    let against: Vec<_> = found[0].rows.iter().map(|row| (row.name.as_str(), row.against.as_deref())).collect();
    assert_eq!(against, [("b", Some("a")), ("a", None), ("c", Some("a"))]);
    let verdict = |at: usize| found[0].rows[at].comparison.map(|found| found.verdict);
    assert_eq!([verdict(0), verdict(2)], [Verdict::Faster(Size::Beyond), Verdict::Slower(Size::Beyond)].map(Some));
}

#[test]
fn values_are_alternatives_at_one_size_and_one_width() {
    let app = Application {
        axes: vec!["n".into(), "mode".into()],
        alternatives: vec!["mode".into()],
        threads: threads(&[1, 2], 2),
        ..Application::default()
    };
    let point = |n: i64, mode: &str, p: i64| Point::new().with("n", n).with("mode", mode).with("threads", p);
    let mut records = Vec::new();
    for (n, p) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        let time = n as f64 / p as f64;
        records.push(steady(cell("command", point(n, "safe", p)), 1.5 * time));
        records.push(steady(cell("command", point(n, "fast", p)), time));
    }
    let run = run(app, records);
    let scaling = Scaling::of(&run).unwrap();
    let places: Vec<String> = scaling.rankings.iter().map(|ranking| ranking.place.to_string()).collect();
    assert_eq!(places, ["n=1 threads=1", "n=1 threads=2", "n=2 threads=1", "n=2 threads=2"]);
    let first: Vec<_> = scaling.rankings.iter().map(|ranking| ranking.rows[0].name.as_str()).collect();
    assert_eq!(first, ["mode=fast"; 4]);
    let (sweep, row) = scaling.headline().unwrap();
    assert_eq!((sweep.label().as_str(), row.threads), ("n=2 mode=fast", 2), "the fastest of the largest size");
}

#[test]
fn a_reference_differs_in_its_own_axis_alone() {
    let app = Application {
        others: vec![named("plain")],
        axes: vec!["mode".into(), "level".into()],
        alternatives: vec!["mode".into(), "level".into()],
        against: Some(Reference::Value { axis: "mode".into(), value: "fast".into() }),
        ..Application::default()
    };
    let point = |mode: &str, level: i64| Point::new().with("mode", mode).with("level", level);
    let all = [("fast", 1, 1.0), ("fast", 2, 2.0), ("safe", 1, 1.1), ("safe", 2, 2.2)];
    let mut records: Vec<_> = all.map(|(mode, level, s)| steady(cell("command", point(mode, level)), s)).into();
    records.push(of("plain", 3.0));
    let held = |run: &Run| -> Vec<(String, Option<String>)> {
        rankings(run)[0].rows.iter().map(|row| (row.name.clone(), row.against.clone())).collect()
    };
    let pair = |name: &str, against: Option<&str>| (name.to_owned(), against.map(str::to_owned));
    let by_value = run(app.clone(), records.clone());
    assert_eq!(
        held(&by_value),
        [
            pair("command mode=fast level=1", None),
            pair("command mode=safe level=1", Some("command mode=fast level=1")),
            pair("command mode=fast level=2", None),
            pair("command mode=safe level=2", Some("command mode=fast level=2")),
            pair("plain", None),
        ]
    );
    let by_command = run(Application { against: Some(Reference::Command("plain".into())), ..app }, records);
    let against = held(&by_command).into_iter().filter_map(|(_, against)| against).collect::<Vec<_>>();
    assert_eq!(against, ["plain"; 4], "a command without an axis stands for all its values");
}

#[test]
fn the_other_command_of_an_older_run_is_ranked() {
    let app = r#"{"command":["./old"],"versus":["./new"],"axes":["n"],"threads":[]}"#;
    let at = |provider: &str, n: i64, time_s: f64| steady(cell(provider, Point::new().with("n", n)), time_s);
    let records = vec![at("command", 1, 1.0), at("versus", 1, 0.9), at("command", 2, 2.0), at("versus", 2, 2.0)];
    let run = run(serde_json::from_str(app).unwrap(), records);
    let found = rankings(&run);
    let first: Vec<_> = found.iter().map(|ranking| (ranking.place.to_string(), ranking.rows[0].name.clone())).collect();
    assert_eq!(first, [("n=1".into(), "versus".into()), ("n=2".into(), "command".into())]);
    let comparison = found[0].rows[1].comparison.unwrap();
    assert!((comparison.ratio - 1.0 / 0.9).abs() < 1e-9 && comparison.label() == "16 rounds", "{comparison:?}");
}

#[test]
fn an_alternative_that_failed_leaves_the_others_ranked() {
    let run = run(three(), vec![failed(cell("a", Point::new()), "exit code 3"), of("b", 1.0), of("c", 1.2)]);
    let found = rankings(&run);
    assert_eq!(found[0].rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["b", "c"]);
}

#[test]
fn one_command_at_several_sizes_has_no_ranking() {
    assert!(rankings(&crate::application::kinfit()).is_empty());
}
