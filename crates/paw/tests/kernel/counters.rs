//! Counted events: the software group for real, a processor's by a recorded stream, and what a machine without counters says.

use paw_data::counters::{Counters, Source};

use crate::place::{QUICK, examples, kernel, run};

/// One build of the stencil in the order of memory.
const STENCIL: &str = "stencil.toml --variants rows --flags -O2 --compiler gcc --metas 3 --region 1ms --quiet --out r";

/// Counts of a Skylake at the sizes of the report: the second level's traffic grows once the arrays leave the first level.
const RECORDED: &str = "processor = \"skylake\"\nnominal_hz = 2808e6\n";

fn reading(replaced: u32, evicted: u32, running: &str) -> String {
    format!(
        "[[reading]]\ncalls = 100\nseconds = 0.5\n{running}\n[reading.counts]\nINSTR_RETIRED_ANY = 3e9\n\
         CPU_CLK_UNHALTED_CORE = 1e9\nCPU_CLK_UNHALTED_REF = 9e8\nL1D_REPLACEMENT = {replaced}\n\
         L1D_M_EVICT = {evicted}\nICACHE_64B_IFTAG_MISS = 0\n"
    )
}

fn value(counters: &Counters, name: &str) -> f64 {
    let metric = counters.metrics.iter().find(|metric| metric.name == name).unwrap();
    counters.value(metric).unwrap()
}

#[test]
fn the_software_group_is_counted_by_call_and_by_iteration() {
    let place = examples();
    let ran = kernel(&place, &format!("counters {STENCIL} --n 50,100"));
    if ran.code == 4 {
        // Where perf_event is forbidden: the setting that would do.
        assert!(ran.err.contains("perf_event"), "{}", ran.err);
        return;
    }
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("counts by call") && ran.out.contains("counts by iteration"), "{}", ran.out);
    let run = run(&place);
    for record in &run.records {
        let [counters] = &record.counters[..] else { panic!("one group") };
        assert_eq!((counters.group.as_str(), counters.source), ("SW", Source::PerfEvent));
        assert_eq!(counters.seconds.len(), 5);
        let clock = counters.events.iter().find(|event| event.name == "TASK_CLOCK").unwrap();
        // Nanoseconds: a call of the stencil takes at least a nanosecond for ten iterations, and at most a second.
        let by_iteration = counters.per_iteration(clock).unwrap();
        assert!((0.01..1e6).contains(&by_iteration), "{by_iteration}");
        assert!(value(counters, "processors_used") > 0.0);
    }
    let csv = place.run("exec $PAW export r --format csv").out;
    assert!(csv.contains("sw.TASK_CLOCK_per_iteration") && csv.contains("sw.page_faults_per_s,1/s"), "{csv}");
}

#[test]
fn the_second_levels_volume_grows_with_the_size_as_recorded() {
    let place = examples();
    let readings = [reading(0, 0, ""), reading(1000, 400, ""), reading(9000, 3000, "running_s = 0.31")];
    place.write("skl.toml", &(RECORDED.to_owned() + &readings.concat()));
    let ran = kernel(&place, &format!("counters {STENCIL} --n 50,100,150 --group L2 --recorded skl.toml"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = run(&place);
    let volumes: Vec<f64> = run.records.iter().map(|r| value(&r.counters[0], "l2_volume_per_call")).collect();
    // Kilobytes by call; the third was counted for 62 % of its time.
    let expected = [0.0, 64e-3 * 1400.0 / 100.0, 64e-3 * 12000.0 / 100.0 / 0.62];
    for (volume, expected) in volumes.iter().zip(expected) {
        assert!((volume - expected).abs() < 1e-9 * expected.max(1.0), "{volume} and not {expected}");
    }
    assert!(ran.out.contains("L2, recorded") && ran.out.contains("lower ↓"), "{}", ran.out);
    assert!(ran.out.contains("L1D_REPLACEMENT (62 %)"), "{}", ran.out);
    let page = place.run("exec $PAW report r --out page.html");
    assert_eq!(page.code, 0, "{}", page.err);
    assert!(place.read("page.html").contains("volume between L1 and L2 per call"));
}

#[test]
fn a_group_that_cannot_be_counted_is_refused_before_anything_is_built() {
    let place = examples();
    let ran = kernel(&place, &format!("counters {STENCIL} --n 50 --group ENERGY,CPI"));
    if ran.code != 0 {
        assert_eq!(ran.code, 4, "{}", ran.err);
        assert!(ran.err.contains("group ") && ran.err.contains("cannot be counted"), "{}", ran.err);
        assert!(!place.path("r").exists());
    }
    let planned = kernel(&place, "counters stencil.toml --n 50 --group CPI,SW --dry-run");
    assert_eq!(planned.code, 0, "{}", planned.err);
    assert!(planned.out.contains("instructions") && planned.out.contains("task-clock"), "{}", planned.out);
}

#[test]
fn mistyped_groups_and_events_are_recognised() {
    let place = examples();
    let ran = kernel(&place, &format!("counters stencil.toml --n 50 --group BRNCH {QUICK}"));
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("did you mean `BRANCH`?"), "{}", ran.err);
    place.write(
        "own.toml",
        "title = \"x\"\n[events]\nA = \"page-falts\"\n[[metric]]\nname = \"m\"\nformula = \"2 * B\"\n",
    );
    let ran = kernel(&place, "counters stencil.toml --n 50 --group own.toml");
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("own.toml:6:16") && ran.err.contains('^'), "{}", ran.err);
    place.write(
        "own.toml",
        "title = \"x\"\n[events]\nA = \"page-falts\"\n[[metric]]\nname = \"m\"\nformula = \"2 * A\"\n",
    );
    let ran = kernel(&place, "counters stencil.toml --n 50 --group own.toml");
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("did you mean `page-faults`?"), "{}", ran.err);
}

#[test]
fn a_users_own_group_is_counted() {
    let place = examples();
    place.write("own.toml", "title = \"Own\"\n[events]\nT = \"task-clock\"\n[[metric]]\nname = \"ms\"\nunit = \"ms\"\nformula = \"1e-6 * T / calls\"\n");
    let ran = kernel(&place, &format!("counters {STENCIL} --n 50 --group own.toml"));
    if ran.code == 0 {
        assert!(value(&run(&place).records[0].counters[0], "ms") > 0.0);
        assert!(ran.out.contains("own: Own"), "{}", ran.out);
    } else {
        assert!(ran.err.contains("perf_event"), "{}", ran.err);
    }
}

#[test]
fn simulated_misses_of_a_triad_are_those_of_its_lines() {
    ::workplace::needs!(VALGRIND);
    let place = examples();
    place.write(
        "triad.c",
        "void triad(int n, double *a, const double *b, const double *c) { for (int i = 0; i < n; i++) a[i] = b[i] + 3 * c[i]; }",
    );
    place.write(
        "triad.toml",
        "paw = \"kernel/1\"\nsources = [\"triad.c\"]\niterations = \"n\"\n\
         signature = \"void triad(int n, double *a, const double *b, const double *c)\"\n[arrays]\n\
         a = { type = \"f64[n]\", output = true }\nb = { type = \"f64[n]\", fill = \"uniform(0, 1)\" }\n\
         c = { type = \"f64[n]\", fill = \"uniform(0, 1)\" }\n",
    );
    let flags = "--flags '-O3 -march=native' --compiler gcc --metas 3 --region 1ms --quiet --out r";
    let ran = kernel(&place, &format!("counters triad.toml --simulate --n 100000 {flags}"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = run(&place);
    let counters = &run.records[0].counters[0];
    assert_eq!(counters.source, Source::Cachegrind);
    // Three arrays of 8 bytes an element, whose lines of 64 bytes are each missed once by call: they are larger than the first level.
    let misses = value(counters, "d1_misses_per_call");
    assert!((misses / 37_500.0 - 1.0).abs() < 0.03, "{misses}: {}", ran.out);
    assert!(ran.out.contains("CACHEGRIND, simulated"), "{}", ran.out);
    if cfg!(target_arch = "x86_64") {
        assert!(ran.out.contains("a different binary"), "{}", ran.out);
    }
}

#[test]
fn code_that_the_simulator_does_not_know_fails_with_the_way_out() {
    ::workplace::needs!(VALGRIND);
    let has_avx512 = std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains("avx512f"));
    if !has_avx512 {
        return;
    }
    let place = examples();
    place.write(
        "wide.c",
        "#include <immintrin.h>\n__attribute__((target(\"avx512f\"))) void wide(int n, double *a) {\n\
         for (int i = 0; i + 8 <= n; i += 8) _mm512_storeu_pd(a + i, _mm512_set1_pd(i)); }\n",
    );
    place.write(
        "wide.toml",
        "paw = \"kernel/1\"\nsources = [\"wide.c\"]\niterations = \"n\"\nsignature = \"void wide(int n, double *a)\"\n\
         [arrays]\na = { type = \"f64[n]\", output = true }\n",
    );
    let ran =
        kernel(&place, "counters wide.toml --simulate --n 1000 --flags -O2 --compiler gcc --metas 3 --region 1ms");
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("AVX-512") && ran.err.contains("x86-64-v3"), "{}", ran.err);
}

#[test]
fn the_second_levels_volume_is_one_table_over_the_sizes_of_the_report() {
    let place = examples();
    let readings = [(10, 0), (1300, 500), (4000, 1500), (9000, 3000)].map(|(in_, out)| reading(in_, out, ""));
    place.write("skl.toml", &(RECORDED.to_owned() + &readings.concat()));
    let ran = kernel(&place, &format!("counters {STENCIL} --n 100,150,220,235 --group L2 --recorded skl.toml"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let heads = ran.out.lines().find(|line| line.starts_with("metric")).expect(&ran.out);
    assert!(["n = 100", "n = 150", "n = 220", "n = 235"].iter().all(|size| heads.contains(size)), "{}", ran.out);
    let row = ran.out.lines().find(|line| line.contains("volume between L1 and L2 per call")).expect(&ran.out);
    // Kilobytes of a call: 64 bytes a line, a hundred calls.
    assert!(["0.0064", "1.152", "3.52", "7.68"].iter().all(|volume| row.contains(volume)), "{row}");
}

/// A recorded second of one call.
fn recorded(processor: &str, counts: &str) -> String {
    format!("processor = \"{processor}\"\n[[reading]]\ncalls = 1\nseconds = 1\n[reading.counts]\n{counts}")
}

#[test]
fn top_down_shares_come_out_of_recorded_streams_of_both_vendors() {
    let streams = [
        (
            "icelake",
            "SLOTS = 5e9\nRETIRING = 2e9\nBAD_SPECULATION = 5e8\nFRONTEND_BOUND = 1e9\nBACKEND_BOUND = 1.5e9\n",
        ),
        (
            "zen4",
            "CYCLES = 1e9\nNO_OPS_FROM_FRONTEND = 1.2e9\nBACKEND_STALLS = 1.8e9\nOTHER_THREAD = 0\n\
             OPS_DISPATCHED = 3e9\nOPS_RETIRED = 2.4e9\n",
        ),
    ];
    for (processor, counts) in streams {
        let place = examples();
        place.write("stream.toml", recorded(processor, counts));
        let ran = kernel(&place, &format!("counters {STENCIL} --n 50 --group TOPDOWN --recorded stream.toml"));
        assert_eq!(ran.code, 0, "{processor}: {}", ran.err);
        let counters = &run(&place).records[0].counters[0];
        let shares =
            ["retiring", "bad_speculation", "frontend_bound", "backend_bound"].map(|name| value(counters, name));
        for (share, expected) in shares.iter().zip([0.4, 0.1, 0.2, 0.3]) {
            assert!((share - expected).abs() < 1e-9, "{processor}: {shares:?}");
        }
        assert!(ran.out.contains("TOPDOWN, recorded"), "{}", ran.out);
    }
}

#[test]
fn raw_events_of_a_users_file_are_read_from_a_recorded_stream() {
    let place = examples();
    place.write(
        "hitm.toml",
        "title = \"Lines in another core\"\n[events]\nHITM = \"cpu/event=0xd2,umask=0x4/\"\nINSTRUCTIONS = \"r0c0\"\n\
         [[metric]]\nname = \"hitm_rate\"\nformula = \"HITM / INSTRUCTIONS\"\n",
    );
    place.write("stream.toml", recorded("skylake", "HITM = 3e3\nINSTRUCTIONS = 1e6\n"));
    let ran = kernel(&place, &format!("counters {STENCIL} --n 50 --group hitm.toml --recorded stream.toml"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(value(&run(&place).records[0].counters[0], "hitm_rate"), 3e-3);
}
