//! The state of a device by the driver's system management, which `ZES_ENABLE_SYSMAN=1` switches on before the start.
#![allow(unsafe_code)]

use std::sync::{Mutex, PoisonError};

use super::calls::call_if_there;
use super::library::{Api, all};
use super::objects::Handle;
use super::structures::{EnergyCounter, FrequencyProperties, FrequencyState, Opaque, Structure, TemperatureProperties};
use crate::device::error::DeviceResult;
use crate::device::facts::DeviceState;

/// `ZES_FREQ_DOMAIN_GPU` and `ZES_FREQ_DOMAIN_MEMORY`
const UNITS: u32 = 0;
const MEMORY: u32 = 1;
/// `ZES_TEMP_SENSORS_GLOBAL` and `ZES_TEMP_SENSORS_GPU`: the hottest of all sensors, and of those in the units.
const HOTTEST: u32 = 0;
const HOTTEST_UNIT: u32 = 1;

/// `zes_freq_throttle_reason_flag_t`, bit by bit.
const REASONS: &[&str] =
    &["ave_pwr_cap", "burst_pwr_cap", "current_limit", "thermal_limit", "psu_alert", "sw_range", "hw_range"];

/// What can be asked about a device; nothing where system management is off.
pub(super) struct Sysman {
    api: &'static Api,
    units: Option<Handle>,
    memory: Option<Handle>,
    energy: Option<Handle>,
    temperature: Option<Handle>,
    /// The last count of energy: power is what was added since.
    last: Mutex<Option<EnergyCounter>>,
}

impl Sysman {
    /// What `device` tells. A handle of a device is one of its system management too, where that was switched on before the start
    /// (specification, "System Resource Management").
    pub(super) fn of(api: &'static Api, device: Handle) -> Self {
        let is_on = std::env::var_os("ZES_ENABLE_SYSMAN").is_some_and(|value| value == "1");
        let listed = |list: DeviceResult<Vec<Opaque>>| if is_on { list.unwrap_or_default() } else { Vec::new() };
        let device = device.0;
        let none = std::ptr::null_mut();
        let domains = listed(all(none, |count, list| call_if_there!(api, frequency_domains(device, count, list))));
        let of_kind = |wanted: u32| {
            domains.iter().copied().map(Handle).find(|domain| frequency_kind(api, *domain) == Some(wanted))
        };
        let powers = listed(all(none, |count, list| call_if_there!(api, power_domains(device, count, list))));
        let sensors = listed(all(none, |count, list| call_if_there!(api, temperature_sensors(device, count, list))));
        let sensor = |wanted: u32| {
            sensors.iter().copied().map(Handle).find(|sensor| temperature_kind(api, *sensor) == Some(wanted))
        };
        Self {
            api,
            units: of_kind(UNITS),
            memory: of_kind(MEMORY),
            // The first counts the whole device.
            energy: powers.first().copied().map(Handle),
            temperature: sensor(HOTTEST).or_else(|| sensor(HOTTEST_UNIT)),
            last: Mutex::default(),
        }
    }

    /// The state now. Power is the mean since the state was last asked for, so that the first answer has none.
    pub(super) fn state(&self) -> DeviceState {
        let units = self.units.and_then(|domain| self.frequency(domain));
        let clock_hz = |state: FrequencyState| Some(state.actual_mhz * 1e6).filter(|hz| *hz > 0.0);
        DeviceState {
            clock_hz: units.and_then(clock_hz),
            memory_clock_hz: self.memory.and_then(|domain| self.frequency(domain)).and_then(clock_hz),
            power_w: self.power_w(),
            temperature_c: self.temperature.and_then(|sensor| self.celsius(sensor)),
            throttled: units.map(|state| reasons(state.throttle_reasons)),
            link: None,
            ecc: None,
        }
    }

    fn frequency(&self, domain: Handle) -> Option<FrequencyState> {
        let mut state = FrequencyState::new();
        call_if_there!(self.api, frequency_state(domain.0, &raw mut state)).ok()?;
        Some(state)
    }

    fn celsius(&self, sensor: Handle) -> Option<f64> {
        let mut celsius = 0.0;
        call_if_there!(self.api, temperature(sensor.0, &raw mut celsius)).ok()?;
        Some(celsius).filter(|celsius| *celsius > 0.0)
    }

    fn power_w(&self) -> Option<f64> {
        let mut now = EnergyCounter::default();
        call_if_there!(self.api, energy_counter(self.energy?.0, &raw mut now)).ok()?;
        let before = self.last.lock().unwrap_or_else(PoisonError::into_inner).replace(now)?;
        mean_w(before, now)
    }
}

fn frequency_kind(api: &Api, domain: Handle) -> Option<u32> {
    let mut properties = FrequencyProperties::new();
    call_if_there!(api, frequency_properties(domain.0, &raw mut properties)).ok()?;
    Some(properties.kind)
}

fn temperature_kind(api: &Api, sensor: Handle) -> Option<u32> {
    let mut properties = TemperatureProperties::new();
    call_if_there!(api, temperature_properties(sensor.0, &raw mut properties)).ok()?;
    Some(properties.kind)
}

/// Microjoules by microseconds are watts. A counter that stood still or ran backwards says nothing.
fn mean_w(before: EnergyCounter, now: EnergyCounter) -> Option<f64> {
    let energy_uj = now.energy_uj.checked_sub(before.energy_uj)?;
    let elapsed_us = now.timestamp_us.checked_sub(before.timestamp_us).filter(|elapsed| *elapsed > 0)?;
    Some(energy_uj as f64 / elapsed_us as f64)
}

fn reasons(bits: u32) -> Vec<String> {
    let set = REASONS.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    set.map(|(_, reason)| (*reason).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_is_what_was_added_over_the_counters_own_time() {
        let count = |energy_uj, timestamp_us| EnergyCounter { energy_uj, timestamp_us };
        assert_eq!(mean_w(count(1_000, 10), count(31_000, 210)), Some(150.0));
        assert_eq!((mean_w(count(5, 10), count(5, 10)), mean_w(count(5, 10), count(4, 20))), (None, None));
    }

    #[test]
    fn reasons_are_the_headers_words() {
        assert_eq!(reasons(0b1001), ["ave_pwr_cap", "thermal_limit"]);
    }
}
