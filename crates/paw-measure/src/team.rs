//! Processes that measure together: the root decides for all, and their readings are combined into one.

use paw_data::cell::Combine;
use paw_data::outcome::{Check, Ending};

use crate::fault::Fault;
use crate::workload::Reading;

/// A decision of the root, valid on every rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decision {
    /// The next region is timed.
    Go,
    /// No further region is timed, for this reason.
    Stop(Ending),
    /// Seconds: a length of time, or a moment, that every rank must see alike. See [`Session::at_s`](crate::session::Session::at_s).
    Seconds(f64),
}

/// Processes that measure together. Every rank runs the same loop on the same combined readings;
/// whatever a rank could see differently (its clock, its user) goes through [`Team::decide`].
pub trait Team {
    /// Number of this process, from 0; 0 is the root.
    fn rank(&self) -> usize;

    /// How many processes there are.
    fn size(&self) -> usize;

    /// The root's decision, on every rank.
    fn decide(&self, root: Decision) -> Result<Decision, Fault>;

    /// The root's value of `mine_s`, on every rank.
    fn roots_s(&self, mine_s: f64) -> Result<f64, Fault> {
        match self.decide(Decision::Seconds(mine_s))? {
            Decision::Seconds(roots_s) => Ok(roots_s),
            Decision::Go | Decision::Stop(_) => Ok(mine_s),
        }
    }

    /// One reading from all ranks', the same on every rank. A fault of any rank is everyone's fault; disturbances add up, and the
    /// largest run delay of the ranks that made the sample as long as it is is kept too; idle ranks (`None`) take no part. `rank_min_s`, `rank_mean_s`, `rank_max_s`, `run_delay_slowest_s`
    /// and `slowest` (the lowest rank in a tie) go into `extra`.
    /// Where operations are stamped they are combined one by one, from the last start to the last end, and the whole is their sum.
    fn combine(&self, mine: Result<Option<Reading>, Fault>, how: Combine) -> Result<Reading, Fault>;

    /// Whether every rank succeeded; the fault of the lowest rank that did not.
    fn agree(&self, mine: Result<(), Fault>) -> Result<(), Fault>;

    /// The worst check of all ranks.
    fn judge(&self, mine: Result<Check, Fault>) -> Result<Check, Fault>;

    /// Whether the processes can go on to another cell after the faults so far: none broke where another went on, which may have left
    /// a message that nobody takes. All see it alike.
    fn is_in_step(&self) -> bool;
}

/// A team of one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Team for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn decide(&self, root: Decision) -> Result<Decision, Fault> {
        Ok(root)
    }

    fn combine(&self, mine: Result<Option<Reading>, Fault>, _how: Combine) -> Result<Reading, Fault> {
        mine?.ok_or_else(|| {
            Fault::Broken("the only process timed nothing: the benchmark needs more processes".to_owned())
        })
    }

    fn agree(&self, mine: Result<(), Fault>) -> Result<(), Fault> {
        mine
    }

    fn judge(&self, mine: Result<Check, Fault>) -> Result<Check, Fault> {
        mine
    }

    fn is_in_step(&self) -> bool {
        true
    }
}
