//! Loops of small kernels, by properties that hold whatever a compiler makes of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use paw_binary::analysis::{Context, analyse};
use paw_binary::{FunctionWork, Image, inner_loops, loop_work};
use paw_data::code::difference::differences;
use paw_data::code::{Code, FunctionCode, LoopBody, LoopCode, Role};

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
void total(long n, const double *a, double *s) { for (long i = 0; i < n; i++) *s += a[i]; }
long first(long n, const double *a) { long i = 0; while (i < n && a[i] * 2 < 1) i++; return i; }
long sum(long n, const int *a) { long s = 0; for (long i = 0; i < n; i++) s += a[i]; return s; }
void copies(long n, char *to, const char *from, long bytes) {
    for (long i = 0; i < n; i++) {
        long left = bytes;
        __asm__ volatile(\"rep movsb\" : \"+D\"(to), \"+S\"(from), \"+c\"(left) : : \"memory\");
    }
}
int chosen(int n, const int *op) {
    int s = 0;
    for (int i = 0; i < n; i++) switch (op[i]) {
        case 0: s += 3; break; case 1: s *= 5; break; case 2: s ^= i; break; case 3: s -= 7; break;
        case 4: s = s << 2; break; case 5: s = s / 3; break; case 6: s = -s; break; default: s++; }
    return s;
}
";

/// The library that `compiler` made with `flags`; each is made once, and kept in the folder of the tests' files.
fn library(compiler: &str, flags: &str) -> PathBuf {
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let made = home.join(format!("loops-{compiler}{}.so", flags.replace(' ', "")));
    static ALONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut known = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if known.contains(&made) {
        return made;
    }
    let folder = tempfile::tempdir_in(&home).expect("a directory for files that are thrown away");
    let (source, out) = (folder.path().join("k.c"), folder.path().join("k.so"));
    std::fs::write(&source, SOURCE).unwrap();
    let mut command = Command::new(compiler);
    command.args(flags.split_whitespace()).args(["-g", "-shared", "-fPIC", "-o"]).arg(&out).arg(&source).arg("-lm");
    let done = command.output().unwrap_or_else(|why| panic!("{compiler} is needed here: {why}"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    // Another process that makes the same file at this time loses nothing.
    std::fs::rename(&out, &made).unwrap();
    known.insert(made.clone());
    made
}

fn function(library: &Path, name: &str) -> FunctionCode {
    analysed(library, name).functions.remove(0)
}

fn analysed(library: &Path, name: &str) -> Code {
    let image = Image::open(library).unwrap();
    let sections = image.debug_sections().ok();
    let lines = sections.as_ref().and_then(|sections| sections.lines());
    let context = Context { image: &image, lines: lines.as_ref() };
    analyse(&context, &image.functions_named(name))
}

fn bodies(function: &FunctionCode) -> Vec<&LoopBody> {
    function.loops.iter().filter_map(|found| found.body.as_ref()).collect()
}

/// Every loop of every function, with both compilers at four sets of flags.
fn each(name: &str, mut check: impl FnMut(&FunctionCode, &str)) {
    ::workplace::needs!(CLANG);
    for compiler in ["gcc", "clang-19"] {
        for flags in ["-O0", "-O2", "-O3", "-Ofast -march=native"] {
            let library = library(compiler, flags);
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
fn a_sum_in_memory_stays_at_its_address_and_is_a_chain() {
    each("total", |found, which| {
        let kept =
            |body: &&LoopBody| body.accesses.iter().any(|a| !a.stack && a.stride == "0" && a.direction == "store");
        for body in bodies(found).into_iter().filter(kept) {
            let float = body.recurrences.iter().find(|chain| chain.kind == "float");
            assert!(float.is_some(), "{which}: {:?}", body.recurrences);
            assert!(far(body).contains(&"1"), "{which}: {:?}", body.accesses);
        }
        // Elsewhere the sum is in a register while the loop runs.
        assert!(bodies(found).iter().any(kept) || which.contains("-O3") || which.contains("fast"), "{which}");
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
fn every_copy_of_an_unrolled_loop_multiplies_its_paths() {
    ::workplace::needs!(CLANG);
    for (flags, copies) in [("-O1", 1), ("-O2 -mllvm -unroll-count=8", 8)] {
        let found = function(&library("clang-19", flags), "clamp");
        let main = bodies(&found).into_iter().max_by_key(|body| body.paths).expect("a loop");
        assert_eq!(main.elements, Some(copies), "{flags}: {:?}", main.accesses);
        assert_eq!(main.paths, Some(3_u64.pow(copies as u32)), "{flags}");
    }
}

#[test]
fn vectors_of_whole_numbers_have_no_known_number_of_elements_and_their_loop_is_the_main_one() {
    ::workplace::needs!(CLANG);
    for (compiler, flags) in [("gcc", "-O3 -march=x86-64-v3"), ("clang-19", "-O2 -march=x86-64-v3")] {
        let found = function(&library(compiler, flags), "sum");
        let wide = bodies(&found).into_iter().find(|body| body.vector_bytes.is_some()).expect("a loop of vectors");
        assert_eq!((wide.elements, wide.unroll), (None, None), "{compiler}: {:?}", wide.accesses);
        assert_ne!(wide.role, Some(Role::Remainder), "{compiler}");
        let narrow = bodies(&found).into_iter().filter(|body| body.vector_bytes.is_none() && body.paths == Some(1));
        assert!(
            narrow.into_iter().all(|body| body.elements == Some(1) && body.role == Some(Role::Remainder)),
            "{compiler}"
        );
    }
}

#[test]
fn what_an_instruction_that_repeats_itself_moves_is_unknown_and_never_0_bytes() {
    let library = library("gcc", "-O2");
    let found = function(&library, "copies");
    let body = bodies(&found)[0];
    assert!(body.accesses.iter().all(|access| access.bytes > 0), "{:?}", body.accesses);
    assert!(found.unknown.iter().any(|why| why.contains("rep movsb")), "{:?}", found.unknown);
    let work = loop_work(&library, "copies").unwrap().loops;
    assert!(work[0].as_ref().unwrap_err().contains("repeats an instruction"), "{work:?}");
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
            let library = library(compiler, flags);
            let found = function(&library, "chosen");
            assert!(found.unknown.is_empty(), "{compiler} {flags}: {:?}", found.unknown);
            assert_eq!(bodies(&found)[0].paths, Some(8), "{compiler} {flags}");
        }
    }
}

/// The kernel of the report that began this: a product of exponentials down the columns, with a branch.
fn report_kernel(compiler: &str, flags: &str) -> FunctionCode {
    report_code(compiler, flags).functions.remove(0)
}

fn report_code(compiler: &str, flags: &str) -> Code {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/kernels/product.c");
    let out = folder.path().join("product.so");
    let mut command = Command::new(compiler);
    command.args(flags.split_whitespace()).args(["-fno-semantic-interposition", "-shared", "-fPIC", "-o"]).arg(&out);
    let done =
        command.arg(&source).arg("-lm").output().unwrap_or_else(|why| panic!("{compiler} is needed here: {why}"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    analysed(&out, "product")
}

fn calling<'a>(found: &'a FunctionCode, wanted: &str) -> Vec<&'a LoopBody> {
    let calls = |own: &&LoopCode| own.calls.iter().any(|call| call.words.contains(wanted));
    found.loops.iter().filter(calls).filter_map(|own| own.body.as_ref()).collect()
}

#[test]
fn the_kernel_of_the_report_calls_exp_on_two_paths_and_then_its_vector_form_on_one() {
    let plain = report_kernel("gcc", "-O2");
    let scalar = calling(&plain, "exp");
    assert!(!scalar.is_empty(), "{:?}", plain.loops);
    assert!(scalar.iter().all(|body| body.paths >= Some(2) && body.packed == Some(0.0)), "{scalar:?}");
    let fast = report_kernel("gcc", "-Ofast -march=native");
    let vectors = calling(&fast, "the vector exponential of libmvec");
    assert!(!vectors.is_empty(), "{:?}", fast.calls);
    // One that only stores what it is called for has no arithmetic of its own.
    let packed = |body: &&LoopBody| body.paths == Some(1) && body.packed.is_none_or(|share| share > 0.5);
    assert!(vectors.iter().all(packed) && vectors.iter().any(|body| body.packed == Some(1.0)), "{vectors:?}");
}

/// The function `f` of these lines in assembly language.
fn assembled(lines: &str) -> FunctionCode {
    let folder = tempfile::tempdir().unwrap();
    let (source, out) = (folder.path().join("forks.s"), folder.path().join("forks.so"));
    let text = format!(".globl f\n.type f, @function\nf:\n{lines}ret\n.size f, .-f\n.section .note.GNU-stack\n");
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new("gcc");
    let done =
        command.args(["-nostdlib", "-shared", "-o"]).arg(&out).arg(&source).output().expect("gcc is needed here");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    function(&out, "f")
}

/// A loop of `count` forks of three ways each.
fn forks(count: usize) -> FunctionCode {
    let fork = |at: usize| {
        format!("cmp ${at}, (%rsi)\njl 1f\nje 2f\nadd $1, %rax\njmp 3f\n1: add $2, %rax\njmp 3f\n2: add $3, %rax\n3:\n")
    };
    let body: String = (0..count).map(fork).collect();
    assembled(&format!("9:\n{body}dec %rdi\njne 9b\n"))
}

#[test]
fn a_frame_pointer_is_one_where_the_function_sets_it_so() {
    let body = "movsd (%rbp), %xmm1\naddsd %xmm1, %xmm0\n";
    let stacks = |lines: &str| -> Vec<bool> { bodies(&assembled(lines))[0].accesses.iter().map(|a| a.stack).collect() };
    let used = format!("push %rbp\nmov %rsi, %rbp\n9:\n{body}add $8, %rbp\ndec %rdi\njne 9b\npop %rbp\n");
    assert_eq!(stacks(&used), [false]);
    let frame = format!("push %rbp\nmov %rsp, %rbp\n9:\n{body}dec %rdi\njne 9b\npop %rbp\n");
    assert_eq!(stacks(&frame), [true]);
}

#[test]
fn paths_are_counted_and_never_listed() {
    for (count, paths) in [(1, 3), (8, 6561), (40, 3_u64.pow(40)), (400, u64::MAX)] {
        assert_eq!(bodies(&forks(count))[0].paths, Some(paths), "{count} forks");
    }
}

/// Why gcc is faster with these flags, and why clang is not: the words that stand on the page of two builds.
#[test]
fn what_changes_in_the_kernel_of_the_report_is_said_in_words() {
    ::workplace::needs!(CLANG);
    let told = |compiler: &str| {
        let [slow, fast] = ["-O2", "-Ofast -march=native"].map(|flags| report_code(compiler, flags));
        differences(&slow, &fast).join("; ")
    };
    let gcc = told("gcc");
    assert!(gcc.starts_with("calls exp → calls the vector exponential of libmvec, "), "{gcc}");
    assert!(gcc.contains("scalar → vectorised, ") && gcc.contains("2 paths → 1 path"), "{gcc}");
    let clang = told("clang-19");
    // It has vectors only where the processor can gather; elsewhere its loop calls exp as before.
    if clang.contains("-byte vectors around ") {
        for part in [
            "its vectors are taken apart for ",
            " calls of exp, one for each element",
            "a call keeps no vector register",
        ] {
            assert!(clang.contains(part), "{part}: {clang}");
        }
    }
    assert!(!clang.contains("libmvec"), "{clang}");
}

/// What the loops of `name` do in the library that gcc makes at -O2.
fn work(name: &str) -> FunctionWork {
    let library = library("gcc", "-O2 -fno-tree-vectorize");
    let found = loop_work(&library, name).unwrap();
    assert_eq!(found.loops.len(), inner_loops(&library, name).unwrap().len(), "{name}: in the order of its loops");
    found
}

#[test]
fn a_run_through_a_loop_has_its_work_only_where_every_run_does_the_same() {
    let triad = work("triad");
    let one = triad.loops[0].as_ref().unwrap();
    assert_eq!((one.flop, one.load_bytes, one.store_bytes), (2, 16, 8));
    assert!(triad.foreign.is_empty() && !triad.is_incomplete);
    for (name, why) in [("clamp", "ways through it"), ("first", "left before its end")] {
        let refused = work(name).loops[0].clone().unwrap_err();
        assert!(refused.contains(why), "{name}: {refused}");
    }
    assert_eq!(work("exponentials").foreign, ["exp"]);
    assert!(work("chosen").loops.iter().all(Result::is_err));
}
