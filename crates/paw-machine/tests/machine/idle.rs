//! The idlest core, from two snapshots.

use paw_machine::cpuset::CpuSet;
use paw_machine::idle::{CpuActivity, Snapshot, idlest, ranking};

use crate::paper::{paper, topology};

/// A snapshot of processors, each with its (busy, idle) ticks and its interrupts.
fn look(cpus: &[(u64, u64, u64)]) -> Snapshot {
    let mut stat = "cpu  1 2 3 4\n".to_owned();
    let (mut head, mut row) = ("   ".to_owned(), " 24:".to_owned());
    for (cpu, (busy, idle, interrupts)) in cpus.iter().enumerate() {
        stat += &format!("cpu{cpu} {busy} 0 0 {idle} 0 0 0 0 0 0\n");
        head += &format!(" CPU{cpu}");
        row += &format!(" {interrupts}");
    }
    Snapshot { stat, interrupts: format!("{head}\n{row}  IO-APIC 5-edge\nERR:  7\n") }
}

/// The activity between an empty snapshot and one of `cpus`.
fn since_start(cpus: &[(u64, u64, u64)]) -> CpuActivity {
    CpuActivity::between(&look(&vec![(0, 0, 0); cpus.len()]), &look(cpus))
}

#[test]
fn the_core_with_least_to_do_is_chosen() {
    let machine = topology("core:3");
    assert_eq!(idlest(&machine, &since_start(&[(0, 20, 0), (10, 10, 0), (5, 15, 0)])), Some(0));
    assert_eq!(ranking(&machine, &since_start(&[(20, 0, 0), (10, 10, 0), (5, 15, 0)])), [2, 1, 0]);
}

#[test]
fn a_core_is_as_busy_as_its_busiest_thread_even_where_we_may_not_run() {
    // Siblings are 0 and 2, 1 and 3.
    let busy_sibling = since_start(&[(0, 20, 0), (4, 16, 0), (20, 0, 0), (4, 16, 0)]);
    assert_eq!(idlest(&topology("core:2 smt:2"), &busy_sibling), Some(1));
    assert_eq!(idlest(&topology("core:2 smt:2 affinity:0-1"), &busy_sibling), Some(1));
}

#[test]
fn among_equals_processor_0_comes_last_and_few_interrupts_first() {
    let machine = topology("core:3");
    assert_eq!(ranking(&machine, &since_start(&[(0, 20, 0), (0, 20, 900), (0, 20, 30)])), [2, 1, 0]);
    // One tick of twenty is no difference.
    assert_eq!(idlest(&machine, &since_start(&[(0, 40, 0), (1, 39, 0), (0, 40, 50)])), Some(1));
}

#[test]
fn a_busy_fast_core_goes_before_an_idle_slow_one() {
    let machine = topology("core:1 efficiency:1");
    assert_eq!(idlest(&machine, &since_start(&[(20, 0, 0), (0, 20, 0)])), Some(0));
}

#[test]
fn waiting_for_storage_is_idle_and_stolen_time_is_busy() {
    let before = Snapshot { stat: "cpu0 0 0 0 0 0 0 0 0\n".to_owned(), interrupts: String::new() };
    let after = Snapshot { stat: "cpu0 0 0 0 5 5 0 0 10\n".to_owned(), interrupts: String::new() };
    assert_eq!(CpuActivity::between(&before, &after).busy[&0], 0.5);
}

#[test]
fn damaged_or_missing_counters_leave_activity_unknown() {
    let machine = topology("core:2");
    let nothing = CpuActivity::between(&Snapshot::default(), &Snapshot::default());
    assert_eq!(nothing, CpuActivity::default());
    assert_eq!(idlest(&machine, &nothing), Some(1));
    let torn =
        Snapshot { stat: "cpu0 1 2\ncpu1 x\ncpufreq 1 2 3 4\n".to_owned(), interrupts: "CPU0\n 1: \n".to_owned() };
    assert!(CpuActivity::between(&torn, &torn).busy.is_empty());
    // Counters that run backwards, as after a processor was switched off and on.
    let backwards = CpuActivity::between(&look(&[(100, 100, 9)]), &look(&[(0, 0, 0)]));
    assert_eq!((backwards.busy.len(), backwards.interrupts[&0]), (0, 0));
    assert_eq!(backwards.busiest(&CpuSet::from([0])), 0.0);
}

#[test]
fn a_look_reads_the_kernels_counters() {
    let machine = paper("core:2");
    machine.put("proc/interrupts", "  CPU0 CPU1\n 1: 5 6 edge\n");
    let before = Snapshot::take(&machine.root);
    machine.put("proc/stat", "cpu0 110 0 50 1010 0 0 0 0 0 0\ncpu1 100 0 50 1020 0 0 0 0 0 0\n");
    machine.put("proc/interrupts", "  CPU0 CPU1\n 1: 9 6 edge\n");
    let activity = CpuActivity::between(&before, &Snapshot::take(&machine.root));
    assert_eq!((activity.busy[&0], activity.busy[&1]), (0.5, 0.0));
    assert_eq!((activity.interrupts[&0], activity.interrupts[&1]), (4, 0));
}
