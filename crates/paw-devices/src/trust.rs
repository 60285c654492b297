//! A self-test of a device's clock and gate when it is opened; takes less than a second.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use paw_foreign::device::{Backend, Device, DeviceError, DeviceMemory, HostKind, HostMemory, Queue};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;

use crate::fault::broken;
use crate::operation::Operation;
use crate::region::{self, Region};

/// Bytes of the test copy: long beside a mark's resolution on every link.
const COPY_BYTES: u64 = 32 << 20;
/// Bytes of the copy through a gate.
const PROBE_BYTES: usize = 4096;
/// Time limit of a gate: one that blocks for longer never opens.
const PROBE_LIMIT: Duration = Duration::from_secs(2);
/// Variables that make a back-end's launches synchronous: nothing could be queued behind a gate.
const LAUNCH_BLOCKING: &[(Backend, &str)] =
    &[(Backend::Cuda, "CUDA_LAUNCH_BLOCKING"), (Backend::Hip, "HIP_LAUNCH_BLOCKING")];

/// Which clocks and gates of a device can be trusted; an error gives the reason in one clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    /// The device's own times; `Ok(false)` where it has none.
    pub marks: Result<bool, String>,
    /// Its gate; `Ok(false)` where it has none.
    pub gate: Result<bool, String>,
}

impl Trust {
    /// The properties that the device claims, untested.
    pub fn as_claimed(device: &Device) -> Self {
        let caps = device.caps();
        Self { marks: Ok(caps.marks), gate: Ok(caps.gate && !blocks_launches(device)) }
    }

    /// Copies a pattern in and out, compares the device's clock with the host's, and sends a copy through a gate.
    ///
    /// # Errors
    /// What the device refuses, and a pattern that returns changed: nothing on such a device can be measured.
    pub fn examine(device: &Device, clock: &Clock) -> Result<Self, Fault> {
        Self::examine_within(device, clock, PROBE_LIMIT)
    }

    /// The same, with another time limit for the gate.
    ///
    /// # Errors
    /// As [`Trust::examine`].
    pub fn examine_within(device: &Device, clock: &Clock, limit: Duration) -> Result<Self, Fault> {
        let claimed = Self::as_claimed(device);
        let queue = device.queue().map_err(broken)?;
        // Four such memories fit into every device's allocation limit.
        let bytes = COPY_BYTES.min(device.facts().allocation_bytes / 4).max(PROBE_BYTES as u64) as usize;
        let mut copy = CopyIn::new(device, bytes).map_err(broken)?;
        copy.comes_back(&queue)?;
        let marks = match claimed.marks {
            Ok(true) => marks(&mut copy, &queue, clock).map_err(broken)?,
            other => other,
        };
        let gate = match claimed.gate {
            Ok(true) => gate(device, clock, limit),
            other => other,
        };
        Ok(Self { marks, gate })
    }
}

fn blocks_launches(device: &Device) -> bool {
    let is_set = |name: &str| std::env::var(name).is_ok_and(|value| !matches!(value.as_str(), "" | "0"));
    LAUNCH_BLOCKING.iter().any(|(backend, name)| *backend == device.facts().backend && is_set(name))
}

/// A copy from page-locked memory.
struct CopyIn {
    host: HostMemory,
    memory: DeviceMemory,
    bytes: usize,
}

impl CopyIn {
    fn new(device: &Device, bytes: usize) -> Result<Self, DeviceError> {
        Ok(Self { host: device.host_memory(bytes, HostKind::Pinned)?, memory: device.memory(bytes)?, bytes })
    }

    /// Sends a pattern there and back.
    fn comes_back(&self, queue: &Queue) -> Result<(), Fault> {
        // A prime period: no block of a power of two repeats it.
        let sent: Vec<u8> = (0..self.bytes).map(|at| (at % 251) as u8).collect();
        let mut back = vec![0; self.bytes];
        let there_and_back = || {
            self.host.write(0, &sent)?;
            queue.copy_in((&self.memory, 0), (&self.host, 0), self.bytes)?;
            queue.sync()?;
            self.host.write(0, &back)?;
            queue.copy_out((&self.host, 0), (&self.memory, 0), self.bytes)?;
            queue.sync()
        };
        there_and_back().map_err(broken)?;
        self.host.read(0, &mut back).map_err(broken)?;
        match sent.iter().zip(&back).position(|(sent, back)| sent != back) {
            None => Ok(()),
            Some(at) => Err(Fault::Broken(format!(
                "{} bytes were copied to the device and back, and byte {at} came back changed; nothing of this device can be measured",
                self.bytes
            ))),
        }
    }
}

impl Operation for CopyIn {
    fn enqueue(&mut self, queue: &Queue) -> Result<(), DeviceError> {
        queue.copy_in((&self.memory, 0), (&self.host, 0), self.bytes)
    }

    fn may_be_gated(&self) -> bool {
        true
    }
}

/// Whether the device's clock moves, forward, and not faster than the host's.
fn marks(copy: &mut CopyIn, queue: &Queue, clock: &Clock) -> Result<Result<bool, String>, DeviceError> {
    let one = region::marked(copy, queue, 1, clock)?;
    let Region { device_s, host_s } = one;
    if !one.can_be() {
        return Ok(Err(format!(
            "a copy of {} bytes took {device_s:e} s by the device's clock and {host_s:e} s by the host's",
            copy.bytes
        )));
    }
    let first = queue.mark()?;
    copy.enqueue(queue)?;
    let second = queue.mark()?;
    copy.enqueue(queue)?;
    let third = queue.mark()?;
    queue.sync()?;
    let (half_s, whole_s) = (second.since_s(&first)?, third.since_s(&first)?);
    if whole_s > half_s && half_s > 0.0 {
        return Ok(Ok(true));
    }
    Ok(Err(format!("the device's clock showed {half_s:e} s after one copy and {whole_s:e} s after two")))
}

/// Whether a copy passes a gate. A driver may hang for ever, so it runs in a thread of its own, which is then abandoned.
fn gate(device: &Device, clock: &Clock, limit: Duration) -> Result<bool, String> {
    let (sender, receiver) = mpsc::channel();
    let (device, clock) = (device.clone(), clock.clone());
    thread::spawn(move || {
        let probe = || {
            let queue = device.queue()?;
            let mut copy = CopyIn::new(&device, PROBE_BYTES)?;
            region::gated(&mut copy, &queue, 1, &clock)
        };
        // After a time-out the receiver is gone.
        sender.send(probe()).ok();
    });
    match receiver.recv_timeout(limit) {
        Ok(Ok(_)) => Ok(true),
        Ok(Err(error)) => Err(format!("a copy behind its gate did not get through: {error}")),
        Err(_) => Err(format!("a copy behind its gate did not get through within {} s", limit.as_secs_f64())),
    }
}
