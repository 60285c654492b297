//! What the environment chooses: ranks, costs, faults.

use std::env;
use std::path::PathBuf;

/// Now and then a message that takes longer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outliers {
    /// The share of messages.
    pub share: f64,
    /// What is added to their way.
    pub extra_ns: u64,
}

/// What a message costs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// The way of an empty message.
    pub alpha_ns: u64,
    /// The time a byte occupies the link of an ordered pair.
    pub beta_ns_per_byte: f64,
    /// `1%:50us`: one message of a hundred takes 50 µs longer.
    pub outliers: Option<Outliers>,
}

/// The environment of one rank.
///
/// `MOCK_MPI_RANK`, `MOCK_MPI_SIZE`, `MOCK_MPI_FILE` make a process a rank; without them it is alone.
/// `MOCK_MPI_ALPHA_NS`, `MOCK_MPI_BETA_NS_PER_BYTE`, `MOCK_MPI_OUTLIERS=1%:50us`, `MOCK_MPI_SEED`: the cost;
/// `MOCK_MPI_BACK_BETA_NS_PER_BYTE`: that of a byte to a lower rank, where it differs.
/// `MOCK_MPI_COUNTS=DIR`: a file `rank-0000.csv` (call, calls, messages, bytes) of every rank at `MPI_Finalize`, and at `MPI_Pcontrol(1)`;
/// `MPI_Pcontrol(0)` sets the counts back.
/// `MOCK_MPI_NODES=K`: the ranks pretend to live on K nodes, in blocks.
/// `MOCK_MPI_THREADS=single|funneled|serialized|multiple`: the highest thread level there is.
/// `MOCK_MPI_DEVICES=1`: memory of CUDA's devices may be passed; `kill`: and a job of one rank that sends any dies of it; `kill-updates`: and a
/// job of one rank that updates a window dies of it; `lose-updates`: and updates of such a job are lost;
/// `MOCK_MPI_CORRUPT=RANK:K`: the K-th payload received there has a wrong byte; `RANK:K:file`: the K-th read of a file; `RANK:K:BYTES` counts only payloads of at
/// least that many bytes, `RANK:K:=BYTES` those of exactly that many, `RANK:K:window:BYTES` only operations on windows.
/// `MOCK_MPI_DIE` as `RANK:K` or `RANK:CALL:K`: the rank kills itself in its K-th call, or its K-th call of that name
/// (`1:MPI_Send:3`). `K+` is the K-th and every one after. Calls that hang or fail: `testing/pmpi-fault`, over any library.
#[derive(Debug, Clone)]
pub struct Options {
    /// The rank of this process.
    pub rank: usize,
    /// How many there are.
    pub size: usize,
    /// The file they share.
    pub file: Option<PathBuf>,
    /// What a message costs.
    pub cost: Cost,
    /// The same on the way to a lower rank.
    pub back: Cost,
    /// The seed of the outliers.
    pub seed: u64,
    /// Where counts are written.
    pub counts: Option<PathBuf>,
    /// How many nodes the ranks pretend to live on.
    pub nodes: usize,
}

impl Options {
    /// What the variables of this process say; what is not a number counts as absent.
    pub fn from_environment() -> Self {
        let number = |name: &str| env::var(name).ok().and_then(|v| v.parse::<f64>().ok());
        let whole = |name: &str| env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
        let index = |name: &str| whole(name).and_then(|n| usize::try_from(n).ok());
        let cost = Cost {
            alpha_ns: whole("MOCK_MPI_ALPHA_NS").unwrap_or_default(),
            beta_ns_per_byte: number("MOCK_MPI_BETA_NS_PER_BYTE").unwrap_or_default(),
            outliers: env::var("MOCK_MPI_OUTLIERS").ok().and_then(|text| outliers(&text)),
        };
        let back_beta_ns_per_byte = number("MOCK_MPI_BACK_BETA_NS_PER_BYTE").unwrap_or(cost.beta_ns_per_byte);
        let back = Cost { beta_ns_per_byte: back_beta_ns_per_byte, ..cost };
        let file = env::var_os("MOCK_MPI_FILE").map(PathBuf::from);
        let (rank, size) = match (index("MOCK_MPI_RANK"), index("MOCK_MPI_SIZE"), &file) {
            (Some(rank), Some(size), Some(_)) if rank < size => (rank, size),
            _ => (0, 1),
        };
        Options {
            rank,
            size,
            file: file.filter(|_| size > 1),
            cost,
            back,
            seed: whole("MOCK_MPI_SEED").unwrap_or(1),
            counts: env::var_os("MOCK_MPI_COUNTS").map(PathBuf::from),
            nodes: index("MOCK_MPI_NODES").unwrap_or(1).clamp(1, size),
        }
    }

    /// What a message to that rank costs.
    pub fn cost_to(&self, to: usize) -> Cost {
        if to < self.rank { self.back } else { self.cost }
    }

    /// The node a rank pretends to live on.
    pub fn node_of(&self, rank: usize) -> usize {
        rank * self.nodes / self.size
    }
}

/// `1%:50us`.
fn outliers(text: &str) -> Option<Outliers> {
    let (share, extra) = text.split_once(':')?;
    let share = share.strip_suffix('%')?.parse::<f64>().ok()? / 100.0;
    let digits = extra.trim_end_matches(char::is_alphabetic);
    let unit = match &extra[digits.len()..] {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        _ => return None,
    };
    Some(Outliers { share, extra_ns: digits.parse::<u64>().ok()? * unit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_are_a_share_and_a_time() {
        assert_eq!(outliers("1%:50us"), Some(Outliers { share: 0.01, extra_ns: 50_000 }));
        assert_eq!(outliers("0.5%:2ms"), Some(Outliers { share: 0.005, extra_ns: 2_000_000 }));
        assert_eq!(outliers("1:50"), None);
    }
}
