//! The user's time, shared out over the groups of a campaign.

use crate::planned::{Campaign, Group};

/// Fewest seconds of a group, however little of the budget is left: three rounds, the fewest that show a spread, of some ten cells
/// whose samples last milliseconds.
pub const GROUP_MIN_S: f64 = 0.2;

/// Time for the groups that have not begun.
pub struct Budget {
    /// The user's, from the start of the session on.
    pub budget_s: Option<f64>,
    /// Sum of the groups' weights.
    weight: f64,
}

impl Budget {
    /// That of all groups of `campaign`.
    pub fn new<J>(campaign: &Campaign<J>, budget_s: Option<f64>) -> Self {
        Self { budget_s, weight: campaign.groups.iter().map(weight).sum() }
    }

    /// Counts a group that was not planned.
    pub fn add<J>(&mut self, group: &Group<J>) {
        self.weight += weight(group);
    }

    /// The share of the next group, `at_s` seconds after the session began.
    pub fn share_s<J>(&mut self, group: &Group<J>, at_s: f64) -> Option<f64> {
        let share_s = (self.budget_s? - at_s) * weight(group) / self.weight;
        self.weight -= weight(group);
        Some(share_s.max(GROUP_MIN_S))
    }

    /// Whether `group` can end in time, `at_s` seconds after the session began.
    pub fn suffices<J>(&self, group: &Group<J>, at_s: f64) -> bool {
        self.budget_s.is_none_or(|budget_s| budget_s - at_s > group.least_s)
    }
}

fn weight<J>(group: &Group<J>) -> f64 {
    group.share.or(group.estimate_s).unwrap_or(1.0)
}
