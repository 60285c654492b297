//! What runs on devices leave behind: names of files, facts, secondary metrics; and how they are looked at.

use crate::place::{built, mocked, place, record, run, turn};
use paw_data::secondary::SecondaryMetric;

const SMALL: &str = "--set n=65536 --reps 6 --quiet --out r";

#[test]
fn files_have_paws_names_with_the_numbers_of_devices() {
    let place = place();
    let names = "gpu_in_pinned gpu_inout_nopin phi_keep_al_in phi_alloc_noal_out";
    let ran = mocked(&place, "MOCK_CUDA_DEVICES=2", &format!("run {names} {SMALL}"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for file in [
        "gpu_transfer_bw_in_pinned.dat",
        "gpu_transfer_time_in_pinned_dev1.dat",
        "gpu_transfer_bw_in_pinned_dev0+1.dat",
        "gpu_transfer_bw_inout_nopin.dat",
        "mic0_keep_al_bw_in.dat",
        "mic1_keep_al_time_in.dat",
        "mic0+1_alloc_noal_bw_out.dat",
    ] {
        let text = place.read(&format!("r/{file}"));
        assert!(text.contains("6.553600E+04"), "{file}: {text}");
    }
}

#[test]
fn the_run_remembers_the_devices_and_their_facts() {
    let place = place();
    let ran = mocked(&place, "", &format!("run gpu_in_pinned {SMALL}"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let [device] = &run.header.machine.devices[..] else { panic!("{:?}", run.header.machine.devices) };
    assert_eq!(device.id, "cuda0");
    assert!(device.bus_id.contains(':') && device.link_bytes_s.is_some_and(|rate| rate > 1e9), "{device:?}");
    let record = record(&run, "gpu_in_pinned", "cuda0");
    assert_eq!(record.cell.point.int("devices"), Some(1));
    assert!(record.samples.extra.contains_key(&SecondaryMetric::PcieLimit.into()), "{:?}", record.samples.extra.keys());
    // The header has two lines: `of`, and the link.
    assert!(ran.out.contains("PCIe  samples"), "the share of the link has a column: {}", ran.out);
}

#[test]
fn a_suites_name_means_paws_names_and_not_every_combination() {
    let ran = mocked(&place(), "", "run device --dry-run --format csv");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut names: Vec<&str> = ran.out.lines().skip(1).filter_map(|line| line.split(',').nth(1)).collect();
    names.sort_unstable();
    names.dedup();
    let transfers = names.iter().filter(|name| name.starts_with("gpu_") && !name.ends_with("gemm")).count();
    let coprocessor = names.iter().filter(|name| name.starts_with("phi_")).count();
    assert_eq!((transfers, coprocessor), (6, 12), "{names:?}");
    assert!(!names.contains(&"transfer"), "{names:?}");
}

#[test]
fn two_runs_are_compared_point_by_point() {
    let place = place();
    let run = |settings: &str, out: &str| {
        let line = format!("run gpu_in_pinned --set n=65536 --reps 8 --quiet --out {out}");
        let ran = mocked(&place, settings, &line);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    };
    for side in ["fast", "slow"] {
        std::fs::create_dir(place.path(side)).unwrap();
    }
    for number in 1..=3 {
        run("MOCK_CUDA_IN_GBS=4", &format!("fast/{number}"));
        run("MOCK_CUDA_IN_GBS=0.5", &format!("slow/{number}"));
    }
    let ran = place.run("exec $PAW compare fast -- slow");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("SLOWER"), "{}", ran.out);
}

#[test]
fn lists_name_every_device_with_its_bus_and_memory() {
    let ran = mocked(&place(), "MOCK_CUDA_DEVICES=2", "list --libraries --format csv");
    assert_eq!(ran.code, 0, "{}", ran.err);
    for id in ["cuda0", "cuda1"] {
        let line = ran.out.lines().find(|line| line.starts_with(id)).unwrap_or_else(|| panic!("{}", ran.out));
        assert!(line.contains(":00.0") && line.contains("GiB") && line.contains("libmock_cuda.so"), "{line}");
    }
    let nccl = built("libmock_nccl.so").display().to_string();
    let ran = mocked(&place(), &format!("PAW_NCCL_LIBRARY={nccl}"), "list --libraries --format csv");
    assert!(ran.out.lines().any(|line| line.starts_with(&format!(",NCCL,{nccl}"))), "{}", ran.out);
}

#[test]
fn of_devices_alike_a_page_says_which_took_longer() {
    let place = place();
    let settings = "MOCK_CUDA_DEVICES=3 MOCK_CUDA_SLOW_DEVICE=1 MOCK_CUDA_IN_GBS=4";
    let ran = mocked(&place, settings, "run gpu_in_pinned --budget 16s --quiet --out r");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("3 × Mock GPU: "), "{}", ran.out);
    // A quarter of the speed. Other work makes one side or the other longer.
    let took = words.split("; cuda1 took ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<f64>().ok());
    let is_told = took.is_some_and(|times| (3.0..5.5).contains(&times)) && words.contains("of its likes once");
    // A busy machine leaves too few samples to tell.
    let is_unknown = words.contains("whether any lies apart is not known") || words.contains(" not alone; ");
    assert!(is_told != is_unknown, "{}", ran.out);
    assert!(!words.contains("cuda0 took") && !words.contains("cuda2 took"), "{}", ran.out);
}

#[test]
fn a_run_on_a_device_is_repeated_with_the_drivers_of_then_and_judged_in_a_campaign() {
    let place = place();
    assert_eq!(mocked(&place, "", &format!("run gpu_in_pinned {SMALL}")).code, 0);
    let _turn = turn();
    // The variables that name the drivers are those of the run.
    let ran = place.run("exec $PAW again r --out s");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let again = paw_data::store::read(&place.path("s")).unwrap();
    let record = record(&again, "gpu_in_pinned", "cuda0");
    assert!(!record.samples.is_empty(), "{:?}", record.outcome);
    assert_eq!(again.header.plan, run(&place).header.plan);
    let step = |name: &str, command: &str| format!("[[step]]\nname = \"{name}\"\ncommand = \"{command}\"\n");
    let steps = step("set", "gate set --from r -o ref.toml") + &step("judge", "gate s --against ref.toml");
    place.write("c.toml", format!("paw = \"campaign/1\"\n{steps}"));
    let ran = place.run("exec $PAW campaign run c.toml --out d");
    assert!(ran.out.contains("ref.toml: 1 reference of 1 run") && ran.out.contains("set    done"), "{}", ran.out);
    assert!(place.path("d/02-judge/output.txt").exists(), "{}", ran.out);
    assert!([0, 1, 5].contains(&ran.code), "whatever the machine did meanwhile, it was judged: {}", ran.out);
}
