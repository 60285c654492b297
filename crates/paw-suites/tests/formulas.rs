//! The work of every benchmark is what its formula says, at many points; what both say is what is published.

use std::collections::BTreeMap;

use paw_data::point::{AxisValue, Point};
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_formula::Formula;
use paw_machine::root::Root;
use paw_machine::topology::Topology;
use paw_native::isa::Isa;
use paw_native::peak::short::{ShortNumber, ShortPeak};
use paw_native::peak::{Mix, Peak};
use paw_suites::benchmark::{Benchmark, Values};
use paw_suites::host::Host;
use paw_suites::{catalogue, ladder};

fn formula(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The value of `formula` at `point`.
fn value(benchmark: &Benchmark, formula: &Formula, point: &Point) -> f64 {
    let found = formula.evaluate(&|name| point.float(name).or_else(|| derived(benchmark, name, point)));
    found.unwrap_or_else(|error| panic!("{}, {point}: {formula}: {error}", benchmark.name))
}

/// What formulas say of axes that are words, and of axes that follow another one.
fn derived(benchmark: &Benchmark, name: &str, point: &Point) -> Option<f64> {
    let word = |axis: &str| point.text(axis).unwrap_or_default();
    Some(match name {
        "m" | "k" => point.float("n")?,
        "ways" if benchmark.name.contains("inout") || matches!(word("direction"), "inout" | "bidir") => 2.0,
        "loads" if word("by") == "kernel" => 16_384.0,
        "loads" => 1.0,
        "ways" if word("access") == "both" => 2.0,
        "ways" => 1.0,
        // Halves of a round trip follow each other; both ways at once do not.
        "turns" if benchmark.name.contains("inout") || word("direction") == "inout" => 2.0,
        "turns" => 1.0,
        "messages" if word("train") == "single" => 1.0,
        "messages" => 16.0,
        "copies" if word("direction") == "ring" => point.float("devices")?,
        "copies" => 1.0,
        "order" if word("kernel").ends_with("gemm") => 3.0,
        "order" => 2.0,
        // Only x86-64 has a known latency of multiplications: 3 cycles (uops.info).
        "cycles_per_step" if word("chain") == "multiply" && cfg!(target_arch = "x86_64") => 3.0,
        "cycles_per_step" => 1.0,
        "operations_per_turn" => short_operations_per_turn(word("isa"))?,
        "flops_per_turn" => flops_per_turn(benchmark, point)?,
        _ => return None,
    })
}

/// Twelve chains of registers and two rounds of them: two operations for a multiply-add, one for the addition beside it. None
/// where the instruction set has no such loop.
fn flops_per_turn(benchmark: &Benchmark, point: &Point) -> Option<f64> {
    let element_bytes = if benchmark.name == "peak_f32" { 4 } else { 8 };
    let isa = point.text("isa")?;
    // The processor decides the length of these vectors, and they have no loop of the other mix.
    if matches!(isa, "sve" | "sme") {
        let long = if element_bytes == 4 { Peak::of::<f32> } else { Peak::of::<f64> };
        let is_mixed = point.text("mix") == Some("fma+add");
        return long(isa, Mix::MultiplyAdd).map(|peak| if is_mixed { 0.0 } else { peak.flops_per_turn() as f64 });
    }
    let isa = Isa::named(isa)?;
    let lanes = (isa.vector_bytes() / element_bytes).max(1);
    let each = match point.text("mix") {
        Some("fma+add") if Peak::of::<f64>(isa.name(), Mix::MultiplyAddAndAdd).is_none() => 0.0,
        Some("fma+add") => 3.0,
        _ => 2.0,
    };
    Some(12.0 * 2.0 * each * lanes as f64)
}

/// Two rounds of twelve chains, or of four tiles; two operations for each product of an instruction.
fn short_operations_per_turn(isa: &str) -> Option<f64> {
    // The processor decides the length of these vectors.
    if isa.starts_with("sve_") || isa.starts_with("sme_") {
        let mut numbers = [ShortNumber::F16, ShortNumber::Bf16, ShortNumber::Int8].into_iter();
        return Some(numbers.find_map(|number| ShortPeak::named(number, isa))?.operations_per_turn() as f64);
    }
    let (chains, products) = match isa {
        // A processor without such instructions.
        "none" => (0, 0),
        "neon_fp16" | "neon_bfdot" | "avx512_fp16_128" | "avx512_bf16_128" => (12, 8),
        "neon_bfmmla" | "neon_dotprod" | "avx512_fp16_256" | "avx512_bf16_256" => (12, 16),
        "avx_vnni_128" | "avx512_vnni_128" => (12, 16),
        "neon_i8mm" | "avx_vnni" | "avx512_fp16" | "avx512_bf16" | "avx512_vnni_256" => (12, 32),
        "avx512_vnni" => (12, 64),
        "amx_bf16" | "amx_fp16" => (4, 16 * 16 * 32),
        "amx_int8" => (4, 16 * 16 * 64),
        _ => return None,
    };
    Some(f64::from(2 * chains * 2 * products))
}

/// Points with every word of every axis and several values of every number, odd ones among them.
fn points(benchmark: &Benchmark, host: &Host) -> Vec<Point> {
    let ints = |values: &[i64]| values.iter().copied().map(AxisValue::Int).collect::<Vec<_>>();
    let start = [("threads", ints(&[1, 6])), ("ranks", ints(&[2, 10])), ("devices", ints(&[1, 3]))];
    let axes = benchmark.common.axes.iter().map(|axis| {
        let values = match &axis.values {
            Values::Words(words) | Values::Each(words) => words.iter().copied().map(AxisValue::from).collect(),
            // m and k, which a shape would decide, have values of their own.
            Values::Giving { words, .. } => vec![AxisValue::from(words[0].0)],
            Values::Machine(_) if axis.name == "isa" => ladder::listed(&axis.values, host),
            _ if axis.name == "bytes" => ints(&[64, 70_003]),
            _ => ints(&[3, 100]),
        };
        (axis.name, values)
    });
    start.into_iter().chain(axes).fold(vec![Point::new()], |points, (name, values)| {
        points.iter().flat_map(|point| values.iter().map(|value| point.clone().with(name, value.clone()))).collect()
    })
}

fn host() -> Host {
    let mut host = Host::here(Topology::read(&Root::host()).expect("this machine has processors"), None, Vec::new());
    host.look_for_libraries();
    host
}

/// What the formula of a benchmark counts.
fn counted(benchmark: &Benchmark, work: &Work) -> f64 {
    match benchmark.common.headline {
        Quantity::Time if work.bytes > 0.0 => work.bytes,
        quantity => work.amount(quantity),
    }
}

#[track_caller]
fn same(what: &str, found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{what}: {found} and not {expected}");
}

#[test]
fn every_formula_is_the_work_of_its_benchmark() {
    let host = host();
    for benchmark in catalogue() {
        let text = benchmark.formula.split(';').next().unwrap_or_default();
        let formula = formula(text);
        for point in points(benchmark, &host) {
            let found = counted(benchmark, &(benchmark.work)(&point));
            same(&format!("{} {point}", benchmark.name), found, value(benchmark, &formula, &point));
        }
    }
}

/// All that benchmarks count, entered a second time: names, then `field=formula`. A field that is not there is 0.
const WORK: &[(&str, &str)] = &[
    ("peak_f64 peak_f32", "flops=2000*flops_per_turn*threads flops_paw=2000*flops_per_turn*threads"),
    (
        "peak_f16 peak_bf16 peak_int8",
        "flops=2000*operations_per_turn*threads flops_paw=2000*operations_per_turn*threads",
    ),
    ("active_clock", "cycles=6*2000*3"),
    ("core_clock", "cycles=320*32*cycles_per_step"),
    (
        "memory_latency tlb_latency core_to_core loaded_latency numa_latency system_call timer_read page_fault thread_create thread_fork_join thread_barrier",
        "",
    ),
    ("stream_copy", "bytes=16*floor(bytes/8)"),
    ("stream_scale", "bytes=16*floor(bytes/8) flops=floor(bytes/8) flops_paw=floor(bytes/8)"),
    ("stream_add", "bytes=24*floor(bytes/8) flops=floor(bytes/8) flops_paw=floor(bytes/8)"),
    ("stream_triad", "bytes=24*floor(bytes/8) flops=2*floor(bytes/8) flops_paw=2*floor(bytes/8)"),
    ("read numa_bandwidth", "bytes=8*floor(bytes/8)"),
    ("random_access", "updates=1024*threads"),
    ("cache_bandwidth", "bytes=12288*floor(bytes/12288)*threads"),
    ("mixed_bandwidth", "bytes=49152*threads*floor(bytes/threads/49152)"),
    ("dgemm dgemm_single", "flops=2*m*n*k flops_paw=2*m*n*(k+1) bytes=8*(m*k+k*n+2*m*n)"),
    ("sgemm", "flops=2*m*n*k flops_paw=2*m*n*(k+1) bytes=4*(m*k+k*n+2*m*n)"),
    ("bf16gemm", "flops=2*m*n*k flops_paw=2*m*n*k bytes=2*(m*k+k*n)+4*m*n"),
    ("int8gemm", "flops=2*m*n*k flops_paw=2*m*n*k bytes=m*k+k*n+4*m*n"),
    ("dgemv", "flops=2*m*n flops_paw=2*m*(n+1) bytes=8*m*n"),
    ("sgemv", "flops=2*m*n flops_paw=2*m*(n+1) bytes=4*m*n"),
    ("latency", "bytes=2 messages=2 operations=2"),
    ("context_switch futex_wake", "operations=2"),
    ("os_noise", "operations=200000"),
    ("p2p_send p2p_isend p2p_persistent p2p_partitioned multi_latency", "bytes=8*n*ranks messages=ranks operations=2"),
    ("p2p_isend_ping p2p_multitask", "bytes=4*n*ranks messages=ranks/2"),
    ("p2p_isend_bidir bisection", "bytes=8*n*ranks messages=ranks operations=1"),
    ("p2p_mrate", "messages=window*ranks/2 operations=window*ranks/2 bytes=window*4*n*ranks"),
    ("p2p_mrate_bidir", "messages=window*ranks operations=window*ranks bytes=window*8*n*ranks"),
    ("latency_threads", "bytes=8*n*ranks*pool messages=ranks*pool operations=2"),
    ("loggp", "bytes=8*n*(messages+1) messages=messages+1 operations=1"),
    ("pair_matrix congestion", "bytes=16*n messages=2 operations=2"),
    (
        "p2p_get p2p_put p2p_get_fence p2p_put_fence p2p_rget p2p_rput p2p_get_flush p2p_put_flush p2p_get_lock p2p_put_lock",
        "bytes=4*n*ranks messages=ranks/2",
    ),
    ("p2p_accumulate p2p_fetch_and_op p2p_compare_and_swap", "messages=ranks/2"),
    ("barrier ibarrier barrier_persistent col_init col_init_th col_session", ""),
    ("file_write file_read", "bytes=8*n*ranks"),
    (
        "allreduce iallreduce allreduce_persistent nccl_allreduce",
        "bytes=8*n*ranks bytes_algorithm=8*n bytes_bus=8*n*2*(ranks-1)/ranks",
    ),
    (
        "allgather iallgather allgatherv iallgatherv alltoall ialltoall alltoallv ialltoallv gather igather gatherv igatherv \
         reduce_scatter ireduce_scatter allgather_persistent alltoall_persistent gather_persistent reduce_scatter_persistent \
         nccl_allgather nccl_alltoall nccl_reduce_scatter",
        "bytes=8*n*ranks bytes_algorithm=8*n*ranks bytes_bus=8*n*(ranks-1)",
    ),
    ("reduce ireduce reduce_persistent nccl_reduce nccl_sendrecv", "bytes=8*n*ranks bytes_algorithm=8*n bytes_bus=8*n"),
    ("bcast ibcast bcast_persistent nccl_broadcast", "bytes=8*n bytes_algorithm=8*n bytes_bus=8*n"),
    (
        "scatter iscatter scatterv iscatterv scatter_persistent",
        "bytes=8*n bytes_algorithm=8*n*ranks bytes_bus=8*n*(ranks-1)",
    ),
    ("scan exscan iscan iexscan", "bytes=8*n*ranks"),
    ("exchange neighbor_alltoall neighbor_allgather ineighbor_alltoall", "bytes=16*n*ranks messages=2*ranks"),
    ("col_acc col_acc_fence col_racc", "bytes=8*n*(ranks-1)"),
    ("gpu_dgemm", "flops=2*n^3*devices flops_paw=2*n^2*(n+1)*devices bytes=24*n^2*devices operations=devices"),
    (
        "gpu_sgemm gpu_tf32gemm",
        "flops=2*n^3*devices flops_paw=2*n^2*(n+1)*devices bytes=12*n^2*devices operations=devices",
    ),
    (
        "gpu_bf16gemm gpu_fp16gemm",
        "flops=2*n^3*devices flops_paw=2*n^2*(n+1)*devices bytes=6*n^2*devices operations=devices",
    ),
    ("gpu_int8gemm", "flops=2*n^3*devices flops_paw=2*n^2*(n+1)*devices bytes=6*n^2*devices operations=devices"),
    ("gpu_fp8gemm", "flops=2*n^3*devices flops_paw=2*n^2*(n+1)*devices bytes=4*n^2*devices operations=devices"),
    ("offload_threshold", "flops=2*n^order*iterations"),
    ("gpu_*", "bytes=4*n*ways*devices operations=turns*devices"),
    ("phi_*", "bytes=8*n*ways*devices operations=turns*devices"),
    ("transfer", "bytes=bytes*ways*devices operations=turns*devices"),
    ("device_copy device_scale", "bytes=2*bytes*devices"),
    ("device_add device_triad", "bytes=3*bytes*devices"),
    ("device_launch", "operations=devices"),
    ("device_peak_f64 device_peak_f32 device_peak_int32", "flops=4194304*blocks*devices"),
    ("device_peak_f16", "flops=8388608*blocks*devices"),
    ("device_peak_matrix_f64", "flops=8388608*blocks*devices"),
    (
        "device_peak_matrix_f16 device_peak_matrix_bf16 device_peak_matrix_int8 device_peak_matrix_fp8",
        "flops=67108864*blocks*devices",
    ),
    ("device_intensity", "flops=2*intensity*bytes*devices bytes=2*bytes*devices"),
    ("device_burn", "flops=2*n^3*devices"),
    ("device_latency", "operations=16384"),
    ("device_random", "updates=floor(bytes/8)*devices"),
    ("managed_memory", "bytes=bytes"),
    ("peer_transfer", "bytes=bytes*copies operations=copies"),
    ("peer_matrix", "bytes=bytes*ways operations=1"),
    ("peer_latency", "operations=loads"),
];

/// The row of [`WORK`] that a benchmark has.
fn entered(name: &str) -> &'static str {
    let is = |entry: &str| entry == name || entry.strip_suffix('*').is_some_and(|start| name.starts_with(start));
    let row = WORK.iter().find(|(names, _)| names.split(' ').any(is));
    row.unwrap_or_else(|| panic!("{name} counts something, and its row is missing here")).1
}

fn fields(work: &Work) -> [(&'static str, f64); 9] {
    [
        ("flops", work.flops),
        ("flops_paw", work.flops_paw),
        ("bytes", work.bytes),
        ("bytes_algorithm", work.bytes_algorithm),
        ("bytes_bus", work.bytes_bus),
        ("messages", work.messages),
        ("updates", work.updates),
        ("cycles", work.cycles),
        ("operations", work.operations),
    ]
}

#[test]
fn all_that_a_benchmark_counts_is_what_was_entered_a_second_time() {
    let host = host();
    for benchmark in catalogue() {
        let row: BTreeMap<&str, Formula> = entered(benchmark.name)
            .split_whitespace()
            .filter_map(|item| item.split_once('='))
            .map(|(field, text)| (field, formula(text)))
            .collect();
        for point in points(benchmark, &host) {
            let work = (benchmark.work)(&point);
            for (field, found) in fields(&work) {
                let expected = row.get(field).map_or(0.0, |formula| value(benchmark, formula, &point));
                same(&format!("{field} of {} {point}", benchmark.name), found, expected);
            }
        }
    }
}

/// PAW 1.6's table: test, work of a sample, what the time of an iteration is multiplied by. `P` ranks, `N` elements, `W` window.
/// The rate PAW publishes is work / (factor * time).
const PAW: &[(&str, &str, f64)] = &[
    ("latency", "1", 0.5),
    ("p2p_send", "8*N*P/2", 0.5),
    ("p2p_isend", "8*N*P/2", 0.5),
    ("p2p_isend_ping", "8*N*P/2", 1.0),
    ("p2p_isend_bidir", "2*8*N*P/2", 1.0),
    ("p2p_get", "8*N*P/2", 1.0),
    ("p2p_put", "8*N*P/2", 1.0),
    ("p2p_get_fence", "8*N*P/2", 1.0),
    ("p2p_put_fence", "8*N*P/2", 1.0),
    ("p2p_rget", "8*N*P/2", 1.0),
    ("p2p_rput", "8*N*P/2", 1.0),
    ("p2p_multitask", "8*N*P/2", 1.0),
    ("allgather", "8*N*P", 1.0),
    ("allreduce", "8*N*P", 1.0),
    ("alltoall", "8*N*P", 1.0),
    ("gather", "8*N*P", 1.0),
    ("reduce", "8*N*P", 1.0),
    ("bcast", "8*N", 1.0),
    ("scatter", "8*N", 1.0),
    ("col_acc", "8*N*(P-1)", 1.0),
    ("col_acc_fence", "8*N*(P-1)", 1.0),
    ("col_racc", "8*N*(P-1)", 1.0),
    ("gpu_in_pinned", "4*N", 1.0),
    ("gpu_out_nopin", "4*N", 1.0),
    ("gpu_inout_pinned", "4*N", 0.5),
    ("phi_keep_al_in", "8*N", 1.0),
    ("phi_alloc_noal_out", "8*N", 1.0),
    ("phi_keep_al_inout", "8*N", 0.5),
];

#[test]
fn rates_and_times_are_those_of_paws_own_table() {
    for (name, work, factor) in PAW {
        let benchmark = paw_suites::named(name).unwrap_or_else(|| panic!("{name}"));
        for (n, p) in [(1, 2), (1000, 2), (1000, 16)].into_iter().filter(|(_, p)| *name != "latency" || *p == 2) {
            let point = Point::new().with("n", n).with("ranks", p);
            let names = |name: &str| Some(if name == "N" { n as f64 } else { p as f64 });
            let (published, seconds) = (formula(work).evaluate(&names).expect("numbers alone"), 0.25);
            let own = (benchmark.work)(&point);
            same(
                &format!("{name} n={n} P={p}, rate"),
                own.value(Quantity::Bytes, seconds),
                published / (factor * seconds),
            );
            same(&format!("{name} n={n} P={p}, time"), own.value(Quantity::Time, seconds), factor * seconds);
        }
    }
}

/// The work of a benchmark at `point`, written `n=1000 ranks=4`.
fn work(name: &str, point: &str) -> Work {
    let axes = point.split(' ').filter_map(|axis| axis.split_once('='));
    let point = axes.fold(Point::new(), |point, (axis, value)| match value.parse::<i64>() {
        Ok(number) => point.with(axis, number),
        Err(_) => point.with(axis, value),
    });
    (paw_suites::named(name).unwrap_or_else(|| panic!("{name}")).work)(&point)
}

#[test]
fn counts_are_those_that_others_publish() {
    let of = |name: &str, point: &str, quantity| work(name, point).amount(quantity);
    // PAW's user guide, chapters 3 and 6: 2N²(N+1) and 2N(N+1), at its smallest size 8 and at 1000.
    let paw = |name: &str, point: &str| work(name, point).flops_paw;
    assert_eq!(
        [paw("dgemm", "n=8"), paw("sgemm", "n=1000"), paw("gpu_dgemm", "n=8")],
        [1152.0, 2_002_000_000.0, 1152.0]
    );
    assert_eq!([paw("dgemv", "n=8"), paw("sgemv", "n=1000")], [144.0, 2_002_000.0]);
    // The count of everyone else (LAPACK Working Note 41, table of operation counts): 2mnk and 2mn.
    assert_eq!([of("dgemm", "n=3 m=5 k=7", Quantity::Flops), of("dgemv", "n=3 m=5", Quantity::Flops)], [210.0, 30.0]);
    // STREAM 5.10, "Counting Bytes and FLOPS": 16, 16, 24, 24 bytes and 0, 1, 1, 2 operations an iteration; 10 million elements.
    let stream = ["copy", "scale", "add", "triad"].map(|name| work(&format!("stream_{name}"), "bytes=80000000"));
    assert_eq!(stream.map(|work| work.bytes), [160e6, 160e6, 240e6, 240e6]);
    assert_eq!(stream.map(|work| work.flops), [0.0, 1e7, 1e7, 2e7]);
    // OSU 7.4: osu_latency halves a round trip; osu_bw counts size * window once, osu_bibw twice; osu_mbw_mr counts all pairs.
    same("osu_latency", work("p2p_send", "n=1 ranks=2").value(Quantity::Time, 3e-6), 1.5e-6);
    assert_eq!(of("p2p_mrate", "n=1 ranks=2 window=64", Quantity::Bytes), 512.0);
    assert_eq!(of("p2p_mrate_bidir", "n=1 ranks=2 window=64", Quantity::Bytes), 1024.0);
    assert_eq!(of("p2p_mrate", "n=1 ranks=16 window=64", Quantity::Messages), 512.0);
    // nccl-tests, PERFORMANCE.md: bus = algorithm bandwidth times 2(n-1)/n, (n-1)/n and 1, here of 8 ranks.
    for start in ["", "nccl_"] {
        let bus = ["allreduce", "allgather", "alltoall", "reduce_scatter", "reduce"].map(|name| {
            let work = work(&format!("{start}{name}"), "n=1000 ranks=8");
            work.bytes_bus / work.bytes_algorithm
        });
        assert_eq!(bus, [1.75, 0.875, 0.875, 0.875, 1.0]);
    }
    for name in ["bcast", "nccl_broadcast", "nccl_sendrecv"] {
        let work = work(name, "n=1000 ranks=8");
        assert_eq!([work.bytes_algorithm, work.bytes_bus], [8000.0, 8000.0]);
    }
}
