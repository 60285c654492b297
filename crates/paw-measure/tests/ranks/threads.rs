//! Ranks as threads: a channel through one hub, whose messages take scripted time, and which notices a rank that is gone.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

use paw_measure::channel::{Channel, Reduce};
use paw_measure::clock::scripted::{Script, TICKS_PER_SECOND};
use paw_measure::fault::Fault;

/// What one message costs: from, to, seconds.
pub type Wire = fn(usize, usize) -> f64;

/// One rank's end of the hub. Dropping it tells all that the rank is gone.
pub struct ThreadChannel {
    rank: usize,
    size: usize,
    hub: Arc<Hub>,
    script: Script,
    wire: Wire,
    calls: Arc<Mutex<Calls>>,
}

/// Calls of one rank: those of all ranks together, and single messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    pub collective: usize,
    pub messages: usize,
}

struct Hub {
    state: Mutex<State>,
    /// All ranks have come, or one has gone.
    changed: Condvar,
    /// There is mail for this rank: to wake thousands for each message would take minutes.
    mailed: Vec<Condvar>,
}

#[derive(Default)]
struct State {
    gone: Vec<usize>,
    round: u64,
    /// How many ranks have come to this round.
    come: usize,
    parts: Vec<Option<Part>>,
    whole: Option<Part>,
    mail: HashMap<(usize, usize), VecDeque<Part>>,
    /// Whose mail each rank waits for.
    awaited: Vec<Option<usize>>,
}

/// Values under way, with what they are for and the scripted moment they are there.
#[derive(Clone)]
struct Part {
    call: Call,
    values: Vec<f64>,
    at_s: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Call {
    Broadcast { from: usize },
    Reduce(Reduce),
    Message,
}

/// Runs `rank` on so many threads, with messages that cost nothing, and returns what each came to.
pub fn on_ranks<T: Send>(size: usize, rank: impl Fn(ThreadChannel) -> T + Sync) -> Vec<T> {
    on_wire(size, |_, _| 0.0, rank)
}

/// Runs `rank` on so many threads, with messages that cost scripted time.
pub fn on_wire<T: Send>(size: usize, wire: Wire, rank: impl Fn(ThreadChannel) -> T + Sync) -> Vec<T> {
    let state = State { parts: vec![None; size], awaited: vec![None; size], ..State::default() };
    let mailed = (0..size).map(|_| Condvar::new()).collect();
    let hub = Arc::new(Hub { state: Mutex::new(state), changed: Condvar::new(), mailed });
    let channel = |rank| ThreadChannel {
        rank,
        size,
        hub: Arc::clone(&hub),
        script: Script::new(1e-12, 0.0),
        wire,
        calls: Arc::default(),
    };
    let rank = &rank;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..size).map(channel).map(|channel| scope.spawn(move || rank(channel))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank panicked")).collect()
    })
}

impl ThreadChannel {
    /// The rank's scripted time, which messages advance.
    pub fn script(&self) -> Script {
        self.script.clone()
    }

    /// A count of this rank's calls that outlives the channel's owner.
    pub fn calls(&self) -> Arc<Mutex<Calls>> {
        Arc::clone(&self.calls)
    }

    fn collective(&self, call: Call, values: &mut [f64]) -> Result<(), Fault> {
        self.calls.lock().expect("counting does not panic").collective += 1;
        let mut state = self.hub.lock();
        let round = state.round;
        let part = Part { call, values: values.to_vec(), at_s: self.script.now_s() };
        // After a rank is gone, one that stays may come again to the round that never ends.
        if state.parts[self.rank].replace(part).is_none() {
            state.come += 1;
        }
        if state.come == self.size {
            state.come = 0;
            let parts: Vec<Part> = state.parts.iter_mut().filter_map(Option::take).collect();
            state.whole = whole(&parts);
            state.round += 1;
            self.hub.changed.notify_all();
        }
        while state.round == round {
            if let Some(gone) = state.gone.first() {
                return Err(Fault::Broken(format!("rank {gone} is gone")));
            }
            state = Hub::wait(&self.hub.changed, state);
        }
        let whole = state.whole.clone().ok_or_else(|| Fault::Broken("the ranks are at different calls".to_owned()))?;
        drop(state);
        values.copy_from_slice(&whole.values);
        self.arrive(whole.at_s + (self.wire)(0, self.rank));
        Ok(())
    }

    fn arrive(&self, at_s: f64) {
        let wait_s = at_s - self.script.now_s();
        // Half a tick: what is earlier by less is a rounding.
        if wait_s > 0.5 / TICKS_PER_SECOND {
            self.script.advance(wait_s);
        }
    }
}

/// What all get, once all have come; `None` where they came for different things.
fn whole(parts: &[Part]) -> Option<Part> {
    let first = &parts[0];
    let alike = parts.iter().all(|part| part.call == first.call && part.values.len() == first.values.len());
    let latest_s = parts.iter().map(|part| part.at_s).fold(0.0, f64::max);
    let fold = |merge: fn(f64, f64) -> f64| {
        let column = |i: usize| parts.iter().map(|part| part.values[i]).reduce(merge).unwrap_or(f64::NAN);
        (0..first.values.len()).map(column).collect()
    };
    let whole = |values| Part { call: first.call, values, at_s: latest_s };
    alike.then(|| match first.call {
        Call::Broadcast { from } => parts[from].clone(),
        Call::Message => first.clone(),
        Call::Reduce(Reduce::Max) => whole(fold(f64::max)),
        Call::Reduce(Reduce::Min) => whole(fold(f64::min)),
        Call::Reduce(Reduce::Sum) => whole(fold(|a, b| a + b)),
    })
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no rank panics while it holds the hub")
    }

    fn wait<'s>(news: &Condvar, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        news.wait(state).expect("no rank panics while it holds the hub")
    }
}

impl Channel for ThreadChannel {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn broadcast(&self, values: &mut [f64]) -> Result<(), Fault> {
        self.collective(Call::Broadcast { from: 0 }, values)
    }

    fn broadcast_bytes(&self, bytes: &mut [u8], from: usize) -> Result<(), Fault> {
        let mut values: Vec<f64> = bytes.iter().copied().map(f64::from).collect();
        self.collective(Call::Broadcast { from }, &mut values)?;
        bytes.iter_mut().zip(values).for_each(|(byte, value)| *byte = value as u8);
        Ok(())
    }

    fn reduce(&self, values: &mut [f64], how: Reduce) -> Result<(), Fault> {
        self.collective(Call::Reduce(how), values)
    }

    fn send(&self, to: usize, values: &[f64]) -> Result<(), Fault> {
        self.calls.lock().expect("counting does not panic").messages += 1;
        let at_s = self.script.now_s() + (self.wire)(self.rank, to);
        let part = Part { call: Call::Message, values: values.to_vec(), at_s };
        self.hub.lock().mail.entry((self.rank, to)).or_default().push_back(part);
        self.hub.mailed[to].notify_one();
        Ok(())
    }

    fn receive(&self, from: usize, values: &mut [f64]) -> Result<(), Fault> {
        self.calls.lock().expect("counting does not panic").messages += 1;
        let mut state = self.hub.lock();
        let part = loop {
            if let Some(part) = state.mail.get_mut(&(from, self.rank)).and_then(VecDeque::pop_front) {
                break part;
            }
            if state.gone.contains(&from) {
                return Err(Fault::Broken(format!("rank {from} is gone")));
            }
            state.awaited[self.rank] = Some(from);
            state = Hub::wait(&self.hub.mailed[self.rank], state);
            state.awaited[self.rank] = None;
        };
        drop(state);
        values.copy_from_slice(&part.values);
        self.arrive(part.at_s);
        Ok(())
    }

    fn barrier(&self) -> Result<(), Fault> {
        self.reduce(&mut [], Reduce::Max)
    }
}

impl Drop for ThreadChannel {
    fn drop(&mut self) {
        let mut state = self.hub.lock();
        state.gone.push(self.rank);
        self.hub.changed.notify_all();
        // Each call of a condition variable is one of the system: thousands of ranks that wake thousands take a minute.
        let mailed = state.awaited.iter().zip(&self.hub.mailed);
        mailed.filter(|(from, _)| **from == Some(self.rank)).for_each(|(_, mailed)| mailed.notify_one());
    }
}
