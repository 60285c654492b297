//! A history in the text formats of Prometheus: exposition format 0.0.4, and OpenMetrics 1.0.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::history::RunDigest;
use crate::history::series::{Series, series};
use crate::quantity::Quantity;

/// Which figures are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exposition {
    /// The latest of each series, without times, which a textfile collector refuses: Prometheus' own format.
    Latest,
    /// All with their times: OpenMetrics, which promtool fills a database from.
    All,
}

/// A metric: its quantity (`None`: what programs print), name, and meaning.
const METRICS: &[(Option<Quantity>, &str, &str)] = &[
    (Some(Quantity::Time), "paw_time_seconds", "Time of one operation."),
    (Some(Quantity::Flops), "paw_flops_per_second", "Floating-point operations per second."),
    (Some(Quantity::Bytes), "paw_bytes_per_second", "Bytes per second."),
    (Some(Quantity::Messages), "paw_messages_per_second", "Messages per second."),
    (Some(Quantity::Updates), "paw_updates_per_second", "Random updates of memory per second."),
    (Some(Quantity::Cycles), "paw_clock_hertz", "Core cycles per second."),
    (None, "paw_program_metric", "A number that a program printed, in its own unit."),
];

/// Value and ends of the interval: ending of the metric's name, words behind its meaning, and the number.
type Statistic = (&'static str, &'static str, fn(&crate::history::CellFigure) -> Option<f64>);

const STATISTICS: &[Statistic] = &[
    ("", "", |figure| Some(figure.value)),
    ("_low", " Smaller end of its interval.", |figure| figure.low),
    ("_high", " Larger end of its interval.", |figure| figure.high),
];

/// Writes `entries`, of one machine or several; `time_ms` reads a run's start as milliseconds since 1970.
pub fn write(
    entries: &[&RunDigest],
    which: Exposition,
    time_ms: &dyn Fn(&str) -> Option<i64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    // Of machines that are not known the host name tells them apart.
    let mut machines: BTreeMap<(String, &str), Vec<&RunDigest>> = BTreeMap::new();
    for entry in entries {
        machines.entry((entry.machine(), &entry.identity.host)).or_default().push(entry);
    }
    let all: Vec<(&String, Vec<Series<'_>>)> =
        machines.iter().map(|((machine, _), own)| (machine, series(own.iter().copied()))).collect();
    let of_quantity = |quantity: Option<Quantity>| {
        let tracks = all.iter().flat_map(|(machine, tracks)| tracks.iter().map(move |track| (*machine, track)));
        tracks.filter(move |(_, track)| track.measure.quantity() == quantity).collect::<Vec<_>>()
    };
    for (quantity, name, meaning) in METRICS {
        let tracks = of_quantity(*quantity);
        for (ending, words, number) in STATISTICS {
            let lines: Vec<String> =
                tracks.iter().flat_map(|(machine, track)| samples(machine, track, which, time_ms, *number)).collect();
            if lines.is_empty() {
                continue;
            }
            writeln!(out, "# HELP {name}{ending} {meaning}{words}\n# TYPE {name}{ending} gauge")?;
            for line in lines {
                writeln!(out, "{name}{ending}{line}")?;
            }
        }
    }
    match which {
        Exposition::Latest => latest_times(&all, time_ms, out),
        Exposition::All => writeln!(out, "# EOF"),
    }
}

/// Labels and numbers of one series.
fn samples(
    machine: &str,
    track: &Series<'_>,
    which: Exposition,
    time_ms: &dyn Fn(&str) -> Option<i64>,
    number: fn(&crate::history::CellFigure) -> Option<f64>,
) -> Vec<String> {
    let labels = labels(machine, track);
    if which == Exposition::Latest {
        let latest = track.items.last().and_then(|item| number(item.figure));
        return latest.map(|value| format!("{labels} {value:e}")).into_iter().collect();
    }
    // Times have to grow: of two runs that began at once the first counts.
    let mut before = i64::MIN;
    let mut lines = Vec::new();
    for item in &track.items {
        let Some((value, time)) = number(item.figure).zip(time_ms(&item.entry.utc)) else { continue };
        if time > before {
            before = time;
            lines.push(format!("{labels} {value:e} {}.{:03}", time.div_euclid(1000), time.rem_euclid(1000)));
        }
    }
    lines
}

/// When each latest figure was measured.
fn latest_times(
    all: &[(&String, Vec<Series<'_>>)],
    time_ms: &dyn Fn(&str) -> Option<i64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    const NAME: &str = "paw_measured_timestamp_seconds";
    writeln!(out, "# HELP {NAME} Start of the run that a figure comes from.\n# TYPE {NAME} gauge")?;
    for (machine, tracks) in all {
        for track in tracks {
            let time = track.items.last().and_then(|item| time_ms(&item.entry.utc));
            if let Some(time) = time {
                writeln!(out, "{NAME}{} {}", labels(machine, track), time.div_euclid(1000))?;
            }
        }
    }
    Ok(())
}

fn labels(machine: &str, track: &Series<'_>) -> String {
    let host = track.items.last().map_or("", |item| item.entry.identity.host.as_str());
    let point = track.point.to_string();
    let all = [
        ("machine", machine),
        ("host", host),
        ("benchmark", track.benchmark),
        ("provider", track.provider),
        ("program", track.program),
        ("point", &point),
        ("metric", track.measure.metric()),
        ("unit", if track.measure.quantity().is_none() { track.measure.unit() } else { "" }),
    ];
    // A label without a value is none in both formats; only programs have a command line and metrics.
    let told = all.iter().filter(|(name, value)| !["program", "metric", "unit"].contains(name) || !value.is_empty());
    let pairs: Vec<String> = told.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

/// A label's value: both formats escape backslash, quotation mark and line feed, and nothing else.
fn escaped(value: &str) -> Cow<'_, str> {
    if !value.contains(['\\', '"', '\n']) {
        return Cow::Borrowed(value);
    }
    Cow::Owned(value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
