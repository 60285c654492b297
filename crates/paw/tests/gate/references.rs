//! `paw gate set` and `update`.

use paw_data::outcome::Status;

use crate::constructed::outcome;
use crate::place::Place;

#[test]
fn a_command_has_its_gate_in_two_lines() {
    let place = Place::new();
    let set =
        place.run("$PAW app --quiet --reps 8 --out base -- sleep 0.001 >&2; $PAW gate set --from base -o own.toml");
    assert_eq!((set.code, set.out.as_str()), (0, "own.toml: 1 reference of 1 run\n"), "{}", set.err);
    assert!(set.err.contains("a percentile of 5 takes 19 runs and 1 run is here"), "{}", set.err);
    let text = place.read("own.toml");
    for line in ["command = \"sleep 0.001\"", "statistic = \"median\"", "unit = \"ms\""] {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
    // The run that the reference is from lies within it, unless something disturbed it.
    assert_eq!(place.gate("base --against own.toml").code, 0);
    let other = place.run("$PAW app --quiet --reps 6 --out new -- sleep 0.002 >&2; $PAW gate new --against own.toml");
    assert_eq!(other.code, 4, "{}{}", other.out, other.err);
    assert!(other.out.contains("another"), "{}", other.out);
}

#[test]
fn references_come_back_as_they_were_set() {
    let place = Place::new().with("a", 1.0).with("b", 1.01).with("c", 0.99);
    let set = place.gate("set --from a b c --out own.toml");
    assert_eq!(set.out, "own.toml: 1 reference of 3 runs\n", "{}", set.err);
    let text = place.read("own.toml");
    assert!(text.contains("machine = \"Some CPU 7\"") && text.contains("runs = 3, days = 1, spread = 0.01"), "{text}");
    for run in ["a", "b", "c", "a b c"] {
        assert_eq!(place.gate(&format!("{run} --against own.toml")).code, 0, "{run}");
    }
    let again = place.gate("set --from a --out own.toml");
    assert_eq!((again.code, place.read("own.toml")), (2, text), "{}", again.err);
    let shown = place.gate("set --from a --machine 'node*' --percentile 1 --statistic min").out;
    assert!(shown.contains("machine = \"node*\"") && shown.contains("statistic = \"min\""), "{shown}");
    assert!(shown.contains("percentile = 1.0"), "{shown}");
}

#[test]
fn no_reference_is_invented() {
    let place = Place::new();
    place.save("unknown", &Place::unknown("unknown", 1.0));
    let set = place.gate("set --from unknown --out own.toml");
    assert_eq!(set.code, 6, "{}", set.out);
    assert!(set.err.contains("1 of 3 runs at least are here (19 for the percentile itself)"), "{}", set.err);
    assert!(!place.path("own.toml").exists());
    let place = Place::new().with("a", 1.0);
    let set = place.gate("set --from a --peaks --out own.toml");
    assert!(set.code == 0 && set.err.contains("no peak follows from what these machines say they are"), "{}", set.err);
    assert_eq!(place.gate("set --from a --percentile 60").code, 2);
    let nowhere = place.gate("set --from a --machine ' '");
    assert!(nowhere.code == 2 && nowhere.err.contains("an empty pattern is no machine's"), "{}", nowhere.err);
}

#[test]
fn a_derived_peak_says_what_it_is_and_what_is_beyond_it_is_suspicious() {
    let place = Place::new();
    let mut run = Place::run("gpu", 0, 1.0);
    let device = paw_data::machine::Device {
        id: "cuda0".into(),
        product: "Some GPU".into(),
        clock_hz: Some(1e9),
        peaks: [("fp64".to_owned(), 4.0)].into(),
        ..Default::default()
    };
    run.header.machine.devices.push(device);
    let cell = &mut run.records[0].cell;
    (cell.benchmark, cell.provider) = ("gpu_dgemm".into(), "cuda0".into());
    cell.headline = paw_data::quantity::Quantity::Flops;
    cell.work.flops = 5e9;
    place.save("gpu", &run);
    let set = place.gate("set --from gpu --peaks --out own.toml");
    assert_eq!(set.out, "own.toml: 1 reference of 1 run and 1 derived peak\n", "{}", set.err);
    let text = place.read("own.toml");
    assert!(
        text.contains(
            "provenance = \"derived, not measured: Some GPU does 4 operations (fp64) a clock at 1 GHz at most\""
        ),
        "{text}"
    );
    let judged = place.gate("gpu --against own.toml");
    assert!(judged.code == 0 && judged.out.contains("1 suspiciously good, 1 pass"), "{}", judged.out);
}

#[test]
fn a_processors_peak_is_of_the_cores_that_worked() {
    let place = Place::new();
    for (id, threads, cores) in [("one", 1, "a core"), ("three", 3, "3 cores"), ("all", 99, "4 cores")] {
        let mut run = Place::run(id, 0, 1.0);
        run.header.machine.identity.cores = 4;
        run.header.machine.core_peak = Some(paw_data::machine::CorePeak {
            microarchitecture: "Zen 3".into(),
            per_clock: [("fp64".to_owned(), 16.0)].into(),
            clock_max_hz: Some(3_500_000_000),
        });
        let cell = &mut run.records[0].cell;
        cell.benchmark = "dgemm".into();
        cell.point = paw_data::point::Point::new().with("threads", threads);
        cell.headline = paw_data::quantity::Quantity::Flops;
        cell.work.flops = 5e9;
        place.save(id, &run);
        let set = place.gate(&format!("set --from {id} --peaks"));
        let said =
            format!("{cores} of Zen 3 does {} operations (fp64) a clock at 3.5 GHz at most", 16 * threads.min(4));
        assert!(set.out.contains(&format!("provenance = \"derived, not measured: {said}\"")), "{}{}", set.out, set.err);
        assert!(set.out.contains(&format!("value = {}", 56 * threads.min(4))), "{}", set.out);
    }
}

#[test]
fn a_number_that_a_program_prints_has_its_gate() {
    let place = Place::new();
    let app = "$PAW app --quiet --reps 8 --metric 'pace[sweeps/s,higher]=pace ([0-9.]+)'";
    let set = place.run(&format!("{app} --out base -- echo pace 200 >&2; $PAW gate set --from base -o own.toml"));
    assert_eq!((set.code, set.out.as_str()), (0, "own.toml: 2 references of 1 run\n"), "{}", set.err);
    let text = place.read("own.toml");
    for line in ["metric = \"pace\"", "better = \"higher\"", "value = 200.0", "unit = \"sweeps/s\""] {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
    let again = place.gate("base --against own.toml --format json");
    let json: serde_json::Value = serde_json::from_str(&again.out).unwrap();
    let pace = json["references"].as_array().unwrap().iter().find(|own| own["metric"] == "pace").unwrap();
    assert_eq!(pace["unit"], "sweeps/s");
    assert!((pace["value"].as_f64().unwrap() - 200.0).abs() < 1e-9 && pace["looks_worse"] == false, "{pace}");
    // Other work on this machine leaves a doubt, and nothing else does.
    assert!(["pass", "contended", "unstable"].contains(&pace["verdict"].as_str().unwrap()), "{pace}");
    // Another command would be another reference: here the same one judges it.
    place.write("own.toml", text.replace("command = \"echo pace 200\"", "command = \"echo pace *\""));
    let slow = place.run(&format!("{app} --out slow -- echo pace 150 >&2; $PAW gate slow --against own.toml"));
    assert!([1, 5].contains(&slow.code), "{}{}", slow.out, slow.err);
    let pace = slow.out.lines().find(|line| line.contains("echo pace * pace")).unwrap();
    // The other row's numbers, which are measured, make columns wider.
    let words = pace.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("150.0 200.0 sweeps/s -25.0%"), "{}", slow.out);
    assert!(
        pace.starts_with("regression") || pace.starts_with("contended!") || pace.starts_with("unstable!"),
        "{pace}"
    );
}

#[test]
fn an_update_keeps_comments_and_loosens_only_when_told() {
    let place = Place::new().with("a", 1.0).with("faster", 0.9).with("slower", 1.2);
    place.gate("set --from a --out own.toml");
    let mine = place.read("own.toml").replace("[[reference]]", "# of mine\n[[reference]] # here")
        + "\n[[reference]]\nbenchmark = 'typed' # by hand\nvalue = 3\nunit = 's'\n";
    place.write("own.toml", &mine);
    let kept = place.gate("update own.toml --from slower");
    assert_eq!((kept.code, place.read("own.toml")), (0, mine.clone()), "{}", kept.err);
    assert!(kept.out.contains("needs --loosen") && kept.out.contains("0 references changed"), "{}", kept.out);
    assert!(kept.out.contains("typed: nobody measured it with paw"), "{}", kept.out);
    let tightened = place.gate("update own.toml --from faster");
    assert!(tightened.out.contains("1.000 GB/s -> 1.111 GB/s"), "{}", tightened.out);
    let text = place.read("own.toml");
    assert!(text.contains("# of mine\n[[reference]] # here") && text.contains("'typed' # by hand"), "{text}");
    assert_eq!(text.lines().count(), mine.lines().count());
    let loosened = place.gate("update own.toml --from slower --loosen");
    assert!(
        loosened.out.contains("1 reference changed") && place.read("own.toml").contains("value = 0.833"),
        "{}",
        loosened.out
    );
    assert_eq!(place.gate("update none.toml --from a").code, 7);
}

#[test]
fn an_update_says_why_a_reference_stays_and_prefers_more_evidence() {
    let place = Place::new();
    let runs: Vec<String> = (0..4).map(|day| format!("r{day}")).collect();
    for (day, name) in runs.iter().enumerate() {
        place.save(name, &Place::run(name, day, 1.0 + 0.001 * day as f64));
    }
    place.save("faster", &Place::run("faster", 9, 0.8));
    place.gate(&format!("set --from {} --out own.toml", runs.join(" ")));
    let text = place.read("own.toml");
    let less = place.gate("update own.toml --from faster");
    assert_eq!((less.code, place.read("own.toml")), (0, text.clone()), "{}", less.err);
    assert!(less.out.contains("4 runs on 4 days -> 1 run on 1 day needs --loosen"), "{}", less.out);
    assert!(less.err.contains("1 reference would allow worse values or have less evidence"), "{}", less.err);
    assert!(less.err.contains("a percentile of 5 takes 19 runs and 1 run is here"), "{}", less.err);
    let told = place.gate("update own.toml --from faster --loosen");
    assert!(told.out.contains("4 runs on 4 days -> 1 run on 1 day\n") && told.out.contains("1 reference changed"));
    let mut skipped = Place::run("skipped", 9, 1.0);
    skipped.records[0].outcome = Some(outcome(Status::Skipped, Some("no such library")));
    place.save("skipped", &skipped);
    let none = place.gate("update own.toml --from skipped");
    assert!(none.out.contains("the runs give no number for it"), "{}", none.out);
    assert!(none.err.contains("left out: skipped: no such library"), "{}", none.err);
    place.write("own.toml", text.replace("Some CPU 7", "Another"));
    let other = place.gate("update own.toml --from faster");
    assert!(other.out.contains("it is for `Another`, and no run is of such a machine"), "{}", other.out);
}
