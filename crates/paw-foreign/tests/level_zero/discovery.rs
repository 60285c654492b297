//! Which devices are found and what they are, and libraries that are not there, not right, or do not start.

use paw_foreign::device::{Backend, DeviceKind, DeviceState, PcieLink, discover, open};

use crate::child::{USUAL, device, devices, in_child, mock};
use crate::vendor::PEERS;

#[test]
fn every_device_is_found_with_its_facts() {
    in_child("discovery::every_device_is_found_with_its_facts", PEERS, || {
        let found = discover(Backend::LevelZero);
        assert_eq!((found.missing.as_deref(), found.devices.len()), (None, 2));
        let facts = &found.devices[1];
        let name = "Mock Level Zero GPU";
        assert_eq!((facts.id().as_str(), facts.name.as_str(), facts.kind), ("ze1", name, DeviceKind::Gpu));
        assert_eq!(facts.bus_id.as_deref(), Some("0000:3b:00.0"));
        assert_eq!(facts.uuid.as_deref(), Some("a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1"));
        assert_eq!((facts.memory_bytes, facts.allocation_bytes, facts.cache_bytes), (4 << 30, 2 << 30, 16 << 20));
        assert_eq!((facts.units, facts.clock_hz), (128, Some(1.5e9)));
        assert!(facts.fp64 && !facts.unified && !facts.pageable_direct && facts.peaks.is_empty());
        assert_eq!((facts.api.as_str(), facts.driver.as_str()), ("Level Zero 1.9", "1.3.29735"));
        assert_eq!(facts.link, Some(PcieLink { generation: 0, generation_max: 4, lanes: 0, lanes_max: 16 }));
        assert_eq!(facts.library, mock().canonicalize().unwrap());
        let (name, compiler) = &found.libraries[0];
        assert!(name == "ocloc" && compiler.as_ref().is_ok_and(|path| path.ends_with("libmock_level_zero.so")));
        assert_eq!(devices(&[1])[0].facts(), facts);
    });
}

#[test]
fn a_device_tells_its_state() {
    in_child("discovery::a_device_tells_its_state", &[("MOCK_THROTTLE", "9")], || {
        let device = device();
        let first = device.state();
        assert_eq!((first.clock_hz, first.temperature_c, first.power_w), (Some(1.41e9), Some(41.0), None));
        assert_eq!(first.throttled.unwrap(), ["ave_pwr_cap", "thermal_limit"]);
        assert_eq!(device.state().power_w, Some(150.0), "since the first answer");
    });
}

#[test]
fn without_system_management_a_device_tells_nothing_and_variables_are_remarked() {
    let off = [("ZES_ENABLE_SYSMAN", "0"), ("ZE_FLAT_DEVICE_HIERARCHY", "FLAT")];
    in_child("discovery::without_system_management_a_device_tells_nothing_and_variables_are_remarked", &off, || {
        let device = device();
        assert_eq!(device.state(), DeviceState::default());
        let flat = "ZE_FLAT_DEVICE_HIERARCHY=FLAT is in the environment";
        assert_eq!(device.remarks(), [flat]);
    });
}

#[test]
fn a_device_can_do_what_the_driver_says() {
    in_child("discovery::a_device_can_do_what_the_driver_says", USUAL, || {
        let device = device();
        let caps = device.caps();
        assert!(caps.marks && caps.gate && caps.mapped && !caps.pool);
        assert!(device.remarks().is_empty(), "{:?}", device.remarks());
        let why = open(Backend::LevelZero, &[0, 7]).err().expect("there is one");
        assert_eq!(why, "there is no device ze7; the devices of Level Zero here are ze0 to ze0");
    });
}

/// Discovery says these words, and opening says the same.
#[track_caller]
fn says(name: &str, variables: &[(&str, &str)], words: &[&str]) {
    in_child(name, variables, || {
        let found = discover(Backend::LevelZero);
        assert!(found.devices.is_empty());
        let why = found.missing.expect("there is no device");
        words.iter().for_each(|word| assert!(why.contains(word), "{word}: {why}"));
        assert_eq!(open(Backend::LevelZero, &[0]).err(), Some(why));
    });
}

#[test]
fn a_loader_without_a_driver_is_reported() {
    let uninitialised = [("MOCK_INIT_ERROR", "2013265921")];
    let words = ["libmock_level_zero.so", "has no driver that starts", "libze-intel-gpu1", "/dev/dri/render"];
    says("discovery::a_loader_without_a_driver_is_reported", &uninitialised, &words);
}

#[test]
fn a_driver_that_fails_is_reported_by_its_result() {
    let lost = [("MOCK_INIT_ERROR", "1879048193")];
    let words = ["zeInitDrivers", "ZE_RESULT_ERROR_DEVICE_LOST", "does not start"];
    says("discovery::a_driver_that_fails_is_reported_by_its_result", &lost, &words);
}

#[test]
fn a_driver_without_a_device_is_reported() {
    let none = [("MOCK_DEVICES", "0")];
    says("discovery::a_driver_without_a_device_is_reported", &none, &["have no device", "ZE_AFFINITY_MASK"]);
}

#[test]
fn a_library_that_is_not_there_is_named() {
    let nowhere = [("PAW_LEVEL_ZERO_LIBRARY", "/nowhere/libze_loader.so.1")];
    let words = ["/nowhere/libze_loader.so.1", "PAW_LEVEL_ZERO_LIBRARY", "does not exist"];
    says("discovery::a_library_that_is_not_there_is_named", &nowhere, &words);
}

#[test]
fn a_library_that_is_no_loader_is_named() {
    let wrong = [("PAW_LEVEL_ZERO_LIBRARY", "libm.so.6")];
    let words = ["libm.so.6", "is not Level Zero's loader", "no zeInit"];
    says("discovery::a_library_that_is_no_loader_is_named", &wrong, &words);
}

/// The real loader has all functions that are called, and no driver where there is no device of Intel's.
#[test]
fn the_real_loader_has_every_function() {
    let loader = ["/usr/lib/x86_64-linux-gnu/libze_loader.so.1", "/usr/lib64/libze_loader.so.1"];
    let Some(loader) = loader.into_iter().find(|file| std::path::Path::new(file).exists()) else {
        assert!(std::env::var_os("PAW_TEST_DEMAND").is_none(), "install libze1");
        eprintln!("left out: there is no libze_loader.so.1; install libze1");
        return;
    };
    in_child("discovery::the_real_loader_has_every_function", &[("PAW_LEVEL_ZERO_LIBRARY", loader)], || {
        let found = discover(Backend::LevelZero);
        let why = found.missing.unwrap_or_default();
        assert!(!found.devices.is_empty() || why.contains("has no driver that starts"), "{why}");
    });
}
