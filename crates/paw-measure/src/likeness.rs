//! Cells of a group that cost the same because they are alike: the first of each kind goes first, and stands for those left out.

use crate::fault::Fault;
use crate::planned::PlannedCell;

/// Cells with what they have in common, the first of each likeness before all others.
pub(crate) fn first_of_each<J>(
    cells: Vec<PlannedCell<J>>,
    likeness: impl Fn(&PlannedCell<J>) -> Option<String>,
) -> Vec<(PlannedCell<J>, Option<String>)> {
    let mut known = Vec::new();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for planned in cells {
        let likeness = likeness(&planned);
        let is_known = likeness.is_some() && known.contains(&likeness);
        known.push(likeness.clone());
        if is_known { &mut others } else { &mut first }.push((planned, likeness));
    }
    first.append(&mut others);
    first
}

/// Why a cell that is like another was left out.
pub(crate) fn left_out() -> Fault {
    Fault::Missing(
        "the time for its group was used up, and others of it were measured. hint: --budget gives more time".to_owned(),
    )
}
