//! What a matrix adds to times where it is asked why: the code of every build, samples of its calls, and its loop taken apart.

use std::cell::RefCell;

use paw_data::build::Build;
use paw_data::kernel::{Level, SIZE};
use paw_data::run::Record;
use paw_kernels::builds::{BuildJob, Built};
use paw_kernels::explain::allowance::{Allowance, OwnSeries};
use paw_kernels::explain::{self, Subject};
use paw_kernels::request::KernelRequest;
use paw_measure::watch::{Control, Watch};
use paw_sort::OrderBy;

use super::setup::Setup;
use super::{analyze, profile};
use crate::failure::Failure;
use crate::model_store::{Freshness, ModelStore};
use crate::print;
use crate::session::Session;

/// Most builds that are sampled and taken apart: each takes some ten seconds.
const BUILDS: usize = 4;
/// Samples of each ablation: enough for a lower quartile.
const SAMPLES: u32 = 9;

/// Whether reasons are wanted beside times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reasons {
    /// They are.
    Wanted,
    /// They are not.
    None,
}

/// The builds of a matrix whose reasons are wanted.
pub struct Why<'a> {
    pub request: &'a KernelRequest,
    pub jobs: &'a [BuildJob],
    pub builds: &'a [Built],
}

impl Why<'_> {
    /// Adds everything to `session`; what cannot be known is said and loses nothing.
    pub fn add(&self, setup: &Setup, session: &mut Session) -> Result<(), Failure> {
        analyze::keep(self.builds, self.jobs, &self.request.spec, &setup.bench.builds, session);
        let chosen = self.chosen(session);
        if let Err(failure) = profile::sample(self.request, &chosen, setup, session) {
            print::message(&format!("paw: no profile: {failure}"));
        }
        self.explain(&chosen, setup, session);
        Ok(())
    }

    /// The builds that were measured, at most [`BUILDS`]: the reference, then the fastest at the first size.
    fn chosen(&self, session: &Session) -> Vec<&Built> {
        let mut timed: Vec<(f64, &Built)> = Vec::new();
        for record in &session.run().records {
            let built = self.builds.iter().find(|built| is_of(record, &built.build));
            let known = |built: &&Built| timed.iter().any(|(_, other)| std::ptr::eq(*other, *built));
            if let Some(built) = built.filter(|built| !built.is_residency() && !known(built)) {
                let seconds = record.samples.per_loop_s().into_iter().fold(f64::INFINITY, f64::min);
                if seconds.is_finite() {
                    timed.push((if timed.is_empty() { 0.0 } else { seconds }, built));
                }
            }
        }
        timed.order_by(|a, b| a.0.total_cmp(&b.0));
        if timed.len() > BUILDS {
            print::message(&format!(
                "the reference and the fastest, {BUILDS} of {} builds, are taken apart",
                timed.len()
            ));
        }
        timed.into_iter().take(BUILDS).map(|(_, built)| built).collect()
    }

    /// The series of `built` at each size.
    fn series(&self, built: &Built, session: &Session) -> Vec<OwnSeries> {
        let of = |level: &Level| {
            let is_there = |record: &&Record| {
                is_of(record, &built.build) && record.cell.point.int(SIZE) == Some(level.n.cast_signed())
            };
            session.run().records.iter().find(is_there).map(OwnSeries::of).unwrap_or_default()
        };
        self.request.levels.iter().map(of).collect()
    }

    fn explain(&self, chosen: &[&Built], setup: &Setup, session: &mut Session) {
        let store = ModelStore::of(&setup.here.machine.identity.fingerprint);
        let mut model = store.model(Freshness::Kept);
        for built in chosen {
            if session.asked() == Control::Stop {
                break;
            }
            let series = self.series(built, session);
            let subject = Subject {
                request: self.request,
                built,
                bench: &setup.bench,
                samples: SAMPLES,
                series: &series,
                allowance: Allowance::unlimited(),
            };
            let shared = RefCell::new(&mut *session);
            let explanation = explain::explain(subject, &mut model, &mut |words| {
                print::message(words);
                shared.borrow_mut().asked()
            });
            session.explained(explanation);
        }
        store.keep(&model);
    }
}

/// Whether a record is of `build`.
fn is_of(record: &Record, build: &Build) -> bool {
    record.cell.build.as_ref().is_some_and(|own| own.full_name() == build.full_name())
}
