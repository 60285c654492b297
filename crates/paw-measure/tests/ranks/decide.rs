//! The root decides, all agree, the worst check counts, and a rank that is gone is noticed.

use paw_data::outcome::{Check, CheckVerdict, Ending};
use paw_measure::fault::Fault;
use paw_measure::ranks::Ranks;
use paw_measure::team::{Decision, Team};

use crate::threads::on_ranks;

#[test]
fn the_roots_decision_is_everyones() {
    for root in [Decision::Go, Decision::Stop(Ending::Budget), Decision::Seconds(1.5)] {
        let all = on_ranks(4, |channel| {
            let ranks = Ranks::new(channel);
            let mine = if ranks.rank() == 0 { root } else { Decision::Stop(Ending::Interrupted) };
            ranks.decide(mine)
        });
        assert!(all.iter().all(|decided| *decided == Ok(root)), "{all:?}");
    }
}

#[test]
fn ranks_agree_unless_one_has_a_fault() {
    let agreed = |faulty: Option<usize>| {
        on_ranks(5, |channel| {
            let ranks = Ranks::new(channel);
            let broken = Fault::Broken("no memory".to_owned());
            ranks.agree(if faulty == Some(ranks.rank()) { Err(broken) } else { Ok(()) })
        })
    };
    assert_eq!(agreed(None), vec![Ok(()); 5]);
    assert_eq!(agreed(Some(3)), vec![Err(Fault::Broken("rank 3: no memory".to_owned())); 5]);
}

fn check(verdict: CheckVerdict, error: f64, note: &str) -> Check {
    Check { method: "by hand".to_owned(), error, bound: 4.0, verdict, note: note.to_owned(), accuracy: None }
}

/// The check all ranks come to.
fn judged(checks: &[Check]) -> Check {
    let all = on_ranks(checks.len(), |channel| {
        let ranks = Ranks::new(channel);
        ranks.judge(Ok(checks[ranks.rank()].clone())).expect("nobody broke")
    });
    let as_text: Vec<String> = all.iter().map(|check| format!("{check:?}")).collect();
    assert!(as_text.iter().all(|text| *text == as_text[0]), "{as_text:?}");
    all.into_iter().next().expect("there is a rank")
}

#[test]
fn the_worst_check_counts_and_names_its_rank() {
    use CheckVerdict::{Fail, Pass, Warn};
    let worst = judged(&[check(Pass, 1.0, ""), check(Fail, 9.0, "byte 7 is off"), check(Warn, 99.0, "low")]);
    assert_eq!(worst, check(Fail, 9.0, "rank 1: byte 7 is off"));
    let worst = judged(&[check(Fail, 5.0, "a"), check(Fail, 6.0, "b"), check(Fail, 6.0, "c")]);
    assert_eq!(worst, check(Fail, 6.0, "rank 1: b"));
    let best = judged(&[check(Pass, 1.0, ""), check(Pass, 2.0, "")]);
    assert_eq!(best, check(Pass, 2.0, ""));
}

#[test]
fn an_error_that_is_no_number_is_the_worst() {
    let worst = judged(&[check(CheckVerdict::Fail, 9.0, "a"), check(CheckVerdict::Fail, f64::NAN, "b")]);
    assert!(worst.error.is_nan());
    assert_eq!(worst.note, "rank 1: b");
}

#[test]
fn a_rank_that_cannot_check_is_everyones_fault() {
    let all = on_ranks(3, |channel| {
        let ranks = Ranks::new(channel);
        let broken = Fault::Broken("no memory to check in".to_owned());
        ranks.judge(if ranks.rank() == 2 { Err(broken) } else { Ok(check(CheckVerdict::Pass, 0.0, "")) })
    });
    assert_eq!(all, vec![Err(Fault::Broken("rank 2: no memory to check in".to_owned())); 3]);
}

#[test]
fn a_rank_that_is_gone_is_a_fault_for_all_others() {
    let all = on_ranks(4, |channel| {
        let ranks = Ranks::new(channel);
        if ranks.rank() == 2 {
            return Ok(());
        }
        ranks.agree(Ok(()))
    });
    let gone = Err(Fault::Broken("rank 2 is gone".to_owned()));
    let expected = [gone.clone(), gone.clone(), Ok(()), gone];
    // Another rank may leave first, once it has noticed: then it is the one that is gone.
    for (rank, (found, expected)) in all.iter().zip(&expected).enumerate() {
        assert_eq!(found.is_err(), expected.is_err(), "rank {rank}: {found:?}");
        assert!(found.clone().map_or_else(|fault| fault.to_string().ends_with("is gone"), |()| true));
    }
}

#[test]
fn ranks_are_out_of_step_once_one_broke_where_another_went_on() {
    let stays = |faults: [Option<Fault>; 3]| {
        on_ranks(3, |channel| {
            let ranks = Ranks::new(channel);
            let mine = faults[ranks.rank()].clone().map_or(Ok(()), Err);
            let agreed = ranks.agree(mine).is_err();
            (agreed, ranks.is_in_step())
        })
    };
    let [broken, missing] = [Fault::Broken("it broke".to_owned()), Fault::Missing("no such call".to_owned())].map(Some);
    assert_eq!(stays([None, None, None]), vec![(false, true); 3]);
    assert_eq!(stays([broken.clone(), broken.clone(), broken.clone()]), vec![(true, true); 3]);
    assert_eq!(stays([None, missing.clone(), None]), vec![(true, true); 3]);
    assert_eq!(stays([broken.clone(), None, broken.clone()]), vec![(true, false); 3]);
    assert_eq!(stays([broken, missing, None]), vec![(true, false); 3]);
}
