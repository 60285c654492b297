//! Families of MPI benchmarks: those that exercise the same part of the library are drawn together.

use paw_data::cell::{Combine, Role};
use paw_data::headline::Family;
use paw_data::quantity::Quantity;

use crate::section::Section;

/// Benchmarks that are drawn together.
#[derive(Debug)]
pub struct FamilyMembers<'s, 'r> {
    /// The family's name.
    pub title: &'static str,
    /// One or two sentences that define their numbers.
    pub lead: &'static str,
    pub sections: Vec<&'s Section<'r>>,
}

/// Title and lead of a family of ranks; `None` for others.
fn words(family: Family) -> Option<(&'static str, &'static str)> {
    Some(match family {
        Family::Pairs => ("Messages between pairs", "The time of one message, and the bytes of all pairs by the time."),
        Family::MessageRate => ("Message rate", "Many messages in flight between each pair."),
        Family::OneSided => (
            "One-sided messages",
            "The time until the target's memory is read or changed, and the bytes of all pairs by the time.",
        ),
        Family::Startup => ("Start-up", "The time from nothing to ready ranks."),
        Family::Collectives => {
            ("Collectives", "Completion: the time of the slowest rank. Bandwidths count bytes as PAW does.")
        }
        Family::DeviceCollectives => (
            "Collectives between devices",
            "Completion on the device of the slowest rank. algbw and busbw count bytes as nccl-tests does.",
        ),
        Family::Files => ("Files", "The bytes of all ranks by the time of the slowest."),
        Family::Peak | Family::Memory | Family::Blas | Family::Devices | Family::System => return None,
    })
}

/// The benchmarks of ranks in `sections` by family, in the families' order; without those whose rows are rounds, which are no curve, and
/// without trains of messages, whose time is not that of one message.
pub fn families<'s, 'r>(sections: &[&'s Section<'r>]) -> Vec<FamilyMembers<'s, 'r>> {
    let is_drawn = |section: &Section<'_>| {
        is_of_ranks(section) && section.combine != Some(Combine::Pairs) && !section.is_of_trains()
    };
    let mut found: Vec<Family> = sections.iter().filter(|s| is_drawn(s)).filter_map(|s| s.family).collect();
    found.sort_unstable();
    found.dedup();
    let members = |family| {
        let (title, lead) = words(family)?;
        let own = |s: &&&Section<'_>| is_drawn(s) && s.family == Some(family);
        Some(FamilyMembers { title, lead, sections: sections.iter().filter(own).copied().collect() })
    };
    found.into_iter().filter_map(members).collect()
}

/// Whether `section` holds MPI benchmarks that the user asked for.
pub fn is_of_ranks(section: &Section<'_>) -> bool {
    section.role == Role::Subject && section.family.is_some_and(Family::is_of_ranks)
}

impl FamilyMembers<'_, '_> {
    /// The quantities drawn: time, and the rate the family has.
    pub fn quantities(&self) -> [Quantity; 2] {
        let counts_messages = self.sections.iter().all(|s| s.quantity == Quantity::Messages);
        if counts_messages { [Quantity::Messages, Quantity::Bytes] } else { [Quantity::Time, Quantity::Bytes] }
    }
}
