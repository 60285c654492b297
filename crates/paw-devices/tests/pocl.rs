//! The self-test on devices that are real, as far as a host without any has them: its processor by PoCL, and by Rusticl.

use paw_devices::devices::Devices;
use paw_foreign::device::Backend;
use pocl::{ONE, RUSTICL, TWO, in_child};

#[test]
fn a_device_that_tells_the_truth_is_believed() {
    in_child("a_device_that_tells_the_truth_is_believed", ONE, || {
        let devices = Devices::open(Backend::OpenCl, &[0]).unwrap();
        let [trust] = devices.trust() else { panic!("one device") };
        assert_eq!((&trust.marks, &trust.gate), (&Ok(true), &Ok(true)));
    });
}

#[test]
fn two_devices_are_believed_each() {
    in_child("two_devices_are_believed_each", TWO, || {
        let devices = Devices::open(Backend::OpenCl, &[0, 1]).unwrap();
        let believed = devices.trust().iter().filter(|trust| trust.marks == Ok(true) && trust.gate == Ok(true));
        assert_eq!(believed.count(), 2, "{:?}", devices.trust());
    });
}

#[test]
fn a_device_whose_clock_stands_still_is_not_believed() {
    in_child("a_device_whose_clock_stands_still_is_not_believed", RUSTICL, || {
        let devices = Devices::open(Backend::OpenCl, &[0]).unwrap();
        let [trust] = devices.trust() else { panic!("one device") };
        let why = trust.marks.as_ref().expect_err("Rusticl 22.3 stamps every command with 0");
        assert!(why.contains("took 0e0 s by the device's clock"), "{why}");
        assert_eq!(trust.gate, Ok(true));
        let ids: Vec<String> = devices.caveats().iter().map(|caveat| caveat.id.to_string()).collect();
        assert!(!ids.is_empty(), "what is not believed is a caveat");
    });
}
