//! Ranks that measure together through a channel.
//!
//! A sample costs a broadcast (go on?), three reductions, and a broadcast of the metrics that its benchmark adds. Idle ranks and faults travel in the
//! reductions; a fault costs one message more. Samples of all ranks are never gathered: the smallest, mean and largest time are kept,
//! and which rank was slowest.

use paw_data::cell::Combine;
use paw_data::outcome::{Check, CheckVerdict};

use crate::channel::{Channel, Reduce};
use crate::fault::Fault;
use crate::message::{Message, MessageReader};
use crate::team::{Decision, Team};
use crate::workload::Reading;

mod combined;
mod decision;

/// The detail kept of the ranks' times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// The smallest, mean and largest, and the slowest rank.
    #[default]
    Summary,
    /// Also every rank's own, as `rank_0_s`, `rank_1_s` …: a vector as long as the team travels with every sample.
    EveryRank,
}

/// Ranks that measure together through a channel.
#[derive(Debug, Clone)]
pub struct Ranks<C> {
    channel: C,
    detail: Detail,
}

impl<C: Channel> Ranks<C> {
    /// The ranks that `channel` joins.
    pub fn new(channel: C) -> Self {
        Self { channel, detail: Detail::Summary }
    }

    /// These ranks with another detail of their times.
    #[must_use]
    pub fn keeping(mut self, detail: Detail) -> Self {
        self.detail = detail;
        self
    }
}

impl<C: Channel> Team for Ranks<C> {
    fn rank(&self) -> usize {
        self.channel.rank()
    }

    fn size(&self) -> usize {
        self.channel.size()
    }

    fn decide(&self, root: Decision) -> Result<Decision, Fault> {
        let mut code = decision::code(root);
        self.channel.broadcast(&mut code)?;
        decision::decision(code)
    }

    fn combine(&self, mine: Result<Option<Reading>, Fault>, how: Combine) -> Result<Reading, Fault> {
        combined::combine(&self.channel, self.detail, mine, how)
    }

    fn agree(&self, mine: Result<(), Fault>) -> Result<(), Fault> {
        let mut lowest = [rank_if(mine.is_err(), &self.channel)];
        self.channel
            .reduce(&mut lowest, Reduce::Max)
            .map_err(|gone| alone(&self.channel, mine.as_ref().err(), gone))?;
        everyones(&self.channel, lowest[0], mine.err())
    }

    fn judge(&self, mine: Result<Check, Fault>) -> Result<Check, Fault> {
        judge(&self.channel, mine)
    }
}

/// The contribution of a rank without a value to a maximum.
const ABSENT: f64 = f64::NEG_INFINITY;

/// This rank's number where `condition` holds, negated so that the largest is the lowest rank.
fn rank_if(condition: bool, channel: &impl Channel) -> f64 {
    if condition { -(channel.rank() as f64) } else { ABSENT }
}

/// The fault of the lowest rank that has one, on every rank; `lowest` is the maximum of their [`rank_if`].
fn everyones(channel: &impl Channel, lowest: f64, mine: Option<Fault>) -> Result<(), Fault> {
    if lowest == ABSENT {
        return Ok(());
    }
    let rank = lowest.abs() as usize;
    let mine = mine.filter(|_| rank == channel.rank()).map(|fault| written(&fault)).unwrap_or_default();
    let text = channel.share(mine.into_bytes(), rank)?;
    Err(named(rank, &String::from_utf8_lossy(&text)))
}

/// The fault of this rank after the channel failed: its own if it has one, which came first.
fn alone(channel: &impl Channel, mine: Option<&Fault>, gone: Fault) -> Fault {
    let fault = mine.unwrap_or(&gone);
    named(channel.rank(), &written(fault))
}

/// A fault as text: a letter for its kind, and its sentence.
fn written(fault: &Fault) -> String {
    match fault {
        Fault::Missing(why) => format!("M{why}"),
        Fault::Broken(why) => format!("B{why}"),
        Fault::Wrong(_) | Fault::Spoiled(_) => format!("B{fault}"),
        Fault::Interrupted => "I".to_owned(),
    }
}

/// The fault that was written, with the rank it happened on.
fn named(rank: usize, text: &str) -> Fault {
    match (text.chars().next(), text.get(1..)) {
        (Some('I'), _) => Fault::Interrupted,
        (Some('M'), Some(why)) => Fault::Missing(on(rank, why)),
        (Some('B'), Some(why)) => Fault::Broken(on(rank, why)),
        _ => Fault::Broken(format!("rank {rank}: broke and could not say why; its own messages may tell")),
    }
}

/// `why` with the rank it happened on, unless it names a rank already.
fn on(rank: usize, why: &str) -> String {
    let named = why.strip_prefix("rank ").and_then(|rest| rest.split_once(": "));
    let is_named = named.is_some_and(|(rank, _)| rank.parse::<usize>().is_ok());
    if is_named { why.to_owned() } else { format!("rank {rank}: {why}") }
}

/// The worst check: by verdict, then by error over bound, then the lowest rank's. Five calls, once a cell.
fn judge(channel: &impl Channel, mine: Result<Check, Fault>) -> Result<Check, Fault> {
    let severity = mine.as_ref().map_or(ABSENT, severity);
    let mut worst = [rank_if(mine.is_err(), channel), severity];
    channel.reduce(&mut worst, Reduce::Max).map_err(|gone| alone(channel, mine.as_ref().err(), gone))?;
    everyones(channel, worst[0], mine.as_ref().err().cloned())?;
    let mine = mine?;

    let misses = if severity == worst[1] { missed_by(&mine) } else { ABSENT };
    let mut most = [misses];
    channel.reduce(&mut most, Reduce::Max)?;

    let mut whose = [rank_if(severity == worst[1] && misses == most[0], channel)];
    channel.reduce(&mut whose, Reduce::Max)?;
    let rank = whose[0].abs() as usize;
    let check = channel.share(encoded(&mine), rank)?;
    decoded(rank, &check).ok_or_else(|| Fault::Broken(format!("rank {rank}: its check did not arrive as it was sent")))
}

fn severity(check: &Check) -> f64 {
    match check.verdict {
        CheckVerdict::Pass => 0.0,
        CheckVerdict::Warn => 1.0,
        CheckVerdict::Fail => 2.0,
    }
}

/// Error over bound; an error that is no number misses by everything.
fn missed_by(check: &Check) -> f64 {
    let ratio = (check.error / check.bound).abs();
    if ratio.is_nan() { f64::INFINITY } else { ratio }
}

fn encoded(check: &Check) -> Vec<u8> {
    let numbers = [severity(check), check.error, check.bound];
    let message = numbers.into_iter().fold(Message::default(), Message::number);
    message.text(&check.method).text(&check.note).into_bytes()
}

/// The check of one rank; its note names the rank.
fn decoded(rank: usize, bytes: &[u8]) -> Option<Check> {
    let mut message = MessageReader(bytes);
    let verdict = match message.number()? as u8 {
        0 => CheckVerdict::Pass,
        1 => CheckVerdict::Warn,
        _ => CheckVerdict::Fail,
    };
    let (error, bound) = (message.number()?, message.number()?);
    let (method, note) = (message.text()?, message.text()?);
    let note = match verdict {
        CheckVerdict::Pass => note,
        CheckVerdict::Warn | CheckVerdict::Fail if note.is_empty() => format!("rank {rank}"),
        CheckVerdict::Warn | CheckVerdict::Fail => format!("rank {rank}: {note}"),
    };
    Some(Check { method, error, bound, verdict, note, accuracy: None })
}
