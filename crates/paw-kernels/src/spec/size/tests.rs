//! Specs at sizes.

use paw_formula::Formula;

use super::super::tests::{LEAST, WHOLE, parse};
use super::*;
use crate::element::Element;
use crate::job::ArrayArgument;
use crate::spec::Fill;

fn spec(from: &[(&str, &str)]) -> Spec {
    let mut text = LEAST.to_owned();
    for (part, other) in from {
        assert!(text.contains(part), "{part}");
        text = text.replacen(part, other, 1);
    }
    parse(&text).unwrap()
}

#[track_caller]
fn says<T: std::fmt::Debug>(result: Result<T, PointError>, sentence: &str) {
    assert_eq!(result.unwrap_err().to_string(), sentence);
}

#[test]
fn counts_follow_from_n() {
    let spec = spec(&[]);
    assert_eq!(spec.footprint(), "4*(n*n) + 8*(n)");
    assert_eq!(spec.footprint_bytes(88), Ok(31_680));
    assert_eq!(spec.iterations_at(88), Ok(7744));
    assert_eq!(spec.flops_at(88), Ok(None));
    assert_eq!(spec.bytes_at(88), Ok(31_680.0));
    let formula = Formula::parse(&spec.footprint()).unwrap();
    assert_eq!(formula.evaluate(&|_| Some(88.0)), Ok(31_680.0));
}

#[test]
fn arguments_stand_in_the_order_of_the_signature() {
    let spec = parse(WHOLE).unwrap();
    let array = |name: &str, element, len, fill, output| {
        Argument::Array(ArrayArgument {
            name: name.to_owned(),
            element,
            len,
            fill,
            file: None,
            output,
            input: !output,
            written: output,
        })
    };
    let expected = [
        Argument::Whole(10),
        array("a", Element::F32, 100, Fill::Uniform(-1.0, 1.0), false),
        array("b", Element::F64, 10, Fill::Zero, true),
        Argument::Double(2.5),
        Argument::Address(Element::I32, 6.0),
    ];
    assert_eq!(spec.arguments(10), Ok(expected.to_vec()));
    assert_eq!(spec.flops_at(10), Ok(Some(200.0)));
    assert_eq!(spec.bytes_at(10), Ok(480.0));
    says(
        spec.arguments(11),
        "`m` is 6.5 at n = 11, and i32 holds whole numbers from -2147483648 to 2147483647: choose another n, or another type in the signature",
    );
}

#[test]
fn counts_are_whole_and_above_zero() {
    let half = spec(&[("f32[n*n]", "f32[n/2]"), ("\"n*n\"", "\"n - 8\"")]);
    says(half.footprint_bytes(5), "`n/2` (elements of a) is 2.5 at n = 5: it must be a whole number above 0");
    says(half.arguments(5), "`n/2` (elements of a) is 2.5 at n = 5: it must be a whole number above 0");
    says(half.iterations_at(8), "`n - 8` (iterations of a call) is 0 at n = 8: it must be a whole number above 0");
    says(half.iterations_at(3), "`n - 8` (iterations of a call) is -5 at n = 3: it must be a whole number above 0");
    says(
        spec(&[("\"n*n\"", "\"n/(n-1)\"")]).iterations_at(1),
        "`n/(n-1)` (iterations of a call) has no value at n = 1: 1 / 0 has no finite value",
    );
    let flops = spec(&[("iterations", "flops = \"n - 4\"\nbytes = \"-n\"\niterations")]);
    says(
        flops.flops_at(3),
        "`n - 4` (floating-point operations of a call) is -1 at n = 3: it must be a number from 0 on",
    );
    says(flops.bytes_at(3), "`-n` (bytes of a call) is -3 at n = 3: it must be a number from 0 on");
}

#[test]
fn what_is_too_large_to_be_exact_is_refused() {
    let cube = spec(&[("f32[n*n]", "f32[n^3]")]);
    assert_eq!(cube.footprint_bytes(200_000), Ok(4 * 8_000_000_000_000_000 + 8 * 200_000));
    let said = cube.footprint_bytes(300_000).unwrap_err().to_string();
    assert!(
        said.starts_with("`n^3` (elements of a) has no value at n = 300000: 300000 ^ 3 is too large to be exact"),
        "{said}"
    );
    assert!(cube.iterations_at(1 << 53).is_err());
    assert!(cube.iterations_at(u64::MAX).is_err());
    let many = spec(&[("f32[n*n]", "f64[n]"), ("float a", "double a")]);
    assert_eq!(many.footprint_bytes(1 << 52), Ok(1 << 56));
    says(
        spec(&[("\"n*n\"", "\"n*m\""), ("[arrays]", "[scalars]\nm = \"n^4\"\n[arrays]")]).iterations_at(10_000),
        "`n^4` (the scalar m) has no value at n = 10000: 10000 ^ 4 is too large to be exact: whole numbers are exact below 2^53, about 9.0e15",
    );
}

#[test]
fn a_parameter_holds_its_value() {
    let by = |declared: &str, value: &str| {
        let text = LEAST.replace("double b[n]", &format!("double b[n], {declared}"));
        parse(&format!("{text}[scalars]\nm = {value}\n")).unwrap()
    };
    let last = |spec: &Spec| spec.arguments(4).unwrap().pop().unwrap();
    assert_eq!(last(&by("int m", "-3")), Argument::Whole(-3));
    assert_eq!(last(&by("float m", "0.1")), Argument::Single(0.1));
    assert_eq!(last(&by("double m", "1e300")), Argument::Double(1e300));
    assert_eq!(last(&by("const float *m", "\"n/8\"")), Argument::Address(Element::F32, 0.5));
    assert!(by("unsigned m", "-3").arguments(4).is_err());
    assert!(by("signed char m", "\"n*n\"").arguments(12).is_err());
    assert!(by("float m", "1e300").arguments(4).is_err());
    let said = by("long m", "9007199254740993").arguments(4).unwrap_err().to_string();
    assert!(said.contains("too large to be exact"), "{said}");
    let said = spec(&[]).arguments(1 << 32).unwrap_err().to_string();
    assert!(
        said.starts_with("`n` is 4294967296 at n = 4294967296, and u32 holds whole numbers from 0 to 4294967295: "),
        "{said}"
    );
}

#[test]
fn indices_fit_the_elements_that_hold_them() {
    let indexed = spec(&[
        ("a = \"f32[n*n]\"", "a = { type = \"u8[n]\", fill = \"permutation\" }"),
        ("float a", "unsigned char a"),
    ]);
    assert!(indexed.arguments(256).is_ok());
    says(
        indexed.arguments(257),
        "the indices of `a` go to 256 at n = 257, and u8 does not hold them all: choose a smaller n",
    );
}
