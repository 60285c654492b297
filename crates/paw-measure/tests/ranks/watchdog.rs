//! The watchdog's looks in scripted time, and its thread as it starts, is armed and ends.

use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};

use paw_measure::channel::Channel;
use paw_measure::fault::Fault;
use paw_measure::ranks::Ranks;
use paw_measure::team::Team;
use paw_measure::watchdog::{
    Alarm, Guarded, Overdue, PATIENCE_MIN_S, UnreportedFault, Watchdog, WatchdogState, patience_s,
};

use crate::threads::on_ranks;

/// Counts what it is told.
#[derive(Default)]
struct Counts {
    asked: u32,
    expired: Vec<f64>,
    relieved: u32,
    unheard: Vec<String>,
}

impl Alarm for Counts {
    fn expired(&mut self, overdue: Overdue) {
        self.expired.push(overdue.overdue_s);
    }

    fn relieved(&mut self) {
        self.relieved += 1;
    }

    fn unheard(&mut self, why: &str) {
        self.unheard.push(why.to_owned());
    }

    fn asked(&mut self) {
        self.asked += 1;
    }
}

const SECOND_NS: u64 = 1_000_000_000;

#[test]
fn a_deadline_that_passes_is_told_once_and_the_user_is_asked_at_every_look() {
    let (mut looks, mut counts) = (WatchdogState::default(), Counts::default());
    for now_s in 0..20 {
        looks.look(now_s * SECOND_NS, 10 * SECOND_NS, &mut counts);
    }
    assert_eq!(counts.expired, [0.0]);
    assert_eq!(counts.asked, 20);
}

#[test]
fn every_arming_may_expire_anew() {
    let (mut looks, mut counts) = (WatchdogState::default(), Counts::default());
    for (now_s, deadline_s) in [(11, 10), (12, 10), (13, 30), (31, 30), (32, 30)] {
        looks.look(now_s * SECOND_NS, deadline_s * SECOND_NS, &mut counts);
    }
    assert_eq!(counts.expired, [1.0, 1.0]);
}

#[test]
fn a_peer_that_comes_late_is_told_once() {
    let (mut looks, mut counts) = (WatchdogState::default(), Counts::default());
    for (now_s, deadline_s) in [(11, 10), (12, 10)] {
        looks.look(now_s * SECOND_NS, deadline_s * SECOND_NS, &mut counts);
    }
    assert_eq!(counts.relieved, 0, "the wait is not over");
    for now_s in 13..20 {
        looks.look(now_s * SECOND_NS, u64::MAX, &mut counts);
    }
    assert_eq!((counts.expired.len(), counts.relieved), (1, 1));
}

#[test]
fn a_fault_that_nobody_hears_of_for_a_second_is_told_once() {
    let (mut looks, mut counts) = (WatchdogState::default(), Counts::default());
    let trouble =
        |since_s: u64| UnreportedFault { since_ns: since_s * SECOND_NS, why: format!("it fell over at {since_s} s") };
    looks.listen(5 * SECOND_NS, None, &mut counts);
    looks.listen(6 * SECOND_NS - 1, Some(&trouble(5)), &mut counts);
    assert_eq!(counts.unheard, [""; 0], "the others may still hear of it");
    for now_s in 6..10 {
        looks.listen(now_s * SECOND_NS, Some(&trouble(5)), &mut counts);
    }
    looks.listen(12 * SECOND_NS, Some(&trouble(10)), &mut counts);
    assert_eq!(counts.unheard, ["it fell over at 5 s", "it fell over at 10 s"]);
}

#[test]
fn the_first_fault_counts_until_it_was_heard() {
    let (watchdog, _heard) = watchdog();
    let fell = |why: &str| watchdog.noted::<()>(Err(Fault::Broken(why.to_owned())));
    assert_eq!(fell("the send"), Err(Fault::Broken("the send".to_owned())));
    assert!(fell("what came of it").is_err() && watchdog.noted(Ok(())).is_ok());
    assert_eq!(watchdog.trouble().map(|trouble| trouble.why).as_deref(), Some("the send"));
    watchdog.heard();
    assert_eq!(watchdog.trouble(), None);
}

#[test]
fn a_fault_that_all_ranks_agree_on_was_heard() {
    let troubles = on_ranks(3, |channel| {
        let (watchdog, _heard) = watchdog();
        let ranks = Ranks::new(Guarded::new(channel, Rc::clone(&watchdog)));
        let fell = (ranks.rank() == 1).then(|| Fault::Broken("it fell over".to_owned()));
        let mine = watchdog.noted(fell.map_or(Ok(()), Err));
        let before = watchdog.trouble().is_some();
        assert!(ranks.agree(mine).is_err());
        (before, watchdog.trouble())
    });
    assert_eq!(troubles, [(false, None), (true, None), (false, None)]);
}

#[test]
fn what_is_not_armed_never_expires() {
    let (mut looks, mut counts) = (WatchdogState::default(), Counts::default());
    looks.look(u64::MAX - 1, u64::MAX, &mut counts);
    assert!(counts.expired.is_empty());
}

#[test]
fn patience_is_ten_seconds_or_twenty_times_what_was_expected() {
    assert_eq!(patience_s(0.0, PATIENCE_MIN_S), 8.0);
    assert_eq!(patience_s(0.4, PATIENCE_MIN_S), 8.0);
    assert_eq!(patience_s(3.0, PATIENCE_MIN_S), 60.0);
    assert_eq!(patience_s(0.1, 3.0), 3.0);
}

/// Says that it was asked.
struct Tells(Sender<()>);

impl Alarm for Tells {
    fn expired(&mut self, _overdue: Overdue) {}

    fn asked(&mut self) {
        // The test may have heard enough.
        let _ = self.0.send(());
    }
}

fn watchdog() -> (Rc<Watchdog>, Receiver<()>) {
    let (tell, heard) = channel();
    (Rc::new(Watchdog::start(Tells(tell), PATIENCE_MIN_S)), heard)
}

#[test]
fn the_thread_looks_until_the_watchdog_is_dropped() {
    let (watchdog, heard) = watchdog();
    heard.recv().expect("the thread looks");
    drop(watchdog);
    assert!(heard.iter().count() < usize::MAX, "the thread has ended, and its end of the channel with it");
}

#[test]
fn a_wait_within_a_wait_gives_the_outer_deadline_back() {
    let (watchdog, _heard) = watchdog();
    assert_eq!(watchdog.deadline_s(), None);
    watchdog.expect(100.0);
    let outer = watchdog.arm();
    let outer_s = watchdog.deadline_s();
    assert!(outer_s.is_some_and(|deadline_s| deadline_s >= 2000.0));
    watchdog.expect(200.0);
    let inner = watchdog.arm();
    assert!(watchdog.deadline_s() > outer_s);
    drop(inner);
    assert_eq!(watchdog.deadline_s(), outer_s);
    drop(outer);
    assert_eq!(watchdog.deadline_s(), None);
}

#[test]
fn a_guarded_channel_is_the_same_channel() {
    let sums = on_ranks(3, |channel| {
        let (watchdog, _heard) = watchdog();
        let channel = Guarded::new(channel, Rc::clone(&watchdog));
        let message = if channel.rank() == 2 { "µs".into() } else { Vec::new() };
        let text = channel.share(message, 2).expect("nobody is gone");
        channel.barrier().expect("nobody is gone");
        let mut sum = [channel.rank() as f64, 1.0];
        channel.reduce(&mut sum, paw_measure::channel::Reduce::Sum).expect("nobody is gone");
        (text, sum, watchdog.deadline_s())
    });
    assert_eq!(sums, vec![("µs".into(), [3.0, 3.0], None); 3]);
}
