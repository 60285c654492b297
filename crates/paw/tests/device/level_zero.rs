//! Devices of Level Zero, by a loader of known cost.

use paw_data::outcome::Status;
use paw_data::secondary::SecondaryMetric;
use workplace::{Ran, Workplace};

use crate::place::{built, clock_s, ended, headline_s, near, place, record, run, turn};

/// Runs `paw` with the rest of a line, after settings of variables, where there is no device but those of the mock.
fn mocked(place: &Workplace, settings: &str, line: &str) -> Ran {
    let library = built("libmock_level_zero.so").display().to_string();
    let others = "OCL_ICD_VENDORS=/nonexistent PAW_CUDA_LIBRARY=/nonexistent/libcuda.so.1";
    let libraries = format!("PAW_LEVEL_ZERO_LIBRARY={library} PAW_OCLOC_LIBRARY={library}");
    let _turn = turn();
    place.run(&format!("{others} {libraries} {settings} exec $PAW {line}"))
}

#[test]
fn copies_cost_what_the_link_is_set_to_cost() {
    let place = place();
    let slow = "MOCK_LEVEL_ZERO_IN_GBS=0.5 MOCK_LEVEL_ZERO_OUT_GBS=0.4 ZE_FLAT_DEVICE_HIERARCHY=FLAT";
    let line = "run gpu_in_pinned gpu_out_pinned --provider ze --set n=262144 --reps 6 --quiet --out r";
    let ran = mocked(&place, slow, line);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    for (name, bytes_s) in [("gpu_in_pinned", 0.5e9), ("gpu_out_pinned", 0.4e9)] {
        let record = record(&run, name, "ze0");
        let expected_s = 5e-6 + 1_048_576.0 / bytes_s;
        near(clock_s(record, SecondaryMetric::Gated), expected_s, 0.01);
        // Gaps of a queue that runs empty make it longer.
        assert!(clock_s(record, SecondaryMetric::Event) >= 0.99 * expected_s);
    }
    let device = &run.header.machine.devices[0];
    assert_eq!((device.id.as_str(), device.link.as_str()), ("ze0", "PCIe generation 4, 16 lanes at most"));
    assert_eq!(run.header.env.get("ZE_FLAT_DEVICE_HIERARCHY").map(String::as_str), Some("FLAT"));
}

#[test]
fn products_say_who_computes_them() {
    let place = place();
    let ran = mocked(&place, "", "run gpu_dgemm --provider ze --set n=64 --reps 6 --quiet --out r");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(ended(record(&run(&place), "gpu_dgemm", "ze0")).0, Status::Measured);
    assert!(place.read("r/run.jsonl").contains("portable kernel of paw"));
}

#[test]
fn the_list_of_libraries_names_loader_and_devices() {
    let place = place();
    let here = mocked(&place, "MOCK_LEVEL_ZERO_DEVICES=2", "list --libraries");
    assert!(here.out.contains("ze1") && here.out.contains("libmock_level_zero.so"), "{}{}", here.out, here.err);
    let broken = mocked(&place, "COLUMNS=1000 MOCK_LEVEL_ZERO_INIT_ERROR=2013265921", "list --libraries");
    assert!(broken.out.contains("has no driver that starts"), "{}{}", broken.out, broken.err);
}

#[test]
fn a_kernel_in_opencl_c_is_compiled_launched_and_timed() {
    let place = place();
    place.write("k.cl", "__kernel void k(int n, __global float *y) {}\n");
    let spec = "paw = \"kernel/1\"\nlanguage = \"ze\"\nsource = \"k.cl\"\nsignature = \"void k(int n, float *y)\"\nthreads = \"n\"\n\
                [axes]\nn = 4096\n[arrays]\ny = { type = \"f32[n]\", output = true }\n";
    place.write("k.toml", spec);
    let ran = mocked(&place, "MOCK_LEVEL_ZERO_LAUNCH_US=200", "kernel measure k.toml --quiet --out r");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    assert_eq!(run.records[0].cell.provider, "ze0");
    // A cold one right behind the flush, warm ones behind a gate: neither waits for the host.
    assert_eq!(run.records.len(), 2);
    run.records.iter().for_each(|record| near(headline_s(record), 200e-6, 0.02));
}
