//! Who the ranks are and where they sit: told to rank 0 once, kept by nobody else.

use std::collections::{BTreeMap, BTreeSet};

use paw_data::cell::Rank;
use paw_data::outcome::Caveat;
use paw_machine::topology::Topology;
use paw_measure::channel::Channel;
use paw_measure::fault::Fault;

use super::partner::Pairing;

/// `seats` with their partners, where there are pairs.
pub fn paired(seats: &[Rank], pairing: Pairing) -> Vec<Rank> {
    let partner = |rank: u32| pairing.side(rank as usize, seats.len()).partner as u32;
    let is_even = seats.len().is_multiple_of(2);
    seats.iter().map(|seat| Rank { partner: is_even.then(|| partner(seat.rank)), ..seat.clone() }).collect()
}

/// Where the calling process sits, as one rank of a job; `host` is this machine's name.
pub fn seat(rank: usize, host: &str, topology: &Topology) -> Rank {
    let cpus: Vec<_> = topology.allowed().iter().filter_map(|number| topology.cpu(number)).collect();
    let number = |index: usize, id: Option<i64>| id.and_then(|id| u32::try_from(id).ok()).unwrap_or(index as u32);
    let package = only(cpus.iter().map(|cpu| cpu.package));
    let core = only(cpus.iter().map(|cpu| cpu.core));
    Rank {
        rank: rank as u32,
        host: host.to_owned(),
        cpus: cpus.iter().map(|cpu| cpu.number).collect(),
        partner: None,
        package: package.map(|index| number(index, topology.packages[index].id)),
        core: core.map(|index| number(index, topology.cores[index].id)),
    }
}

/// The one value that all are.
fn only(mut values: impl Iterator<Item = usize>) -> Option<usize> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// All ranks' seats on rank 0, nothing elsewhere.
pub fn called(channel: &dyn Channel, mine: Rank) -> Result<Vec<Rank>, Fault> {
    if channel.rank() > 0 {
        let numbers = numbers(&mine);
        channel.send(0, &[numbers.len() as f64])?;
        channel.send(0, &numbers)?;
        return Ok(Vec::new());
    }
    let mut seats = vec![mine];
    for rank in 1..channel.size() {
        let mut length = [0.0];
        channel.receive(rank, &mut length)?;
        let mut numbers = vec![0.0; length[0] as usize];
        channel.receive(rank, &mut numbers)?;
        seats.push(seat_of(rank, &numbers)?);
    }
    Ok(seats)
}

/// How many ranks sit on the node of each of `size` ranks, where the seats are known; ones elsewhere.
pub fn neighbours(seats: &[Rank], size: usize) -> Vec<f64> {
    let on = |host: &str| seats.iter().filter(|seat| seat.host == host).count() as f64;
    let known: Vec<f64> = seats.iter().map(|seat| on(&seat.host)).collect();
    if known.len() == size { known } else { vec![1.0; size] }
}

/// A seat as numbers: a channel carries nothing else.
fn numbers(seat: &Rank) -> Vec<f64> {
    let text = serde_json::to_string(seat).expect("a seat is plain data");
    text.bytes().map(f64::from).collect()
}

fn seat_of(rank: usize, numbers: &[f64]) -> Result<Rank, Fault> {
    let bytes: Vec<u8> = numbers.iter().map(|number| *number as u8).collect();
    serde_json::from_slice(&bytes).map_err(|e| Fault::Broken(format!("rank {rank} did not say where it sits: {e}")))
}

/// `oversubscribed`: ranks of one node have fewer processors than they are.
pub fn crowded(seats: &[Rank]) -> Option<Caveat> {
    nodes(seats).into_iter().find(|node| node.ranks > node.processors).map(|Node { host, ranks, processors }| {
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

/// Why `threads` threads of each rank cannot all run at once. Threads that wait inside MPI do so busily, so that those which share a
/// processor hand it over by time slices: a message then takes milliseconds. One thread a rank is what every benchmark has.
pub fn short(seats: &[Rank], threads: usize) -> Option<String> {
    if threads < 2 {
        return None;
    }
    let bound = seats.iter().find(|seat| !seat.cpus.is_empty() && seat.cpus.len() < threads);
    if let Some(seat) = bound {
        return Some(format!(
            "{threads} threads of rank {} would take turns on the {} processors it is bound to. hint: mpiexec's --bind-to none or -bind-to none",
            seat.rank,
            seat.cpus.len()
        ));
    }
    nodes(seats).into_iter().find(|node| node.ranks * threads > node.processors).map(|Node { host, ranks, processors }| {
        format!("{ranks} ranks of {threads} threads would take turns on the {processors} processors of {host}. hint: --set pool=1, or more processors")
    })
}

/// What ranks of one machine share.
struct Node<'a> {
    host: &'a str,
    ranks: usize,
    processors: usize,
}

/// The machines of these ranks, those whose processors are known.
fn nodes(seats: &[Rank]) -> Vec<Node<'_>> {
    let mut nodes: BTreeMap<&str, (usize, BTreeSet<u32>)> = BTreeMap::new();
    for seat in seats {
        let (ranks, cpus) = nodes.entry(&seat.host).or_default();
        *ranks += 1;
        cpus.extend(&seat.cpus);
    }
    let known = nodes.into_iter().filter(|(_, (_, cpus))| !cpus.is_empty());
    known.map(|(host, (ranks, cpus))| Node { host, ranks, processors: cpus.len() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(rank: u32, host: &str, cpus: &[u32]) -> Rank {
        Rank { rank, host: host.to_owned(), cpus: cpus.to_vec(), ..Rank::default() }
    }

    #[test]
    fn ranks_without_a_processor_each_are_crowded() {
        assert_eq!(crowded(&[rank(0, "a", &[0]), rank(1, "a", &[1])]), None);
        assert_eq!(crowded(&[rank(0, "a", &[0, 1]), rank(1, "a", &[0, 1])]), None);
        assert_eq!(crowded(&[rank(0, "a", &[0]), rank(1, "b", &[0])]), None);
        let caveat = crowded(&[rank(0, "a", &[0, 1]), rank(1, "a", &[0, 1]), rank(2, "a", &[0, 1])]).unwrap();
        assert_eq!(caveat.id, "oversubscribed");
        assert!(caveat.cause.contains("3 ranks share 2 processors of a"), "{}", caveat.cause);
    }

    #[test]
    fn threads_without_a_processor_each_are_told() {
        let bound = [rank(0, "a", &[0]), rank(1, "a", &[1])];
        assert!(short(&bound, 2).unwrap().contains("2 threads of rank 0 would take turns on the 1 processors"));
        let shared = [rank(0, "a", &[0, 1]), rank(1, "a", &[0, 1])];
        assert!(short(&shared, 2).unwrap().contains("2 ranks of 2 threads would take turns on the 2 processors of a"));
        assert_eq!(short(&shared, 1), None);
        assert_eq!(short(&[rank(0, "a", &[0]), rank(1, "a", &[0])], 1), None, "crowded, as every benchmark then is");
        assert_eq!(short(&[rank(0, "a", &[0, 1]), rank(1, "a", &[2, 3])], 2), None);
        assert_eq!(short(&[rank(0, "a", &[])], 2), None, "nothing is known of the processors");
    }

    #[test]
    fn neighbours_are_the_ranks_of_a_node() {
        let seats = [rank(0, "a", &[0]), rank(1, "b", &[0]), rank(2, "a", &[1])];
        assert_eq!(neighbours(&seats, 3), [2.0, 1.0, 2.0]);
        assert_eq!(neighbours(&[], 2), [1.0, 1.0], "only rank 0 knows");
    }

    #[test]
    fn a_seat_travels_as_numbers() {
        let seat = Rank { package: Some(1), partner: Some(3), ..rank(2, "näher", &[4, 5]) };
        assert_eq!(seat_of(2, &numbers(&seat)), Ok(seat));
        assert!(seat_of(2, &[1.0]).is_err());
    }
}
