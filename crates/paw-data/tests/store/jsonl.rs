//! `run.jsonl`: what is written comes back, and damage is told.

use std::path::Path;

use crate::sample_run::sample_run;
use paw_data::run::Run;
use paw_data::store::{ReadError, parse, write};

fn bytes(run: &Run) -> Vec<u8> {
    let mut out = Vec::new();
    write(run, &mut out, Path::new("run.jsonl")).unwrap();
    out
}

fn parsed(bytes: &[u8]) -> Result<Run, ReadError> {
    parse(bytes, Path::new("results/run-a/run.jsonl"))
}

fn opened(bytes: &[u8]) -> Run {
    parsed(bytes).unwrap()
}

#[test]
fn a_whole_run_comes_back_as_it_was() {
    let run = sample_run();
    assert_eq!(opened(&bytes(&run)), run);
}

#[test]
fn a_file_cut_at_any_byte_opens_or_says_that_nothing_was_measured() {
    let run = sample_run();
    let whole = bytes(&run);
    let header = whole.iter().position(|b| *b == b'\n').unwrap();
    for cut in 0..whole.len() {
        let result = parsed(&whole[..cut]);
        if cut == 0 {
            assert!(matches!(result, Err(ReadError::Empty(_))), "{cut}");
        } else if cut < header {
            assert!(matches!(result, Err(ReadError::NotARun { .. })), "{cut}");
        } else {
            let part = result.unwrap();
            let complete = cut == whole.len() - 1;
            assert_eq!(part.damage.is_none(), complete, "{cut}: {:?}", part.damage);
            assert!(is_prefix(&part, &run), "{cut}");
        }
    }
}

/// Whether all samples in `part` are the first samples of the same cells in `whole`.
fn is_prefix(part: &Run, whole: &Run) -> bool {
    part.header == whole.header
        && part.records.len() <= whole.records.len()
        && part.records.iter().zip(&whole.records).all(|(p, w)| {
            p.cell == w.cell
                && w.samples.elapsed_s.starts_with(&p.samples.elapsed_s)
                && w.warmup.elapsed_s.starts_with(&p.warmup.elapsed_s)
        })
}
