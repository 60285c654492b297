//! The machine's parts as data: models, threads, caches, nodes, adapters.

use paw_data::machine::hardware::{Hardware, ProcessorModel};
use paw_machine::hardware::hardware;
use paw_machine::identity::identity;

use crate::paper::{Paper, paper};

fn read(machine: &Paper) -> Hardware {
    hardware(&machine.root, &machine.topology())
}

fn x86(vendor: &str, family: u32, model: u32, stepping: u32) -> Vec<ProcessorModel> {
    let machine = paper("core:2");
    let block = |cpu| {
        format!(
            "processor\t: {cpu}\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n\
             model name\t: A  Processor\nstepping\t: {stepping}\nmicrocode\t: 0x2b\n\n"
        )
    };
    machine.put("proc/cpuinfo", &(block(0) + &block(1)));
    read(&machine).models
}

#[test]
fn designs_are_named_by_family_and_model() {
    let design = |vendor, family, model, stepping| {
        let [model] = &x86(vendor, family, model, stepping)[..] else { panic!("one model") };
        model.microarchitecture.clone()
    };
    assert_eq!(design("GenuineIntel", 6, 207, 2), "Emerald Rapids (Raptor Cove)");
    assert_eq!(design("GenuineIntel", 6, 0x55, 4), "Skylake (server)");
    assert_eq!(design("GenuineIntel", 6, 0x55, 7), "Cascade Lake");
    assert_eq!(design("AuthenticAMD", 0x17, 0x31, 0), "Zen 2");
    assert_eq!(design("AuthenticAMD", 0x17, 0x08, 2), "Zen+");
    assert_eq!(design("AuthenticAMD", 0x19, 0x11, 1), "Zen 4");
    assert_eq!(design("AuthenticAMD", 0x1a, 0x11, 0), "Zen 5c");
    assert_eq!(design("AuthenticAMD", 0x1a, 0x02, 1), "Zen 5");
    assert_eq!(design("GenuineIntel", 6, 0xff, 1), "");
    assert_eq!(design("Nobody", 6, 0x55, 4), "");
}

#[test]
fn a_core_has_a_peak_where_its_design_and_its_highest_clock_are_known() {
    let machine = paper("core:2");
    let block = |cpu, model| {
        format!(
            "processor\t: {cpu}\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: {model}\nmodel name\t: A\n\n"
        )
    };
    let peak = |cpuinfo: String, driver: &str| {
        machine.put("proc/cpuinfo", &cpuinfo);
        for cpu in 0..2 {
            machine.put(&format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_driver"), driver);
            machine.put(&format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/cpuinfo_max_freq"), "3500000");
        }
        paw_machine::identity::machine(&machine.root, &machine.topology()).core_peak
    };
    let zen3 = || block(0, 1) + &block(1, 1);
    let known = peak(zen3(), "amd-pstate-epp").unwrap();
    assert_eq!((known.microarchitecture.as_str(), known.clock_max_hz), ("Zen 3", Some(3_500_000_000)));
    // Two units multiply and add four numbers of double precision each.
    assert_eq!((known.per_clock["fp64"], known.per_clock["fp32"]), (2.0 * 2.0 * 4.0, 2.0 * 2.0 * 8.0));
    // This driver's highest frequency leaves boost out.
    assert_eq!(peak(zen3(), "acpi-cpufreq").unwrap().clock_max_hz, None);
    assert_eq!(peak(block(0, 1) + &block(1, 0x11), "amd-pstate-epp"), None, "cores differ");
    assert_eq!(peak(block(0, 0xff) + &block(1, 0xff), "amd-pstate-epp"), None, "an unknown design");
}

#[test]
fn a_model_says_its_numbers_and_where_it_holds() {
    let [model] = &x86("GenuineIntel", 6, 0xff, 3)[..] else { panic!("one model") };
    assert_eq!((model.family, model.model, model.stepping.as_str()), (Some(6), Some(0xff), "3"));
    assert_eq!((model.name.as_str(), model.microcode.as_str()), ("A Processor", "0x2b"));
    assert_eq!(model.cpus, [0, 1]);
}

#[test]
fn arm_cores_are_told_apart_by_their_parts() {
    let machine = paper("core:3");
    let core = |cpu, part| {
        format!(
            "processor\t: {cpu}\nCPU implementer\t: 0x41\nCPU variant\t: 0x1\nCPU part\t: {part}\nCPU revision\t: 2\n\n"
        )
    };
    machine.put("proc/cpuinfo", &(core(0, "0xd87") + &core(1, "0xd85") + &core(2, "0xd09")));
    let models = read(&machine).models;
    let seen: Vec<(&str, &str, &[u32])> =
        models.iter().map(|m| (m.microarchitecture.as_str(), m.stepping.as_str(), &m.cpus[..])).collect();
    let expected: [(&str, &str, &[u32]); 3] =
        [("Arm Cortex-A725", "r1p2", &[0]), ("Arm Cortex-X925", "r1p2", &[1]), ("Arm Cortex-A73", "r1p2", &[2])];
    assert_eq!(seen, expected);
    // The name that runs have of a machine stays as it was.
    let named = identity(&machine.root, &machine.topology()).cpu;
    assert_eq!(named, "Arm Cortex-A725 + Arm Cortex-X925 + Arm part 0x41/0xd09");
}

#[test]
fn every_thread_says_where_it_lies_and_whether_it_is_available() {
    let parts = read(&paper("package:2 core:2 smt:2 affinity:0-3 efficiency:1 offline:9"));
    let seen: Vec<(u32, u32, u32, u32, bool)> =
        parts.threads.iter().map(|t| (t.cpu, t.thread, t.core, t.package, t.available)).collect();
    assert_eq!(seen[0], (0, 0, 0, 0, true));
    assert_eq!(parts.threads.iter().filter(|t| t.available).count(), 4);
    assert!(parts.threads.iter().all(|t| t.node == Some(t.package)));
    assert_eq!(parts.offline, [9]);
    assert!(parts.threads.iter().any(|t| t.kind == "efficiency") && parts.threads.iter().any(|t| t.thread == 1));
}

#[test]
fn caches_have_line_ways_sets_and_sharers() {
    let machine = paper("core:2 l3:32M/2");
    machine.put_cpus(0..2, "cache/index3/number_of_sets", "16384\n");
    let parts = read(&machine);
    let l3 = parts.caches.last().unwrap();
    assert_eq!((l3.name().as_str(), l3.size_bytes, l3.line_bytes, l3.ways), ("L3", 32 << 20, Some(64), Some(24)));
    assert_eq!((l3.sets, &l3.cpus[..]), (Some(16_384), &[0, 1][..]));
    assert_eq!(parts.caches[0].sets, None);
}

#[test]
fn adapters_know_the_processors_near_them() {
    let machine = paper("package:2 core:2");
    let gpu = "sys/bus/pci/devices/0000:41:00.0";
    machine.put(&format!("{gpu}/class"), "0x030200\n").put(&format!("{gpu}/vendor"), "0x10de\n");
    machine.put(&format!("{gpu}/device"), "0x2330\n").put(&format!("{gpu}/numa_node"), "1\n");
    machine.put(&format!("{gpu}/local_cpulist"), "2-3\n").put(&format!("{gpu}/current_link_width"), "16\n");
    machine.put(&format!("{gpu}/current_link_speed"), "32.0 GT/s PCIe\n").put(&format!("{gpu}/drm/card1/dev"), "\n");
    let network = "sys/bus/pci/devices/0000:00:03.0";
    machine.put(&format!("{network}/class"), "0x020000\n").put(&format!("{network}/virtio1/net/eth0/mtu"), "1500\n");
    machine.put(&format!("{network}/numa_node"), "-1\n");
    machine.put("sys/bus/pci/devices/0000:00:00.0/class", "0x060000\n");
    let parts = read(&machine);
    let [eth, gpu] = &parts.adapters[..] else { panic!("{:?}", parts.adapters) };
    assert_eq!((eth.class.as_str(), &eth.names[..], eth.node), ("network", &["eth0".to_owned()][..], None));
    assert_eq!((gpu.class.as_str(), gpu.id.as_str(), gpu.node), ("display", "10de:2330", Some(1)));
    assert_eq!((&gpu.cpus[..], gpu.link.as_str()), (&[2, 3][..], "32.0 GT/s PCIe × 16"));
    assert_eq!(gpu.names, ["card1"]);
    assert_eq!(eth.id, "");
}
