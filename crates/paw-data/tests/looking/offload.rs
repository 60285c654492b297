//! From which size on a device is worth its transfers.

use paw_data::cell::Role;
use paw_data::offload::{Threshold, offloads};
use paw_data::point::Point;
use paw_data::run::{Record, Run};
use paw_data::work::Work;
use paw_stats::verdict::{Doubt, Size, Verdict};
use proptest::prelude::*;

use crate::records::{record, reference, run};

/// A cell of eight products of order n, and the same product on the host, each with these times of one product.
fn beside(n: i64, transfers: &str, device_s: f64, host_s: f64) -> [Record; 2] {
    let times = |seconds: f64| (0..8).map(|i| seconds * (1.0 + 0.001 * f64::from(i))).collect::<Vec<f64>>();
    let mut subject = record(&times(8.0 * device_s));
    let flops = 2.0 * (n * n * n) as f64;
    subject.cell.work = Work { flops: 8.0 * flops, ..Work::default() };
    subject.cell.suite = "device".into();
    subject.cell.provider = "cuda0".into();
    subject.cell.point = Point::new().with("n", n).with("kernel", "dgemm").with("transfers", transfers);
    let mut host = reference(Role::Base, Work { flops, ..Work::default() }, &times(host_s));
    host.cell.provider = "openblas".into();
    host.cell.point = Point::new().with("n", n).with("beta", 0.0).with("threads", 8);
    for record in [&mut subject, &mut host] {
        record.cell.group = n as u32;
    }
    [subject, host]
}

fn measured(rungs: &[(i64, f64, f64)]) -> Run {
    run(rungs.iter().flat_map(|(n, device_s, host_s)| beside(*n, "once", *device_s, *host_s)).collect())
}

#[test]
fn the_threshold_lies_between_the_last_slower_size_and_the_first_faster_one() {
    let run = measured(&[(64, 4.0, 1.0), (128, 2.0, 1.0), (256, 1.0, 2.0), (512, 1.0, 8.0)]);
    let [offload] = &offloads(&run)[..] else { panic!("one product on one device") };
    assert_eq!(offload.threshold, Threshold::Between { slower: 128, faster: 256 });
    let told = [&offload.kernel, &offload.transfers, &offload.device, &offload.host];
    assert_eq!(told, ["dgemm", "once", "cuda0", "openblas"]);
    assert!((offload.steps[3].speedup - 8.0).abs() < 1e-9, "eight products against one: {:?}", offload.steps[3]);
}

#[test]
fn intervals_that_overlap_decide_nothing() {
    let run = measured(&[(64, 1.0, 1.0), (128, 1.0, 2.0)]);
    assert_eq!(offloads(&run)[0].threshold, Threshold::AtMost { faster: 128 });
    let run = measured(&[(64, 1.0, 2.0), (128, 1.0, 1.0)]);
    assert_eq!(offloads(&run)[0].threshold, Threshold::Undecided { up_to: 128 });
}

#[test]
fn a_largest_size_that_is_undecided_is_no_defeat() {
    let steps = |last| [(64, FASTER), (128, last)];
    let (up_to, wide) = (128, Verdict::Inconclusive(Doubt::Wide));
    assert_eq!(Threshold::of(&steps(wide)), Some(Threshold::Undecided { up_to }));
    assert_eq!(Threshold::of(&steps(SLOWER)), Some(Threshold::NotAtLargest { up_to }));
    assert_eq!(Threshold::of(&steps(Verdict::Same)), Some(Threshold::NotAtLargest { up_to }));
}

#[test]
fn transfers_once_and_always_have_thresholds_of_their_own() {
    let records = [beside(64, "once", 1.0, 2.0), beside(64, "always", 3.0, 2.0)].concat();
    let found: Vec<_> = offloads(&run(records)).into_iter().map(|o| (o.transfers, o.threshold)).collect();
    let expected = [
        ("always".to_owned(), Threshold::NotAtLargest { up_to: 64 }),
        ("once".to_owned(), Threshold::Everywhere { from: 64 }),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_product_without_the_host_beside_it_has_no_threshold() {
    let [alone, _] = beside(64, "once", 1.0, 2.0);
    assert!(offloads(&run(vec![alone])).is_empty());
}

const FASTER: Verdict = Verdict::Faster(Size::Beyond);
const SLOWER: Verdict = Verdict::Slower(Size::Unknown);

fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![Just(FASTER), Just(SLOWER), Just(Verdict::Same), Just(Verdict::Inconclusive(Doubt::Wide))]
}

proptest! {
    /// Whatever came out: from the threshold on all is faster, and it cannot be put lower.
    #[test]
    fn a_threshold_is_the_smallest_size_from_which_all_are_faster(verdicts in proptest::collection::vec(verdict(), 1..12)) {
        let rungs: Vec<(i64, Verdict)> = verdicts.iter().enumerate().map(|(i, verdict)| (64 << i, *verdict)).collect();
        let holds = |from: i64| rungs.iter().all(|(n, verdict)| *n < from || *verdict == FASTER);
        let smallest = rungs.iter().map(|(n, _)| *n).find(|n| holds(*n));
        match Threshold::of(&rungs).expect("there are sizes") {
            Threshold::Everywhere { from } => prop_assert_eq!((Some(from), from), (smallest, 64)),
            Threshold::Between { slower, faster } => {
                prop_assert_eq!(Some(faster), smallest);
                prop_assert!(slower < faster && rungs.contains(&(slower, SLOWER)));
            }
            Threshold::AtMost { faster } => {
                prop_assert_eq!(Some(faster), smallest);
                prop_assert!(rungs.iter().all(|(n, verdict)| *n >= faster || *verdict != SLOWER));
            }
            Threshold::NotAtLargest { up_to } | Threshold::Undecided { up_to } => {
                prop_assert_eq!((smallest, rungs.last().map(|(n, _)| *n)), (None, Some(up_to)));
            }
        }
    }
}
