//! The same for real, on the OpenCL of the host's processor.

use paw_data::outcome::{CheckVerdict, Status};

use crate::place::{caveats, ended, place, run, turn};

/// PoCL alone, as one device or two.
fn pocl(devices: &str) -> String {
    format!(
        "PAW_CUDA_LIBRARY=/nonexistent OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd POCL_DEVICES='{devices}' HOME=$PWD"
    )
}

#[test]
fn transfers_are_measured_and_verified_on_one_device_and_on_two() {
    ::workplace::needs!(POCL);
    let place = place();
    let variables = pocl("pthread pthread");
    let names = "gpu_in_pinned gpu_out_nopin phi_alloc_noal_inout";
    let ran = {
        let _turn = turn();
        place.run(&format!("{variables} exec $PAW run {names} --set n=4096 --reps 3 --quiet --out r"))
    };
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let mut providers: Vec<&str> = run.records.iter().map(|record| record.cell.provider.as_str()).collect();
    providers.sort_unstable();
    providers.dedup();
    assert_eq!(providers, ["opencl0", "opencl0+1", "opencl1"]);
    for record in &run.records {
        assert_eq!(ended(record).0, Status::Measured, "{} {}", record.cell.benchmark, ended(record).1);
        let check = record.outcome.as_ref().and_then(|outcome| outcome.check.as_ref()).expect("contents are verified");
        assert_eq!(check.verdict, CheckVerdict::Pass);
        assert!(caveats(record).contains(&"unified-memory"), "{:?}", caveats(record));
    }
    assert!(place.read("r/gpu_transfer_bw_in_pinned_dev0+1.dat").contains("4.096000E+03"));
}
