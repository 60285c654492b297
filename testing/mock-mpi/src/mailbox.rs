//! Messages that came and receives that wait for one, matched in order.

use std::collections::VecDeque;

use crate::datatypes::Place;
use crate::envelope::{Envelope, Purpose};
use crate::slots::Slots;

/// A message, whole or in part.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) source: usize,
    pub(crate) envelope: Envelope,
    received: usize,
    spoilt: bool,
    landing: Landing,
}

#[derive(Debug)]
enum Landing {
    Kept(Vec<u8>),
    At(Place),
}

impl Message {
    /// The next piece of the payload.
    pub(crate) fn add(&mut self, piece: &[u8]) {
        if self.spoilt && !piece.is_empty() {
            self.spoilt = false;
            let mut wrong = piece.to_vec();
            wrong[piece.len() / 2] ^= 0x10;
            return self.land(&wrong);
        }
        self.land(piece);
    }

    fn land(&mut self, piece: &[u8]) {
        match &mut self.landing {
            Landing::Kept(bytes) => bytes.extend_from_slice(piece),
            Landing::At(place) => place.write(self.received, piece),
        }
        self.received += piece.len();
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.received == self.envelope.bytes
    }

    pub(crate) fn is_here(&self, now_ns: u64) -> bool {
        self.is_whole() && now_ns >= self.envelope.arrival_ns
    }

    /// The payload, where it was kept.
    pub(crate) fn payload(self) -> Vec<u8> {
        match self.landing {
            Landing::Kept(bytes) => bytes,
            Landing::At(_) => Vec::new(),
        }
    }
}

/// Which messages a receive takes; `None` takes any.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) context: u32,
    pub(crate) source: Option<usize>,
    pub(crate) tag: Option<i32>,
}

impl Wanted {
    fn takes(&self, source: usize, envelope: &Envelope) -> bool {
        self.context == envelope.context
            && self.source.is_none_or(|wanted| wanted == source)
            && self.tag.is_none_or(|wanted| wanted == envelope.tag)
    }
}

#[derive(Debug)]
struct Receive {
    wanted: Wanted,
    /// Where the payload goes; kept for the library itself where there is no place.
    place: Option<Place>,
    message: Option<usize>,
}

/// A message that was received.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) source: usize,
    pub(crate) tag: i32,
    pub(crate) bytes: usize,
    pub(crate) truncated: bool,
    pub(crate) payload: Vec<u8>,
}

/// Everything one rank has received and waits for.
#[derive(Debug)]
pub(crate) struct Mailbox {
    pub(crate) messages: Slots<Message>,
    unexpected: VecDeque<usize>,
    receives: Slots<Receive>,
    posted: VecDeque<usize>,
}

impl Mailbox {
    pub(crate) fn empty() -> Self {
        Mailbox {
            messages: Slots::from(0),
            unexpected: VecDeque::new(),
            receives: Slots::from(0),
            posted: VecDeque::new(),
        }
    }

    /// A message begins to arrive.
    pub(crate) fn begin(&mut self, source: usize, envelope: Envelope, spoilt: bool) -> usize {
        let landing = Landing::Kept(Vec::new());
        let id = self.messages.insert(Message { source, envelope, received: 0, spoilt, landing });
        if envelope.purpose != Purpose::Message {
            return id;
        }
        let receives = &self.receives;
        let fits = |posted: &usize| receives.get(*posted).is_some_and(|r| r.wanted.takes(source, &envelope));
        match self.posted.iter().position(fits).and_then(|at| self.posted.remove(at)) {
            Some(receive) => self.marry(receive, id),
            None => self.unexpected.push_back(id),
        }
        id
    }

    /// Waits for a message from now on.
    pub(crate) fn post(&mut self, wanted: Wanted, place: Option<Place>) -> usize {
        let receive = self.receives.insert(Receive { wanted, place, message: None });
        let here = self.unexpected.iter().position(|id| self.fits(*id, &wanted));
        match here.and_then(|at| self.unexpected.remove(at)) {
            Some(message) => self.marry(receive, message),
            None => self.posted.push_back(receive),
        }
        receive
    }

    fn fits(&self, message: usize, wanted: &Wanted) -> bool {
        self.messages.get(message).is_some_and(|m| wanted.takes(m.source, &m.envelope))
    }

    fn marry(&mut self, receive: usize, message: usize) {
        let Some(receive) = self.receives.get_mut(receive) else { return };
        receive.message = Some(message);
        let (Some(place), Some(message)) = (&receive.place, self.messages.get_mut(message)) else { return };
        // What has come is copied now: a copy after the arrival would add to the cost.
        if let Landing::Kept(bytes) = std::mem::replace(&mut message.landing, Landing::At(place.clone())) {
            place.write(0, &bytes);
        }
    }

    /// Whether the message of a receive is there.
    pub(crate) fn is_received(&self, receive: usize, now_ns: u64) -> bool {
        let message = self.receives.get(receive).and_then(|r| self.messages.get(r.message?));
        message.is_some_and(|m| m.is_here(now_ns))
    }

    /// The message of a receive that has come; both are gone thereafter.
    pub(crate) fn collect(&mut self, receive: usize) -> Option<Arrived> {
        let receive = self.receives.remove(receive)?;
        let message = self.messages.remove(receive.message?)?;
        let room = receive.place.map(|place| place.room());
        let truncated = room.is_some_and(|room| message.envelope.bytes > room);
        let bytes = room.map_or(message.envelope.bytes, |room| message.envelope.bytes.min(room));
        Some(Arrived {
            source: message.source,
            tag: message.envelope.tag,
            bytes,
            truncated,
            payload: message.payload(),
        })
    }

    /// A receive that is no longer wanted.
    pub(crate) fn forget(&mut self, receive: usize) {
        self.posted.retain(|posted| *posted != receive);
        self.receives.remove(receive);
    }

    /// The first message there that would be taken: source, tag and length.
    pub(crate) fn probe(&self, wanted: &Wanted, now_ns: u64) -> Option<(usize, i32, usize)> {
        let first = self.unexpected.iter().find(|id| self.fits(**id, wanted))?;
        let message = self.messages.get(*first)?;
        (now_ns >= message.envelope.arrival_ns).then_some((
            message.source,
            message.envelope.tag,
            message.envelope.bytes,
        ))
    }
}
