//! Compilers that are not installed, replaced by scripts that note their arguments and pass them to one that is.

use paw_kernels::spec::Language;

use crate::site::{SOURCES, Site, at, made, refusal, variant};

/// Answers `version` to --version; else notes its arguments, one a line, drops those that match `drop`, and runs `compiler`.
fn player(site: &Site, name: &str, version: &str, compiler: &str, drop: &str) -> std::path::PathBuf {
    let notes = site.path("told").display().to_string();
    let script = format!(
        "if [ \"$*\" = --version ]; then echo \"{version}\"; exit; fi\n\
         case \"$*\" in *-###*) echo ' \"x\" \"-cc1\" \"-target-cpu\" \"sapphirerapids\"'; exit;; esac\n\
         printf '%s\\n' \"$@\" > {notes}\n\
         for word; do shift; case \"$word\" in {drop}) ;; *) set -- \"$@\" \"$word\";; esac; done\n\
         exec {compiler} \"$@\""
    );
    site.program(name, &script)
}

fn told(site: &Site) -> Vec<String> {
    let text = std::fs::read_to_string(site.path("told")).expect("it was told something");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn icx_gets_its_own_flags_and_says_what_xhost_is() {
    let site = Site::new();
    let icx = player(&site, "icx", "Intel(R) oneAPI DPC++/C++ Compiler 2099.1", "gcc", "-xHost | -unroll-aggressive");
    let icx = at(Language::C, &icx);
    assert_eq!(icx.make.name, "icx");
    let spec = site.spec(Language::C, "kernel.c", SOURCES[0].2);
    let built = site.build(&spec, &icx, &["-Ofast -xHost -funroll-loops -unroll-aggressive"]);
    assert_eq!(made(&built[0]).target, "sapphirerapids");
    assert_eq!(built[0].build.version, "Intel(R) oneAPI DPC++/C++ Compiler 2099.1");
    let source = spec.sources[0].display().to_string();
    let library = site.path("out/000.so").display().to_string();
    assert_eq!(
        told(&site),
        [
            "-shared",
            "-fPIC",
            "-fno-semantic-interposition",
            "-Ofast",
            "-xHost",
            "-funroll-loops",
            "-unroll-aggressive",
            &source,
            "-lm",
            "-o",
            &library,
        ]
    );
}

#[test]
fn ifx_preprocesses_and_keeps_modules_apart() {
    ::workplace::needs!(GFORTRAN);
    let site = Site::new();
    let ifx = player(&site, "ifx", "ifx (IFX) 2099.1", "gfortran -cpp -w", "-fpp | -xHost | -module | *.modules");
    let mut spec = site.spec(Language::Fortran, "kernel.f90", SOURCES[2].2);
    spec.variants = vec![variant("minus", &["MINUS"])];
    // gfortran, which replaces it, writes modules into the directory it is given, or the working directory.
    let built = site.build(&spec, &at(Language::Fortran, &ifx), &["-O3 -march=native"]);
    made(&built[0]);
    let told = told(&site);
    let modules = site.path("out/000.modules").display().to_string();
    assert_eq!(told[..5], ["-shared", "-fPIC", "-O3", "-xHost", "-fpp"]);
    assert!(told.windows(2).any(|pair| pair == ["-module", &modules]) && told.contains(&"-DMINUS".into()));
    assert_eq!(built[0].build.flags, "-O3 -march=native");
}

#[test]
fn nvc_calls_this_processor_tp_and_says_it_in_its_version() {
    let site = Site::new();
    let nvc = player(&site, "nvc", "nvc 99.1-0 64-bit target on x86-64 Linux -tp zen3", "gcc", "-tp=native");
    let spec = site.spec(Language::C, "kernel.c", SOURCES[0].2);
    let built = site.build(&spec, &at(Language::C, &nvc), &["-O3 -march=native"]);
    assert_eq!(made(&built[0]).target, "zen3");
    assert_eq!(told(&site)[..4], ["-shared", "-fPIC", "-O3", "-tp=native"]);
}

#[test]
fn what_nvfortran_says_of_an_error_is_its_row() {
    let site = Site::new();
    let fails = "if [ \"$*\" = --version ]; then echo; echo 'nvfortran 99.1-0 -tp zen3'; exit; fi\n\
         echo 'NVFORTRAN-S-0034-Syntax error at or near = (kernel.f90: 3)'; echo '  0 inform, 1 severes'; exit 2";
    let nvfortran = at(Language::Fortran, &site.program("nvfortran", fails));
    assert_eq!(nvfortran.version, "nvfortran 99.1-0 -tp zen3");
    let spec = site.spec(Language::Fortran, "kernel.f90", SOURCES[2].2);
    let built = site.build(&spec, &nvfortran, &["-O3"]);
    assert_eq!(refusal(&built[0]), "did not build: NVFORTRAN-S-0034-Syntax error at or near = (kernel.f90: 3)");
}

#[test]
fn zig_neither_aims_at_this_processor_by_itself_nor_adds_traps() {
    ::workplace::needs!(CLANG);
    let site = Site::new();
    let zig = "[ \"$*\" = 'build-exe --show-builtin' ] && echo '.model = &std.Target.x86.cpu.zen9,' && exit\n\
         [ \"$1\" = cc ] || exit 9\nshift\nif [ \"$*\" = --version ]; then echo 'clang version 22'; exit; fi\n\
         for word; do shift; [ \"$word\" = -mcpu=baseline ] && baseline=yes || set -- \"$@\" \"$word\"; done\n\
         [ $baseline ] && exec clang-19 \"$@\"";
    let spec = site.spec(Language::C, "kernel.c", SOURCES[0].2);
    let built = site.build(&spec, &at(Language::C, &site.program("zig", zig)), &["-O2", "-O2 -march=native"]);
    let command = &made(&built[0]).command;
    assert_eq!(command[1], "cc");
    assert_eq!((made(&built[0]).target.as_str(), made(&built[1]).target.as_str()), ("", "zen9"));
    assert!(command.contains(&"-fno-sanitize=undefined".into()));
}
