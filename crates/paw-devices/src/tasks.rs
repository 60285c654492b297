//! A task on every device of a worker, timed: one device by three clocks, several by the window in which all work.

use std::ops::Range;
use std::rc::Rc;

use paw_data::outcome::{Caveat, Check, CheckVerdict};
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_foreign::device::{Device, DeviceError, LinkLimit, Queue};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use crate::devices::Devices;
use crate::fault::broken;
use crate::link;
use crate::observations::Observations;
use crate::operation::{IssueMode, Operation};
use crate::simultaneous::{DeviceStamps, SimultaneousRun};
use crate::timing::Timing;
use crate::unit_clock::UnitClock;
use crate::window::Window;

/// An operation that can check its answer.
pub trait Task: Operation + Send {
    /// Runs it once on fresh operands, and checks the answer.
    ///
    /// # Errors
    /// What the device refuses.
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError>;

    /// Looks at what the last operation of a sample left, cheaply and outside the timed region, and makes ready that the next sample can
    /// be looked at; a check where something is wrong. The default looks at nothing.
    ///
    /// # Errors
    /// What the device refuses.
    fn inspect(&mut self, _queue: &Queue) -> Result<Option<Check>, DeviceError> {
        Ok(None)
    }

    /// Every how many samples it is looked at: 1, unless looking costs as much as the sample.
    fn inspected_every(&self) -> u64 {
        1
    }

    /// Whether its time depends on the link between device and host.
    fn crosses_link(&self) -> bool {
        false
    }

    /// Whether the clock of the device's units decides its time: their cycles are counted beside each sample then.
    fn computes(&self) -> bool {
        false
    }

    /// The hardware limit of `device` at this clock of its units, in the headline's unit per second; `None` if unknown.
    fn limit_per_s(&self, _device: &Device, _clock_hz: Option<f64>) -> Option<f64> {
        None
    }

    /// The link of `device` that limits its copies, and the bytes a second that it carries for them; `None` if unknown, or if no link
    /// does.
    fn link(&self, _device: &Device) -> Option<LinkLimit> {
        None
    }
}

/// The inputs of a task's constructor, which runs on the thread that drives the device, so that host memory lies near it.
pub struct TaskContext<'a> {
    /// All devices that take part.
    pub devices: &'a [Device],
    /// The index of the task's device.
    pub index: usize,
    /// The queue of its operations.
    pub queue: &'a Queue,
}

impl TaskContext<'_> {
    /// The device.
    pub fn device(&self) -> &Device {
        &self.devices[self.index]
    }
}

type Make<T> = dyn Fn(&TaskContext<'_>) -> Result<T, DeviceError> + Sync;

/// A task on every device of a worker: the [`Timed`] of device benchmarks.
pub struct DeviceTasks<T> {
    devices: Rc<Devices>,
    mode: IssueMode,
    make: Rc<Make<T>>,
    slots: Vec<DeviceSlot<T>>,
    extra: Vec<(MetricName, f64)>,
    observed: Observations,
    samples: u64,
}

/// One device's task. It is dropped before its queue.
struct DeviceSlot<T> {
    /// Index of the device.
    index: usize,
    task: Option<T>,
    queue: Queue,
    timing: Timing,
    /// Where the task computes, and the device's units count.
    clock: Option<UnitClock>,
}

impl<T> DeviceSlot<T> {
    fn parts(&mut self) -> Result<(&mut T, &Queue), DeviceError> {
        let gone = || DeviceError::Absent("the operands could not be made anew".to_owned());
        Ok((self.task.as_mut().ok_or_else(gone)?, &self.queue))
    }
}

impl<T: Task> DeviceTasks<T> {
    /// Makes a task on each of `devices`.
    ///
    /// # Errors
    /// What a device refuses; what does not fit is [`Fault::Missing`].
    pub fn begin(
        devices: &Rc<Devices>,
        mode: IssueMode,
        make: impl Fn(&TaskContext<'_>) -> Result<T, DeviceError> + Sync + 'static,
    ) -> Result<Self, Fault> {
        Self::on(devices, 0..devices.all().len(), (mode, Rc::new(make)))
    }

    /// Makes a task on the one of `devices` at that index only.
    ///
    /// # Errors
    /// As [`DeviceTasks::begin`].
    pub fn one(
        devices: &Rc<Devices>,
        index: usize,
        mode: IssueMode,
        make: impl Fn(&TaskContext<'_>) -> Result<T, DeviceError> + Sync + 'static,
    ) -> Result<Self, Fault> {
        Self::on(devices, index..index + 1, (mode, Rc::new(make)))
    }

    fn on(devices: &Rc<Devices>, indexes: Range<usize>, (mode, make): (IssueMode, Rc<Make<T>>)) -> Result<Self, Fault> {
        let slots = indexes.map(|index| {
            let queue = devices.all()[index].queue().map_err(broken)?;
            Ok(DeviceSlot { index, task: None, queue, timing: devices.timing(index, mode), clock: None })
        });
        let mut drive = Self {
            devices: Rc::clone(devices),
            mode,
            make,
            slots: slots.collect::<Result<_, Fault>>()?,
            extra: Vec::new(),
            observed: Observations::default(),
            samples: 0,
        };
        drive.renew()?;
        for slot in drive.slots.iter_mut().filter(|slot| slot.task.as_ref().is_some_and(T::computes)) {
            slot.clock = UnitClock::of(&devices.all()[slot.index]);
        }
        Ok(drive)
    }

    /// The tasks, device by device.
    pub fn tasks(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(|slot| slot.task.as_ref())
    }

    /// The devices that take part.
    fn participants(&self) -> Vec<Device> {
        self.slots.iter().map(|slot| self.devices.all()[slot.index].clone()).collect()
    }

    /// What the links of all devices carry together, under the name of their kind; `None` where one is not known, or kinds differ.
    fn links(&self, devices: &[Device]) -> Option<(MetricName, f64)> {
        let links: Vec<LinkLimit> =
            self.tasks().zip(devices).map(|(task, device)| task.link(device)).collect::<Option<_>>()?;
        let first = *links.first()?;
        let bytes_s = links.iter().map(|link| link.bytes_s).sum();
        links.iter().all(|link| link.kind == first.kind).then(|| link::metric(LinkLimit { bytes_s, ..first }))
    }

    /// Calls `act` for each task, on the thread that drives its device.
    fn each<R: Send>(
        &mut self,
        act: impl Fn(usize, &mut DeviceSlot<T>) -> Result<R, DeviceError> + Sync,
    ) -> Result<Vec<R>, Fault> {
        if let [alone] = &mut self.slots[..] {
            return Ok(vec![act(0, alone).map_err(broken)?]);
        }
        let mut jobs: Vec<_> = self.slots.iter_mut().map(|slot| (slot, None)).collect();
        self.devices.pool()?.run_parts(&mut jobs, 1, |index, _, part| {
            if let [(slot, done)] = part {
                *done = Some(act(index, slot));
            }
        });
        // A device that failed made the others stop without an error: its error is the only one.
        let done: Result<Vec<R>, DeviceError> =
            jobs.into_iter().map(|(_, done)| done.expect("one part a device")).collect();
        done.map_err(broken)
    }

    /// Reads the counters of units before a sample.
    fn begin_counting(&self) -> Result<(), Fault> {
        let mut counting = self.slots.iter().filter_map(|slot| Some((slot.clock.as_ref()?, &slot.queue)));
        counting.try_for_each(|(clock, queue)| clock.begin(queue)).map_err(broken)
    }

    /// The clock of each device's units since [`DeviceTasks::begin_counting`]; `None` where they do not count, or not for long enough.
    fn counted_hz(&self) -> Result<Vec<Option<f64>>, Fault> {
        let of = |slot: &DeviceSlot<T>| slot.clock.as_ref().map_or(Ok(None), |clock| clock.end(&slot.queue));
        self.slots.iter().map(of).collect::<Result<_, _>>().map_err(broken)
    }

    fn alone(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let slot = &mut self.slots[0];
        let timing = slot.timing;
        let (task, queue) = slot.parts().map_err(broken)?;
        let measured = timing.sample(task, queue, loops, clock).map_err(broken)?;
        // A second time-out would cost as many seconds again.
        slot.timing.has_gate &= !measured.gate_timed_out;
        self.observed.sample(&measured);
        self.extra = measured.extra();
        Ok(measured.host_s)
    }

    fn together(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let run = SimultaneousRun::of(self.slots.len());
        let mode = self.mode;
        let parts = self.each(|_, slot| {
            let participant = run.join();
            let (task, queue) = slot.parts()?;
            participant.work(task, queue, (loops, mode), clock)
        })?;
        let operations = parts.first().map_or(1, |part| part.operations) as f64;
        let stamps: Vec<_> = parts.into_iter().map(|DeviceStamps { stamps, .. }| stamps).collect();
        let window = Window::of(&stamps).ok_or_else(|| {
            Fault::Broken("the devices never worked at the same time; take larger sizes or more loops".to_owned())
        })?;
        self.observed.overlap(window.overlap);
        self.extra = vec![(SecondaryMetric::Overlap.into(), window.overlap)];
        let ids = self.devices.all().iter().map(|device| MetricName::of_device(&device.facts().id()));
        self.extra.extend(ids.zip(window.each_s(loops as f64 / operations)));
        Ok(window.elapsed_s(loops as f64 / operations))
    }
}

impl<T: Task> Timed for DeviceTasks<T> {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        self.begin_counting()?;
        let elapsed_s = if self.slots.len() == 1 { self.alone(loops, clock) } else { self.together(loops, clock) }?;
        let counted = self.counted_hz()?;
        let devices = self.participants();
        self.observed.look(&devices, &counted);
        let tasks = self.tasks().zip(&devices).zip(&counted);
        // Where nothing was counted, the clock of data sheets stands for it: the highest.
        let limit = |((task, device), counted): ((&T, &Device), &Option<f64>)| {
            task.limit_per_s(device, counted.or(device.facts().clock_hz))
        };
        let limit: Option<f64> = tasks.map(limit).sum();
        let links = self.links(&devices);
        self.extra.extend(limit.map(|limit| (SecondaryMetric::Limit.into(), limit)));
        self.extra.extend(links);
        let slowest = counted.into_iter().flatten().reduce(f64::min);
        self.extra.extend(slowest.map(|hz| (SecondaryMetric::DeviceClock.into(), hz)));
        Ok(elapsed_s)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let checks = self.each(|_, slot| {
            let (task, queue) = slot.parts()?;
            task.verify(queue)
        })?;
        let badness = |check: &Check| match check.verdict {
            CheckVerdict::Pass => 0,
            CheckVerdict::Warn => 1,
            CheckVerdict::Fail => 2,
        };
        Ok(checks.into_iter().rev().max_by_key(badness).expect("no worker is started for no device"))
    }

    fn inspect(&mut self) -> Result<(), Fault> {
        self.samples += 1;
        let samples = self.samples;
        let looks = self.each(|_, slot| {
            let (task, queue) = slot.parts()?;
            if samples.is_multiple_of(task.inspected_every()) { task.inspect(queue) } else { Ok(None) }
        })?;
        match looks.into_iter().flatten().next() {
            Some(check) => Err(Fault::Spoiled(Box::new(check))),
            None => Ok(()),
        }
    }

    fn renew(&mut self) -> Result<(), Fault> {
        let (devices, make) = (Rc::clone(&self.devices), Rc::clone(&self.make));
        let (devices, make) = (devices.all(), &*make);
        // The old operands are freed first: there may not be memory for both.
        self.slots.iter_mut().for_each(|slot| slot.task = None);
        self.each(|_, slot| {
            let task = make(&TaskContext { devices, index: slot.index, queue: &slot.queue })?;
            slot.task = Some(task);
            Ok(())
        })?;
        Ok(())
    }

    fn threads(&self) -> Vec<i32> {
        if self.slots.len() == 1 { Vec::new() } else { self.devices.pool().map(|pool| pool.tids()).unwrap_or_default() }
    }

    fn extra(&self) -> Vec<(MetricName, f64)> {
        self.extra.clone()
    }

    fn caveats(&self) -> Vec<Caveat> {
        let mut caveats = self.devices.caveats();
        let crosses = self.tasks().any(T::crosses_link);
        caveats.extend(self.observed.caveats(&self.participants(), crosses));
        caveats
    }
}
