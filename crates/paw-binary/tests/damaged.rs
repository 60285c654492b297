//! Damaged files: errors or fewer facts, never a panic and never without an end.
//!
//! `PAW_DAMAGED_SECONDS=600` damages files for ten minutes; by default it takes about two seconds.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use paw_binary::analysis::{Context, analyse, own_functions};
use paw_binary::{Image, SharedObject};

const SOURCE: &str = "#include <math.h>
double sum(long n, const double *a) { double s = 0; for (long i = 0; i < n; i++) s += exp(a[i]); return s; }
int chosen(int n, int x) { switch (n) { case 0: return x; case 1: return x * 3; case 2: return x - 9;
    case 3: return x / 7; case 4: return x ^ 5; case 5: return ~x; default: return 0; } }
";

/// A generator of Marsaglia's kind, so that a failure can be repeated by its number.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn corpus(folder: &Path) -> Vec<Vec<u8>> {
    let source = folder.join("k.c");
    std::fs::write(&source, SOURCE).unwrap();
    let made = |flags: &str| {
        let out = folder.join("k.so");
        let mut command = Command::new("gcc");
        command.args(flags.split_whitespace()).args(["-shared", "-fPIC", "-o"]).arg(&out).arg(&source).arg("-lm");
        assert!(command.status().expect("gcc is needed here").success());
        std::fs::read(out).unwrap()
    };
    ["-O0 -g", "-O2 -g -gz", "-O3 -s"].map(made).into()
}

/// Changes a few bytes, or cuts the file: most often in the headers, which everything else depends on.
fn damage(bytes: &mut Vec<u8>, state: &mut u64) {
    if next(state).is_multiple_of(16) {
        let length = next(state) as usize % bytes.len();
        bytes.truncate(length.max(1));
    }
    for _ in 0..1 + next(state) % 8 {
        let tail = bytes.len().min(4096);
        let at = match next(state) % 3 {
            0 => next(state) as usize % bytes.len().min(512),
            1 => bytes.len() - 1 - next(state) as usize % tail,
            _ => next(state) as usize % bytes.len(),
        };
        bytes[at] = [next(state) as u8, 0, 0xff, 0x80][next(state) as usize % 4];
    }
}

fn read(path: &Path) {
    let _ = SharedObject::read(path);
    let Ok(image) = Image::open(path) else { return };
    let sections = image.debug_sections().ok();
    let lines = sections.as_ref().and_then(|sections| sections.lines());
    let functions: Vec<_> = own_functions(&image).take(50).collect();
    let found = analyse(&Context { image: &image, lines: lines.as_ref() }, &functions);
    assert!(found.functions.len() <= 50);
}

#[test]
fn damaged_files_are_errors_or_facts_and_always_end() {
    let seconds = std::env::var("PAW_DAMAGED_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let path = folder.path().join("damaged");
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut number = 1_u64;
    while number <= 20 || Instant::now() < end {
        let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut bytes = corpus[number as usize % corpus.len()].clone();
        damage(&mut bytes, &mut state);
        std::fs::write(&path, &bytes).unwrap();
        let read = std::panic::catch_unwind(|| read(&path));
        assert!(read.is_ok(), "the file of number {number} ends in a panic");
        number += 1;
    }
}

#[test]
fn a_file_for_another_processor_has_symbols_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = corpus(folder.path()).remove(0);
    // e_machine of the ELF header: 183 is AArch64.
    bytes[18..20].copy_from_slice(&183_u16.to_le_bytes());
    let path = folder.path().join("other");
    std::fs::write(&path, bytes).unwrap();
    let image = Image::open(&path).unwrap();
    let found = analyse(&Context { image: &image, lines: None }, &image.functions_named("sum"));
    assert_eq!(found.functions[0].name, "sum");
    assert!(
        found.unknown.iter().any(|why| why.contains("not supported: AArch64; symbols only")),
        "{:?}",
        found.unknown
    );
}
