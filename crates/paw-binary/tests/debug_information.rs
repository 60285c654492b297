//! Debug information: what is read of it, what several files share, and lines of inlined functions.

use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSection};
use paw_binary::analysis::{Context, analyse};
use paw_binary::{Architecture, Image};
use paw_data::code::Code;

const ONE: &str = "double one(long n, const double *a) {
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}
";
const TWO: &str = "long two(long n, const long *a) {
    long s = 0;
    for (long i = 0; i < n; i++)
        s ^= a[i];
    return s;
}
";

fn run(program: &str, words: &[&str]) {
    let done = Command::new(program).args(words).output().unwrap_or_else(|why| panic!("{program}: {why}"));
    assert!(done.status.success(), "{program} {words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A library of two sources.
fn compiled(folder: &Path) -> PathBuf {
    let paths = ["one.c", "two.c", "both.so"].map(|name| folder.join(name));
    std::fs::write(&paths[0], ONE).unwrap();
    std::fs::write(&paths[1], TWO).unwrap();
    let [one, two, out] = paths.each_ref().map(|path| path.to_str().unwrap());
    run("gcc", &["-O1", "-g", "-gdwarf-5", "-shared", "-fPIC", "-Wl,--build-id", one, two, "-o", out]);
    paths[2].clone()
}

fn analysed(path: &Path, name: &str) -> Code {
    let image = Image::open(path).unwrap();
    let sections = image.debug_sections().ok();
    let lines = sections.as_ref().and_then(|sections| sections.lines());
    let functions = image.functions_named(name);
    assert!(!functions.is_empty(), "{} has no {name}", path.display());
    analyse(&Context { image: &image, lines: lines.as_ref() }, &functions)
}

/// First and last line of the first loop, and its file.
fn lines(code: &Code) -> Option<(String, u32, u32)> {
    let source = code.functions[0].loops[0].source.as_ref()?;
    let name = source.file.rsplit('/').next().unwrap_or_default();
    Some((name.to_owned(), source.first, source.last))
}

#[test]
fn of_a_large_file_the_unit_of_the_function_alone_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = compiled(folder.path());
    let mut bytes = std::fs::read(&path).unwrap();
    let section = |bytes: &[u8]| {
        let file = object::File::parse(bytes).unwrap();
        file.section_by_name(".debug_line").unwrap().file_range().unwrap()
    };
    let (start, size) = section(&bytes);
    let (start, end) = (start as usize, (start + size) as usize);
    let first = u32::from_le_bytes(bytes[start..start + 4].try_into().unwrap()) as usize + 4;
    assert!(start + first + 4 < end, "two units");
    // The lines of the second unit make no sense, and nobody looks.
    bytes[start + first + 4..end].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(lines(&analysed(&path, "one")), Some(("one.c".to_owned(), 3, 4)));
    assert_eq!(lines(&analysed(&path, "two")), None);
}

#[test]
fn debug_information_that_is_in_another_file_is_named_where_that_is_not_here() {
    let folder = tempfile::tempdir().unwrap();
    let path = compiled(folder.path());
    let link = folder.path().join("link");
    std::fs::write(&link, b"../shared.debug\0\x01\x02\x03\x04").unwrap();
    let section = format!(".gnu_debugaltlink={}", link.display());
    run("objcopy", &["--add-section", &section, path.to_str().unwrap()]);
    let found = analysed(&path, "one");
    let told = found.unknown.iter().any(|why| why.contains("shared.debug (by dwz), which is not here"));
    assert!(told, "{:?}", found.unknown);
    assert_eq!(lines(&found), Some(("one.c".to_owned(), 3, 4)), "the file's own part is used");
}

/// Two files from which `dwz -m` moved what they share into `shared.debug`.
#[test]
fn debug_information_that_several_files_share_is_found() {
    let path = fixtures().join("dwz/one.so");
    let found = analysed(&path, "one");
    assert!(found.unknown.is_empty(), "{:?}", found.unknown);
    assert_eq!(lines(&found), Some(("one.c".to_owned(), 9, 10)));
    assert!(found.producers.iter().any(|text| text.contains("GNU C")), "{:?}", found.producers);
}

#[test]
fn a_library_for_arm_has_its_symbols_and_says_what_is_missing() {
    let path = fixtures().join("aarch64.so");
    let image = Image::open(&path).unwrap();
    assert_eq!(*image.architecture(), Architecture::AArch64);
    let found = analysed(&path, "sum");
    assert_eq!((found.functions[0].name.as_str(), found.functions[0].loops.len()), ("sum", 0));
    assert!(found.unknown.iter().any(|why| why == "loops and instructions: not supported: AArch64; symbols only"));
}

#[test]
fn lines_of_what_rust_inlines_are_those_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let (source, out) = (folder.path().join("sum.rs"), folder.path().join("sum.so"));
    let text = "#![no_std]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! { loop {} }

#[inline]
fn weighed(x: f64) -> f64 {
    x * 3.0
}

/// # Safety
/// `values` has `n` elements.
#[unsafe(no_mangle)]
pub unsafe extern \"C\" fn sum(values: *const f64, n: usize) -> f64 {
    let values = unsafe { core::slice::from_raw_parts(values, n) };
    let mut sum = 0.0;
    for (value, other) in values.iter().zip(values.iter().rev()) {
        sum += weighed(*value) * other;
    }
    sum
}
";
    std::fs::write(&source, text).unwrap();
    let rustc = Path::new(env!("CARGO")).with_file_name("rustc");
    let flags = ["--edition=2024", "--crate-type=cdylib", "-O", "-g", "-Cpanic=abort", "-Clink-arg=-nostdlib", "-o"];
    let words: Vec<&str> = flags.into_iter().chain([out.to_str().unwrap(), source.to_str().unwrap()]).collect();
    run(rustc.to_str().unwrap(), &words);
    let found = analysed(&out, "sum");
    let (file, first, last) = lines(&found).expect("the loop has lines");
    assert_eq!(file, "sum.rs", "not the standard library's iterators");
    assert!((6..=17).contains(&first) && (first..=17).contains(&last), "{first}-{last}");
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}
