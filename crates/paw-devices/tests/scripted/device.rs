//! A device whose costs and habits a test writes down.

use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard};

use paw_foreign::device::{
    Argument, Backend, Builtin, Capabilities, Device, DeviceError, DeviceFacts, DeviceKind, DeviceState, Driver,
    GemmKind, GemmOperands, Grid, HostKind, KernelFacts, ObjectHandle, Source, Span,
};
use paw_measure::clock::scripted::Script;

type Done<T = ()> = Result<T, DeviceError>;

/// What the device's clock shows of `true_s` seconds.
pub type Shown = fn(f64) -> f64;

/// Clocks that cannot be.
pub const ABSURD: [Shown; 4] = [|_| 0.0, |true_s| -true_s, |true_s| 1.2 * true_s, |_| f64::NAN];

/// What happens behind a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    /// It opens.
    Opens,
    /// It opens by itself, and says so.
    TimesOut,
    /// Nothing ever ends.
    Hangs,
}

/// Costs in seconds, and habits.
#[derive(Clone, Copy)]
pub struct Habits {
    /// Host time of queueing a command.
    pub enqueue_s: f64,
    /// Host time of waiting, beside what is waited for.
    pub sync_s: f64,
    /// Device time of a copy, beside its bytes.
    pub latency_s: f64,
    /// Bytes a second of a copy.
    pub bandwidth: f64,
    /// Its own clock.
    pub shown: Shown,
    /// Its gate.
    pub behind: Behind,
    /// Whether the fourth byte of each copy out is lost.
    pub loses_a_byte: bool,
    /// Copies after which each further one is refused.
    pub copies_max: u32,
}

/// 1 µs to queue, 5 µs to wait, 10 µs and 1 GB/s to copy, an honest clock, and a gate that works.
pub const HONEST: Habits = Habits {
    enqueue_s: 1e-6,
    sync_s: 5e-6,
    latency_s: 10e-6,
    bandwidth: 1e9,
    shown: |true_s| true_s,
    behind: Behind::Opens,
    loses_a_byte: false,
    copies_max: u32::MAX,
};

/// A device with these habits, of number `index`.
pub fn device(index: u32, habits: Habits, script: &Script) -> Device {
    Device::new(driver(index, habits, script))
}

/// The same, as a driver that can be asked what happened.
pub fn driver(index: u32, habits: Habits, script: &Script) -> Arc<Scripted> {
    let facts = DeviceFacts {
        backend: Backend::OpenCl,
        index,
        kind: DeviceKind::Accelerator,
        name: "scripted".to_owned(),
        bus_id: None,
        uuid: None,
        memory_bytes: 1 << 26,
        allocation_bytes: 1 << 22,
        cache_bytes: 0,
        units: 1,
        clock_hz: None,
        compute: None,
        unified: false,
        pageable_direct: false,
        fp64: true,
        numa_node: None,
        host_cpus: Vec::new(),
        link: None,
        peaks: BTreeMap::new(),
        driver: "1".to_owned(),
        api: "scripted".to_owned(),
        library: "none".into(),
    };
    Arc::new(Scripted { facts, habits, script: script.clone(), inside: Mutex::default() })
}

/// A device in scripted time.
pub struct Scripted {
    facts: DeviceFacts,
    habits: Habits,
    script: Script,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    last: ObjectHandle,
    memories: BTreeMap<ObjectHandle, Vec<u8>>,
    queues: BTreeMap<ObjectHandle, Line>,
    marks: BTreeMap<ObjectHandle, f64>,
    /// Gate to queue.
    gates: BTreeMap<ObjectHandle, ObjectHandle>,
    copies: u32,
    most_waiting: usize,
}

#[derive(Default)]
struct Line {
    /// When all that it was given is done.
    free_s: f64,
    /// What stands behind its gate: seconds, or a mark.
    waiting: Option<Vec<Command>>,
    timed_out: bool,
}

enum Command {
    Work(f64),
    Mark(ObjectHandle),
}

impl Scripted {
    /// How many commands stood behind a gate at once, at most.
    pub fn most_waiting(&self) -> usize {
        self.inside().most_waiting
    }

    /// Memories of device and host that nobody has given back.
    pub fn memories(&self) -> usize {
        self.inside().memories.len()
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().expect("no test panics inside the driver")
    }

    fn make(&self) -> ObjectHandle {
        let mut inside = self.inside();
        inside.last += 1;
        inside.last
    }

    fn give(&self, queue: ObjectHandle, command: Command) {
        self.script.advance(self.habits.enqueue_s);
        let now_s = self.script.now_s();
        let inside = &mut *self.inside();
        let line = inside.queues.get_mut(&queue).expect("a queue of this driver");
        match &mut line.waiting {
            Some(waiting) => {
                waiting.push(command);
                inside.most_waiting = inside.most_waiting.max(waiting.len());
            }
            None => line.run(&mut inside.marks, command, now_s),
        }
    }

    fn copy(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> Done {
        {
            let inside = &mut *self.inside();
            inside.copies += 1;
            if inside.copies > self.habits.copies_max {
                return Err(DeviceError::Refused { call: "scripted_copy", code: 7, meaning: String::new() });
            }
            let source = inside.memories[&from.memory][from.offset..from.offset + bytes].to_vec();
            let target = inside.memories.get_mut(&to.memory).expect("a memory of this driver");
            target[to.offset..to.offset + bytes].copy_from_slice(&source);
        }
        self.give(queue, Command::Work(self.habits.latency_s + bytes as f64 / self.habits.bandwidth));
        Ok(())
    }
}

impl Line {
    fn run(&mut self, marks: &mut BTreeMap<ObjectHandle, f64>, command: Command, now_s: f64) {
        self.free_s = self.free_s.max(now_s);
        match command {
            Command::Work(seconds) => self.free_s += seconds,
            Command::Mark(mark) => drop(marks.insert(mark, self.free_s)),
        }
    }
}

fn not_here<T>() -> Done<T> {
    Err(DeviceError::Unsupported("the script has no such thing".to_owned()))
}

impl Driver for Scripted {
    fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    fn caps(&self) -> Capabilities {
        Capabilities { marks: true, gate: true, pool: false, mapped: false }
    }

    fn state(&self) -> DeviceState {
        DeviceState {
            power_w: Some(100.0),
            clock_hz: Some(1e9 * f64::from(1 + self.facts.index)),
            ..DeviceState::default()
        }
    }

    fn alloc(&self, bytes: usize) -> Done<ObjectHandle> {
        let handle = self.make();
        self.inside().memories.insert(handle, vec![0; bytes]);
        Ok(handle)
    }

    fn free(&self, memory: ObjectHandle) -> Done {
        self.inside().memories.remove(&memory);
        Ok(())
    }

    fn pool_alloc(&self, _: ObjectHandle, _: usize) -> Done<ObjectHandle> {
        not_here()
    }

    fn pool_free(&self, _: ObjectHandle, _: ObjectHandle) -> Done {
        not_here()
    }

    fn host_alloc(&self, bytes: usize, _: HostKind) -> Done<ObjectHandle> {
        self.alloc(bytes)
    }

    fn host_free(&self, host: ObjectHandle) -> Done {
        self.free(host)
    }

    fn host_write(&self, to: Span, bytes: &[u8]) -> Done {
        let inside = &mut *self.inside();
        let memory = inside.memories.get_mut(&to.memory).expect("a memory of this driver");
        memory[to.offset..to.offset + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn host_read(&self, from: Span, bytes: &mut [u8]) -> Done {
        bytes.copy_from_slice(&self.inside().memories[&from.memory][from.offset..from.offset + bytes.len()]);
        Ok(())
    }

    fn queue(&self) -> Done<ObjectHandle> {
        let handle = self.make();
        self.inside().queues.insert(handle, Line::default());
        Ok(handle)
    }

    fn queue_free(&self, queue: ObjectHandle) -> Done {
        self.inside().queues.remove(&queue);
        Ok(())
    }

    fn flush(&self, _: ObjectHandle) -> Done {
        Ok(())
    }

    fn sync(&self, queue: ObjectHandle) -> Done {
        let (free_s, timed_out) = {
            let inside = &mut *self.inside();
            let line = inside.queues.get_mut(&queue).expect("a queue of this driver");
            assert!(line.waiting.is_none(), "the harness waits for a queue whose gate is closed");
            (line.free_s, std::mem::take(&mut line.timed_out))
        };
        self.script.advance((free_s - self.script.now_s()).max(0.0) + self.habits.sync_s);
        if timed_out { Err(DeviceError::GateTimedOut) } else { Ok(()) }
    }

    fn copy_in(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> Done {
        self.copy(queue, to, from, bytes)
    }

    fn copy_out(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> Done {
        self.copy(queue, to, from, bytes)?;
        if self.habits.loses_a_byte {
            self.host_write(Span { offset: to.offset + 3, ..to }, &[0])?;
        }
        Ok(())
    }

    fn copy_within(&self, queue: ObjectHandle, to: Span, from: Span, bytes: usize) -> Done {
        self.copy(queue, to, from, bytes)
    }

    fn can_reach(&self, _: u32) -> bool {
        false
    }

    fn copy_from_peer(&self, _: ObjectHandle, _: Span, _: u32, _: Span, _: usize) -> Done {
        not_here()
    }

    fn fill(&self, _: ObjectHandle, to: Span, byte: u8, bytes: usize) -> Done {
        self.host_write(to, &vec![byte; bytes])
    }

    fn mark(&self, queue: ObjectHandle) -> Done<ObjectHandle> {
        let mark = self.make();
        self.give(queue, Command::Mark(mark));
        Ok(mark)
    }

    fn elapsed_s(&self, from: ObjectHandle, to: ObjectHandle) -> Done<f64> {
        let inside = self.inside();
        Ok((self.habits.shown)(inside.marks[&to] - inside.marks[&from]))
    }

    fn mark_free(&self, mark: ObjectHandle) -> Done {
        self.inside().marks.remove(&mark);
        Ok(())
    }

    fn gate(&self, queue: ObjectHandle) -> Done<ObjectHandle> {
        let gate = self.make();
        let inside = &mut *self.inside();
        inside.queues.get_mut(&queue).expect("a queue of this driver").waiting = Some(Vec::new());
        inside.gates.insert(gate, queue);
        Ok(gate)
    }

    fn open_gate(&self, gate: ObjectHandle) -> Done {
        if self.habits.behind == Behind::Hangs {
            let (_kept, never) = channel::<()>();
            never.recv().ok();
        }
        let now_s = self.script.now_s();
        let inside = &mut *self.inside();
        let Some(queue) = inside.gates.remove(&gate) else { return Ok(()) };
        let line = inside.queues.get_mut(&queue).expect("a queue of this driver");
        for command in line.waiting.take().unwrap_or_default() {
            line.run(&mut inside.marks, command, now_s);
        }
        line.timed_out = self.habits.behind == Behind::TimesOut;
        Ok(())
    }

    fn compile(&self, _: &Source) -> Done<(ObjectHandle, String)> {
        not_here()
    }

    fn program_free(&self, _: ObjectHandle) -> Done {
        not_here()
    }

    fn kernel(&self, _: ObjectHandle, _: &str) -> Done<ObjectHandle> {
        not_here()
    }

    fn builtin(&self, _: Builtin) -> Done<ObjectHandle> {
        not_here()
    }

    fn kernel_facts(&self, _: ObjectHandle, _: u32, _: u32) -> Done<KernelFacts> {
        not_here()
    }

    fn launch(&self, _: ObjectHandle, _: ObjectHandle, _: Grid, _: &[Argument]) -> Done {
        not_here()
    }

    fn gemm_plan(&self, _: ObjectHandle, _: GemmKind, _: usize) -> Done<(ObjectHandle, String)> {
        not_here()
    }

    fn gemm(&self, _: ObjectHandle, _: ObjectHandle, _: GemmOperands) -> Done {
        not_here()
    }

    fn gemm_plan_free(&self, _: ObjectHandle) -> Done {
        not_here()
    }

    fn gemv(&self, _: ObjectHandle, _: GemmKind, _: usize, _: GemmOperands) -> Done<String> {
        not_here()
    }

    fn peak_per_clock(&self, _: GemmKind) -> Option<f64> {
        None
    }
}
