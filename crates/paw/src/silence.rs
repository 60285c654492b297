//! Why a job ends whose ranks no longer answer each other: which rank, and on which node, as far as rank 0 can know.

use paw_data::cell::Rank;

use crate::rendezvous::FaultNote;

/// The end of every reason.
const WAITED: &str = "the other ranks waited for it, and the job was ended";

/// Ranks that a sentence names; it counts the others.
const NAMED: usize = 3;

/// What rank 0 knows of the ranks of its job.
#[derive(Debug)]
pub struct Silence<'a> {
    /// Where each rank runs; empty before the ranks have told.
    pub ranks: &'a [Rank],
    /// What ranks have said before they broke.
    pub notes: &'a [FaultNote],
    /// The ranks that said that they are alive; rank 0, which asks, is alive.
    pub signs: &'a [usize],
}

impl Silence<'_> {
    /// The reasons for the cell that was measured, and for the job where none was.
    pub fn why_ended(&self) -> (String, String) {
        let Some(FaultNote { rank, why }) = self.notes.first() else {
            let sentence = format!("a rank no longer answered: {}; the job was ended", self.detail());
            return (sentence.clone(), sentence);
        };
        let name = match self.ranks.get(*rank) {
            Some(placed) if self.nodes().len() > 1 => format!("rank {rank} on {}", placed.host),
            _ => format!("rank {rank}"),
        };
        // The rank itself printed its error.
        (format!("{name}: {why}; {WAITED}"), format!("{name} broke: {WAITED}"))
    }

    fn detail(&self) -> String {
        if self.ranks.is_empty() {
            return "it died, its library hangs, or it waited too long for a processor (PAW_DEADLINE=60 gives it a minute)"
                .to_owned();
        }
        let silent: Vec<&Rank> = self.ranks.iter().filter(|rank| !self.is_alive(rank)).collect();
        match silent[..] {
            [] => self.held_up(),
            [rank] => format!("{} gave no sign of life: it {}{}", named(&silent), OF_ONE, self.apart(&[rank])),
            _ => format!("{} gave no sign of life: they {}{}", named(&silent), OF_ONE, self.apart(&silent)),
        }
    }

    fn is_alive(&self, rank: &Rank) -> bool {
        rank.rank == 0 || self.signs.contains(&(rank.rank as usize))
    }

    /// All ranks are alive, and wait.
    fn held_up(&self) -> String {
        let count = self.ranks.len();
        let wait = "PAW_DEADLINE=60 waits a minute";
        match &self.nodes()[..] {
            [node] => format!(
                "all {count} ranks on {node} are alive, so that their library hangs or is slow, or other work holds their processors ({wait})"
            ),
            [first, .., last] => format!(
                "all {count} ranks are alive, so that the network between {first} and {last} lets nothing through, their library hangs, or other work holds their processors ({wait})"
            ),
            [] => String::new(),
        }
    }

    /// What else may keep whole nodes from giving a sign.
    fn apart(&self, silent: &[&Rank]) -> &'static str {
        let is_whole =
            |node: &str| self.ranks.iter().filter(|rank| rank.host == node).all(|rank| silent.contains(&rank));
        if silent.iter().all(|rank| is_whole(&rank.host)) {
            ", or its node does not see the run's directory"
        } else {
            ""
        }
    }

    fn nodes(&self) -> Vec<&str> {
        let mut nodes: Vec<&str> = Vec::new();
        for rank in self.ranks {
            if !nodes.contains(&rank.host.as_str()) {
                nodes.push(&rank.host);
            }
        }
        nodes
    }
}

/// What befell a rank that gives no sign.
const OF_ONE: &str = "died, was stopped, or waited too long for a processor (PAW_DEADLINE=60 gives it a minute)";

/// The first few ranks with their nodes, and how many others there are.
fn named(ranks: &[&Rank]) -> String {
    let names: Vec<String> =
        ranks.iter().take(NAMED).map(|rank| format!("rank {} on {}", rank.rank, rank.host)).collect();
    let others = ranks.len() - names.len();
    let names = names.join(", ");
    if others > 0 { format!("{names} and {others} more") } else { names }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(hosts: &[&str]) -> Vec<Rank> {
        let rank = |(number, host): (u32, &&str)| Rank { rank: number, host: (*host).into(), ..Rank::default() };
        (0..).zip(hosts).map(rank).collect()
    }

    fn check(hosts: &[&str], notes: &[FaultNote], signs: &[usize], parts: &[&str]) {
        let (sentence, _) = Silence { ranks: &ranks(hosts), notes, signs }.why_ended();
        assert!(parts.iter().all(|part| sentence.contains(part)), "{sentence}");
    }

    #[test]
    fn the_rank_that_gives_no_sign_is_named_with_its_node() {
        check(&["a", "b"], &[], &[], &["rank 1 on b gave no sign", "does not see the run's directory"]);
        check(&["a", "b", "b"], &[], &[2], &["rank 1 on b gave no sign"]);
        check(&["a", "b", "b", "b", "b"], &[], &[], &["rank 1 on b, rank 2 on b, rank 3 on b and 1 more gave"]);
    }

    #[test]
    fn ranks_that_all_wait_have_their_network_or_library_to_blame() {
        check(&["a", "b"], &[], &[1], &["all 2 ranks are alive", "between a and b"]);
        check(&["a", "a"], &[], &[1], &["all 2 ranks on a are alive", "library hangs"]);
    }

    #[test]
    fn what_a_rank_said_before_it_broke_comes_first() {
        let note = FaultNote { rank: 1, why: "MPI_Send failed".to_owned() };
        check(&["a", "b"], std::slice::from_ref(&note), &[], &["rank 1 on b: MPI_Send failed; the other ranks"]);
        check(&["a", "a"], &[note], &[], &["rank 1: MPI_Send failed; the other ranks"]);
    }

    #[test]
    fn ranks_that_have_not_told_where_they_are_have_no_names() {
        check(&[], &[], &[], &["a rank no longer answered: it died"]);
    }
}
