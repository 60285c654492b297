//! Loads of which the truth is known: what is measured must be that.

use std::time::Duration;

use paw_stats::amdahl;
use spin::plan::Shape;

use crate::workplace::{Workplace, best_s, only};

#[test]
fn the_serial_part_of_a_program_comes_back() {
    let workplace = Workplace::new();
    // Sleeping threads need no processors, so that any number of them scales on any machine.
    let line = "--threads 1,2,4,8,16 --place none --reps 10 --warmup 0 -- \
         $SPIN --mode sleep --work-ms 300 --serial 0.10 --threads {threads}";
    let ran = workplace.app(line);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = workplace.run();
    let point = |record: &paw_data::run::Record| (record.cell.point.int("threads").unwrap() as f64, best_s(record));
    let points: Vec<_> = run.records.iter().map(point).collect();
    let found = amdahl::fit(&points, 0.95).expect("five points");
    assert!((found.serial - 0.10).abs() < 0.02, "{found:?} from {points:?}");
}

#[test]
fn pauses_that_strike_three_runs_in_ten_do_not_reach_the_best() {
    let workplace = Workplace::new();
    let work = Duration::from_millis(100);
    let shape = Shape { work, serial: 0.0, threads: 1, pauses: 0.3, pause: Duration::from_millis(150), seed: 2 };
    let rounds: u32 = 24;
    let planned: Duration = (0..u64::from(rounds)).map(|run| shape.plan(run).whole()).sum();
    assert!(planned / rounds > work.mul_f64(1.3), "of this seed, the mean is far off by plan: {:?}", planned / rounds);
    let calm = "$SPIN --mode sleep --work-ms 100";
    let line = format!(
        "--reps {rounds} --warmup 0 -n command -n versus --versus \"{calm}\" -- {calm} --pauses 0.3 --pause-ms 150 --seed 2 --counter count"
    );
    let ran = workplace.app(&line);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = workplace.run();
    let of = |provider: &str| run.records.iter().find(|record| record.cell.provider == provider).unwrap();
    let overhead_s = best_s(of("versus")) - work.as_secs_f64();
    let truth_s = work.as_secs_f64() + overhead_s;
    let (best_s, times) = (best_s(of("command")), &of("command").samples.elapsed_s);
    let mean_s = times.iter().sum::<f64>() / times.len() as f64;
    // Within k-best's tolerance, also where other work fills the machine; each pause is twenty times as long.
    assert!((best_s / truth_s - 1.0).abs() < 0.05, "best {best_s} s, in truth {truth_s} s");
    assert!(mean_s / truth_s > 1.2, "mean {mean_s} s, in truth {truth_s} s");
}

#[test]
fn a_program_that_shares_its_only_processor_is_contended_and_the_gate_closes() {
    let workplace = Workplace::new();
    let script = "taskset -pc $(taskset -pc $$ | sed 's/.*: *\\([0-9]*\\).*/\\1/') $$ >&2
        for load in 1 2 3; do $SPIN --forever --work-ms 1 >/dev/null & loads=\"$loads $!\"; done
        trap 'kill $loads' EXIT
        $PAW app --out r --strict-env --reps 6 --warmup 0 -- $SPIN --work-ms 60";
    let ran = workplace.shell(script);
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.out.contains("(contended, "), "the headline: {}", ran.out);
    let run = workplace.run();
    let caveats = &only(&run).outcome.as_ref().unwrap().caveats;
    let contended = caveats.iter().find(|caveat| caveat.id == "other-work").expect("the caveat");
    assert!(contended.cause.starts_with("other work ran on the program's processors"), "{}", contended.cause);
}
