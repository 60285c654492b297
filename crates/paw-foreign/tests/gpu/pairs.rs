//! Two devices at once.

use paw_foreign::device::{Device, DeviceMemory, HostKind, HostMemory, Mark, Mover, PeerAccess, Queue};

use crate::child::{TWO, between_s, devices, in_child, near, pattern};
use crate::vendor::BACKEND;

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

    fn marked_copy(&self) -> (Mark, Mark) {
        let from = self.queue.mark().unwrap();
        self.queue.copy_in((&self.memory, 0), (&self.host, 0), BYTES).unwrap();
        (from, self.queue.mark().unwrap())
    }
}

/// Seconds that each of two copies takes that begin behind gates.
fn together_s() -> Vec<f64> {
    let devices = devices(&[0, 1]);
    let sides: Vec<Side> = devices.iter().map(Side::of).collect();
    let gates: Vec<_> = sides.iter().map(|side| side.queue.gate().unwrap()).collect();
    let marks: Vec<_> = sides.iter().map(Side::marked_copy).collect();
    gates.into_iter().for_each(|gate| gate.open().unwrap());
    sides.iter().for_each(|side| side.queue.sync().unwrap());
    marks.iter().map(|(from, to)| to.since_s(from).unwrap()).collect()
}

const SLOW: [(&str, &str); 3] = [("MOCK_DEVICES", "2"), ("MOCK_IN_GBS", "0.1"), ("MOCK_LATENCY_US", "10")];

#[test]
fn devices_with_links_of_their_own_do_not_disturb_each_other() {
    in_child("pairs::devices_with_links_of_their_own_do_not_disturb_each_other", &SLOW, || {
        together_s().into_iter().for_each(|elapsed| near(elapsed, 10e-6 + BYTES as f64 / 0.1e9));
    });
}

#[test]
fn devices_on_one_bus_share_it() {
    let shared = [SLOW[0], SLOW[1], SLOW[2], ("MOCK_SHARED_BUS", "1")];
    in_child("pairs::devices_on_one_bus_share_it", &shared, || {
        let alone = 10e-6 + BYTES as f64 / 0.1e9;
        let elapsed = together_s();
        // Each takes twice as long while both are at work; the one that began first has as little left as the other was late.
        assert!(elapsed.iter().all(|elapsed| *elapsed > 1.5 * alone && *elapsed < 2.05 * alone), "{elapsed:?}");
    });
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

const LINKS: [(&str, &str); 4] = [TWO[0], ("MOCK_IN_GBS", "1"), ("MOCK_OUT_GBS", "1"), ("MOCK_DEVICE_GBS", "2")];

#[test]
fn devices_that_reach_each_other_copy_directly() {
    let variables = [&LINKS[..], &[("MOCK_PEER", "1"), ("MOCK_PEER_GBS", "2")]].concat();
    in_child("pairs::devices_that_reach_each_other_copy_directly", &variables, || peers(true));
}

#[test]
fn a_kernel_reads_and_writes_the_memory_of_a_peer_that_is_reached() {
    let variables = [TWO[0], ("MOCK_PEER", "1")];
    in_child("pairs::a_kernel_reads_and_writes_the_memory_of_a_peer_that_is_reached", &variables, || {
        let devices = devices(&[0, 1]);
        let [here, there] = [&devices[0], &devices[1]].map(Side::of);
        assert!(devices[0].kernels_reach(&devices[1]));
        here.host.write(0, &pattern(BYTES, 5)).unwrap();
        here.queue.copy_in((&here.memory, 0), (&here.host, 0), BYTES).unwrap();
        let copy = |own: &DeviceMemory, access| {
            let peer = (&devices[1], &there.memory);
            here.queue.copy_with_peer(own, peer, BYTES, (access, Mover::Kernel)).unwrap();
        };
        copy(&here.memory, PeerAccess::Write);
        let back = devices[0].memory(BYTES).unwrap();
        copy(&back, PeerAccess::Read);
        here.queue.copy_out((&here.host, 0), (&back, 0), BYTES).unwrap();
        here.queue.sync().unwrap();
        let mut arrived = vec![0; BYTES];
        here.host.read(0, &mut arrived).unwrap();
        assert!(arrived == pattern(BYTES, 5), "other bytes arrived");
    });
}

#[test]
fn a_kernel_of_a_device_that_does_not_reach_another_is_refused_its_memory() {
    in_child("pairs::a_kernel_of_a_device_that_does_not_reach_another_is_refused_its_memory", TWO, || {
        let devices = devices(&[0, 1]);
        let [here, there] = [&devices[0], &devices[1]].map(Side::of);
        assert!(!devices[0].kernels_reach(&devices[1]));
        let peer = (&devices[1], &there.memory);
        let refused = here.queue.copy_with_peer(&here.memory, peer, 16, (PeerAccess::Read, Mover::Kernel));
        let expected = format!("kernels of {BACKEND}0 cannot use the memory of {BACKEND}1 without the host");
        assert_eq!(refused.unwrap_err().to_string(), expected);
    });
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
        assert_eq!(refused, format!("{BACKEND}1 was not opened together with {BACKEND}0"));
    });
}

#[test]
fn memory_of_another_device_is_refused() {
    in_child("pairs::memory_of_another_device_is_refused", TWO, || {
        let devices = devices(&[0, 1]);
        let (queue, host) = (devices[0].queue().unwrap(), devices[0].host_memory(10, HostKind::Pinned).unwrap());
        let elsewhere = devices[1].memory(10).unwrap();
        let refused = queue.copy_in((&elsewhere, 0), (&host, 0), 10).unwrap_err().to_string();
        assert!(refused.contains(&format!("{BACKEND}0 knows no Memory")), "{refused}");
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
