//! The records of a ring, parsed: `perf_event_open(2)`, section "MMAP layout".

/// What each sample has, and the end of every other record: `PERF_SAMPLE_IP | TID | TIME`, and a call chain if it is asked for.
pub(crate) mod layout {
    pub const IP: u64 = 1 << 0;
    pub const TID: u64 = 1 << 1;
    pub const TIME: u64 = 1 << 2;
    pub const CALL_CHAIN: u64 = 1 << 5;
    /// Bytes at the end of all records but samples: process, thread, time.
    pub const TRAILER: usize = 16;
}

/// Where the processor was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// In the kernel, or in a hypervisor.
    Kernel,
    /// In the program.
    User,
}

/// A record with the time at which it was made, in nanoseconds of the monotonic clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub time: u64,
    pub body: Body,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    /// The clock ticked while a thread ran.
    Sample(Sample),
    /// A process mapped executable memory.
    Map(Map),
    /// A thread got a name; with `exec`, its process became another program.
    Name { pid: u32, tid: u32, name: String, exec: bool },
    /// A process or thread began.
    Fork { pid: u32, parent: u32, tid: u32 },
    /// Samples were lost, because the ring was full.
    Lost(u64),
    /// The kernel stops sampling until its next tick, because samples take too much time.
    Throttle,
    /// Nothing of use here.
    Other,
}

/// The clock ticked while a thread ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sample {
    pub pid: u32,
    pub tid: u32,
    pub mode: Mode,
    /// The address of the next instruction.
    pub address: u64,
    /// Addresses in the program, from the innermost frame outward; without a chain only what is known of the first.
    pub chain: Vec<u64>,
}

/// A mapping of executable memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Map {
    pub pid: u32,
    pub start: u64,
    pub bytes: u64,
    /// Offset of `start` in the file.
    pub offset: u64,
    /// The file's path, or a name such as `[vdso]` or `//anon`.
    pub path: String,
}

/// `PERF_RECORD_MISC_CPUMODE_MASK`.
const MODE_MASK: u16 = 7;
/// `PERF_RECORD_MISC_USER` and `PERF_RECORD_MISC_GUEST_USER`.
const MODES_OF_PROGRAMS: [u16; 2] = [2, 5];
/// Frames of a chain that are kept: the kernel's own default limit.
const FRAMES_MAX: usize = 127;
/// Addresses from here on are marks within a chain: `PERF_CONTEXT_MAX`.
const CONTEXT_MAX: u64 = u64::MAX - 4094;
/// `PERF_CONTEXT_USER`: frames of the program follow.
const CONTEXT_USER: u64 = u64::MAX - 511;

/// The record that `bytes` begin with, and its length; `None` if there is no whole one.
///
/// A record of unknown type or damaged content is [`Body::Other`].
pub(crate) fn parse(bytes: &[u8], sample_type: u64) -> Option<(Record, usize)> {
    let mut head = Cursor(bytes);
    let (kind, misc, size) = (head.u32()?, head.u16()?, usize::from(head.u16()?));
    if size < 8 || size > bytes.len() {
        return None;
    }
    let body = &bytes[8..size];
    let record = if kind == 9 { sample(body, misc, sample_type) } else { other(kind, misc, body) };
    Some((record.unwrap_or(Record { time: 0, body: Body::Other }), size))
}

fn sample(body: &[u8], misc: u16, sample_type: u64) -> Option<Record> {
    let mut body = Cursor(body);
    let address = body.u64()?;
    let (pid, tid) = (body.u32()?, body.u32()?);
    let time = body.u64()?;
    let mode = if MODES_OF_PROGRAMS.contains(&(misc & MODE_MASK)) { Mode::User } else { Mode::Kernel };
    let mut chain = Vec::new();
    if sample_type & layout::CALL_CHAIN != 0 {
        let count = body.u64()?;
        // The length that the record states is not trusted: no more is read than is there.
        let mut is_user = false;
        for _ in 0..count {
            let Some(address) = body.u64() else { break };
            if address >= CONTEXT_MAX {
                is_user = address == CONTEXT_USER;
            } else if is_user && chain.len() < FRAMES_MAX {
                chain.push(address);
            }
        }
    }
    if chain.is_empty() && mode == Mode::User {
        chain.push(address);
    }
    Some(Record { time, body: Body::Sample(Sample { pid, tid, mode, address, chain }) })
}

fn other(kind: u32, misc: u16, body: &[u8]) -> Option<Record> {
    let (body, trailer) = body.split_at_checked(body.len().checked_sub(layout::TRAILER)?)?;
    let mut trailer = Cursor(trailer);
    let _ids = trailer.u64()?;
    let time = trailer.u64()?;
    let mut body = Cursor(body);
    /// `PERF_RECORD_MISC_COMM_EXEC`.
    const EXEC: u16 = 1 << 13;
    let body = match kind {
        2 => {
            let _id = body.u64()?;
            Body::Lost(body.u64()?)
        }
        3 => Body::Name { pid: body.u32()?, tid: body.u32()?, name: body.text(), exec: misc & EXEC != 0 },
        5 => Body::Throttle,
        7 => Body::Fork { pid: body.u32()?, parent: body.u32()?, tid: body.u32()? },
        10 => {
            let (pid, _tid) = (body.u32()?, body.u32()?);
            let (start, bytes, offset) = (body.u64()?, body.u64()?, body.u64()?);
            // Device and inode or a build identifier, protection and flags: 24 + 8 bytes.
            body.skip(32)?;
            Body::Map(Map { pid, start, bytes, offset, path: body.text() })
        }
        13 => Body::Lost(body.u64()?),
        _ => Body::Other,
    };
    Some(Record { time, body })
}

/// Little pieces from the front of bytes.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.0 = self.0.get(count..)?;
        Some(())
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_ne_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_ne_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_ne_bytes)
    }

    /// The text up to its null, or the end.
    fn text(&mut self) -> String {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(self.0.len());
        String::from_utf8_lossy(&self.0[..end]).into_owned()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHAINS: u64 = layout::IP | layout::TID | layout::TIME | layout::CALL_CHAIN;

    /// A record as the kernel writes it.
    pub(crate) fn written(kind: u32, misc: u16, body: &[u8]) -> Vec<u8> {
        let size = (8 + body.len()) as u16;
        [&kind.to_ne_bytes()[..], &misc.to_ne_bytes(), &size.to_ne_bytes(), body].concat()
    }

    pub(crate) fn words(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    /// Two 32-bit numbers as they lie side by side.
    pub(crate) fn pair(low: u32, high: u32) -> u64 {
        u64::from_ne_bytes([low.to_ne_bytes(), high.to_ne_bytes()].concat().try_into().expect("eight bytes"))
    }

    pub(crate) fn map(pid: u32, start: u64, bytes: u64, offset: u64, path: &str, time: u64) -> Vec<u8> {
        let mut name = path.as_bytes().to_vec();
        name.resize((path.len() / 8 + 1) * 8, 0);
        let front = words(&[pair(pid, pid), start, bytes, offset, 0, 0, 0, 0]);
        written(10, 2, &[front, name, words(&[pair(pid, pid), time])].concat())
    }

    #[test]
    fn a_sample_keeps_the_frames_of_the_program() {
        let kernel_first =
            words(&[0xffff_8000, pair(7, 8), 42, 5, u64::MAX - 127, 0xffff_8000, CONTEXT_USER, 0x400, 0x500]);
        let (record, size) = parse(&written(9, 1, &kernel_first), CHAINS).expect("it is whole");
        let sample = Sample { pid: 7, tid: 8, mode: Mode::Kernel, address: 0xffff_8000, chain: vec![0x400, 0x500] };
        assert_eq!(record, Record { time: 42, body: Body::Sample(sample) });
        assert_eq!(size, 8 + 72);
    }

    #[test]
    fn a_chain_longer_than_its_record_ends_with_it() {
        let body = words(&[0x400, pair(7, 7), 1, u64::MAX, CONTEXT_USER, 0x400]);
        let (record, _) = parse(&written(9, 2, &body), CHAINS).expect("it is whole");
        assert!(matches!(record.body, Body::Sample(Sample { chain, .. }) if chain == [0x400]));
    }

    #[test]
    fn maps_names_forks_and_losses_are_read() {
        let (record, _) = parse(&map(7, 0x1000, 0x2000, 0x3000, "/usr/lib/libm.so.6", 9), CHAINS).expect("whole");
        let expected =
            Map { pid: 7, start: 0x1000, bytes: 0x2000, offset: 0x3000, path: "/usr/lib/libm.so.6".to_owned() };
        assert_eq!(record, Record { time: 9, body: Body::Map(expected) });
        let name = words(&[pair(7, 8), u64::from_ne_bytes(*b"worker\0\0"), pair(7, 8), 10]);
        let (record, _) = parse(&written(3, 1 << 13, &name), CHAINS).expect("whole");
        assert_eq!(record.body, Body::Name { pid: 7, tid: 8, name: "worker".to_owned(), exec: true });
        let fork = words(&[pair(9, 7), pair(9, 7), 11, pair(7, 7), 11]);
        let (record, _) = parse(&written(7, 0, &fork), CHAINS).expect("whole");
        assert_eq!(record.body, Body::Fork { pid: 9, parent: 7, tid: 9 });
        let (record, _) = parse(&written(2, 0, &words(&[1, 300, pair(7, 7), 12])), CHAINS).expect("whole");
        assert_eq!(record.body, Body::Lost(300));
        let (record, _) = parse(&written(999, 0, &words(&[1, 2, 3])), CHAINS).expect("whole");
        assert_eq!(record.body, Body::Other);
    }

    #[test]
    fn what_is_cut_short_is_no_record() {
        let whole = map(7, 0x1000, 0x2000, 0, "/bin/true", 9);
        for length in 0..whole.len() {
            assert_eq!(parse(&whole[..length], CHAINS), None, "{length} bytes");
        }
        assert_eq!(parse(&[9, 0, 0, 0, 0, 0, 0, 0, 1, 2], CHAINS), None, "a record of no bytes would never end");
    }

    proptest! {
        #[test]
        fn no_bytes_stop_the_parser(mut bytes in proptest::collection::vec(any::<u8>(), 0..300), kind in 0_u32..20) {
            if bytes.len() >= 8 {
                bytes[..4].copy_from_slice(&kind.to_ne_bytes());
                let size = (bytes.len() as u16).to_ne_bytes();
                bytes[6..8].copy_from_slice(&size);
            }
            if let Some((_, size)) = parse(&bytes, CHAINS) {
                prop_assert!((8..=bytes.len()).contains(&size));
            }
        }
    }
}
