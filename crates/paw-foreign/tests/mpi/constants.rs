//! What the wall believes of an ABI, held against the headers of a library that has it.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use paw_foreign::mpi::{Abi, Numbers, Predefined, PredefinedHandles};

use crate::tools::{installed, output};

/// A C program that prints one word a line: each number, then each handle, or 1 where it is the address it should be.
fn program(abi: Abi) -> String {
    let mut text = String::from("#include <mpi.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n");
    for (name, _) in Numbers::of(abi).named() {
        writeln!(text, "printf(\"%lld\\n\", (long long)({name}));").expect("a text takes text");
    }
    for (name, handle) in PredefinedHandles::named(abi) {
        let value = match handle {
            Predefined::Word(_) => format!("(unsigned)({name})"),
            Predefined::Address(symbol) => format!("(void *)({name}) == (void *)&{symbol}"),
        };
        writeln!(text, "printf(\"%lld\\n\", (long long)({value}));").expect("a text takes text");
    }
    text + "return 0;\n}\n"
}

fn check(abi: Abi, compiler: &str, package: &str) {
    let directory = tempfile::tempdir().expect("a directory for the test");
    let (source, binary) = (directory.path().join("constants.c"), directory.path().join("constants"));
    fs::write(&source, program(abi)).expect("the program is written");
    output(Command::new(installed(compiler, package)).arg("-w").arg(&source).arg("-o").arg(&binary));
    let printed = output(&mut Command::new(&binary));
    let numbers = Numbers::of(abi).named().into_iter();
    let handles = PredefinedHandles::named(abi).into_iter().map(|(name, handle)| match handle {
        Predefined::Word(word) => (name, word as i64),
        Predefined::Address(_) => (name, 1),
    });
    let expected: Vec<String> = numbers.chain(handles).map(|(name, value)| format!("{name} {value}")).collect();
    let names = expected.iter().map(|line| line.rsplit_once(' ').map_or("", |(name, _)| name));
    let found: Vec<String> = names.zip(printed.lines()).map(|(name, value)| format!("{name} {value}")).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_constants_are_those_of_open_mpis_header() {
    ::workplace::needs!(OPENMPI);
    check(Abi::OpenMpi, "mpicc.openmpi", "libopenmpi-dev");
}

#[test]
fn the_constants_are_those_of_mpichs_header() {
    ::workplace::needs!(MPICH);
    check(Abi::Mpich, "mpicc.mpich", "libmpich-dev");
}
