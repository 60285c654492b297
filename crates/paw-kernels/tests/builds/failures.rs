//! What does not build, and what is said of it.

use std::fs::File;
use std::sync::mpsc;
use std::time::Duration;

use paw_kernels::builds::compile::{Limits, compile_within};
use paw_kernels::builds::jobs;
use paw_kernels::spec::Language;

use crate::site::{SOURCES, Site, at, made, real, refusal};

#[test]
fn the_first_error_is_told_with_file_and_line() {
    ::workplace::needs!(CLANG, GXX, GFORTRAN);
    let gfortran = "subroutine kernel(n)\n  integer :: n\n  n = = 3\nend subroutine\n";
    for (language, name, file, source, expected) in [
        (
            Language::C,
            "gcc",
            "k.c",
            "int one;\nint kernel(void) { return nope; }\n",
            "did not build: k.c:2:27: error: ",
        ),
        (
            Language::C,
            "clang-19",
            "k.c",
            "int one;\nint kernel(void) { return nope; }\n",
            "did not build: k.c:2:27: error: ",
        ),
        (Language::Fortran, "gfortran", "k.f90", gfortran, "did not build: k.f90:3:8: Error: "),
        (
            Language::Rust,
            "rustc",
            "k.rs",
            "\npub fn kernel() -> i32 { nope }\n",
            "did not build: k.rs:2:26: error[E0425]: ",
        ),
    ] {
        let site = Site::new();
        let spec = site.spec(language, file, source);
        let built = site.build(&spec, &real(language, name), &["-O2"]);
        assert!(refusal(&built[0]).starts_with(expected), "{name}: {}", refusal(&built[0]));
        assert!(!built[0].build.said.is_empty() && !built[0].build.command.is_empty());
        assert_eq!(built[0].build.code, "");
    }
}

#[test]
fn a_library_and_a_flag_that_are_not_there_are_reported() {
    let site = Site::new();
    let spec = site.spec(Language::C, "k.c", SOURCES[0].2);
    let built = site.build(&spec, &real(Language::C, "gcc"), &["-lno_such_library", "-xHost"]);
    assert!(refusal(&built[0]).contains("cannot find -lno_such_library"), "{}", refusal(&built[0]));
    assert!(refusal(&built[1]).starts_with("did not build: "), "{}", refusal(&built[1]));
}

#[test]
fn a_function_under_a_mangled_name_comes_with_the_way_out() {
    ::workplace::needs!(GXX);
    let site = Site::new();
    let spec = site.spec(Language::Cpp, "k.cpp", "void kernel(unsigned long, double *) {}\n");
    let built = site.build(&spec, &real(Language::Cpp, "g++"), &["-O2"]);
    let why = "did not build: the library defines no function `kernel`; it defines _Z6kernelmPd; in C++ it is to be declared extern \"C\"";
    assert_eq!(refusal(&built[0]), why);
}

/// The lock is held by the script and by what it starts, until both have ended.
#[test]
fn a_compiler_that_hangs_is_ended_with_all_it_started() {
    let site = Site::new();
    let lock = site.write("lock", "");
    let hangs = format!(
        "[ \"$*\" = --version ] && {{ echo 'gcc 1'; exit; }}\n\
         exec 9>'{}'; flock 9; echo here >&9; sleep 1000 & wait",
        lock.display()
    );
    let compiler = at(Language::C, &site.program("gcc", &hangs));
    let spec = site.spec(Language::C, "k.c", SOURCES[0].2);
    let jobs = jobs(&spec, &[compiler], &["-O2".into()]).expect("the flags are understood");
    let limits = Limits { at_once: 1, deadline: Duration::from_secs(2) };
    let built = compile_within(&jobs, &spec, &site.path("out"), limits, &mut |_| {});
    assert_eq!(refusal(&built[0]), "did not build: the compiler took longer than 2 s and was ended");
    assert_eq!(std::fs::read_to_string(&lock).expect("it is there"), "here\n");
    let (sender, freed) = mpsc::channel();
    let file = File::open(&lock).expect("it is there");
    std::thread::spawn(move || sender.send(file.lock().is_ok()));
    assert_eq!(freed.recv_timeout(Duration::from_secs(60)), Ok(true));
}

#[test]
fn a_compiler_that_goes_away_costs_its_row_alone() {
    let site = Site::new();
    let program = site.program("gcc", "echo 'gcc 1'");
    let gone = at(Language::C, &program);
    std::fs::remove_file(&program).expect("it is removed");
    let spec = site.spec(Language::C, "k.c", SOURCES[0].2);
    let jobs = jobs(&spec, &[gone, real(Language::C, "gcc")], &["-O2".into()]).expect("the flags are understood");
    let limits = Limits { at_once: 2, deadline: Duration::from_secs(60) };
    let built = compile_within(&jobs, &spec, &site.path("out"), limits, &mut |_| {});
    assert!(refusal(&built[0]).contains("cannot be run: No such file"), "{}", refusal(&built[0]));
    made(&built[1]);
}

#[test]
fn success_without_a_library_is_a_failure_and_an_older_one_does_not_pass() {
    let site = Site::new();
    let spec = site.spec(Language::C, "k.c", SOURCES[0].2);
    made(&site.build(&spec, &real(Language::C, "gcc"), &["-O2"])[0]);
    assert!(site.path("out/000.so").exists());
    let lazy = at(Language::C, &site.program("gcc", "echo 'gcc 1'"));
    let built = site.build(&spec, &lazy, &["-O2"]);
    assert!(refusal(&built[0]).contains("000.so: cannot be read"), "{}", refusal(&built[0]));
}

#[test]
fn a_directory_that_cannot_be_made_is_reported() {
    let site = Site::new();
    let spec = site.spec(Language::C, "k.c", SOURCES[0].2);
    site.write("out", "a file where the directory should be");
    let built = site.build(&spec, &real(Language::C, "gcc"), &["-O2"]);
    assert!(refusal(&built[0]).contains("/out: "), "{}", refusal(&built[0]));
}

#[test]
fn a_compiler_that_fails_silently_is_reported_by_its_status() {
    let site = Site::new();
    let mute = at(Language::C, &site.program("gcc", r#"[ "$*" = --version ] && echo 'gcc 1'"#));
    let spec = site.spec(Language::C, "k.c", SOURCES[0].2);
    let built = site.build(&spec, &mute, &["-O2"]);
    assert_eq!(refusal(&built[0]), "did not build: the compiler ended with exit status: 1 and said nothing");
}
