//! Specs that are refused, and what is said of them.

use std::path::Path;

use super::super::{Language, Reference, Spec};
use super::{and, parse, with};

#[track_caller]
fn refused(text: &str, shown: &str) {
    let said = parse(text).map(|_| ()).unwrap_err().to_string();
    assert_eq!(said.strip_prefix("templates/product.toml:"), Some(shown), "{said}");
}

#[test]
fn a_mistyped_key_is_shown_with_the_one_that_was_meant() {
    refused(
        &with("iterations", "iteratoins"),
        "4:1: there is no key `iteratoins`: did you mean `iterations`?\n  |\n4 | iteratoins = \"n*n\"\n  | ^^^^^^^^^^",
    );
    refused(
        &and("[measure]\nwarm_up = 3"),
        "9:1: there is no key `warm_up` in `measure`: did you mean `warmup`?\n  |\n9 | warm_up = 3\n  | ^^^^^^^",
    );
    refused(
        &and("[tolerance]\nbits = 3"),
        "9:1: there is no key `bits` in `tolerance`; there are relative, ulp\n  |\n9 | bits = 3\n  | ^^^^",
    );
    refused(
        &with("output", "ouput"),
        "7:24: there is no key `ouput` in `b`: did you mean `output`?\n  |\n7 | b = { type = \"f64[n]\", ouput = true }\n  |                        ^^^^^",
    );
}

#[test]
fn what_is_missing_is_named_with_a_line_to_add() {
    refused("", " it is no kernel: begin it with the line `paw = \"kernel/1\"`");
    refused(
        "paw = \"app/1\"",
        "1:7: version `app/1` is not known here: this paw reads `kernel/1`\n  |\n1 | paw = \"app/1\"\n  |       ^^^^^^^",
    );
    refused(
        &with("iterations = \"n*n\"\n", ""),
        " the key `iterations` is missing: add a line like `iterations = \"n*n\"`",
    );
    refused(
        &with("sources = [\"kernel.c\"]\n", ""),
        " the key `sources` is missing: add a line like `sources = [\"kernel.c\"]`",
    );
    let error = Spec::read(Path::new("/nowhere/kernel.toml")).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/kernel.toml: cannot be read: "), "{error}");
}

#[test]
fn a_formula_is_pointed_into() {
    refused(
        &with("f32[n*n]", "f32[n*m]"),
        "6:12: `m` has no value here: set it under [scalars], or use n\n  |\n6 | a = \"f32[n*m]\"\n  |            ^",
    );
    refused(
        &with("\"n*n\"", "\"n * * n\""),
        "4:19: a value is missing before `*`\n  |\n4 | iterations = \"n * * n\"\n  |                   ^",
    );
    refused(
        &(with("\"n*n\"", "\"\\u006e * hlaf\"") + "[scalars]\nhalf = \"n/2\"\n"),
        "4:24: `hlaf` has no value here: did you mean `half`?\n  |\n4 | iterations = \"\\u006e * hlaf\"\n  |                        ^^^^",
    );
    refused(
        &with("\"n*n\"", "\"(n*n\""),
        "4:15: this parenthesis is never closed: add `)`\n  |\n4 | iterations = \"(n*n\"\n  |               ^",
    );
    refused(
        &with("\"n*n\"", "\"n*\""),
        "4:17: a value is missing before the end\n  |\n4 | iterations = \"n*\"\n  |                 ^",
    );
    refused(
        &with("\"n*n\"", "true"),
        "4:14: `iterations` must be a number, or arithmetic in quotation marks\n  |\n4 | iterations = true\n  |              ^^^^",
    );
}

#[test]
fn a_signature_is_pointed_into() {
    refused(
        &with("double b[n]", "doubel b[n]"),
        "3:54: there is no type `doubel`: did you mean `double`?\n  |\n3 | signature = \"void product(unsigned n, float a[n][n], doubel b[n])\"\n  |                                                      ^^^^^^",
    );
}

#[test]
fn arrays_agree_with_the_signature() {
    refused(
        &with("f32[n*n]", "f64[n*n]"),
        "6:6: `a` holds f64 here and f32 in the signature: make them agree\n  |\n6 | a = \"f64[n*n]\"\n  |      ^^^",
    );
    refused(
        &with("f32[n*n]", "float[n*n]"),
        "6:6: there is no type `float` here: write `f32`\n  |\n6 | a = \"float[n*n]\"\n  |      ^^^^^",
    );
    refused(
        &with("f32[n*n]", "f32"),
        "6:6: `f32` is no type of an array: write type and number of elements, as in `f32[n*n]`\n  |\n6 | a = \"f32\"\n  |      ^^^",
    );
    refused(
        &with("a = \"f32", "c = \"f32"),
        "6:1: the signature has no parameter `c`: did you mean `a`?\n  |\n6 | c = \"f32[n*n]\"\n  | ^",
    );
    refused(
        &with("a = \"f32[n*n]\"\n", ""),
        "3:45: `a` has no data: add `a = \"f32[n]\"` under [arrays]\n  |\n3 | signature = \"void product(unsigned n, float a[n][n], double b[n])\"\n  |                                             ^",
    );
    refused(
        &with("a = \"f32[n*n]\"", "n = \"u32[1]\""),
        "6:1: `n` is handed over as a number: an array is a pointer in the signature\n  |\n6 | n = \"u32[1]\"\n  | ^",
    );
    refused(&with("a = \"f32[n*n]\"", "a = 5"), "6:5: `a` must be a table, not a number\n  |\n6 | a = 5\n  |     ^");
    refused(
        &with("a = \"f32[n*n]\"", "a = { fill = \"zero\" }"),
        "6:5: `a` has no type: add `type = \"f32[n]\"`\n  |\n6 | a = { fill = \"zero\" }\n  |     ^^^^^^^^^^^^^^^^^",
    );
    let error = parse(&with("a = \"f32[n*n]\"", "a = { type = \"f32[n]\", fill = \"ones\" }")).unwrap_err();
    assert!(error.message.starts_with("there is no fill `ones`: write "), "{error}");
    assert_eq!(error.place.map(|place| (place.column, place.span.len())), Some((32, 4)));
}

#[test]
fn an_answer_is_needed_and_can_be_written_to() {
    let error = parse(&with(", output = true", "")).unwrap_err();
    assert!(error.message.starts_with("nothing here is an answer that could be checked: "), "{error}");
    assert!(parse(&with(", output = true", "").replace("void", "double")).is_ok());
    refused(
        &with("double b", "const double b"),
        "7:33: `b` is const in the signature and cannot be an answer: remove one of both\n  |\n7 | b = { type = \"f64[n]\", output = true }\n  |                                 ^^^^",
    );
}

#[test]
fn scalars_stand_for_something() {
    let m = with("double b[n]", "double b[n], int m");
    refused(
        &m,
        "3:71: `m` has no value: add `m = 1` under [scalars]\n  |\n3 | signature = \"void product(unsigned n, float a[n][n], double b[n], int m)\"\n  |                                                                       ^",
    );
    assert!(parse(&(m + "[scalars]\nm = \"n + 1\"\n")).is_ok());
    refused(
        &and("[scalars]\nn = 3"),
        "9:1: `n` is the size, which paw chooses: set what follows from it instead\n  |\n9 | n = 3\n  | ^",
    );
    refused(
        &and("[scalars]\nm = 3"),
        "9:1: `m` is no parameter and stands in no formula: remove it, or use it\n  |\n9 | m = 3\n  | ^",
    );
    refused(
        &and("[scalars]\nm = \"k\"\nk = 3"),
        "9:6: `k` has no value here: set it under [scalars], or use n\n  |\n9 | m = \"k\"\n  |      ^",
    );
    let error = parse(&and("[scalars]\na = 3")).unwrap_err();
    assert_eq!(error.message, "`a` is an array and a scalar: keep one of both");
}

#[test]
fn variants_and_the_reference_fit_each_other() {
    let variants = and("[variants]\nbase = {}\nwalk = { residency = true }");
    refused(
        &format!("{variants}\n[reference]\nvariant = \"walk\"\n"),
        "13:11: `walk` only moves data and cannot be the reference: name another variant\n   |\n13 | variant = \"walk\"\n   |           ^^^^^^",
    );
    refused(
        &format!("{variants}\n[reference]\nvariant = \"bas\"\n"),
        "13:11: there is no variant `bas`: there are base, walk\n   |\n13 | variant = \"bas\"\n   |           ^^^^^",
    );
    refused(
        &and("[variants]\nwalk = { residency = true }\nbase = {}"),
        "9:1: the first variant is the reference, and `walk` only moves data: put another first, or name one under [reference]\n  |\n9 | walk = { residency = true }\n  | ^^^^",
    );
    assert!(parse(&and("[variants]\nwalk = { residency = true }\nbase = {}\n[reference]\nvariant = \"base\"")).is_ok());
    refused(
        &and("[variants]\nwalk = { residency = true }"),
        "9:1: `walk` only moves data: add a variant that computes\n  |\n9 | walk = { residency = true }\n  | ^^^^",
    );
    refused(
        &and("[variants]\nbase = {}\na = { residency = true }\nb = { residency = true }"),
        "11:1: `a` is the residency variant already: there can be one\n   |\n11 | b = { residency = true }\n   | ^",
    );
    refused(
        &and("[variants]\n\"\" = {}"),
        "9:1: `` is no name of a variant: write letters, digits, `_ - . + =`\n  |\n9 | \"\" = {}\n  | ^^",
    );
    refused(
        &and("[variants]\nb = { define = [\"A\", \"2B\"] }"),
        "9:23: `2B` is no macro: write `NAME` or `NAME=value`\n  |\n9 | b = { define = [\"A\", \"2B\"] }\n  |                       ^^",
    );
    refused(
        &and("[reference]\nfile = \"kernel.c\"\nvariant = \"x\""),
        "10:1: `variant` and `file` exclude each other: keep one of them\n   |\n10 | variant = \"x\"\n   | ^^^^^^^",
    );
    assert_eq!(
        parse(&and("[reference]\nfunction = \"plain\"")).unwrap().reference,
        Reference::Function("plain".into())
    );
    assert!(parse(&and("[variants]\na = {}\na = {}")).is_err(), "a name twice");
}

#[test]
fn sources_are_there_and_of_one_language() {
    let error = parse(&with("kernel.c", "gone.c")).unwrap_err();
    assert!(
        error.message.starts_with("there is no file /") && error.message.contains("/templates/gone.c: "),
        "{error}"
    );
    assert_eq!(error.place.map(|place| (place.line, place.column, place.span.len())), Some((2, 13, 6)));
    refused(
        &with("[\"kernel.c\"]", "[]"),
        "2:11: `sources` is empty: name the file that holds the function\n  |\n2 | sources = []\n  |           ^^",
    );
    refused(
        &with("[\"kernel.c\"]", "[\"../Cargo.toml\"]"),
        "2:13: `../Cargo.toml` is of an unknown language: say `language = \"c\"`, or c++, fortran, rust\n  |\n2 | sources = [\"../Cargo.toml\"]\n  |             ^^^^^^^^^^^^^",
    );
    refused(
        &with("[\"kernel.c\"]", "[\"kernel.c\", \"../src/lib.rs\"]"),
        "2:25: `../src/lib.rs` is Rust, and what stands before it is C: a kernel has one language\n  |\n2 | sources = [\"kernel.c\", \"../src/lib.rs\"]\n  |                         ^^^^^^^^^^^^^",
    );
    let rust = parse(&with("[\"kernel.c\"]", "[\"../src/lib.rs\"]")).unwrap();
    assert_eq!(rust.language, Language::Rust);
    assert_eq!(parse(&with("sources", "language = \"c++\"\nsources")).unwrap().language, Language::Cpp);
    refused(
        &with("sources", "language = \"cpp\"\nsources"),
        "2:12: `language` must be `c` or `c++` or `fortran` or `rust` or `cuda` or `hip` or `opencl` or `ze`, not `cpp`\n  |\n2 | language = \"cpp\"\n  |            ^^^^^",
    );
}

#[test]
fn numbers_are_within_their_bounds() {
    for (lines, message) in [
        ("[tolerance]\nrelative = -1", "`relative` must be a finite number from 0 on"),
        ("[tolerance]\nrelative = inf", "`relative` must be a finite number from 0 on"),
        ("[tolerance]\nrelative = nan", "`relative` must be a finite number from 0 on"),
        ("[tolerance]\nrelative = \"x\"", "`relative` must be a number, not a text"),
        ("[tolerance]\nulp = -1", "`ulp` must be a whole number from 0 to 2^64-1"),
        ("[measure]\nmetas = 0", "`metas` must be a whole number from 1 to 2^64-1"),
        ("[measure]\nmetas = 4294967296", "`metas` is 4294967296: at most 4294967295 are taken"),
        ("[measure]\nreps = 0", "`reps` must be a whole number from 1 to 2^64-1"),
        ("[measure]\nwarmup = 1.5", "`warmup` must be a whole number from 0 to 2^64-1"),
        ("[measure]\ncache = \"hot\"", "`cache` must be `warm` or `cold`, not `hot`"),
        ("[variants]\nb = { residency = 1 }", "`residency` must be true or false, not a number"),
        ("[variants]\nb = 1", "`b` must be a table, not a number"),
        ("[scalars]\nm = inf", "`m` must be a finite number"),
    ] {
        assert_eq!(parse(&and(lines)).unwrap_err().message, message, "{lines}");
    }
    let top = |line: &str| parse(&with("iterations", &format!("{line}\niterations"))).unwrap_err().message;
    assert_eq!(top("name = \" \""), "`name` is empty: write something, or leave the key away");
    assert_eq!(top("flags = 3"), "`flags` must be a list, not a number");
    assert_eq!(top("flags = [\"-DA='\"]"), "`-DA='` has a quotation mark that is never closed: close it");
    assert_eq!(top("compilers = [\"\"]"), "`compilers` holds an empty text: remove it");
    assert_eq!(top("function = \"a b\""), "`a b` is no name of a function");
    assert_eq!(top("always = [1]"), "`always` must be a text in quotation marks, not a number");
}

#[test]
fn broken_toml_is_shown_where_it_breaks() {
    let error = parse("paw = \"kernel/1\"\nsources = [\n").unwrap_err();
    assert!(error.place.is_some(), "{error}");
}
