//! Several implementations of one program: what is told threads, what is not, and what all are held against.

use paw_data::scaling::Scaling;

use crate::workplace::Workplace;

/// The points of a dry run with their commands.
fn plan(line: &str) -> Vec<String> {
    let ran = Workplace::new().app(&format!("--dry-run --format csv {line}"));
    assert_eq!(ran.code, 0, "{line}: {}", ran.err);
    let kept = |row: &str| row.split(',').skip(1).take(3).collect::<Vec<_>>().join("|");
    ran.out.lines().skip(1).map(kept).collect()
}

#[test]
fn what_does_not_name_the_threads_beside_what_does_is_one_point_of_a_size() {
    let line = "--threads 1,2 --place none --set n=3,4 --ladder n original='true {n}' openmp='true {n} {threads}'";
    let of = |n: i64| {
        [
            format!("n={n}|original|true {n}"),
            format!("n={n} threads=1|openmp|true {n} 1"),
            format!("n={n} threads=2|openmp|true {n} 2"),
        ]
    };
    assert_eq!(plan(line), [of(3), of(4)].concat());
    let neither = plan("--threads 1,2 --place none a='true x' b='true y'");
    assert_eq!(neither.len(), 4, "threads may be told by variables alone: {neither:?}");
    let both = plan("--threads 1,2 --prepare 'true {threads}' a='true x' b='true {threads}'");
    assert_eq!(both.len(), 4, "what is prepared for a number of threads has one: {both:?}");
}

#[test]
fn every_implementation_is_held_against_the_one_that_is_named() {
    let workplace = Workplace::new();
    let spin = "$SPIN --mode sleep --work-ms";
    let ran = workplace.shell(&format!(
        "$PAW app --out r --quiet --reps 6 --place none --threads 1,2 --set n=60,120 --ladder n --base original \
         -n original -n openmp -n device \"{spin} {{n}}\" \"{spin} {{n}} --threads {{threads}}\" \"{spin} 30\""
    ));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = workplace.run();
    let scaling = Scaling::of(&run).unwrap();
    assert_eq!(scaling.base.words(), "original");
    let gain = |program: &str, at: usize| {
        let sweep = scaling.sweeps.iter().find(|s| s.provider == program && s.size.int("n") == Some(120)).unwrap();
        sweep.rows[at].speedup.unwrap()
    };
    for (program, at, expected) in [("openmp", 0, 1.0), ("openmp", 1, 2.0), ("device", 0, 4.0)] {
        let found = gain(program, at);
        assert!((0.6..1.4).contains(&(found.value / expected)), "{program} {at}: {found:?}");
        assert!(found.decides(), "they ran in the same rounds: {found:?}");
    }
    let csv = workplace.shell("$PAW export r --format csv").out;
    assert!(csv.lines().any(|line| line.contains(",openmp,") && line.contains(",speedup,")), "{csv}");
}
