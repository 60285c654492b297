//! Callers of a stopped thread, by the chain of its frame pointers.

/// Frames that are kept, as many as perf_event keeps.
const FRAMES_MAX: usize = 126;

/// Return addresses from the innermost frame outward. A frame has the address of its caller's frame, and the return address after it;
/// `read` gives both. Frames lie ever higher on the stack: the chain ends where one does not, and where nothing can be read.
pub(super) fn callers(stack: u64, frame: u64, mut read: impl FnMut(u64) -> Option<[u64; 2]>) -> Vec<u64> {
    let mut found = Vec::new();
    let (mut lowest, mut frame) = (stack, frame);
    while found.len() < FRAMES_MAX && frame >= lowest && frame.is_multiple_of(8) {
        let Some([next, address]) = read(frame) else { break };
        if address == 0 {
            break;
        }
        found.push(address);
        (lowest, frame) = (frame + 1, next);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_followed_upward_and_ends_where_it_turns_back() {
        let memory = |frame: u64| match frame {
            0x100 => Some([0x140, 0xa]),
            0x140 => Some([0x180, 0xb]),
            0x180 => Some([0x140, 0xc]),
            _ => None,
        };
        assert_eq!(callers(0xf0, 0x100, memory), [0xa, 0xb, 0xc], "the last one turns back");
        assert_eq!(callers(0x110, 0x100, memory), [0; 0], "below the stack: the register holds something else");
        assert_eq!(callers(0, 0x101, memory), [0; 0], "no frame begins there");
        assert_eq!(callers(0, 7000, memory), [0; 0], "nothing can be read");
    }

    #[test]
    fn a_chain_without_end_is_cut() {
        assert_eq!(callers(0, 8, |frame| Some([frame + 8, 1])).len(), FRAMES_MAX);
        assert_eq!(callers(0, u64::MAX - 7, |_| Some([u64::MAX, 1])).len(), 1);
    }
}
