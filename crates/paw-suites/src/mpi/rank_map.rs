//! The rank map: which rank runs on which processors of which host. Rank 0 gathers it once; the other ranks keep nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use paw_data::cell::Rank;
use paw_data::outcome::Caveat;
use paw_machine::topology::Topology;
use paw_measure::channel::Channel;
use paw_measure::fault::Fault;

use super::partner::Pairing;

/// `ranks` with their partners; without a pairing, and of an odd number of ranks, they have none.
pub fn paired(ranks: &[Rank], pairing: Option<Pairing>) -> Vec<Rank> {
    let pairing = pairing.filter(|_| ranks.len().is_multiple_of(2));
    let partner = |rank: u32| Some(pairing?.side(rank as usize, ranks.len()).partner as u32);
    ranks.iter().map(|rank| Rank { partner: partner(rank.rank), ..rank.clone() }).collect()
}

/// The calling process as one entry of the map; `host` is this machine's name.
pub fn of_process(rank: usize, host: &str, topology: &Topology) -> Rank {
    let cpus: Vec<_> = topology.allowed().iter().filter_map(|number| topology.cpu(number)).collect();
    let number = |index: usize, id: Option<i64>| id.and_then(|id| u32::try_from(id).ok()).unwrap_or(index as u32);
    let package = only(cpus.iter().map(|cpu| cpu.package));
    let core = only(cpus.iter().map(|cpu| cpu.core));
    Rank {
        rank: rank as u32,
        host: host.into(),
        cpus: cpus.iter().map(|cpu| cpu.number).collect(),
        partner: None,
        package: package.map(|index| number(index, topology.packages[index].id)),
        core: core.map(|index| number(index, topology.cores[index].id)),
    }
}

/// The value that all of `values` share.
fn only(mut values: impl Iterator<Item = usize>) -> Option<usize> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// Every rank's entry of the map on rank 0, nothing elsewhere.
pub fn gather(channel: &dyn Channel, mine: Rank) -> Result<Vec<Rank>, Fault> {
    if channel.rank() > 0 {
        let numbers = numbers(&mine);
        channel.send(0, &[numbers.len() as f64])?;
        channel.send(0, &numbers)?;
        return Ok(Vec::new());
    }
    let mut ranks = vec![mine];
    for rank in 1..channel.size() {
        let mut length = [0.0];
        channel.receive(rank, &mut length)?;
        let mut numbers = vec![0.0; length[0] as usize];
        channel.receive(rank, &mut numbers)?;
        ranks.push(decoded(rank, &numbers)?);
    }
    Ok(ranks)
}

/// For each of `size` ranks the number of ranks on its node; ones if this rank does not hold the map.
pub fn per_node(ranks: &[Rank], size: usize) -> Vec<f64> {
    if ranks.len() != size {
        return vec![1.0; size];
    }
    let mut on: HashMap<&str, f64> = HashMap::new();
    ranks.iter().for_each(|rank| *on.entry(&rank.host).or_default() += 1.0);
    ranks.iter().map(|rank| on[rank.host.as_str()]).collect()
}

/// A rank as numbers, to send through a channel.
fn numbers(rank: &Rank) -> Vec<f64> {
    let text = serde_json::to_string(rank).expect("a rank is plain data");
    text.bytes().map(f64::from).collect()
}

fn decoded(rank: usize, numbers: &[f64]) -> Result<Rank, Fault> {
    let bytes: Vec<u8> = numbers.iter().map(|number| *number as u8).collect();
    serde_json::from_slice(&bytes).map_err(|e| Fault::Broken(format!("rank {rank} did not say where it sits: {e}")))
}

/// `oversubscribed`: ranks of one node have fewer processors than they are.
pub fn oversubscribed(ranks: &[Rank]) -> Option<Caveat> {
    nodes(ranks).into_iter().find(|node| node.ranks > node.processors).map(|Node { host, ranks, processors }| {
        Caveat::new(
            "oversubscribed",
            format!(
                "{ranks} ranks share {} of {host}: they wait for each other's time slices, and a barrier starts them together, not the clock",
                if processors == 1 { "one processor".to_owned() } else { format!("{processors} processors") }
            ),
            "start as many ranks as there are cores",
        )
    })
}

/// Why `threads` threads of each rank cannot all run at once; `None` for one thread. Threads wait inside MPI by spinning, so threads
/// that share a processor alternate by time slices, and a message takes milliseconds.
pub fn too_few_processors(ranks: &[Rank], threads: usize) -> Option<String> {
    if threads < 2 {
        return None;
    }
    let bound = ranks.iter().find(|rank| !rank.cpus.is_empty() && rank.cpus.len() < threads);
    if let Some(rank) = bound {
        return Some(format!(
            "{threads} threads of rank {} would take turns on the {} processors it is bound to. hint: mpiexec's --bind-to none or -bind-to none",
            rank.rank,
            rank.cpus.len()
        ));
    }
    nodes(ranks).into_iter().find(|node| node.ranks * threads > node.processors).map(|Node { host, ranks, processors }| {
        format!("{ranks} ranks of {threads} threads would take turns on the {processors} processors of {host}. hint: --set pool=1, or more processors")
    })
}

/// The ranks and processors of one machine.
struct Node<'a> {
    host: &'a str,
    ranks: usize,
    processors: usize,
}

/// The machines of these ranks whose processors are known.
fn nodes(ranks: &[Rank]) -> Vec<Node<'_>> {
    let mut nodes: BTreeMap<&str, (usize, BTreeSet<u32>)> = BTreeMap::new();
    for rank in ranks {
        let (ranks, cpus) = nodes.entry(&rank.host).or_default();
        *ranks += 1;
        cpus.extend(&rank.cpus);
    }
    let known = nodes.into_iter().filter(|(_, (_, cpus))| !cpus.is_empty());
    known.map(|(host, (ranks, cpus))| Node { host, ranks, processors: cpus.len() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(rank: u32, host: &str, cpus: &[u32]) -> Rank {
        Rank { rank, host: host.into(), cpus: cpus.to_vec(), ..Rank::default() }
    }

    #[test]
    fn ranks_without_a_processor_each_are_oversubscribed() {
        assert_eq!(oversubscribed(&[rank(0, "a", &[0]), rank(1, "a", &[1])]), None);
        assert_eq!(oversubscribed(&[rank(0, "a", &[0, 1]), rank(1, "a", &[0, 1])]), None);
        assert_eq!(oversubscribed(&[rank(0, "a", &[0]), rank(1, "b", &[0])]), None);
        let caveat = oversubscribed(&[rank(0, "a", &[0, 1]), rank(1, "a", &[0, 1]), rank(2, "a", &[0, 1])]).unwrap();
        assert_eq!(caveat.id, "oversubscribed");
        assert!(caveat.cause.contains("3 ranks share 2 processors of a"), "{}", caveat.cause);
    }

    #[test]
    fn threads_without_a_processor_each_have_a_reason() {
        let bound = [rank(0, "a", &[0]), rank(1, "a", &[1])];
        assert!(
            too_few_processors(&bound, 2).unwrap().contains("2 threads of rank 0 would take turns on the 1 processors")
        );
        let shared = [rank(0, "a", &[0, 1]), rank(1, "a", &[0, 1])];
        assert!(
            too_few_processors(&shared, 2)
                .unwrap()
                .contains("2 ranks of 2 threads would take turns on the 2 processors of a")
        );
        assert_eq!(too_few_processors(&shared, 1), None);
        assert_eq!(
            too_few_processors(&[rank(0, "a", &[0]), rank(1, "a", &[0])], 1),
            None,
            "crowded, as every benchmark then is"
        );
        assert_eq!(too_few_processors(&[rank(0, "a", &[0, 1]), rank(1, "a", &[2, 3])], 2), None);
        assert_eq!(too_few_processors(&[rank(0, "a", &[])], 2), None, "nothing is known of the processors");
    }

    #[test]
    fn neighbours_are_the_ranks_of_a_node() {
        let ranks = [rank(0, "a", &[0]), rank(1, "b", &[0]), rank(2, "a", &[1])];
        assert_eq!(per_node(&ranks, 3), [2.0, 1.0, 2.0]);
        assert_eq!(per_node(&[], 2), [1.0, 1.0], "only rank 0 knows");
    }

    /// One look at each rank, however many share a node: comparing every two of a hundred thousand took a minute.
    #[test]
    fn a_hundred_thousand_ranks_are_listed_at_once() {
        let ranks: Vec<Rank> = (0..100_000).map(|n| rank(n, &format!("node{:05}", n / 128), &[n % 128])).collect();
        let neighbours = per_node(&ranks, ranks.len());
        assert_eq!((neighbours[0], neighbours[99_999]), (128.0, 32.0));
        assert_eq!(oversubscribed(&ranks), None);
    }

    #[test]
    fn an_entry_travels_as_numbers() {
        let rank = Rank { package: Some(1), partner: Some(3), ..rank(2, "näher", &[4, 5]) };
        assert_eq!(decoded(2, &numbers(&rank)), Ok(rank));
        assert!(decoded(2, &[1.0]).is_err());
    }
}
