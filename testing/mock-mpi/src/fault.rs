//! What goes wrong on request.
#![allow(unsafe_code)]

use std::env;

use crate::envelope::{Envelope, Purpose};

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

/// The calls a rule applies to: all, or those of a name.
#[derive(Debug)]
struct FaultRule {
    call: Option<String>,
    when: When,
    seen: u64,
}

impl FaultRule {
    /// `9` or `MPI_Send:9`.
    fn parse(text: &str) -> Option<Self> {
        let (call, when) = match text.rsplit_once(':') {
            Some((call, when)) => (Some(call.to_owned()), when),
            None => (None, text),
        };
        Some(FaultRule { call, when: When::parse(when)?, seen: 0 })
    }

    fn strikes(&mut self, call: &str) -> bool {
        let counts = self.call.as_deref().is_none_or(|name| name == call);
        self.seen += u64::from(counts);
        counts && self.when.holds(self.seen)
    }
}

/// Which payloads may get a wrong byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Payloads {
    AtLeast(usize),
    Exactly(usize),
    /// Operands and replies of operations on windows, of at least that many bytes.
    OfWindows(usize),
    /// What is read from a file.
    OfFiles,
}

#[derive(Debug, PartialEq, Eq)]
struct Corrupt {
    when: When,
    which: Payloads,
    seen: u64,
}

impl Corrupt {
    /// `3`, `3:4096`, `3:=8`, `3:window:8` or `3:file`.
    fn parse(text: &str) -> Option<Self> {
        let (when, which) = text.split_once(':').unwrap_or((text, "1"));
        if which == "file" {
            return Some(Corrupt { when: When::parse(when)?, which: Payloads::OfFiles, seen: 0 });
        }
        let which = match (which.strip_prefix('='), which.strip_prefix("window:")) {
            (Some(bytes), _) => Payloads::Exactly(bytes.parse().ok()?),
            (_, Some(bytes)) => Payloads::OfWindows(bytes.parse().ok()?),
            _ => Payloads::AtLeast(which.parse().ok()?),
        };
        Some(Corrupt { when: When::parse(when)?, which, seen: 0 })
    }

    fn concerns(&self, envelope: &Envelope) -> bool {
        match self.which {
            Payloads::AtLeast(bytes) => envelope.bytes >= bytes,
            Payloads::Exactly(bytes) => envelope.bytes == bytes,
            Payloads::OfFiles => false,
            Payloads::OfWindows(bytes) => envelope.purpose != Purpose::Message && envelope.bytes >= bytes,
        }
    }
}

/// The faults of this rank, and how far it has come towards them.
#[derive(Debug)]
pub(crate) struct Faults {
    corrupt: Option<Corrupt>,
    die: Option<FaultRule>,
}

impl Faults {
    pub(crate) fn of(rank: usize) -> Self {
        let mine = |name: &str| {
            let value = env::var(name).ok()?;
            let (of, rest) = value.split_once(':')?;
            (of.parse::<usize>().ok()? == rank).then(|| rest.to_owned())
        };
        Faults {
            corrupt: mine("MOCK_MPI_CORRUPT").and_then(|text| Corrupt::parse(&text)),
            die: mine("MOCK_MPI_DIE").and_then(|text| FaultRule::parse(&text)),
        }
    }

    /// Whether the payload that begins to arrive now is to have a wrong byte.
    pub(crate) fn corrupts(&mut self, envelope: &Envelope) -> bool {
        self.counted(|corrupt| corrupt.concerns(envelope))
    }

    /// Whether what a call reads from a file now is to have a wrong byte.
    pub(crate) fn corrupts_file(&mut self) -> bool {
        self.counted(|corrupt| corrupt.which == Payloads::OfFiles)
    }

    fn counted(&mut self, concerns: impl Fn(&Corrupt) -> bool) -> bool {
        let Some(corrupt) = self.corrupt.as_mut().filter(|corrupt| concerns(corrupt)) else { return false };
        corrupt.seen += 1;
        corrupt.when.holds(corrupt.seen)
    }

    /// Whether this process is a job of its own and `MOCK_MPI_DEVICES` is this word.
    pub(crate) fn is_alone(&self, size: usize, word: &str) -> bool {
        size == 1 && env::var_os("MOCK_MPI_DEVICES").is_some_and(|chosen| chosen == word)
    }

    /// Kills this process if it [is alone](Self::is_alone) under that word.
    pub(crate) fn befall_alone(&self, size: usize, word: &str) {
        if self.is_alone(size, word) {
            // As a fault would: the standard library lets a signal of that kind pass when a process sends it.
            std::process::abort();
        }
    }

    /// Kills this process if the call that begins now is the one it dies in.
    pub(crate) fn befall(&mut self, call: &'static str) {
        if self.die.as_mut().is_some_and(|rule| rule.strikes(call)) {
            // SAFETY: the signal goes to this process.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_names_calls_and_lengths() {
        let mut third_send = FaultRule::parse("MPI_Send:3").expect("it is a fault");
        let calls = ["MPI_Send", "MPI_Recv", "MPI_Send", "MPI_Recv", "MPI_Send", "MPI_Send"];
        assert_eq!(calls.map(|call| third_send.strikes(call)), [false, false, false, false, true, false]);
        let mut from_second = FaultRule::parse("2+").expect("it is a fault");
        assert_eq!(["a", "b", "c"].map(|call| from_second.strikes(call)), [false, true, true]);
        let which = |text: &str| Corrupt::parse(text).map(|corrupt| (corrupt.when, corrupt.which));
        let always = When { nth: 1, lasts: true };
        assert_eq!(which("1+:4096"), Some((always, Payloads::AtLeast(4096))));
        assert_eq!(which("1+:=8"), Some((always, Payloads::Exactly(8))));
        assert_eq!(which("1+:file"), Some((always, Payloads::OfFiles)));
        assert_eq!(which("1+:window:8"), Some((always, Payloads::OfWindows(8))));
        assert!(FaultRule::parse("MPI_Send").is_none(), "a name without a number is no fault");
    }
}
