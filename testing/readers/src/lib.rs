//! Every reader of files that others write, as a function of bytes. A reader may refuse what it is given; it must neither panic nor hang.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

use paw_binary::{Image, SharedObject};
use paw_data::document::Document;
use paw_data::store::{self, counter_import, dat, hyperfine, table_import};
use paw_formula::Formula;
use paw_kernels::spec::KernelSpec;
use paw_machine::topology::hwloc_xml;
use paw_perf::group::Group;

/// A reader under the name of its fuzz target and of its corpus.
pub struct Reader {
    /// Its name.
    pub name: &'static str,
    /// Reads bytes, and drops what it has read.
    pub read: fn(&[u8]),
}

/// All of them.
pub const READERS: [Reader; 10] = [
    Reader { name: "run_jsonl", read: run_jsonl },
    Reader { name: "dat_file", read: dat_file },
    Reader { name: "csv_table", read: csv_table },
    Reader { name: "hyperfine_json", read: hyperfine_json },
    Reader { name: "counter_output", read: counter_output },
    Reader { name: "kernel_spec", read: kernel_spec },
    Reader { name: "counter_group", read: counter_group },
    Reader { name: "hwloc_text", read: hwloc_text },
    Reader { name: "formula", read: formula },
    Reader { name: "elf_file", read: elf_file },
];

/// Gives `bytes` to the reader called `name`.
pub fn read(name: &str, bytes: &[u8]) {
    let reader = READERS.iter().find(|reader| reader.name == name);
    (reader.expect("a fuzz target is named as its reader").read)(bytes);
}

/// The kept inputs of a reader, sorted: what is damaged, and where fuzzing begins.
pub fn corpus(reader: &Reader) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(reader.name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    paths
}

/// A run, read and then written as every other format, whose statistics come from what was read.
fn run_jsonl(bytes: &[u8]) {
    if let Ok(run) = store::parse(bytes, Path::new("run.jsonl")) {
        let mut out = Vec::new();
        let written = store::json::write(&run, &mut out);
        assert!(written.is_ok(), "memory takes every write");
        assert!(is_whole(&out), "the document of a run is JSON");
    }
}

/// Whether braces are balanced: a document that was cut short is not.
fn is_whole(document: &[u8]) -> bool {
    document.starts_with(b"{") && document.ends_with(b"}\n")
}

fn dat_file(bytes: &[u8]) {
    in_file("dgemm_time-np_0004.dat", bytes, |path| drop(dat::import(&[path.to_owned()])));
}

fn csv_table(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let columns = |times: &[&str], sizes: &[&str]| table_import::TableColumns {
        times: times.iter().map(|&time| time.to_owned()).collect(),
        sizes: sizes.iter().map(|&size| size.to_owned()).collect(),
        threads: Some("threads".to_owned()),
        program: Some("version".to_owned()),
        ..Default::default()
    };
    drop(table_import::import("table.csv", &text, &columns(&["v{v}[us]"], &[])));
    drop(table_import::import("table.csv", &text, &columns(&["wall[ms]"], &["n"])));
}

fn hyperfine_json(bytes: &[u8]) {
    drop(hyperfine::import(Path::new("hyperfine.json"), &String::from_utf8_lossy(bytes)));
}

fn counter_output(bytes: &[u8]) {
    drop(counter_import::import(Path::new("likwid.csv"), &String::from_utf8_lossy(bytes)));
}

fn kernel_spec(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    refused(KernelSpec::of(&Document { path: Path::new("kernel.toml"), text: &text }));
}

fn counter_group(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    refused(Group::parse("GROUP", &Document { path: Path::new("GROUP.toml"), text: &text }));
}

fn hwloc_text(bytes: &[u8]) {
    refused(hwloc_xml::read(&String::from_utf8_lossy(bytes)));
}

fn formula(bytes: &[u8]) {
    match Formula::parse(&String::from_utf8_lossy(bytes)) {
        Ok(formula) => refused(formula.evaluate(&|name| Some(name.len() as f64))),
        Err(error) => drop(error.to_string()),
    }
}

fn elf_file(bytes: &[u8]) {
    in_file("lib.so", bytes, |path| {
        refused(SharedObject::read(path));
        match Image::open(path) {
            Ok(image) => {
                let sections = image.debug_sections().ok();
                let lines = sections.as_ref().and_then(|sections| sections.lines());
                for function in image.functions().take(64) {
                    drop(lines.as_ref().map(|lines| lines.frames(function.start)));
                }
            }
            Err(error) => drop(error.to_string()),
        }
    });
}

/// Says why something was refused, as the user would read it: sentences are made from what was read.
fn refused<T, E: ToString>(read: Result<T, E>) {
    drop(read.map_err(|error| error.to_string()));
}

fn in_file(name: &str, bytes: &[u8], read: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().expect("a directory of its own");
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("a file of its own");
    read(&path);
}
