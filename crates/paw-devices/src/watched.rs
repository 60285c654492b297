//! A workload whose devices are looked at while each sample is taken: clock, power, temperature, and why a clock is held down.

use std::rc::Rc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use paw_data::outcome::{Caveat, Check};
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_data::throttle;
use paw_foreign::device::{Device, DeviceState};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use crate::devices::Devices;

/// Time between two looks: NVML renews its readings ten to fifty times a second.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// A workload on devices that are looked at beside it.
pub struct Watched<T> {
    workload: T,
    devices: Rc<Devices>,
    seen: Vec<(MetricName, f64)>,
}

impl<T: Timed> Watched<T> {
    /// `workload`, which `devices` do.
    pub fn new(workload: T, devices: &Rc<Devices>) -> Self {
        Self { workload, devices: Rc::clone(devices), seen: Vec::new() }
    }
}

impl<T> Watched<T> {
    /// Where units count nothing, the workload's limit is at the highest clock: what was seen of the clock takes its place.
    fn limit_by_sight(&self, extra: &mut [(MetricName, f64)]) {
        let of = |metrics: &[(MetricName, f64)]| {
            metrics.iter().find(|(name, _)| *name == SecondaryMetric::DeviceClock).map(|(_, hz)| *hz)
        };
        let mut highest = self.devices.all().iter().map(|device| device.facts().clock_hz);
        let one_hz = highest.next().flatten().filter(|one_hz| highest.all(|hz| hz == Some(*one_hz)));
        let limit = extra.iter().position(|(name, _)| *name == SecondaryMetric::Limit);
        if let (None, Some(seen_hz), Some(one_hz), Some(limit)) = (of(extra), of(&self.seen), one_hz, limit) {
            extra[limit].1 *= seen_hz / one_hz;
        }
    }
}

/// States of every device, look after look, until the other end of `ended` is gone; at least one.
fn look(devices: &[Device], ended: &mpsc::Receiver<()>) -> Vec<Vec<DeviceState>> {
    let mut looks = Vec::new();
    loop {
        looks.push(devices.iter().map(Device::state).collect());
        if ended.recv_timeout(BETWEEN_LOOKS) != Err(RecvTimeoutError::Timeout) {
            return looks;
        }
    }
}

/// Metrics of a sample: of each device its mean over all looks, of several devices the lowest clock, the sum of power and the highest
/// temperature; every reason that any look found.
fn metrics(looks: &[Vec<DeviceState>]) -> Vec<(MetricName, f64)> {
    let devices = looks.first().map_or(0, Vec::len);
    let of = |field: fn(&DeviceState) -> Option<f64>| {
        let mean = move |device: usize| {
            let readings: Vec<f64> = looks.iter().filter_map(|look| field(&look[device])).collect();
            (!readings.is_empty()).then(|| readings.iter().sum::<f64>() / readings.len() as f64)
        };
        (0..devices).filter_map(mean)
    };
    let readings = [
        (SecondaryMetric::DeviceClock, of(|state| state.clock_hz).reduce(f64::min)),
        (SecondaryMetric::Power, of(|state| state.power_w).reduce(|sum, power_w| sum + power_w)),
        (SecondaryMetric::Temperature, of(|state| state.temperature_c).reduce(f64::max)),
    ];
    let told = || looks.iter().flatten().filter_map(|state| state.throttled.as_ref());
    let words = told().flatten().map(String::as_str);
    let reasons = told().next().map(|_| (SecondaryMetric::ThrottleReasons.into(), throttle::bits(words) as f64));
    readings.into_iter().filter_map(|(metric, value)| Some((metric.into(), value?))).chain(reasons).collect()
}

impl<T: Timed> Timed for Watched<T> {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let Self { workload, devices, seen } = self;
        let devices = devices.all();
        let (end, ended) = mpsc::channel();
        let (elapsed_s, looks) = thread::scope(|scope| {
            let watch = scope.spawn(move || look(devices, &ended));
            let elapsed_s = workload.time(loops, clock);
            drop(end);
            (elapsed_s, watch.join().unwrap_or_default())
        });
        *seen = metrics(&looks);
        elapsed_s
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.workload.verify()
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.workload.renew()
    }

    fn threads(&self) -> Vec<i32> {
        self.workload.threads()
    }

    /// What the workload says itself comes first: a clock that it counted is exact, and one that is looked at lags behind.
    fn extra(&self) -> Vec<(MetricName, f64)> {
        let mut extra = self.workload.extra();
        self.limit_by_sight(&mut extra);
        for (seen, value) in &self.seen {
            if extra.iter().all(|(said, _)| said != seen) {
                extra.push((seen.clone(), *value));
            }
        }
        extra
    }

    fn caveats(&self) -> Vec<Caveat> {
        self.workload.caveats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_has_its_mean_and_several_their_worst() {
        let state = |clock_hz, power_w, reason: &str| DeviceState {
            clock_hz: Some(clock_hz),
            power_w: Some(power_w),
            throttled: Some(vec![reason.to_owned()]),
            ..DeviceState::default()
        };
        let looks = [
            vec![state(2e9, 100.0, "sw_power_cap"), state(1e9, 50.0, "")],
            vec![state(1e9, 300.0, ""), state(1e9, 50.0, "hw_slowdown")],
        ];
        let found = metrics(&looks);
        let of = |metric: SecondaryMetric| found.iter().find(|(name, _)| *name == metric).map(|(_, value)| *value);
        assert_eq!(of(SecondaryMetric::DeviceClock), Some(1e9));
        assert_eq!(of(SecondaryMetric::Power), Some(250.0));
        assert_eq!(of(SecondaryMetric::Temperature), None);
        assert_eq!(of(SecondaryMetric::ThrottleReasons), Some(f64::from(0x4 | 0x8)));
        assert_eq!(metrics(&[vec![DeviceState::default()]]), []);
        // A clock alone says nothing of what holds it down.
        let clock = DeviceState { clock_hz: Some(1e9), ..DeviceState::default() };
        assert_eq!(metrics(&[vec![clock]]), [(SecondaryMetric::DeviceClock.into(), 1e9)]);
    }
}
