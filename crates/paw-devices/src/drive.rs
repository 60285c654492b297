//! A task on every device of a worker, timed: alone by three clocks, together by the window in which all are at work.

use std::rc::Rc;

use paw_data::outcome::{Caveat, Check, CheckVerdict};
use paw_foreign::device::{Device, DeviceError, Queue};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use crate::devices::Devices;
use crate::fault::broken;
use crate::observed::{DEVICE_HZ, Observed};
use crate::operation::{Cadence, Operation};
use crate::timing::Timing;
use crate::together::{Meeting, Part};
use crate::window::Window;

/// Extra reading of several devices: the share of the time in which any was at work that all were.
pub const OVERLAP: &str = "overlap";

/// Extra reading: what the hardware allows, of all devices together, in the headline's unit a second.
pub const LIMIT: &str = "limit_per_s";

/// An operation that knows its answer.
pub trait Task: Operation + Send {
    /// Does it once more on fresh operands, and looks at the answer.
    ///
    /// # Errors
    /// What the device refuses.
    fn verify(&mut self, queue: &Queue) -> Result<Check, DeviceError>;

    /// Whether what it costs depends on the link between device and host.
    fn crosses_link(&self) -> bool {
        false
    }

    /// What the hardware of `device` allows at this clock of its units, in the headline's unit a second; `None` where nobody knows.
    fn limit_per_s(&self, _device: &Device, _clock_hz: Option<f64>) -> Option<f64> {
        None
    }
}

/// Where a task is made: on the thread that drives its device, so that memory of the host lies near it.
pub struct Place<'a> {
    /// All devices that take part.
    pub devices: &'a [Device],
    /// Which of them this is.
    pub index: usize,
    /// The queue that its operations will be given.
    pub queue: &'a Queue,
}

impl Place<'_> {
    /// The device.
    pub fn device(&self) -> &Device {
        &self.devices[self.index]
    }
}

type Make<T> = dyn Fn(&Place<'_>) -> Result<T, DeviceError> + Sync;

/// A task on every device of a worker: what benchmarks of devices return.
pub struct Drive<T> {
    devices: Rc<Devices>,
    cadence: Cadence,
    make: Rc<Make<T>>,
    stations: Vec<Station<T>>,
    extra: Vec<(String, f64)>,
    observed: Observed,
}

/// One device's task. It goes before the queue it works in.
struct Station<T> {
    task: Option<T>,
    queue: Queue,
    timing: Timing,
}

impl<T> Station<T> {
    fn parts(&mut self) -> Result<(&mut T, &Queue), DeviceError> {
        let gone = || DeviceError::Absent("the operands could not be made anew".to_owned());
        Ok((self.task.as_mut().ok_or_else(gone)?, &self.queue))
    }
}

impl<T: Task> Drive<T> {
    /// Makes a task on each of `devices`.
    ///
    /// # Errors
    /// What a device refuses; what does not fit is [`Fault::Missing`].
    pub fn begin(
        devices: &Rc<Devices>,
        cadence: Cadence,
        make: impl Fn(&Place<'_>) -> Result<T, DeviceError> + Sync + 'static,
    ) -> Result<Self, Fault> {
        Self::on(devices, devices.all().len(), (cadence, Rc::new(make)))
    }

    /// Makes a task on the first of `devices` alone; the others stand by.
    ///
    /// # Errors
    /// As [`Drive::begin`].
    pub fn first(
        devices: &Rc<Devices>,
        cadence: Cadence,
        make: impl Fn(&Place<'_>) -> Result<T, DeviceError> + Sync + 'static,
    ) -> Result<Self, Fault> {
        Self::on(devices, 1, (cadence, Rc::new(make)))
    }

    fn on(devices: &Rc<Devices>, count: usize, (cadence, make): (Cadence, Rc<Make<T>>)) -> Result<Self, Fault> {
        let stations = (devices.all().iter().take(count).enumerate()).map(|(index, device)| {
            let queue = device.queue().map_err(broken)?;
            Ok(Station { task: None, queue, timing: devices.timing(index, cadence) })
        });
        let mut drive = Self {
            devices: Rc::clone(devices),
            cadence,
            make,
            stations: stations.collect::<Result<_, Fault>>()?,
            extra: Vec::new(),
            observed: Observed::default(),
        };
        drive.renew()?;
        Ok(drive)
    }

    /// The tasks, device by device.
    pub fn tasks(&self) -> impl Iterator<Item = &T> {
        self.stations.iter().filter_map(|station| station.task.as_ref())
    }

    /// What `act` makes of each task, on the thread that drives its device.
    fn each<R: Send>(
        &mut self,
        act: impl Fn(usize, &mut Station<T>) -> Result<R, DeviceError> + Sync,
    ) -> Result<Vec<R>, Fault> {
        if let [alone] = &mut self.stations[..] {
            return Ok(vec![act(0, alone).map_err(broken)?]);
        }
        let mut jobs: Vec<_> = self.stations.iter_mut().map(|station| (station, None)).collect();
        self.devices.pool()?.run_parts(&mut jobs, 1, |index, _, part| {
            if let [(station, done)] = part {
                *done = Some(act(index, station));
            }
        });
        // A device that broke made the others stop: its reason comes first whichever it is.
        let done: Result<Vec<R>, DeviceError> =
            jobs.into_iter().map(|(_, done)| done.expect("one part a device")).collect();
        done.map_err(broken)
    }

    fn alone(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let station = &mut self.stations[0];
        let timing = station.timing;
        let (task, queue) = station.parts().map_err(broken)?;
        let measured = timing.sample(task, queue, loops, clock).map_err(broken)?;
        // It would cost as many seconds in every sample.
        station.timing.has_gate &= !measured.gate_timed_out;
        self.observed.sample(&measured);
        self.extra = measured.extra();
        Ok(measured.host_s)
    }

    fn together(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let meeting = Meeting::of(self.stations.len());
        let cadence = self.cadence;
        let parts = self.each(|_, station| {
            let (task, queue) = station.parts()?;
            meeting.work(task, queue, (loops, cadence), clock)
        })?;
        let operations = parts.first().map_or(1, |part| part.operations) as f64;
        let stamps: Vec<_> = parts.into_iter().map(|Part { stamps, .. }| stamps).collect();
        let window = Window::of(&stamps).ok_or_else(|| {
            Fault::Broken("the devices never worked at the same time; take larger sizes or more loops".to_owned())
        })?;
        self.observed.overlap(window.overlap);
        self.extra = vec![(OVERLAP.to_owned(), window.overlap)];
        let ids = self.devices.all().iter().map(|device| format!("{}_s", device.facts().id()));
        self.extra.extend(ids.zip(window.each_s(loops as f64 / operations)));
        Ok(window.elapsed_s(loops as f64 / operations))
    }
}

impl<T: Task> Timed for Drive<T> {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let elapsed_s = if self.stations.len() == 1 { self.alone(loops, clock) } else { self.together(loops, clock) }?;
        let seen = self.observed.look(self.devices.all());
        let clock_hz = seen.iter().find(|(name, _)| name == DEVICE_HZ).map(|(_, hz)| *hz);
        let tasks = self.tasks().zip(self.devices.all());
        let limit: Option<f64> = tasks.map(|(task, device)| task.limit_per_s(device, clock_hz)).sum();
        self.extra.extend(limit.map(|limit| (LIMIT.to_owned(), limit)));
        self.extra.extend(seen);
        Ok(elapsed_s)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let checks = self.each(|_, station| {
            let (task, queue) = station.parts()?;
            task.verify(queue)
        })?;
        let badness = |check: &Check| match check.verdict {
            CheckVerdict::Pass => 0,
            CheckVerdict::Warn => 1,
            CheckVerdict::Fail => 2,
        };
        Ok(checks.into_iter().rev().max_by_key(badness).expect("no worker is started for no device"))
    }

    fn renew(&mut self) -> Result<(), Fault> {
        let (devices, make) = (Rc::clone(&self.devices), Rc::clone(&self.make));
        let (devices, make) = (devices.all(), &*make);
        // The old operands go first: twice the memory need not be there.
        self.stations.iter_mut().for_each(|station| station.task = None);
        self.each(|index, station| {
            let task = make(&Place { devices, index, queue: &station.queue })?;
            station.task = Some(task);
            Ok(())
        })?;
        Ok(())
    }

    fn threads(&self) -> Vec<i32> {
        if self.stations.len() == 1 {
            Vec::new()
        } else {
            self.devices.pool().map(|pool| pool.tids()).unwrap_or_default()
        }
    }

    fn extra(&self) -> Vec<(String, f64)> {
        self.extra.clone()
    }

    fn caveats(&self) -> Vec<Caveat> {
        let mut caveats = self.devices.caveats();
        let crosses = self.tasks().any(T::crosses_link);
        caveats.extend(self.observed.caveats(self.devices.all(), crosses));
        caveats
    }
}
