//! Lists and masks of processors.

use paw_machine::cpuset::CpuSet;
use proptest::prelude::*;

fn list(text: &str) -> Vec<u32> {
    text.parse::<CpuSet>().unwrap().iter().collect()
}

fn refusal(text: &str) -> String {
    text.parse::<CpuSet>().unwrap_err().to_string()
}

#[test]
fn lists_are_read_as_the_kernel_writes_them() {
    assert_eq!(list("0-3,8"), [0, 1, 2, 3, 8]);
    assert_eq!(list("7\n"), [7]);
    assert_eq!(list(" 2 , 0-1 "), [0, 1, 2]);
    assert_eq!(list("3,3,2-4"), [2, 3, 4]);
    assert!(list("").is_empty());
    assert!(list("\n").is_empty());
}

#[test]
fn what_is_no_list_is_refused_by_name() {
    assert!(refusal("0-").contains("\"\" is not a number"));
    assert!(refusal("a").contains("\"a\" is not a number"));
    assert!(refusal("3-1").contains("runs backwards"));
    assert!(refusal("0,,1").contains("not a number"));
    assert!(refusal("+1").contains("not a number"));
    assert!(refusal("-1").contains("not a number"));
    assert!(refusal("0-4294967295").contains("beyond any processor number"));
    assert!(refusal("(null)").contains("hint: write numbers and ranges"));
}

#[test]
fn masks_are_words_of_32_bits_with_the_highest_first() {
    assert_eq!(CpuSet::from_mask("f").unwrap().to_string(), "0-3");
    assert_eq!(CpuSet::from_mask("00000001,80000000\n").unwrap().to_string(), "31-32");
    assert_eq!(CpuSet::from_mask("0x3").unwrap().to_string(), "0-1");
    assert!(CpuSet::from_mask("00000000,00000000").unwrap().is_empty());
    assert!(CpuSet::from_mask("").is_err());
    assert!(CpuSet::from_mask("123456789").is_err());
    assert!(CpuSet::from_mask("+1").is_err());
}

#[test]
fn sets_are_compared_and_cut() {
    let (a, b) = (CpuSet::from([0, 1, 2]), CpuSet::from([2, 3]));
    assert_eq!(a.intersection(&b), CpuSet::from([2]));
    assert_eq!(a.difference(&b), CpuSet::from([0, 1]));
    assert_eq!(a.union(&b).to_string(), "0-3");
    assert!(a.intersects(&b) && !a.intersects(&CpuSet::new()));
    assert_eq!((a.first(), a.last(), a.len()), (Some(0), Some(2), 3));
}

#[test]
fn a_range_may_have_steps() {
    assert_eq!("0-12:4,20".parse::<CpuSet>().unwrap(), CpuSet::from([0, 4, 8, 12, 20]));
    for text in ["0-12:0", "0-12:", "0-12:x", "0:1:2"] {
        assert!(text.parse::<CpuSet>().is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn a_list_written_is_the_list_read(numbers in proptest::collection::btree_set(0_u32..300, 0..40)) {
        let set: CpuSet = numbers.into_iter().collect();
        prop_assert_eq!(set.to_string().parse::<CpuSet>().unwrap(), set);
    }

    #[test]
    fn no_text_breaks_the_reader(text in "[0-9,x+: -]{0,20}") {
        // Whatever is read must be written and read back the same.
        if let Ok(set) = text.parse::<CpuSet>() {
            prop_assert_eq!(set.to_string().parse::<CpuSet>().unwrap(), set);
        }
        if let Ok(set) = CpuSet::from_mask(&text) {
            prop_assert!(set.last().is_none_or(|last| last < 32 * 21));
        }
    }
}
