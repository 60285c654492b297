//! Specs that are read.

mod refusals;

use std::path::Path;

use paw_data::document::{Document, DocumentError};
use paw_data::kernel::{Cache, Calls, Float};
use proptest::prelude::*;

use super::*;

/// Every key.
pub(super) const WHOLE: &str = r#"paw = "kernel/1"
name = "product"
sources = ["kernel.c"]
language = "c"
function = "product_"
signature = "double product(unsigned n, const float a[n][n], double b[n], double alpha, int *m)"
iterations = "n*n"
flops = "2*n*n"
bytes = "4*n^2 + 8*n"
always = ["-I.", "-lm"]
compilers = ["gcc", "clang"]
flags = ["-O2", "-O3 -march=native", ""]

[arrays]
b = { type = "f64[half*2]", fill = "zero", output = true }
a = { type = "f32[n*n]", fill = "uniform(-1, 1)" }

[scalars]
half = "n/2"
alpha = 2.5
m = "half + 1"

[variants]
base = {}
unroll = { define = ["UNROLL", "FACTOR=4"] }
walk = { define = "WALK", residency = true }
other = { function = "product_other" }

[reference]
variant = "unroll"
compiler = "gcc"
flags = "-O2"

[tolerance]
relative = 1e-6
ulp = 4

[measure]
warmup = 20
reps = 100
metas = 15
calls = "fenced"
cache = "cold"
float = "ftz"
seed = "18446744073709551615"
"#;

/// As little as can be.
pub(super) const LEAST: &str = r#"paw = "kernel/1"
sources = ["kernel.c"]
signature = "void product(unsigned n, float a[n][n], double b[n])"
iterations = "n*n"
[arrays]
a = "f32[n*n]"
b = { type = "f64[n]", output = true }
"#;

/// Parses `text` as a spec in the directory of the templates, whose sources exist.
pub(super) fn parse(text: &str) -> Result<Spec, DocumentError> {
    Spec::of(&Document { path: Path::new("templates/product.toml"), text })
}

/// [`LEAST`] with a part replaced by another.
#[track_caller]
fn with(part: &str, other: &str) -> String {
    assert!(LEAST.contains(part), "{part}");
    LEAST.replacen(part, other, 1)
}

/// [`LEAST`] with lines behind it.
fn and(lines: &str) -> String {
    format!("{LEAST}{lines}\n")
}

#[test]
fn every_key_is_understood() {
    let spec = parse(WHOLE).unwrap();
    assert_eq!((spec.name.as_str(), spec.function.as_str(), spec.language), ("product", "product_", Language::C));
    assert!(spec.sources[0].is_absolute() && spec.sources[0].ends_with("templates/kernel.c"));
    assert_eq!(spec.signature.result, Some(Element::F64));
    let arrays: Vec<String> = spec
        .arrays
        .iter()
        .map(|a| format!("{} {:?}[{}] {} {}", a.name, a.element, a.extent, a.fill, a.output))
        .collect();
    assert_eq!(arrays, ["a F32[n*n] uniform(-1, 1) false", "b F64[half*2] zero true"], "in the order of the signature");
    let scalars: Vec<String> = spec.scalars.iter().map(|s| format!("{} = {}", s.name, s.value)).collect();
    assert_eq!(scalars, ["half = n/2", "alpha = 2.5", "m = half + 1"]);
    assert_eq!(spec.variants.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["base", "unroll", "walk", "other"]);
    assert_eq!(spec.variants[1].define, ["UNROLL", "FACTOR=4"]);
    assert!(spec.variants[2].residency && spec.variants[2].define == ["WALK"]);
    assert_eq!(spec.variants[3].function.as_deref(), Some("product_other"));
    let text = |text: &str| Some(text.to_owned());
    let reference = Reference::Build { variant: text("unroll"), compiler: text("gcc"), flags: text("-O2") };
    assert_eq!(spec.reference, reference);
    assert_eq!(spec.reference_variant().map(|v| v.name.as_str()), Some("unroll"));
    assert_eq!(spec.tolerance, Tolerance { relative: 1e-6, ulp: 4 });
    let measure = Measure {
        warmup: 20,
        warmup_s: None,
        reps: Some(100),
        metas: 15,
        calls: Calls::Fenced,
        cache: Cache::Cold,
        float: Float::Ftz,
        restore: None,
        seed: u64::MAX,
    };
    assert_eq!(spec.measure, measure);
    assert_eq!((spec.always.len(), spec.compilers.len(), spec.flags.len()), (2, 2, 3));
}

#[test]
fn what_is_not_said_has_its_usual_value() {
    let spec = parse(LEAST).unwrap();
    assert_eq!((spec.name.as_str(), spec.function.as_str(), spec.language), ("product", "product", Language::C));
    assert_eq!(spec.arrays[0].fill, Fill::Uniform(0.0, 1.0));
    assert_eq!(spec.arrays[1].fill, Fill::Zero);
    assert_eq!(
        (spec.reference, spec.measure, spec.tolerance),
        (Reference::First, Measure::default(), Tolerance::default())
    );
    assert!(spec.variants.is_empty() && spec.flops.is_none() && spec.bytes.is_none());
    let counts = with("a = \"f32[n*n]\"", "a = \"u8[n*n]\"").replace("float a", "unsigned char a");
    assert_eq!(parse(&counts).unwrap().arrays[0].fill, Fill::Uniform(0.0, 100.0));
    assert!(parse(&and("[scalars]\n[variants]\n[reference]\n[measure]\n[tolerance]")).is_ok());
    assert!(parse(&with("iterations = \"n*n\"", "iterations = 64")).is_ok());
}

proptest! {
    #[test]
    fn no_text_makes_reading_panic(text in "(paw = \"kernel/1\"\n)?[a-z=\\[\\]\"\n é{}]{0,40}") {
        if let Err(error) = parse(&text) {
            prop_assert!(error.to_string().starts_with("templates/product.toml:"));
        }
    }

    /// A whole spec with a few bytes replaced is read or refused, and the place of a refusal is in the text.
    #[test]
    fn no_slip_makes_reading_panic(at in 0..WHOLE.len(), length in 0_usize..6, slip in "[a-z0-9\"\\[\\]{}()=*\n\\\\é -]{0,3}") {
        let mut text = WHOLE.to_owned();
        text.replace_range(at..(at + length).min(WHOLE.len()), &slip);
        if let Err(DocumentError { place: Some(place), .. }) = parse(&text) {
            prop_assert!(place.line <= text.matches('\n').count() + 1 && place.column >= 1);
        }
    }
}
