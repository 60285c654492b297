//! Loops of small kernels, by properties that hold whatever a compiler makes of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use paw_binary::Image;
use paw_binary::analysis::{Context, analyse};
use paw_data::code::{FunctionCode, LoopBody};

const SOURCE: &str = "double exp(double);
void triad(long n, double *restrict a, const double *restrict b, const double *restrict c) {
    for (long i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];
}
double dot(long n, const double *a, const double *b) {
    double s = 0; for (long i = 0; i < n; i++) s += a[i] * b[i]; return s;
}
double column(long n, const double *a) { double s = 0; for (long i = 0; i < n; i++) s += a[i * 30]; return s; }
double columns(long n, long ld, const double *a) { double s = 0; for (long i = 0; i < n; i++) s += a[i * ld]; return s; }
double gather(long n, const double *a, const int *at) { double s = 0; for (long i = 0; i < n; i++) s += a[at[i]]; return s; }
double clamp(long n, const double *a) {
    double s = 0;
    for (long i = 0; i < n; i++) { double x = a[i]; if (x < 0) s += 0.5; else if (x > 1) s += x * 0.25; else s += x; }
    return s;
}
double exponentials(long n, const double *a) { double s = 0; for (long i = 0; i < n; i++) s += exp(a[i]); return s; }
int chosen(int n, const int *op) {
    int s = 0;
    for (int i = 0; i < n; i++) switch (op[i]) {
        case 0: s += 3; break; case 1: s *= 5; break; case 2: s ^= i; break; case 3: s -= 7; break;
        case 4: s = s << 2; break; case 5: s = s / 3; break; case 6: s = -s; break; default: s++; }
    return s;
}
";

/// A folder with the library that `compiler` made with `flags`.
fn library(compiler: &str, flags: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a directory for files that are thrown away");
    let (source, out) = (folder.path().join("k.c"), folder.path().join("k.so"));
    std::fs::write(&source, SOURCE).unwrap();
    let mut command = Command::new(compiler);
    command.args(flags.split_whitespace()).args(["-g", "-shared", "-fPIC", "-o"]).arg(&out).arg(&source).arg("-lm");
    let done = command.output().unwrap_or_else(|why| panic!("{compiler} is needed here: {why}"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    (folder, out)
}

fn function(library: &Path, name: &str) -> FunctionCode {
    let image = Image::open(library).unwrap();
    let sections = image.debug_sections().ok();
    let lines = sections.as_ref().and_then(|sections| sections.lines());
    let context = Context { image: &image, lines: lines.as_ref() };
    analyse(&context, &image.functions_named(name)).functions.remove(0)
}

fn bodies(function: &FunctionCode) -> Vec<&LoopBody> {
    function.loops.iter().filter_map(|found| found.body.as_ref()).collect()
}

/// Every loop of every function, with both compilers at four sets of flags.
fn each(name: &str, mut check: impl FnMut(&FunctionCode, &str)) {
    ::workplace::needs!(CLANG);
    for compiler in ["gcc", "clang-19"] {
        for flags in ["-O0", "-O2", "-O3", "-Ofast -march=native"] {
            let (_folder, library) = library(compiler, flags);
            let found = function(&library, name);
            assert!(!found.loops.is_empty(), "{name} {compiler} {flags}: no loop");
            check(&found, &format!("{name} {compiler} {flags}"));
        }
    }
}

fn far(body: &LoopBody) -> Vec<&str> {
    body.accesses.iter().filter(|a| !a.stack && a.stride != "0").map(|a| a.stride.as_str()).collect()
}

#[test]
fn a_triad_has_one_path_unit_strides_and_a_twelfth_flop_a_byte() {
    each("triad", |found, which| {
        for body in bodies(found) {
            assert_eq!(body.paths, Some(1), "{which}");
            assert!(far(body).iter().all(|stride| *stride == "1"), "{which}: {:?}", body.accesses);
            let exact = 2 * (body.load_bytes + body.store_bytes) == 24 * body.flop;
            assert!(exact || which.contains("-O0"), "{which}: {} flop", body.flop);
        }
    });
}

#[test]
fn a_sum_is_a_chain_of_floating_point_instructions() {
    each("dot", |found, which| {
        for body in bodies(found) {
            let float = body.recurrences.iter().find(|chain| chain.kind == "float");
            assert!(float.is_some(), "{which}: {:?}", body.recurrences);
            assert_eq!(float.unwrap().through_memory, which.ends_with("-O0"), "{which}");
        }
    });
}

#[test]
fn a_column_has_its_stride_where_it_is_loaded_by_element() {
    each("column", |found, which| {
        for body in bodies(found) {
            let strided: Vec<_> =
                body.accesses.iter().filter(|a| !a.stack && a.bytes == 8 && a.stride == "n").collect();
            let is_gathered = body.accesses.iter().any(|a| a.bytes > 8 && !a.stack);
            assert!(is_gathered || strided.iter().any(|a| a.stride_bytes == Some(240)), "{which}: {:?}", body.accesses);
        }
    });
}

#[test]
fn a_stride_known_at_run_time_is_no_unknown_one() {
    each("columns", |found, which| {
        let all: Vec<&str> = bodies(found).into_iter().flat_map(far).collect();
        assert!(all.contains(&"n"), "{which}: {all:?}");
        assert!(!all.contains(&"indirect"), "{which}: {all:?}");
    });
}

#[test]
fn a_gather_is_indirect_beside_unit_indices() {
    each("gather", |found, which| {
        let all: Vec<&str> = bodies(found).into_iter().flat_map(far).collect();
        assert!(all.contains(&"1"), "{which}: {all:?}");
        // Lanes of an index vector that go over the stack are not followed.
        assert!(all.contains(&"indirect") || all.contains(&"unknown"), "{which}: {all:?}");
    });
}

#[test]
fn branches_are_paths_until_they_become_masks() {
    each("clamp", |found, which| {
        let most = bodies(found).into_iter().filter_map(|body| body.paths).max();
        let fewest = if which.contains("-O0") || which.contains("gcc -O2") { 3 } else { 1 };
        assert!(most >= Some(fewest), "{which}: {most:?}");
    });
}

#[test]
fn calls_of_a_loop_are_named_and_end_its_bound() {
    each("exponentials", |found, which| {
        let calls: Vec<&str> = found.calls.iter().map(|call| call.words.as_str()).collect();
        assert!(calls.iter().all(|call| call.contains("exp")) && !calls.is_empty(), "{which}: {calls:?}");
        assert!(found.loops.iter().any(|found| !found.calls.is_empty()), "{which}");
    });
}

#[test]
fn a_jump_table_keeps_its_loop() {
    for compiler in ["gcc", "clang-19"] {
        ::workplace::needs!(CLANG);
        for flags in ["-O0", "-O1"] {
            let (_folder, library) = library(compiler, flags);
            let found = function(&library, "chosen");
            assert!(found.unknown.is_empty(), "{compiler} {flags}: {:?}", found.unknown);
            assert_eq!(bodies(&found)[0].paths, Some(8), "{compiler} {flags}");
        }
    }
}
