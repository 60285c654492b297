//! hwloc as a witness: what it makes of a machine's files is what is made of them here, and its XML is read back.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use paw_data::machine::hardware::Hardware;
use paw_machine::cpuset::CpuSet;
use paw_machine::hardware::hardware;
use paw_machine::root::Root;
use paw_machine::topology::hwloc_xml::{self, XmlMachine};
use paw_machine::topology::{CacheKind, NumaNode, Topology};
use workplace::needs;

use crate::paper::paper;

const LSTOPO: &str = "lstopo-no-graphics";

/// hwloc's XML of the machine under `root`, which is this one where there is none.
fn lstopo(root: Option<&Path>) -> String {
    let mut command = Command::new(LSTOPO);
    command.args(["--of", "xml", "--no-collapse"]);
    if let Some(root) = root {
        command.env("HWLOC_FSROOT", root).env("HWLOC_COMPONENTS", "linux,stop").env("HWLOC_DUMPED_HWDATA_DIR", root);
    }
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

/// Writes the mask beside every list of processors: hwloc reads masks alone.
fn with_masks(directory: &Path) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            with_masks(&path);
        }
        let mask = match name.as_str() {
            "shared_cpu_list" => "shared_cpu_map",
            "cpulist" => "cpumap",
            "thread_siblings_list" => "thread_siblings",
            "core_siblings_list" => "core_siblings",
            _ => continue,
        };
        let set: CpuSet = fs::read_to_string(&path).unwrap().parse().unwrap();
        let word = |w: u32| (0..32).filter(|bit| set.contains(32 * w + bit)).fold(0_u32, |bits, bit| bits | 1 << bit);
        let words = set.last().map_or(1, |last| last / 32 + 1);
        let text: Vec<String> = (0..words).rev().map(|w| format!("{:08x}", word(w))).collect();
        fs::write(path.with_file_name(mask), text.join(",") + "\n").unwrap();
    }
}

/// Sets of processors that share a core, a package, a cache or a node, and what those are.
type Shape = BTreeSet<(String, CpuSet)>;

fn shape(topology: &Topology) -> Shape {
    let cores = topology.cores.iter().map(|c| (format!("core {:?}", c.id), c.cpus.clone()));
    let packages = topology.packages.iter().map(|p| (format!("package {:?}", p.id), p.cpus.clone()));
    let caches = topology.caches.iter().map(|c| (format!("{} {}", c.name(), c.size_bytes), c.cpus.clone()));
    // hwloc writes no distance of a single node from itself.
    let distances = |n: &NumaNode| if topology.nodes.len() > 1 { format!("{:?}", n.distances) } else { String::new() };
    let node = |n: &NumaNode| (format!("node {} {} {}", n.number, n.visible_bytes, distances(n)), n.cpus.clone());
    let nodes = topology.nodes.iter().map(node);
    cores.chain(packages).chain(caches).chain(nodes).collect()
}

fn check(spec: &str) {
    let machine = paper(spec);
    with_masks(&machine.root.path("/"));
    let (own, witness) = (machine.topology(), hwloc_xml::read(&lstopo(Some(&machine.root.path("/")))).unwrap());
    assert_eq!(own.online(), witness.topology.online(), "{spec}");
    let (own, other) = (shape(&own), shape(&witness.topology));
    let apart: Vec<_> = own.symmetric_difference(&other).collect();
    assert_eq!(apart, Vec::<&(String, CpuSet)>::new(), "{spec}");
}

#[test]
fn hwloc_makes_the_same_of_a_machine() {
    needs!(HWLOC);
    check("package:2 core:4 smt:2 l2:1M/1 l3:16M/2");
    check("package:2 node:2 core:4 l3:32M/4 distance:32");
    check("core:6 smt:2 efficiency:8");
    check("package:2 core:4 numbering:interleaved stride:2");
    check("package:4 core:9 smt:4 numbering:adjacent l2:512K/3");
    check("core:2 l3:0K/1");
}

#[test]
fn a_mask_that_contradicts_its_list_is_what_hwloc_believes_too() {
    needs!(HWLOC);
    let machine = paper("core:4 l2:1M/2");
    with_masks(&machine.root.path("/"));
    machine.put_cpus(0..4, "cache/index2/shared_cpu_list", "0-3\n");
    let witness = hwloc_xml::read(&lstopo(Some(&machine.root.path("/")))).unwrap();
    assert_eq!(shape(&machine.topology()), shape(&witness.topology));
}

#[test]
fn hwloc_sees_this_machine_as_it_is_seen_here() {
    needs!(HWLOC);
    let own = Topology::read(&Root::host()).unwrap();
    let witness = hwloc_xml::read(&lstopo(None)).unwrap();
    // Inside a container hwloc lists what is allowed, and free memory moves.
    let sets = |topology: &Topology| -> Vec<CpuSet> { topology.cores.iter().map(|c| c.cpus.clone()).collect() };
    if own.allowed() == own.online() {
        assert_eq!(sets(&own), sets(&witness.topology));
        let caches = |topology: &Topology| -> BTreeSet<(u32, CacheKind, u64, CpuSet)> {
            topology.caches.iter().map(|c| (c.level, c.kind, c.size_bytes, c.cpus.clone())).collect()
        };
        assert_eq!(caches(&own), caches(&witness.topology));
    }
    let models = hardware(&Root::host(), &own).models;
    let numbers = |parts: &Hardware| parts.models.first().map(|m| (m.family, m.model, m.stepping.clone()));
    if models.first().is_some_and(|model| model.family.is_some()) {
        assert_eq!(numbers(&witness.hardware), models.first().map(|m| (m.family, m.model, m.stepping.clone())));
        assert_eq!(witness.hardware.models[0].microarchitecture, models[0].microarchitecture);
    }
}

/// Two packages of a core with two threads, a network adapter, distances, and kinds of core.
const XML: &str = r#"<?xml version="1.0"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
 <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000001f" allowed_cpuset="0x00000007">
  <info name="HostName" value="far"/><info name="Architecture" value="x86_64"/><info name="OSRelease" value="6.1"/>
  <object type="Package" os_index="0" cpuset="0x00000003">
   <info name="CPUVendor" value="AuthenticAMD"/><info name="CPUFamilyNumber" value="25"/>
   <info name="CPUModelNumber" value="17"/><info name="CPUModel" value="AMD EPYC 9654"/><info name="CPUStepping" value="1"/>
   <object type="NUMANode" os_index="0" cpuset="0x00000003" local_memory="1073741824"/>
   <object type="L3Cache" cpuset="0x00000003" cache_size="33554432" depth="3" cache_linesize="64" cache_associativity="16" cache_type="0">
    <object type="Core" os_index="7" cpuset="0x00000003">
     <object type="PU" os_index="0" cpuset="0x00000001"/><object type="PU" os_index="1" cpuset="0x00000002"/>
    </object>
   </object>
   <object type="Bridge" bridge_type="0-1">
    <object type="PCIDev" pci_busid="0000:41:00.0" pci_type="0207 [15b3:101b] [15b3:0007] 00" pci_link_speed="31.507692">
     <object type="OSDev" name="ib0" osdev_type="2"/>
    </object>
   </object>
  </object>
  <object type="Package" os_index="1" cpuset="0x0000000c">
   <object type="NUMANode" os_index="1" cpuset="0x0000000c" local_memory="2147483648"/>
   <object type="Core" os_index="7" cpuset="0x0000000c">
    <object type="PU" os_index="2" cpuset="0x00000004"/><object type="PU" os_index="3" cpuset="0x00000008"/>
   </object>
  </object>
 </object>
 <distances2 type="NUMANode" nbobjs="2" kind="5" name="NUMALatency" indexing="os">
  <indexes length="4">0 1 </indexes><u64values length="8">10 32 </u64values><u64values length="8">32 10 </u64values>
 </distances2>
 <cpukind cpuset="0x00000003"><info name="LinuxCapacity" value="1024"/></cpukind>
 <cpukind cpuset="0x0000000c"><info name="LinuxCapacity" value="700"/></cpukind>
</topology>"#;

#[test]
fn every_fact_of_the_xml_arrives() {
    let XmlMachine { machine, hardware, topology } = hwloc_xml::read(XML).unwrap();
    let identity = &machine.identity;
    assert_eq!((identity.host.as_str(), identity.cpu.as_str()), ("far", "AMD EPYC 9654"));
    assert_eq!((identity.packages, identity.cores, identity.threads, identity.memory_bytes), (2, 2, 4, 3 << 30));
    assert_eq!(identity.fingerprint, "");
    assert_eq!(hardware.models[0].microarchitecture, "Zen 4");
    assert_eq!(hardware.models[0].cpus, [0, 1]);
    assert_eq!(hardware.nodes[1].distances[&0], 32);
    let available: Vec<u32> = hardware.threads.iter().filter(|t| t.available).map(|t| t.cpu).collect();
    assert_eq!((available, &hardware.offline[..]), (vec![0, 1, 2], &[4][..]));
    assert_eq!(topology.kinds.len(), 2);
    let [adapter] = &hardware.adapters[..] else { panic!("{:?}", hardware.adapters) };
    assert_eq!((adapter.class.as_str(), adapter.id.as_str(), adapter.node), ("network", "15b3:101b", Some(0)));
    assert_eq!((&adapter.names[..], adapter.link.as_str()), (&["ib0".to_owned()][..], "31.5 GB/s"));
    let l3 = &hardware.caches[0];
    assert_eq!((l3.name().as_str(), l3.ways, &l3.cpus[..]), ("L3", Some(16), &[0, 1][..]));
}

#[test]
fn what_is_no_machine_is_refused_in_one_sentence() {
    let refusal = |text: &str| hwloc_xml::read(text).unwrap_err().to_string();
    assert!(refusal("processors: 4").starts_with("it is no XML"));
    assert_eq!(refusal("<svg/>"), "its outermost element is <svg>, where hwloc writes <topology>");
    assert_eq!(refusal("<topology/>"), "it has no object of type PU, so no hardware thread");
    let bad = refusal("<topology><object type=\"PU\" os_index=\"0\" cpuset=\"zero\"/></topology>");
    assert_eq!(bad, "PU has the set \"zero\", which is no bit mask");
    for text in ["", "<", "<!DOCTYPE t [<!ENTITY a \"&a;\">]><topology>&a;</topology>", "\0"] {
        assert!(!refusal(text).contains('\n'), "{text}");
    }
}

#[test]
fn an_object_without_numbers_is_no_harm() {
    let bare = "<topology><object type=\"Machine\"><object type=\"PU\" os_index=\"3\"/><object type=\"L2Cache\"/></object></topology>";
    let read = hwloc_xml::read(bare).unwrap();
    assert_eq!((read.topology.cores.len(), read.topology.packages.len(), read.topology.nodes.len()), (1, 1, 1));
    assert_eq!(read.machine.identity.cpu, "unknown processor");
}
