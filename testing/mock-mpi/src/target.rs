//! Operations on windows, served where they point to, in the order they arrive.

use crate::abi::{Class, Datatype, Handle, Op};
use crate::address::Address;
use crate::clock::now_ns;
use crate::engine::Engine;
use crate::envelope::{Envelope, Purpose};
use crate::reduction::fold;
use crate::window::{Mode, Window};
use crate::world::die;

/// The call that answers are counted under: nobody called them.
const SERVICE: &str = "service";

const KINDS: [Datatype; 6] =
    [Datatype::Byte, Datatype::I32, Datatype::F32, Datatype::F64, Datatype::I64, Datatype::U64];
const OPS: [Op; 6] = [Op::Sum, Op::Min, Op::Max, Op::Land, Op::Replace, Op::Keep];

/// How elements are combined, as a word of an envelope.
pub(crate) fn packed(kind: Datatype, op: Op) -> u64 {
    let kind = KINDS.iter().position(|known| *known == kind).unwrap_or_default();
    let op = OPS.iter().position(|known| *known == op).unwrap_or_default();
    (kind * OPS.len() + op) as u64
}

fn unpacked(word: u64) -> (Datatype, Op) {
    let word = word as usize;
    (KINDS[word / OPS.len() % KINDS.len()], OPS[word % OPS.len()])
}

impl Window {
    /// Where `n` bytes of an operation lie; one that reaches beyond the window ends the job, as real libraries crash.
    fn place(&self, envelope: &Envelope, n: usize) -> Address {
        if self.attached.is_some() {
            let address = envelope.words[0] as usize;
            if !self.is_attached(address, n) {
                die(1, &format!("{:?} reaches memory that was detached meanwhile", envelope.purpose));
            }
            return Address(address);
        }
        let from = envelope.words[0] as usize * self.unit;
        if from + n > self.bytes {
            die(1, &format!("{:?} reaches byte {} of a window of {}", envelope.purpose, from + n, self.bytes));
        }
        self.base.at(from)
    }
}

impl Engine {
    /// Serves what has arrived.
    pub(crate) fn serve(&mut self) {
        let now = now_ns();
        for source in 0..self.inbox.len() {
            while let Some(id) = self.inbox[source].front().copied()
                && self.mailbox.messages.get(id).is_none_or(|message| message.is_here(now))
            {
                self.inbox[source].pop_front();
                let Some(message) = self.mailbox.messages.remove(id) else { continue };
                let envelope = message.envelope;
                if self.serve_one(source, &envelope, &message.payload()).is_err() {
                    die(1, &format!("{:?} for a window that is not there", envelope.purpose));
                }
            }
        }
    }

    fn serve_one(&mut self, source: usize, envelope: &Envelope, payload: &[u8]) -> Result<(), Class> {
        let of = |handle: &Handle| self.windows.get(*handle).is_some_and(|window| window.context == envelope.context);
        let handle = self.windows.handles().into_iter().find(of).ok_or(Class::Win)?;
        let window = self.window(handle)?;
        let rank = window.rank_of(source);
        let peer = &mut window.peers[rank];
        match envelope.purpose {
            Purpose::Message => {}
            Purpose::Post => peer.posts += 1,
            Purpose::Complete => peer.completes += 1,
            Purpose::Granted => peer.granted = true,
            Purpose::Flushed => peer.flushes -= 1,
            Purpose::Flush => self.notify(SERVICE, Purpose::Flushed, (handle, rank), 0)?,
            Purpose::Lock => {
                window.lock.ask(rank, if envelope.words[1] == 1 { Mode::Exclusive } else { Mode::Shared });
                self.grant(handle)?;
            }
            Purpose::Unlock => {
                window.lock.release(rank);
                self.notify(SERVICE, Purpose::Flushed, (handle, rank), 0)?;
                self.grant(handle)?;
            }
            Purpose::Reach => {
                let refused = !window.is_attached(envelope.words[0] as usize, envelope.words[1] as usize);
                let words = [0, 0, envelope.words[2], u64::from(refused)];
                self.send(SERVICE, source, Envelope::service(Purpose::Reply, envelope.context, words), &[]);
            }
            Purpose::Reply => {
                peer.fetches -= 1;
                peer.refused = envelope.words[3] == 1;
                let fetch = self.fetches.remove(&envelope.words[2]).ok_or(Class::Win)?;
                fetch.into.write(&payload[..payload.len().min(fetch.room)]);
            }
            Purpose::Put | Purpose::Get | Purpose::Accumulate | Purpose::FetchAndOp | Purpose::CompareAndSwap => {
                let answer = touch(window, envelope, payload);
                if let Some(answer) = answer {
                    let context = envelope.context;
                    let reply = Envelope::service(Purpose::Reply, context, [0, 0, envelope.words[2], 0]);
                    self.send(SERVICE, source, reply, &answer);
                }
            }
        }
        Ok(())
    }

    fn grant(&mut self, handle: Handle) -> Result<(), Class> {
        while let Some(rank) = self.window(handle)?.lock.grant() {
            self.notify(SERVICE, Purpose::Granted, (handle, rank), 0)?;
        }
        Ok(())
    }
}

/// Reads and changes the memory of a window; what is to be sent back.
fn touch(window: &Window, envelope: &Envelope, payload: &[u8]) -> Option<Vec<u8>> {
    let n = match envelope.purpose {
        Purpose::Get => envelope.words[1] as usize,
        Purpose::CompareAndSwap => payload.len() / 2,
        _ => payload.len(),
    };
    let place = window.place(envelope, n);
    let old = place.read(n);
    match envelope.purpose {
        Purpose::Put => place.write(payload),
        Purpose::Accumulate | Purpose::FetchAndOp => {
            let (kind, op) = unpacked(envelope.words[1]);
            let mut new = old.clone();
            fold(kind, op, payload, &mut new);
            place.write(&new);
        }
        Purpose::CompareAndSwap if old == payload[..n] => place.write(&payload[n..]),
        _ => {}
    }
    (!matches!(envelope.purpose, Purpose::Put | Purpose::Accumulate)).then_some(old)
}
