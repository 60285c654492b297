//! Compilers looked for on a PATH.

use std::ffi::OsString;

use paw_kernels::builds::compiler::{Compiler, MissingCompiler, environment_path, find};
use paw_kernels::spec::Language;

use crate::site::Site;

const GCC: &str = "echo 'gcc (Fake) 99.1'; echo 'Copyright (C) 2030 Free Software Foundation, Inc.'";

fn clang(version: u32) -> String {
    format!("echo; echo 'clang version {version}.0'")
}

fn seek(language: Language, wanted: &[&str], path: &OsString) -> Vec<Result<Compiler, MissingCompiler>> {
    let wanted: Vec<String> = wanted.iter().map(|w| (*w).to_owned()).collect();
    find(language, &wanted, path)
}

fn shown(found: &[Result<Compiler, MissingCompiler>]) -> Vec<String> {
    let text = |entry: &Result<Compiler, MissingCompiler>| match entry {
        Ok(compiler) => format!("{} = {} [{}]", compiler.name, compiler.make.name, compiler.version),
        Err(absent) => absent.to_string(),
    };
    found.iter().map(text).collect()
}

fn check(site: &Site, language: Language, wanted: &[&str], expected: &[&str]) {
    assert_eq!(shown(&seek(language, wanted, &site.as_path())), expected, "{wanted:?}");
}

#[test]
fn one_of_every_make_that_is_here_is_taken_where_none_is_named() {
    let site = Site::new();
    site.program("gcc", GCC);
    site.program("clang-9", &clang(9));
    site.program("clang-19", &clang(19));
    site.program("clang-format-20", "exit 1");
    check(&site, Language::C, &[], &["gcc = gcc [gcc (Fake) 99.1]", "clang-19 = clang [clang version 19.0]"]);
}

#[test]
fn a_plain_name_comes_before_versions() {
    let site = Site::new();
    site.program("clang", &clang(15));
    site.program("clang-19", &clang(19));
    check(&site, Language::C, &["clang"], &["clang = clang [clang version 15.0]"]);
    check(
        &site,
        Language::C,
        &["clang-19", "clang"],
        &["clang-19 = clang [clang version 19.0]", "clang = clang [clang version 15.0]"],
    );
}

#[test]
fn what_is_missing_is_a_row_of_its_own() {
    let site = Site::new();
    site.program("gcc", GCC);
    check(
        &site,
        Language::C,
        &["clang", "gcc", "gcc-13", "./no/such"],
        &[
            "clang: not found on PATH",
            "gcc = gcc [gcc (Fake) 99.1]",
            "gcc-13: not found on PATH",
            "./no/such: there is no such file",
        ],
    );
    let nothing = Site::new();
    check(&nothing, Language::Rust, &[], &["rustc: not found on PATH"]);
}

#[test]
fn a_program_that_may_not_be_executed_is_reported() {
    let site = Site::new();
    let file = site.write("icx", "#!/bin/sh\n");
    let why = format!("icx: {} is not executable; chmod +x makes it so", file.display());
    check(&site, Language::C, &["icx"], &[&why]);
}

#[test]
fn a_compiler_without_a_version_is_reported() {
    let site = Site::new();
    site.program("gcc", "echo 'gcc: fatal: no licence' >&2; exit 3");
    site.program("clang", "exit 0");
    check(
        &site,
        Language::C,
        &[],
        &["gcc: does not tell its version: gcc: fatal: no licence", "clang: says nothing when asked for --version"],
    );
}

#[test]
fn the_name_of_a_make_selects_its_kin_and_not_for_another_language() {
    let site = Site::new();
    site.program("gfortran", "echo 'GNU Fortran 99'");
    site.program("gcc", GCC);
    check(&site, Language::Fortran, &["gcc"], &["gfortran = gfortran [GNU Fortran 99]"]);
    check(&site, Language::C, &["gfortran"], &["gfortran: compiles Fortran, and the sources are C"]);
    check(&site, Language::Fortran, &["clang"], &["flang: not found on PATH"]);
}

#[test]
fn a_program_of_another_name_says_what_it_is() {
    let site = Site::new();
    site.program("cc", GCC);
    site.program("x86_64-linux-gnu-gcc-12", GCC);
    site.program("tcc", "echo 'tcc version 0.9'");
    check(
        &site,
        Language::C,
        &["cc", "x86_64-linux-gnu-gcc-12", "tcc"],
        &[
            "cc = gcc [gcc (Fake) 99.1]",
            "x86_64-linux-gnu-gcc-12 = gcc [gcc (Fake) 99.1]",
            "tcc: is no compiler of C that paw knows (gcc, clang, icx, icc, nvc, zig); it says `tcc version 0.9`",
        ],
    );
}

#[test]
fn two_of_one_name_are_distinguished_and_one_twice_is_one() {
    let site = Site::new();
    let [one, two] = ["a/gcc", "b/gcc"].map(|name| {
        std::fs::create_dir_all(site.path(&name[..1])).expect("the directory is made");
        site.program(name, GCC).display().to_string()
    });
    let found = seek(Language::C, &[&one, &two, &one], &OsString::new());
    let names: Vec<&str> = found.iter().flatten().map(|compiler| compiler.name.as_str()).collect();
    assert_eq!(names, [one.as_str(), two.as_str()]);
    let alone = seek(Language::C, &[&one], &OsString::new());
    assert_eq!(shown(&alone), ["gcc = gcc [gcc (Fake) 99.1]"]);
}

#[test]
fn zig_is_a_program_or_a_wheel() {
    let wheel = Site::new();
    wheel.program("python3", r#"[ "$*" = "-m ziglang cc --version" ] && echo 'clang version 22'"#);
    let found = seek(Language::C, &["zig"], &wheel.as_path());
    assert_eq!(shown(&found), ["zig = zig [clang version 22]"]);
    assert_eq!(found[0].as_ref().map(|zig| zig.words.join(" ")), Ok("-m ziglang cc".into()));
    let program = Site::new();
    program.program("zig", r#"[ "$*" = "cc --version" ] && echo 'clang version 21'"#);
    assert_eq!(shown(&seek(Language::C, &[], &program.as_path())), ["zig = zig [clang version 21]"]);
    let none = Site::new();
    none.program("python3", "echo 'No module named ziglang' >&2; exit 1");
    assert_eq!(shown(&seek(Language::C, &["zig"], &none.as_path())), ["zig: not found on PATH"]);
}

#[test]
fn the_compilers_of_this_machine_are_found() {
    ::workplace::needs!(CLANG, GXX, GFORTRAN);
    for (language, wanted, sign) in [
        (Language::C, "gcc", "gcc"),
        (Language::C, "clang-19", "clang version 19"),
        (Language::Cpp, "g++", "g++"),
        (Language::Fortran, "gfortran", "GNU Fortran"),
        (Language::Rust, "rustc", "rustc 1."),
    ] {
        let found = seek(language, &[wanted], &environment_path());
        let compiler = found[0].as_ref().unwrap_or_else(|why| panic!("{why}"));
        assert!(compiler.version.contains(sign), "{}", compiler.version);
        assert_eq!(compiler.name, wanted);
    }
}
