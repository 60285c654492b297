//! Every pair of devices, as a user asks for it.

use paw_data::outcome::Status;

use crate::place::{ended, mocked, place, run};

/// Three devices, of which 0 and 2 do not reach each other and the way from 1 to 2 is slow.
const THREE: &str = "MOCK_CUDA_DEVICES=3 MOCK_CUDA_PEER=1 MOCK_CUDA_PEER_GBS=20 MOCK_CUDA_SLOW_PAIR=1-2 MOCK_CUDA_CUT_PAIR=0-2 \
                     MOCK_CUDA_NVLINKS=4";

#[test]
fn a_matrix_has_every_ordered_pair_and_those_without_a_way() {
    let place = place();
    let line = "run peer_matrix --set bytes=1048576 --set access=read --set by=engine,kernel --reps 6 --quiet --out r";
    let ran = mocked(&place, THREE, line);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    assert_eq!(run.records.len(), 12, "six pairs, by two movers, in one worker");
    assert!(run.records.iter().all(|record| record.cell.provider == "cuda0+1+2"));
    let skipped = run.records.iter().filter(|record| ended(record).0 == Status::Skipped).count();
    assert_eq!(skipped, 4, "{}", ran.out);
    assert!(ran.out.contains("no way") && ran.out.contains("without the host"), "{}", ran.out);
    // A copy of 1 MiB takes 52 µs beside 5 µs, on the slow way 210.
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("2-1 takes") && words.contains("× the time of the others"), "{}", ran.out);
}

#[test]
fn a_device_alone_has_no_pair() {
    let place = place();
    let ran = mocked(&place, "", "run peer_latency --quiet --out r");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let run = run(&place);
    let first = &run.records[0];
    assert_eq!(ended(first).0, Status::Skipped);
    assert!(ended(first).1.contains("cuda0 alone has no device to copy from"), "{}", ended(first).1);
}
