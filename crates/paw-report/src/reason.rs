//! Codes of the reasons to doubt a number, for the rows of tables.

use paw_data::trust::Reason;

/// The codes of `reasons` that a row shows, each once, the gravest first. A reason that `all` rows of the table share is printed
/// below it; a missing interval over processes is shown where there is nothing graver.
pub fn codes(reasons: &[Reason], all: SharedReason) -> Vec<&str> {
    let mut codes: Vec<&str> = Vec::new();
    let is_alone = all == SharedReason::No && !reasons.iter().any(Reason::is_of_the_row);
    for reason in reasons.iter().filter(|reason| is_alone || reason.is_of_the_row()) {
        if !codes.contains(&reason.code()) {
            codes.push(reason.code());
        }
    }
    codes
}

/// Whether all rows of a table come from too few processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedReason {
    /// All rows do.
    Yes,
    /// Some do, or none.
    No,
}

impl SharedReason {
    /// Whether each of these rows has a reason that holds for most rows of a run.
    pub fn of<'r>(mut rows: impl Iterator<Item = &'r [Reason]>) -> Self {
        if rows.all(|reasons| !reasons.iter().all(Reason::is_of_the_row)) {
            SharedReason::Yes
        } else {
            SharedReason::No
        }
    }
}

/// At most `most` of `codes`, and how many there are beyond them.
pub fn at_most(codes: &[&str], most: usize) -> String {
    let more = codes.len().saturating_sub(most);
    let more = if more > 0 { format!(" +{more} more") } else { String::new() };
    codes[..codes.len().min(most)].join(", ") + &more
}

#[cfg(test)]
mod tests {
    use paw_data::trust::{Process, Reason};

    use super::{SharedReason, at_most, codes};

    #[test]
    fn a_row_names_two_caveats_and_counts_the_rest() {
        let codes = ["drift", "noisy", "bimodal", "warm-up"];
        let shown = [0, 1, 2, 4].map(|n| at_most(&codes[..n], 2));
        assert_eq!(shown, ["", "drift", "drift, noisy", "drift, noisy +2 more"]);
    }

    #[test]
    fn one_process_is_named_where_other_rows_have_more_and_nothing_is_graver() {
        let one = Reason::FewInvocations { n: 1, of: Process::Job };
        let rows = [vec![one.clone()], vec![Reason::LoneMinimum, one], vec![]];
        let shown = |n: usize| {
            let all = SharedReason::of(rows[..n].iter().map(Vec::as_slice));
            rows[..n].iter().map(|reasons| codes(reasons, all).concat()).collect::<Vec<_>>()
        };
        assert_eq!(shown(3), ["1 job", "lucky-minimum", ""]);
        assert_eq!(shown(2), ["", "lucky-minimum"], "below the table");
    }
}
