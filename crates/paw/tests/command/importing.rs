//! Results of the original PAW, read in.

use crate::workplace::Workplace;

const TIME: &str = include_str!("../fixtures/dgemm_time-np_0004.dat");
const RATE: &str = include_str!("../fixtures/dgemm_fp-np_0004.dat");

fn with_files() -> Workplace {
    let workplace = Workplace::new();
    std::fs::write(workplace.path("dgemm_time-np_0004.dat"), TIME).unwrap();
    std::fs::write(workplace.path("dgemm_fp-np_0004.dat"), RATE).unwrap();
    workplace
}

#[test]
fn files_of_paw_become_a_run() {
    let workplace = with_files();
    let ran = workplace.paw("import dgemm_time-np_0004.dat dgemm_fp-np_0004.dat --out old");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("old: 3 points"), "{}", ran.out);
    let csv = workplace.paw("export old --format csv").out;
    assert!(csv.contains("dgemm") && csv.contains("sigma_pop"), "{csv}");
    let again = workplace.paw("import dgemm_time-np_0004.dat --out old");
    assert_eq!(again.code, 7, "{}", again.err);
}

#[test]
fn two_runs_in_one_file_become_two() {
    let workplace = with_files();
    std::fs::write(workplace.path("dgemm_time-np_0004.dat"), format!("{TIME}{TIME}")).unwrap();
    let ran = workplace.paw("import dgemm_time-np_0004.dat --out old");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(workplace.names("old"), ["1", "2"]);
}

#[test]
fn a_file_that_is_none_of_paw_s_is_named() {
    let workplace = Workplace::new();
    std::fs::write(workplace.path("notes.dat"), "hello\n").unwrap();
    for file in ["notes.dat", "missing.dat"] {
        let ran = workplace.paw(&format!("import {file}"));
        assert_eq!((ran.code, ran.out.as_str()), (7, ""), "{file}");
        assert!(ran.err.contains(file), "{}", ran.err);
    }
    assert_eq!(workplace.names("."), ["notes.dat"]);
}

#[test]
fn counters_of_other_tools_become_runs_and_are_labelled() {
    let workplace = Workplace::new();
    let likwid = "Group 1: L2\n| Event | Counter | HWThread 0 |\n| INSTR_RETIRED_ANY | FIXC0 | 321342 |\n\n\
                  | Metric | HWThread 0 |\n| Runtime (RDTSC) [s] | 2.5 |\n| L2 data volume [GBytes] | 33.5237 |\n";
    std::fs::write(workplace.path("solve.txt"), likwid).unwrap();
    std::fs::write(workplace.path("global.csv"), "Metric;Value\nArray Access Efficiency (%);31.99\n").unwrap();
    let ran = workplace.paw("import solve.txt global.csv --out old");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let shown = workplace.paw("export old/1 --format md").out;
    assert!(shown.contains("L2, imported") && shown.contains("L2 data volume"), "{shown}");
    assert!(shown.contains("33.524") && shown.contains("lower ↓"), "{shown}");
    let shown = workplace.paw("export old/2 --format md").out;
    assert!(shown.contains("Array Access Efficiency") && shown.contains("higher ↑"), "{shown}");
    let csv = workplace.paw("export old/1 --format csv").out;
    assert!(csv.contains("imported.l2.l2_data_volume,GBytes,median,33.5237"), "{csv}");
}

#[test]
fn a_table_that_is_taken_for_counters_is_said_to_be() {
    let workplace = Workplace::new();
    workplace.write("table.csv", "n,threads,time\n1,1,5\n");
    let ran = workplace.paw("import table.csv --out table");
    assert!(ran.code == 0 && ran.err.contains("needs --time COLUMN[UNIT]"), "{}", ran.err);
}
