//! Tables of times, read as runs of an application.

use paw_data::application::{Better, MetricFact};
use paw_data::cell::Role;
use paw_data::outcome::Status;
use paw_data::point::Point;
use paw_data::run::Run;
use paw_data::scaling::Scaling;
use paw_data::secondary::MetricName;
use paw_data::store::table_import::{TableColumns, TableImport, import};
use paw_data::summary::Summary;
use paw_data::trust::{Reason, Trust};

const KINFIT: &str = include_str!("../fixtures/kinfit_runtimes.csv");

fn timed(times: &[&str]) -> TableColumns {
    TableColumns { times: times.iter().map(ToString::to_string).collect(), ..TableColumns::default() }
}

fn sized(times: &[&str], sizes: &[&str]) -> TableColumns {
    TableColumns { sizes: sizes.iter().map(ToString::to_string).collect(), ..timed(times) }
}

fn kinfit_columns() -> TableColumns {
    let some = |text: &str| Some(text.to_owned());
    TableColumns { threads: some("threads"), program: some("version"), base: some("original"), ..timed(&["v{v}[us]"]) }
}

#[track_caller]
fn read(text: &str, columns: &TableColumns) -> TableImport {
    import("dir/t.csv", text, columns).unwrap()
}

#[track_caller]
fn refused(text: &str, columns: &TableColumns, sentence: &str) {
    assert_eq!(import("t.csv", text, columns).unwrap_err().to_string(), sentence);
}

/// The points of a run with their times.
fn times(run: &Run) -> Vec<(String, Vec<f64>)> {
    run.records.iter().map(|record| (record.cell.point.to_string(), record.samples.elapsed_s.clone())).collect()
}

fn expected(points: &[(&str, &[f64])]) -> Vec<(String, Vec<f64>)> {
    points.iter().map(|(point, times)| (point.to_string(), times.to_vec())).collect()
}

#[test]
fn the_table_of_the_thesis_has_its_speed_ups() {
    let run = read(KINFIT, &kinfit_columns()).run;
    assert_eq!(run.records.len(), 30);
    let scaling = Scaling::of(&run).unwrap();
    assert_eq!((scaling.program, &*scaling.base.words()), ("t", "the original program"));
    let (sweep, fastest) = scaling.headline().unwrap();
    assert_eq!((sweep.label().as_str(), sweep.provider, fastest.threads), ("v=512", "runtime", 32));
    let speedups: Vec<String> = sweep.rows.iter().map(|row| format!("{:.2}", row.speedup.unwrap().value)).collect();
    assert_eq!(speedups, ["6.75", "7.12"]);
    // One time has no interval, and nothing is known of the machine.
    assert!(sweep.rows.iter().all(|row| row.speedup.unwrap().interval.is_none() && !row.oversubscribed()));
    assert_eq!(sweep.smt_gain, None);
    assert_eq!(fastest.timing.unwrap().cost.n, 1);
    let caveats = |run: &Run| run.records.iter().flat_map(|r| r.outcome.clone().unwrap().caveats).count();
    assert_eq!(caveats(&run), 30);
    let record = fastest.record;
    let trusted = Summary::of(record, &run.header.plan.method).unwrap().trust(record);
    let reasons: Vec<&str> = trusted.reasons.iter().map(Reason::code).collect();
    assert_eq!((trusted.trust, reasons.as_slice()), (Trust::Poor, ["single-time"].as_slice()), "{trusted:?}");
}

#[test]
fn rows_of_one_point_are_its_runs() {
    let run = read("n,wall\n8,1.5\n16,3\n8,1.25\n\n", &sized(&["wall[ms]"], &["n"])).run;
    assert_eq!(times(&run), expected(&[("n=8", &[1.5e-3, 1.25e-3]), ("n=16", &[3e-3])]));
    let app = run.header.app.as_ref().unwrap();
    assert_eq!((app.axes.as_slice(), app.command.len()), (["n".to_owned()].as_slice(), 0));
    assert_eq!(run.records[0].cell.benchmark, "t");
    assert_ne!(run.records[0].cell.group, run.records[1].cell.group, "no two cells are known to be interleaved");
}

#[test]
fn columns_are_runs_or_values_of_an_axis() {
    let several = expected(&[("n=8", &[1.0, 2.0, 3.0])]);
    assert_eq!(times(&read("n,a,b,c\n8,1,2,3\n", &sized(&["a,b,c[s]"], &["n"])).run), several);
    assert_eq!(times(&read("n,run1,run2,run3\n8,1,2,3\n", &sized(&["run{run}[s]"], &["n"])).run), several);
    assert_eq!(times(&read("n,a,b,c\n8,1,2,3\n", &sized(&["a[s]", "b[s]", "c[s]"], &["n"])).run), several);
    let run = read("n,t1,t2,tx\n8,4,2,9\n", &sized(&["t{threads}[s]"], &["n"])).run;
    assert_eq!(times(&run), expected(&[("n=8 threads=1", &[4.0]), ("n=8 threads=2", &[2.0])]));
    assert_eq!(run.header.app.unwrap().threads.iter().map(|point| point.threads).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_title_may_hold_its_unit_or_a_comma() {
    let one = expected(&[("", &[0.25])]);
    assert_eq!(times(&read("time [ms]\n250\n", &timed(&["time [ms]"])).run), one);
    assert_eq!(times(&read("\"wall, best\"\n250\n", &timed(&["wall, best[ms]"])).run), one);
    assert_eq!(times(&read("time (ms)\n250\n", &timed(&["time (ms)[ms]"])).run), one);
}

#[test]
fn files_of_spreadsheets_are_read() {
    let text = "\u{feff}# by hand\r\nn;wall\r\n8;1,5\r\n\"16\"; 3.5 \r\n";
    let run = read(text, &sized(&["wall[s]"], &["n"])).run;
    assert_eq!(times(&run), expected(&[("n=8", &[1.5]), ("n=16", &[3.5])]));
    assert_eq!(times(&read("n\twall\n8\t2\n", &sized(&["wall[min]"], &["n"])).run), expected(&[("n=8", &[120.0])]));
}

#[test]
fn a_point_without_a_time_is_skipped_and_counted() {
    let found = read("n,wall\n8,1\n8,\n16,NA\n", &sized(&["wall[s]"], &["n"]));
    assert_eq!((found.empty, times(&found.run)), (2, expected(&[("n=8", &[1.0]), ("n=16", &[])])));
    let outcome = found.run.records[1].outcome.clone().unwrap();
    assert_eq!((outcome.status, outcome.why.as_deref()), (Status::Skipped, Some("the table has no time there")));
}

#[test]
fn programs_have_names_and_words_are_alternatives() {
    let text = "by,flags,wall\nold,O2,4\nnew,O2,2\nnew,O3,1\nother,O2,3\n";
    let columns =
        TableColumns { program: Some("by".into()), base: Some("old".into()), ..sized(&["wall[s]"], &["flags"]) };
    let run = read(text, &columns).run;
    let cells: Vec<_> = run.records.iter().map(|r| (r.cell.role == Role::Base, r.cell.provider.as_str())).collect();
    assert_eq!(cells, [(true, "base"), (false, "new"), (false, "new"), (false, "other")]);
    let app = run.header.app.as_ref().unwrap();
    assert_eq!(app.commands().map(|(name, _)| name).collect::<Vec<_>>(), ["new", "other"]);
    assert_eq!(
        (app.base.clone().unwrap(), app.alternatives.clone()),
        (vec!["old".to_owned()], vec!["flags".to_owned()])
    );
}

#[test]
fn other_numbers_are_metrics_of_the_same_run() {
    let fact = MetricFact { name: "rate".into(), unit: "1/s".into(), better: Better::Higher };
    let metric = |column: &str| vec![(fact.clone(), column.to_owned())];
    let columns = TableColumns { metrics: metric("per_s"), ..timed(&["wall[s]"]) };
    let run = read("wall,per_s\n2,5\n1,\n", &columns).run;
    let column = run.records[0].samples.secondary(MetricName::of_program("rate")).unwrap();
    assert!(column[0] == 5.0 && column[1].is_nan(), "{column:?}");
    let wide = "v1,v2,fit1,fit2\n3,4,1,2\n";
    let run = read(wide, &TableColumns { metrics: metric("fit{v}"), ..timed(&["v{v}[s]"]) }).run;
    let of = |at: usize| run.records[at].samples.secondary(MetricName::of_program("rate")).unwrap().to_vec();
    assert_eq!((of(0), of(1), &run.records[1].cell.point), (vec![1.0], vec![2.0], &Point::new().with("v", 2)));
    refused(
        wide,
        &TableColumns { metrics: metric("fit1"), ..timed(&["v{v}[s]"]) },
        "--metric rate: there are several columns of times and one of the metric: name its columns as those of --time, such as \
         'fit{run}'",
    );
}

#[test]
fn what_is_wrong_with_a_table_has_its_place_and_a_way_out() {
    let wall = sized(&["wall[s]"], &["n"]);
    for (text, sentence) in [
        ("", "t.csv holds no table: its first line must name the columns, separated by commas, semicolons or tabs"),
        ("n,wall\n", "t.csv has a header and no row below it: each row is a measured time"),
        ("n,wall\n8,\n", "t.csv has no time in the columns of --time: name others"),
        (
            "n,wall\n8,1,2\n",
            "t.csv, line 2: 3 fields where the header has 2: a text that holds the separator needs \"quotes\"",
        ),
        ("n,wal\n8,1\n", "t.csv has no column `wall` (did you mean `wal`?); it has `n`, `wal`"),
        ("n,wall,wall\n8,1,2\n", "t.csv has the column `wall` twice: give each a name of its own"),
        (
            "# a comment\nn,wall\n8,1\n8,fast\n",
            "t.csv, line 4: column `wall` holds `fast`, which is no time: correct it, or leave it empty where nothing was measured",
        ),
        (
            "n,wall\n8,-1\n",
            "t.csv, line 2: column `wall` holds `-1`, which is no time: correct it, or leave it empty where nothing was measured",
        ),
        ("n,wall\n\"8,1\n9,2\n", "t.csv, line 2: a quote opens and does not end in its line: close it"),
        ("n,\"wall\n8,1\n9,2\n", "t.csv, line 1: a quote opens and does not end in its line: close it"),
        ("n,wall\n,1\n", "t.csv, line 2: column `n` holds ``, which is no size: every row needs one"),
    ] {
        refused(text, &wall, sentence);
    }
}

#[test]
fn what_is_asked_wrongly_of_a_table_has_a_way_out() {
    let table = "n,p,wall\n8,0,1\n";
    let some = |text: &str| Some(text.to_owned());
    let wall = timed(&["wall[s]"]);
    for (columns, sentence) in [
        (timed(&["wall"]), "--time wall: the unit is not known: write 'wall[s]', with ns, us, ms, s, min or h"),
        (timed(&["w{a}{b}[s]"]), "`w{a}{b}`: write one axis in braces, as in 'v{v}[us]' for the columns v1, v2, v4 …"),
        (timed(&["v{v}[s]"]), "t.csv has no column `v{v}`; it has `n`, `p`, `wall`"),
        (sized(&["wall[s]"], &["threads=n"]), "--size threads: the column of thread counts is named with --threads"),
        (sized(&["wall[s]"], &["n", "n=p"]), "--size n: the axis has several columns: name one"),
        (
            TableColumns { threads: some("p"), ..wall.clone() },
            "t.csv, line 2: column `p` holds `0`, which is no thread count: write a whole number from 1 on",
        ),
        (
            TableColumns { base: some("old"), ..wall.clone() },
            "--base old: no column names programs: say which does, with --program COLUMN",
        ),
        (
            TableColumns { base: some("old"), program: some("n"), ..wall },
            "--base old: t.csv has no program of that name; it has `8`",
        ),
    ] {
        refused(table, &columns, sentence);
    }
    let columns = TableColumns { base: some("a"), program: some("p"), threads: some("t"), ..timed(&["wall[s]"]) };
    refused(
        "p,t,wall\na,1,2\na,2,1\nb,1,1\n",
        &columns,
        "--base a: t.csv has it with several thread counts at one size: leave one there, so that speed-ups refer to one time",
    );
}
