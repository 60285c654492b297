//! Every language, with real compilers.

use paw_kernels::builds::compiler::Compiler;
use paw_kernels::builds::identical::{Identical, merge};
use paw_kernels::spec::Language;

use crate::site::{SOURCES, Site, made, real, variant};

const COMPILERS: &[(Language, &str)] = &[
    (Language::C, "gcc"),
    (Language::C, "clang-19"),
    (Language::Cpp, "g++"),
    (Language::Fortran, "gfortran"),
    (Language::Rust, "rustc"),
];

fn each(check: impl Fn(&Site, Compiler, (Language, &str, &str))) {
    for (language, name) in COMPILERS {
        let source = SOURCES.iter().find(|source| source.0 == *language).expect("a source for every language");
        check(&Site::new(), real(*language, name), *source);
    }
}

#[test]
fn variants_are_chosen_by_macros_in_every_language() {
    ::workplace::needs!(CLANG, GXX, GFORTRAN);
    each(|site, compiler, (language, file, source)| {
        // Fortran compilers read macros in a file with a lower-case ending only if asked to.
        let mut spec = site.spec(language, &file.to_lowercase(), source);
        spec.variants = vec![variant("plain", &[]), variant("minus", &["MINUS"]), variant("four", &["FACTOR=4"])];
        let built = site.build(&spec, &compiler, &["-O2"]);
        let mut codes: Vec<&str> = built.iter().map(|b| made(b).code.as_str()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), 3, "{}", compiler.name);
        let names: Vec<String> = built.iter().map(|b| b.build.full_name()).collect();
        let expected = ["plain", "minus", "four"].map(|name| format!("{} -O2 [{name}]", compiler.name));
        assert_eq!(names, expected);
        // Macros that a variant does not define are no reason to complain.
        assert!(built.iter().all(|b| b.build.said.is_empty()), "{}", built[0].build.said);
    });
}

#[test]
fn the_same_flags_give_the_same_code_under_another_name() {
    ::workplace::needs!(CLANG, GXX, GFORTRAN);
    each(|site, compiler, (language, file, source)| {
        let spec = site.spec(language, file, source);
        // Words that the compiler ignores make another command line.
        let other = if language == Language::Rust { "b=-O2 -Cmetadata=paw" } else { "b=-O2 -O2" };
        let built = site.build(&spec, &compiler, &["a=-O2", other]);
        assert_ne!(built[0].library, built[1].library);
        assert_eq!(made(&built[0]).code, made(&built[1]).code, "{}", compiler.name);
        let merged = merge(built, Identical::Merge);
        assert_eq!(merged.len(), 1);
        assert_eq!(merged[0].build.same, [format!("{} b", compiler.name)]);
    });
}

#[test]
fn the_processor_of_native_is_recorded_if_it_was_asked_for() {
    ::workplace::needs!(CLANG, GXX, GFORTRAN);
    each(|site, compiler, (language, file, source)| {
        let spec = site.spec(language, file, source);
        let built = site.build(&spec, &compiler, &["-O2", "-O3 -march=native"]);
        assert_eq!(made(&built[0]).target, "");
        let target = &made(&built[1]).target;
        assert!(!target.is_empty() && !target.contains(['=', '"', ' ']), "{}: `{target}`", compiler.name);
        assert_ne!(target, "native");
        assert_eq!(built[1].build.flags, "-O3 -march=native");
    });
}

#[test]
fn debug_information_makes_no_other_build() {
    ::workplace::needs!(CLANG, GXX, GFORTRAN);
    each(|site, compiler, (language, file, source)| {
        let spec = site.spec(language, file, source);
        let merged = merge(site.build(&spec, &compiler, &["-O2", "-O2 -g"]), Identical::Merge);
        assert_eq!(merged.len(), 1, "{}", compiler.name);
    });
}

#[test]
fn rustc_takes_portable_flags_and_says_which_it_has_nothing_for() {
    let site = Site::new();
    let (language, file, source) = SOURCES[3];
    let spec = site.spec(language, file, source);
    let built = site.build(&spec, &real(language, "rustc"), &["-Os -march=x86-64-v3", "-Ofast"]);
    assert!(made(&built[0]).command.ends_with(&["-o".into(), site.path("out/000.so").display().to_string()]));
    for word in ["-Copt-level=s", "-Ctarget-cpu=x86-64-v3", "-Cpanic=abort", "--edition=2021"] {
        assert!(built[0].build.command.iter().any(|w| w == word), "{word}");
    }
    assert_eq!(built[1].library, Err("did not build: rustc has no -Ofast".into()));
}

#[test]
fn modules_of_builds_at_the_same_time_do_not_meet() {
    ::workplace::needs!(GFORTRAN);
    let site = Site::new();
    let (language, file, source) = SOURCES[2];
    let mut spec = site.spec(language, file, source);
    spec.variants = (0..4).map(|i| variant(&format!("v{i}"), &[&format!("FACTOR={i}")])).collect();
    for built in site.build(&spec, &real(language, "gfortran"), &["-O2"]) {
        made(&built);
    }
    assert!(!site.path("work.mod").exists());
    assert!(site.path("out/000.modules/work.mod").is_file());
}
