//! Several implementations of one program in one figure: an original, one with threads, one on a device.

use paw_data::application::{Application, NamedCommand, Reference};
use paw_data::outcome::Status;
use paw_data::point::Point;
use paw_data::run::{Record, Run};
use paw_report::{Colour, html, markdown, text};

use crate::html::drawings;
use crate::programs::{absent, cell, kinfit, run, steady, threads};

/// At n=1, 4 and 16: the original takes n seconds, with threads 1.25 times that by their number, the device 1 + n/8 seconds.
fn study(base: Option<&str>) -> Run {
    let of = |n: i64| {
        let (size, point) = (n as f64, Point::new().with("n", n));
        let of = |program: &str, threads: Option<i64>, time_s: f64| {
            let point = threads.map_or(point.clone(), |threads| point.clone().with("threads", threads));
            steady(cell("fit", program, point), time_s, 1.0, 0)
        };
        [
            of("original", None, size),
            of("openmp", Some(1), 1.25 * size),
            of("openmp", Some(2), 0.625 * size),
            of("device", None, 1.0 + size / 8.0),
        ]
    };
    let named = |name: &str| NamedCommand { name: name.into(), command: vec![format!("./{name}")] };
    let app = Application {
        name: "original".into(),
        command: vec!["./original".into()],
        others: vec![named("openmp"), named("device")],
        axes: vec!["n".into()],
        against: base.map(|name| Reference::Command(name.into())),
        threads: threads(&[1, 2], 2, 1),
        ..Application::default()
    };
    let mut records: Vec<Record> = [1, 4, 16].into_iter().flat_map(of).collect();
    // Sizes are measured one after the other, all of one in the same rounds.
    (0..).zip(&mut records).for_each(|(id, record)| (record.cell.id, record.cell.group) = (id, id / 4));
    run(app, records)
}

/// The drawing under this title.
fn drawn(page: &str, title: &str) -> String {
    let at = page.find(title).unwrap_or_else(|| panic!("no {title}"));
    drawings(&page[at..])[0].to_owned()
}

/// The places of the points of a drawing whose words begin so: across and up.
fn places(drawing: &str, words: &str) -> Vec<(f64, f64)> {
    let of = |rest: &str| {
        let path = rest.split(r#"class="point"#).nth(1)?.split(r#" d="M"#).nth(1)?;
        let mut numbers = path.split(|c: char| !(c.is_ascii_digit() || ".-".contains(c))).filter(|n| !n.is_empty());
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    };
    drawing.split("<title>").filter(|rest| rest.starts_with(words)).filter_map(of).collect()
}

#[test]
fn the_speed_up_of_each_over_one_base_is_drawn_over_sizes() {
    let page = html(&[study(Some("original"))]);
    let drawing = drawn(&page, "Speed-up over sizes");
    for name in ["original", "openmp 1T", "openmp 2T", "device"] {
        assert!(drawing.contains(&format!(">{name}</text>")), "{name} is at its line: {drawing}");
    }
    assert_eq!(drawing.matches(r#"class="curve""#).count(), 4);
    assert!(drawing.contains("speed-up 5.33"), "the device at 16: {drawing}");
    // Doublings: from 1.6 to 0.8 is as far down as from 2 to 1.
    let two = places(&drawing, "n=4, 2 threads")[0];
    let one = places(&drawing, "n=4, 1 thread")[0];
    let sizes = [places(&drawing, "n=1, 2 threads")[0].0, two.0, places(&drawing, "n=16, 2 threads")[0].0];
    assert!((sizes[1] - sizes[0] - (sizes[2] - sizes[1])).abs() < 0.2, "sizes that are powers are evenly spaced");
    let original: Vec<(f64, f64)> = places(&drawing, "n=4: 4.0");
    let up = |gain: f64| (original[0].1 - two.1) * gain.log2() / 1.6f64.log2();
    assert!((one.1 - original[0].1 + up(0.8)).abs() < 0.3, "{one:?} {two:?} {original:?}");
}

#[test]
fn times_over_sizes_stand_beside_speed_ups() {
    let page = html(&[study(Some("original"))]);
    let drawing = drawn(&page, "Best time over sizes");
    assert!(drawing.contains("best time, s") && drawing.matches(r#"class="curve""#).count() == 4, "{drawing}");
    let [small, large] = ["n=1, 1 thread", "n=16, 1 thread"].map(|words| places(&drawing, words)[0]);
    let middle = places(&drawing, "n=4, 1 thread")[0];
    assert!((small.1 + large.1 - 2.0 * middle.1).abs() < 0.3, "what is proportional to the size is a straight line");
    assert!(small.1 > middle.1 && middle.1 > large.1);
}

#[test]
fn what_has_no_number_of_threads_is_a_line_across() {
    let page = html(&[study(Some("original"))]);
    let drawing = drawn(&page, "Speed-up over threads at n=16");
    assert_eq!(drawing.matches(r#"class="curve""#).count(), 3, "the largest size alone: {drawing}");
    let line = |words: &str| {
        let rest = drawing.split("<title>").find(|rest| rest.starts_with(words)).unwrap();
        let path = rest.split(r#"class="curve" d="M"#).nth(1).unwrap().split('"').next().unwrap();
        path.split(['L', ' ']).map(|n| n.parse().unwrap()).collect::<Vec<f64>>()
    };
    let device = line("n=16: 3.0");
    assert!(device.len() == 4 && device[1] == device[3] && device[2] - device[0] > 100.0, "{device:?}");
}

#[test]
fn without_a_common_base_there_are_times_to_compare() {
    let page = html(&[study(None)]);
    let drawing = drawn(&page, "Best time over threads at n=16");
    assert_eq!(drawing.matches(r#"class="curve""#).count(), 3);
    assert!(!html(&[study(Some("openmp"))]).contains("Best time over threads"), "speed-ups say it");
}

#[test]
fn programs_by_threads_are_a_grid_and_the_fastest_is_named_where_it_is_separated() {
    for page in [text(&study(Some("original")), 80, Colour::Plain), markdown(&study(Some("original")))] {
        let title = "best time in s at n=16, programs × threads";
        let (_, grid) = page.split_once(title).unwrap_or_else(|| panic!("no grid: {page}"));
        let line = |name: &str| {
            let line = grid.lines().find(|line| line.trim_start_matches(['|', ' ']).starts_with(name)).unwrap();
            line.split(|c: char| c == '|' || c.is_whitespace())
                .filter(|w| !w.is_empty())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(line("program"), ["program", "–", "1", "2"]);
        assert_eq!(line("openmp"), ["openmp", "20.00", "10.00"]);
        assert_eq!(line("device"), ["device", "3.000"]);
        assert!(grid.contains("device is faster than all others."), "{grid}");
    }
    let mut tied = study(None);
    for record in tied.records.iter_mut().filter(|record| record.cell.provider == "openmp") {
        record.samples.elapsed_s.iter_mut().for_each(|time_s| *time_s *= 0.3);
    }
    tied.records[9] = absent(tied.records[9].cell.clone(), Status::Failed, "exit code 3");
    let page = text(&tied, 80, Colour::Plain);
    assert!(page.contains("None is shown to be faster than all others."), "{page}");
    assert!(page.contains("openmp with 1 thread: failed: exit code 3."), "{page}");
}

#[test]
fn the_study_of_the_thesis_is_one_figure() {
    let page = html(&[kinfit()]);
    let speedups = drawn(&page, "Speed-up over sizes");
    for name in ["original", "16T", "32T"] {
        assert!(speedups.contains(&format!(">{name}</text>")), "{name}: {speedups}");
    }
    assert!(speedups.contains("v=512, 32 threads: 137.7 s") && speedups.contains("speed-up 7.12"), "{speedups}");
    let times = drawn(&page, "Best time over sizes");
    assert!(times.contains("the original program, v=512: 980.6 s"), "{times}");
    assert_eq!(times.matches(r#"class="curve""#).count(), 3);
}
