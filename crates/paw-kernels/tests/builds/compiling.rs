//! Command lines of C compilers, and what is kept of their output.

use paw_kernels::builds::compile::compile;
use paw_kernels::builds::identical::{Identical, merge};
use paw_kernels::builds::jobs;
use paw_kernels::spec::{Language, Variant};

use crate::site::{SOURCES, Site, made, real, variant};

#[test]
fn jobs_are_compilers_by_flags_by_variants_in_that_order() {
    ::workplace::needs!(CLANG);
    let site = Site::new();
    let mut spec = site.spec(Language::C, "kernel.c", SOURCES[0].2);
    spec.variants = vec![variant("a", &[]), variant("b", &["MINUS"])];
    spec.flags = vec!["-O1".into(), "two=-O2".into()];
    let compilers = ["gcc", "clang-19"].map(|name| real(Language::C, name));
    let names = |typed: &[String]| -> Vec<String> {
        let jobs = jobs(&spec, &compilers, typed).expect("the flags are understood");
        let name = |job: &paw_kernels::builds::BuildJob| {
            let variant = job.variant.as_ref().map(|v| v.name.clone()).unwrap_or_default();
            format!("{} {}{} {variant}", job.compiler.name, job.flags.label, job.flags.flags)
        };
        jobs.iter().map(name).collect()
    };
    assert_eq!(
        names(&[]),
        [
            "gcc -O1 a",
            "gcc -O1 b",
            "gcc two-O2 a",
            "gcc two-O2 b",
            "clang-19 -O1 a",
            "clang-19 -O1 b",
            "clang-19 two-O2 a",
            "clang-19 two-O2 b",
        ]
    );
    assert_eq!(names(&["-Os".into()]).len(), 4);
    assert!(jobs(&spec, &compilers, &["-D'".into()]).is_err());
}

/// GCC would call a function of the same file that another library might replace.
#[test]
fn calls_within_a_file_are_inlined_as_in_a_program() {
    let site = Site::new();
    let source = "double twice(double x) { return x * 2; }\n\
         void kernel(unsigned long n, double *a) { for (unsigned long i = 0; i < n; i++) a[i] = twice(a[i]); }\n";
    let spec = site.spec(Language::C, "kernel.c", source);
    let built = site.build(&spec, &real(Language::C, "gcc"), &["-O3", "-O3 -fsemantic-interposition"]);
    assert!(made(&built[0]).command.iter().any(|word| word == "-fno-semantic-interposition"));
    assert_ne!(made(&built[0]).code, made(&built[1]).code);
}

#[test]
fn a_flag_that_clang_ignores_makes_no_other_build() {
    ::workplace::needs!(CLANG);
    let site = Site::new();
    let spec = site.spec(Language::C, "kernel.c", SOURCES[0].2);
    let built = site.build(&spec, &real(Language::C, "clang-19"), &["-O3", "-O3 -funroll-all-loops"]);
    assert!(built[1].build.said.contains("-funroll-all-loops"), "{}", built[1].build.said);
    let merged = merge(built, Identical::Merge);
    assert_eq!(merged.len(), 1);
    assert_eq!(merged[0].build.same, ["clang-19 -O3 -funroll-all-loops"]);
}

#[test]
fn a_warning_is_kept_and_is_no_error() {
    ::workplace::needs!(CLANG);
    let site = Site::new();
    let spec = site.spec(Language::C, "kernel.c", SOURCES[0].2);
    let built = site.build(&spec, &real(Language::C, "clang-19"), &["-Ofast"]);
    assert!(made(&built[0]).said.contains("deprecated"), "{}", built[0].build.said);
}

#[test]
fn relative_flags_are_relative_to_the_spec() {
    let site = Site::new();
    site.write("headers/factor.h", "#define FACTOR 7\n");
    let mut spec = site.spec(Language::C, "kernel.c", &format!("#include \"factor.h\"\n{}", SOURCES[0].2));
    spec.always = vec!["-Iheaders".into(), "-lm".into()];
    let built = site.build(&spec, &real(Language::C, "gcc"), &["-O2"]);
    let command = &made(&built[0]).command;
    let at = |word: &str| command.iter().position(|w| w == word).unwrap_or_else(|| panic!("{word}: {command:?}"));
    let source = spec.sources[0].display().to_string();
    assert!(at("-Iheaders") < at(&source) && at(&source) < at("-lm"));
}

#[test]
fn the_mathematical_library_is_always_there() {
    ::workplace::needs!(CLANG);
    let site = Site::new();
    let source = "#include <math.h>\nvoid kernel(unsigned long n, double *a) { for (unsigned long i = 0; i < n; i++) a[i] = exp(a[i]); }\n";
    let spec = site.spec(Language::C, "kernel.c", source);
    for name in ["gcc", "clang-19"] {
        let built = site.build(&spec, &real(Language::C, name), &["-O2"]);
        made(&built[0]);
        let library = built[0].library.as_ref().expect("it was built");
        let object = paw_binary::SharedObject::read(library).expect("it is a shared object");
        assert!(object.libraries().iter().any(|l| l.starts_with("libm.so")), "{name}: {:?}", object.libraries());
    }
}

#[test]
fn variants_that_differ_in_the_function_alone_share_a_library() {
    let site = Site::new();
    let source = "void kernel(unsigned long n, double *a) { a[n - 1] = 0; }\nvoid other(unsigned long n, double *a) { a[0] = n; }\n";
    let mut spec = site.spec(Language::C, "kernel.c", source);
    let other = Variant { function: Some("other".into()), ..variant("other", &[]) };
    let typo = Variant { function: Some("othr".into()), ..variant("typo", &[]) };
    spec.variants = vec![variant("first", &[]), other, typo];
    let mut heard = Vec::new();
    let jobs = jobs(&spec, &[real(Language::C, "gcc")], &["-O1".into(), "-O2".into()]).expect("they are understood");
    let built = compile(&jobs, &spec, &site.path("out"), 1, &mut |done| heard.push(done));
    assert_eq!(heard, [3, 6]);
    assert_eq!(built[0].library, built[1].library);
    assert_eq!((built[0].function.as_str(), built[1].function.as_str()), ("kernel", "other"));
    let why = "did not build: the library defines no function `othr`; it defines kernel, other";
    assert_eq!(built[2].library, Err(why.into()));
    let functions = merge(built, Identical::Merge);
    assert!(["kernel", "other"].iter().all(|name| functions.iter().any(|b| b.function == *name && b.library.is_ok())));
}

#[test]
fn command_line_and_talk_are_in_the_log() {
    ::workplace::needs!(CLANG);
    let site = Site::new();
    let spec = site.spec(Language::C, "kernel.c", SOURCES[0].2);
    let built = site.build(&spec, &real(Language::C, "clang-19"), &["-O3 -funroll-all-loops"]);
    let log = std::fs::read_to_string(site.path("out/000.log")).expect("there is a log");
    assert!(log.starts_with(&made(&built[0]).command[0]) && log.contains("-fPIC"));
    assert!(log.contains("warning"));
}
