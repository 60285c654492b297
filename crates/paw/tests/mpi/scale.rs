//! What a rank sends does not grow with the job, and agreeing grows with its logarithm: counted, not timed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::job::Job;
use crate::mock;

/// Messages and bytes of the calls that send, by call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Sent {
    messages: u64,
    bytes: u64,
}

/// What `rank` has sent by the calls for which `counts` holds.
fn sent(folder: &Path, rank: usize, counts: impl Fn(&str) -> bool) -> Sent {
    let text = fs::read_to_string(folder.join(format!("rank-{rank:04}.csv"))).unwrap();
    let rows = text.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>());
    rows.filter(|row| counts(row[0])).fold(Sent::default(), |sum, row| {
        let number = |column: usize| row[column].parse::<u64>().unwrap();
        Sent { messages: sum.messages + number(2), bytes: sum.bytes + number(3) }
    })
}

/// How often `rank` has called `call`.
fn calls(folder: &Path, rank: usize, call: &str) -> u64 {
    let text = fs::read_to_string(folder.join(format!("rank-{rank:04}.csv"))).unwrap();
    let mut rows = text.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>());
    rows.find(|row| row[0] == call).map_or(0, |row| row[1].parse().unwrap())
}

/// A job whose counts are there, and how many samples it took: disturbed ones are taken again.
struct Counted {
    folder: PathBuf,
    samples: u64,
    _job: Job,
}

/// Runs at least `samples` samples of p2p_send on `ranks` ranks.
fn counted(ranks: usize, samples: usize) -> Counted {
    let job = Job::new();
    let folder = job.path("counts");
    // Ranks that take turns start behind a barrier; so that all jobs do alike, it is asked for.
    let args = format!("run p2p_send --set n=8 --reps {samples} --loops 1 --sync barrier --quiet");
    let ran = mock::paw(&job, ranks, &[("MOCK_MPI_COUNTS", folder.to_str().unwrap())], &args);
    assert_eq!(ran.code, 0, "{ranks} ranks: {}{}", ran.out, ran.err);
    let taken = job.lines("r", "samples").iter().map(|part| part["loops"].as_array().unwrap().len() as u64).sum();
    Counted { folder, samples: taken, _job: job }
}

/// What a sample more costs the rank that sends most, beside the messages that are measured.
fn agreement(ranks: usize) -> Sent {
    let (few, many) = (counted(ranks, 2), counted(ranks, 8));
    let samples = many.samples - few.samples;
    let agrees = |call: &str| call != "MPI_Send";
    let more = (0..ranks).map(|rank| (sent(&few.folder, rank, agrees), sent(&many.folder, rank, agrees)));
    let per_sample = more.map(|(few, many)| Sent {
        messages: (many.messages - few.messages).div_ceil(samples),
        bytes: (many.bytes - few.bytes).div_ceil(samples),
    });
    per_sample.reduce(|a, b| Sent { messages: a.messages.max(b.messages), bytes: a.bytes.max(b.bytes) }).unwrap()
}

#[test]
fn what_is_measured_is_the_same_in_any_job() {
    // Beside its samples: one exchange that is checked, one that warms up, and one that is checked at the end.
    let beside = 3;
    for ranks in [2, 4, 16, 64] {
        let job = counted(ranks, 4);
        for rank in [0, ranks / 2 - 1] {
            let sends = sent(&job.folder, rank, |call| call == "MPI_Send");
            // Ranks but the first tell it once where they sit.
            let seat = if rank == 0 { 0 } else { 2 };
            assert_eq!(sends.messages, job.samples + beside + seat, "rank {rank} of {ranks}: {sends:?}");
            assert!(rank > 0 || sends.bytes == 64 * sends.messages, "rank {rank} of {ranks}: {sends:?}");
        }
    }
}

#[test]
fn one_rank_adds_so_that_all_have_the_same_bits() {
    let (few, many) = (counted(4, 2), counted(4, 8));
    let more = |call: &str| {
        let calls = |job: &Counted| calls(&job.folder, 1, call);
        calls(&many) - calls(&few)
    };
    // A sample is agreed on by two extremes, whose order does not matter, and a sum.
    let samples = many.samples - few.samples;
    assert_eq!((more("MPI_Allreduce"), more("MPI_Reduce")), (2 * samples, samples));
}

#[test]
fn agreeing_on_a_sample_grows_with_the_logarithm() {
    let (eight, sixty_four) = (agreement(8), agreement(64));
    assert!(eight.messages > 0, "ranks agree by messages");
    // Three doublings against six.
    assert!(sixty_four.messages <= 2 * eight.messages, "{eight:?} on 8 ranks, {sixty_four:?} on 64");
    assert!(sixty_four.bytes <= 2 * eight.bytes, "{eight:?} on 8 ranks, {sixty_four:?} on 64");
}
