//! The parts of a machine as boxes, as tables and as a picture.

use std::collections::{BTreeMap, BTreeSet};

use expect_test::expect;
use paw_data::machine::hardware::{
    Adapter, CacheInstance, Hardware, HardwareThread, MemoryNode, MemorySideCache, NodeAccess,
};
use paw_report::{Colour, hardware_boxes, hardware_markdown, hardware_svg, hardware_text};

/// A machine of two packages, each a memory node with two third-level caches of `cores` cores with two threads.
fn machine(cores: u32) -> Hardware {
    let count = 4 * cores;
    let thread = |cpu: u32| {
        let core = cpu % count;
        let package = core / (2 * cores);
        HardwareThread {
            cpu,
            thread: cpu / count,
            core,
            package,
            node: Some(package),
            available: true,
            ..Default::default()
        }
    };
    let cache = |level: u32, kind: &str, kib: u64, first: u32, cores: u32| CacheInstance {
        level,
        kind: kind.to_owned(),
        size_bytes: kib << 10,
        line_bytes: Some(64),
        ways: Some(8),
        cpus: (first..first + cores).chain(count + first..count + first + cores).collect(),
        ..Default::default()
    };
    let each = |level, kind: &'static str, kib, step: u32| {
        (0..count).step_by(step as usize).map(move |first| cache(level, kind, kib, first, step))
    };
    let caches = each(1, "data", 48, 1).chain(each(1, "instruction", 32, 1)).chain(each(2, "unified", 2048, 1));
    let node = |number: u32| MemoryNode {
        number,
        cpus: (0..2 * count).filter(|cpu| cpu % count / (2 * cores) == number).collect(),
        total_bytes: (127 + u64::from(number)) << 30,
        free_bytes: Some(100 << 30),
        distances: BTreeMap::from([(number, 10), (1 - number, 21)]),
        ..Default::default()
    };
    Hardware {
        threads: (0..2 * count).map(thread).collect(),
        caches: caches.chain(each(3, "unified", 32 << 10, cores)).collect(),
        nodes: vec![node(0), node(1)],
        ..Hardware::default()
    }
}

#[test]
fn of_alike_parts_the_first_is_drawn_and_the_others_are_named() {
    expect![[r#"
        ┌ machine ──────────────────────────────────────────────────────────────────┐
        │ ┌ package 0 ────────────────────────────────────────────────────────────┐ │
        │ │ memory node 0: 127 GiB                                                │ │
        │ │ ┌ L3 32 MiB ──────────────────────────────────────┐ … 1 more like it: │ │
        │ │ │ ┌ core 0 ────┐ … 7 more like it: cpu 1-7, 33-39 │ cpu 8-15, 40-47   │ │
        │ │ │ │ L2 2 MiB   │                                  │                   │ │
        │ │ │ │ L1d 48 KiB │                                  │                   │ │
        │ │ │ │ L1i 32 KiB │                                  │                   │ │
        │ │ │ │ cpu 0, 32  │                                  │                   │ │
        │ │ │ └────────────┘                                  │                   │ │
        │ │ └─────────────────────────────────────────────────┘                   │ │
        │ └───────────────────────────────────────────────────────────────────────┘ │
        │ … 1 more like it: cpu 16-31, 48-63                                        │
        └───────────────────────────────────────────────────────────────────────────┘
    "#]]
    .assert_eq(&hardware_boxes(&machine(8), 80));
    expect![[r#"
        ┌ machine ───────────────────────────┐
        │ ┌ package 0 ─────────────────────┐ │
        │ │ memory node 0: 127 GiB         │ │
        │ │ ┌ L3 32 MiB ─────────────────┐ │ │
        │ │ │ ┌ core 0 ────┐             │ │ │
        │ │ │ │ L2 2 MiB   │             │ │ │
        │ │ │ │ L1d 48 KiB │             │ │ │
        │ │ │ │ L1i 32 KiB │             │ │ │
        │ │ │ │ cpu 0, 32  │             │ │ │
        │ │ │ └────────────┘             │ │ │
        │ │ │ … 7 more like it: cpu 1-7, │ │ │
        │ │ │ 33-39                      │ │ │
        │ │ └────────────────────────────┘ │ │
        │ │ … 1 more like it: cpu 8-15,    │ │
        │ │ 40-47                          │ │
        │ └────────────────────────────────┘ │
        │ … 1 more like it: cpu 16-31, 48-63 │
        └────────────────────────────────────┘
    "#]]
    .assert_eq(&hardware_boxes(&machine(8), 40));
}

#[test]
fn what_fits_side_by_side_is_drawn_whole() {
    let mut small = machine(1);
    small.threads.truncate(4);
    small.threads.iter_mut().for_each(|thread| thread.available = thread.cpu != 3);
    small.offline = vec![4, 5, 6, 7];
    for cpus in small.caches.iter_mut().map(|cache| &mut cache.cpus).chain(small.nodes.iter_mut().map(|n| &mut n.cpus))
    {
        cpus.retain(|cpu| *cpu < 4);
    }
    expect![[r#"
        ┌ machine ────────────────────────────────────────────────────────────┐
        │ ┌ package 0 ────────────────────┐ ┌ package 1 ────────────────────┐ │
        │ │ memory node 0: 127 GiB        │ │ memory node 1: 128 GiB        │ │
        │ │ ┌ core 0 ────┐ ┌ core 1 ────┐ │ │ ┌ core 2 ────┐ ┌ core 3 ────┐ │ │
        │ │ │ L3 32 MiB  │ │ L3 32 MiB  │ │ │ │ L3 32 MiB  │ │ L3 32 MiB  │ │ │
        │ │ │ L2 2 MiB   │ │ L2 2 MiB   │ │ │ │ L2 2 MiB   │ │ L2 2 MiB   │ │ │
        │ │ │ L1d 48 KiB │ │ L1d 48 KiB │ │ │ │ L1d 48 KiB │ │ L1d 48 KiB │ │ │
        │ │ │ L1i 32 KiB │ │ L1i 32 KiB │ │ │ │ L1i 32 KiB │ │ L1i 32 KiB │ │ │
        │ │ │ cpu 0      │ │ cpu 1      │ │ │ │ cpu 2      │ │ cpu (3)    │ │ │
        │ │ └────────────┘ └────────────┘ │ │ └────────────┘ └────────────┘ │ │
        │ └───────────────────────────────┘ └───────────────────────────────┘ │
        └─────────────────────────────────────────────────────────────────────┘
          in parentheses: processors that are not available
          switched off: cpu 4-7
    "#]]
    .assert_eq(&hardware_boxes(&small, 80));
}

#[test]
fn adapters_and_memory_without_processors_lie_where_they_are_near() {
    let mut machine = machine(2);
    let adapter = |class: &str, name: &str, cpus: &[u32]| Adapter {
        bus_id: "0000:41:00.0".to_owned(),
        class: class.to_owned(),
        names: vec![name.to_owned()],
        cpus: cpus.to_vec(),
        ..Adapter::default()
    };
    let near = machine.nodes[1].cpus.clone();
    machine.adapters =
        vec![adapter("network", "ib0", &near), adapter("network", "ib1", &near), adapter("storage", "vda", &[])];
    let alone = |number, initiators: &[u32]| MemoryNode {
        number,
        total_bytes: 64 << 30,
        access: vec![NodeAccess {
            initiators: initiators.to_vec(),
            read_latency_ns: Some(250),
            read_bytes_s: Some(64_000_000_000),
            ..Default::default()
        }],
        ..MemoryNode::default()
    };
    machine.nodes.extend([alone(2, &[1]), alone(3, &[])]);
    machine.nodes[3].access.clear();
    let side = |direct_mapped| MemorySideCache { level: 1, size_bytes: 16 << 30, direct_mapped, ..Default::default() };
    machine.nodes[2].side_caches = vec![side(Some(true))];
    machine.nodes[3].side_caches = vec![side(None)];
    let drawn = hardware_boxes(&machine, 100);
    let at =
        |what: &str| drawn.lines().position(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}:\n{drawn}"));
    let (first, second) = (at("package 0"), at("package 1"));
    assert!(at("storage: vda") < first && second < at("network: ib0, ib1") && second < at("memory node 2"), "{drawn}");
    assert!(
        drawn.lines().any(|line| line.starts_with("│ ┌ memory node 3: 64 GiB behind a cache of 16 GiB ")),
        "{drawn}"
    );
    assert!(drawn.contains("memory node 2: 64 GiB behind a cache of 16 GiB direct-mapped"), "{drawn}");
    let tables = hardware_text(&machine, 100, Colour::Plain);
    for part in ["250 ns", "64.0 GB/s", "ib0", "none", "to 1", "by firmware"] {
        assert!(tables.contains(part), "{part}:\n{tables}");
    }
}

#[test]
fn every_processor_is_in_the_picture_once() {
    let svg = hardware_svg(&machine(8), "A <machine>");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
    let numbers: Vec<u32> = texts.iter().filter_map(|text| text.parse().ok()).collect();
    assert_eq!((numbers.len(), numbers.iter().copied().collect::<BTreeSet<u32>>()), (64, (0..64).collect()));
    assert!(texts.contains(&"A <machine>") && texts.contains(&"memory node 1: 128 GiB"), "{texts:?}");
}

#[test]
fn parts_that_contradict_each_other_are_named_and_not_drawn() {
    let mut machine = machine(2);
    machine.nodes[1].cpus.extend([0, 8]);
    let drawn = hardware_boxes(&machine, 80);
    let said = "not drawn, because others hold a part of it: ";
    assert!(drawn.lines().any(|line| line.trim_start().starts_with(said)), "{drawn}");
    assert_eq!(drawn.matches("memory node").count(), 2, "{drawn}");
}

#[test]
fn threads_of_a_large_machine_share_rows_unless_they_differ() {
    let mut large = machine(8);
    large.threads[5].available = false;
    let text = hardware_text(&large, 80, Colour::Plain);
    expect![[r#"

        hardware threads
                   cpu  thread   core  package  node  available
        0-4,6-15,32-47     0-1   0-15        0     0  yes
                     5       0      5        0     0  no
           16-31,48-63     0-1  16-31        1     1  yes
          hardware threads that differ in their numbers alone share a row; `--format
          csv` and `json` have each

        caches
        cache    size  line  ways  count  threads  shared by cpu
        L1d    48 KiB  64 B     8     32        2  0,32 | 1,33 | 2,34 | … | 31,63
        L1i    32 KiB  64 B     8     32        2  0,32 | 1,33 | 2,34 | … | 31,63
        L2      2 MiB  64 B     8     32        2  0,32 | 1,33 | 2,34 | … | 31,63
        L3     32 MiB  64 B     8      4       16  0-7,32-39 | 8-15,40-47 | 16-23,48-55…

        memory nodes
        node    total     free  cpu
           0  127 GiB  100 GiB  0-15,32-47
           1  128 GiB  100 GiB  16-31,48-63

        distances between memory nodes
        from  to 0  to 1
           0    10    21
           1    21    10
          by firmware; 10 is local
    "#]]
    .assert_eq(&text);
    assert!(!hardware_text(&machine(2), 80, Colour::Plain).contains("share a row"));
}

#[test]
fn no_line_is_wider_than_asked() {
    for cores in [1, 3, 8] {
        for width in [32, 40, 57, 80, 200] {
            let machine = machine(cores);
            let text = hardware_boxes(&machine, width) + &hardware_text(&machine, width, Colour::Plain);
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} of {width}:\n{text}");
        }
    }
}

#[test]
fn markdown_has_every_table() {
    let text = hardware_markdown(&machine(2));
    for title in ["hardware threads", "caches", "memory nodes", "distances between memory nodes"] {
        assert!(text.contains(&format!("### {title}\n\n|")), "{title}:\n{text}");
    }
    assert_eq!(hardware_markdown(&Hardware::default()), "");
}
