//! How much of a run is read: what views do not look at is left out, and figures stay what they are.

use std::path::Path;

use paw_data::history::RunDigest;
use paw_data::run::{Record, Run};
use paw_data::sample::{Samples, WarmupSamples};
use paw_data::store::{self, Extent};

use crate::sample_run::sample_run;

fn read(extent: Extent) -> Run {
    let path = Path::new("run.jsonl");
    let mut file = Vec::new();
    store::write(&sample_run(), &mut file, path).unwrap();
    store::parse_extent(file.as_slice(), path, extent).unwrap()
}

/// `record` without what `extent` leaves out.
fn without(record: &Record, extent: Extent) -> Record {
    let samples = match extent {
        Extent::All => return record.clone(),
        Extent::Shown => {
            Samples { position: Vec::new(), switches: Vec::new(), migrations: Vec::new(), ..record.samples.clone() }
        }
        Extent::Figures => {
            Samples { at_s: Vec::new(), run_delay_s: Vec::new(), ..without(record, Extent::Shown).samples }
        }
    };
    Record { warmup: WarmupSamples::default(), samples, ..record.clone() }
}

#[test]
fn an_extent_leaves_out_what_it_says_and_nothing_else() {
    let all = read(Extent::All);
    assert!(all.records.iter().any(|r| !r.warmup.is_empty()), "the run has warm-up samples to leave out");
    assert!(all.records.iter().any(|r| !r.samples.at_s.is_empty()), "and times");
    for extent in [Extent::All, Extent::Shown, Extent::Figures] {
        let expected: Vec<Record> = all.records.iter().map(|record| without(record, extent)).collect();
        // Debug texts, because NaN equals nothing.
        assert_eq!(format!("{:#?}", read(extent).records), format!("{expected:#?}"));
    }
}

#[test]
fn figures_do_not_depend_on_what_was_left_out() {
    let digest = |extent| RunDigest::of(&read(extent), String::new());
    assert!(!digest(Extent::All).figures.is_empty());
    assert_eq!(digest(Extent::Figures), digest(Extent::All));
    assert_eq!(digest(Extent::Shown), digest(Extent::All));
}
