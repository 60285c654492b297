//! Two devices opened together.

use paw_foreign::device::DeviceError;

use crate::child::{TWO, device, devices, in_child, pattern};
use crate::contents::{filled, read};
use crate::vendor::PEERS;

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
        assert!(refused.contains("ze0 cannot read the memory of ze1"), "{refused}");
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
