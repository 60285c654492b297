//! Files that were cut, mixed and changed at random: readers refuse them, and neither panic nor hang.

use std::fs;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use readers::{READERS, Reader, corpus};

/// Damaged inputs for each reader. Fuzzing goes further; these run in every test.
const INPUTS: u64 = 300;

/// No reader needs so long for a small file, even on a machine that others share and that is paused now and then.
const HANGS: Duration = Duration::from_secs(300);

/// Texts that formats give a meaning to.
const TOKENS: [&str; 22] = [
    "0",
    "-1",
    "1e999",
    "NaN",
    "null",
    "18446744073709551616",
    "\0",
    "\n",
    "\"",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "^",
    "<",
    "&",
    ";",
    "=",
    ",",
    "é",
];

/// An input of `seeds` after one to four changes, the same for the same number.
fn damaged(seeds: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(number);
    let mut bytes = seeds[random.usize(..seeds.len())].clone();
    for _ in 0..random.usize(1..=4) {
        let at = random.usize(..=bytes.len());
        let length = random.usize(0..64).min(bytes.len() - at);
        match random.u8(..6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..at + length)),
            2 => drop(bytes.splice(at..at, TOKENS[random.usize(..TOKENS.len())].bytes())),
            3 => drop(bytes.splice(at..at + length, TOKENS[random.usize(..TOKENS.len())].bytes())),
            4 if at < bytes.len() => bytes[at] = random.u8(..),
            4 => bytes.push(random.u8(..)),
            _ => {
                let other = &seeds[random.usize(..seeds.len())];
                let from = random.usize(..=other.len());
                drop(bytes.splice(at..at + length, other[from..].iter().take(256).copied()));
            }
        }
    }
    bytes
}

fn survives(reader: &Reader) {
    let seeds: Vec<_> = corpus(reader).iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(!seeds.is_empty(), "{} has no corpus", reader.name);
    let read = reader.read;
    let (done, progress) = mpsc::channel();
    let reading = thread::spawn(move || {
        seeds.iter().for_each(|seed| read(seed));
        for number in 0..INPUTS {
            read(&damaged(&seeds, number));
            done.send(number).unwrap();
        }
    });
    for number in 0..INPUTS {
        match progress.recv_timeout(HANGS) {
            Ok(finished) => assert_eq!(finished, number),
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("{} hangs with input {number}", reader.name),
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let panic = reading.join().expect_err("it left early");
                let said = panic.downcast_ref::<String>().cloned();
                panic!("{} panics with input {number}: {said:?}", reader.name);
            }
        }
    }
}

#[test]
fn readers_survive_what_was_damaged() {
    thread::scope(|scope| {
        let reading: Vec<_> = READERS.iter().map(|reader| (reader.name, scope.spawn(|| survives(reader)))).collect();
        for (name, reading) in reading {
            assert!(reading.join().is_ok(), "{name}");
        }
    });
}

#[test]
fn every_reader_has_a_fuzz_target_and_every_target_a_reader() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/fuzz_targets");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut targets: Vec<_> = entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    targets.sort();
    let mut readers = READERS.map(|reader| reader.name);
    readers.sort_unstable();
    assert_eq!(targets, readers);
}
