//! The three numbers of a sample.

use paw_devices::operation::{IssueMode, Operation};
use paw_devices::timing::{Measured, Timing};
use paw_foreign::device::{Device, DeviceError, DeviceMemory, HostKind, HostMemory, Queue};
use paw_measure::clock::Clock;
use paw_measure::clock::scripted::Script;

use crate::device::{ABSURD, Behind, HONEST, Habits, device, driver};

/// Copies of a megabyte.
pub struct CopyIn {
    host: HostMemory,
    memory: DeviceMemory,
    bytes: usize,
    kind: HostKind,
    /// Filled as well, where there is one.
    other: Option<Queue>,
}

impl CopyIn {
    pub fn new(device: &Device, bytes: usize, kind: HostKind) -> Self {
        let host = device.host_memory(bytes, kind).expect("memory");
        CopyIn { host, memory: device.memory(bytes).expect("memory"), bytes, kind, other: None }
    }
}

impl Operation for CopyIn {
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        queue.copy_in((&self.memory, 0), (&self.host, 0), self.bytes)?;
        match &self.other {
            Some(other) => other.copy_in((&self.memory, 0), (&self.host, 0), self.bytes),
            None => Ok(()),
        }
    }

    fn may_be_gated(&self) -> bool {
        self.kind.is_locked()
    }

    fn other_queue(&self) -> Option<&Queue> {
        self.other.as_ref()
    }
}

const BYTES: usize = 90_000;
/// 10 µs and 90 µs.
const COPY_S: f64 = 100e-6;

fn timing(mode: IssueMode) -> Timing {
    Timing { mode, trusts_marks: true, has_gate: true }
}

fn sampled(habits: Habits, mode: IssueMode, loops: u64) -> Measured {
    let script = Script::new(1e-9, 0.0);
    let device = device(0, habits, &script);
    let queue = device.queue().expect("a queue");
    let mut copy = CopyIn::new(&device, BYTES, HostKind::Pinned);
    timing(mode).sample(&mut copy, &queue, loops, &Clock::Scripted(script)).expect("it copies")
}

fn close(seen: Option<f64>, expected: f64) {
    let seen = seen.expect("it is given");
    assert!((seen / expected - 1.0).abs() < 1e-6, "{seen} instead of {expected}");
}

#[test]
fn the_host_pays_for_queueing_and_waiting_each_time() {
    let each = sampled(HONEST, IssueMode::Isolated, 10);
    // The last wait finds nothing to wait for.
    close(Some(each.host_s), 10.0 * (1e-6 + COPY_S + 5e-6) + 5e-6);
}

#[test]
fn a_batch_is_waited_for_once() {
    let batch = sampled(HONEST, IssueMode::BackToBack, 10);
    close(Some(batch.host_s), 1e-6 + 10.0 * COPY_S + 5e-6);
}

#[test]
fn the_devices_clock_sees_what_is_queued_without_pause() {
    // The mark is passed before the first copy is queued.
    close(sampled(HONEST, IssueMode::Isolated, 10).event_s, 1e-6 + 10.0 * COPY_S);
}

#[test]
fn behind_a_gate_the_device_never_waits_for_the_host() {
    // The host takes longer to queue a copy than the device to do it.
    let slow_host = Habits { enqueue_s: 300e-6, ..HONEST };
    let seen = sampled(slow_host, IssueMode::Isolated, 10);
    close(seen.gated_s, 10.0 * COPY_S);
    // Without one the mark at the end stands where the host got to it.
    close(seen.event_s, 11.0 * 300e-6);
}

#[test]
fn no_more_than_five_hundred_commands_wait_behind_a_gate() {
    let script = Script::new(1e-9, 0.0);
    let driver = driver(0, HONEST, &script);
    let device = Device::new(driver.clone());
    let queue = device.queue().expect("a queue");
    let mut copy = CopyIn::new(&device, BYTES, HostKind::Pinned);
    let clock = Clock::Scripted(script);
    let seen = timing(IssueMode::Isolated).sample(&mut copy, &queue, 1600, &clock).expect("it copies");
    // And one ahead of two marks.
    assert_eq!(driver.most_waiting(), 503);
    close(seen.gated_s, 1600.0 * COPY_S);
}

#[test]
fn pageable_memory_never_stands_behind_a_gate() {
    let script = Script::new(1e-9, 0.0);
    let driver = driver(0, HONEST, &script);
    let device = Device::new(driver.clone());
    let queue = device.queue().expect("a queue");
    let mut copy = CopyIn::new(&device, BYTES, HostKind::Pageable);
    let clock = Clock::Scripted(script);
    let seen = timing(IssueMode::Isolated).sample(&mut copy, &queue, 10, &clock).expect("it copies");
    assert!(seen.gated_s.is_none() && seen.event_s.is_some());
    assert_eq!(driver.most_waiting(), 0);
}

#[test]
fn two_queues_are_timed_from_the_first_start_to_the_last_end() {
    let script = Script::new(1e-9, 0.0);
    let device = device(0, HONEST, &script);
    let queue = device.queue().expect("a queue");
    let mut copy = CopyIn::new(&device, BYTES, HostKind::Pinned);
    copy.other = Some(device.queue().expect("a queue"));
    let clock = Clock::Scripted(script);
    let seen = timing(IssueMode::BackToBack).sample(&mut copy, &queue, 10, &clock).expect("it copies");
    // Both at once take as long as one; their gates open at the same moment.
    close(seen.gated_s, 10.0 * COPY_S);
}

#[test]
fn times_that_cannot_be_are_dropped_and_kept_as_a_reason() {
    for shown in ABSURD {
        let seen = sampled(Habits { shown, ..HONEST }, IssueMode::Isolated, 10);
        assert!(seen.event_s.is_none() && seen.gated_s.is_none(), "{seen:?}");
        assert!(seen.absurd.is_some() && seen.extra().is_empty());
    }
}

#[test]
fn a_clock_that_is_a_little_off_is_believed() {
    let seen = sampled(Habits { shown: |true_s| 1.02 * true_s, ..HONEST }, IssueMode::Isolated, 10);
    assert!(seen.event_s.is_some() && seen.absurd.is_none());
}

#[test]
fn a_gate_that_opens_by_itself_voids_what_stood_behind_it_and_nothing_else() {
    let seen = sampled(Habits { behind: Behind::TimesOut, ..HONEST }, IssueMode::Isolated, 10);
    assert!(seen.gate_timed_out && seen.gated_s.is_none());
    assert_eq!(seen.extra().len(), 1);
}

#[test]
fn a_device_that_refuses_a_copy_behind_a_gate_leaves_the_gate_open() {
    let script = Script::new(1e-9, 0.0);
    // Ten by the host's clock, ten between marks, and the fifth behind the gate.
    let device = device(0, Habits { copies_max: 24, ..HONEST }, &script);
    let queue = device.queue().expect("a queue");
    let mut copy = CopyIn::new(&device, BYTES, HostKind::Pinned);
    let clock = Clock::Scripted(script);
    let refused = timing(IssueMode::Isolated).sample(&mut copy, &queue, 10, &clock).expect_err("it refuses");
    assert!(matches!(refused, DeviceError::Refused { code: 7, .. }), "{refused}");
    // The scripted driver panics where one waits for a closed gate.
    queue.sync().expect("nothing is left behind the gate");
}
