//! Marks and gates in queues.

use paw_foreign::device::{DeviceError, HostKind};

use crate::child::{TWO, USUAL, between_s, device, devices, in_child, near};
use crate::vendor::{NOT_READY, SERIALISING};

/// A gate gives up after 50 ms instead of seconds.
const IMPATIENT: (&str, &str) = ("MOCK_GATE_SCALE", "0.01");

#[test]
fn a_mark_that_was_not_passed_has_no_time() {
    in_child("gates::a_mark_that_was_not_passed_has_no_time", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let before = queue.mark().unwrap();
        let gate = queue.gate().unwrap();
        let behind = queue.mark().unwrap();
        let refused = behind.since_s(&before).unwrap_err().to_string();
        assert_eq!(refused, NOT_READY);
        gate.open().unwrap();
        queue.sync().unwrap();
        assert!(behind.since_s(&before).is_ok());
    });
}

#[test]
fn marks_are_reported_as_they_are_however_impossible() {
    in_child("gates::marks_are_reported_as_they_are_however_impossible", &[("MOCK_BOGUS_EVENTS", "1")], || {
        let device = device();
        let queue = device.queue().unwrap();
        let memory = device.memory(1 << 20).unwrap();
        assert_eq!(between_s(&queue, || queue.fill(&memory, 1).unwrap()), 0.0);
    });
}

#[test]
fn what_stands_behind_a_gate_lasts_what_the_device_alone_needs() {
    let costs = [("MOCK_IN_GBS", "4"), ("MOCK_LATENCY_US", "1")];
    in_child("gates::what_stands_behind_a_gate_lasts_what_the_device_alone_needs", &costs, || {
        let device = device();
        let queue = device.queue().unwrap();
        let host = device.host_memory(65536, HostKind::Pinned).unwrap();
        let memory = device.memory(65536).unwrap();
        for _ in 0..3 {
            let copies = || (0..100).for_each(|_| queue.copy_in((&memory, 0), (&host, 0), 65536).unwrap());
            // No call of the host stands between the copies, however long it took.
            near(between_s(&queue, copies), 100.0 * (1e-6 + 65536.0 / 4e9));
        }
    });
}

#[test]
fn a_pageable_copy_behind_a_gate_ends_with_the_gate() {
    in_child("gates::a_pageable_copy_behind_a_gate_ends_with_the_gate", &[IMPATIENT], || {
        let device = device();
        let queue = device.queue().unwrap();
        let (host, memory) = (device.host_memory(4096, HostKind::Pageable).unwrap(), device.memory(4096).unwrap());
        let gate = queue.gate().unwrap();
        // It waits for the queue, and so for the gate that this thread has to open.
        queue.copy_in((&memory, 0), (&host, 0), 4096).unwrap();
        assert_eq!(gate.open(), Err(DeviceError::GateTimedOut));
        assert_eq!(queue.sync(), Err(DeviceError::GateTimedOut));
        assert_eq!(queue.sync(), Ok(()), "it is reported once");
    });
}

#[test]
fn a_queue_that_never_ends_behind_its_gate_ends_after_a_while() {
    // The first passes, with which the device is tried out.
    let hangs = [IMPATIENT, ("MOCK_HANG", "1")];
    in_child("gates::a_queue_that_never_ends_behind_its_gate_ends_after_a_while", &hangs, || {
        let device = device();
        let (queue, memory) = (device.queue().unwrap(), device.memory(4096).unwrap());
        let gate = queue.gate().unwrap();
        queue.fill(&memory, 1).unwrap();
        gate.open().unwrap();
        assert_eq!(queue.sync(), Err(DeviceError::GateTimedOut));
    });
}

#[test]
fn a_device_whose_gates_do_not_open_has_none() {
    let hangs = [IMPATIENT, ("MOCK_HANG", "0")];
    in_child("gates::a_device_whose_gates_do_not_open_has_none", &hangs, || {
        let device = device();
        assert!(!device.caps().gate);
        assert!(device.remarks()[0].contains("no gates"), "{:?}", device.remarks());
        let refused = device.queue().unwrap().gate().err().expect("there are no gates");
        assert!(matches!(refused, DeviceError::Unsupported(_) | DeviceError::GateTimedOut), "{refused}");
    });
}

#[test]
fn no_gate_stands_where_launches_wait() {
    in_child("gates::no_gate_stands_where_launches_wait", &[(SERIALISING, "1")], || {
        let device = device();
        assert!(!device.caps().gate);
        let said = device.remarks().join("; ");
        assert!(said.contains(&format!("no gates: {SERIALISING} is set")), "{said}");
        assert!(device.queue().unwrap().gate().is_err());
    });
}

#[test]
fn a_gate_that_is_dropped_or_left_behind_opens() {
    in_child("gates::a_gate_that_is_dropped_or_left_behind_opens", &[IMPATIENT], || {
        let device = device();
        let queue = device.queue().unwrap();
        drop(queue.gate().unwrap());
        queue.sync().unwrap();
        std::mem::forget(queue.gate().unwrap());
        assert_eq!(queue.sync(), Err(DeviceError::GateTimedOut));
        let gate = queue.gate().unwrap();
        // Its queue goes first, and waits for it.
        drop(queue);
        gate.open().unwrap();
    });
}

#[test]
fn more_gates_than_there_are_are_refused_until_some_open() {
    in_child("gates::more_gates_than_there_are_are_refused_until_some_open", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let mut gates: Vec<_> = (0..64).map(|_| queue.gate().unwrap()).collect();
        assert!(queue.gate().err().is_some_and(|error| error.to_string().contains("64 gates")));
        gates.drain(..).for_each(|gate| gate.open().unwrap());
        queue.sync().unwrap();
        queue.gate().unwrap().open().unwrap();
        queue.sync().unwrap();
    });
}

#[test]
fn two_devices_have_gates_of_their_own() {
    in_child("gates::two_devices_have_gates_of_their_own", TWO, || {
        let devices = devices(&[0, 1]);
        let queues = devices.iter().map(|device| device.queue().unwrap()).collect::<Vec<_>>();
        let gates = queues.iter().map(|queue| queue.gate().unwrap()).collect::<Vec<_>>();
        let [first, second] = <[_; 2]>::try_from(gates).ok().expect("two");
        second.open().unwrap();
        queues[1].sync().unwrap();
        first.open().unwrap();
        queues[0].sync().unwrap();
    });
}
