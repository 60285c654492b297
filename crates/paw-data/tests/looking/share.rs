//! Shares of references measured in the same rounds.

use paw_data::cell::Role;
use paw_data::point::Point;
use paw_data::run::Record;
use paw_data::sample::Samples;
use paw_data::share::{References, Share, share};
use paw_data::work::Work;

use crate::records::{disturbed, record, reference, run, sample, steady};

fn flops(flops: f64) -> Work {
    Work { flops, ..Work::default() }
}

fn bytes(bytes: f64) -> Work {
    Work { bytes, ..Work::default() }
}

/// The share of the first of these records.
fn first(records: Vec<Record>) -> Option<Share> {
    let run = run(records);
    share(&run, &run.records[0])
}

#[test]
fn rounds_share_what_the_machine_did() {
    // Each round is slower than the one before; in each the subject reaches 80 % of the peak's rate.
    let times: Vec<f64> = (0..8).map(|i| 1.0 + 0.3 * f64::from(i)).collect();
    let peak: Vec<f64> = times.iter().map(|t| 2.0 * 0.8 * t).collect();
    let found = first(vec![record(&times), reference(Role::Peak, flops(2000.0), &peak)]).unwrap();
    assert_eq!(found.role, Role::Peak);
    for value in [found.value, found.low.unwrap(), found.high.unwrap()] {
        assert!((value - 0.8).abs() < 1e-12, "{found:?}");
    }
}

#[test]
fn bytes_are_set_against_the_bandwidth() {
    let found = first(vec![record(&[1.0; 8]), reference(Role::Bandwidth, bytes(16000.0), &[1.0; 8])]).unwrap();
    assert_eq!((found.role, found.value), (Role::Bandwidth, 0.5));
}

#[test]
fn the_nearest_roof_and_the_fastest_reference_count() {
    let records = |bandwidth: f64| {
        vec![
            record(&[1.0; 8]),
            reference(Role::Peak, flops(4000.0), &[1.0; 8]),
            reference(Role::Peak, flops(5000.0), &[1.0; 8]),
            reference(Role::Bandwidth, bytes(bandwidth), &[1.0; 8]),
        ]
    };
    let found = first(records(1e6)).unwrap();
    assert_eq!((found.role, found.value), (Role::Peak, 0.2));
    let found = first(records(1e4)).unwrap();
    assert_eq!((found.role, found.value), (Role::Bandwidth, 0.8));
}

#[test]
fn a_bandwidth_of_a_like_footprint_counts_however_fast_others_are() {
    let at = |footprint: f64| reference(Role::Bandwidth, bytes(footprint), &[1.0; 8]);
    for far in [80.0, 1e6] {
        let found = first(vec![record(&[1.0; 8]), at(far), at(10_000.0), at(1e9)]).unwrap();
        assert_eq!(found.value, 0.8, "neither of {far} bytes nor of a gigabyte");
    }
}

#[test]
fn only_the_same_group_threads_and_words_count() {
    let with = |change: fn(&mut Record)| {
        let mut peak = reference(Role::Peak, flops(2000.0), &[1.0; 8]);
        change(&mut peak);
        let mut subject = record(&[1.0; 8]);
        subject.cell.point.set("precision", "f64".into());
        first(vec![subject, peak])
    };
    assert_eq!(with(|_| {}).unwrap().value, 0.5);
    assert!(with(|peak| peak.cell.point.set("precision", "f64".into())).is_some());
    assert!(with(|peak| peak.cell.point.set("n", 4096.into())).is_some(), "its size is its own");
    assert_eq!(with(|peak| peak.cell.group = 2), None);
    assert_eq!(with(|peak| peak.cell.point.set("threads", 2.into())), None);
    assert_eq!(with(|peak| peak.cell.point = Point::new()), None);
    assert_eq!(with(|peak| peak.cell.point.set("precision", "f32".into())), None);
    assert_eq!(with(|peak| peak.cell.role = Role::Base), None);
    assert_eq!(with(|peak| peak.cell.work = Work::default()), None);
    assert_eq!(with(|peak| peak.samples = Samples::default()), None);
}

#[test]
fn a_reference_that_is_passed_is_no_upper_bound_and_says_so() {
    for (times, is_shown) in [([1.0; 8], true), ([1.3; 8], false)] {
        // The peak's rate is 1000 a second at 1 s and less at 1.3 s; the subject does 1000 a second.
        let run = run(vec![record(&[1.0; 8]), reference(Role::Peak, flops(1000.0), &times)]);
        let references = References::of(&run);
        assert_eq!(references.share(&run.records[0]).is_some(), is_shown);
        let passed = references.passed(&run.records[1]);
        assert_eq!(passed.map(|(share, by)| (share > 1.29, by.cell.id)), (!is_shown).then_some((true, 0)));
    }
}

#[test]
fn a_peak_that_a_thread_of_more_threads_outgrows_is_no_upper_bound() {
    // The peak of one thread takes a second for 2000 operations; that of two does twice 2000 in the times below.
    let of = |benchmark: &str, seconds: f64| {
        let with_threads = |record: Record, threads: i64| {
            let mut record = record;
            record.cell.point.set("threads", threads.into());
            record.cell.group = threads as u32;
            record
        };
        let mut wide = with_threads(reference(Role::Peak, flops(4000.0), &[seconds; 8]), 2);
        wide.cell.benchmark = benchmark.into();
        let one = with_threads(reference(Role::Peak, flops(2000.0), &[1.0; 8]), 1);
        let run = run(vec![with_threads(record(&[1.0; 8]), 1), one, wide]);
        let references = References::of(&run);
        let times = references.outgrown(&run.records[1]).map(|(times, by)| (times, by.cell.point.int("threads")));
        assert_eq!(references.outgrown(&run.records[2]), None, "nothing has more threads");
        (times, references.share(&run.records[0]).is_some())
    };
    let benchmark = reference(Role::Peak, Work::default(), &[]).cell.benchmark;
    assert_eq!(of(&benchmark, 1.0), (None, true));
    assert_eq!(of(&benchmark, 1.4), (None, true), "more threads may be slower, each");
    assert_eq!(of(&benchmark, 0.96), (None, true), "4 % are within errors");
    assert_eq!(of(&benchmark, 0.8), (Some((1.25, Some(2))), false));
    assert_eq!(of("another", 0.8), (None, true));
}

#[test]
fn a_reference_without_clean_samples_or_of_a_barrier_is_not_shown() {
    let all: Vec<usize> = (0..8).collect();
    let noisy = disturbed(reference(Role::Peak, flops(2000.0), &[1.0; 8]), &all);
    assert_eq!(first(vec![record(&[1.0; 8]), noisy]), None);
    let read = |seconds: f64| {
        let mut reference = reference(Role::Bandwidth, bytes(8192.0), &[seconds; 8]);
        reference.cell.point.set("threads", 2.into());
        let mut subject = record(&[10.0 * seconds; 8]);
        subject.cell.point.set("threads", 2.into());
        first(vec![subject, reference])
    };
    assert_eq!(read(1.2e-6), None, "two threads read 8 KiB in the time they take to meet");
    assert!(read(1.2e-3).is_some());
}

#[test]
fn a_reference_has_no_share() {
    let run = run(vec![reference(Role::Peak, flops(2.0), &[1.0; 8]), reference(Role::Peak, flops(2.0), &[1.0; 8])]);
    let references = References::of(&run);
    assert!(run.records.iter().all(|r| references.share(r).is_none()));
}

#[test]
fn a_round_with_a_disturbed_member_does_not_count_and_one_taken_again_does() {
    let mut subject = disturbed(record(&[1.0, 9.0, 1.0, 1.0]), &[1]);
    let peak = reference(Role::Peak, flops(1000.0), &[0.5; 4]);
    let found = first(vec![subject.clone(), peak.clone()]).unwrap();
    assert_eq!((found.value, found.low), (0.5, None), "three rounds have no interval");
    subject.samples.push(sample(1, 1.0));
    let references = run(vec![subject.clone(), peak]);
    let rounds = paw_data::rounds::Rounds::of(&subject.samples, &references.records[1].samples);
    assert_eq!((rounds.len(), rounds.is_empty(), rounds.a_s), (4, false, vec![1.0; 4]));
}

#[test]
fn without_complete_rounds_the_medians_are_set_against_each_other() {
    let mut peak = reference(Role::Peak, flops(1000.0), &steady(0.5));
    for round in &mut peak.samples.round {
        *round += 100;
    }
    let found = first(vec![record(&steady(1.0)), peak]).unwrap();
    assert!((found.value - 0.5).abs() < 1e-12);
    assert_eq!((found.low, found.high), (None, None));
}
