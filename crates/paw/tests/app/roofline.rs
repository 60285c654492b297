//! The roofline of a program: stated work, recorded counts, and what is said where neither is there.

use paw_data::cell::Role;

use crate::workplace::Workplace;

/// Few runs, and little time for roofs.
const QUICK: &str = "--threads 1 --reps 3 --budget 2s --roofline";

#[test]
fn a_programs_stated_work_is_a_point_under_roofs_of_the_same_run() {
    let workplace = Workplace::new();
    let ran = workplace.app(&format!("{QUICK} --set n=2,4 --flops '1e6*n' --bytes '2e6*n' -- sleep 0.0{{n}}"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = workplace.run();
    let own: Vec<_> = run.records.iter().filter(|record| record.cell.suite == "app").collect();
    let work: Vec<(f64, f64)> = own.iter().map(|record| (record.cell.work.flops, record.cell.work.bytes)).collect();
    assert_eq!(work, [(2e6, 4e6), (4e6, 8e6)]);
    assert!(run.records.iter().any(|record| record.cell.role == Role::Peak), "roofs were measured");
    assert!(run.records.windows(2).all(|pair| pair[0].cell.id < pair[1].cell.id), "cells have numbers of their own");
    assert!(ran.out.contains("under the measured roofs") && ran.out.contains("stated"), "{}", ran.out);
    let page = workplace.shell("exec $PAW report r --out page.html");
    assert_eq!(page.code, 0, "{}", page.err);
    assert!(workplace.read("page.html").contains("Roofline: 2 cells under 1 roofs"));
}

#[test]
fn a_saved_campaign_keeps_its_roofline_and_what_is_stated_for_it() {
    let workplace = Workplace::new();
    let typed = "--threads 1 --reps 3 --budget 3s --roofline=single --flops 1e6 --bytes '2*n' --set n=2,4";
    let saved = workplace.app(&format!("{typed} --save c.toml -- sleep 0.0{{n}}"));
    assert_eq!(saved.code, 0, "{}", saved.err);
    let file = workplace.read("c.toml");
    for line in ["roofline = \"single\"", "flops = \"1e6\"", "bytes = \"2*n\""] {
        assert!(file.contains(line), "{file}");
    }
    let ran = workplace.app("-c c.toml");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = workplace.run();
    let work = |at: usize| (run.records[at].cell.work.flops, run.records[at].cell.work.bytes);
    assert_eq!([work(0), work(1)], [(1e6, 4.0), (1e6, 8.0)]);
    let peaks: Vec<_> = run.records.iter().filter(|record| record.cell.role == Role::Peak).collect();
    assert!(!peaks.is_empty() && peaks.iter().all(|peak| peak.cell.benchmark == "peak_f32"), "{}", ran.out);
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("Roofs measured in this run, in single precision"), "{}", ran.out);
}

#[test]
fn a_campaign_whose_keys_need_or_exclude_others_is_refused() {
    let workplace = Workplace::new();
    for (keys, why) in [
        ("flops = 1e6", "add `roofline = \"double\"`"),
        ("recorded = \"zen5.toml\"", "add `counters = [\"CPI\"]`"),
        ("counters = \"SW\"\nsimulate = true", "`simulate` and `counters` exclude each other"),
        ("roofline = \"half\"", "write double or single"),
    ] {
        workplace.write("c.toml", format!("paw = \"app/1\"\ncommand = [\"touch\", \"ran\"]\n{keys}\n"));
        let ran = workplace.app("-c c.toml");
        assert_eq!(ran.code, 2, "{keys}: {}", ran.err);
        assert!(ran.err.contains(why), "{keys}: {}", ran.err);
    }
    assert!(!workplace.path("ran").exists());
}

#[test]
fn recorded_counts_give_operations_and_bytes() {
    let workplace = Workplace::new();
    workplace.write(
        "zen5.toml",
        "processor = \"zen5\"\n[[reading]]\ncalls = 1\nseconds = 0.02\n[reading.counts]\nFLOPS_ALL = 3e6\nFLOPS_MAC = 0\n\
         [[reading]]\ncalls = 1\nseconds = 0.02\n[reading.counts]\nLINES_FROM_MEMORY = 31250\nINSTRUCTIONS = 1e7\n",
    );
    let ran = workplace.app(&format!("{QUICK} --counters FLOPS,MEM --recorded zen5.toml -- sleep 0.02"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    // Three million operations, and 31,250 lines of 64 bytes.
    let table = &ran.out[ran.out.find("under the measured roofs").expect(&ran.out)..];
    let row = table.lines().find(|line| line.contains(" counted ")).expect(table);
    assert!(row.contains("1.50"), "{row}");
}

#[test]
fn without_counters_or_a_statement_there_are_roofs_and_the_way_out() {
    let workplace = Workplace::new();
    let ran = workplace.app(&format!("{QUICK} --flops 1e6 -- sleep 0.02"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let counted = workplace.run().records[0].counters.iter().any(|counters| counters.group == "MEM");
    if !counted {
        assert!(said.contains("`--bytes '24*n^2'` states them"), "{}", ran.out);
        assert!(said.contains("they cannot be counted here: group MEM"), "{}", ran.out);
        assert!(said.contains("Roofs measured in this run"), "{}", ran.out);
    }
}

#[test]
fn work_that_is_none_is_refused_before_anything_runs() {
    let workplace = Workplace::new();
    for (typed, why) in [
        ("--roofline --flops 'n-3' --bytes 1 --set n=2,4 -- sh -c 'touch ran; true {n}'", "--flops: it is -1"),
        ("--roofline --flops 'm' --bytes 1 --set n=2,4 -- sh -c 'touch ran; true {n}'", "--flops: "),
        ("--roofline --flops 0 --bytes 1 -- touch ran", "--flops: it is 0"),
        ("--flops 1e6 -- touch ran", "--roofline"),
        ("--roofline=reduced --flops 1 --bytes 1 -- touch ran", "--roofline"),
    ] {
        let ran = workplace.app(typed);
        assert_eq!(ran.code, 2, "{typed}: {}", ran.err);
        assert!(ran.err.contains(why), "{typed}: {}", ran.err);
        assert!(!workplace.path("ran").exists(), "{typed}");
    }
}
