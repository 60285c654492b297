//! Specs of kernels for devices that are read, and what they come to at a point.

use std::path::Path;

use paw_data::document::{Document, DocumentError};
use paw_foreign::device::HostKind;
use proptest::prelude::*;

use super::*;
use crate::element::Element;
use crate::job::Argument;
use crate::spec::{Fill, KernelSpec};

/// Every key that does not exclude another.
const WHOLE: &str = r#"paw = "kernel/1"
name = "fit"
language = "cuda"
source = "device.cu"
entry = "fit<float>"
options = ["-std=c++17", "--use_fast_math"]
signature = "void fit(const float *event, float *weight, int variations, float width, long threads, unsigned *tries)"
threads = "variations*combinations"
block = [64, 256]
shared = "4*block"
flops = "threads*420"
bytes = "threads*36"

[axes]
variations = "pow2:1..9"
combinations = [12, 48]

[arrays]
weight = { type = "f32[threads]", fill = "nan", output = true }
event = { type = "f32[8*events]", fill = "normal(80, 10)" }
tries = { type = "u32[threads]", input = true, output = true }

[scalars]
events = 4
width = "1/3"

[reference]
entry = "fit_plain"

[tolerance]
relative = 1e-6

[measure]
warmup = 5
method = "adaptive"
cache = "cold"
include = "kernel+transfer"
host = "pageable"
seed = 3
"#;

/// As little as can be.
const LEAST: &str = r#"paw = "kernel/1"
language = "opencl"
source = "device.cl"
signature = "void scale(int n, float *a)"
threads = "n"
[axes]
n = 1024
[arrays]
a = { type = "f32[n]", output = true }
"#;

fn parse(text: &str) -> Result<DeviceSpec, DocumentError> {
    match KernelSpec::of(&Document { path: Path::new("templates/scale.toml"), text })? {
        KernelSpec::Device(spec) => Ok(*spec),
        KernelSpec::Processor(_) => panic!("it is for a device"),
    }
}

/// [`LEAST`] with a part replaced by another.
#[track_caller]
fn with(part: &str, other: &str) -> String {
    assert!(LEAST.contains(part), "{part}");
    LEAST.replacen(part, other, 1)
}

#[test]
fn every_key_is_understood() {
    let spec = parse(WHOLE).unwrap();
    assert_eq!((spec.name.as_str(), spec.backend, spec.entry.as_str()), ("fit", Backend::Cuda, "fit<float>"));
    assert!(spec.source.is_absolute() && spec.source.ends_with("device.cu"));
    assert_eq!(spec.options, ["-std=c++17", "--use_fast_math"]);
    assert_eq!(spec.axes[0].values, [2, 4, 8, 16, 32, 64, 128, 256, 512]);
    assert_eq!(spec.block, [64, 256]);
    let arrays: Vec<_> =
        spec.arrays.iter().map(|one| (one.name.as_str(), one.input, one.output, one.written)).collect();
    let expected = [("event", true, false, false), ("weight", false, true, true), ("tries", true, true, true)];
    assert_eq!(arrays, expected);
    assert_eq!(spec.arrays[1].fill, Fill::Nan);
    assert_eq!(spec.reference, Reference::Function("fit_plain".to_owned()));
    let DeviceMeasure { warmup, method, cache, include, host, seed, .. } = &spec.measure;
    assert_eq!((*warmup, method.as_str(), cache.as_slice()), (5, "adaptive", &[DeviceCache::Cold][..]));
    assert_eq!((*include, *host, *seed), (Include::Transfer, HostKind::Pageable, 3));
}

#[test]
fn what_is_left_out_is_usual() {
    let spec = parse(LEAST).unwrap();
    assert_eq!((spec.name.as_str(), spec.entry.as_str(), spec.backend), ("scale", "scale", Backend::OpenCl));
    assert_eq!((spec.block.as_slice(), &spec.reference), (&[256][..], &Reference::First));
    assert_eq!(spec.measure, DeviceMeasure::default());
    assert_eq!(spec.points(), [[1024]]);
}

#[test]
fn a_point_has_threads_blocks_and_arguments() {
    let spec = parse(WHOLE).unwrap();
    assert_eq!(spec.points().len(), 18);
    let place = spec.launch_point(&[8, 12], 64).unwrap();
    let grid = spec.grid(&place).unwrap();
    assert_eq!((place.threads, grid.blocks, grid.threads, grid.shared_bytes), (96, 2, 64, 256));
    assert_eq!(spec.work(&place), Ok((Some(96.0 * 420.0), Some(96.0 * 36.0))));
    let arguments = spec.arguments(&place).unwrap();
    assert!(matches!(&arguments[0], Argument::Array(array) if array.len == 32 && array.element == Element::F32));
    assert_eq!(arguments[2], Argument::Whole(8));
    assert_eq!(arguments[3], Argument::Single(1.0 / 3.0));
    assert_eq!(arguments[4], Argument::Whole(96), "threads is a value like any other");
}

#[test]
fn a_point_that_cannot_be_is_reported() {
    let said = |text: &str, point: u64| {
        let spec = parse(text).unwrap();
        let place = spec.launch_point(&[point], 256).and_then(|place| spec.arguments(&place));
        place.unwrap_err().to_string()
    };
    assert_eq!(
        said(&with("threads = \"n\"", "threads = \"n/3\""), 4),
        "`n/3` (threads of a launch) is 1.3333333333333333 at n=4: it must be a whole number above 0"
    );
    assert!(said(LEAST, 1 << 40).starts_with("`n` is 1099511627776 at n=1099511627776, and i32 holds whole numbers"));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (part, other, message) in [
        ("language = \"opencl\"", "language = \"opncl\"", "scale.toml:2:12: `language` must be `c` or "),
        ("threads = \"n\"", "threads = \"m\"", "scale.toml:5:12: `m` has no value here: "),
        ("threads = \"n\"", "block = 256", "scale.toml: the key `threads` is missing: "),
        ("threads = \"n\"", "thread = \"n\"", "scale.toml:5:1: there is no key `thread`: did you mean `threads`?"),
        ("n = 1024", "n = \"pow2:9..1\"", "scale.toml:7:5: this is no value of an axis: "),
        ("n = 1024", "n = []", "scale.toml:7:5: `n` has no value: "),
        ("n = 1024", "n = 1024\nm = 2", "scale.toml:8:1: `m` is no parameter and stands in no formula: "),
        ("n = 1024", "block = 4", "scale.toml:7:1: `block` is no name of an axis: "),
        ("void scale(int n", "int scale(int n", "scale.toml:4:14: a kernel returns nothing: "),
        ("void scale(int n", "void scale(short n", "scale.toml:4:31: `n` is narrower than "),
        ("a = { type", "b = { type", "scale.toml:9:1: the signature has no parameter `b`"),
        ("[arrays]", "[measure]\nmethod = \"kbst\"\n[arrays]", "scale.toml:9:10: `method` must be `adaptive` or "),
        (
            "[arrays]",
            "[measure]\ncache = \"hot\"\n[arrays]",
            "scale.toml:9:9: `cache` must be `cold` or `warm` or `both`",
        ),
        ("[arrays]", "[reference]\nflags = \"-O2\"\n[arrays]", "scale.toml:9:1: `flags` build a `source`, "),
        (
            "output = true",
            "fill = \"zero\", file = \"device.cl\", output = true",
            "scale.toml:9:39: `file` and `fill` exclude",
        ),
        ("output = true", "file = \"nowhere.bin\", output = true", "scale.toml:9:32: there is no file "),
    ] {
        let said = parse(&with(part, other)).expect_err(other).to_string();
        assert!(said.starts_with(&format!("templates/{message}")), "{other}: {said}");
    }
}

#[test]
fn a_kernel_for_a_device_is_refused_by_commands_for_processors() {
    let said = crate::spec::Spec::of(&Document { path: Path::new("templates/scale.toml"), text: LEAST })
        .unwrap_err()
        .to_string();
    assert!(said.contains("scale.toml:2:12: this kernel runs on a device: "), "{said}");
}

proptest! {
    #[test]
    fn blocks_hold_all_threads_and_none_is_idle(n in 1u64..1 << 30, block in 1u32..2048) {
        let spec = parse(LEAST).unwrap();
        let place = spec.launch_point(&[n], block).unwrap();
        let grid = spec.grid(&place).unwrap();
        let held = grid.blocks * u64::from(grid.threads);
        prop_assert!(held >= n && held - n < u64::from(block));
    }
}
