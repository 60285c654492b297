//! The share of a link is of the link that a copy goes over: C2C, NVLink or PCIe, as NVML tells; without a word of it there is none.

use std::rc::Rc;

use paw_data::point::Point;
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_measure::clock::Clock;
use paw_suites::Engine;

use crate::child::start;
use crate::mock::{engine, in_child};

/// The links that a sample names, with 10⁹ bytes a second.
fn named(name: &str, axes: &[(&str, &str)], devices: &Rc<Engine>) -> Vec<(MetricName, f64)> {
    let point = Point::new().with("bytes", 65_536).with("devices", 1);
    let point = axes.iter().fold(point, |point, (axis, word)| point.with(axis, *word));
    let mut timed = start(name, &point, devices).unwrap_or_else(|fault| panic!("{name} {point}: {fault}"));
    timed.time(1, &Clock::monotonic()).unwrap_or_else(|fault| panic!("{name} {point}: {fault}"));
    let known =
        [SecondaryMetric::Limit, SecondaryMetric::PcieLimit, SecondaryMetric::NvLinkLimit, SecondaryMetric::C2cLimit];
    let of_links = timed.extra().into_iter().filter(|(name, _)| known.iter().any(|metric| *name == *metric));
    of_links.map(|(name, bytes_s)| (name, (bytes_s / 1e7).round() / 100.0)).collect()
}

const IN: &[(&str, &str)] = &[("direction", "in"), ("host", "pinned")];
const BOTH: &[(&str, &str)] = &[("direction", "bidir"), ("host", "pinned")];
/// PCIe 4.0 with 16 lanes: 16 GT/s, 128b/130b.
const PCIE: f64 = 31.51;

#[test]
fn copies_to_the_host_go_over_pcie() {
    in_child("links::copies_to_the_host_go_over_pcie", &[], || {
        let one = engine(&[0]);
        assert_eq!(named("transfer", IN, &one), [(SecondaryMetric::PcieLimit.into(), PCIE)]);
        assert_eq!(named("transfer", BOTH, &one), [(SecondaryMetric::PcieLimit.into(), 2.0 * PCIE)]);
        assert_eq!(named("device_triad", &[], &one), []);
    });
}

/// A link of 400 GB/s once had 1233 % of a bus that the copies did not take.
#[test]
fn copies_to_the_host_of_grace_hopper_go_over_c2c() {
    let grace = [("MOCK_CUDA_C2C_LINKS", "10"), ("MOCK_CUDA_SHARES_TABLES", "1"), ("MOCK_CUDA_IN_GBS", "400")];
    in_child("links::copies_to_the_host_of_grace_hopper_go_over_c2c", &grace, || {
        assert_eq!(named("transfer", IN, &engine(&[0])), [(SecondaryMetric::C2cLimit.into(), 447.12)]);
    });
}

#[test]
fn a_link_that_nvml_does_not_know_has_no_share() {
    let old = [("MOCK_CUDA_KNOWS_C2C", "0"), ("MOCK_CUDA_SHARES_TABLES", "1"), ("MOCK_CUDA_IN_GBS", "400")];
    in_child("links::a_link_that_nvml_does_not_know_has_no_share", &old, || {
        assert_eq!(named("transfer", IN, &engine(&[0])), []);
    });
}

#[test]
fn peers_are_linked_by_nvlink_by_a_switch_or_by_the_bus() {
    const READ: &[(&str, &str)] = &[("pairs", "0-1"), ("access", "read"), ("by", "engine")];
    const TWICE: &[(&str, &str)] = &[("pairs", "1-0"), ("access", "both"), ("by", "kernel")];
    let three = [("MOCK_CUDA_DEVICES", "3"), ("MOCK_CUDA_PEER", "1")];
    let with = |more: &[(&'static str, &'static str)]| [&three[..], more].concat();
    let name = "links::peers_are_linked_by_nvlink_by_a_switch_or_by_the_bus";
    let check = |settings: &[(&str, &str)], expected: SecondaryMetric, gbs: f64| {
        // Each is a process of its own, which ends after its own check.
        let case = format!("{settings:?}");
        let settings = [settings, &[("PAW_TEST_CASE", case.as_str())]].concat();
        in_child(name, &settings, || {
            if std::env::var("PAW_TEST_CASE").as_deref() == Ok(&case) {
                let all = engine(&[0, 1, 2]);
                assert_eq!(named("peer_matrix", READ, &all), [(expected.into(), gbs)]);
                let twice = named("peer_matrix", TWICE, &all);
                assert!((twice[0].1 - 2.0 * gbs).abs() < 0.02, "{twice:?}");
            }
        });
    };
    check(&with(&[]), SecondaryMetric::PcieLimit, PCIE);
    check(&with(&[("MOCK_CUDA_NVLINKS", "4")]), SecondaryMetric::NvLinkLimit, 106.25);
    check(&with(&[("MOCK_CUDA_NVLINKS", "18"), ("MOCK_CUDA_NVSWITCH", "1")]), SecondaryMetric::NvLinkLimit, 478.12);
}
