//! AMD's devices as a user meets them, by a HIP of known cost.

use paw_data::outcome::Status;
use paw_data::secondary::SecondaryMetric;
use workplace::{Ran, Workplace};

use crate::place::{built, clock_s, ended, near, place, record, run, turn};

/// Where no other back-end is found.
const ALONE: &str = "OCL_ICD_VENDORS=/nonexistent PAW_CUDA_LIBRARY=/nonexistent/libcuda.so.1";

/// Runs `paw` with the rest of a line, after settings of variables, with the HIP of the tests.
fn mocked(place: &Workplace, settings: &str, line: &str) -> Ran {
    let library = built("libmock_hip.so").display().to_string();
    let libraries: String = ["HIP", "HIPRTC", "ROCBLAS"].map(|name| format!("PAW_{name}_LIBRARY={library} ")).concat();
    let _turn = turn();
    place.run(&format!("{ALONE} {libraries} {settings} exec $PAW {line}"))
}

#[test]
fn copies_and_products_are_measured_and_verified() {
    let place = place();
    let names = "gpu_in_pinned gpu_out_nopin gpu_dgemm gpu_bf16gemm";
    let ran = mocked(
        &place,
        "MOCK_HIP_IN_GBS=0.5",
        &format!("run {names} --provider hip --set n=256 --reps 6 --quiet --out r"),
    );
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    near(clock_s(record(&run, "gpu_in_pinned", "hip0"), SecondaryMetric::Gated), 5e-6 + 1024.0 / 0.5e9, 0.01);
    for name in ["gpu_in_pinned", "gpu_out_nopin", "gpu_dgemm", "gpu_bf16gemm"] {
        let (status, why) = ended(record(&run, name, "hip0"));
        assert_eq!(status, Status::Measured, "{name}: {why}");
    }
    assert_eq!(run.header.machine.devices[0].api, "HIP 6.3.42134");
}

#[test]
fn arithmetic_latency_and_random_updates_are_measured_and_verified() {
    for (names, set) in [
        ("device_peak_f64 device_peak_f32 device_peak_f16 device_peak_int32", "blocks=4"),
        ("device_latency device_random", "bytes=65536"),
        ("device_intensity", "bytes=65536 --set intensity=1,16"),
    ] {
        let place = place();
        let ran = mocked(&place, "", &format!("run {names} --provider hip --set {set} --reps 4 --quiet --out r"));
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let run = run(&place);
        for name in names.split(' ') {
            let found: Vec<_> = run.records.iter().filter(|record| record.cell.benchmark == name).collect();
            assert!(!found.is_empty(), "{name} was not measured");
            for record in found {
                let (status, why) = ended(record);
                assert_eq!((status, record.cell.provider.as_str()), (Status::Measured, "hip0"), "{name}: {why}");
            }
        }
    }
}

#[test]
fn matrix_cores_have_a_share_of_their_peak_and_a_type_that_they_lack_is_skipped() {
    let place = place();
    let names = "device_peak_matrix_f64 device_peak_matrix_int8 device_peak_matrix_fp8";
    let ran = mocked(&place, "", &format!("run {names} --provider hip --set blocks=4 --reps 4 --quiet --out r"));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    for name in ["device_peak_matrix_f64", "device_peak_matrix_int8"] {
        let (status, why) = ended(record(&run, name, "hip0"));
        assert_eq!(status, Status::Measured, "{name}: {why}");
    }
    let (status, why) = ended(record(&run, "device_peak_matrix_fp8", "hip0"));
    assert!(status == Status::Skipped && why.contains("gfx90a has no matrix cores for fp8"), "{why}");
}

#[test]
fn a_type_that_rocblas_has_not_is_skipped_with_the_reason() {
    let place = place();
    let ran = mocked(&place, "", "run gpu_fp8gemm --provider hip --set n=256 --reps 6 --quiet --out r");
    let run = run(&place);
    let (status, why) = ended(record(&run, "gpu_fp8gemm", "hip0"));
    assert!(status == Status::Skipped && why.contains("does not multiply fp8"), "{why}: {}", ran.err);
}

#[test]
fn a_wrong_product_is_no_number() {
    let place = place();
    let ran =
        mocked(&place, "MOCK_HIP_WRONG=1000000", "run gpu_sgemm --provider hip --set n=64 --reps 6 --quiet --out r");
    assert_eq!(ran.code & !2, 1, "wrong answers: {}{}", ran.out, ran.err);
    assert_eq!(ended(record(&run(&place), "gpu_sgemm", "hip0")).0, Status::Failed);
}

#[test]
fn lists_name_the_devices_and_the_libraries_and_what_is_missing() {
    let ran = mocked(&place(), "MOCK_HIP_DEVICES=2", "list --libraries --format csv");
    assert_eq!(ran.code, 0, "{}", ran.err);
    for id in ["hip0", "hip1"] {
        let line = ran.out.lines().find(|line| line.starts_with(id)).unwrap_or_else(|| panic!("{}", ran.out));
        assert!(line.contains(":00.0") && line.contains("GiB") && line.contains("libmock_hip.so"), "{line}");
    }
    let nowhere = "COLUMNS=1000 PAW_HIP_LIBRARY=/nowhere/libamdhip64.so.6";
    let ran = place().run(&format!("{ALONE} {nowhere} exec $PAW machine"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("/nowhere/libamdhip64.so.6, which PAW_HIP_LIBRARY names, does not exist"), "{}", ran.out);
}
