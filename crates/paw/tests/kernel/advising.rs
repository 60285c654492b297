//! Advice: values that a spec should have, and flags that help.

use paw_data::kernel::Question;

use crate::place::{QUICK, examples, kernel, name, run, wrong};

#[test]
fn recommended_values_change_nothing_of_a_spec_but_how_it_is_measured() {
    let place = examples();
    let before = place.read("dot.toml")
        + "\n# mine\n[measure]   # so it is done\n# how warm\nwarmup =  7 # too few?\nmetas = 6\n";
    place.write("dot.toml", &before);
    let line = "sensitivity dot.toml --vary warmup=1,10,100 --n 1000 --compiler gcc --out r --write";
    let ran = kernel(&place, &format!("{line} {QUICK}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    assert_eq!(run(&place).records.len(), 3);
    let after = place.read("dot.toml");
    assert_eq!(before.lines().count(), after.lines().count(), "{after}");
    for (old, new) in before.lines().zip(after.lines()) {
        if old.starts_with("warmup") {
            assert!(new.starts_with("warmup =  ") && new.ends_with(" # too few?"), "{new}");
        } else {
            assert_eq!(old, new);
        }
    }
}

#[test]
fn an_unknown_factor_is_reported_with_the_near_one() {
    let place = examples();
    let ran = kernel(&place, "sensitivity dot.toml --vary warmpu=1,2 --out r");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("`warmpu`") && ran.err.contains("did you mean `warmup`?"), "{}", ran.err);
    assert!(!place.path("r").exists());
}

#[test]
fn a_search_ends_and_keeps_its_steps() {
    let place = examples();
    let line = "matrix dot.toml --n 1000 --variants ordered --compilers gcc --flags -O2 --out r --search";
    let ran = kernel(&place, &format!("{line} --try -funroll-loops --try -ffast-math {QUICK}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    assert_eq!(run.header.kernel.as_ref().map(|kernel| kernel.question), Some(Question::Search));
    let names: Vec<String> = run.records.iter().map(name).collect();
    for flags in ["gcc -O2 [ordered]", "gcc -O2 -funroll-loops [ordered]", "gcc -O2 -ffast-math [ordered]"] {
        assert!(names.iter().any(|name| name == flags), "{flags} is not in {names:?}");
    }
    assert!(wrong(&run).is_empty());
    for record in &run.records {
        let check = record.outcome.as_ref().and_then(|outcome| outcome.check.as_ref());
        assert!(check.is_some(), "{}: its answer was not looked at", name(record));
    }
    assert!(ran.out.contains("step 1"), "{}", ran.out);
    assert_eq!(run.end.as_ref().map(|end| end.state.as_str()), Some("done"));
}
