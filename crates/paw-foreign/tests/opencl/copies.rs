//! What is copied arrives, from and to every kind of memory, at every offset.

use paw_foreign::device::{DeviceError, HostKind};
use pocl::{ONE, in_child};

use crate::opened::{device, pattern};

const KINDS: [HostKind; 4] = [HostKind::Pageable, HostKind::Pinned, HostKind::Registered, HostKind::Mapped];
/// Not a multiple of any element, so that ends are copied too.
const BYTES: usize = 100_003;
const OFFSETS: [usize; 5] = [0, 1, 4, 8, 64];

#[test]
fn bytes_arrive_from_and_at_every_kind_of_memory_of_the_host() {
    in_child("copies::bytes_arrive_from_and_at_every_kind_of_memory_of_the_host", ONE, || {
        let device = device();
        let queue = device.queue().unwrap();
        for (seed, kind) in KINDS.into_iter().enumerate() {
            for (host_offset, device_offset) in OFFSETS.into_iter().flat_map(|a| OFFSETS.map(|b| (a, b))) {
                let sent = device.host_memory(host_offset + BYTES, kind).unwrap();
                let received = device.host_memory(host_offset + BYTES, kind).unwrap();
                let memory = device.memory(device_offset + BYTES).unwrap();
                let bytes = pattern(BYTES, seed);
                sent.write(host_offset, &bytes).unwrap();
                queue.copy_in((&memory, device_offset), (&sent, host_offset), BYTES).unwrap();
                queue.copy_out((&received, host_offset), (&memory, device_offset), BYTES).unwrap();
                queue.sync().unwrap();
                let mut read = vec![0; BYTES];
                received.read(host_offset, &mut read).unwrap();
                assert!(read == bytes, "{} at {host_offset}, device at {device_offset}", kind.name());
                let mut before = vec![1; host_offset];
                received.read(0, &mut before).unwrap();
                assert!(before.iter().all(|&byte| byte == 0), "{}: bytes before the place changed", kind.name());
            }
        }
    });
}

#[test]
fn memory_of_the_host_is_zero_and_keeps_what_is_written() {
    in_child("copies::memory_of_the_host_is_zero_and_keeps_what_is_written", ONE, || {
        let device = device();
        for kind in KINDS {
            let memory = device.host_memory(5000, kind).unwrap();
            let mut bytes = vec![1; 5000];
            memory.read(0, &mut bytes).unwrap();
            assert!(bytes.iter().all(|&byte| byte == 0), "{}", kind.name());
            memory.write(4990, &[7; 10]).unwrap();
            memory.read(4985, &mut bytes[..15]).unwrap();
            assert_eq!(bytes[..15], [0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7], "{}", kind.name());
            memory.read(5000, &mut []).unwrap();
            assert!(matches!(memory.write(4999, &[1, 2]), Err(DeviceError::Beyond { .. })));
        }
    });
}

#[test]
fn memory_given_back_while_it_is_copied_stays_until_that_is_done() {
    in_child("copies::memory_given_back_while_it_is_copied_stays_until_that_is_done", ONE, || {
        let device = device();
        let queue = device.queue().unwrap();
        let memory = device.memory(BYTES).unwrap();
        let back = device.host_memory(BYTES, HostKind::Pageable).unwrap();
        for kind in KINDS {
            let gate = queue.gate().unwrap();
            let sent = device.host_memory(BYTES, kind).unwrap();
            sent.write(0, &pattern(BYTES, 9)).unwrap();
            queue.copy_in((&memory, 0), (&sent, 0), BYTES).unwrap();
            drop(sent);
            gate.open().unwrap();
            queue.copy_out((&back, 0), (&memory, 0), BYTES).unwrap();
            queue.sync().unwrap();
            let mut read = vec![0; BYTES];
            back.read(0, &mut read).unwrap();
            assert!(read == pattern(BYTES, 9), "{}", kind.name());
            queue.fill(&memory, 0).unwrap();
        }
    });
}

#[test]
fn memory_of_a_device_is_filled_and_copied_within() {
    in_child("copies::memory_of_a_device_is_filled_and_copied_within", ONE, || {
        let device = device();
        let queue = device.queue().unwrap();
        let (first, second) = (device.memory(1000).unwrap(), device.memory(1000).unwrap());
        let host = device.host_memory(1000, HostKind::Pinned).unwrap();
        queue.fill(&first, 3).unwrap();
        queue.fill(&second, 5).unwrap();
        queue.copy_within((&second, 100), (&first, 0), 200).unwrap();
        queue.copy_out((&host, 0), (&second, 0), 1000).unwrap();
        queue.flush().unwrap();
        queue.sync().unwrap();
        let mut read = vec![0; 1000];
        host.read(0, &mut read).unwrap();
        let expected: Vec<u8> = (0..1000).map(|i| if (100..300).contains(&i) { 3 } else { 5 }).collect();
        assert!(read == expected);
        first.free().unwrap();
    });
}

#[test]
fn more_memory_than_there_is_is_refused() {
    in_child("copies::more_memory_than_there_is_is_refused", ONE, || {
        let device = device();
        let bytes = device.facts().allocation_bytes as usize;
        let Err(refused) = device.memory(bytes.saturating_mul(4)) else { panic!("four times the most was granted") };
        assert!(matches!(refused, DeviceError::NoMemory { .. }), "{refused}");
        assert!(refused.to_string().ends_with("choose a smaller size"), "{refused}");
        let refused = device.host_memory(usize::MAX - 100, HostKind::Pageable).err().expect("no host has that much");
        assert!(matches!(refused, DeviceError::NoMemory { what: "the host", .. }), "{refused}");
        assert!(device.memory(0).is_err());
    });
}

#[test]
fn a_pool_is_refused_in_a_sentence() {
    in_child("copies::a_pool_is_refused_in_a_sentence", ONE, || {
        let device = device();
        assert!(!device.caps().pool);
        let queue = device.queue().unwrap();
        let refused = device.pool_memory(&queue, 8).err().expect("OpenCL has no pool");
        assert!(refused.to_string().starts_with("OpenCL has no pool of memory"), "{refused}");
    });
}
