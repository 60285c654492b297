//! What goes wrong on request.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::env;

/// From which occurrence on something is wrong, and whether it stays so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct When {
    nth: u64,
    lasts: bool,
}

impl When {
    /// `3`: the third; `3+`: the third and every one after.
    fn parse(text: &str) -> Option<Self> {
        let number = text.trim_end_matches('+');
        Some(When { nth: number.parse().ok()?, lasts: number.len() < text.len() })
    }

    fn holds(self, count: u64) -> bool {
        count == self.nth || (self.lasts && count > self.nth)
    }
}

/// The faults of this rank, and how far it has come towards them.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    corrupt: Option<When>,
    die: Option<When>,
    hang: Option<When>,
    fail: Option<(String, When)>,
    payloads: u64,
    calls: u64,
    calls_of: HashMap<&'static str, u64>,
}

impl Faults {
    pub(crate) fn of(rank: usize) -> Self {
        let mine = |name: &str| {
            let value = env::var(name).ok()?;
            let (of, rest) = value.split_once(':')?;
            (of.parse::<usize>().ok()? == rank).then(|| rest.to_owned())
        };
        let when = |name: &str| When::parse(&mine(name)?);
        let fail = mine("MOCK_MPI_FAIL").and_then(|rest| {
            let (call, count) = rest.split_once(':')?;
            Some((call.to_owned(), When::parse(count)?))
        });
        Faults {
            corrupt: when("MOCK_MPI_CORRUPT"),
            die: when("MOCK_MPI_DIE"),
            hang: when("MOCK_MPI_HANG"),
            fail,
            ..Faults::default()
        }
    }

    /// Whether the payload that begins to arrive now is to have a wrong byte.
    pub(crate) fn corrupts_next(&mut self) -> bool {
        self.payloads += 1;
        self.corrupt.is_some_and(|when| when.holds(self.payloads))
    }

    /// What the call that begins now is to suffer; comes back only from those that live.
    pub(crate) fn befall(&mut self, call: &'static str) -> Befallen {
        self.calls += 1;
        if self.die.is_some_and(|when| when.holds(self.calls)) {
            // SAFETY: the signal goes to this process.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
        if self.hang.is_some_and(|when| when.holds(self.calls)) {
            return Befallen::Stuck;
        }
        let Some((name, when)) = &self.fail else { return Befallen::Nothing };
        if name != call {
            return Befallen::Nothing;
        }
        let count = self.calls_of.entry(call).or_default();
        *count += 1;
        if when.holds(*count) { Befallen::Failure } else { Befallen::Nothing }
    }
}

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Befallen {
    Nothing,
    Failure,
    Stuck,
}

/// Never comes back; the process can be killed.
pub(crate) fn stay() -> ! {
    loop {
        // SAFETY: pause has no arguments and waits for a signal.
        unsafe { libc::pause() };
    }
}
