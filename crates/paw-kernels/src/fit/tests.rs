//! Sizes for memories, compared with the rules by trying every n.

use std::path::Path;

use paw_data::document::Document;
use paw_formula::Formula;
use paw_machine::topology::{Cache, CacheKind, Topology};
use proptest::prelude::*;

use super::*;

fn spec(extent: &str, iterations: &str) -> Spec {
    let text = format!(
        "paw = \"kernel/1\"\nsources = [\"kernel.c\"]\niterations = \"{iterations}\"\n\
         signature = \"void product(unsigned long n, const float a[n][n], double b[n])\"\n\
         [arrays]\na = \"f32[{extent}]\"\nb = {{ type = \"f64[n]\", output = true }}\n"
    );
    Spec::of(&Document { path: Path::new("templates/product.toml"), text: &text }).unwrap()
}

fn product() -> Spec {
    spec("n*n", "n*n")
}

/// Name, n_min, n and n_max of each level, or the message.
fn shown(spec: &Spec, caches: &str, ram: Option<u64>, rules: &str) -> Vec<String> {
    let memory = Memory { ram_bytes: ram, ..Memory::typed(caches).unwrap() };
    let rules = if rules.is_empty() { Rules::default() } else { Rules::default().with(rules).unwrap() };
    let one = |level: Result<Level, FitError>| match level {
        Ok(level) => format!("{} {} {} {}", level.name, level.n_min, level.n, level.n_max),
        Err(why) => why.to_string(),
    };
    fit(spec, &memory, &rules).into_iter().map(one).collect()
}

/// 4n² + 8n in 32 KiB and 256 KiB: computed by hand, and the largest n of each bound with its neighbour outside.
#[test]
fn the_protocols_kernel_has_its_sizes() {
    assert_eq!(shown(&product(), "32K,256K", None, ""), ["L1 1 84 84", "L2 156 241 241"]);
    assert_eq!(shown(&product(), "32K,256K", None, "l1=1"), ["L1 1 89 89", "L2 156 241 241"]);
    assert_eq!(shown(&product(), "32K", None, "l1=0.97"), ["L1 1 88 88"]);
    let levels = fit(&product(), &Memory::typed("32K,256K").unwrap(), &Rules::default());
    let second = Level {
        name: "L2".to_owned(),
        n: 241,
        footprint_bytes: 234_252,
        capacity_bytes: 262_144,
        n_min: 156,
        n_max: 241,
        rule: "3 x L1 < bytes <= 0.9 x L2".to_owned(),
    };
    assert_eq!(levels[1], Ok(second));
    assert_eq!(levels[0].as_ref().unwrap().rule, "bytes <= 0.9 x L1");
}

#[test]
fn far_levels_are_met_in_their_middle() {
    // L3: from 3 MiB to 8 MiB, the middle 4.9 MiB; memory: four times 16 MiB, and all of it where there is less.
    let levels = shown(&product(), "32K,1M,16M", Some(4 << 30), "");
    assert_eq!(levels, ["L1 1 84 84", "L2 156 484 484", "L3 886 1132 1447", "RAM 3547 4095 23169"]);
    let levels = fit(&product(), &Memory { caches: vec![], ram_bytes: Some(1 << 20) }, &Rules::default());
    assert_eq!(levels[0].as_ref().map(|level| (level.n, level.rule.as_str())), Ok((361, "bytes <= 0.5 x RAM")));
    let small = shown(&product(), "32K,256K,4M", Some(28 << 20), "");
    assert_eq!(small[3], "RAM 1773 1914 1914", "four times L3 is more than half of memory");
}

#[test]
fn a_level_without_a_size_says_why() {
    assert_eq!(
        shown(&product(), "32K,64K", None, "")[1],
        "no n fits L2: 3 x L1 < bytes <= 0.9 x L2 asks for more than 98304 and at most 58982.4 bytes; set another factor"
    );
    assert_eq!(
        shown(&spec("n^9", "n"), "32K,256K", None, ""),
        [
            "L1 1 2 2",
            "no n fits L2: 3 x L1 < bytes <= 0.9 x L2 asks for more than 98304 and at most 235929.6 bytes, and n = 3 has 78756 and n = 4 has 1048608"
        ]
    );
    assert_eq!(
        shown(&spec("n + 9000", "n"), "32K", None, "")[0],
        "no n fits L1: bytes <= 0.9 x L1 asks for more than 0 and at most 29491.2 bytes, and n = 1 has 36012"
    );
    assert_eq!(
        shown(&spec("(n - 100)^2", "n"), "32K", None, "")[0],
        "no n fits L1: the footprint 4*((n - 100)^2) + 8*(n) falls from 39212 bytes at n = 1 to 38432 at n = 2: only one that rises with n can be searched; choose n by hand"
    );
}

#[test]
fn a_footprint_that_n_does_not_change_is_not_searched() {
    let mut fixed = spec("64", "n");
    fixed.arrays[1].extent = Formula::parse("8").unwrap();
    assert_eq!(
        shown(&fixed, "32K", None, "")[0],
        "no n fits L1: the footprint 4*(64) + 8*(8) stays below 29491.2 bytes however large n is"
    );
}

#[test]
fn a_processor_reads_data_through_its_own_caches() {
    let cache = |level, kind, size_bytes, cpus: &[u32]| Cache {
        level,
        kind,
        size_bytes,
        line_bytes: None,
        ways: None,
        sets: None,
        cpus: cpus.iter().copied().collect(),
    };
    let caches = vec![
        cache(1, CacheKind::Data, 48 << 10, &[0]),
        cache(1, CacheKind::Data, 32 << 10, &[1]),
        cache(1, CacheKind::Instruction, 64 << 10, &[0]),
        cache(2, CacheKind::Unified, 2 << 20, &[0, 1]),
    ];
    let topology = Topology { caches, ..Topology::default() };
    let named = |l1: u64| vec![("L1".to_owned(), l1 << 10), ("L2".to_owned(), 2 << 20)];
    assert_eq!(Memory::of_cpu(&topology, 1, None).caches, named(32));
    assert_eq!(Memory::here(&topology, Some(5)), Memory { caches: named(48), ram_bytes: Some(5) });
}

#[test]
fn sizes_that_the_kernel_has_not_are_passed_over() {
    // Half an n of elements: even n alone.
    let half = spec("n/2", "n");
    assert_eq!(shown(&half, "32K", None, ""), ["L1 2 2948 2948"]);
    // Iterations are whole at powers of two alone.
    let fft = spec("n", "n*log2(n)");
    assert_eq!(shown(&fft, "32K,256K", None, ""), ["L1 2 2048 2048", "L2 16384 16384 16384"]);
    // Without a value below 65.
    let late = spec("sqrt(n - 65)*0 + n - 64", "n");
    assert_eq!(shown(&late, "32K", None, ""), ["L1 65 2478 2478"]);
}

#[test]
fn memories_are_read_as_typed() {
    let caches = |text: &str| {
        Memory::typed(text).map(|memory| memory.caches.into_iter().map(|(_, bytes)| bytes).collect::<Vec<_>>())
    };
    assert_eq!(caches("32K, 256KiB,4M"), Ok(vec![32_768, 262_144, 4_194_304]));
    assert_eq!(caches("1.5 MiB"), Ok(vec![1_572_864]));
    assert_eq!(caches("32768,1GB"), Ok(vec![32_768, 1_000_000_000]));
    for text in ["", "32K,", "32X", "-1K", "K", "0", "0.3B", "1e30G", "inf"] {
        assert!(matches!(caches(text), Err(MemoryError::Size(_))), "{text}");
    }
    assert_eq!(caches("32K,32K"), Err(MemoryError::NotLarger { level: 2, bytes: 32_768 }));
    assert_eq!(
        Memory::typed("12 apples").unwrap_err().to_string(),
        "`12 apples` is no size of a cache: write sizes from the nearest cache on, as in `32K,256K,4M`"
    );
}

#[test]
fn rules_are_set_by_name() {
    let rules = Rules::default().with("L1=1, above = 2.5").unwrap();
    assert_eq!(rules, Rules { l1: 1.0, above: 2.5, ..Rules::default() });
    for text in ["l4=1", "l1", "l1=0", "l1=-1", "l1=nan", "l1=x", ""] {
        assert!(Rules::default().with(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn bounds_are_those_of_trying_every_size(
        extent in prop_oneof![Just("n"), Just("n*n"), Just("3*n + 7"), Just("ceil(n/3)"), Just("n*ceil(log2(n + 1))"), Just("2*n")],
        l1 in 1_u64..8,
        factor in 4_u64..16,
    ) {
        let spec = spec(extent, "n");
        let memory = Memory::typed(&format!("{l1}K,{}K", l1 * factor)).unwrap();
        let bytes = |n: u64| spec.footprint_bytes(n).unwrap() as f64;
        let (first, second) = (l1 as f64 * 1024.0, (l1 * factor) as f64 * 1024.0);
        let inside = |n: &u64| bytes(*n) > 3.0 * first && bytes(*n) <= 0.9 * second;
        let tried: Vec<u64> = (1..).take_while(|n| bytes(*n) <= second).filter(inside).collect();
        let found = fit(&spec, &memory, &Rules::default()).pop().unwrap();
        match (tried.first(), tried.last(), found) {
            (Some(min), Some(max), Ok(level)) => prop_assert_eq!((*min, *max, *max), (level.n_min, level.n, level.n_max)),
            (None, None, Err(_)) => {}
            (min, max, level) => prop_assert!(false, "{:?} {:?} {:?}", min, max, level),
        }
    }
}
