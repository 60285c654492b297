//! What cannot be measured says why in one sentence.

use std::rc::Rc;

use paw_data::point::Point;
use paw_measure::fault::Fault;
use paw_suites::Engine;
use paw_suites::benchmark::Start;

use crate::child::{engine, in_child};

fn why(name: &str, point: &Point, engine: &Rc<Engine>) -> String {
    let benchmark = paw_suites::named(name).expect("it is in the catalogue");
    match (benchmark.start)(&Start { point, engine, last_cache_bytes: 1e6 }) {
        Err(Fault::Missing(why)) => why,
        Err(other) => panic!("{name} {point}: {other}"),
        Ok(_) => panic!("{name} {point} can be measured"),
    }
}

#[test]
fn what_cannot_be_is_skipped_with_a_sentence() {
    in_child("skipped::what_cannot_be_is_skipped_with_a_sentence", || {
        let engine = engine();
        let check = |name: &str, axes: &[(&str, &str)], expected: &str| {
            let point =
                axes.iter().fold(Point::new().with("bytes", 4096), |point, (axis, word)| point.with(axis, *word));
            assert_eq!(why(name, &point, &engine), expected);
        };
        check(
            "transfer",
            &[("host", "mapped"), ("life", "alloc")],
            "mapped memory is copied by a kernel, between memories that are kept. hint: --set life=keep",
        );
        check(
            "transfer",
            &[("direction", "bidir"), ("life", "alloc")],
            "both ways at once need memory that is kept. hint: --set life=keep",
        );
        check("transfer", &[("life", "pool")], "opencl0 has no pool that allocates in the order of a queue");
        check(
            "peer_transfer",
            &[],
            "opencl0 alone has no device to copy from. hint: where there is another, --provider opencl0+1",
        );
    });
}

#[test]
fn what_does_not_fit_the_device_is_skipped() {
    in_child("skipped::what_does_not_fit_the_device_is_skipped", || {
        let engine = engine();
        let n = 1_i64 << 40;
        let why = why("gpu_in_pinned", &Point::new().with("n", n), &engine);
        assert!(why.starts_with(&format!("{} bytes are needed, more than the ", 4 * n)), "{why}");
        assert!(why.ends_with(" that opencl0 grants at once; choose a smaller size"), "{why}");
    });
}
