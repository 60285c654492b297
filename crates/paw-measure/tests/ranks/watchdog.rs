//! The watchdog's looks in scripted time, and its thread as it starts, is armed and ends.

use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};

use paw_measure::channel::Channel;
use paw_measure::watchdog::{Alarm, Guarded, Looks, Overdue, Watchdog, patience_s};

use crate::threads::on_ranks;

/// Counts what it is told.
#[derive(Default)]
struct Counts {
    asked: u32,
    expired: Vec<f64>,
    relieved: u32,
}

impl Alarm for Counts {
    fn expired(&mut self, overdue: Overdue) {
        self.expired.push(overdue.overdue_s);
    }

    fn relieved(&mut self) {
        self.relieved += 1;
    }

    fn asked(&mut self) {
        self.asked += 1;
    }
}

const SECOND_NS: u64 = 1_000_000_000;

#[test]
fn a_deadline_that_passes_is_told_once_and_the_user_is_asked_at_every_look() {
    let (mut looks, mut counts) = (Looks::default(), Counts::default());
    for now_s in 0..20 {
        looks.look(now_s * SECOND_NS, 10 * SECOND_NS, &mut counts);
    }
    assert_eq!(counts.expired, [0.0]);
    assert_eq!(counts.asked, 20);
}

#[test]
fn every_arming_may_expire_anew() {
    let (mut looks, mut counts) = (Looks::default(), Counts::default());
    for (now_s, deadline_s) in [(11, 10), (12, 10), (13, 30), (31, 30), (32, 30)] {
        looks.look(now_s * SECOND_NS, deadline_s * SECOND_NS, &mut counts);
    }
    assert_eq!(counts.expired, [1.0, 1.0]);
}

#[test]
fn a_peer_that_comes_late_is_told_once() {
    let (mut looks, mut counts) = (Looks::default(), Counts::default());
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
fn what_is_not_armed_never_expires() {
    let (mut looks, mut counts) = (Looks::default(), Counts::default());
    looks.look(u64::MAX - 1, u64::MAX, &mut counts);
    assert!(counts.expired.is_empty());
}

#[test]
fn patience_is_ten_seconds_or_twenty_times_what_was_expected() {
    assert_eq!(patience_s(0.0), 10.0);
    assert_eq!(patience_s(0.4), 10.0);
    assert_eq!(patience_s(3.0), 60.0);
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
    (Rc::new(Watchdog::start(Tells(tell))), heard)
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
        let mut text = if channel.rank() == 2 { "µs".to_owned() } else { String::new() };
        channel.broadcast_text(&mut text, 2).expect("nobody is gone");
        channel.barrier().expect("nobody is gone");
        let mut sum = [channel.rank() as f64, 1.0];
        channel.reduce(&mut sum, paw_measure::channel::Reduce::Sum).expect("nobody is gone");
        (text, sum, watchdog.deadline_s())
    });
    assert_eq!(sums, vec![("µs".to_owned(), [3.0, 3.0], None); 3]);
}
