//! What is written on a message.

/// What a message is for: matched by a receive, or served at a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Message,
    Put,
    Get,
    Accumulate,
    FetchAndOp,
    CompareAndSwap,
    Reply,
    Post,
    Complete,
    Flush,
    Flushed,
    Lock,
    Granted,
    Unlock,
    Reach,
}

const PURPOSES: [Purpose; 15] = [
    Purpose::Message,
    Purpose::Put,
    Purpose::Get,
    Purpose::Accumulate,
    Purpose::FetchAndOp,
    Purpose::CompareAndSwap,
    Purpose::Reply,
    Purpose::Post,
    Purpose::Complete,
    Purpose::Flush,
    Purpose::Flushed,
    Purpose::Lock,
    Purpose::Granted,
    Purpose::Unlock,
    Purpose::Reach,
];

/// Words of a frame: bytes in it, then the envelope.
const WORDS: usize = 9;
pub(crate) const FRAME_BYTES: usize = WORDS * 8;

/// What is written on a message; who sent it is known from the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Envelope {
    pub(crate) purpose: Purpose,
    /// The communicator or window.
    pub(crate) context: u32,
    pub(crate) tag: i32,
    /// Length of the payload.
    pub(crate) bytes: usize,
    /// Nobody sees the message before.
    pub(crate) arrival_ns: u64,
    /// What an operation on a window needs.
    pub(crate) words: [u64; 4],
}

impl Envelope {
    pub(crate) fn message(context: u32, tag: i32) -> Self {
        Envelope { purpose: Purpose::Message, context, tag, bytes: 0, arrival_ns: 0, words: [0; 4] }
    }

    pub(crate) fn service(purpose: Purpose, context: u32, words: [u64; 4]) -> Self {
        Envelope { purpose, context, tag: 0, bytes: 0, arrival_ns: 0, words }
    }

    /// The head of a frame that holds `here` bytes of the payload.
    pub(crate) fn frame(&self, here: usize) -> [u8; FRAME_BYTES] {
        let head = u64::from(self.context) << 32 | u64::from(self.tag.cast_unsigned());
        let fixed = [here as u64, self.purpose as u64, head, self.bytes as u64, self.arrival_ns];
        let mut frame = [0; FRAME_BYTES];
        for (place, word) in frame.chunks_exact_mut(8).zip(fixed.iter().chain(&self.words)) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        frame
    }

    /// Bytes in the frame, and the envelope.
    pub(crate) fn parse(frame: &[u8; FRAME_BYTES]) -> (usize, Self) {
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(frame.as_chunks::<8>().0) {
            *word = u64::from_ne_bytes(*bytes);
        }
        let [here, purpose, head, bytes, arrival_ns, rest @ ..] = words;
        let envelope = Envelope {
            purpose: PURPOSES[purpose as usize],
            context: (head >> 32) as u32,
            tag: (head as u32).cast_signed(),
            bytes: bytes as usize,
            arrival_ns,
            words: rest,
        };
        (here as usize, envelope)
    }
}
