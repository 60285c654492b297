//! Runs cut off anywhere.

use crate::workplace::{TINY, Workplace};

#[test]
fn a_run_cut_off_at_any_byte_opens_or_says_in_a_sentence_why_not() {
    let workplace = Workplace::new();
    assert_eq!(workplace.paw(&format!("{TINY} --out r")).code, 0);
    let whole = std::fs::read(workplace.path("r/run.jsonl")).unwrap();
    let header = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    // Ends of lines, their neighbours, and places between; every byte would take minutes.
    let ends = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').flat_map(|(i, _)| [i, i + 1, i + 2]);
    let between = (0..whole.len()).step_by(whole.len() / 40 + 1);
    for length in ends.chain(between).filter(|length| *length + 1 < whole.len()) {
        std::fs::write(workplace.path("cut.jsonl"), &whole[..length]).unwrap();
        let ran = workplace.paw("export cut.jsonl --format csv");
        let expected = if length >= header { 0 } else { 7 };
        assert!(ran.code == expected || ran.code == 0, "{length}: {} {}", ran.code, ran.err);
        assert!(ran.err.contains("cut.jsonl"), "at {length} of {} nothing is said of the cut", whole.len());
        assert_eq!(ran.err.trim_end().lines().count(), 1, "{length}: {}", ran.err);
    }
}
