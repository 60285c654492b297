//! Two devices of one platform, opened together.

use paw_foreign::device::{Backend, HostKind, open};
use pocl::{ONE, TWO, in_child};

use crate::opened::{device, devices, pattern};

#[test]
fn a_device_copies_from_another_that_was_opened_with_it() {
    in_child("pairs::a_device_copies_from_another_that_was_opened_with_it", TWO, || {
        let both = devices(&[0, 1]);
        assert_eq!(both.iter().map(|d| d.facts().id()).collect::<Vec<_>>(), ["opencl0", "opencl1"]);
        assert!(both[1].can_reach(&both[0]) && both[0].can_reach(&both[1]));
        let queues = both.iter().map(|device| device.queue().unwrap()).collect::<Vec<_>>();
        let memories = both.iter().map(|device| device.memory(4096).unwrap()).collect::<Vec<_>>();
        let hosts = both.iter().map(|device| device.host_memory(4096, HostKind::Pinned).unwrap()).collect::<Vec<_>>();
        hosts[0].write(0, &pattern(4096, 5)).unwrap();
        queues[0].copy_in((&memories[0], 0), (&hosts[0], 0), 4096).unwrap();
        queues[0].sync().unwrap();
        queues[1].copy_from_peer(&memories[1], &both[0], &memories[0], 4096).unwrap();
        queues[1].copy_out((&hosts[1], 0), (&memories[1], 0), 4096).unwrap();
        queues[1].sync().unwrap();
        let mut read = vec![0; 4096];
        hosts[1].read(0, &mut read).unwrap();
        assert!(read == pattern(4096, 5));
    });
}

#[test]
fn devices_that_were_opened_apart_do_not_reach_each_other() {
    in_child("pairs::devices_that_were_opened_apart_do_not_reach_each_other", TWO, || {
        let (first, second) = (devices(&[0]).remove(0), devices(&[1]).remove(0));
        assert!(!second.can_reach(&first));
        let queue = second.queue().unwrap();
        let (to, from) = (second.memory(64).unwrap(), first.memory(64).unwrap());
        let refused = queue.copy_from_peer(&to, &first, &from, 64).unwrap_err().to_string();
        assert!(refused.contains("opencl1 does not reach opencl0"), "{refused}");
    });
}

#[test]
fn two_devices_work_at_once_from_two_threads() {
    in_child("pairs::two_devices_work_at_once_from_two_threads", TWO, || {
        let both = devices(&[1, 0]);
        assert_eq!(both.iter().map(|d| d.facts().index).collect::<Vec<_>>(), [1, 0]);
        std::thread::scope(|scope| {
            for (seed, device) in both.iter().enumerate() {
                scope.spawn(move || {
                    let queue = device.queue().unwrap();
                    let memory = device.memory(1 << 16).unwrap();
                    let host = device.host_memory(1 << 16, HostKind::Pageable).unwrap();
                    let back = device.host_memory(1 << 16, HostKind::Registered).unwrap();
                    host.write(0, &pattern(1 << 16, seed)).unwrap();
                    for _ in 0..20 {
                        queue.copy_in((&memory, 0), (&host, 0), 1 << 16).unwrap();
                        queue.copy_out((&back, 0), (&memory, 0), 1 << 16).unwrap();
                        queue.sync().unwrap();
                    }
                    let mut read = vec![0; 1 << 16];
                    back.read(0, &mut read).unwrap();
                    assert!(read == pattern(1 << 16, seed));
                });
            }
        });
    });
}

#[test]
fn a_device_that_is_not_there_is_named_with_those_that_are() {
    in_child("pairs::a_device_that_is_not_there_is_named_with_those_that_are", ONE, || {
        let refused = open(Backend::OpenCl, &[0, 7]).err().expect("there is one device");
        assert_eq!(refused, "there is no device opencl7; the devices of OpenCL here are opencl0 to opencl0");
        drop(device());
    });
}
