//! Several commands, and values of one: what is run beside what, how it is named, and what is said of the fastest.

use paw_data::application::Reference;
use paw_data::scaling::Scaling;
use paw_stats::verdict::Verdict;

use crate::workplace::Workplace;

/// The cells of a dry run: group, point, provider and command in one line each.
fn plan(line: &str) -> Vec<String> {
    let ran = Workplace::new().app(&format!("--dry-run --format csv {line}"));
    assert_eq!(ran.code, 0, "{line}: {}", ran.err);
    let first = |row: &str| row.split(',').take(4).collect::<Vec<_>>().join("|");
    ran.out.lines().skip(1).map(first).collect()
}

#[test]
fn commands_are_cells_of_one_group_with_their_names() {
    assert_eq!(plan("'sleep 0.1' 'cat x'"), ["0||sleep|sleep 0.1", "0||cat|cat x"]);
    assert_eq!(plan("-n a -n b 'sleep 0.1' 'sleep 0.2'"), ["0||a|sleep 0.1", "0||b|sleep 0.2"]);
    assert_eq!(
        plan("a='sleep 0.1' --versus 'sleep 0.2' -- true x"),
        ["0||a|sleep 0.1", "0||true|true x", "0||sleep|sleep 0.2"]
    );
    assert_eq!(plan("--shell 'FOO=1 true' 'exit 0'"), ["0||FOO=1|sh -c FOO=1 true", "0||exit|sh -c exit 0"]);
}

#[test]
fn values_run_beside_each_other_and_sizes_in_order() {
    let both = "--set mode=a,b --set n=1,2 --ladder n -- true {n} {mode}";
    let expected = ["0|n=1 mode=a|command|true 1 a", "0|n=1 mode=b|command|true 1 b"];
    assert_eq!(plan(both)[..2], expected, "the ladder goes in order, whichever was typed first");
    assert_eq!(plan(both)[2..], expected.map(|line| line.replace("0|n=1", "1|n=2").replace("true 1", "true 2")));
    let groups = |flags: &str| {
        let cells = plan(&format!("--set n=1,2 {flags} -- true {{n}}"));
        cells.iter().map(|line| line[..1].to_owned()).collect::<String>()
    };
    assert_eq!(groups(""), "00");
    for ladder in ["--ladder n", "--work 'n events'", "--weak n --threads 1", "--roofline --flops 'n' --bytes 1"] {
        assert_eq!(groups(ladder), "01", "{ladder}");
    }
}

#[test]
fn what_does_not_differ_is_not_measured_twice() {
    let cells = plan("--set m=1,2 --set n=1,2 --ladder n --base './orig {n}' 'a {n} {m}' 'b {n}'");
    let base: Vec<_> = cells.iter().filter(|line| line.contains("|base|")).collect();
    assert_eq!(base, ["0|n=1|base|./orig 1", "1|n=2|base|./orig 2"]);
    assert_eq!(cells.iter().filter(|line| line.contains("|b|")).count(), 2, "{cells:?}");
    assert_eq!(cells.iter().filter(|line| line.contains("|a|")).count(), 4, "{cells:?}");
    let once = plan("--set n=1,2 --ladder n --base ./orig -- true {n}");
    assert_eq!(once.iter().filter(|line| line.contains("|base|")).count(), 1, "{once:?}");
    let named = plan("--base b a='true 1' b='true 2'");
    assert_eq!(named, ["0||b|true 2", "0||a|true 1"], "a base that is one of the commands is no cell of its own");
}

#[test]
fn the_fastest_is_said_with_its_ratio_and_exported_with_its_verdict() {
    let workplace = Workplace::new();
    let ran = workplace.app("--reps 8 slow='sleep 0.5' quick='sleep 0.05' third='sleep 0.3'");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Fastest: quick (") && words.contains("as fast as slow"), "{}", ran.out);
    assert!(words.contains("command slow: sleep 0.5"), "{}", ran.out);
    let csv = workplace.shell("$PAW export r --format csv").out;
    let row = csv.lines().find(|line| line.contains(",slow,") && line.contains(",time_over.quick,")).expect("a row");
    let fields: Vec<&str> = row.split(',').collect();
    let ratio: f64 = fields[6].parse().unwrap();
    assert!(fields[5] == "SLOWER" && (3.0..15.0).contains(&ratio), "{row}");
    let json = workplace.shell("$PAW export r --format json").out.replace(' ', "");
    for told in [r#""rankings":"#, r#""against":"quick""#, r#""verdict":"SLOWER""#] {
        assert!(json.contains(told), "{told}");
    }
}

#[test]
fn a_slower_alternative_fails_where_that_is_asked_for() {
    let workplace = Workplace::new();
    let slower = |rule: &str, line: &str| {
        workplace.shell(&format!("rm -rf r; $PAW app --out r --quiet --reps 8 --fail-on {rule} {line}"))
    };
    let found = slower("slower", "old='sleep 0.05' new='sleep 0.4'");
    assert_eq!(found.code, 1, "{}", found.err);
    assert!(
        found.err.contains("new takes ") && found.err.contains("times as long as old (--fail-on)"),
        "{}",
        found.err
    );
    assert_eq!(workplace.run().end.map(|end| end.exit), Some(1));
    assert_eq!(slower("slower=5000%", "old='sleep 0.05' new='sleep 0.4'").code, 0);
    assert_eq!(slower("slower", "--base new old='sleep 0.4' new='sleep 0.05'").code, 1);
    let values = slower("slower", "--set s=0.05,0.4 -- sleep {s}");
    assert!(values.code == 1 && values.err.contains("s=0.4 takes "), "{}", values.err);
    let run = workplace.run();
    let value = Reference::Value { axis: "s".into(), value: 0.05.into() };
    assert_eq!(run.header.app.as_ref().unwrap().against, Some(value));
    let scaling = Scaling::of(&run).unwrap();
    assert!(matches!(scaling.rankings[0].rows[1].comparison.unwrap().verdict, Verdict::Slower(_)));
}

#[test]
fn rankings_go_on_until_they_are_decided() {
    let workplace = Workplace::new();
    let ran = workplace.app("--until decided a='sleep 0.01' b='sleep 0.2' c='sleep 0.2'");
    assert_eq!(ran.code, 0, "{}", ran.err);
    // Twenty times as long shows at the first look, and between b and c nothing matters.
    assert!(workplace.run().records.iter().all(|record| record.samples.len() == 16), "{}", ran.out);
}
