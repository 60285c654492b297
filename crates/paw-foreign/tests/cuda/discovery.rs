//! Which devices are found, and what they are.

use paw_foreign::device::{Backend, DeviceKind, DeviceState, FoundDevices, PcieLink, discover, open};

use crate::child::{TWO, USUAL, device, in_child, mock};

fn library<'a>(found: &'a FoundDevices, name: &str) -> &'a Result<String, String> {
    &found.libraries.iter().find(|(which, _)| which == name).expect("it is looked for").1
}

#[test]
fn every_device_is_found_with_its_facts() {
    in_child("discovery::every_device_is_found_with_its_facts", TWO, || {
        let found = discover(Backend::Cuda);
        assert_eq!((found.missing.as_deref(), found.devices.len()), (None, 2));
        let facts = &found.devices[1];
        assert_eq!((facts.id().as_str(), facts.name.as_str(), facts.kind), ("cuda1", "Mock GPU", DeviceKind::Gpu));
        assert_eq!(facts.bus_id.as_deref(), Some("0000:3c:00.0"));
        assert_eq!(facts.uuid.as_deref(), Some("GPU-a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1"));
        assert_eq!((facts.memory_bytes, facts.units, facts.clock_hz), (4 << 30, 4, Some(1.5e9)));
        assert_eq!((facts.compute, facts.cache_bytes), (Some((9, 0)), 4 << 20));
        assert!(facts.fp64 && !facts.unified && !facts.pageable_direct);
        assert_eq!((facts.api.as_str(), facts.driver.as_str()), ("CUDA 12.4", "550.54.15"));
        assert_eq!(facts.link, Some(PcieLink { generation: 4, generation_max: 4, lanes: 16, lanes_max: 16 }));
        assert_eq!(facts.library, mock().canonicalize().unwrap());
        assert!(library(&found, "NVML").as_ref().is_ok_and(|path| path.ends_with("libmock_cuda.so")));
    });
}

#[test]
fn a_device_tells_its_state() {
    // The power cap holds it down, and it is idle, which does not count.
    let busy = [("MOCK_THROTTLE", "5"), ("MOCK_LINK_GENERATION", "1")];
    in_child("discovery::a_device_tells_its_state", &busy, || {
        let expected = DeviceState {
            clock_hz: Some(1.41e9),
            memory_clock_hz: Some(2.619e9),
            power_w: Some(121.5),
            temperature_c: Some(41.0),
            throttled: Some(vec!["sw_power_cap".to_owned()]),
            link: Some(PcieLink { generation: 1, generation_max: 4, lanes: 16, lanes_max: 16 }),
            ecc: Some(true),
        };
        assert_eq!(device().state(), expected);
    });
}

#[test]
fn without_nvml_a_device_tells_nothing_and_discovery_says_why() {
    let nowhere = ("PAW_NVML_LIBRARY", "/nowhere/libnvidia-ml.so.1");
    in_child("discovery::without_nvml_a_device_tells_nothing_and_discovery_says_why", &[nowhere], || {
        let found = discover(Backend::Cuda);
        let why = library(&found, "NVML").as_ref().unwrap_err();
        assert!(why.contains("/nowhere/libnvidia-ml.so.1") && why.contains("PAW_NVML_LIBRARY"), "{why}");
        assert_eq!((device().state(), found.devices[0].link), (DeviceState::default(), None));
    });
}

#[test]
fn nvml_that_does_not_start_is_named_with_its_own_words() {
    let refused = ("MOCK_NVML_INIT_ERROR", "9");
    in_child("discovery::nvml_that_does_not_start_is_named_with_its_own_words", &[refused], || {
        let found = discover(Backend::Cuda);
        let why = library(&found, "NVML").as_ref().unwrap_err();
        assert!(why.contains("nvmlInit_v2: a refusal of the mock (9); without it no clock"), "{why}");
        assert_eq!(device().state(), DeviceState::default());
    });
}

#[test]
fn a_device_that_is_not_there_is_reported_with_those_that_are() {
    in_child("discovery::a_device_that_is_not_there_is_reported_with_those_that_are", TWO, || {
        let why = open(Backend::Cuda, &[0, 7]).err().expect("there are two");
        assert_eq!(why, "there is no cuda7; there is cuda0 (Mock GPU), cuda1 (Mock GPU)");
    });
}

#[test]
fn a_device_can_do_what_the_driver_says() {
    in_child("discovery::a_device_can_do_what_the_driver_says", USUAL, || {
        let device = device();
        let caps = device.caps();
        assert!(caps.marks && caps.gate && caps.pool && caps.mapped);
        assert_eq!(device.remarks(), ["CUDA_MODULE_LOADING=EAGER"; 0]);
    });
}

#[test]
fn variables_that_change_numbers_are_remarked() {
    let variables = [("NVIDIA_TF32_OVERRIDE", "0"), ("CUDA_VISIBLE_DEVICES", "0")];
    in_child("discovery::variables_that_change_numbers_are_remarked", &variables, || {
        assert_eq!(device().remarks(), ["CUDA_VISIBLE_DEVICES=0 is set", "NVIDIA_TF32_OVERRIDE=0 is set"]);
    });
}
