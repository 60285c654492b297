//! Lets all ranks start at one moment, and reports how late each was.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use paw_sort::SortNumbers;

use crate::channel::{Channel, Reduce};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::global_clock::GlobalClock;

/// How ranks come to start together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// The root announces a moment, and every rank waits for it on its own clock: the skew is known, and is the clocks' error.
    #[default]
    GlobalClock,
    /// Every rank starts when it leaves the library's barrier: the skew is the barrier's, and unknown.
    Barrier,
}

/// What comes of a start that the root may call off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Begun {
    /// This rank begins, so much too late where that is known.
    InStep(Option<Lateness>),
    /// The root called it off, on all ranks.
    Over,
}

/// How late a rank was for an announced start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lateness {
    /// Seconds from the announced start to the rank's own.
    pub lateness_s: f64,
    /// Whether the announcement arrived before the start.
    pub announcement: Announcement,
}

/// When the announcement of a start arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Announcement {
    /// Before the start: the rank waited.
    InTime,
    /// After the start, which is not in step.
    TooLate,
}

/// A quartz drifts by some parts in a million and its drift by far less: after a second of a known drift a clock is off by less than a message takes.
const SYNCHRONISED_FOR_S: f64 = 1.0;

/// A synchronisation lasts a twentieth of the time until the next at most, as long as clocks drift by less than they are known to anyway.
const SYNCHRONISATIONS_APART: f64 = 20.0;

/// Two quartzes drift apart by no more than this many seconds a second, where they are not broken.
const QUARTZ_DRIFT: f64 = 50e-6;

/// Announcements that are timed; their median counts.
const ANNOUNCEMENTS: usize = 7;

/// Once they took this long together no more are timed, but three in any case: beside such delays an interrupt is short.
const ANNOUNCEMENTS_MAX_S: f64 = 10e-3;
const ANNOUNCEMENTS_MIN: usize = 3;

/// A start follows its announcement after this many times the usual delay of one: an announcement that takes longer is late.
const SLACK_ANNOUNCEMENTS: f64 = 3.0;

/// Least seconds from an announcement to its start: ranks read the kernel's statistics of their threads in this time, half a
/// microsecond each.
const SLACK_MIN_S: f64 = 10e-6;

/// Lets all ranks start at one moment. One starter serves all cells of a session; it synchronises clocks once, and again when a
/// second has passed.
pub struct Starter {
    channel: Rc<dyn Channel>,
    clock: Clock,
    global: RefCell<Option<GlobalClock>>,
    slack_s: Cell<f64>,
    /// Seconds from the beginning of one synchronisation to that of the next; only the root's count.
    lasting_s: Cell<f64>,
    synchronised_s: Cell<f64>,
}

/// Codes of the root's announcement: a start, at a moment if there is one; that clocks are synchronised first; that none follows.
const AT: f64 = 0.0;
const SYNCHRONISE: f64 = 1.0;
const OVER: f64 = 2.0;

impl Starter {
    /// Starts ranks through `channel` by `clock`; no message is sent before the first start.
    pub fn new(channel: Rc<dyn Channel>, clock: Clock) -> Self {
        Self {
            channel,
            clock,
            global: RefCell::new(None),
            slack_s: Cell::new(SLACK_MIN_S),
            lasting_s: Cell::new(SYNCHRONISED_FOR_S),
            synchronised_s: Cell::new(0.0),
        }
    }

    /// The clock that ranks start by.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The channel between the ranks.
    pub fn channel(&self) -> &dyn Channel {
        &*self.channel
    }

    /// The common clock, once there was a start by it.
    pub fn global_clock(&self) -> Option<GlobalClock> {
        self.global.borrow().clone()
    }

    /// Seconds between an announcement and its start.
    pub fn slack_s(&self) -> f64 {
        self.slack_s.get()
    }

    /// Seconds that this rank has spent on synchronising clocks.
    pub fn synchronised_s(&self) -> f64 {
        self.synchronised_s.get()
    }

    /// Returns on all ranks at one moment; `ready` is called last, while there is time. How late this rank is, where that is known.
    pub fn start(&self, how: Start, ready: impl FnOnce()) -> Result<Option<Lateness>, Fault> {
        if how == Start::Barrier {
            return self.begin([AT, 0.0], how, ready);
        }
        let mut word = self.word();
        self.channel.broadcast(&mut word)?;
        self.begin(word, how, ready)
    }

    /// As [`Starter::start`], unless `is_over`, of which only the root's counts. Before a barrier that is one broadcast more.
    pub fn start_unless(&self, is_over: bool, how: Start, ready: impl FnOnce()) -> Result<Begun, Fault> {
        let mut word = match how {
            _ if is_over => [OVER, 0.0],
            Start::Barrier => [AT, 0.0],
            Start::GlobalClock => self.word(),
        };
        self.channel.broadcast(&mut word)?;
        if word[0] == OVER { Ok(Begun::Over) } else { self.begin(word, how, ready).map(Begun::InStep) }
    }

    /// Begins by the barrier, or as the root's word says.
    fn begin(&self, word: [f64; 2], how: Start, ready: impl FnOnce()) -> Result<Option<Lateness>, Fault> {
        match how {
            Start::Barrier => {
                ready();
                self.channel.barrier().map(|()| None)
            }
            Start::GlobalClock => self.at_moment(word, ready).map(Some),
        }
    }

    /// Waits for the moment that the root announces with this word, or with another one after clocks are synchronised.
    fn at_moment(&self, mut word: [f64; 2], ready: impl FnOnce()) -> Result<Lateness, Fault> {
        if word[0] == SYNCHRONISE {
            self.synchronise()?;
            word = [AT, self.global_s() + self.slack_s.get()];
            self.channel.broadcast(&mut word)?;
        }
        let moment_s = self.global.borrow().as_ref().map(|global| global.to_local_s(word[1])).ok_or_else(|| {
            Fault::Broken(
                "the ranks are out of step: a start was announced on a clock this rank does not have".to_owned(),
            )
        })?;
        ready();
        Ok(self.wait(moment_s))
    }

    /// This rank's announcement; only the root's counts.
    fn word(&self) -> [f64; 2] {
        match self.global.borrow().as_ref() {
            Some(global) if global.age_s() < self.lasting_s.get() => [AT, global.now_s() + self.slack_s.get()],
            _ => [SYNCHRONISE, 0.0],
        }
    }

    fn wait(&self, moment_s: f64) -> Lateness {
        let announcement = if self.clock.now_s() > moment_s { Announcement::TooLate } else { Announcement::InTime };
        Lateness { lateness_s: self.clock.wait_until_s(moment_s) - moment_s, announcement }
    }

    fn global_s(&self) -> f64 {
        self.global.borrow().as_ref().map_or(0.0, GlobalClock::now_s)
    }

    fn synchronise(&self) -> Result<(), Fault> {
        let began_s = self.clock.now_s();
        let known = self.global.take();
        let global = match known {
            None => GlobalClock::synchronise(&*self.channel, &self.clock)?,
            Some(mut global) => {
                global.refresh(&*self.channel)?;
                global
            }
        };
        self.global.replace(Some(global));
        self.slack_s.set(SLACK_MIN_S.max(SLACK_ANNOUNCEMENTS * self.announcement_s()?));
        let took_s = self.clock.now_s() - began_s;
        let bound_s = self.global.borrow().as_ref().map_or(0.0, GlobalClock::bound_s);
        self.synchronised_s.set(self.synchronised_s.get() + took_s);
        let lasting_s = (SYNCHRONISATIONS_APART * took_s).min(bound_s / QUARTZ_DRIFT);
        // A clock's age counts from the beginning: where ranks wait for their processors, synchronising takes longer than a second.
        self.lasting_s.set(took_s + SYNCHRONISED_FOR_S.max(lasting_s));
        Ok(())
    }

    /// Seconds until the last rank has an announcement, the median of a few. The reduction after each keeps them apart.
    fn announcement_s(&self) -> Result<f64, Fault> {
        let mut took_s: Vec<f64> = Vec::new();
        // Every rank counts the same delays.
        while took_s.len() < ANNOUNCEMENTS_MIN
            || took_s.len() < ANNOUNCEMENTS && took_s.iter().sum::<f64>() < ANNOUNCEMENTS_MAX_S
        {
            let mut sent_s = [self.global_s()];
            self.channel.broadcast(&mut sent_s)?;
            let mut heard_s = [self.global_s() - sent_s[0]];
            self.channel.reduce(&mut heard_s, Reduce::Max)?;
            took_s.push(heard_s[0]);
        }
        took_s.sort_numbers();
        Ok(took_s[took_s.len() / 2])
    }
}
