//! `paw machine`: this one, one whose files were copied, and one that hwloc wrote.

use std::fs;
use std::process::{Command, Stdio};

use ::workplace::needs;
use serde_json::Value;

use crate::workplace::{Ran, Workplace};

/// Two cores with two threads each behind one cache, the last thread not allowed.
const XML: &str = r#"<?xml version="1.0"?>
<topology version="2.0">
 <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" allowed_cpuset="0x00000007">
  <info name="HostName" value="far"/><info name="Architecture" value="x86_64"/>
  <object type="Package" os_index="0" cpuset="0x0000000f">
   <info name="CPUVendor" value="AuthenticAMD"/><info name="CPUFamilyNumber" value="25"/>
   <info name="CPUModelNumber" value="17"/><info name="CPUModel" value="AMD EPYC 9654"/><info name="CPUStepping" value="1"/>
   <object type="NUMANode" os_index="0" cpuset="0x0000000f" local_memory="1073741824"/>
   <object type="L3Cache" cpuset="0x0000000f" cache_size="33554432" depth="3" cache_linesize="64" cache_associativity="16" cache_type="0">
    <object type="Core" os_index="0" cpuset="0x00000003">
     <object type="PU" os_index="0" cpuset="0x00000001"/><object type="PU" os_index="1" cpuset="0x00000002"/>
    </object>
    <object type="Core" os_index="1" cpuset="0x0000000c">
     <object type="PU" os_index="2" cpuset="0x00000004"/><object type="PU" os_index="3" cpuset="0x00000008"/>
    </object>
   </object>
  </object>
 </object>
</topology>"#;

/// What paw says of the machine, or how it refuses.
fn shown(args: &str) -> Ran {
    let workplace = Workplace::new();
    workplace.write("machine.xml", XML);
    for directory in ["copy/proc", "copy/sys/devices/system/cpu/cpu0/topology", "empty"] {
        fs::create_dir_all(workplace.path(directory)).unwrap();
    }
    workplace.write("copy/proc/cpuinfo", "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 143\nstepping : 8\nmicrocode : 0x2b000590\nmodel name : Intel(R) Xeon(R) Platinum 8480+\n");
    workplace.write("copy/sys/devices/system/cpu/cpu0/topology/core_id", "0\n");
    workplace.write("empty/file", "");
    workplace.paw_with(&[("COLUMNS", "80")], &format!("machine {args}"))
}

#[test]
fn a_machine_that_hwloc_wrote_is_shown_as_this_one_is() {
    let ran = shown("--xml machine.xml");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let parts =
        ["AMD EPYC 9654, x86_64", "Zen 4: family 25 (0x19), model 17 (0x11), stepping 1", "│ cpu 2, (3) │", "host far"];
    for part in parts {
        assert!(ran.out.contains(part), "{part} is missing:\n{}", ran.out);
    }
    for (cpu, available) in [(2, "yes"), (3, "no")] {
        let row = ran.out.lines().find(|line| line.trim_start().starts_with(&format!("{cpu}  "))).unwrap();
        assert!(row.ends_with(available), "{row}");
    }
    assert!(!ran.out.contains("warning") && !ran.out.contains("device"), "of this machine:\n{}", ran.out);
}

#[test]
fn copied_files_are_shown_as_those_of_this_machine_are() {
    let ran = shown("--sysroot copy");
    for part in [
        "Sapphire Rapids (Golden Cove): family 6, model 143 (0x8f), stepping 8, microcode 0x2b000590",
        "memory node 0: unknown",
    ] {
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(part), "{part} is missing:\n{}", ran.out);
    }
}

#[test]
fn every_format_has_every_part() {
    let json: Value = serde_json::from_str(&shown("--xml machine.xml --format json").out).unwrap();
    let parts = &json["hardware"];
    let available: Vec<bool> = parts["threads"].as_array().unwrap().iter().map(|t| t["available"] == true).collect();
    assert_eq!(available, [true, true, true, false]);
    assert_eq!((&json["identity"]["host"], &parts["models"][0]["microarchitecture"]), (&"far".into(), &"Zen 4".into()));
    assert_eq!((&parts["caches"][0]["ways"], &parts["nodes"][0]["total_bytes"]), (&16.into(), &(1 << 30).into()));
    let csv = shown("--xml machine.xml --format csv").out;
    for line in [
        "thread 3,available,false\n",
        "processor AMD EPYC 9654,stepping,1\n",
        "identity,cores,2\n",
        "L3 of cpu 0,ways,16\n",
    ] {
        assert!(csv.contains(line), "{line} is missing:\n{csv}");
    }
    assert!(shown("--xml machine.xml --format md").out.contains("### caches\n"));
    let svg = shown("--xml machine.xml --format svg").out;
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains(">core 1</text>"), "{svg}");
}

#[test]
fn what_is_no_machine_is_refused() {
    let refused = |args: &str, code: i32, part: &str| {
        let ran = shown(args);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{args}: {}", ran.err);
        assert!(ran.err.contains(part), "{args}: {}", ran.err);
    };
    refused("--xml none.xml", 7, "cannot read none.xml: No such file");
    refused("--xml copy/proc/cpuinfo", 7, "copy/proc/cpuinfo is no machine that hwloc wrote: it is no XML");
    refused("--xml machine.xml --sysroot copy", 2, "cannot be used with");
    refused("--sysroot empty", 7, "no processor is listed under empty");
}

#[test]
fn lines_keep_to_the_width_without_a_terminal_and_without_colours() {
    let workplace = Workplace::new();
    for columns in ["40", "80"] {
        let ran = workplace.paw_with(&[("COLUMNS", columns), ("NO_COLOR", "1")], "machine");
        let widest = ran.out.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(
            widest <= columns.parse().unwrap() && !ran.out.contains('\u{1b}'),
            "{widest} of {columns}:\n{}",
            ran.out
        );
    }
}

#[test]
fn a_machine_comes_from_lstopo_by_a_pipe() {
    needs!(HWLOC);
    let workplace = Workplace::new();
    let mut lstopo = Command::new("lstopo-no-graphics");
    let mut lstopo = lstopo
        .args(["-i", "package:2 l3:2 l2:4 core:1 pu:2", "--of", "xml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let ran = Ran::of(workplace.process("machine --xml - --format json").stdin(lstopo.stdout.take().unwrap()));
    assert!(lstopo.wait().unwrap().success());
    let machine: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err));
    let counts = ["packages", "cores", "threads"].map(|name| machine["identity"][name].as_u64().unwrap());
    assert_eq!(counts, [2, 16, 32]);
    let l3: Vec<usize> = machine["hardware"]["caches"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|c| c["level"] == 3)
        .map(|c| c["cpus"].as_array().unwrap().len())
        .collect();
    assert_eq!(l3, [8, 8, 8, 8]);
}
