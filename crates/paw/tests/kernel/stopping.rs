//! A matrix that is cut off: by a signal, or by the death of paw.

use std::os::unix::process::ExitStatusExt;

use paw_data::outcome::Status;
use workplace::{Running, Workplace, wait_for_death, wait_until};

use crate::place::{ended, examples, run};

/// A matrix that would take for ever, once it has samples.
fn begun(place: &Workplace) -> Running {
    let line = "matrix dot.toml --n 1000 --compilers gcc --flags -O2 --metas 1000000 --region 1ms --out r";
    let mut running = place.start(&format!("exec $PAW kernel {line}"));
    running.wait_for("measuring");
    wait_until(&place.path("r/run.jsonl"), |text| text.matches("\"phase\":\"measure\"").count() >= 4);
    running
}

#[test]
fn an_interrupt_saves_and_shows_what_there_is() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let place = examples();
        let running = begun(&place);
        running.send(signal);
        let (status, shown) = running.end();
        assert_eq!(status.code(), Some(code), "{shown}");
        let run = run(&place);
        assert_eq!(run.end.as_ref().map(|end| (end.exit, end.state.as_str())), Some((code, "interrupted")));
        for record in &run.records {
            assert!(ended(record).0 == Status::Measured && !record.samples.is_empty(), "{:?}", ended(record));
        }
        assert!(shown.contains("gcc -O2 [sums]") && place.path("r/report.html").is_file(), "{shown}");
    }
}

#[test]
fn what_measures_dies_with_paw_and_the_run_can_be_read() {
    let place = examples();
    let running = begun(&place);
    let children = running.children();
    assert!(!children.is_empty(), "kernels are measured in processes of their own");
    running.send("KILL");
    assert_eq!(running.end().0.signal(), Some(9));
    children.iter().for_each(|child| wait_for_death(child));
    let run = run(&place);
    assert!(run.end.is_none() && run.records.len() == 2);
    let shown = place.run("exec $PAW report r --out -");
    assert!(shown.code == 0 && shown.out.contains("gcc -O2 [sums]"), "{}{}", shown.out, shown.err);
}

#[test]
fn a_file_that_may_not_grow_ends_the_matrix_and_what_was_measured_is_shown() {
    let place = examples();
    let line = "matrix dot.toml --n 1000 --compilers gcc --flags -O2 --metas 100000 --region 1ms --quiet --out r";
    let ran = place.run(&format!("ulimit -f 128; exec $PAW kernel {line}"));
    assert_eq!(ran.code, 7, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("r/run.jsonl cannot be written"), "{}", ran.err);
    assert!(ran.out.contains("gcc -O2 [sums]"), "{}", ran.out);
}
