//! Kernels on a device, by PoCL, which offers the host's processor as one.

use paw_data::outcome::{CheckVerdict, Status};
use paw_data::secondary::SecondaryMetric;
use workplace::{Ran, Workplace};

use crate::place::{ended, examples, kernel, run, verdict};

/// Where Debian's PoCL registers itself, and its one device.
const POCL: &str = "env -u PAW_OPENCL_LIBRARY OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd POCL_DEVICES=pthread";

/// Few, short samples of one point.
const QUICK: &str = "--metas 4 --warmup 1 --region 1ms --quiet --out r";

/// Runs `paw kernel` with PoCL alone for a platform.
fn on_pocl(place: &Workplace, line: &str) -> Ran {
    place.run(&format!("exec {POCL} $PAW kernel {line}"))
}

/// A place with a kernel of OpenCL C `k`, of `n` floats `y`, whose body is given.
fn with(body: &str) -> Workplace {
    let place = examples();
    let source =
        format!("__kernel void k(int n, __global float *y)\n{{\n    int i = get_global_id(0);\n    {body}\n}}\n");
    let spec = "paw = \"kernel/1\"\nlanguage = \"opencl\"\nsource = \"k.cl\"\nsignature = \"void k(int n, float *y)\"\n\
        threads = \"n\"\nblock = 64\n[axes]\nn = [64, 256]\n[arrays]\ny = { type = \"f32[n]\", output = true }\n";
    std::fs::write(place.path("k.cl"), source).unwrap();
    std::fs::write(place.path("k.toml"), spec).unwrap();
    place
}

#[test]
fn a_new_kernel_for_a_device_is_measured_with_right_answers() {
    ::workplace::needs!(POCL);
    let place = examples();
    let made = kernel(&place, "new fresh --language opencl");
    assert_eq!(made.code, 0, "{}", made.err);
    assert!(made.out.contains("paw kernel measure fresh.toml"), "{}", made.out);
    let set = "--set rows=256 --set columns=16 --set block=64";
    let ran = on_pocl(&place, &format!("measure fresh.toml {set} {QUICK}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    let caches: Vec<_> = run.records.iter().map(|record| record.cell.point.text("cache")).collect();
    assert_eq!(caches, [Some("cold"), Some("warm")]);
    for record in &run.records {
        assert_eq!(record.cell.provider, "opencl0");
        assert_eq!((ended(record).0, verdict(record)), (Status::Measured, Some(CheckVerdict::Pass)), "{}", ran.out);
        let launched = record.cell.build.as_ref().unwrap().launched.as_ref().unwrap();
        assert_eq!((launched.threads, launched.blocks, launched.block), (256, 4, 64));
        assert!(launched.build_s > 0.0 && launched.first_s > 0.0);
        let clocks =
            [SecondaryMetric::Host, SecondaryMetric::Event, SecondaryMetric::TransferIn, SecondaryMetric::TransferOut];
        for metric in clocks {
            let column = record.samples.secondary(metric).unwrap_or_else(|| panic!("{metric:?}: {}", ran.out));
            assert!(column.len() >= 4 && column.iter().all(|seconds| *seconds > 0.0), "{metric:?} {column:?}");
        }
    }
    assert!(ran.out.contains("fresh_backwards") && ran.out.contains("FLOP/s"), "{}", ran.out);
}

#[test]
fn a_new_kernel_in_cuda_is_skipped_where_there_is_no_driver() {
    let place = examples();
    assert_eq!(kernel(&place, "new fresh --language cuda").code, 0);
    let nowhere = "exec env PAW_CUDA_LIBRARY=/nowhere/libcuda.so.1 $PAW kernel";
    let ran = place.run(&format!("{nowhere} measure fresh.toml {QUICK}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    assert_eq!(run.records.len(), 12, "three sizes, two blocks, cold and warm caches");
    let (status, why) = ended(&run.records[0]);
    assert!(status == Status::Skipped && why.contains("/nowhere/libcuda.so.1"), "{why}");
    let ran = place.run(&format!("{nowhere} check fresh.toml --device cuda0 --quiet --out s"));
    assert_eq!(ran.code, 4, "what was asked for by its name is required: {}{}", ran.err, ran.out);
    assert!(ran.err.contains("cuda0") && ran.err.contains("/nowhere/libcuda.so.1"), "{}", ran.err);
}

/// Runs `paw kernel` with a CUDA of the tests' own, whose kernels write nothing.
fn on_mock(place: &Workplace, line: &str) -> Ran {
    let library = std::env::current_exe().expect("a test has a path").with_file_name("libmock_cuda.so");
    let set = ["CUDA", "NVRTC", "NVML"].map(|name| format!("PAW_{name}_LIBRARY={}", library.display())).join(" ");
    place.run(&format!("exec env {set} $PAW kernel {line}"))
}

#[test]
fn a_new_kernel_in_cuda_is_compiled_launched_and_timed() {
    let place = examples();
    assert_eq!(kernel(&place, "new fresh --language cuda").code, 0);
    // Without a reference what nobody writes agrees with itself; with one it is wrong.
    let spec = std::fs::read_to_string(place.path("fresh.toml")).unwrap();
    std::fs::write(place.path("alone.toml"), spec.replace("entry = \"fresh_backwards\"", "")).unwrap();
    let set = "--set rows=256 --set columns=16 --set block=64";
    let ran = on_mock(&place, &format!("measure alone.toml {set} {QUICK}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    assert_eq!(run.records.len(), 2, "{}", ran.out);
    for record in &run.records {
        assert_eq!((record.cell.provider.as_str(), ended(record).0), ("cuda0", Status::Measured), "{}", ran.out);
        assert!(record.samples.extra.contains_key(&SecondaryMetric::Event.into()), "{}", ran.out);
    }
    let source = std::fs::read_to_string(place.path("fresh.cu")).unwrap();
    std::fs::write(place.path("fresh.cu"), format!("#error here\n{source}")).unwrap();
    let ran = on_mock(&place, "check fresh.toml --quiet --out s");
    assert_eq!(ran.code, 3, "{}{}", ran.err, ran.out);
    assert!(ran.out.contains("did not build: fresh.cu(1): error"), "{}", ran.out);
}

/// Launches and times a kernel in HIP C++, with a HIP of the tests' own.
#[test]
fn a_new_kernel_in_hip_is_compiled_launched_and_timed() {
    let place = examples();
    assert_eq!(kernel(&place, "new fresh --language hip").code, 0);
    let spec = std::fs::read_to_string(place.path("fresh.toml")).unwrap();
    std::fs::write(place.path("alone.toml"), spec.replace("entry = \"fresh_backwards\"", "")).unwrap();
    let library = std::env::current_exe().expect("a test has a path").with_file_name("libmock_hip.so");
    let set = ["HIP", "HIPRTC"].map(|name| format!("PAW_{name}_LIBRARY={}", library.display())).join(" ");
    let axes = "--set rows=256 --set columns=16 --set block=64";
    let ran = place.run(&format!("exec env {set} $PAW kernel measure alone.toml {axes} {QUICK}"));
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    for record in &run(&place).records {
        assert_eq!((record.cell.provider.as_str(), ended(record).0), ("hip0", Status::Measured), "{}", ran.out);
        assert!(record.samples.extra.contains_key(&SecondaryMetric::Event.into()), "{}", ran.out);
    }
}

#[test]
fn the_reconstruction_is_that_of_the_processor() {
    ::workplace::needs!(POCL);
    let place = examples();
    let ran = on_pocl(&place, "check kinreco-opencl.toml --set variations=2,64 --quiet --out r");
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    assert_eq!(run.records.len(), 2);
    for record in &run.records {
        let check = record.outcome.as_ref().unwrap().check.as_ref().unwrap();
        let accuracy = check.accuracy.as_ref().unwrap();
        let variations = record.cell.point.int("variations").unwrap();
        assert_eq!((check.verdict, accuracy.elements), (CheckVerdict::Pass, 12 * variations as u64), "{}", check.note);
        let answers = place.path(&format!("r/answers/variations={variations},combinations=12.bin"));
        let scores = paw_kernels::answers::read(&answers).unwrap().remove(0);
        let scores: Vec<f64> =
            scores.bytes.chunks_exact(8).map(|x| f64::from_ne_bytes(x.try_into().unwrap())).collect();
        let best = scores.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap();
        let second = scores.iter().filter(|score| *score < best.1).fold(f64::MIN, |a, b| a.max(*b));
        assert_eq!(best.0 % 12, 5, "the jets as they were made: {scores:?}");
        assert!(second < best.1 - 1e-6 * best.1.abs(), "what is equal to a billionth has the same best solution");
    }
}

#[test]
fn a_program_that_does_not_compile_is_reported_with_its_line() {
    ::workplace::needs!(POCL);
    let place = with("y[i] = undeclared;");
    let ran = on_pocl(&place, &format!("measure k.toml {QUICK}"));
    assert_eq!(ran.code, 3, "{}{}", ran.err, ran.out);
    let run = run(&place);
    let (status, why) = ended(&run.records[0]);
    assert!(status == Status::Failed && why.starts_with("did not build: "), "{why}");
    assert!(why.contains("k.cl:4:") && why.contains("undeclared"), "{why}");
    let log = std::fs::read_to_string(place.path("r/builds/k.log")).unwrap();
    assert!(log.contains("undeclared"), "{log}");
}

#[test]
fn a_kernel_that_is_not_in_the_source_is_named() {
    ::workplace::needs!(POCL);
    let place = with("y[i] = i;");
    let spec = std::fs::read_to_string(place.path("k.toml")).unwrap();
    std::fs::write(place.path("k.toml"), spec.replace("threads =", "entry = \"other\"\nthreads =")).unwrap();
    let ran = on_pocl(&place, &format!("check k.toml {QUICK}"));
    assert_eq!(ran.code, 3, "{}{}", ran.err, ran.out);
    assert!(ran.out.contains("k.cl has no kernel `other`"), "{}", ran.out);
}

#[test]
fn what_is_written_beside_an_array_is_seen() {
    ::workplace::needs!(POCL);
    let place = with("y[i] = i; if (i == 0) y[n] = 1.0f;");
    let ran = on_pocl(&place, &format!("check k.toml {QUICK}"));
    assert_eq!(ran.code, 3, "{}{}", ran.err, ran.out);
    let run = run(&place);
    let why = ended(&run.records[0]).1;
    assert!(
        why.contains("`y` was written beyond its end, first at `y[64]` of 64") && why.contains("Oclgrind"),
        "{why}"
    );
}

#[test]
fn a_crash_costs_its_row_and_says_what_finds_it() {
    ::workplace::needs!(POCL);
    let place = with("y[(long)i + (n == 64 ? (1L << 44) : 0)] = i;");
    let ran = on_pocl(&place, &format!("measure k.toml --cache warm {QUICK}"));
    assert_eq!(ran.code, 3, "{}{}", ran.err, ran.out);
    let run = run(&place);
    let ends: Vec<_> = run.records.iter().map(ended).collect();
    assert_eq!(ends.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [Status::Failed, Status::Measured]);
    assert!(ends[0].1.contains("SIGSEGV") && ends[0].1.contains("Oclgrind"), "{}", ends[0].1);
}

#[test]
fn a_wrong_answer_is_a_finding() {
    ::workplace::needs!(POCL);
    let place = with("if (i < n) y[i] = i;");
    let spec = std::fs::read_to_string(place.path("k.toml")).unwrap();
    std::fs::write(place.path("k.toml"), spec.replace("[64, 256]", "2") + "[reference]\nfile = \"y.txt\"\n").unwrap();
    std::fs::write(place.path("y.txt"), "0 2\n").unwrap();
    let ran = on_pocl(&place, "check k.toml --quiet --out r");
    assert_eq!(ran.code, 1, "{}{}", ran.err, ran.out);
    assert!(ran.out.contains("`y[1]` is 1.0, not 2.0"), "{}", ran.out);
}

#[test]
fn a_kernel_that_never_ends_is_ended() {
    ::workplace::needs!(POCL);
    let place = with("while (n > 0) y[i] += 1.0f;");
    let spec = std::fs::read_to_string(place.path("k.toml")).unwrap();
    std::fs::write(place.path("k.toml"), spec.replace("[64, 256]", "64")).unwrap();
    let ran = on_pocl(&place, "check k.toml --timeout 8s --quiet --out r");
    assert_eq!(ran.code, 3, "{}{}", ran.err, ran.out);
    assert!(ended(&run(&place).records[0]).1.contains("8 s"), "{}", ran.out);
}

#[test]
fn what_a_device_is_not_asked_is_refused() {
    ::workplace::needs!(POCL);
    let place = with("y[i] = i;");
    for (line, said) in [
        ("measure k.toml --device opencl7", "there is no device opencl7; here: opencl0"),
        ("measure k.toml --device cuda0", "`cuda0` is no device that OpenCL kernels run on"),
        ("measure k.toml --n 88", "--n belongs to kernels for a processor, and k runs on a device"),
        ("measure k.toml --raw", "--raw belongs to kernels for a processor"),
        ("measure k.toml --set m=88", "there is no axis `m`; there are n, block"),
        ("measure k.toml --method kbst", "`kbst` is no method\nhint: did you mean `kbest`?"),
        ("matrix k.toml", "this kernel runs on a device"),
        ("measure dot.toml --device opencl0", "--device belongs to kernels in CUDA and OpenCL"),
    ] {
        let ran = on_pocl(&place, line);
        assert_eq!(ran.code, 2, "{line}: {}{}", ran.err, ran.out);
        assert!(ran.err.contains(said), "{line}: {}", ran.err);
    }
}

#[test]
fn a_dry_run_tells_every_launch() {
    let place = examples();
    let ran = kernel(&place, "measure kinreco-cuda.toml --dry-run");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("variations=512 combinations=12  64     6144     96"), "{}", ran.out);
    assert!(ran.out.contains("9 cells by kbest") && ran.out.contains("nothing was compiled"), "{}", ran.out);
}
