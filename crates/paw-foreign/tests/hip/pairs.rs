//! Two devices at once.

use paw_foreign::device::{Device, DeviceMemory, HostKind, HostMemory, Queue};

use crate::child::{TWO, between_s, devices, in_child, near, pattern};

const BYTES: usize = 4 << 20;

struct Side {
    queue: Queue,
    host: HostMemory,
    memory: DeviceMemory,
}

impl Side {
    fn of(device: &Device) -> Self {
        Side {
            queue: device.queue().unwrap(),
            host: device.host_memory(BYTES, HostKind::Pinned).unwrap(),
            memory: device.memory(BYTES).unwrap(),
        }
    }
}

fn peers(reach: bool) {
    let devices = devices(&[0, 1]);
    assert_eq!([devices[0].can_reach(&devices[1]), devices[1].can_reach(&devices[0])], [reach; 2]);
    let [first, second] = <[_; 2]>::try_from(devices.iter().map(Side::of).collect::<Vec<_>>()).ok().expect("two");
    let sent = pattern(BYTES, 1);
    second.host.write(0, &sent).unwrap();
    second.queue.copy_in((&second.memory, 0), (&second.host, 0), BYTES).unwrap();
    second.queue.sync().unwrap();
    let copied = || first.queue.copy_from_peer(&first.memory, &devices[1], &second.memory, BYTES).unwrap();
    let elapsed = between_s(&first.queue, copied);
    first.queue.copy_out((&first.host, 0), (&first.memory, 0), BYTES).unwrap();
    first.queue.sync().unwrap();
    let mut back = vec![0; BYTES];
    first.host.read(0, &mut back).unwrap();
    assert!(back == sent, "the peer's bytes came over");
    let bytes_s = if reach { 2e9 } else { 0.5e9 };
    let latency_s = if reach { 5e-6 } else { 10e-6 };
    near(elapsed, latency_s + BYTES as f64 / bytes_s);
}

const LINKS: [(&str, &str); 4] =
    [TWO[0], ("MOCK_HIP_IN_GBS", "1"), ("MOCK_HIP_OUT_GBS", "1"), ("MOCK_HIP_DEVICE_GBS", "2")];

#[test]
fn devices_that_reach_each_other_copy_directly() {
    let variables = [&LINKS[..], &[("MOCK_HIP_PEER", "1"), ("MOCK_HIP_PEER_GBS", "2")]].concat();
    in_child("pairs::devices_that_reach_each_other_copy_directly", &variables, || peers(true));
}

#[test]
fn devices_that_do_not_copy_through_the_host() {
    in_child("pairs::devices_that_do_not_copy_through_the_host", &LINKS, || peers(false));
}

#[test]
fn a_device_that_was_not_opened_together_is_no_peer() {
    in_child("pairs::a_device_that_was_not_opened_together_is_no_peer", TWO, || {
        let (alone, other) = (devices(&[0]).remove(0), devices(&[1]).remove(0));
        assert!(!alone.can_reach(&other));
        let (queue, to, from) = (alone.queue().unwrap(), alone.memory(10).unwrap(), other.memory(10).unwrap());
        let refused = queue.copy_from_peer(&to, &other, &from, 10).unwrap_err().to_string();
        assert_eq!(refused, "hip1 was not opened together with hip0");
    });
}

#[test]
fn memory_of_another_device_is_refused() {
    in_child("pairs::memory_of_another_device_is_refused", TWO, || {
        let devices = devices(&[0, 1]);
        let (queue, host) = (devices[0].queue().unwrap(), devices[0].host_memory(10, HostKind::Pinned).unwrap());
        let elsewhere = devices[1].memory(10).unwrap();
        let refused = queue.copy_in((&elsewhere, 0), (&host, 0), 10).unwrap_err().to_string();
        assert!(refused.contains("hip0 knows no Memory"), "{refused}");
    });
}

#[test]
fn both_are_used_from_one_thread_and_from_two() {
    in_child("pairs::both_are_used_from_one_thread_and_from_two", TWO, || {
        let devices = devices(&[0, 1]);
        let fill = |device: &Device| {
            let (queue, memory) = (device.queue().unwrap(), device.memory(100).unwrap());
            queue.fill(&memory, 1).unwrap();
            queue.sync().unwrap();
        };
        (0..3).flat_map(|_| &devices).for_each(fill);
        std::thread::scope(|scope| {
            for device in &devices {
                scope.spawn(move || fill(device));
            }
        });
    });
}
