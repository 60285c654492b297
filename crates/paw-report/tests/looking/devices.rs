//! Runs of devices: their own clocks beside the host's, and shares of what the hardware allows.

use paw_data::cell::{Cell, Role};
use paw_data::machine::Device;
use paw_data::outcome::{CheckVerdict, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_data::secondary::SecondaryMetric;
use paw_data::store::csv;
use paw_data::work::Work;
use paw_report::{Colour, html, markdown, text};

use crate::handmade::{QUIET, cell, dgemm, doubted, measured, reference, run};
use crate::html::{balanced, links_lead_somewhere};

/// A transfer of a megabyte in 100 µs by the host's clock, in 50 by the device's, over a link of 40 GB/s.
fn transfer(provider: &str, devices: i64, further: &[(SecondaryMetric, f64)]) -> Record {
    let work = Work { bytes: 1e6, ..Work::default() };
    let point = Point::new().with("n", 250_000_i64).with("devices", devices);
    let cell = Cell { work, ..cell("device", "gpu_in_pinned", provider, Quantity::Bytes, point) };
    let mut record = measured(cell, 1e-4, &QUIET);
    let halves = |of: &Record| of.samples.elapsed_s.iter().map(|elapsed_s| elapsed_s / 2.0).collect::<Vec<f64>>();
    let event_s = halves(&record);
    let taken = event_s.len();
    record.samples.extra.insert(SecondaryMetric::Event.into(), event_s);
    for (metric, value) in further {
        record.samples.extra.insert((*metric).into(), vec![*value; taken]);
    }
    record
}

fn devices() -> Run {
    let limit = (SecondaryMetric::Limit, 40e9);
    let records = vec![
        transfer("cuda0", 1, &[limit]),
        transfer("cuda0+1", 2, &[(SecondaryMetric::Limit, 80e9), (SecondaryMetric::Overlap, 0.5)]),
    ];
    let mut run = run(records);
    run.header.machine.devices = vec![Device {
        id: "cuda0".to_owned(),
        product: "Imaginary 100".to_owned(),
        memory_bytes: 16 << 30,
        link: "PCIe generation 4 of 4, 16 of 16 lanes".to_owned(),
        link_bytes_s: Some(40e9),
        ..Device::default()
    }];
    run
}

#[test]
fn the_devices_clock_stands_beside_the_hosts_with_its_share_of_the_link() {
    let run = devices();
    let text = text(&run, 120, Colour::Plain);
    let row = text.lines().find(|line| line.starts_with("cuda0 ") && line.contains('✓')).expect("a row");
    let words: Vec<&str> = row.split_whitespace().collect();
    // 10 GB/s by the host's clock, 20 by the device's, which is half of the link.
    let place = |word: &str| words.iter().position(|w| *w == word).unwrap_or_else(|| panic!("{word}: {row}"));
    assert!(place("10.0") < place("20.0") && place("20.0") < place("50%"), "{row}");
    let both = text.lines().find(|line| line.starts_with("cuda0+1 ") && line.contains('✓')).expect("a row");
    assert!(both.contains("25%") && both.contains("50%"), "a quarter of both links, half of the time together: {both}");
    assert!(!text.contains("gated"), "nothing was measured behind a gate: {text}");
}

#[test]
fn a_copy_faster_than_the_link_that_was_named_has_no_share_of_it() {
    let mut run = devices();
    run.records = vec![transfer("cuda0", 1, &[(SecondaryMetric::Limit, 2e9)])];
    let text = text(&run, 120, Colour::Plain);
    let row = text.lines().find(|line| line.contains('✓')).expect("a row");
    assert!(row.contains("other way") && !row.contains("1000%"), "20 GB/s over a link of 2: {row}");
}

#[test]
fn a_device_is_described_in_every_view() {
    let run = devices();
    let page = html(std::slice::from_ref(&run));
    balanced(&page);
    links_lead_somewhere(&page);
    for view in [text(&run, 80, Colour::Plain), page] {
        let flat = view.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains("Imaginary 100") && flat.contains("16 of 16 lanes, 40.0 GB"), "{view}");
    }
    assert!(markdown(&run).contains("of link"));
}

/// The headline by the device's clock in gigabytes a second: what the table says, and what the file for spreadsheets says.
fn by_event(run: &Run) -> (f64, f64) {
    let text = text(run, 120, Colour::Plain);
    let row = text.lines().find(|line| line.contains('✓')).unwrap_or_else(|| panic!("{text}"));
    let words: Vec<&str> = row.split_whitespace().collect();
    let share = words.iter().rposition(|word| word.ends_with('%')).unwrap_or_else(|| panic!("{row}"));
    let mut out = Vec::new();
    csv::write(run, &mut out).expect("written");
    let file = String::from_utf8(out).expect("text");
    let line = file.lines().find(|line| line.contains("bytes_event")).unwrap_or_else(|| panic!("{file}"));
    let value: f64 = line.split(',').nth(6).and_then(|value| value.parse().ok()).expect("a number");
    (words[share - 1].parse().expect("a number"), value / 1e9)
}

#[test]
fn further_figures_are_the_same_in_tables_and_files_however_many_samples_were_disturbed() {
    let all = transfer("cuda0", 1, &[]).samples.len();
    for clean in [0, 2, 3, all] {
        let mut record = transfer("cuda0", 1, &[(SecondaryMetric::Limit, 400e9)]);
        record.samples.disturbed = (0..all).map(|at| at >= clean).collect();
        let events = record.samples.extra.get_mut(&SecondaryMetric::Event.into()).expect("events");
        // Those that are clean in a quarter of the time, where they are enough to count alone.
        events[..clean.min(3)].iter_mut().for_each(|event_s| *event_s /= 4.0);
        let (table, file) = by_event(&run(vec![record]));
        assert!((table / file - 1.0).abs() < 0.01, "{clean} clean: {table} {file}");
        let expected = if clean == 3 { 80.0 } else { 20.0 };
        assert!((file / expected - 1.0).abs() < 0.05, "{clean} clean: {file}");
    }
}

#[test]
fn words_of_trust_are_explained_once_where_they_are_shown() {
    for width in [40, 80, 200] {
        let text = text(&devices(), width, Colour::Plain);
        let has_words = text.lines().any(|line| line.trim_end().ends_with("  trust"));
        assert_eq!(
            text.split_whitespace().collect::<Vec<_>>().join(" ").matches("good: repeats agree").count(),
            usize::from(has_words),
            "{width}: {text}"
        );
    }
}

/// What the headline says of products that take so many microseconds on a device and on the host, each after `change` of the device's.
fn offloaded(sizes: &[(i64, f64, f64)], change: impl Fn(&mut Record)) -> String {
    let beside = |(n, device_us, host_us): &(i64, f64, f64)| {
        let transfers = Point::new().with("n", *n).with("kernel", "dgemm").with("transfers", "once").with("devices", 1);
        let device = cell("device", "offload_threshold", "cuda0", Quantity::Flops, transfers);
        let mut device = measured(device, device_us * 1e-6, &[QUIET, QUIET].concat());
        change(&mut device);
        let host = measured(dgemm("openblas", *n, 2), host_us * 1e-6, &[QUIET, QUIET].concat());
        let group = |mut record: Record| {
            record.cell.group = *n as u32;
            record
        };
        [group(device), group(reference(host, Role::Base))]
    };
    let text = text(&run(sizes.iter().flat_map(beside).collect()), 200, Colour::Plain);
    text.lines().find(|line| line.starts_with("dgemm offload")).expect("a line of the headline").to_owned()
}

#[test]
fn a_device_beats_the_host_only_by_numbers_that_can_be_relied_on() {
    let sizes = [(64, 20.0, 10.0), (128, 10.0, 20.0), (256, 10.0, 40.0)];
    let good = offloaded(&sizes, |_| ());
    assert!(good.contains("faster from between n=64 and n=128 on up to n=256, the largest measured"), "{good}");
    assert!(!good.contains("fair") && !good.contains("poor"), "{good}");
    let fair = offloaded(&sizes, |device| *device = doubted(device.clone(), "throttled", "it was hot", "cool it"));
    assert!(fair.contains("faster from between n=64 and n=128") && fair.contains("fair"), "{fair}");
    let wrong = offloaded(&sizes, |device| {
        device.outcome.as_mut().and_then(|outcome| outcome.check.as_mut()).expect("a check").verdict =
            CheckVerdict::Fail;
    });
    let broken = offloaded(&sizes, |device| device.outcome.as_mut().expect("an outcome").status = Status::Failed);
    for line in [wrong, broken] {
        assert!(line.contains("undecided at n=256") && !line.contains("faster"), "{line}");
    }
}

#[test]
fn what_two_processes_of_one_program_differ_by_makes_no_device_faster() {
    let line = offloaded(&[(64, 10.0, 10.3), (128, 10.0, 10.4)], |_| ());
    assert!(line.contains("undecided at n=128, the largest size: give it longer"), "{line}");
    let line = offloaded(&[(64, 10.0, 20.0)], |_| ());
    assert!(line.contains("faster at n=64, the only size measured"), "{line}");
}
