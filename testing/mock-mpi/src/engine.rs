//! One rank: what it sends, what it receives, and what it has open.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io;

use crate::clock::now_ns;
use crate::communicator::{Communicator, Group};
use crate::counts::Counts;
use crate::datatypes::MadeDatatype;
use crate::envelope::{Envelope, FRAME_BYTES, Purpose};
use crate::fault::Faults;
use crate::mailbox::Mailbox;
use crate::options::{Cost, Options};
use crate::plan::Plan;
use crate::request::Request;
use crate::segment::{RANKS_MAX, Segment};
use crate::slots::Slots;
use crate::window::{Fetch, Window};

/// The largest piece of a message: a ring holds several, so that both sides copy at the same time.
const PIECE_BYTES: usize = 1 << 14;

/// A send: the n-th to a rank.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ticket {
    to: usize,
    nth: u64,
}

/// What did not fit the ring.
#[derive(Debug)]
struct Rest {
    envelope: Envelope,
    begun: bool,
    bytes: Vec<u8>,
    next: usize,
}

/// What a rank knows of the way to another.
#[derive(Debug, Default)]
struct Link {
    free_ns: u64,
    started: u64,
    finished: u64,
    rests: VecDeque<Rest>,
}

impl Link {
    /// When a message of `bytes` that starts now is visible; it occupies the link until then, less α.
    fn arrival(&mut self, cost: &Cost, bytes: usize, now_ns: u64) -> u64 {
        self.free_ns = self.free_ns.max(now_ns) + (bytes as f64 * cost.beta_ns_per_byte) as u64;
        self.free_ns + cost.alpha_ns
    }
}

/// One rank.
pub(crate) struct Engine {
    pub(crate) options: Options,
    pub(crate) segment: Segment,
    pub(crate) faults: Faults,
    pub(crate) counts: Counts,
    pub(crate) mailbox: Mailbox,
    /// Operations on windows that have come, by source, in order.
    pub(crate) inbox: Vec<VecDeque<usize>>,
    pub(crate) plans: Slots<Plan>,
    pub(crate) requests: Slots<Request>,
    pub(crate) communicators: Slots<Communicator>,
    pub(crate) groups: Slots<Group>,
    pub(crate) windows: Slots<Window>,
    pub(crate) datatypes: Slots<MadeDatatype>,
    pub(crate) files: Slots<File>,
    /// Sessions that have begun and not ended.
    pub(crate) sessions: Slots<()>,
    /// Answers that are waited for; numbers are not used twice, since requests outlive them.
    pub(crate) fetches: HashMap<u64, Fetch>,
    pub(crate) fetches_begun: u64,
    pub(crate) next_context: u32,
    pub(crate) thread_level: i32,
    /// Plans that are not done.
    pub(crate) active: Vec<usize>,
    links: Vec<Link>,
    /// The message each rank is in the middle of sending.
    arriving: Vec<Option<usize>>,
    random: fastrand::Rng,
}

impl Engine {
    pub(crate) fn new(options: Options) -> io::Result<Self> {
        let size = options.size;
        if size > RANKS_MAX {
            return Err(io::Error::other(format!("{size} ranks are more than {RANKS_MAX}")));
        }
        Ok(Engine {
            segment: Segment::open(options.file.as_deref(), size)?,
            faults: Faults::of(options.rank),
            counts: Counts::default(),
            mailbox: Mailbox::empty(),
            inbox: (0..size).map(|_| VecDeque::new()).collect(),
            plans: Slots::from(0),
            requests: Slots::from(0x1000_0000),
            communicators: Communicator::predefined(options.rank, size),
            groups: Slots::from(0x60_0000),
            windows: Slots::from(0x40_0000),
            datatypes: Slots::from(0x20_0000),
            files: Slots::from(0x80_0000),
            sessions: Slots::from(0xa0_0000),
            fetches: HashMap::new(),
            fetches_begun: 0,
            next_context: 2,
            thread_level: 0,
            active: Vec::new(),
            links: (0..size).map(|_| Link::default()).collect(),
            arriving: vec![None; size],
            random: fastrand::Rng::with_seed(options.seed.wrapping_add(options.rank as u64)),
            options,
        })
    }

    /// Sends `payload` to rank `to` of the world on behalf of `call`.
    pub(crate) fn send(&mut self, call: &'static str, to: usize, envelope: Envelope, payload: &[u8]) -> Ticket {
        self.counts.sent(call, payload.len());
        let link = &mut self.links[to];
        let cost = self.options.cost_to(to);
        let mut arrival_ns = link.arrival(&cost, payload.len(), now_ns());
        if let Some(outliers) = cost.outliers
            && self.random.f64() < outliers.share
        {
            arrival_ns += outliers.extra_ns;
        }
        let envelope = Envelope { bytes: payload.len(), arrival_ns, ..envelope };
        link.started += 1;
        let ticket = Ticket { to, nth: link.started };
        let mut next = 0;
        let mut begun = false;
        if link.rests.is_empty() {
            (begun, next) = self.push(to, &envelope, payload, (false, 0));
        }
        if begun && next == payload.len() {
            self.links[to].finished += 1;
        } else {
            let bytes = payload[next..].to_vec();
            self.links[to].rests.push_back(Rest { envelope, begun, bytes, next: 0 });
        }
        ticket
    }

    /// Whether nothing of a send waits any more.
    pub(crate) fn is_sent(&self, ticket: Ticket) -> bool {
        self.links[ticket.to].finished >= ticket.nth
    }

    /// Whether nothing at all waits to be sent.
    pub(crate) fn is_quiet(&self) -> bool {
        self.links.iter().all(|link| link.rests.is_empty())
    }

    /// Writes what fits of a payload from `next` on; whether its first frame is written, and how far it came.
    fn push(
        &self,
        to: usize,
        envelope: &Envelope,
        payload: &[u8],
        (mut begun, mut next): (bool, usize),
    ) -> (bool, usize) {
        let ring = self.segment.ring(self.options.rank, to);
        let before = (begun, next);
        while !begun || next < payload.len() {
            let room = ring.room();
            let piece = (payload.len() - next).min(PIECE_BYTES);
            if room < FRAME_BYTES + piece {
                break;
            }
            ring.write([&envelope.frame(piece), &payload[next..next + piece]]);
            (begun, next) = (true, next + piece);
            self.segment.ring_the_bell(self.options.rank, to);
        }
        debug_assert!(before <= (begun, next));
        (begun, next)
    }

    /// One look at everything: sends what waits, takes what came, serves windows, advances plans.
    pub(crate) fn progress(&mut self) {
        for to in 0..self.links.len() {
            if !self.links[to].rests.is_empty() {
                self.push_rests(to);
            }
        }
        let callers: Vec<usize> = self.segment.callers(self.options.rank).collect();
        for source in callers {
            self.drain(source);
        }
        self.serve();
        for plan in self.active.clone() {
            self.advance(plan);
        }
    }

    fn push_rests(&mut self, to: usize) {
        while let Some(mut rest) = self.links[to].rests.pop_front() {
            (rest.begun, rest.next) = self.push(to, &rest.envelope, &rest.bytes, (rest.begun, rest.next));
            if rest.begun && rest.next == rest.bytes.len() {
                self.links[to].finished += 1;
            } else {
                self.links[to].rests.push_front(rest);
                break;
            }
        }
    }

    /// Takes all frames a rank has left; a frame is shown whole.
    fn drain(&mut self, source: usize) {
        let ring = self.segment.ring(source, self.options.rank);
        while ring.filled() > 0 {
            let mut frame = [0; FRAME_BYTES];
            let mut at = 0;
            ring.take(FRAME_BYTES, |piece| {
                frame[at..at + piece.len()].copy_from_slice(piece);
                at += piece.len();
            });
            let (here, envelope) = Envelope::parse(&frame);
            let id = self.arriving[source].unwrap_or_else(|| self.begin(source, envelope));
            let Some(message) = self.mailbox.messages.get_mut(id) else { return };
            ring.take(here, |piece| message.add(piece));
            self.arriving[source] = (!message.is_whole()).then_some(id);
        }
    }

    fn begin(&mut self, source: usize, envelope: Envelope) -> usize {
        // What the library tells itself, about contexts for one, is no payload.
        let spoilt = envelope.bytes > 0 && envelope.words[3] == 0 && self.faults.corrupts(&envelope);
        let id = self.mailbox.begin(source, envelope, spoilt);
        if envelope.purpose != Purpose::Message {
            self.inbox[source].push_back(id);
        }
        id
    }
}
