//! Threads of this test bound, read back, restored: on the processors it was given, however many.

use std::thread;

use paw_machine::affinity::{AffinityError, BindTarget, allowed, bind};
use paw_machine::cpuset::CpuSet;
use paw_machine::root::Root;
use paw_machine::topology::Topology;

/// Runs on a thread of its own, so that tests do not bind each other.
fn apart(test: impl FnOnce() + Send + 'static) {
    thread::spawn(test).join().unwrap();
}

#[test]
fn a_thread_is_bound_read_back_and_restored() {
    apart(|| {
        let before = allowed(BindTarget::Thread).unwrap();
        let one = CpuSet::from([before.last().unwrap()]);
        let binding = bind(BindTarget::Thread, &one).unwrap();
        assert_eq!(allowed(BindTarget::Thread).unwrap(), one);
        binding.restore().unwrap();
        assert_eq!(allowed(BindTarget::Thread).unwrap(), before);
    });
}

#[test]
fn a_thread_started_by_a_bound_one_inherits_its_processors() {
    apart(|| {
        let one = CpuSet::from([allowed(BindTarget::Thread).unwrap().first().unwrap()]);
        let binding = bind(BindTarget::Thread, &one).unwrap();
        assert_eq!(thread::spawn(|| allowed(BindTarget::Thread).unwrap()).join().unwrap(), one);
        binding.restore().unwrap();
    });
}

#[test]
fn binding_to_nothing_is_refused() {
    assert!(matches!(bind(BindTarget::Thread, &CpuSet::new()), Err(AffinityError::Empty)));
}

#[test]
fn processors_that_are_not_there_are_refused_by_number() {
    apart(|| {
        let before = allowed(BindTarget::Thread).unwrap();
        let error = bind(BindTarget::Thread, &CpuSet::from([60_000])).unwrap_err();
        assert!(error.to_string().contains("60000"), "{error}");
        // Some there and some not: the kernel takes what there is, and we do not.
        let partly = before.union(&CpuSet::from([60_000]));
        let error = bind(BindTarget::Thread, &partly).unwrap_err();
        assert!(error.to_string().contains("60000"), "{error}");
        assert_eq!(allowed(BindTarget::Thread).unwrap(), before);
    });
}

#[test]
fn a_thread_that_does_not_exist_is_an_error() {
    // Kernel ids end at 4,194,304 (PID_MAX_LIMIT).
    let error = allowed(BindTarget::Tid(i32::MAX)).unwrap_err();
    assert!(error.to_string().contains("thread 2147483647 cannot be read"), "{error}");
}

#[test]
fn this_host_is_read_without_contradiction() {
    let root = Root::host();
    let here = Topology::read(&root).unwrap();
    assert!(!here.allowed().is_empty());
    assert!(here.allowed().difference(&here.online()).is_empty());
    assert_eq!(here.cores.iter().map(|c| c.cpus.len()).sum::<usize>(), here.cpus.len());
    assert_eq!(here.packages.iter().map(|p| p.cpus.len()).sum::<usize>(), here.cpus.len());
    let identity = paw_machine::identity::identity(&root, &here);
    assert_eq!(identity.fingerprint, paw_machine::identity::fingerprint(&identity));
    assert!(!identity.kernel.is_empty() && !identity.arch.is_empty());
}
