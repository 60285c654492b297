//! The faults that the environment asks of this rank.

use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Where launchers write a process's rank.
const RANKS: &[&str] = &["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "MOCK_MPI_RANK"];

/// The faults of this rank.
pub(crate) struct Faults {
    pub(crate) delay: Duration,
    pub(crate) hang: Option<Rule>,
    pub(crate) fail: Option<Rule>,
    pub(crate) corrupt: Option<Rule>,
    /// The file that appears before a call hangs or fails.
    pub(crate) sign: Option<PathBuf>,
}

/// Occurrences of a call, or of messages of a least size, that go wrong.
pub(crate) struct Rule {
    /// Name of a call, or bytes of a message.
    of: String,
    nth: u64,
    lasts: bool,
    seen: AtomicU64,
}

impl Faults {
    /// What the environment asks; read once.
    pub(crate) fn of_process() -> &'static Self {
        static FAULTS: OnceLock<Faults> = OnceLock::new();
        FAULTS.get_or_init(|| {
            let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
            let rank = RANKS.iter().find_map(|name| number(name));
            let mine = |name: &str| {
                let text = env::var(name).ok()?;
                let (of, rule) = text.split_once(':')?;
                (of.parse::<u64>().ok() == rank).then(|| rule.to_owned())
            };
            let call = |name: &str| mine(name).and_then(|rule| Rule::parse(rule.split_once(':')?));
            let is_late = number("PMPI_DELAY_RANK").is_none_or(|late| rank == Some(late));
            let folder = env::var_os("PMPI_SIGN").map(PathBuf::from);
            Faults {
                delay: Duration::from_nanos(number("PMPI_DELAY_NS").filter(|_| is_late).unwrap_or_default()),
                hang: call("PMPI_HANG"),
                fail: call("PMPI_FAIL"),
                corrupt: mine("PMPI_CORRUPT")
                    .and_then(|rule| rule.split_once(':').and_then(|(k, of)| Rule::parse((of, k)))),
                sign: folder.map(|folder| folder.join(format!("rank-{:04}", rank.unwrap_or_default()))),
            }
        })
    }
}

impl Rule {
    /// What goes wrong, and its first occurrence: `3`, or `3+` for that and every one after.
    fn parse((of, nth): (&str, &str)) -> Option<Self> {
        let number = nth.trim_end_matches('+');
        let (nth, lasts) = (number.parse().ok()?, number.len() < nth.len());
        Some(Self { of: of.to_owned(), nth, lasts, seen: AtomicU64::new(0) })
    }

    /// Whether this call of that name goes wrong.
    pub(crate) fn strikes(&self, call: &str) -> bool {
        self.of == call && self.counts()
    }

    /// Whether this message of so many bytes goes wrong.
    pub(crate) fn concerns(&self, bytes: usize) -> bool {
        self.of.parse::<usize>().is_ok_and(|least| bytes >= least) && self.counts()
    }

    fn counts(&self) -> bool {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed) + 1;
        seen == self.nth || (self.lasts && seen > self.nth)
    }
}
