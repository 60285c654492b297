//! What keeps NVIDIA's driver from starting, each one sentence with a way out.

use paw_foreign::device::discover;

use crate::child::in_child;
use crate::faults::does_not_start;
use crate::vendor::BACKEND;

#[test]
fn a_stub_is_reported() {
    does_not_start("starting::a_stub_is_reported", "34", &["CUDA_ERROR_STUB_LIBRARY", "stubs directory"]);
}

#[test]
fn a_driver_without_a_device_is_reported() {
    does_not_start(
        "starting::a_driver_without_a_device_is_reported",
        "100",
        &["sees no device", "CUDA_VISIBLE_DEVICES"],
    );
}

#[test]
fn a_fabric_manager_that_does_not_run_is_reported() {
    does_not_start("starting::a_fabric_manager_that_does_not_run_is_reported", "802", &["nvidia-fabricmanager"]);
}

#[test]
fn a_driver_that_does_not_fit_its_module_is_reported() {
    does_not_start(
        "starting::a_driver_that_does_not_fit_its_module_is_reported",
        "803",
        &["another version", "reboot"],
    );
}

#[test]
fn a_module_that_does_not_answer_is_reported() {
    does_not_start("starting::a_module_that_does_not_answer_is_reported", "999", &["nvidia_uvm", "dmesg"]);
}

#[test]
fn an_empty_variable_names_no_library() {
    in_child("starting::an_empty_variable_names_no_library", &[("PAW_CUDA_LIBRARY", "")], || {
        // Whether this machine has a driver or not: nobody opened the program itself.
        let found = discover(BACKEND);
        assert!(
            found.missing.is_none_or(|why| why.contains("libcuda.so.1") && !why.contains("PAW_CUDA_LIBRARY names"))
        );
    });
}
