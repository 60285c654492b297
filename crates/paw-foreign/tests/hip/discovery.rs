//! Which devices are found, and what they are.

use paw_foreign::device::{Backend, DeviceKind, discover, open};

use crate::child::{TWO, USUAL, device, in_child, mock};

#[test]
fn every_device_is_found_with_its_facts() {
    in_child("discovery::every_device_is_found_with_its_facts", TWO, || {
        let found = discover(Backend::Hip);
        assert_eq!((found.missing.as_deref(), found.devices.len()), (None, 2));
        let facts = &found.devices[1];
        assert_eq!((facts.id().as_str(), facts.name.as_str(), facts.kind), ("hip1", "Mock Instinct", DeviceKind::Gpu));
        assert_eq!(facts.bus_id.as_deref(), Some("0000:c2:00.0"));
        assert_eq!(facts.uuid.as_deref(), Some("GPU-bbbbbbbbbbbbbbbb"));
        assert_eq!((facts.memory_bytes, facts.units, facts.clock_hz), (4 << 30, 4, Some(1.7e9)));
        assert_eq!((facts.compute, facts.cache_bytes), (None, 8 << 20));
        assert!(facts.fp64 && !facts.unified && !facts.pageable_direct);
        assert_eq!((facts.api.as_str(), facts.link), ("HIP 6.3.42134", None));
        assert_eq!(facts.library, mock().canonicalize().unwrap());
    });
}

/// The structure of properties is another one in ROCm 5; the architecture, and with it the peaks, is found in both.
#[test]
fn the_architecture_is_read_in_either_layout() {
    let before = [("MOCK_VERSION", "50221153"), ("MOCK_ARCHITECTURE", "gfx942:sramecc+:xnack-")];
    in_child("discovery::the_architecture_is_read_in_either_layout", &before, || {
        let facts = discover(Backend::Hip).devices.remove(0);
        assert_eq!((facts.api.as_str(), facts.peaks["bf16"]), ("HIP 5.2.21153", 4.0 * 2048.0));
    });
}

#[test]
fn a_device_of_an_architecture_that_nobody_knows_has_no_peaks() {
    let other = [("MOCK_ARCHITECTURE", "gfx9999")];
    in_child("discovery::a_device_of_an_architecture_that_nobody_knows_has_no_peaks", &other, || {
        assert!(discover(Backend::Hip).devices[0].peaks.is_empty());
        assert!(device().caps().gate, "it compiles for it all the same");
    });
}

#[test]
fn a_device_that_is_not_there_is_reported_with_those_that_are() {
    in_child("discovery::a_device_that_is_not_there_is_reported_with_those_that_are", TWO, || {
        let why = open(Backend::Hip, &[0, 7]).err().expect("there are two");
        assert_eq!(why, "there is no hip7; there is hip0 (Mock Instinct), hip1 (Mock Instinct)");
    });
}

#[test]
fn a_device_can_do_what_the_run_time_says() {
    in_child("discovery::a_device_can_do_what_the_run_time_says", USUAL, || {
        let device = device();
        let caps = device.caps();
        assert!(caps.marks && caps.gate && caps.pool && caps.mapped);
        assert_eq!(device.remarks(), Vec::<String>::new());
    });
}

#[test]
fn variables_that_change_numbers_are_remarked() {
    let variables = [("HSA_ENABLE_SDMA", "0"), ("HIP_VISIBLE_DEVICES", "0")];
    in_child("discovery::variables_that_change_numbers_are_remarked", &variables, || {
        assert_eq!(device().remarks(), ["HIP_VISIBLE_DEVICES=0 is set", "HSA_ENABLE_SDMA=0 is set"]);
    });
}
