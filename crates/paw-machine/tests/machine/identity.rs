//! Identity, fingerprint, processor names and hypervisors.

use paw_data::machine::Identity;
use paw_machine::cpuinfo::CpuInfo;
use paw_machine::hardware::nodes;
use paw_machine::identity::{fingerprint, identity};

use crate::paper::paper;

#[test]
fn an_identity_tells_the_machine() {
    let machine = paper("package:2 core:4 smt:2 node:2 memory:16G l3:32M/2 memoryless:3");
    let found = identity(&machine.root, &machine.topology());
    assert_eq!(found.cpu, "Paper Processor 9000 @ 2.00GHz");
    assert_eq!((found.packages, found.cores, found.threads, found.numa_nodes), (2, 16, 32, 3));
    assert_eq!((found.host.as_str(), found.arch.as_str(), found.kernel.as_str()), ("paper", "x86_64", "6.1.0-paper"));
    assert_eq!(found.os, "Paper Linux 1");
    assert_eq!(found.isa, ["sse2", "sse4.2", "avx", "f16c", "fma", "avx2"]);
    assert_eq!(found.hypervisor, "");
    assert_eq!(found.memory_bytes, 48 << 30);
    let l3 = found.caches.iter().find(|c| c.level == 3).unwrap();
    assert_eq!((l3.kind.as_str(), l3.size_bytes, l3.instances, l3.shared_by), ("unified", 32 << 20, 8, 4));
    assert_eq!(found.caches.len(), 4);
    assert_eq!(found.fingerprint.len(), 16);
}

#[test]
fn nodes_are_told_with_the_firmwares_distances_and_initiators() {
    let machine = paper("package:2 core:2 memory:16G distance:21 cpuless:1");
    machine.put("sys/devices/system/node/node255/access0/initiators/node1/uevent", "");
    machine.put("sys/devices/system/node/node255/access1/initiators/node0/uevent", "");
    let found = nodes(&machine.topology());
    assert_eq!(found.iter().map(|node| node.number).collect::<Vec<_>>(), [0, 1, 255]);
    assert_eq!(found[1].distances, [(0, 21), (1, 10), (255, 21)].into());
    let initiators: Vec<_> = found[2].access.iter().map(|access| (access.class, access.initiators.clone())).collect();
    assert_eq!(initiators, [(0, vec![1]), (1, vec![0])]);
    assert_eq!((found[0].total_bytes, found[0].access.len()), (16 << 30, 0));
}

#[test]
fn the_fingerprint_is_stable_and_leaves_out_name_and_jitter() {
    let machine = paper("core:4 memory:16G");
    let found = identity(&machine.root, &machine.topology());
    assert_eq!(fingerprint(&found), found.fingerprint);
    let mut same = found.clone();
    same.host = "other".to_owned();
    same.memory_bytes -= 200 << 20;
    same.fingerprint = String::new();
    assert_eq!(fingerprint(&same), found.fingerprint);
}

#[test]
fn every_other_field_moves_the_fingerprint() {
    let machine = paper("core:4 memory:16G");
    let found = identity(&machine.root, &machine.topology());
    let changes: [fn(&mut Identity); 12] = [
        |i| i.cpu.push('x'),
        |i| i.arch.push('x'),
        |i| i.isa.push("x".to_owned()),
        |i| i.packages += 1,
        |i| i.cores += 1,
        |i| i.threads += 1,
        |i| i.numa_nodes += 1,
        |i| i.caches[0].size_bytes += 1,
        |i| i.memory_bytes *= 2,
        |i| i.os.push('x'),
        |i| i.kernel.push('x'),
        |i| i.hypervisor.push('x'),
    ];
    let changed: Vec<String> = changes
        .iter()
        .map(|change| {
            let mut other = found.clone();
            change(&mut other);
            fingerprint(&other)
        })
        .collect();
    let distinct: std::collections::BTreeSet<&String> = changed.iter().chain([&found.fingerprint]).collect();
    assert_eq!(distinct.len(), 13);
}

#[test]
fn the_hash_is_fnv_1a() {
    // An empty identity's text, hashed by an independent implementation of FNV-1a 64.
    let text = "cpu=\narch=\nisa=\npackages=0\ncores=0\nthreads=0\nnuma_nodes=0\ncaches=\nmemory=0\nos=\nkernel=\nhypervisor=\n";
    let expected = text.bytes().fold(14_695_981_039_346_656_037_u64, |h, b| {
        let mixed = u128::from(h ^ u64::from(b)) * 1_099_511_628_211;
        (mixed % (1 << 64)) as u64
    });
    assert_eq!(fingerprint(&Identity::default()), format!("{expected:016x}"));
}

#[test]
fn a_processor_is_named_on_every_architecture() {
    let model = |text: &str| CpuInfo::parse(text).model();
    assert_eq!(model("model name\t: AMD  EPYC 7763   64-Core\n"), "AMD EPYC 7763 64-Core");
    assert_eq!(model("processor : 0\nCPU implementer : 0x41\nCPU part : 0xd40\n"), "Arm Neoverse-V1");
    assert_eq!(
        model("CPU implementer: 0x41\nCPU part: 0xd87\n\nCPU implementer: 0x41\nCPU part: 0xd85\n"),
        "Arm Cortex-A725 + Arm Cortex-X925"
    );
    assert_eq!(model("CPU implementer : 0x99\nCPU part : 0x123\n"), "Arm part 0x99/0x123");
    assert_eq!(model("processor : 0\ncpu : POWER9, altivec supported\n"), "POWER9, altivec supported");
    assert_eq!(model("vendor_id : IBM/S390\n"), "IBM/S390");
    assert_eq!(model("uarch : sifive,u74-mc\n"), "sifive,u74-mc");
    assert_eq!(model(""), "unknown processor");
}

#[test]
fn only_extensions_that_every_processor_has_are_told() {
    let isa = |text: &str| CpuInfo::parse(text).isa();
    assert_eq!(isa("flags : sse2 avx2 avx512f\n\nflags : sse2 avx2\n"), ["sse2", "avx2"]);
    assert_eq!(isa("Features : fp asimd sve\n"), ["neon", "sve"]);
    assert!(isa("").is_empty());
}

#[test]
fn a_hypervisor_is_named_by_what_shows() {
    let seen = |spec: &str, files: &[(&str, &str)]| {
        let machine = paper(spec);
        for (path, text) in files {
            machine.put(path, text);
        }
        identity(&machine.root, &machine.topology()).hypervisor
    };
    assert_eq!(seen("core:1 host:virtual", &[]), "unnamed hypervisor");
    assert_eq!(seen("core:1 host:virtual", &[("sys/class/dmi/id/sys_vendor", "VMware, Inc.\n")]), "VMware");
    let azure = [
        ("sys/class/dmi/id/sys_vendor", "Microsoft Corporation"),
        ("sys/class/dmi/id/product_name", "Virtual Machine"),
    ];
    assert_eq!(seen("core:1 host:virtual", &azure), "Hyper-V");
    // A cloud's bare-metal machine carries its vendor's name without the flag.
    assert_eq!(seen("core:1 host:metal", &[("sys/class/dmi/id/sys_vendor", "Amazon EC2")]), "");
    // Arm has no such flag: the firmware's word counts.
    assert_eq!(seen("core:1 evidence:midr", &[("sys/class/dmi/id/sys_vendor", "QEMU")]), "QEMU/KVM");
    assert_eq!(seen("core:1 evidence:midr", &[]), "");
    assert_eq!(seen("core:1 host:virtual", &[("sys/hypervisor/type", "xen\n")]), "Xen");
}

#[test]
fn a_nameless_system_is_linux() {
    let machine = paper("core:1");
    machine.put("etc/os-release", "NAME=Plain\n");
    assert_eq!(identity(&machine.root, &machine.topology()).os, "Plain");
    machine.remove("etc/os-release");
    assert_eq!(identity(&machine.root, &machine.topology()).os, "Linux");
}
