//! Virtual time: what is queued, in what order it ends, and when.
//!
//! Nothing happens by itself: every call brings the world to the moment it is made at, and works off what ended before. That is
//! exact, because nothing can be queued into the past.

use std::collections::{BTreeMap, VecDeque};

/// What a command keeps busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// From the host to that device; all devices share 0 where there is one bus.
    In(usize),
    /// Back.
    Out(usize),
    /// Within a device.
    Within(usize),
    /// From one device to another.
    Peer(usize, usize),
}

/// What a queue is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Command {
    /// A delay in nanoseconds, then bytes over a link: its bytes per nanosecond, and at most how many of them this copy uses.
    Work {
        /// The delay.
        fixed_ns: f64,
        /// What goes over the link after it.
        bytes: f64,
        /// The link.
        link: Link,
        /// Bytes a nanosecond of the link.
        link_rate: f64,
        /// Bytes a nanosecond of this copy, at most.
        own_rate: f64,
    },
    /// Nothing ends before the gate of that number is opened, or for longer than this.
    Gate {
        /// The gate's number.
        number: usize,
        /// When it opens by itself.
        limit_ns: f64,
    },
    /// A mark, to be stamped.
    Mark(usize),
    /// Waits until another queue has passed a mark.
    Await(usize),
}

/// How a gate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    Opened,
    GaveUp,
}

#[derive(Debug)]
struct Queue {
    device: usize,
    commands: VecDeque<Command>,
}

/// All queues and marks.
#[derive(Debug, Default)]
pub struct World {
    now_ns: f64,
    queues: BTreeMap<usize, Queue>,
    marks: BTreeMap<usize, Option<f64>>,
    passed: Vec<(usize, Passed)>,
    next: usize,
}

/// Shorter is no time: what rounding leaves.
const NOTHING_NS: f64 = 1e-6;

impl World {
    fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// A new queue of that device.
    pub fn queue(&mut self, device: usize) -> usize {
        let number = self.number();
        self.queues.insert(number, Queue { device, commands: VecDeque::new() });
        number
    }

    /// The device of a queue.
    pub fn device(&self, queue: usize) -> Option<usize> {
        self.queues.get(&queue).map(|queue| queue.device)
    }

    /// Gives a queue up.
    pub fn forget_queue(&mut self, queue: usize) -> bool {
        self.queues.remove(&queue).is_some()
    }

    /// A new mark.
    pub fn mark(&mut self) -> usize {
        let number = self.number();
        self.marks.insert(number, None);
        number
    }

    /// Queues a command; there may be no such queue.
    pub fn push(&mut self, queue: usize, command: Command) -> bool {
        let is_mark_known = match command {
            Command::Mark(mark) => self.marks.insert(mark, None).is_some(),
            _ => true,
        };
        match self.queues.get_mut(&queue) {
            Some(queue) if is_mark_known => queue.commands.push_back(command),
            _ => return false,
        }
        true
    }

    /// When a mark was passed: nothing where there is none, `Some(None)` where it was not passed yet.
    pub fn stamp_ns(&self, mark: usize) -> Option<Option<f64>> {
        self.marks.get(&mark).copied()
    }

    /// Whether all that was queued has ended; nothing where there is no such queue.
    pub fn is_done(&self, queue: usize) -> Option<bool> {
        self.queues.get(&queue).map(|queue| queue.commands.is_empty())
    }

    /// Whether all that was queued on a device has ended.
    pub fn is_idle(&self, device: usize) -> bool {
        self.queues.values().filter(|queue| queue.device == device).all(|queue| queue.commands.is_empty())
    }

    /// Gates that were passed since this was last asked.
    pub(crate) fn take_passed(&mut self) -> Vec<(usize, Passed)> {
        std::mem::take(&mut self.passed)
    }

    /// Works off what ends until then. `is_open` says which gates are seen to be open now.
    pub(crate) fn advance(&mut self, to_ns: f64, is_open: impl Fn(usize) -> bool) {
        self.finish();
        while self.now_ns < to_ns {
            let step = self.next_end_ns(&is_open).unwrap_or(f64::INFINITY).min(to_ns - self.now_ns).max(0.0);
            self.progress(step, &is_open);
            self.now_ns += step;
            self.finish();
        }
        self.pass_open_gates(&is_open);
        self.finish();
    }

    /// How long from now until a command may end that is not behind a gate.
    pub(crate) fn next_end_ns(&self, is_open: impl Fn(usize) -> bool) -> Option<f64> {
        let heads = self.queues.values().filter_map(|queue| queue.commands.front());
        let left = heads.filter_map(|command| match command {
            // One that was opened does not give up: it ends at the moment that the world is brought to.
            Command::Gate { number, limit_ns } => (!is_open(*number)).then_some(*limit_ns),
            Command::Work { fixed_ns, .. } if *fixed_ns > 0.0 => Some(*fixed_ns),
            Command::Work { bytes, .. } => Some(bytes / self.rate(command)),
            Command::Mark(_) => Some(0.0),
            // What it waits for ends before it.
            Command::Await(_) => None,
        });
        left.min_by(f64::total_cmp)
    }

    /// Bytes a nanosecond that a copy at the head of its queue gets now.
    fn rate(&self, command: &Command) -> f64 {
        let Command::Work { link, link_rate, own_rate, .. } = command else { return f64::INFINITY };
        let heads = self.queues.values().filter_map(|queue| queue.commands.front());
        let sharing = heads.filter(|other| {
            matches!(other, Command::Work { link: theirs, fixed_ns, bytes, .. }
                if theirs == link && *fixed_ns <= 0.0 && *bytes > 0.0)
        });
        own_rate.min(link_rate / sharing.count().max(1) as f64)
    }

    fn progress(&mut self, step_ns: f64, is_open: impl Fn(usize) -> bool) {
        let rates: BTreeMap<usize, f64> = self
            .queues
            .iter()
            .filter_map(|(number, queue)| Some((*number, self.rate(queue.commands.front()?))))
            .collect();
        for (number, queue) in &mut self.queues {
            match queue.commands.front_mut() {
                Some(Command::Work { fixed_ns, .. }) if *fixed_ns > 0.0 => *fixed_ns = rest(*fixed_ns, step_ns),
                Some(Command::Work { bytes, .. }) => *bytes = rest(*bytes, step_ns * rates[number]),
                Some(Command::Gate { limit_ns, number }) if !is_open(*number) => *limit_ns = rest(*limit_ns, step_ns),
                _ => {}
            }
        }
    }

    /// Takes what has ended off the heads of all queues, until one that waited for another has nothing more to wait for.
    fn finish(&mut self) {
        while self.take_ended() {}
    }

    /// Whether a queue had anything that has ended.
    fn take_ended(&mut self) -> bool {
        let mut any = false;
        for queue in self.queues.values_mut() {
            while let Some(command) = queue.commands.front() {
                match *command {
                    Command::Work { fixed_ns, bytes, .. } if fixed_ns <= 0.0 && bytes <= 0.0 => {}
                    Command::Gate { number, limit_ns } if limit_ns <= 0.0 => {
                        self.passed.push((number, Passed::GaveUp));
                    }
                    Command::Mark(mark) => {
                        self.marks.insert(mark, Some(self.now_ns));
                    }
                    Command::Await(mark) if self.marks.get(&mark).copied().flatten().is_some() => {}
                    _ => break,
                }
                queue.commands.pop_front();
                any = true;
            }
        }
        any
    }

    fn pass_open_gates(&mut self, is_open: impl Fn(usize) -> bool) {
        for queue in self.queues.values_mut() {
            if let Some(Command::Gate { number, .. }) = queue.commands.front()
                && is_open(*number)
            {
                self.passed.push((*number, Passed::Opened));
                queue.commands.pop_front();
            }
        }
    }
}

fn rest(whole: f64, part: f64) -> f64 {
    let rest = whole - part;
    if rest < NOTHING_NS { 0.0 } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(bytes: f64, link: Link) -> Command {
        Command::Work { fixed_ns: 100.0, bytes, link, link_rate: 2.0, own_rate: f64::INFINITY }
    }

    /// Two marks around `commands` in a queue of that device.
    fn timed(world: &mut World, device: usize, commands: &[Command]) -> (usize, usize) {
        let (queue, from, to) = (world.queue(device), world.mark(), world.mark());
        world.push(queue, Command::Mark(from));
        commands.iter().for_each(|command| assert!(world.push(queue, *command)));
        world.push(queue, Command::Mark(to));
        (from, to)
    }

    fn between(world: &World, (from, to): (usize, usize)) -> f64 {
        let stamp = |mark| world.stamp_ns(mark).flatten().expect("the mark was passed");
        stamp(to) - stamp(from)
    }

    #[test]
    fn a_copy_lasts_its_latency_and_its_bytes() {
        let mut world = World::default();
        let marks = timed(&mut world, 0, &[copy(1000.0, Link::In(0)), copy(1000.0, Link::In(0))]);
        world.advance(1100.0, |_| false);
        assert_eq!(world.stamp_ns(marks.1), Some(None));
        world.advance(5000.0, |_| false);
        assert!((between(&world, marks) - 1200.0).abs() < 0.01);
    }

    #[test]
    fn copies_share_a_link_and_not_two() {
        let mut world = World::default();
        let mixed = [Link::In(0), Link::In(0), Link::Out(0)];
        let marks = mixed.map(|link| timed(&mut world, 0, &[copy(1000.0, link)]));
        world.advance(1e4, |_| false);
        let spans = marks.map(|marks| between(&world, marks));
        assert!((spans[0] - 1100.0).abs() < 0.01 && (spans[1] - 1100.0).abs() < 0.01, "{spans:?}");
        assert!((spans[2] - 600.0).abs() < 0.01, "{spans:?}");
    }

    #[test]
    fn what_stands_behind_a_gate_waits_for_it() {
        let mut world = World::default();
        let gate = Command::Gate { number: 7, limit_ns: 1e6 };
        let marks = timed(&mut world, 0, &[gate, copy(200.0, Link::In(0))]);
        world.advance(5000.0, |_| false);
        assert_eq!(world.stamp_ns(marks.1), Some(None));
        world.advance(6000.0, |number| number == 7);
        world.advance(7000.0, |_| true);
        assert!((between(&world, marks) - 6200.0).abs() < 0.01, "it was opened at 6000");
        assert_eq!(world.take_passed(), [(7, Passed::Opened)]);
    }

    #[test]
    fn a_gate_gives_up_after_its_limit() {
        let mut world = World::default();
        let marks = timed(&mut world, 0, &[Command::Gate { number: 7, limit_ns: 300.0 }]);
        world.advance(1e4, |_| false);
        assert!((between(&world, marks) - 300.0).abs() < 0.01);
        assert_eq!(world.take_passed(), [(7, Passed::GaveUp)]);
    }
}
