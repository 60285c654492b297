//! Answers: wrong builds are named, right ones differ by what fast mathematics and other instructions leave.

use paw_data::matrix::Matrix;
use paw_data::outcome::CheckVerdict;

use crate::place::{QUICK, ended, examples, kernel, name, run, verdict, wrong};

/// Builds of the examples in each language.
const BUILDS: &[(&str, &[(&str, &str)])] = &[
    (".c\"", &[("gcc", "-O2"), ("gcc", "-Ofast -march=native"), ("clang", "-O2")]),
    (".f90\"", &[("gfortran", "-O2"), ("gfortran", "-Ofast -march=native")]),
    (".rs\"", &[("rustc", "-O"), ("rustc", "-Copt-level=3 -Ctarget-cpu=native")]),
];

#[test]
fn two_of_eleven_variants_are_wrong_and_shown_as_wrong() {
    let place = examples();
    let line = "check product.toml --levels L1 --compilers gcc --flags -O2 --flags '-O3 -march=native' --out r --quiet";
    let ran = kernel(&place, line);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let run = run(&place);
    for record in &run.records {
        let name = name(record);
        let is_wrong = name.contains("[power]") || name.contains("[pairs]");
        let expected = if is_wrong { CheckVerdict::Fail } else { CheckVerdict::Pass };
        if !name.contains("[walk]") {
            assert_eq!(verdict(record), Some(expected), "{name}");
        }
        assert!(record.samples.is_empty(), "{name}: nothing is timed");
    }
    assert_eq!(wrong(&run).len(), 4, "{:?}", wrong(&run));
    assert!(ran.out.contains("ULP") && ran.out.contains("✗ wrong"), "{}", ran.out);
}

#[test]
fn what_other_instructions_leave_passes_and_is_reported_in_units_in_the_last_place() {
    let place = examples();
    let ran = kernel(
        &place,
        "check dot.toml --n 1000 --compilers gcc --flags -O2 --flags '-Ofast -march=native' --out r --quiet",
    );
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    let fast = run.records.iter().find(|record| name(record) == "gcc -Ofast -march=native [ordered]").unwrap();
    let check = fast.outcome.as_ref().unwrap().check.as_ref().unwrap();
    let accuracy = check.accuracy.as_ref().expect("answers were compared");
    assert_eq!((check.verdict, accuracy.wrong), (CheckVerdict::Pass, 0));
    assert!(accuracy.ulp_max > 0 && accuracy.relative_max < 1e-12, "{accuracy:?}");
    assert!(ran.out.contains("ULP"), "{}", ran.out);
}

#[test]
fn every_example_is_right_under_every_compiler_and_flag() {
    ::workplace::needs!(CLANG, GFORTRAN);
    let place = examples();
    let entries = std::fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let specs = entries.filter_map(|n| n.into_string().ok()).filter(|n| n.ends_with(".toml"));
    // A device compiles for itself.
    let for_device =
        |spec: &str| ["cuda", "opencl"].iter().any(|word| place.read(spec).contains(&format!("\"{word}\"")));
    let specs: Vec<_> = specs.filter(|spec| !for_device(spec)).collect();
    assert!(specs.len() >= 7);
    for spec in specs {
        let text = place.read(&spec);
        let (_, builds) = BUILDS.iter().find(|(ending, _)| text.contains(ending)).expect("its language is known");
        for (compiler, flags) in *builds {
            let out = format!("{spec}{compiler}{}", flags.replace(' ', ""));
            // Clang's library of OpenMP is a package of its own.
            let lacks_openmp = *compiler == "clang" && text.contains("-fopenmp");
            let variants = if lacks_openmp { "--variants triad,copy" } else { "" };
            let line = format!(
                "check {spec} --n 100 --compilers {compiler} --flags='{flags}' {variants} --out '{out}' --quiet"
            );
            let ran = kernel(&place, &line);
            let run = paw_data::store::read(&place.path(&out)).unwrap();
            let wrong: Vec<String> = wrong(&run);
            let expected = if spec == "product.toml" { 2 } else { 0 };
            assert_eq!(wrong.len(), expected, "{line}: {}", ran.out);
            assert_eq!(ran.code, i32::from(expected > 0), "{line}: {}{}", ran.err, ran.out);
            assert!(wrong.iter().all(|name| name.contains("[power]") || name.contains("[pairs]")), "{wrong:?}");
        }
    }
}

#[test]
fn a_wrong_build_is_never_the_fastest_and_in_no_tie() {
    let place = examples();
    let line = format!("matrix product.toml --n 40 --compilers gcc --flags -O2 --flags -O3 --out r {QUICK} --seed 7");
    let ran = kernel(&place, &format!("{line} --variants plain,hoist,power,pairs,walk"));
    assert_eq!(ran.code, 1, "{}", ran.err);
    let run = run(&place);
    let matrix = Matrix::of(&run).expect("it is a matrix");
    let [panel] = matrix.panels.as_slice() else { panic!("{} panels", matrix.panels.len()) };
    assert!(panel.rows.iter().any(|row| name(row.record).contains("[power]")));
    for row in &panel.rows {
        let name = name(row.record);
        let is_wrong = name.contains("[power]") || name.contains("[pairs]");
        assert_eq!(row.is_ranked(), !is_wrong, "{name}: {:?}", ended(row.record));
        assert!(!is_wrong || (row.letters.is_empty() && row.speedup.is_none()), "{name}");
        assert!(!name.contains("[walk]"), "moving the data alone has no part in speed-ups");
    }
    assert!(panel.residency.iter().all(|row| name(row.record).contains("[walk]") && row.speedup.is_none()));
    assert!(!panel.residency.is_empty());
    let winner = panel.rows.first().unwrap();
    assert_eq!(verdict(winner.record), Some(CheckVerdict::Pass));
}
