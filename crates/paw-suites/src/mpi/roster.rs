//! Who the ranks are and where they sit: told to rank 0 once, kept by nobody else.

use std::collections::BTreeMap;

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
    let mut nodes: BTreeMap<&str, (usize, Vec<u32>)> = BTreeMap::new();
    for seat in seats {
        let (ranks, cpus) = nodes.entry(&seat.host).or_default();
        *ranks += 1;
        cpus.extend(&seat.cpus);
    }
    nodes.into_iter().find_map(|(host, (ranks, mut cpus))| {
        cpus.sort_unstable();
        cpus.dedup();
        (ranks > cpus.len()).then(|| {
            Caveat::new(
                "oversubscribed",
                format!(
                    "{ranks} ranks share {} processors of {host}: they wait for each other's time slices",
                    cpus.len()
                ),
                "start as many ranks as there are cores",
            )
        })
    })
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
    fn a_seat_travels_as_numbers() {
        let seat = Rank { package: Some(1), partner: Some(3), ..rank(2, "näher", &[4, 5]) };
        assert_eq!(seat_of(2, &numbers(&seat)), Ok(seat));
        assert!(seat_of(2, &[1.0]).is_err());
    }
}
