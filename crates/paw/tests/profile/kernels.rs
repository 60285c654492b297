//! Kernels and applications.

use crate::sources::{SPLIT, allowed, built, percent, run};

#[test]
fn each_build_of_a_kernel_has_a_profile_without_the_driver() {
    let place = built(SPLIT, "-O1");
    let ran = place.run("$PAW kernel new waves");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = place.run(
        "$PAW kernel profile waves.toml --compilers gcc --flags '-O2 -g' --flags '-O3 -g' --n 2000 --metas 3 --region 100ms \
         --invocations 1 --out run --quiet",
    );
    let Some(ran) = allowed(ran) else { return };
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place, "run");
    assert!(!run.profiles.is_empty() && run.profiles.len() <= 4, "{}", ran.out);
    for profile in &run.profiles {
        assert!(run.records.iter().any(|record| Some(record.cell.id) == profile.cell));
        assert!(profile.sampling.samples > 50, "{}: {:?}", profile.name, profile.sampling);
        let driver = percent(profile, "paw's driver");
        assert!(driver < 40.0, "{driver} % in the driver: {}", ran.out);
        assert!(percent(profile, "waves") > 30.0, "{}", ran.out);
    }
}

#[test]
fn a_program_is_sampled_in_one_more_run() {
    let place = built(SPLIT, "-O1 -g");
    let ran = place.run("$PAW app --profile --reps 2 --warmup 0 --out run --quiet -- ./program 0.4");
    let Some(ran) = allowed(ran) else { return };
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place, "run");
    assert_eq!(run.records[0].samples.len(), 2, "the run under the sampler is none of those measured");
    let profile = &run.profiles[0];
    assert_eq!(profile.cell, Some(run.records[0].cell.id));
    let share = percent(profile, "large");
    assert!((share - 70.0).abs() < 8.0, "{share}: {}", ran.out);
    assert_eq!(profile.sampling.ended, "exit code 0");
}

#[test]
fn a_saved_campaign_keeps_its_profile() {
    let place = built(SPLIT, "-O1 -g");
    let ran = place.run("$PAW app --profile --reps 2 --warmup 0 --save c.toml -- ./program 0.1");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(place.read("c.toml").contains("profile = true"), "{}", place.read("c.toml"));
    let ran = place.run("$PAW app -c c.toml --out run --quiet");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(run(&place, "run").profiles.len(), 1, "{}", ran.out);
    place.run("$PAW app --reps 2 --save plain.toml -- ./program 0.1");
    assert!(!place.read("plain.toml").contains("profile"), "{}", place.read("plain.toml"));
}
