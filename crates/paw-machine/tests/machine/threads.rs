//! Thread counts with their rules, and where threads go.

use paw_machine::threads::{PlacementOrder, ThreadFit, ThreadRules, at_once, cpus_for, cpus_in};

use crate::paper::topology;

fn rules(spec: &str) -> ThreadRules {
    ThreadRules::new(&topology(spec))
}

fn counts(spec: &str) -> Vec<u32> {
    rules(spec).topology().iter().map(|c| c.count).collect()
}

#[test]
fn counts_follow_the_shape() {
    assert_eq!(counts("core:1"), [1]);
    assert_eq!(counts("core:2"), [1, 2]);
    assert_eq!(counts("core:4 smt:2"), [1, 2, 4, 8]);
    assert_eq!(counts("package:2 core:6 smt:2"), [1, 2, 4, 6, 8, 12, 24]);
    assert_eq!(counts("core:3"), [1, 2, 3]);
}

#[test]
fn every_count_says_its_rule() {
    let seen: Vec<String> = rules("package:2 core:4 smt:2").topology().into_iter().map(|c| c.rule).collect();
    assert_eq!(
        seen,
        ["one thread", "a power of two", "the 4 cores of one package", "all 8 cores", "all 16 hardware threads"]
    );
    let merged = rules("core:2").topology();
    assert_eq!(merged[1].rule, "the 2 cores of one package; all 2 cores; all 2 hardware threads");
}

#[test]
fn what_is_not_allowed_is_not_counted() {
    let few = rules("package:2 core:8 affinity:0-2,8");
    assert_eq!((few.socket().count, few.cores().count, few.all().count), (3, 4, 4));
}

#[test]
fn a_quota_caps_and_says_so() {
    let capped = rules("core:8 cgroup:v2 quota:2.5");
    assert_eq!(capped.all().count, 2);
    let rule = capped.all().rule;
    assert!(rule.starts_with("all 8 hardware threads, capped to 2 by the quota of 2.5 processors in /sys/fs/cgroup"));
    assert_eq!(counts("core:8 cgroup:v2 quota:2.5"), [1, 2]);
    // Less than one processor's worth still runs one thread.
    assert_eq!(counts("core:8 cgroup:v2 quota:0.5"), [1]);
    // More than there is caps nothing.
    assert_eq!(rules("core:2 cgroup:v2 quota:16").all().rule, "all 2 hardware threads");
}

#[test]
fn a_grant_caps_and_the_smaller_of_both_holds() {
    let granted = rules("core:8").granted(3, "SLURM_CPUS_PER_TASK");
    assert_eq!(granted.all().count, 3);
    assert!(granted.all().rule.contains("the 3 granted by SLURM_CPUS_PER_TASK"));
    let both = rules("core:8 cgroup:v1 quota:2").granted(3, "SLURM_CPUS_PER_TASK");
    assert_eq!(both.all().count, 2);
}

#[test]
fn a_count_asked_for_is_kept_and_marked_where_there_is_no_room() {
    let machine = rules("core:2 smt:2");
    assert_eq!((machine.count(4).count, machine.count(4).fit), (4, ThreadFit::Within));
    assert_eq!((machine.count(5).count, machine.count(5).fit), (5, ThreadFit::Oversubscribed));
    assert_eq!(machine.count(0).count, 1);
    assert_eq!((machine.oversubscribed().count, machine.oversubscribed().fit), (8, ThreadFit::Oversubscribed));
}

#[test]
fn threads_fill_cores_before_siblings_and_packages_one_after_the_other() {
    let machine = topology("package:2 core:2 smt:2");
    assert_eq!(cpus_for(&machine, 2), [0, 1]);
    assert_eq!(cpus_for(&machine, 4), [0, 1, 2, 3]);
    assert_eq!(cpus_for(&machine, 8), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(cpus_for(&topology("core:2 smt:2 numbering:adjacent"), 3), [0, 2, 1]);
    assert_eq!(cpus_for(&topology("package:2 core:2 numbering:interleaved"), 3), [0, 2, 1]);
}

#[test]
fn threads_go_only_where_they_may_and_take_turns_beyond() {
    let machine = topology("core:4 smt:2 affinity:1,2,6");
    assert_eq!(cpus_for(&machine, 2), [1, 2]);
    assert_eq!(cpus_for(&machine, 5), [1, 2, 6, 1, 2]);
    assert!(cpus_for(&machine, 0).is_empty());
}

#[test]
fn threads_take_the_most_capable_cores_first() {
    let machine = topology("core:2 smt:2 efficiency:4 numbering:adjacent");
    assert_eq!(cpus_for(&machine, 3), [0, 2, 4]);
    assert_eq!(cpus_for(&machine, 8), [0, 2, 4, 5, 6, 7, 1, 3]);
}

#[test]
fn threads_take_processors_in_the_order_asked_for() {
    let machine = topology("package:2 core:2 smt:2 numbering:adjacent");
    assert_eq!(cpus_in(&machine, PlacementOrder::Cores, 4), [0, 2, 4, 6]);
    assert_eq!(cpus_in(&machine, PlacementOrder::Compact, 4), [0, 1, 2, 3]);
    assert_eq!(cpus_in(&machine, PlacementOrder::Scatter, 4), [0, 4, 2, 6]);
    assert_eq!(cpus_in(&machine, PlacementOrder::Scatter, 5), [0, 4, 2, 6, 1]);
}

#[test]
fn counts_beyond_any_use_are_refused_with_the_limit() {
    let (small, large) = (topology("core:4"), topology("package:2 core:64 smt:2"));
    assert_eq!(at_once(&small, "threads", 1024), Ok(1024));
    assert_eq!(at_once(&large, "copies", 64 * 256), Ok(64 * 256));
    let refused = at_once(&small, "threads", 1 << 31).expect_err("no machine starts two billion threads");
    assert_eq!(
        refused.to_string(),
        "2147483648 threads at once are more than paw starts here: 1024 at most, 64 for each of 4 hardware threads (at least 1024)"
    );
    assert_eq!(at_once(&large, "copies", i64::MAX).map_err(|refused| refused.most), Err(64 * 256));
}
