//! Functions, names and lines of programs and libraries as compilers make them.

use std::path::{Path, PathBuf};
use std::process::Command;

use paw_binary::{How, Image};

const SOURCE: &str = "double exp(double);
static __attribute__((noinline)) double inner(double x) { return exp(x) + 1; }
double outer(unsigned long n, const double *a) {
    double s = 0;
    for (unsigned long i = 0; i < n; i++)
        s += inner(a[i]);
    return s;
}
";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory for files that are thrown away")
}

fn run(program: &str, words: &[&str]) {
    let done = Command::new(program).args(words).output().unwrap_or_else(|why| panic!("{program}: {why}"));
    assert!(done.status.success(), "{program} {words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn compile(folder: &Path, flags: &[&str]) -> PathBuf {
    let (source, out) = (folder.join("source.c"), folder.join("library.so"));
    std::fs::write(&source, SOURCE).expect("the source is written");
    let mut words = vec!["-shared", "-fPIC", source.to_str().unwrap(), "-o", out.to_str().unwrap(), "-lm"];
    words.extend(flags);
    run("gcc", &words);
    out
}

#[test]
fn a_function_is_found_by_its_range_and_the_gap_behind_it_has_no_name() {
    let folder = folder();
    let image = Image::open(&compile(folder.path(), &["-O2", "-g"])).unwrap();
    let outer = image.functions_named("outer").remove(0);
    assert_eq!(outer.how, How::Symbol);
    assert_eq!(image.function_at(outer.end - 1).unwrap().name.as_deref(), Some("outer"));
    for function in image.functions() {
        let behind = image.function_at(function.end);
        assert!(behind.is_none_or(|next| next.start == function.end), "{function:?}");
    }
    assert_eq!(image.function_at(1), None);
}

#[test]
fn a_stripped_library_has_ranges_without_names() {
    let folder = folder();
    let library = compile(folder.path(), &["-O1", "-fno-inline"]);
    let inner = Image::open(&library).unwrap().functions_named("inner").remove(0);
    run("strip", &[library.to_str().unwrap()]);
    let found = Image::open(&library).unwrap().function_at(inner.start + 1).unwrap();
    assert_eq!((found.name, found.how), (None, How::Unwind));
    assert_eq!((found.start, found.end), (inner.start, inner.end));
}

#[test]
fn a_stub_has_the_name_of_what_it_calls() {
    let folder = folder();
    let image = Image::open(&compile(folder.path(), &["-O1"])).unwrap();
    let stub = image.functions().find(|function| function.how == How::Stub && function.title() == "exp@plt").unwrap();
    assert_eq!(image.called(stub.start).as_deref(), Some("exp"));
}

#[test]
fn a_stub_of_a_function_that_is_chosen_when_loaded_has_its_name() {
    let folder = folder();
    let (source, out) = (folder.path().join("chosen.c"), folder.path().join("chosen.so"));
    let text = "static int one(int x) { return x + 1; }
static int (*choose(void))(int) { return one; }
__attribute__((ifunc(\"choose\"), visibility(\"hidden\"))) int chosen(int);
int user(int x) { return chosen(x) * 3; }
";
    std::fs::write(&source, text).expect("the source is written");
    run("gcc", &["-shared", "-fPIC", "-O1", source.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    let image = Image::open(&out).unwrap();
    let stubs: Vec<String> = image.functions().filter(|f| f.how == How::Stub).map(|f| f.title()).collect();
    assert!(stubs.iter().any(|name| name == "chosen@plt"), "{stubs:?}");
}

#[test]
fn lines_are_those_of_the_source_and_the_compiler_is_named() {
    let folder = folder();
    let image = Image::open(&compile(folder.path(), &["-O0", "-g"])).unwrap();
    let outer = image.functions_named("outer").remove(0);
    let sections = image.debug_sections().unwrap();
    let lines = sections.lines().unwrap();
    let place = lines.place(outer.start).unwrap();
    assert_eq!((place.line, place.function.as_deref()), (3, Some("outer")));
    assert!(place.file.ends_with("source.c"), "{place:?}");
    let producer = lines.producer(outer.start).unwrap();
    assert!(producer.contains("GNU C") && producer.contains("-O0"), "{producer}");
}

#[test]
fn without_debug_information_the_refusal_names_the_way_out() {
    let folder = folder();
    let image = Image::open(&compile(folder.path(), &["-O2"])).unwrap();
    let why = image.debug_sections().unwrap_err().to_string();
    assert!(why.ends_with("has no debug information; compile with -g to see source lines"), "{why}");
}

#[test]
fn what_is_no_image_is_refused_by_what_it_is() {
    let folder = folder();
    let path = folder.path().join("file");
    let refusal = || Image::open(&path).unwrap_err().to_string();
    assert!(refusal().contains("cannot be read"), "{}", refusal());
    std::fs::write(&path, "#!/bin/sh\n").unwrap();
    assert!(refusal().contains("is something else, not an ELF program"), "{}", refusal());
    let library = std::fs::read(compile(folder.path(), &["-O2"])).unwrap();
    std::fs::write(&path, &library[..library.len() / 2]).unwrap();
    assert!(refusal().contains("cut short or damaged"), "{}", refusal());
    let why = Image::open(folder.path()).unwrap_err().to_string();
    assert!(why.contains("not an ordinary file"), "{why}");
}

/// The nearest symbol before an address is often that of another function; libm without its debug file shows it.
#[test]
fn no_function_of_libm_is_credited_beyond_its_size() {
    let Some(libm) = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6"].iter().map(Path::new).find(|p| p.exists())
    else {
        return;
    };
    let image = Image::open(libm).unwrap();
    let Some(last) = image.functions_named("f64xsubf128").into_iter().next() else { return };
    let behind = (last.end..last.end + (1 << 16)).filter_map(|address| image.function_at(address));
    assert!(behind.into_iter().all(|function| function.name != last.name));
}
