//! Memory that is made and given back.

use paw_foreign::device::{DeviceError, HostKind};

use crate::child::{USUAL, device, in_child};

#[test]
fn more_than_a_device_has_is_refused_with_both_sizes() {
    in_child(
        "memories::more_than_a_device_has_is_refused_with_both_sizes",
        &[("MOCK_MEMORY_BYTES", "1000000")],
        || {
            let device = device();
            let half = device.memory(500_000).unwrap();
            let refused = device.memory(500_001).err();
            assert_eq!(refused, Some(DeviceError::NoMemory { bytes: 500_001, what: "the device" }));
            half.free().unwrap();
            device.memory(500_001).unwrap();
        },
    );
}

#[test]
fn the_pool_gives_memory_in_the_order_of_a_queue() {
    let costs = [("MOCK_MEMORY_BYTES", "1000000")];
    in_child("memories::the_pool_gives_memory_in_the_order_of_a_queue", &costs, || {
        let device = device();
        let queue = device.queue().unwrap();
        for _ in 0..10 {
            let memory = device.pool_memory(&queue, 600_000).unwrap();
            queue.fill(&memory, 1).unwrap();
            memory.free().unwrap();
        }
        let refused = device.pool_memory(&queue, 2_000_000).err();
        assert_eq!(refused, Some(DeviceError::NoMemory { bytes: 2_000_000, what: "the device" }));
        // One that outlives its queue goes back too.
        let memory = device.pool_memory(&queue, 600_000).unwrap();
        drop(queue);
        memory.free().unwrap();
        device.memory(600_000).unwrap();
    });
}

#[test]
fn memory_that_is_freed_after_a_copy_was_queued_waits_for_it() {
    in_child("memories::memory_that_is_freed_after_a_copy_was_queued_waits_for_it", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        for kind in [HostKind::Pageable, HostKind::Pinned, HostKind::Registered, HostKind::Mapped] {
            let (host, memory) = (device.host_memory(1 << 20, kind).unwrap(), device.memory(1 << 20).unwrap());
            let from = queue.mark().unwrap();
            queue.copy_in((&memory, 0), (&host, 0), 1 << 20).unwrap();
            let to = queue.mark().unwrap();
            drop(host);
            // Passed already, though nobody waited.
            assert!(to.since_s(&from).unwrap() > 0.0, "{kind:?}");
        }
    });
}

#[test]
fn parts_beyond_a_memory_are_refused() {
    in_child("memories::parts_beyond_a_memory_are_refused", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let (host, memory) = (device.host_memory(100, HostKind::Pinned).unwrap(), device.memory(100).unwrap());
        let beyond = |offset, end| Err(DeviceError::Beyond { offset, end, bytes: 100 });
        assert_eq!(queue.copy_in((&memory, 1), (&host, 0), 100), beyond(1, 101));
        assert_eq!(queue.copy_out((&host, 90), (&memory, 0), 20), beyond(90, 110));
        assert_eq!(host.write(99, &[0; 2]), beyond(99, 101));
        assert_eq!(host.read(usize::MAX, &mut [0; 2]), beyond(usize::MAX, usize::MAX));
    });
}

#[test]
fn memory_of_the_host_begins_with_zeros_and_keeps_what_is_written() {
    in_child("memories::memory_of_the_host_begins_with_zeros_and_keeps_what_is_written", USUAL, || {
        let device = device();
        for kind in [HostKind::Pageable, HostKind::Pinned, HostKind::Registered, HostKind::Mapped] {
            let host = device.host_memory(10_000, kind).unwrap();
            host.write(5000, &[1, 2, 3]).unwrap();
            let mut read = [9; 5];
            host.read(4999, &mut read).unwrap();
            assert_eq!((read, host.kind(), host.bytes()), ([0, 1, 2, 3, 0], kind, 10_000));
        }
    });
}
