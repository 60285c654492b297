//! Readings of all ranks become one, the same on every rank.

use paw_data::cell::Combine;
use paw_data::secondary::MetricName;
use paw_measure::channel::Channel;
use paw_measure::disturbance::{Disturbance, Placement, Sight};
use paw_measure::fault::Fault;
use paw_measure::ranks::{Detail, Ranks};
use paw_measure::team::{Decision, Team};
use paw_measure::workload::Reading;

use crate::threads::{Calls, on_ranks};

const SIZES: [usize; 6] = [1, 2, 3, 4, 8, 64];

type Mine = Result<Option<Reading>, Fault>;

/// Combines what each rank says; all must come to the same.
fn combined(size: usize, how: Combine, mine: impl Fn(usize) -> Mine + Sync) -> Result<Reading, Fault> {
    same(on_ranks(size, |channel| {
        let ranks = Ranks::new(channel);
        ranks.combine(mine(ranks.rank()), how)
    }))
}

fn same<T: PartialEq + std::fmt::Debug>(mut all: Vec<T>) -> T {
    let last = all.pop().expect("there is a rank");
    assert!(all.iter().all(|one| *one == last), "{all:?} and {last:?}");
    last
}

fn timed(elapsed_s: f64) -> Reading {
    let disturbance = Disturbance { sight: Sight::Seen, ..Disturbance::default() };
    Reading { elapsed_s, disturbance, ..Reading::default() }
}

fn saying(elapsed_s: f64, extra: &[(&str, f64)]) -> Reading {
    let extra = extra.iter().map(|(name, value)| (MetricName::read((*name).to_owned()), *value)).collect();
    Reading { extra, ..timed(elapsed_s) }
}

fn told(reading: &Reading, name: &str) -> Option<f64> {
    reading.extra.iter().find(|(key, _)| key.as_str() == name).map(|(_, value)| *value)
}

#[test]
fn every_team_sees_the_same_slowest_fastest_and_mean() {
    for size in SIZES {
        // Rank 0 is the slowest but one, the last rank the slowest; a team of one has only rank 0.
        let of = |rank: usize| Ok(Some(timed(if rank == 0 { size as f64 - 0.5 } else { rank as f64 })));
        let seconds: Vec<f64> = (0..size).map(|rank| if rank == 0 { size as f64 - 0.5 } else { rank as f64 }).collect();
        let max_s = seconds.iter().copied().fold(0.0, f64::max);
        let min_s = seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let mean_s = seconds.iter().sum::<f64>() / size as f64;
        for (how, elapsed_s) in [(Combine::Slowest, max_s), (Combine::Fastest, min_s), (Combine::Mean, mean_s)] {
            let reading = combined(size, how, of).expect("nobody broke");
            assert_eq!(reading.elapsed_s, elapsed_s, "{size} {how:?}");
            assert_eq!(told(&reading, "rank_min_s"), Some(min_s));
            assert_eq!(told(&reading, "rank_mean_s"), Some(mean_s));
            assert_eq!(told(&reading, "rank_max_s"), Some(max_s));
            assert_eq!(told(&reading, "slowest"), Some(0.0), "rank 0 is half a second slower than the last");
        }
    }
}

#[test]
fn the_lowest_of_equally_slow_ranks_is_the_slowest() {
    let reading = combined(4, Combine::Slowest, |rank| Ok(Some(timed([1.0, 2.0, 2.0, 1.0][rank])))).expect("fine");
    assert_eq!(told(&reading, "slowest"), Some(1.0));
}

#[test]
fn idle_ranks_take_no_part() {
    let of = |rank| Ok((rank >= 2).then(|| saying(rank as f64, &[("tag", 7.0)])));
    let reading = combined(4, Combine::Mean, of).expect("two ranks timed");
    assert_eq!(reading.elapsed_s, 2.5);
    assert_eq!(told(&reading, "rank_min_s"), Some(2.0));
    assert_eq!(told(&reading, "tag"), Some(7.0), "the lowest rank that timed speaks");
    assert_eq!(reading.disturbance.sight, Sight::Seen, "idle ranks have nothing to see");
}

#[test]
fn a_team_that_timed_nothing_is_told_so() {
    let fault = combined(3, Combine::Slowest, |_| Ok(None)).unwrap_err();
    assert!(fault.to_string().contains("no rank timed anything"), "{fault}");
}

#[test]
fn operations_are_combined_one_by_one_and_the_whole_is_their_sum() {
    let of = |rank: usize| {
        let ops_s = vec![[1.0, 4.0], [3.0, 2.0]][rank].to_vec();
        Ok(Some(Reading { ops_s, ..timed(5.0) }))
    };
    for (how, ops_s) in [(Combine::Slowest, [3.0, 4.0]), (Combine::Fastest, [1.0, 2.0]), (Combine::Mean, [2.0, 3.0])] {
        let reading = combined(2, how, of).expect("fine");
        assert_eq!(reading.ops_s, ops_s);
        assert_eq!(reading.elapsed_s, ops_s[0] + ops_s[1]);
        assert_eq!(told(&reading, "rank_max_s"), Some(5.0));
    }
}

#[test]
fn ranks_that_stamped_different_numbers_of_operations_are_out_of_step() {
    let of = |rank: usize| Ok(Some(Reading { ops_s: vec![1.0; rank + 1], ..timed(1.0) }));
    let fault = combined(2, Combine::Slowest, of).unwrap_err();
    assert!(fault.to_string().contains("one stamped 1 operations and another 2"), "{fault}");
}

#[test]
fn a_window_reaches_from_the_first_start_to_the_last_end() {
    let of = |rank: usize| {
        let (start_s, end_s) = [(1e-6, 3e-3), (2e-6, 5e-3), (0.0, 2e-3)][rank];
        Ok(Some(saying(end_s - start_s, &[("start_global_s", start_s), ("end_global_s", end_s)])))
    };
    let reading = combined(3, Combine::Window, of).expect("all ranks tell their window");
    assert_eq!(reading.elapsed_s, 5e-3);
    assert_eq!(told(&reading, "start_global_s"), Some(0.0));
    assert_eq!(told(&reading, "end_global_s"), Some(5e-3));
}

#[test]
fn a_rank_without_a_common_clock_has_no_window() {
    let of = |rank: usize| {
        let stamps = [("start_global_s", 0.0), ("end_global_s", 1.0)];
        Ok(Some(saying(1.0, if rank == 1 { &[] } else { &stamps })))
    };
    let fault = combined(3, Combine::Window, of).unwrap_err();
    assert!(fault.to_string().starts_with("rank 1 does not tell when it started"), "{fault}");
}

#[test]
fn disturbances_and_late_starts_add_up_and_the_largest_skew_counts() {
    let of = |rank: usize| {
        let disturbance = Disturbance {
            run_delay_s: 1e-3 * rank as f64,
            switches: 2,
            migrations: rank as u32,
            sight: if rank == 2 { Sight::Unknown } else { Sight::Seen },
        };
        let extra = saying(1.0, &[("skew_s", 1e-6 * rank as f64), ("late", 1.0)]).extra;
        Ok(Some(Reading { disturbance, extra, ..timed(1.0) }))
    };
    let reading = combined(4, Combine::Slowest, of).expect("fine");
    let all = Disturbance { run_delay_s: 6e-3, switches: 8, migrations: 6, sight: Sight::Unknown };
    assert_eq!(reading.disturbance, all);
    assert_eq!(told(&reading, "run_delay_slowest_s"), Some(3e-3));
    assert_eq!(told(&reading, "ranks_waiting"), Some(0.0));
    assert_eq!(told(&reading, "skew_s"), Some(3e-6));
    assert_eq!(told(&reading, "late"), Some(4.0));
}

/// A region of a second in which its rank stood for so long.
fn standing(elapsed_s: f64, run_delay_s: f64) -> Reading {
    let disturbance = Disturbance { run_delay_s, sight: Sight::Seen, ..Disturbance::default() };
    Reading { disturbance, ..timed(elapsed_s) }
}

#[test]
fn a_team_is_as_disturbed_as_the_rank_that_stood_longest_of_those_that_made_the_sample_so_long() {
    // Each rank stands a thousandth of its region, as every process does: a sum over 64 would pass the limits.
    let judged = |elapsed_s: f64, delay_s: f64| {
        let of = |rank: usize| Ok(Some(if rank == 5 { standing(elapsed_s, delay_s) } else { standing(1.0, 1e-3) }));
        let reading = combined(64, Combine::Slowest, of).expect("fine");
        assert!(reading.disturbance.run_delay_s > 0.06, "the sum is kept");
        reading.judged(64).exceeds(reading.elapsed_s, Placement::Free)
    };
    assert!(!judged(1.0, 1e-3));
    assert!(judged(1.0, 11e-3));
    assert!(judged(0.5, 0.5), "the others waited for a rank that began half a second late");
    assert!(!judged(0.5, 0.4), "it stood for long and was done before the others all the same");
    assert!(standing(1.0, 11e-3).judged(1).exceeds(1.0, Placement::Free), "a process alone is judged by its own");
}

#[test]
fn one_rank_that_stands_is_usual_among_thousands_and_ten_are_not() {
    let disturbed = |standing_ranks: usize, size: usize| {
        let of = |rank: usize| Ok(Some(standing(1.0, if rank < standing_ranks { 0.1 } else { 0.0 })));
        let reading = combined(2, Combine::Slowest, of).expect("fine");
        reading.judged(size).exceeds(reading.elapsed_s, Placement::Free)
    };
    assert!(disturbed(1, 2) && disturbed(2, 100));
    assert!(!disturbed(1, 10_000) && !disturbed(2, 10_000));
}

#[test]
fn an_operation_whose_start_was_announced_lasts_from_the_last_start_to_the_last_end() {
    // Rank 0 waits for rank 1, which comes four seconds late to the first operation.
    let of = |rank: usize| {
        let (ops_s, starts_s) = [(vec![5.0, 1.5], vec![0.0, 0.5]), (vec![1.0, 2.0], vec![4.0, 0.0])][rank].clone();
        Ok(Some(Reading { ops_s, starts_s, ..timed(5.0) }))
    };
    assert_eq!(combined(2, Combine::Slowest, of).expect("fine").ops_s, [1.0, 1.5]);
    assert_eq!(combined(2, Combine::Fastest, of).expect("fine").ops_s, [1.0, 1.5]);
    assert_eq!(combined(2, Combine::Mean, of).expect("fine").ops_s, [3.0, 1.75]);
}

#[test]
fn what_rank_0_alone_knows_reaches_every_rank() {
    let of = |rank: usize| {
        let own: &[(&str, f64)] =
            if rank == 0 { &[("core_hz", 2.1e9), ("nothing", f64::INFINITY)] } else { &[("x", 1.0)] };
        Ok(Some(saying(1.0, own)))
    };
    let reading = combined(3, Combine::Slowest, of).expect("fine");
    assert_eq!(told(&reading, "core_hz"), Some(2.1e9));
    assert_eq!(told(&reading, "nothing"), Some(f64::INFINITY));
    assert_eq!(told(&reading, "x"), None);
    assert_eq!(reading.extra.len(), 2 + 6, "two of its own and six of the team: {:?}", reading.extra);
}

#[test]
fn every_ranks_own_time_is_kept_where_it_is_asked_for() {
    let all = on_ranks(3, |channel| {
        let ranks = Ranks::new(channel).keeping(Detail::EveryRank);
        let mine = (ranks.rank() != 1).then(|| timed(ranks.rank() as f64));
        ranks.combine(Ok(mine), Combine::Slowest)
    });
    let reading = same(all).expect("fine");
    let own = ["rank_0_s", "rank_1_s", "rank_2_s"].map(|name| told(&reading, name));
    assert_eq!(own, [Some(0.0), None, Some(2.0)]);
}

#[test]
fn a_fault_of_one_rank_is_everyones_and_names_it() {
    for size in [2, 3, 4, 8, 64] {
        let faulty = size - 1;
        let of =
            |rank| if rank == faulty { Err(Fault::Broken("it fell over".to_owned())) } else { Ok(Some(timed(1.0))) };
        let fault = combined(size, Combine::Slowest, of).unwrap_err();
        assert_eq!(fault, Fault::Broken(format!("rank {faulty}: it fell over")));
    }
}

#[test]
fn the_lowest_of_several_faults_counts_with_its_kind() {
    let of = |rank: usize| match rank {
        0 => Ok(Some(timed(1.0))),
        1 => Err(Fault::Missing("no window here".to_owned())),
        _ => Err(Fault::Broken("it fell over".to_owned())),
    };
    assert_eq!(combined(4, Combine::Slowest, of), Err(Fault::Missing("rank 1: no window here".to_owned())));
    let all = combined(2, Combine::Slowest, |_| Err(Fault::Interrupted));
    assert_eq!(all, Err(Fault::Interrupted));
}

#[test]
fn a_rank_that_broke_keeps_its_own_fault_when_the_others_are_gone() {
    let broken = || Fault::Broken("it fell over".to_owned());
    let all = on_ranks(2, |channel| {
        let stays = channel.rank() == 0;
        let ranks = Ranks::new(channel);
        stays.then(|| (ranks.combine(Err(broken()), Combine::Slowest), ranks.agree(Err(broken()))))
    });
    let own = || Fault::Broken("rank 0: it fell over".to_owned());
    assert_eq!(all[0], Some((Err(own()), Err(own()))));
}

#[test]
fn a_time_that_is_no_number_is_its_ranks_fault() {
    let of = |rank: usize| Ok(Some(timed(if rank == 1 { f64::NAN } else { 1.0 })));
    let fault = combined(2, Combine::Slowest, of).unwrap_err();
    assert!(fault.to_string().starts_with("rank 1: a region read NaN s"), "{fault}");
}

#[test]
fn a_sample_costs_four_calls_and_one_more_for_metrics_of_its_own_however_many_ranks_there_are() {
    for (size, own) in SIZES.into_iter().flat_map(|size| [(size, false), (size, true)]) {
        let calls = on_ranks(size, |channel| {
            let calls = channel.calls();
            let ranks = Ranks::new(channel);
            ranks.decide(Decision::Go).expect("the root goes on");
            let extra = [("late", 0.0), ("tag", 1.0)];
            let mine = Reading { ops_s: vec![1.0; 10], ..saying(10.0, &extra[..1 + usize::from(own)]) };
            ranks.combine(Ok(Some(mine)), Combine::Slowest).expect("fine");
            *calls.lock().expect("counting does not panic")
        });
        assert_eq!(same(calls), Calls { collective: 4 + usize::from(own), messages: 0 }, "{size} ranks");
    }
}
