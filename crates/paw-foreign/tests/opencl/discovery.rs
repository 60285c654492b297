//! What is found, and what is said where nothing is.

use std::fs;

use paw_foreign::device::{Backend, DeviceKind, FoundDevices, discover, open};
use pocl::{ONE, TWO, in_child};

fn found() -> FoundDevices {
    let found = discover(Backend::OpenCl);
    assert_eq!(found.backend, Backend::OpenCl);
    assert_eq!(found.devices.is_empty(), found.missing.is_some());
    found
}

fn missing() -> String {
    let found = found();
    let why = found.missing.expect("nothing is here");
    assert_eq!(open(Backend::OpenCl, &[0]).err().as_deref(), Some(why.as_str()));
    assert!(!why.contains('\n') && !why.ends_with('.'), "one sentence, without its full stop: {why}");
    why
}

#[test]
fn a_device_tells_what_it_is() {
    in_child("discovery::a_device_tells_what_it_is", ONE, || {
        let found = found();
        let [device] = &found.devices[..] else { panic!("one device: {found:?}") };
        assert_eq!(device.id(), "opencl0");
        assert_eq!(device.kind, DeviceKind::Cpu);
        assert!(device.unified && device.fp64, "{device:?}");
        assert!(device.units > 0 && device.memory_bytes >= device.allocation_bytes, "{device:?}");
        assert!(device.allocation_bytes > 1 << 20 && !device.name.is_empty(), "{device:?}");
        assert!(device.api.starts_with("OpenCL ") && !device.driver.is_empty(), "{device:?}");
        assert!(device.library.to_string_lossy().contains("libOpenCL.so"), "{device:?}");
        assert_eq!(open(Backend::OpenCl, &[0]).unwrap()[0].facts(), device);
    });
}

#[test]
fn two_devices_of_a_platform_are_numbered() {
    in_child("discovery::two_devices_of_a_platform_are_numbered", TWO, || {
        assert_eq!(found().devices.iter().map(|d| d.id()).collect::<Vec<_>>(), ["opencl0", "opencl1"]);
    });
}

#[test]
fn a_loader_can_be_named() {
    let file = "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1";
    let named = if fs::exists(file).unwrap() { file } else { "libOpenCL.so.1" };
    in_child("discovery::a_loader_can_be_named", &[("PAW_OPENCL_LIBRARY", named)], || {
        assert!(!found().devices.is_empty());
    });
}

#[test]
fn an_empty_name_counts_as_none() {
    let empty = [("PAW_OPENCL_LIBRARY", ""), ("OPENCL_DYLIB_PATH", "")];
    in_child("discovery::an_empty_name_counts_as_none", &empty, || {
        assert!(!found().devices.is_empty());
    });
}

#[test]
fn a_loader_that_is_not_there_is_one_sentence() {
    let named = [("PAW_OPENCL_LIBRARY", "/nonexistent/libOpenCL.so.1")];
    in_child("discovery::a_loader_that_is_not_there_is_one_sentence", &named, || {
        let why = missing();
        assert!(why.starts_with("PAW_OPENCL_LIBRARY: /nonexistent/libOpenCL.so.1 cannot be loaded: "), "{why}");
        assert!(why.ends_with("name OpenCL's loader, libOpenCL.so.1, or unset the variable"), "{why}");
    });
}

#[test]
fn a_corrupt_loader_is_one_sentence() {
    let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/corrupt-libOpenCL.so.1");
    fs::write(file, "not a library").unwrap();
    in_child("discovery::a_corrupt_loader_is_one_sentence", &[("PAW_OPENCL_LIBRARY", file)], || {
        let why = missing();
        assert!(
            why.contains("corrupt-libOpenCL.so.1 cannot be loaded: ") && why.contains("does not begin as an ELF file"),
            "{why}"
        );
    });
}

#[test]
fn a_library_that_is_no_loader_is_one_sentence() {
    let wrong = [("PAW_OPENCL_LIBRARY", "libm.so.6")];
    in_child("discovery::a_library_that_is_no_loader_is_one_sentence", &wrong, || {
        let why = missing();
        assert!(why.contains("libm.so.6 is not a loader of OpenCL 1.2: it has no clGetPlatformIDs"), "{why}");
    });
}

#[test]
fn a_loader_without_platforms_is_one_sentence() {
    let none = [("OCL_ICD_VENDORS", "/nonexistent")];
    in_child("discovery::a_loader_without_platforms_is_one_sentence", &none, || {
        let why = missing();
        assert!(why.contains("finds no platform; install one") && why.contains("OCL_ICD_VENDORS"), "{why}");
    });
}

#[test]
fn a_platform_without_devices_is_one_sentence() {
    in_child("discovery::a_platform_without_devices_is_one_sentence", &[("POCL_DEVICES", "none")], || {
        let why = missing();
        assert!(why.contains("Portable Computing Language") || why.contains("finds no platform"), "{why}");
    });
}

#[test]
fn what_changes_numbers_is_remarked() {
    in_child("discovery::what_changes_numbers_is_remarked", ONE, || {
        let remarks = open(Backend::OpenCl, &[0]).unwrap()[0].remarks();
        assert!(remarks.iter().any(|remark| remark == "POCL_DEVICES=pthread is in the environment"), "{remarks:?}");
    });
}
