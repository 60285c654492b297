//! The longest chain from one run through a loop to the next, of loops written in assembly language.

use std::path::{Path, PathBuf};
use std::process::Command;

use paw_binary::inner_loops;
use paw_binary::recurrence::{Chain, Through, longest};

/// A library of functions whose code is written here; each is a name and its lines.
fn assembled(folder: &Path, functions: &[(&str, &str)]) -> PathBuf {
    let (source, out) = (folder.join("loops.s"), folder.join("loops.so"));
    let one = |(name, lines): &(&str, &str)| {
        format!(".globl {name}\n.type {name}, @function\n{name}:\n{lines}\nret\n.size {name}, .-{name}\n")
    };
    let text = format!(".text\n{}.section .note.GNU-stack\n", functions.iter().map(one).collect::<String>());
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new("gcc");
    command.args(["-nostdlib", "-shared", "-o"]).arg(&out).arg(&source);
    let done = command.output().expect("gcc is needed here");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    out
}

/// An operand takes one cycle, an address four, and memory five.
fn chain(lines: &str) -> Option<Chain> {
    let folder = tempfile::tempdir().unwrap();
    let library = assembled(folder.path(), &[("f", lines)]);
    let own = inner_loops(&library, "f").unwrap().remove(0);
    let way = own.common_way(&vec![1.0; own.blocks().len()]).expect("it comes back");
    longest(&own, &way, |_, through| match through {
        Through::Operand => 1.0,
        Through::Address => 4.0,
        Through::Memory => 5.0,
    })
}

#[test]
fn a_sum_that_stays_on_the_stack_is_a_chain_through_memory() {
    let found = chain(
        "1: movsd (%rsi), %xmm0
            addsd -8(%rsp), %xmm0
            movsd %xmm0, -8(%rsp)
            add $8, %rsi
            dec %rdi
            jne 1b",
    );
    assert_eq!(found, Some(Chain { cycles: 6.0, links: vec![1, 2] }));
}

#[test]
fn a_vector_of_which_a_part_is_loaded_again_is_one_too() {
    let found = chain(
        "1: addsd -16(%rsp), %xmm0
            movapd %xmm0, -24(%rsp)
            add $8, %rsi
            jne 1b",
    );
    assert_eq!(found.map(|chain| chain.cycles), Some(6.0));
}

#[test]
fn a_chain_over_two_runs_costs_half_of_itself_in_each() {
    let found = chain(
        "1: movsd -16(%rsi), %xmm0
            addsd %xmm1, %xmm0
            movsd %xmm0, (%rsi)
            add $8, %rsi
            dec %rdi
            jne 1b",
    );
    assert_eq!(found, Some(Chain { cycles: 3.5, links: vec![0, 1, 2] }));
}

#[test]
fn what_is_stored_and_loaded_in_the_same_run_is_part_of_a_chain() {
    let found = chain(
        "1: movsd %xmm1, -8(%rsp)
            addsd -8(%rsp), %xmm1
            dec %rdi
            jne 1b",
    );
    assert_eq!(found, Some(Chain { cycles: 6.0, links: vec![0, 1] }));
}

#[test]
fn an_address_that_moves_between_load_and_store_is_followed() {
    let found = chain(
        "1: movsd (%rsi), %xmm0
            addsd %xmm1, %xmm0
            add $8, %rsi
            movsd %xmm0, (%rsi)
            dec %rdi
            jne 1b",
    );
    assert_eq!(found, Some(Chain { cycles: 7.0, links: vec![0, 1, 3] }));
}

#[test]
fn stores_ahead_of_nothing_and_other_arrays_are_no_chain() {
    for lines in [
        "1: movsd (%rsi), %xmm0
            addsd %xmm1, %xmm0
            movsd %xmm0, (%rsi)
            add $8, %rsi
            dec %rdi
            jne 1b",
        "1: movsd (%rsi), %xmm0
            movsd %xmm0, (%rdx)
            add $8, %rsi
            add $8, %rdx
            dec %rdi
            jne 1b",
    ] {
        assert_eq!(chain(lines).map(|chain| chain.cycles), Some(1.0), "{lines}");
    }
}
