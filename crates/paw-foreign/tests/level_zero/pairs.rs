//! Two devices opened together.

use paw_foreign::device::{DeviceError, DeviceMemory, Mover, PeerAccess};

use crate::child::{TWO, between_s, device, devices, in_child, near, pattern};
use crate::contents::{filled, read};
use crate::vendor::{OLD, PEERS};

#[test]
fn a_device_copies_from_its_peer() {
    in_child("pairs::a_device_copies_from_its_peer", PEERS, || {
        let both = devices(&[0, 1]);
        let queues = [both[0].queue().unwrap(), both[1].queue().unwrap()];
        assert!(both[0].can_reach(&both[1]) && both[1].can_reach(&both[0]) && !both[0].can_reach(&both[0]));
        let sent = pattern(10_000, 3);
        let (from, to) = (filled(&both[1], &queues[1], &sent), both[0].memory(10_000).unwrap());
        queues[0].copy_from_peer(&to, &both[1], &from, 10_000).unwrap();
        assert_eq!(read(&both[0], &queues[0], &to), sent);
    });
}

#[test]
fn devices_that_do_not_reach_each_other_say_so() {
    in_child("pairs::devices_that_do_not_reach_each_other_say_so", TWO, || {
        let both = devices(&[0, 1]);
        let queue = both[0].queue().unwrap();
        let (to, from) = (both[0].memory(64).unwrap(), both[1].memory(64).unwrap());
        assert!(!both[0].can_reach(&both[1]));
        let refused = queue.copy_from_peer(&to, &both[1], &from, 64).unwrap_err().to_string();
        assert!(refused.contains("ze0 cannot use the memory of ze1"), "{refused}");
    });
}

#[test]
fn a_device_that_was_opened_alone_has_no_peer() {
    in_child("pairs::a_device_that_was_opened_alone_has_no_peer", PEERS, || {
        let (first, second) = (device(), devices(&[1]).remove(0));
        let (queue, to, from) = (first.queue().unwrap(), first.memory(64).unwrap(), second.memory(64).unwrap());
        let Err(DeviceError::Unsupported(why)) = queue.copy_from_peer(&to, &second, &from, 64) else { panic!() };
        assert!(!first.can_reach(&second) && why.contains("not opened together"), "{why}");
    });
}

const BYTES: usize = 1 << 20;

/// Writes and reads the memory of a peer by each of these movers, and the seconds that all of it took behind a gate.
fn round_trips(movers: &[Mover]) -> f64 {
    let both = devices(&[0, 1]);
    let queue = both[0].queue().unwrap();
    let sent = pattern(BYTES, 7);
    let (own, theirs) = (filled(&both[0], &queue, &sent), both[1].memory(BYTES).unwrap());
    let back = both[0].memory(BYTES).unwrap();
    let copy = |own: &DeviceMemory, way| queue.copy_with_peer(own, (&both[1], &theirs), BYTES, way).unwrap();
    let elapsed_s = between_s(&queue, || {
        for mover in movers {
            copy(&own, (PeerAccess::Write, *mover));
            copy(&back, (PeerAccess::Read, *mover));
        }
    });
    assert!(both[0].kernels_reach(&both[1]) && read(&both[0], &queue, &back) == sent);
    elapsed_s
}

/// A copy between devices takes an engine that copies alone; where it and a kernel follow each other in a queue, one waits for the other.
#[test]
fn a_peer_is_read_and_written_by_a_copy_engine_and_by_a_kernel() {
    const NAME: &str = "pairs::a_peer_is_read_and_written_by_a_copy_engine_and_by_a_kernel";
    let costs = [("MOCK_PEER_GBS", "1"), ("MOCK_LATENCY_US", "5"), ("MOCK_LAUNCH_US", "5"), ("MOCK_APART", "1")];
    for order in [&[][..], OLD] {
        in_child(NAME, &[PEERS, &costs, order].concat(), || {
            let one_s = 2.0 * (5e-6 + BYTES as f64 / 1e9);
            near(round_trips(&[Mover::Engine]), one_s);
            near(round_trips(&[Mover::Kernel]), one_s);
            near(round_trips(&[Mover::Kernel, Mover::Engine, Mover::Kernel]), 3.0 * one_s);
        });
    }
}
