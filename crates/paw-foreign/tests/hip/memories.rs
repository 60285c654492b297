//! Memory that is made and given back.

use paw_foreign::device::{DeviceError, HostKind};

use crate::child::{USUAL, device, in_child};

#[test]
fn more_than_a_device_has_is_refused_with_both_sizes() {
    in_child(
        "memories::more_than_a_device_has_is_refused_with_both_sizes",
        &[("MOCK_HIP_MEMORY_BYTES", "1000000")],
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
    let costs = [("MOCK_HIP_MEMORY_BYTES", "1000000")];
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
