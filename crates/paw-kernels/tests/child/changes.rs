//! Loops without parts of themselves, blocks of generated code, and the costs that they show.

use std::time::Duration;

use paw_binary::form::{self, Block, Probe};
use paw_binary::{CodeLoop, inner_loops};
use paw_data::explanation::Ablation;
use paw_data::kernel::Restore;
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_kernels::element::Element;
use paw_kernels::fit::Memory;
use paw_kernels::job::{Argument, CallJob, LoopChange};
use paw_kernels::processor_model::{BlockBench, ProcessorModel};
use paw_kernels::request::Workbench as Bench;
use paw_kernels::spec::Fill;
use paw_machine::root::Root;
use paw_machine::topology::Topology;
use paw_measure::workload::Workload;

use crate::workbench::{Workbench, input, job, open, output};

/// How often a figure is taken again that a busy machine may have spoilt. On some processors a triad of arrays that lie alike within their
/// pages has two speeds, each process one of them, so that half of all pairs of processes cannot be compared.
const ATTEMPTS: u32 = 24;
/// Samples of a figure, of which the least counts.
const SAMPLES: u32 = 9;

/// The least share of what binds. With the core to itself it is four fifths and more; a neighbour on the core's other hardware thread
/// makes what is left of a loop slower, and neither a chain nor the divider.
const MOST: f64 = 0.6;

const TRIAD: &str = "void k(long n, double *restrict a, const double *restrict b, const double *restrict c)
    { for (long i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i]; }";
const CHAIN: &str = "double k(long n) { double s = 1; for (long i = 0; i < n; i++)
    s = s * 1.0000001 * 0.9999999 * 1.0000001; return s; }";
const DIVISION: &str = "void k(long n, double *restrict a, const double *restrict b)
    { for (long i = 0; i < n; i++) a[i] = 1.0 / (1.0 + 1.0 / (1.0 + 1.0 / b[i])); }";
const WHOLE: &str = "long k(long n, const long *a, const long *b)
    { long s = 0; for (long i = 0; i < n; i++) s += a[i] / b[i] + b[i] / a[i]; return s; }";

fn uniform() -> Fill {
    Fill::Uniform(0.5, 1.5)
}

/// The kernel `source` of `n` numbers in each of `inputs` arrays, the first of which is written if there is one.
fn kernel(bench: &Workbench, source: &str, n: u64, inputs: &[&str]) -> CallJob {
    let library = bench.built("gcc", "k.c", source, &["-O2", "-fno-math-errno"]);
    let mut own = job(&library, "k");
    let array = |(number, name): (usize, &&str)| match number {
        0 => output(name, Element::F64, n, uniform()),
        _ => input(name, Element::F64, n, uniform()),
    };
    own.arguments =
        std::iter::once(Argument::Whole(n.cast_signed())).chain(inputs.iter().enumerate().map(array)).collect();
    own.restore = Some(Restore::Sample);
    own
}

fn only_loop(job: &CallJob) -> CodeLoop {
    let mut loops = inner_loops(&job.library, &job.function).expect("it can be read");
    assert_eq!(loops.len(), 1, "{loops:?}");
    loops.remove(0)
}

fn without(job: &CallJob, ablation: Ablation) -> CallJob {
    let change = LoopChange::Ablate { address: only_loop(job).address, ablation, cold: Vec::new() };
    CallJob { change: Some(change), ..job.clone() }
}

/// The least core cycles of a call.
fn cycles(job: &CallJob) -> f64 {
    let mut workload = open(job).expect("it opens");
    workload.resume().expect("it begins");
    let mut loops = 1;
    while workload.sample(loops).expect("it runs").expect("a reading").elapsed_s < 1e-3 && loops < 1 << 20 {
        loops *= 4;
    }
    let one = |_| {
        let reading = workload.sample(loops).expect("it runs").expect("a reading");
        reading.elapsed_s * reading.secondary(SecondaryMetric::CoreClock).expect("a clock") / loops as f64
    };
    (0..SAMPLES).map(one).fold(f64::INFINITY, f64::min)
}

/// Takes a figure again until it is as expected, because other work on the machine only spoils it.
fn settles(what: &str, mut figure: impl FnMut() -> f64, expected: impl Fn(f64) -> bool) {
    let figures: Vec<f64> = (0..ATTEMPTS).map(|_| figure()).take_while(|figure| !expected(*figure)).collect();
    assert!(figures.len() < ATTEMPTS as usize, "{what}: {figures:?}");
}

/// The share of its time that a kernel loses with a part of its loop.
fn share(job: &CallJob, ablation: Ablation) -> f64 {
    1.0 - cycles(&without(job, ablation)) / cycles(job)
}

#[test]
fn a_loop_counts_how_often_it_is_run_through() {
    let bench = Workbench::new();
    let counted = CallJob { change: Some(LoopChange::Count), warmup: 0, ..kernel(&bench, CHAIN, 1234, &[]) };
    let mut workload = open(&counted).expect("it opens");
    workload.resume().expect("it begins");
    let reading = workload.sample(3).expect("it runs").expect("a reading");
    let trips = reading.extra.iter().find(|(name, _)| *name == MetricName::of_block(0)).map(|(_, trips)| *trips);
    assert_eq!(trips, Some(3.0 * 1234.0));
}

#[test]
fn a_chain_has_most_of_a_kernel_that_is_one() {
    let bench = Workbench::new();
    let own = kernel(&bench, CHAIN, 4000, &[]);
    settles("the share of the chain", || share(&own, Ablation::NoChain), |share| share >= MOST);
}

#[test]
fn the_divider_has_most_of_a_kernel_that_divides() {
    let bench = Workbench::new();
    let own = kernel(&bench, DIVISION, 1500, &["a", "b"]);
    settles("the share of the divider", || share(&own, Ablation::NoDivision), |share| share >= MOST);
}

#[test]
fn the_divider_has_most_of_vectors_and_of_whole_numbers_that_are_divided() {
    let bench = Workbench::new();
    let mut vectors = kernel(&bench, DIVISION, 1500, &["a", "b"]);
    vectors.library = bench.built("gcc", "vectors.c", DIVISION, &["-O3", "-mavx2"]);
    let library = bench.built("gcc", "whole.c", WHOLE, &["-O2"]);
    let fill = Fill::Uniform(1e6, 1e12);
    let whole = CallJob {
        arguments: vec![
            Argument::Whole(1500),
            input("a", Element::I64, 1500, fill),
            input("b", Element::I64, 1500, fill),
        ],
        ..job(&library, "k")
    };
    for (own, hot) in [(&vectors, vectored(&vectors)), (&whole, only_loop(&whole))] {
        let without = |ablation| {
            let change = LoopChange::Ablate { address: hot.address, ablation, cold: Vec::new() };
            cycles(&CallJob { change: Some(change), ..own.clone() }) / cycles(own)
        };
        settles("the share of the divider", || 1.0 - without(Ablation::NoDivision), |share| share >= MOST);
        settles("divisions alone", || without(Ablation::DivisionsAlone), |ratio| (0.8..=1.15).contains(&ratio));
    }
}

/// The loop with the widest vectors.
fn vectored(job: &CallJob) -> CodeLoop {
    let loops = inner_loops(&job.library, &job.function).expect("it can be read");
    loops.into_iter().max_by_key(CodeLoop::bits).expect("it has loops")
}

#[test]
fn memory_has_at_least_four_fifths_of_a_triad_beyond_the_caches() {
    let topology = Topology::read(&Root::host()).expect("this machine can be read");
    let caches = Memory::here(&topology, None).caches;
    let footprint = 3 * caches.last().map_or(64 << 20, |(_, bytes)| *bytes);
    let free = available_bytes();
    if free < 3 * footprint {
        let (needed, free) = ((3 * footprint) >> 20, free >> 20);
        return eprintln!("left out: the arrays and their copies need {needed} MiB, and {free} MiB are free");
    }
    let bench = Workbench::new();
    let mut own = kernel(&bench, TRIAD, footprint / 24, &["a", "b", "c"]);
    own.library = bench.built("gcc", "triad.c", TRIAD, &["-O3", "-march=native"]);
    let address = vectored(&own).address;
    let change = LoopChange::Ablate { address, ablation: Ablation::OnePage, cold: Vec::new() };
    let paged = CallJob { change: Some(change), ..own.clone() };
    settles("the share of memory", || 1.0 - few_cycles(&paged) / few_cycles(&own), |share| share >= 0.8);
}

/// The least core cycles of a call that takes a tenth of a second.
fn few_cycles(job: &CallJob) -> f64 {
    let mut workload = open(job).expect("it opens");
    workload.resume().expect("it begins");
    let one = |_| {
        let reading = workload.sample(1).expect("it runs").expect("a reading");
        reading.elapsed_s * reading.secondary(SecondaryMetric::CoreClock).expect("a clock")
    };
    (0..3).map(one).fold(f64::INFINITY, f64::min)
}

fn available_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok()).unwrap_or(0) << 10
}

#[test]
fn a_triad_in_the_first_cache_takes_as_long_on_one_page_and_elsewhere() {
    let bench = Workbench::new();
    let own = kernel(&bench, TRIAD, 1000, &["a", "b", "c"]);
    for ablation in [Ablation::Copy, Ablation::OnePage] {
        settles(ablation.words(), || share(&own, ablation), |share| share.abs() <= 0.1);
    }
}

#[test]
fn a_triad_without_its_accesses_is_a_change_of_all_three() {
    let bench = Workbench::new();
    let own = kernel(&bench, TRIAD, 1000, &["a", "b", "c"]);
    // Without loads and stores nothing reads what is not there.
    assert!(cycles(&without(&own, Ablation::NoMemory)).is_finite());
    assert!(cycles(&without(&own, Ablation::NoOperations)).is_finite());
    assert!(cycles(&without(&own, Ablation::NoFloat)).is_finite());
}

#[test]
fn a_loop_that_calls_is_refused_with_its_sentence() {
    let bench = Workbench::new();
    let source = "double sin(double); void k(long n, double *a) { for (long i = 0; i < n; i++) a[i] = sin(a[i]); }";
    let mut own = kernel(&bench, source, 100, &["a"]);
    own.library = bench.built("gcc", "k.c", source, &["-O2", "-lm"]);
    assert_eq!(only_loop(&own).calls(), ["sin"]);
    let refused = open(&without(&own, Ablation::NoFloat)).expect_err("it calls").to_string();
    assert!(refused.contains("the loop calls another function"), "{refused}");
    assert!(cycles(&without(&own, Ablation::NoCalls)) < cycles(&own));
}

#[test]
fn a_function_without_that_loop_is_refused() {
    let bench = Workbench::new();
    let own = kernel(&bench, CHAIN, 100, &[]);
    let change = LoopChange::Ablate { address: 0x10, ablation: Ablation::Copy, cold: Vec::new() };
    let refused = open(&CallJob { change: Some(change), ..own }).expect_err("no loop is there").to_string();
    assert!(refused.contains("no loop begins at 0x10"), "{refused}");
}

/// A bench whose children run generated code.
fn blocks() -> Bench {
    let test = std::env::current_exe().expect("a test has a path");
    let program = test.ancestors().nth(2).expect("target directory").join("examples/kernel_child");
    let plain = job(std::path::Path::new("none"), "none");
    Bench {
        child: (program, Vec::new()),
        cpus: Vec::new(),
        device: 0,
        threads: None,
        instrument: plain.instrument,
        deadline: Duration::from_secs(10),
        builds: std::env::temp_dir(),
        answers: std::env::temp_dir(),
        free_bytes: 1e9,
    }
}

#[test]
fn chains_of_known_length_are_read_right() {
    if cfg!(not(target_arch = "x86_64")) {
        return eprintln!("left out: generated code is for x86-64");
    }
    let bench = blocks();
    let mut blocks = BlockBench::new(&bench);
    for (probe, expected) in [(Probe::Additions, 1.0), (Probe::Multiplications, 3.0)] {
        let block = form::probe(probe).expect("it is encoded");
        let figure = || blocks.cycles(&block).expect("it runs");
        settles(&format!("{probe:?}"), figure, |cycles| (cycles / expected - 1.0).abs() <= 0.03);
    }
    let block = form::probe(Probe::Load).expect("it is encoded");
    settles("a load", || blocks.cycles(&block).expect("it runs"), |cycles| (3.0..=6.5).contains(&cycles));
    let block = form::probe(Probe::Width).expect("it is encoded");
    settles("the width", || 1.0 / blocks.cycles(&block).expect("it runs"), |width| (1.8..=16.0).contains(&width));
}

#[test]
fn a_block_that_crashes_costs_its_own_figure_alone() {
    let bench = blocks();
    let mut blocks = BlockBench::new(&bench);
    // ud2: an instruction that does not exist.
    let broken = Block { code: vec![0x0f, 0x0b], page: vec![0; 4096], instructions: 1 };
    let said = blocks.cycles(&broken).expect_err("it crashes");
    assert!(!said.is_empty());
    let sound = form::probe(Probe::Additions).expect("it is encoded");
    assert!(blocks.cycles(&sound).expect("a fresh child runs it") > 0.0);
}

#[test]
fn a_model_knows_the_costs_of_a_loop_and_its_longest_chain() {
    let bench = Workbench::new();
    let own = only_loop(&kernel(&bench, CHAIN, 100, &[]));
    let equipment = blocks();
    let mut model = ProcessorModel::new("this one");
    let bench = &mut BlockBench::new(&equipment);
    let costs = model.of_loop(&own, bench);
    let product = costs.iter().find(|cost| cost.form.contains("mulsd")).expect("it multiplies");
    assert_eq!(product.count, 3);
    let latency = product.latency.expect("it is measured");
    let way = own.common_way(&[1.0]).expect("it has but one way");
    let chain = model.recurrence(&own, &way, bench).expect("it is a chain");
    assert_eq!((chain.made_of.as_str(), chain.chain.len()), ("multiplications", 3));
    assert!((chain.cycles - 3.0 * latency).abs() < 1e-9, "{chain:?}");
    let again = ProcessorModel::stored(&model.text(), "this one").expect("it is read back");
    assert_eq!(again, model);
    assert_eq!(ProcessorModel::stored(&model.text(), "another"), None);
    assert_eq!(ProcessorModel::stored("{", "this one"), None);
}
