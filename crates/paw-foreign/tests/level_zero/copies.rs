//! Copies between host and device: bytes, and times by the device's clock.

use paw_foreign::device::{DeviceError, HostKind};

use crate::child::{USUAL, between_s, device, in_child, near, there_and_back};
use crate::contents::{filled, read};
use crate::vendor::OLD;

const KINDS: [HostKind; 4] = [HostKind::Pageable, HostKind::Pinned, HostKind::Registered, HostKind::Mapped];
const BYTES: usize = 4 << 20;
const COSTS: &[(&str, &str)] =
    &[("MOCK_IN_GBS", "2"), ("MOCK_OUT_GBS", "1"), ("MOCK_LATENCY_US", "50"), ("MOCK_LAUNCH_US", "30")];

fn every_kind() {
    let device = device();
    for kind in KINDS {
        for (bytes, offset) in [(0, 0), (1, 0), (4096, 0), (100_000, 4), (100_001, 7), (1 << 20, 64)] {
            there_and_back(&device, kind, bytes, offset);
        }
    }
}

#[test]
fn bytes_come_back_as_they_went_from_memory_of_every_kind() {
    in_child("copies::bytes_come_back_as_they_went_from_memory_of_every_kind", USUAL, every_kind);
}

#[test]
fn barriers_keep_the_queues_of_an_old_driver_in_order() {
    in_child("copies::barriers_keep_the_queues_of_an_old_driver_in_order", OLD, every_kind);
}

#[test]
fn barriers_keep_the_order_where_the_flag_for_it_is_refused() {
    let refused = [("MOCK_NO_ORDER", "1")];
    in_child("copies::barriers_keep_the_order_where_the_flag_for_it_is_refused", &refused, every_kind);
}

#[test]
fn a_copy_lasts_its_latency_and_its_bytes_over_the_bandwidth() {
    in_child("copies::a_copy_lasts_its_latency_and_its_bytes_over_the_bandwidth", COSTS, || {
        let device = device();
        let (queue, memory) = (device.queue().unwrap(), device.memory(BYTES).unwrap());
        // Mapped memory is copied by a kernel.
        let cases = [(HostKind::Pinned, 50e-6), (HostKind::Registered, 50e-6), (HostKind::Mapped, 30e-6)];
        for (kind, latency_s) in cases {
            let host = device.host_memory(BYTES, kind).unwrap();
            let copied_in = between_s(&queue, || queue.copy_in((&memory, 0), (&host, 0), BYTES).unwrap());
            near(copied_in, latency_s + BYTES as f64 / 2e9);
            let copied_out = between_s(&queue, || queue.copy_out((&host, 0), (&memory, 0), BYTES).unwrap());
            near(copied_out, latency_s + BYTES as f64 / 1e9);
        }
    });
}

#[test]
fn the_clock_of_a_driver_before_1_2_is_read_in_nanoseconds_a_tick() {
    let older = [COSTS, &[("MOCK_API", "1.1")]].concat();
    in_child("copies::the_clock_of_a_driver_before_1_2_is_read_in_nanoseconds_a_tick", &older, || {
        let device = device();
        let (queue, memory) = (device.queue().unwrap(), device.memory(BYTES).unwrap());
        let host = device.host_memory(BYTES, HostKind::Pinned).unwrap();
        let copied = between_s(&queue, || queue.copy_in((&memory, 0), (&host, 0), BYTES).unwrap());
        // 52 ns a tick in place of 52.08.
        near(copied * (1e9 / 19.2e6) / 52.0, 50e-6 + BYTES as f64 / 2e9);
    });
}

#[test]
fn bytes_are_copied_and_set_within_the_device() {
    in_child("copies::bytes_are_copied_and_set_within_the_device", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let (first, second) = (device.memory(1000).unwrap(), filled(&device, &queue, &[0; 1000]));
        queue.fill(&first, 0xa5).unwrap();
        queue.copy_within((&second, 100), (&first, 10), 50).unwrap();
        let set = |at: usize| (100..150).contains(&at);
        let bytes = read(&device, &queue, &second);
        assert!(bytes.iter().enumerate().all(|(at, byte)| *byte == if set(at) { 0xa5 } else { 0 }));
    });
}

#[test]
fn memory_that_is_given_back_is_kept_until_its_copies_are_done() {
    in_child("copies::memory_that_is_given_back_is_kept_until_its_copies_are_done", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let memory = device.memory(BYTES).unwrap();
        for kind in [HostKind::Pinned, HostKind::Registered] {
            let host = device.host_memory(BYTES, kind).unwrap();
            let gate = queue.gate().unwrap();
            queue.copy_in((&memory, 0), (&host, 0), BYTES).unwrap();
            drop(host);
            gate.open().unwrap();
            queue.sync().unwrap();
        }
    });
}

#[test]
fn what_a_driver_cannot_do_is_said_in_a_sentence() {
    let without = [("MOCK_NO_EXTENSION", "1"), ("MOCK_MEMORY_BYTES", "67108864")];
    in_child("copies::what_a_driver_cannot_do_is_said_in_a_sentence", &without, || {
        let device = device();
        let Err(DeviceError::Unsupported(why)) = device.host_memory(4096, HostKind::Registered) else { panic!() };
        assert!(why.contains("choose host=pinned"), "{why}");
        // The driver allocates half of its memory at once, and no more.
        let short = DeviceError::NoMemory { bytes: 40 << 20, what: "the device" };
        assert_eq!(device.memory(40 << 20).err(), Some(short));
        let queue = device.queue().unwrap();
        assert!(device.pool_memory(&queue, 64).is_err_and(|error| error.to_string().contains("no pool")));
    });
}
