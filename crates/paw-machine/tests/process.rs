//! A whole process bound and restored, in a program of its own because it binds every other test too.

use std::sync::mpsc;
use std::thread;

use paw_machine::affinity::{BindTarget, allowed, bind};
use paw_machine::cpuset::CpuSet;

#[test]
fn every_thread_of_a_process_is_bound_and_restored() {
    let (ask, asked) = mpsc::channel::<()>();
    let (tell, told) = mpsc::channel();
    let other = thread::spawn(move || {
        for () in asked {
            tell.send(allowed(BindTarget::Thread).unwrap()).unwrap();
        }
    });
    let of_other = || {
        ask.send(()).unwrap();
        told.recv().unwrap()
    };
    let before = of_other();
    let one = CpuSet::from([before.first().unwrap()]);
    let binding = bind(BindTarget::Process, &one).unwrap();
    assert_eq!(of_other(), one);
    assert_eq!(allowed(BindTarget::Process).unwrap(), one);
    binding.restore().unwrap();
    assert_eq!(of_other(), before);
    drop(ask);
    other.join().unwrap();
}
