//! The fit finds the same, whoever does the work.

use ttbar::event::{GENERATED, PASSED, sample};
use ttbar::fit::{Found, fit};
use ttbar::schedule::Schedule;

const VARIATIONS: u64 = 2;

#[test]
fn the_checksum_knows_neither_threads_nor_schedule() {
    let events = sample(GENERATED, PASSED);
    let expected = fit(&events, VARIATIONS, 1, Schedule::Static { chunk: None }).expect("one thread is there");
    let schedules =
        [Schedule::Static { chunk: None }, Schedule::Static { chunk: Some(7) }, Schedule::Dynamic { chunk: 1 }];
    for threads in [1, 2, 3, 8] {
        for schedule in schedules {
            let found = fit(&events, VARIATIONS, threads, schedule).expect("threads start");
            assert_eq!(found, expected, "{threads} threads, {schedule:?}");
        }
    }
    assert_eq!(expected.calls, expected.combinations * VARIATIONS);
    assert_eq!(expected.reconstructed, PASSED as u64);
    assert!(expected.solvable < expected.calls && expected.solvable <= expected.solutions);
    assert!(expected.solutions <= 4 * expected.solvable);
}

#[test]
fn more_variations_find_other_solutions() {
    let events = sample(100, 30);
    let fit = |variations| fit(&events, variations, 1, Schedule::Dynamic { chunk: 1 }).expect("one thread is there");
    let [one, two] = [fit(1), fit(2)];
    assert_eq!(one.combinations, two.combinations);
    assert!(two.solutions > one.solutions);
    assert_ne!(one.checksum, two.checksum);
}

#[test]
fn no_events_are_no_work() {
    assert_eq!(fit(&[], 2, 4, Schedule::Dynamic { chunk: 1 }).expect("threads start"), Found::default());
}

/// Whatever processor, compiler or mathematical library: operations that IEEE 754 rounds alike leave no other answer.
#[test]
fn the_checksum_is_the_same_on_every_machine() {
    let events = sample(GENERATED, PASSED);
    let checksum =
        |variations| fit(&events, variations, 2, Schedule::Dynamic { chunk: 1 }).expect("threads start").checksum;
    assert_eq!([1, 2].map(checksum), [0xb4f2_c850_1eb1_544a, 0x70fc_4ae9_5fd6_2756]);
}
