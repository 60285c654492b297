//! Gates and marks.

use paw_foreign::device::{DeviceError, HostKind};

use crate::child::{USUAL, between_s, device, in_child, near};
use crate::vendor::OLD;

fn a_gate_holds() {
    let device = device();
    let queue = device.queue().unwrap();
    let (memory, host) = (device.memory(4096).unwrap(), device.host_memory(4096, HostKind::Pinned).unwrap());
    let gate = queue.gate().unwrap();
    let mark = queue.mark().unwrap();
    queue.copy_in((&memory, 0), (&host, 0), 4096).unwrap();
    let later = queue.mark().unwrap();
    let unpassed = later.since_s(&mark).unwrap_err();
    let not_ready = "zeEventQueryKernelTimestamp failed with 1 (ZE_RESULT_NOT_READY)";
    assert_eq!(unpassed.to_string(), not_ready);
    gate.open().unwrap();
    queue.sync().unwrap();
    assert!(later.since_s(&mark).unwrap() > 0.0);
}

#[test]
fn what_stands_behind_a_gate_waits_until_it_is_opened() {
    in_child("gates::what_stands_behind_a_gate_waits_until_it_is_opened", USUAL, a_gate_holds);
}

#[test]
fn gates_hold_where_barriers_keep_the_order() {
    in_child("gates::gates_hold_where_barriers_keep_the_order", OLD, a_gate_holds);
}

#[test]
fn a_gate_that_is_dropped_is_open() {
    in_child("gates::a_gate_that_is_dropped_is_open", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        drop(queue.gate().unwrap());
        queue.sync().unwrap();
    });
}

/// Events are reset and used again; a pool has 64.
#[test]
fn marks_and_gates_come_in_any_number() {
    in_child("gates::marks_and_gates_come_in_any_number", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        for _ in 0..200 {
            assert!(between_s(&queue, || ()) >= 0.0);
        }
        let marks: Vec<_> = (0..200).map(|_| queue.mark().unwrap()).collect();
        // Given up before they are passed, and asked for again at once.
        drop(marks);
        let marks: Vec<_> = (0..200).map(|_| queue.mark().unwrap()).collect();
        queue.sync().unwrap();
        assert!(marks.windows(2).all(|pair| pair[1].since_s(&pair[0]).unwrap() >= 0.0));
    });
}

/// The mock's count of 32 bits begins anew a tenth of a millisecond after the start.
#[test]
fn a_clock_that_begins_anew_is_read_across_its_end() {
    let slow = [("MOCK_IN_GBS", "0.001"), ("MOCK_LATENCY_US", "0")];
    in_child("gates::a_clock_that_begins_anew_is_read_across_its_end", &slow, || {
        let device = device();
        let (memory, host) = (device.memory(4096).unwrap(), device.host_memory(4096, HostKind::Pinned).unwrap());
        let queue = device.queue().unwrap();
        let copied = between_s(&queue, || queue.copy_in((&memory, 0), (&host, 0), 4096).unwrap());
        near(copied, 4096.0 / 1e6);
    });
}

#[test]
fn handles_of_another_device_are_refused() {
    in_child("gates::handles_of_another_device_are_refused", crate::vendor::PEERS, || {
        let devices = crate::child::devices(&[0, 1]);
        let queues = [devices[0].queue().unwrap(), devices[1].queue().unwrap()];
        let (first, second) = (queues[0].mark().unwrap(), queues[1].mark().unwrap());
        queues.iter().for_each(|queue| queue.sync().unwrap());
        // Each device counts its own time.
        let Err(DeviceError::Unsupported(why)) = second.since_s(&first) else { panic!("they are of two devices") };
        assert!(why.contains("ze1 knows no Mark"), "{why}");
    });
}
