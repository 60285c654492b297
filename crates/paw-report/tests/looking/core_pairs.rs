//! Round trips between processors, as a matrix.

use paw_data::machine::Processor;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_report::{Colour, html, markdown, text};

use crate::handmade::{QUIET, cell, measured, run};
use crate::html::{balanced, drawings, links_lead_somewhere};

/// A machine of packages of `each` processors in cores of two: 20 ns within a core, 50 ns within a package, 200 ns across, 210 ns the
/// other way round.
fn pairs(count: u32, each: u32) -> Run {
    let nanoseconds = |a: u32, b: u32| match () {
        () if a / 2 == b / 2 => 20.0,
        () if a / each == b / each => 50.0,
        () if a < b => 200.0,
        () => 210.0,
    };
    taking(count, each, nanoseconds)
}

/// The same machine with round trips of `nanoseconds`.
fn taking(count: u32, each: u32, nanoseconds: impl Fn(u32, u32) -> f64) -> Run {
    let place = |cpu: u32| {
        let package = cpu / each;
        Processor { cpu, core: cpu / 2, l2: Some(cpu & !1), l3: Some(package * each), package, node: Some(package) }
    };
    let record = |a: u32, b: u32| -> Record {
        let point = Point::new().with("pairs", format!("{a}-{b}").as_str()).with("turn", "cas").with("threads", 2_i64);
        measured(cell("memory", "core_to_core", "native", Quantity::Time, point), nanoseconds(a, b) * 1e-9, &QUIET)
    };
    let is_pair = |a: u32, b: u32| a < b || a / each > b / each;
    let all = (0..count).flat_map(|a| (0..count).filter(move |b| is_pair(a, *b)).map(move |b| (a, b)));
    let mut run = run(all.map(|(a, b)| record(a, b)).collect());
    run.header.machine.processors = (0..count).map(place).collect();
    run
}

/// The words of the line of `text` that starts with the words of `start`.
fn line<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    let starts = |line: &&str| line.split_whitespace().collect::<Vec<_>>().join(" ").starts_with(start);
    text.lines().find(starts).unwrap_or_else(|| panic!("{start}: {text}")).split_whitespace().collect()
}

#[test]
fn every_pair_is_in_the_matrix_and_in_the_group_of_what_it_shares() {
    let run = pairs(8, 4);
    let text = text(&run, 100, Colour::Plain);
    // What was measured one way only stands on both sides of the diagonal; both ways where both were measured.
    assert_eq!(line(&text, "1 20.0")[1..], ["20.0", "50.0", "50.0", "200", "200", "200", "200"], "{text}");
    assert_eq!(line(&text, "4 210")[1..], ["210", "210", "210", "210", "20.0", "50.0", "50.0"], "{text}");
    for (words, pairs, least, median, most) in [
        ("same core (SMT)", "4", "20.0", "20.0", "20.0"),
        ("same L3", "8", "50.0", "50.0", "50.0"),
        ("across packages", "32", "200", "205", "210"),
    ] {
        let row = line(&text, words);
        assert_eq!(row[row.len() - 4..], [pairs, least, median, most], "{text}");
    }
    assert!(!text.contains("same L2") && !text.contains("same package"), "no group without a pair: {text}");
}

#[test]
fn groups_as_measured_are_those_of_two_packages_with_smt() {
    let text = text(&pairs(8, 4), 120, Colour::Plain);
    for (group, count, median, topology) in [
        ("1", "4", "20.0", "same core (SMT) 4"),
        ("2", "8", "50.0", "same L3 8"),
        ("3", "32", "205", "across packages 32"),
    ] {
        let row = line(&text, &format!("{group} {count} "));
        assert!(row[3] == median && row[5..].join(" ") == topology, "{row:?}\n{text}");
    }
    assert!(!text.contains("not alike"), "{text}");
}

#[test]
fn a_split_that_firmware_hides_is_told_and_orders_the_matrix() {
    // By the topology eight processors share one L3; two halves of it, of the even and the odd cores, are 40 and 110 ns.
    let half = |cpu: u32| cpu / 2 % 2;
    let run = taking(8, 8, |a, b| match () {
        () if a / 2 == b / 2 => 20.0,
        () if half(a) == half(b) => 40.0,
        () => 110.0,
    });
    let text = text(&run, 120, Colour::Plain);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("calls 24 pairs \"same L3\", and as measured they are not alike: 8 in group 2, 16 in group 3"),
        "{text}"
    );
    assert!(words.contains("Near each other are 0, 1, 4, 5 | 2, 3, 6, 7;"), "{text}");
    assert_eq!(line(&text, "cpu 0"), ["cpu", "0", "1", "4", "5", "2", "3", "6", "7"], "{text}");
    assert_eq!(line(&text, "0 20.0")[1..], ["20.0", "40.0", "40.0", "110", "110", "110", "110"], "{text}");
}

#[test]
fn what_time_does_not_tell_apart_is_said() {
    let run = taking(8, 4, |a, b| if a / 2 == b / 2 { 20.0 } else { 100.0 });
    let words = text(&run, 120, Colour::Plain).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Time does not tell \"same L3\" and \"across packages\" apart (group 2)."), "{words}");
}

#[test]
fn many_processors_are_shades_on_a_terminal_and_squares_on_a_page() {
    let run = pairs(20, 10);
    let text = text(&run, 80, Colour::Plain);
    // Steps of equal ratios from 20 to 210 ns.
    assert!(text.contains("round trip from 20.0 ns: ░ to 36.0, ▒ to 64.8, ▓ to 117, █ to 210"), "{text}");
    assert_eq!(line(&text, "0 ░")[1..], ["░▒▒▒▒▒▒▒▒██████████"], "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let page = html(std::slice::from_ref(&run));
    assert_eq!(page.matches("<rect class=\"square step").count(), 20 * 19, "all but the diagonal");
    balanced(&page);
    links_lead_somewhere(&page);
    let parts =
        drawings(&page).into_iter().find(|drawing| drawing.contains("class=\"parts\"")).expect("the machine is drawn");
    let drawn = roxmltree::Document::parse(parts).expect("it is XML");
    let texts: Vec<&str> = drawn.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
    assert_eq!((0..20_u32).filter(|cpu| texts.contains(&cpu.to_string().as_str())).count(), 20, "{texts:?}");
    assert!(texts.contains(&"package 1") && texts.contains(&"core 7"), "{texts:?}");
    assert!(markdown(&run).contains("across packages"));
}

#[test]
fn nothing_is_said_of_what_processors_share_where_it_is_unknown() {
    let mut run = pairs(4, 4);
    run.header.machine.processors.clear();
    let text = text(&run, 100, Colour::Plain);
    assert!(!text.contains("same") && !text.contains("across packages"), "{text}");
    assert_eq!(line(&text, "0 20.0")[1..], ["20.0", "50.0", "50.0"]);
}
