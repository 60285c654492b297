//! A user who may start no other thread.

use crate::workplace::{TINY, Workplace};

/// Stacks of four exbibytes: no system starts a thread with one.
const NO_OTHER_THREAD: (&str, &str) = ("RUST_MIN_STACK", "4611686018427387904");

#[test]
fn a_large_run_is_read_where_no_other_thread_can_be_started() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw(&format!("{TINY} --out r")).code, 0);
    let text = workplace.read("r/run.jsonl");
    let (first, rest) = text.split_once('\n').unwrap();
    // Blanks make the first line longer than what one thread parses at a time.
    workplace.write("r/run.jsonl", format!("{first}{}\n{rest}", " ".repeat(3 << 20)));
    for command in ["show r", "compare r r", "export r --format csv"] {
        let (with, without) = (workplace.paw(command), workplace.paw_with(&[NO_OTHER_THREAD], command));
        assert!(with.code == 0 && !with.out.is_empty(), "{command}: {}", with.err);
        assert_eq!((without.code, without.out), (with.code, with.out), "{command}: {}", without.err);
    }
}
