//! Benchmarks of ranks that are looked at together, because they ask the same of an MPI library.

use paw_data::cell::{Cell, Role};
use paw_data::quantity::Quantity;

use crate::section::Section;

/// A family: what its benchmarks' names begin with.
struct Family {
    title: &'static str,
    lead: &'static str,
    starts: &'static [&'static str],
}

/// The first family that a name belongs to is its own; the last one takes what is left.
const FAMILIES: &[Family] = &[
    Family {
        title: "Messages between pairs",
        lead: "The time of one message, and the bytes of all pairs by the time.",
        starts: &["p2p_send", "p2p_isend", "p2p_multitask", "p2p_persistent", "latency", "multi_latency", "exchange"],
    },
    Family { title: "Message rate", lead: "Many messages in flight between each pair.", starts: &["p2p_mrate"] },
    Family {
        title: "One-sided messages",
        lead: "The time until the target's memory is read or changed, and the bytes of all pairs by the time.",
        starts: &["p2p_", "col_acc", "col_racc"],
    },
    Family { title: "Start-up", lead: "The time from nothing to ready ranks.", starts: &["col_init"] },
    Family {
        title: "Collectives",
        lead: "Completion: the time of the slowest rank. Bandwidths count bytes as PAW does.",
        starts: &[""],
    },
];

/// Benchmarks that are looked at together.
#[derive(Debug)]
pub struct FamilyMembers<'s, 'r> {
    /// What they are.
    pub title: &'static str,
    /// What their numbers are, in a sentence or two.
    pub lead: &'static str,
    /// Their sections.
    pub sections: Vec<&'s Section<'r>>,
}

/// The benchmarks of ranks in `sections` by family, in the families' order.
pub fn families<'s, 'r>(sections: &[&'s Section<'r>]) -> Vec<FamilyMembers<'s, 'r>> {
    let all = FAMILIES.iter().enumerate().map(|(at, family)| FamilyMembers {
        title: family.title,
        lead: family.lead,
        sections: sections.iter().filter(|s| is_of_ranks(s) && place(s) == at).copied().collect(),
    });
    all.filter(|members| !members.sections.is_empty()).collect()
}

/// Whether the cells of `section` are what the user asked of ranks.
pub fn is_of_ranks(section: &Section<'_>) -> bool {
    section.suite == "mpi" && section.role == Role::Subject
}

fn place(section: &Section<'_>) -> usize {
    section.rows.first().and_then(|r| of(&r.record.cell)).unwrap_or(FAMILIES.len() - 1)
}

/// The family of `cell` by its number; `None` where it is no benchmark of ranks.
pub fn of(cell: &Cell) -> Option<usize> {
    let own = |family: &Family| family.starts.iter().any(|start| cell.benchmark.starts_with(start));
    FAMILIES.iter().position(own).filter(|_| cell.suite == "mpi")
}

impl FamilyMembers<'_, '_> {
    /// What is drawn of them: times, and the rate that they have.
    pub fn quantities(&self) -> [Quantity; 2] {
        let counts_messages = self.sections.iter().all(|s| s.quantity == Quantity::Messages);
        if counts_messages { [Quantity::Messages, Quantity::Bytes] } else { [Quantity::Time, Quantity::Bytes] }
    }
}
