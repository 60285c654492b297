//! Ranks that measure together through a channel.
//!
//! A sample costs three broadcasts (go on? the root's time before and after), three reductions, and a broadcast of the metrics that its benchmark adds. Idle ranks and faults travel in the
//! reductions; a fault costs one message more. Samples of all ranks are never gathered: the smallest, mean and largest time are kept,
//! and which rank was slowest.

use std::cell::Cell;
use std::rc::Rc;

use paw_data::cell::Combine;
use paw_data::outcome::{Check, CheckVerdict};

use crate::channel::{Channel, Reduce};
use crate::fault::Fault;
use crate::message::{Message, MessageReader};
use crate::team::{Decision, Team};
use crate::workload::Reading;

use combined::Uncombined;

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
    /// Whether a fault may have left a message that nobody takes. Clones share it.
    is_lost: Rc<Cell<bool>>,
    /// The node of this rank, where the job has several.
    node: Option<String>,
}

impl<C: Channel> Ranks<C> {
    /// The ranks that `channel` joins.
    pub fn new(channel: C) -> Self {
        Self { channel, detail: Detail::Summary, is_lost: Rc::default(), node: None }
    }

    /// These ranks with another detail of their times.
    #[must_use]
    pub fn keeping(mut self, detail: Detail) -> Self {
        self.detail = detail;
        self
    }

    /// These ranks, of which this one is on that node: its faults name the node.
    #[must_use]
    pub fn on_node(mut self, node: &str) -> Self {
        self.node = Some(node.to_owned());
        self
    }

    /// A fault of this rank, with its node where there are several.
    fn placed(&self, fault: Fault) -> Fault {
        let named = |why: String| match &self.node {
            Some(node) => format!("rank {} on {node}: {why}", self.channel.rank()),
            None => why,
        };
        match fault {
            Fault::Missing(why) => Fault::Missing(named(why)),
            Fault::Broken(why) => Fault::Broken(named(why)),
            other => other,
        }
    }

    /// What a call on the channel came to; where it failed, the ranks are out of step.
    fn kept<T>(&self, done: Result<T, Fault>) -> Result<T, Fault> {
        done.inspect_err(|_| self.is_lost.set(true))
    }

    /// Whether all ranks succeeded: each tells its fault, of which the lowest rank's comes back on all. Ranks that broke together are
    /// in step: the call that failed on all of them waits for none.
    fn everyone(&self, mine: Option<&Fault>, more: f64) -> Result<f64, Fault> {
        let broke = matches!(mine, Some(Fault::Broken(_)));
        let of = |condition| rank_if(condition, &self.channel);
        let mut values = [of(mine.is_some()), of(broke), of(!broke), more];
        let reduced = self.channel.reduce(&mut values, Reduce::Max);
        self.kept(reduced.map_err(|gone| alone(&self.channel, mine, gone)))?;
        let [lowest, broke, went_on, more] = values;
        if broke != ABSENT && went_on != ABSENT {
            self.is_lost.set(true);
        }
        everyones(&self.channel, lowest, mine.cloned()).map(|()| more)
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
        self.kept(self.channel.broadcast(&mut code))?;
        self.kept(decision::decision(code))
    }

    fn combine(&self, mine: Result<Option<Reading>, Fault>, how: Combine) -> Result<Reading, Fault> {
        let mine = mine.map_err(|fault| self.placed(fault));
        combined::combine(&self.channel, self.detail, mine, how).map_err(|Uncombined { fault, is_in_step }| {
            self.is_lost.set(self.is_lost.get() || !is_in_step);
            fault
        })
    }

    fn agree(&self, mine: Result<(), Fault>) -> Result<(), Fault> {
        let mine = mine.map_err(|fault| self.placed(fault));
        self.everyone(mine.as_ref().err(), ABSENT).map(|_| ())
    }

    fn judge(&self, mine: Result<Check, Fault>) -> Result<Check, Fault> {
        let mine = mine.map_err(|fault| self.placed(fault));
        let severity = mine.as_ref().map_or(ABSENT, severity);
        let worst = self.everyone(mine.as_ref().err(), severity)?;
        self.kept(judge(&self.channel, mine?, worst))
    }

    fn is_in_step(&self) -> bool {
        !self.is_lost.get()
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
    let number = |text: &str| text.split(' ').next().is_some_and(|rank| rank.parse::<usize>().is_ok());
    let is_named = named.is_some_and(|(rank, _)| number(rank));
    if is_named { why.to_owned() } else { format!("rank {rank}: {why}") }
}

/// The worst check, of which the ranks know the severity: by verdict, then by error over bound, then the lowest rank's. Five calls in
/// all, once a cell.
fn judge(channel: &impl Channel, mine: Check, worst: f64) -> Result<Check, Fault> {
    let is_worst = severity(&mine) == worst;
    let misses = if is_worst { missed_by(&mine) } else { ABSENT };
    let mut most = [misses];
    channel.reduce(&mut most, Reduce::Max)?;

    let mut whose = [rank_if(is_worst && misses == most[0], channel)];
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
