//! Shared objects as compilers make them, and files that are none.

use std::path::{Path, PathBuf};
use std::process::Command;

use paw_binary::SharedObject;

const SUM: &str = "double sum(unsigned long n, const double *a) {
    double s = 0;
    for (unsigned long i = 0; i < n; i++) s += a[i] * 3.5;
    return s;
}
static int hidden(int x) { return x * 7; }
int seven(int x) { return hidden(x); }
";

const COMPILERS: [&str; 2] = ["gcc", "clang-19"];

/// A folder of its own, with sources and what is built from them.
struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory for files that are thrown away"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Compiles `source` with `flags` into `name`, below this folder.
    fn compile(&self, compiler: &str, source: &str, flags: &str, name: &str) -> PathBuf {
        let out = self.path(name);
        std::fs::create_dir_all(out.parent().expect("it has a folder")).expect("the folder is made");
        let file = self.path("source.c");
        std::fs::write(&file, source).expect("the source is written");
        let words = flags.split_whitespace();
        let mut command = Command::new(compiler);
        command.args(["-shared", "-fPIC"]).args(words).arg(&file).arg("-o").arg(&out);
        let done = command.output().unwrap_or_else(|why| panic!("{compiler} is needed here: {why}"));
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        out
    }

    fn read(&self, compiler: &str, source: &str, flags: &str, name: &str) -> SharedObject {
        read(&self.compile(compiler, source, flags, name))
    }
}

fn read(path: &Path) -> SharedObject {
    SharedObject::read(path).unwrap_or_else(|why| panic!("{why}"))
}

fn refusal(path: &Path) -> String {
    SharedObject::read(path).expect_err("it is no shared object").to_string()
}

#[test]
fn the_same_source_and_flags_give_the_same_fingerprint_under_any_name() {
    ::workplace::needs!(CLANG);
    for compiler in COMPILERS {
        let bench = Bench::new();
        let one = bench.read(compiler, SUM, "-O2", "one.so");
        let other = bench.read(compiler, SUM, "-O2", "far/away/another-name.so");
        assert_eq!(one.fingerprint(), other.fingerprint(), "{compiler}");
        assert_eq!(one.fingerprint().len(), 64);
    }
}

#[test]
fn debug_information_comments_and_build_identifiers_do_not_change_the_fingerprint() {
    ::workplace::needs!(CLANG);
    for compiler in COMPILERS {
        let bench = Bench::new();
        let plain = bench.read(compiler, SUM, "-O2", "plain.so");
        for flags in ["-O2 -g", "-O2 -Wl,--build-id=0xfeed", "-O2 -fno-ident", "-O2 -s"] {
            let other = bench.read(compiler, SUM, flags, "other.so");
            assert_eq!(plain.fingerprint(), other.fingerprint(), "{compiler} {flags}");
        }
    }
}

#[test]
fn other_optimisation_is_other_code() {
    ::workplace::needs!(CLANG);
    let bench = Bench::new();
    let [slow, fast] = ["-O2", "-O3 -funroll-loops"].map(|flags| bench.read("gcc", SUM, flags, "out.so"));
    assert_ne!(slow.fingerprint(), fast.fingerprint());
    let [none, some] = ["-O0", "-O2"].map(|flags| bench.read("clang-19", SUM, flags, "out.so"));
    assert_ne!(none.fingerprint(), some.fingerprint());
}

#[test]
fn gcc_vectorises_a_loop_at_o3_that_it_leaves_at_o2() {
    let bench = Bench::new();
    let source =
        "void scale(unsigned long n, double *a) { for (unsigned long i = 0; i < n; i++) a[i] = a[i] / (1 + a[i]); }";
    let [o2, o3] = ["-O2", "-O3"].map(|flags| bench.read("gcc", source, flags, "out.so"));
    assert_ne!(o2.fingerprint(), o3.fingerprint());
}

#[test]
fn a_changed_constant_is_other_code() {
    ::workplace::needs!(CLANG);
    for compiler in COMPILERS {
        let bench = Bench::new();
        let table =
            |last| format!("static const double t[4] = {{1, 2, 3, {last}}}; double at(int i) {{ return t[i & 3]; }}");
        let [four, five] = ["4", "5"].map(|last| bench.read(compiler, &table(last), "-O2", "out.so"));
        assert_ne!(four.fingerprint(), five.fingerprint(), "{compiler}");
    }
}

#[test]
fn the_same_calls_of_other_functions_are_other_code() {
    ::workplace::needs!(CLANG);
    for compiler in COMPILERS {
        let bench = Bench::new();
        let calls = |a, b| format!("void {a}(void); void {b}(void); void both(void) {{ {a}(); {b}(); {a}(); }}");
        let one = bench.read(compiler, &calls("left", "right"), "-O1", "out.so");
        let other = bench.read(compiler, &calls("right", "left"), "-O1", "out.so");
        assert_eq!(one.imports(), other.imports());
        assert_ne!(one.fingerprint(), other.fingerprint(), "{compiler}");
    }
}

#[test]
fn what_it_defines_needs_and_imports_is_reported() {
    ::workplace::needs!(CLANG);
    for compiler in COMPILERS {
        let bench = Bench::new();
        let source = format!(
            "#include <math.h>\n{SUM}\nint shown = 3;\n__attribute__((visibility(\"hidden\"))) int inner(void) {{ return 1; }}\n\
             double wave(double x) {{ return sin(x); }}"
        );
        let library = bench.read(compiler, &source, "-O2 -Wl,--no-as-needed -lm", "out.so");
        assert_eq!(library.functions(), ["seven", "sum", "wave"], "{compiler}");
        assert!(library.defines("sum") && !library.defines("inner") && !library.defines("hidden"));
        assert_eq!(library.libraries()[0], "libm.so.6");
        assert!(library.imports().iter().any(|name| name == "sin"), "{:?}", library.imports());
    }
}

#[test]
fn a_needed_library_more_is_another_fingerprint() {
    let bench = Bench::new();
    let alone = bench.read("gcc", SUM, "-O2", "out.so");
    let with = bench.read("gcc", SUM, "-O2 -Wl,--no-as-needed -lm", "out.so");
    assert_ne!(alone.fingerprint(), with.fingerprint());
}

/// What gcc links for fast mathematics differs from version to version; here it is stated by its own names and instructions.
#[test]
fn start_up_code_that_flushes_to_zero_is_found_by_its_name_and_without_it() {
    let start = "__attribute__((constructor)) static void set_fast_math(void) {
        unsigned state;
        __asm__ volatile (\"stmxcsr %0\\n orl $0x8040, %0\\n ldmxcsr %0\" : \"=m\"(state));
    }\n";
    let bench = Bench::new();
    let source = format!("{start}{SUM}");
    let named = bench.read("gcc", &source, "-O2", "named.so");
    assert!(named.has_fast_math());
    assert!(!bench.read("gcc", SUM, "-O2", "plain.so").has_fast_math());
    assert_ne!(named.fingerprint(), bench.read("gcc", SUM, "-O2", "plain.so").fingerprint());
    if cfg!(target_arch = "x86_64") {
        assert!(bench.read("gcc", &source, "-O2 -s", "stripped.so").has_fast_math());
        let reads = source.replace("orl $0x8040, %0\\n ldmxcsr %0", "");
        let reads = reads.replace("set_fast_math", "look");
        assert!(!bench.read("gcc", &reads, "-O2 -s", "reads.so").has_fast_math());
    }
}

#[test]
fn what_is_no_shared_object_is_one_sentence() {
    let bench = Bench::new();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(bench.path(name), bytes).expect("the file is written");
        refusal(&bench.path(name))
    };
    assert!(
        write("notes.txt", b"Remember the milk.")
            .ends_with("notes.txt: is something else, not an ELF shared object; build it with -shared")
    );
    assert!(write("empty", b"").contains("is something else"));
    assert!(refusal(&bench.path("nowhere")).contains("cannot be read: No such file"));
    let object = bench.compile("gcc", SUM, "-O2", "whole.so");
    let whole = std::fs::read(&object).expect("it was built");
    for kept in [20, 64, 1000, whole.len() / 2, whole.len() - 10] {
        let why = write("part.so", &whole[..kept]);
        assert!(why.contains("cut short or damaged") || kept < 64, "{kept} bytes: {why}");
    }
    let done = Command::new("gcc").args(["-c", "-o"]).arg(bench.path("part.o")).arg(bench.path("source.c")).status();
    assert!(done.expect("gcc is here").success());
    assert!(refusal(&bench.path("part.o")).contains("an object file that was not linked"));
}
