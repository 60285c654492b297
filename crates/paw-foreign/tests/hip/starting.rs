//! What keeps HIP from starting, each one sentence with a way out.

use crate::faults::does_not_start;

#[test]
fn a_run_time_without_a_device_is_reported() {
    let name = "starting::a_run_time_without_a_device_is_reported";
    does_not_start(name, "100", &["hipErrorNoDevice", "/dev/kfd", "HIP_VISIBLE_DEVICES"]);
}
