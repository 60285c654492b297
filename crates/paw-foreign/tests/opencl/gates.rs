//! Marks and gates in queues.

use paw_foreign::device::HostKind;
use pocl::{ONE, TWO, in_child};

use crate::opened::{device, devices};

#[test]
fn marks_tell_the_time_between_them() {
    in_child("gates::marks_tell_the_time_between_them", ONE, || {
        let device = device();
        assert!(device.caps().marks);
        let queue = device.queue().unwrap();
        let memory = device.memory(8 << 20).unwrap();
        let first = queue.mark().unwrap();
        queue.fill(&memory, 1).unwrap();
        let second = queue.mark().unwrap();
        queue.sync().unwrap();
        let elapsed_s = second.since_s(&first).unwrap();
        assert!(elapsed_s > 0.0, "8 MiB were set in {elapsed_s} s");
        // Told as it is, even backwards.
        assert_eq!(first.since_s(&second).unwrap(), -elapsed_s);
        assert_eq!(first.since_s(&first).unwrap(), 0.0);
    });
}

#[test]
fn a_mark_that_was_not_passed_has_no_time() {
    in_child("gates::a_mark_that_was_not_passed_has_no_time", ONE, || {
        let device = device();
        let queue = device.queue().unwrap();
        let gate = queue.gate().unwrap();
        let mark = queue.mark().unwrap();
        queue.flush().unwrap();
        let refused = mark.since_s(&mark).unwrap_err().to_string();
        assert_eq!(refused, "clGetEventProfilingInfo failed with -7 (CL_PROFILING_INFO_NOT_AVAILABLE)");
        gate.open().unwrap();
        queue.sync().unwrap();
        assert_eq!(mark.since_s(&mark).unwrap(), 0.0);
    });
}

#[test]
fn a_gate_holds_back_what_is_queued_and_lets_it_go() {
    in_child("gates::a_gate_holds_back_what_is_queued_and_lets_it_go", ONE, || {
        let device = device();
        assert!(device.caps().gate);
        let (queue, other) = (device.queue().unwrap(), device.queue().unwrap());
        let memory = device.memory(64).unwrap();
        let host = device.host_memory(64, HostKind::Pinned).unwrap();
        let first_byte = || {
            other.copy_out((&host, 0), (&memory, 0), 64).unwrap();
            other.sync().unwrap();
            let mut read = [0; 1];
            host.read(0, &mut read).unwrap();
            read[0]
        };
        queue.fill(&memory, 1).unwrap();
        queue.sync().unwrap();
        let gate = queue.gate().unwrap();
        queue.fill(&memory, 2).unwrap();
        queue.flush().unwrap();
        assert_eq!(first_byte(), 1, "the gate is closed");
        gate.open().unwrap();
        queue.sync().unwrap();
        assert_eq!(first_byte(), 2, "the gate is open");
    });
}

#[test]
fn waiting_behind_a_closed_gate_is_refused_at_once() {
    in_child("gates::waiting_behind_a_closed_gate_is_refused_at_once", ONE, || {
        let device = device();
        let queue = device.queue().unwrap();
        let gate = queue.gate().unwrap();
        let refused = queue.sync().unwrap_err().to_string();
        assert!(refused.contains("open the gate before waiting"), "{refused}");
        gate.open().unwrap();
        queue.sync().unwrap();
    });
}

#[test]
fn a_gate_that_is_dropped_or_left_behind_opens() {
    in_child("gates::a_gate_that_is_dropped_or_left_behind_opens", ONE, || {
        let device = device();
        let queue = device.queue().unwrap();
        let memory = device.memory(64).unwrap();
        drop(queue.gate().unwrap());
        queue.fill(&memory, 1).unwrap();
        queue.sync().unwrap();
        let gate = queue.gate().unwrap();
        queue.fill(&memory, 2).unwrap();
        // Its queue goes first.
        drop(queue);
        gate.open().unwrap();
        // Nobody opens this one, and its device goes.
        let queue = device.queue().unwrap();
        std::mem::forget(queue.gate().unwrap());
        queue.fill(&memory, 3).unwrap();
        drop((queue, memory, device));
    });
}

#[test]
fn two_devices_have_gates_of_their_own() {
    in_child("gates::two_devices_have_gates_of_their_own", TWO, || {
        let devices = devices(&[0, 1]);
        let queues = devices.iter().map(|device| device.queue().unwrap()).collect::<Vec<_>>();
        let gates = queues.iter().map(|queue| queue.gate().unwrap()).collect::<Vec<_>>();
        for gate in gates {
            gate.open().unwrap();
        }
        for queue in &queues {
            queue.sync().unwrap();
        }
    });
}
