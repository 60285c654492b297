//! Tables of times, read in with their columns mapped by flags.

use crate::workplace::Workplace;

const KINFIT: &str = include_str!("../../../paw-data/tests/fixtures/kinfit_runtimes.csv");

fn with_table() -> Workplace {
    let workplace = Workplace::new();
    std::fs::write(workplace.path("kinfit_runtimes.csv"), KINFIT).unwrap();
    workplace
}

#[test]
fn the_table_of_the_thesis_comes_back_with_its_numbers() {
    let workplace = with_table();
    let ran = workplace.paw(
        "import kinfit_runtimes.csv --time v{v}[us] --threads threads --program version --base original \
         --work 5738+1867*v --out old",
    );
    assert_eq!((ran.code, ran.out.as_str()), (0, "old: 30 points\n"), "{}", ran.err);
    let page = workplace.paw("export old --format md").out;
    let answer =
        "Fastest seen at v=512: 32 threads: 138 s (complete, 1 run), 7.12 times as fast as the original program.";
    assert!(page.contains(answer), "{page}");
    let csv = workplace.paw("export old --format csv").out;
    let speedup = |point: &str| {
        let row = csv
            .lines()
            .find(|line| line.contains(point) && line.contains(",speedup,"))
            .unwrap_or_else(|| panic!("{csv}"));
        row.split(',').nth(6).unwrap().parse::<f64>().unwrap()
    };
    assert!((speedup("v=512 threads=32") - 980.596632 / 137.736146).abs() < 1e-9);
    assert!((speedup("v=512 threads=16") - 980.596632 / 145.214188).abs() < 1e-9);
}

#[test]
fn one_time_a_point_asks_for_more_measurements_and_has_no_date() {
    let workplace = Workplace::new();
    workplace.write("t.csv", "threads,wall,fit\n1,10,8\n2,6,4\n");
    let ran =
        workplace.paw("import t.csv --time wall[s] --threads threads --metric fit[s]=fit --headline fit --out old");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let page = workplace.paw("export old --format md").out;
    assert!(page.starts_with("# Run\n"), "{page}");
    assert!(page.contains("Fastest seen by fit: 2 threads: 4.00 s (complete, 1 run), 2.00 times as fast"), "{page}");
    assert!(page.contains("has one run") && page.contains("More measurements of each point would tell."), "{page}");
    assert!(!page.contains("--max"), "{page}");
    assert!(page.contains("80.0%") && page.contains("66.7%"), "shares of the wall time: {page}");
    let refused = workplace.paw("import t.csv --time wall[s] --headline fit --out new");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--headline fit: there is no --metric fit="), "{}", refused.err);
}

#[test]
fn a_column_that_is_not_there_is_named_and_nothing_is_left() {
    let workplace = with_table();
    for (flags, words) in [
        ("--time v{v}[us] --threads thread", "did you mean `threads`?"),
        ("--time v{v}", "the unit is not known"),
        ("--time v{v}[us] --work 2*n", "n"),
        ("--time v{v}[us] --metric fit", "write NAME=COLUMN"),
        ("--threads threads", "--time"),
    ] {
        let ran = workplace.paw(&format!("import kinfit_runtimes.csv {flags} --out old"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{flags}: {}", ran.err);
        assert!(ran.err.contains(words), "{flags}: {}", ran.err);
    }
    assert_eq!(workplace.names("."), ["kinfit_runtimes.csv"]);
}

#[test]
fn empty_fields_are_counted() {
    let workplace = Workplace::new();
    std::fs::write(workplace.path("runs.csv"), "n;wall\r\n8;1,5\r\n8;\r\n").unwrap();
    let ran = workplace.paw("import runs.csv --time wall[s] --size n --out old");
    assert_eq!((ran.code, ran.out.as_str()), (0, "old: 1 point\n"), "{}", ran.err);
    assert!(ran.err.contains("note: runs.csv: 1 field of a time is empty and left out"), "{}", ran.err);
}
