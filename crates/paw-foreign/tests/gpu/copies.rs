//! Copies between host and device: bytes, and times by the device's clock.

use paw_foreign::device::{Device, DeviceMemory, HostKind, HostMemory, Queue};

use crate::child::{USUAL, between_s, device, in_child, near, there_and_back};

const KINDS: [HostKind; 4] = [HostKind::Pageable, HostKind::Pinned, HostKind::Registered, HostKind::Mapped];
const BYTES: usize = 16 << 20;
const COSTS: &[(&str, &str)] = &[
    ("MOCK_IN_GBS", "2"),
    ("MOCK_OUT_GBS", "1"),
    ("MOCK_PAGEABLE_GBS", "0.5"),
    ("MOCK_LATENCY_US", "50"),
    ("MOCK_LAUNCH_US", "30"),
    ("MOCK_DEVICE_GBS", "0.1"),
];

#[test]
fn bytes_come_back_as_they_went_from_memory_of_every_kind() {
    in_child("copies::bytes_come_back_as_they_went_from_memory_of_every_kind", USUAL, || {
        let device = device();
        for kind in KINDS {
            for (bytes, offset) in [(0, 0), (1, 0), (4096, 0), (100_000, 4), (100_001, 7), (1 << 20, 64)] {
                there_and_back(&device, kind, bytes, offset);
            }
        }
    });
}

fn memories(device: &Device, kind: HostKind) -> (Queue, HostMemory, DeviceMemory) {
    (device.queue().unwrap(), device.host_memory(BYTES, kind).unwrap(), device.memory(BYTES).unwrap())
}

#[test]
fn a_copy_lasts_its_latency_and_its_bytes_over_the_bandwidth() {
    in_child("copies::a_copy_lasts_its_latency_and_its_bytes_over_the_bandwidth", COSTS, || {
        let device = device();
        let bytes = BYTES as f64;
        // Latency: mapped memory is copied by a kernel.
        let cases = [(HostKind::Pinned, 50e-6), (HostKind::Registered, 50e-6), (HostKind::Mapped, 30e-6)];
        for (kind, latency_s) in cases {
            let (queue, host, memory) = memories(&device, kind);
            let copied_in = between_s(&queue, || queue.copy_in((&memory, 0), (&host, 0), BYTES).unwrap());
            near(copied_in, latency_s + bytes / 2e9);
            let copied_out = between_s(&queue, || queue.copy_out((&host, 0), (&memory, 0), BYTES).unwrap());
            near(copied_out, latency_s + bytes / 1e9);
        }
    });
}

#[test]
fn a_pageable_copy_lasts_by_a_bandwidth_of_its_own() {
    in_child("copies::a_pageable_copy_lasts_by_a_bandwidth_of_its_own", COSTS, || {
        let (queue, host, memory) = memories(&device(), HostKind::Pageable);
        // No gate may stand before it: the queue is kept busy, so that the first mark is passed when the copy is queued.
        queue.fill(&memory, 0).unwrap();
        let from = queue.mark().unwrap();
        queue.copy_in((&memory, 0), (&host, 0), BYTES).unwrap();
        let to = queue.mark().unwrap();
        queue.sync().unwrap();
        // The second mark is queued when the copy has ended, however late the host learns of it.
        assert!(to.since_s(&from).unwrap() >= 0.99 * (50e-6 + BYTES as f64 / 0.5e9));
    });
}

#[test]
fn copies_of_one_queue_follow_each_other() {
    in_child("copies::copies_of_one_queue_follow_each_other", COSTS, || {
        let (queue, host, memory) = memories(&device(), HostKind::Pinned);
        let elapsed = between_s(&queue, || {
            (0..3).for_each(|_| queue.copy_in((&memory, 0), (&host, 0), BYTES).unwrap());
        });
        near(elapsed, 3.0 * (50e-6 + BYTES as f64 / 2e9));
    });
}

#[test]
fn bytes_are_copied_and_set_within_the_device() {
    in_child("copies::bytes_are_copied_and_set_within_the_device", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let (first, second) = (device.memory(1000).unwrap(), device.memory(1000).unwrap());
        let host = device.host_memory(1000, HostKind::Pinned).unwrap();
        queue.fill(&first, 0xa5).unwrap();
        queue.fill(&second, 0).unwrap();
        queue.copy_within((&second, 100), (&first, 10), 50).unwrap();
        queue.copy_out((&host, 0), (&second, 0), 1000).unwrap();
        queue.sync().unwrap();
        let mut bytes = [1; 1000];
        host.read(0, &mut bytes).unwrap();
        let set = |at: &usize| (100..150).contains(at);
        assert!(bytes.iter().enumerate().all(|(at, byte)| *byte == if set(&at) { 0xa5 } else { 0 }));
    });
}

#[test]
fn a_driver_that_garbles_a_copy_is_seen_by_its_bytes() {
    in_child("copies::a_driver_that_garbles_a_copy_is_seen_by_its_bytes", &[("MOCK_WRONG", "2")], || {
        let device = device();
        let queue = device.queue().unwrap();
        let (from, to) = [(); 2].map(|()| device.host_memory(64, HostKind::Pinned).unwrap()).into();
        let memory = device.memory(64).unwrap();
        from.write(0, &[7; 64]).unwrap();
        queue.copy_in((&memory, 0), (&from, 0), 64).unwrap();
        queue.copy_out((&to, 0), (&memory, 0), 64).unwrap();
        queue.sync().unwrap();
        let mut back = [0; 64];
        to.read(0, &mut back).unwrap();
        assert_eq!(back.iter().filter(|byte| **byte != 7).count(), 1);
    });
}
