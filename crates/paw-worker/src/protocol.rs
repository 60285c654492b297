//! The protocol of parent and worker: one line of JSON per message, one reply to each request.

use paw_data::cell::Library;
use paw_data::outcome::{Caveat, Check};
use paw_data::run::Instrument;
use paw_data::secondary::MetricName;
use paw_measure::disturbance::{Disturbance, Sight};
use paw_measure::fault::Fault;
use paw_measure::workload::Reading;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A worker's answer when a workload is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// The clock, as measured in the worker.
    pub instrument: Instrument,
    /// The library, where one is called.
    pub library: Option<Library>,
    /// Further data agreed between opener and factory; `null` if none.
    #[serde(default)]
    pub note: Value,
}

/// A request of the parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    /// The first message: who asks, and the processors to stay on (all where empty).
    Hello {
        parent: u32,
        cpus: Vec<u32>,
    },
    /// Start the workload that `spec` describes and call it `handle` from now on.
    Open {
        handle: u64,
        spec: Value,
    },
    Resume {
        handle: u64,
    },
    Sample {
        handle: u64,
        loops: u64,
    },
    Pause {
        handle: u64,
    },
    Renew {
        handle: u64,
    },
    Verify {
        handle: u64,
    },
    /// Report the workload's caveats.
    Caveats {
        handle: u64,
    },
    /// Give up the workload.
    Close {
        handle: u64,
    },
    /// Asks a question that opens no workload.
    Question {
        asked: Value,
    },
    /// End the process.
    Quit,
}

/// A reply of the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    Done,
    /// The worker listens, as the process `pid`; its guard is the process that was started.
    Settled {
        pid: u32,
    },
    Opened(Opened),
    Sampled(Option<WireReading>),
    Checked(Check),
    Caveats(Vec<Caveat>),
    Answered(Value),
    Missing(String),
    Broken(String),
    Spoiled(Box<Check>),
    Interrupted,
}

/// A [`Reading`] in JSON, in which NaN is `null`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WireReading {
    elapsed_s: f64,
    ops_s: Vec<f64>,
    extra: Vec<(MetricName, Option<f64>)>,
    run_delay_s: f64,
    switches: u32,
    migrations: u32,
    seen: bool,
}

impl From<Reading> for WireReading {
    fn from(reading: Reading) -> Self {
        let Disturbance { run_delay_s, switches, migrations, sight } = reading.disturbance;
        let seen = sight == Sight::Seen;
        let extra =
            reading.extra.into_iter().map(|(name, value)| (name, Some(value).filter(|value| value.is_finite())));
        let (elapsed_s, ops_s) = (reading.elapsed_s, reading.ops_s);
        Self { elapsed_s, ops_s, extra: extra.collect(), run_delay_s, switches, migrations, seen }
    }
}

impl From<WireReading> for Reading {
    fn from(wire: WireReading) -> Self {
        let WireReading { elapsed_s, ops_s, extra, run_delay_s, switches, migrations, seen } = wire;
        let sight = if seen { Sight::Seen } else { Sight::Unknown };
        let extra = extra.into_iter().map(|(name, value)| (name, value.unwrap_or(f64::NAN))).collect();
        let starts_s = Vec::new();
        Self {
            elapsed_s,
            ops_s,
            starts_s,
            extra,
            disturbance: Disturbance { run_delay_s, switches, migrations, sight },
        }
    }
}

impl From<Fault> for Reply {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Missing(why) => Reply::Missing(why),
            Fault::Broken(why) => Reply::Broken(why),
            Fault::Wrong(_) => Reply::Broken(fault.to_string()),
            Fault::Spoiled(check) => Reply::Spoiled(check),
            Fault::Interrupted => Reply::Interrupted,
        }
    }
}

impl Reply {
    /// This reply, or the fault that it carries.
    pub(crate) fn ok(self) -> Result<Reply, Fault> {
        match self {
            Reply::Missing(why) => Err(Fault::Missing(why)),
            Reply::Broken(why) => Err(Fault::Broken(why)),
            Reply::Spoiled(check) => Err(Fault::Spoiled(check)),
            Reply::Interrupted => Err(Fault::Interrupted),
            good => Ok(good),
        }
    }
}

#[cfg(test)]
mod tests {
    use paw_data::secondary::SecondaryMetric;

    use super::*;

    #[test]
    fn a_reading_comes_back_bit_for_bit() {
        let reading = Reading {
            elapsed_s: 0.1 + 0.2,
            starts_s: Vec::new(),
            ops_s: vec![1.0 / 3.0, f64::MIN_POSITIVE, 123_456_789.012_345_67],
            extra: vec![(SecondaryMetric::CoreClock.into(), 4.2e9 + 1.0 / 3.0)],
            disturbance: Disturbance { run_delay_s: 1e-9 / 7.0, switches: 3, migrations: 1, sight: Sight::Seen },
        };
        let line = serde_json::to_string(&Reply::Sampled(Some(reading.clone().into()))).expect("plain data");
        let Ok(Reply::Sampled(Some(back))) = serde_json::from_str(&line) else { panic!("{line}") };
        assert_eq!(Reading::from(back), reading);
    }

    #[test]
    fn a_number_that_is_none_survives_as_nan() {
        let reading = Reading { extra: vec![(SecondaryMetric::Ticks.into(), f64::NAN)], ..Reading::default() };
        let line = serde_json::to_string(&WireReading::from(reading)).expect("plain data");
        let back: WireReading = serde_json::from_str(&line).expect("as written");
        assert!(Reading::from(back).extra[0].1.is_nan());
    }
}
