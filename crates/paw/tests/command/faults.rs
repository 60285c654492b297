//! Signals at a few random moments, and files that refuse: what `testing/faults` counts by the hundred.

use std::path::Path;

use ::faults::refusal::{self, REFUSALS};
use ::faults::subject::{APP, CAMPAIGN, KERNEL, RUN, Subject};
use ::faults::tally::{SIGNALS, tally};

use crate::workplace::{PAW, Workplace};

#[track_caller]
fn struck(subject: &Subject, moments: u32) {
    for (seed, signal) in (1..).zip(SIGNALS) {
        let tally = tally(subject, signal, moments, seed, Path::new(PAW));
        assert!(tally.is_clean(), "{:#?}", tally.sentences());
    }
}

#[test]
fn a_run_that_is_cut_off_loses_nothing_leaves_nobody_and_can_be_read() {
    struck(&RUN, 2);
}

#[test]
fn a_program_that_is_cut_off_goes_on_with_what_is_missing() {
    struck(&APP, 2);
}

#[test]
fn a_kernel_that_is_cut_off_can_be_read() {
    struck(&KERNEL, 1);
}

#[test]
fn a_campaign_that_is_cut_off_takes_its_step_with_it_and_goes_on() {
    struck(&CAMPAIGN, 2);
}

#[test]
fn whatever_is_refused_is_named_and_the_table_is_printed() {
    let place = Workplace::new();
    let library = refusal::library(&place.path(""));
    for refusal in REFUSALS {
        let refused = refusal::refused(&RUN, refusal, 1, 3, Path::new(PAW), &library);
        assert!(refused.faults.is_empty(), "{:#?}", refused.faults);
    }
}
