//! New kernels, as they are written down for their author.

use paw_data::document::Document;
use paw_foreign::device::Backend;
use paw_kernels::spec::template::{New, template};
use paw_kernels::spec::{KernelSpec, Language, Reference, Spec};

use crate::site::{Site, made, real};

#[test]
fn a_new_kernel_is_read_sized_and_built_in_every_language() {
    ::workplace::needs!(CLANG, GXX, GFORTRAN);
    let compilers = [
        (Language::C, "gcc"),
        (Language::C, "clang-19"),
        (Language::Cpp, "g++"),
        (Language::Fortran, "gfortran"),
        (Language::Rust, "rustc"),
    ];
    for (language, compiler) in compilers {
        let site = Site::new();
        let (text, (file, source)) = template("mat-vec", New::Processor(language));
        site.write(&file, &source);
        let spec = Spec::read(&site.write("kernel.toml", &text)).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!((spec.language, spec.function.as_str()), (language, "mat_vec"));
        assert_eq!(spec.footprint_bytes(64), Ok(4 * (64 * 64 + 64 + 64)));
        let built = site.build(&spec, &real(language, compiler), &["-O2"]);
        let names: Vec<String> = built.iter().map(|built| made(built).full_name()).collect();
        assert_eq!(names, ["columns", "rows"].map(|variant| format!("{compiler} -O2 [{variant}]")));
        assert_ne!(built[0].build.code, built[1].build.code, "{compiler}");
        assert!(built.iter().all(|built| built.build.said.is_empty()), "{compiler}: {}", built[0].build.said);
    }
}

#[test]
fn a_new_kernel_for_a_device_is_read_in_every_language() {
    let languages = [(Backend::Cuda, "cu"), (Backend::Hip, "hip"), (Backend::OpenCl, "cl"), (Backend::LevelZero, "cl")];
    for (backend, ending) in languages {
        let site = Site::new();
        let (text, (file, source)) = template("mat-vec", New::Device(backend));
        assert_eq!(file, format!("mat_vec.{ending}"));
        assert!(source.contains("mat_vec(int rows") && source.contains("mat_vec_backwards(int rows"), "{source}");
        site.write(&file, &source);
        let path = site.write("kernel.toml", &text);
        let KernelSpec::Device(spec) = KernelSpec::read(&path).unwrap_or_else(|why| panic!("{why}")) else {
            panic!("it is for a device");
        };
        assert_eq!((spec.backend, spec.entry.as_str()), (backend, "mat_vec"));
        assert_eq!(spec.reference, Reference::Function("mat_vec_backwards".to_owned()));
        assert_eq!(spec.points(), [[1024, 256], [2048, 256], [4096, 256]]);
    }
}

/// Without its comments the file is the same spec.
#[test]
fn what_is_commented_out_is_what_may_stand_there() {
    let site = Site::new();
    let (text, (file, source)) = template("product", New::Processor(Language::C));
    site.write(&file, &source);
    site.write("expected.txt", "0");
    let optional = |line: &str| {
        let key = line.strip_prefix("# ").and_then(|rest| rest.split_once(" = ")).map_or("", |(key, _)| key);
        let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase());
        is_key && !matches!(key, "file" | "function")
    };
    let all: String = text
        .lines()
        .map(|line| if optional(line) { format!("{}\n", &line[2..]) } else { format!("{line}\n") })
        .collect();
    let all = all.replace("bytes = \"4*n*n + 8*n\"", "bytes = \"alpha*half\"");
    let spec =
        Spec::of(&Document { path: &site.path("kernel.toml"), text: &all }).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!((spec.variants.len(), spec.scalars.len(), spec.flags.len(), spec.measure.reps), (5, 2, 2, Some(100)));
}
