//! Machines without a device, and libraries that are none.

use paw_data::outcome::Status;

use crate::place::{built, ended, place, run};

const NONE: &str = "OCL_ICD_VENDORS=/nonexistent PAW_CUDA_LIBRARY=/nonexistent/libcuda.so.1";

#[test]
fn without_a_device_everything_is_skipped_with_what_was_looked_for() {
    let place = place();
    let ran = place.run(&format!("{NONE} exec $PAW run gpu_in_pinned phi_keep_al_in --quiet --out r"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    let run = run(&place);
    assert!(!run.records.is_empty());
    for record in &run.records {
        let (status, why) = ended(record);
        assert_eq!(status, Status::Skipped);
        assert!(why.contains("libcuda.so.1") && why.contains("OpenCL") && !why.contains('\n'), "{why}");
    }
}

#[test]
fn what_is_required_and_not_here_has_an_exit_code() {
    let ran = place().run(&format!("{NONE} exec $PAW run gpu_in_pinned --require --quiet --out r"));
    assert_eq!(ran.code, 4, "{}", ran.err);
}

#[test]
fn a_file_that_is_no_driver_differs_from_another_library() {
    let place = place();
    place.write("text.so", "a text that is long enough to be a header of something");
    let sentence = |library: &str| {
        let ran = place
            .run(&format!("COLUMNS=1000 OCL_ICD_VENDORS=/nonexistent PAW_CUDA_LIBRARY={library} exec $PAW machine"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let line = ran.out.lines().find(|line| line.starts_with("no device: ") && line.contains("PAW_CUDA_LIBRARY"));
        line.unwrap_or_else(|| panic!("{}", ran.out)).to_owned()
    };
    assert!(sentence("./text.so").contains("text.so"));
    let other = built("libmock_blas.so").display().to_string();
    assert!(sentence(&other).contains("cuInit"), "{}", sentence(&other));
}
