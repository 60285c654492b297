//! One reading from all ranks', in three reductions, and a broadcast where the benchmark has metrics of its own.
//!
//! The first takes the largest: faults, ranks that took part, extreme times, lengths of the next two. The second takes the largest, too:
//! the slowest rank, and the slowest of every operation. The third adds up. The broadcast carries the benchmark's own metrics.

use paw_data::cell::Combine;
use paw_data::secondary::{MetricName, SecondaryMetric};

use super::{ABSENT, Detail, alone, everyones, rank_if};
use crate::channel::{Channel, Reduce};
use crate::disturbance::{Disturbance, Sight, is_late};
use crate::fault::Fault;
use crate::message::{Message, MessageReader};
use crate::workload::Reading;

/// Why there is no reading.
pub struct Uncombined {
    pub fault: Fault,
    /// Whether the ranks can go on: no rank broke, and all have met.
    pub is_in_step: bool,
}

impl From<Fault> for Uncombined {
    fn from(fault: Fault) -> Self {
        Self { fault, is_in_step: false }
    }
}

/// One reading from all ranks', the same on every rank.
pub fn combine(
    channel: &impl Channel,
    detail: Detail,
    mine: Result<Option<Reading>, Fault>,
    how: Combine,
) -> Result<Reading, Uncombined> {
    let mine = mine.and_then(sound);
    let reading = mine.as_ref().ok().and_then(Option::as_ref);
    let fault = mine.as_ref().err();
    // A rank that broke may have done so in another operation than its peers; one that saw a wrong answer made all its calls.
    let broke = matches!(fault, Some(Fault::Broken(_)));
    let extremes = Extremes::of(channel, reading, [rank_if(fault.is_some(), channel), rank_if(broke, channel)]);
    let extremes = extremes.map_err(|gone| alone(channel, fault, gone))?;
    let is_in_step = extremes.broke == ABSENT;
    let met = everyones(channel, extremes.faulty, fault.cloned()).and_then(|()| extremes.check(how));
    met.map_err(|fault| Uncombined { fault, is_in_step })?;
    // Stamped operations travel once: with the extremes, or with the sums.
    let ops = extremes.ops_max as usize;
    let (extreme_ops, summed_ops) = if how == Combine::Mean { (0, ops) } else { (ops, 0) };
    let slowest = Slowest::of(channel, reading, &extremes, how, extreme_ops)?;
    let detail = if how == Combine::Pairs { Detail::EveryRank } else { detail };
    let sums = Sums::of(channel, reading, detail, summed_ops, &extremes)?;
    let own = shared_metrics(channel, reading, &extremes)?;
    Ok(one(how, &extremes, slowest, sums, own))
}

/// The reading, where its times are numbers.
fn sound(reading: Option<Reading>) -> Result<Option<Reading>, Fault> {
    let times = reading.iter().flat_map(|reading| reading.ops_s.iter().chain([&reading.elapsed_s]));
    let broken = times.copied().find(|time_s| !time_s.is_finite());
    match broken {
        Some(time_s) => Err(Fault::Broken(format!("a region read {time_s} s: the clock is broken"))),
        None => Ok(reading),
    }
}

/// A secondary metric of this rank.
fn secondary(reading: Option<&Reading>, metric: SecondaryMetric) -> Option<f64> {
    reading?.secondary(metric).filter(|value| value.is_finite())
}

/// Metrics of a rank's start, which the reductions combine.
const OF_STARTS: [SecondaryMetric; 6] = [
    SecondaryMetric::Late,
    SecondaryMetric::Skew,
    SecondaryMetric::StartGlobal,
    SecondaryMetric::EndGlobal,
    SecondaryMetric::ClockBound,
    SecondaryMetric::OneWay,
];

/// The results of the first reduction.
struct Extremes {
    /// The lowest rank that has a fault.
    faulty: f64,
    /// The lowest rank that broke.
    broke: f64,
    /// The lowest rank that timed.
    first: f64,
    max_s: f64,
    min_s: f64,
    ops_max: f64,
    ops_min: f64,
    /// The most announced starts of a rank.
    starts: f64,
    /// The longest of the ranks' [`own_metrics`], in bytes.
    own_bytes: f64,
    skew_s: f64,
    start_s: f64,
    end_s: f64,
    windowless: f64,
    clock_bound_s: f64,
    one_way_s: f64,
}

impl Extremes {
    fn of(channel: &impl Channel, reading: Option<&Reading>, [faulty, broke]: [f64; 2]) -> Result<Self, Fault> {
        let of = |value: &dyn Fn(&Reading) -> f64| reading.map_or(ABSENT, value);
        let least = |value: Option<f64>| value.map_or(ABSENT, |value| -value);
        let (start_s, end_s) =
            (secondary(reading, SecondaryMetric::StartGlobal), secondary(reading, SecondaryMetric::EndGlobal));
        let mut values = [
            faulty,
            broke,
            rank_if(reading.is_some(), channel),
            of(&|reading| reading.elapsed_s),
            of(&|reading| -reading.elapsed_s),
            of(&|reading| reading.ops_s.len() as f64),
            of(&|reading| -(reading.ops_s.len() as f64)),
            of(&|reading| reading.starts_s.len() as f64),
            of(&|reading| own_metrics(reading).len() as f64),
            secondary(reading, SecondaryMetric::Skew).unwrap_or(ABSENT),
            least(start_s),
            end_s.unwrap_or(ABSENT),
            rank_if(reading.is_some() && (start_s.is_none() || end_s.is_none()), channel),
            secondary(reading, SecondaryMetric::ClockBound).unwrap_or(ABSENT),
            secondary(reading, SecondaryMetric::OneWay).unwrap_or(ABSENT),
        ];
        channel.reduce(&mut values, Reduce::Max)?;
        let [faulty, broke, first, max_s, min_s, ops_max, ops_min, starts, own_bytes, skew_s, start_s, end_s, ..] =
            values;
        let [.., windowless, clock_bound_s, one_way_s] = values;
        let (min_s, ops_min, start_s) = (-min_s, -ops_min, -start_s);
        Ok(Self {
            faulty,
            broke,
            first,
            max_s,
            min_s,
            ops_max,
            ops_min,
            starts,
            own_bytes,
            skew_s,
            start_s,
            end_s,
            windowless,
            clock_bound_s,
            one_way_s,
        })
    }

    /// Whether what a rank took and waited reaches the slowest rank's time within the hundredth that methods resolve: its wait may have made
    /// the sample as long as it is. In an operation that all wait for, every rank does; one that began late took less by what it waited.
    fn reached_by(&self, own: &Reading) -> bool {
        own.elapsed_s + own.disturbance.run_delay_s >= 0.99 * self.max_s
    }

    /// Whether the readings can become one. All ranks see the same, so all come to the same answer.
    fn check(&self, how: Combine) -> Result<(), Fault> {
        if self.first == ABSENT {
            return Err(Fault::Broken(
                "no rank timed anything: the benchmark needs other ranks or more of them".to_owned(),
            ));
        }
        if self.ops_max != self.ops_min {
            return Err(Fault::Broken(format!(
                "the ranks are out of step: one stamped {} operations and another {}",
                self.ops_min, self.ops_max
            )));
        }
        if how == Combine::Window && self.windowless != ABSENT {
            return Err(Fault::Broken(format!(
                "rank {} does not tell when it started and ended on the common clock; stream after a start by the global clock",
                self.windowless.abs()
            )));
        }
        Ok(())
    }
}

/// The results of the second reduction.
struct Slowest {
    rank: f64,
    /// The largest run delay of the ranks that [`reach`](Extremes::reached_by) the sample's time.
    delay_s: f64,
    /// Every operation's time by its slowest or fastest rank.
    ops_s: Vec<f64>,
}

impl Slowest {
    fn of(
        channel: &impl Channel,
        reading: Option<&Reading>,
        extremes: &Extremes,
        how: Combine,
        ops: usize,
    ) -> Result<Self, Fault> {
        let slowest = reading.is_some_and(|reading| reading.elapsed_s == extremes.max_s);
        let reaching = reading.filter(|own| extremes.reached_by(own));
        let delay_s = reaching.map_or(ABSENT, |own| own.disturbance.run_delay_s);
        let mut values = vec![rank_if(slowest, channel), delay_s];
        // An operation whose start was announced lasts from the last rank's start to the last rank's end.
        let starts = if how == Combine::Fastest { 0 } else { ops.min(extremes.starts as usize) };
        if let Some(reading) = reading {
            let ends = reading.ops_s.iter().enumerate().map(|(at, op_s)| match how {
                // The fastest is the largest of negated times.
                Combine::Fastest => -op_s,
                _ => op_s + reading.starts_s.get(at).copied().unwrap_or(0.0),
            });
            values.extend(ends.take(ops));
            values.extend(reading.starts_s.iter().take(starts));
        }
        values.resize(2 + ops + starts, ABSENT);
        channel.reduce(&mut values, Reduce::Max)?;
        let (ends_s, starts_s) = values[2..].split_at(ops);
        let ops_s = match how {
            Combine::Fastest => ends_s.iter().map(|negated_s| -negated_s).collect(),
            _ => ends_s.iter().enumerate().map(|(at, end_s)| end_s - starts_s.get(at).unwrap_or(&0.0)).collect(),
        };
        Ok(Self { rank: values[0].abs(), delay_s: values[1], ops_s })
    }
}

/// The results of the third reduction.
struct Sums {
    elapsed_s: f64,
    timed: f64,
    disturbance: Disturbance,
    late: Option<f64>,
    /// Ranks that [`reach`](Extremes::reached_by) the sample's time and waited for a processor for longer than the limits of one process.
    waiting: f64,
    /// Every operation's sum over ranks.
    ops_s: Vec<f64>,
    /// Every rank's own time, where all are kept; NaN where a rank was idle.
    ranks_s: Vec<f64>,
}

/// Numbers of [`Sums`] before those whose count varies.
const FIXED: usize = 9;

impl Sums {
    fn of(
        channel: &impl Channel,
        reading: Option<&Reading>,
        detail: Detail,
        ops: usize,
        extremes: &Extremes,
    ) -> Result<Self, Fault> {
        let late = secondary(reading, SecondaryMetric::Late);
        let disturbance = reading.map(|reading| reading.disturbance).unwrap_or_default();
        let waits =
            reading.is_some_and(|own| extremes.reached_by(own) && is_late(own.disturbance.run_delay_s, own.elapsed_s));
        let blind = reading.is_some() && disturbance.sight == Sight::Unknown;
        let mut values = vec![
            reading.map_or(0.0, |reading| reading.elapsed_s),
            f64::from(u8::from(reading.is_some())),
            disturbance.run_delay_s,
            f64::from(disturbance.switches),
            f64::from(disturbance.migrations),
            f64::from(u8::from(blind)),
            late.unwrap_or(0.0),
            f64::from(u8::from(late.is_some())),
            f64::from(u8::from(waits)),
        ];
        values.extend(reading.iter().flat_map(|reading| &reading.ops_s).take(ops));
        values.resize(FIXED + ops, 0.0);
        if detail == Detail::EveryRank {
            values.resize(values.len() + channel.size(), 0.0);
            values[FIXED + ops + channel.rank()] = reading.map_or(f64::NAN, |reading| reading.elapsed_s);
        }
        channel.reduce(&mut values, Reduce::Sum)?;
        Ok(Self::read(&values, ops))
    }

    fn read(values: &[f64], ops: usize) -> Self {
        let (fixed, rest) = values.split_at(FIXED);
        let (ops_s, ranks_s) = rest.split_at(ops);
        Self {
            elapsed_s: fixed[0],
            timed: fixed[1],
            disturbance: Disturbance {
                run_delay_s: fixed[2],
                switches: fixed[3] as u32,
                migrations: fixed[4] as u32,
                sight: if fixed[5] == 0.0 { Sight::Seen } else { Sight::Unknown },
            },
            late: (fixed[7] > 0.0).then_some(fixed[6]),
            waiting: fixed[8],
            ops_s: ops_s.to_vec(),
            ranks_s: ranks_s.to_vec(),
        }
    }
}

/// Metrics that the benchmark added to a reading: each a name and a value.
fn own_metrics(reading: &Reading) -> Vec<u8> {
    let own = reading.extra.iter().filter(|(name, _)| !OF_STARTS.iter().any(|metric| name == metric));
    own.fold(Message::default(), |message, (name, value)| message.text(name.as_str()).number(*value)).into_bytes()
}

/// The metrics of the lowest rank that timed, on every rank.
fn shared_metrics(
    channel: &impl Channel,
    reading: Option<&Reading>,
    extremes: &Extremes,
) -> Result<Vec<(MetricName, f64)>, Fault> {
    let mut bytes = reading.map(own_metrics).unwrap_or_default();
    bytes.resize(extremes.own_bytes as usize, 0);
    if !bytes.is_empty() {
        channel.broadcast_bytes(&mut bytes, extremes.first.abs() as usize)?;
    }
    let mut message = MessageReader(&bytes);
    let named = std::iter::from_fn(|| Some((message.text()?, message.number()?)));
    // Padding, where another rank has more bytes, reads as values without a name.
    Ok(named.filter(|(name, _)| !name.is_empty()).map(|(name, value)| (MetricName::read(name), value)).collect())
}

fn one(how: Combine, extremes: &Extremes, slowest: Slowest, sums: Sums, own: Vec<(MetricName, f64)>) -> Reading {
    let mean_s = sums.elapsed_s / sums.timed;
    let ops_s = match how {
        Combine::Mean => sums.ops_s.iter().map(|sum_s| sum_s / sums.timed).collect(),
        Combine::Single | Combine::Slowest | Combine::Fastest | Combine::Window | Combine::Pairs => slowest.ops_s,
    };
    let elapsed_s = match how {
        Combine::Window => extremes.end_s - extremes.start_s,
        // An operation is complete when its slowest rank is; the slowest may be another each time.
        _ if !ops_s.is_empty() => ops_s.iter().sum(),
        Combine::Single | Combine::Slowest | Combine::Pairs => extremes.max_s,
        Combine::Fastest => extremes.min_s,
        Combine::Mean => mean_s,
    };
    let mut extra = own;
    let mut add = |metric: SecondaryMetric, value: Option<f64>| extra.extend(value.map(|value| (metric.into(), value)));
    add(SecondaryMetric::RankMin, Some(extremes.min_s));
    add(SecondaryMetric::RankMean, Some(mean_s));
    add(SecondaryMetric::RankMax, Some(extremes.max_s));
    add(SecondaryMetric::RunDelaySlowest, Some(slowest.delay_s));
    add(SecondaryMetric::RanksWaiting, Some(sums.waiting));
    add(SecondaryMetric::SlowestRank, Some(slowest.rank));
    add(SecondaryMetric::Skew, Some(extremes.skew_s).filter(|skew_s| *skew_s != ABSENT));
    add(SecondaryMetric::Late, sums.late);
    add(SecondaryMetric::ClockBound, Some(extremes.clock_bound_s).filter(|bound_s| *bound_s != ABSENT));
    add(SecondaryMetric::OneWay, Some(extremes.one_way_s).filter(|one_way_s| *one_way_s != ABSENT));
    add(SecondaryMetric::StartGlobal, Some(extremes.start_s).filter(|start_s| start_s.is_finite()));
    add(SecondaryMetric::EndGlobal, Some(extremes.end_s).filter(|end_s| end_s.is_finite()));
    let ranks = sums.ranks_s.iter().enumerate().filter(|(_, rank_s)| rank_s.is_finite());
    extra.extend(ranks.map(|(rank, rank_s)| (MetricName::of_rank(rank), *rank_s)));
    Reading { elapsed_s, ops_s, starts_s: Vec::new(), extra, disturbance: sums.disturbance }
}
