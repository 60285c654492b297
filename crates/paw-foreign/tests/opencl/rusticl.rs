//! A second implementation, Mesa's Rusticl on the host's processor: no double precision, and marks without times.

use std::fs;

use paw_foreign::device::{Argument, Backend, Builtin, DeviceError, GemmKind, Grid, HostKind, discover, open};
use pocl::{RUSTICL, in_child};

use crate::opened::{device, devices, pattern};

/// A folder of Debian's three: PoCL has a device, Rusticl has one, and Clover has none.
const VENDORS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/vendors");
const ALL: &[(&str, &str)] =
    &[("OCL_ICD_VENDORS", VENDORS), ("RUSTICL_ENABLE", "llvmpipe"), ("POCL_DEVICES", "pthread")];

#[test]
fn marks_are_reported_as_they_are_even_where_they_stand_still() {
    in_child("rusticl::marks_are_reported_as_they_are_even_where_they_stand_still", RUSTICL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let memory = device.memory(1 << 20).unwrap();
        let first = queue.mark().unwrap();
        queue.fill(&memory, 1).unwrap();
        let second = queue.mark().unwrap();
        queue.sync().unwrap();
        assert_eq!(second.since_s(&first).unwrap(), 0.0, "Rusticl 22.3 stamps every command with 0");
    });
}

#[test]
fn copies_arrive_from_every_kind_of_memory_of_the_host() {
    in_child("rusticl::copies_arrive_from_every_kind_of_memory_of_the_host", RUSTICL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let memory = device.memory(4096).unwrap();
        for kind in [HostKind::Pageable, HostKind::Pinned, HostKind::Registered, HostKind::Mapped] {
            let (sent, back) = (device.host_memory(4096, kind).unwrap(), device.host_memory(4096, kind).unwrap());
            sent.write(0, &pattern(4096, 1)).unwrap();
            let gate = queue.gate().unwrap();
            queue.copy_in((&memory, 4), (&sent, 8), 4001).unwrap();
            queue.copy_out((&back, 0), (&memory, 4), 4001).unwrap();
            gate.open().unwrap();
            queue.sync().unwrap();
            let mut read = vec![0; 4001];
            back.read(0, &mut read).unwrap();
            assert!(read == pattern(4096, 1)[8..4009], "{}", kind.name());
        }
    });
}

#[test]
fn a_device_without_double_precision_computes_in_single() {
    in_child("rusticl::a_device_without_double_precision_computes_in_single", RUSTICL, || {
        let device = device();
        assert!(!device.facts().fp64, "{:?}", device.facts());
        let queue = device.queue().unwrap();
        let (a, c) = (device.memory(400).unwrap(), device.memory(400).unwrap());
        queue.fill(&a, 0x3f).unwrap();
        let grid = Grid { blocks: 2, threads: 64, shared_bytes: 0 };
        let arguments = [c.argument(), a.argument(), Argument::F32(2.0), Argument::I64(100)];
        queue.launch(&device.builtin(Builtin::Scale).unwrap(), grid, &arguments).unwrap();
        let back = device.host_memory(400, HostKind::Pinned).unwrap();
        queue.copy_out((&back, 0), (&c, 0), 400).unwrap();
        queue.sync().unwrap();
        let mut last = [0; 4];
        back.read(396, &mut last).unwrap();
        assert_eq!(f32::from_ne_bytes(last), 2.0 * f32::from_ne_bytes([0x3f; 4]));
        let refused = device.gemm_plan(&queue, GemmKind::Fp64, 16).err().expect("there is no double precision");
        assert_eq!(refused, DeviceError::Unsupported("opencl0 has no double precision".to_owned()));
    });
}

#[test]
fn devices_of_all_platforms_are_numbered_and_do_not_reach_each_other() {
    ::workplace::needs!(POCL, RUSTICL);
    fs::create_dir_all(VENDORS).unwrap();
    for file in ["pocl.icd", "rusticl.icd", "mesa.icd"] {
        fs::write(format!("{VENDORS}/{file}"), fs::read(format!("/etc/OpenCL/vendors/{file}")).unwrap()).unwrap();
    }
    in_child("rusticl::devices_of_all_platforms_are_numbered_and_do_not_reach_each_other", ALL, || {
        let found = discover(Backend::OpenCl);
        assert_eq!(found.missing, None);
        assert_eq!(found.devices.iter().map(|d| d.index).collect::<Vec<_>>(), [0, 1]);
        let both = devices(&[0, 1]);
        assert_ne!(both[0].facts().api, both[1].facts().api);
        assert!(!both[0].can_reach(&both[1]));
        let queues = both.iter().map(|device| device.queue().unwrap()).collect::<Vec<_>>();
        for (device, queue) in both.iter().zip(&queues) {
            let memory = device.memory(64).unwrap();
            queue.fill(&memory, 1).unwrap();
            queue.sync().unwrap();
        }
        // What one made means nothing to the other.
        let memory = both[0].memory(64).unwrap();
        let refused = queues[1].fill(&memory, 1).unwrap_err().to_string();
        assert!(refused.contains("knows no Memory"), "{refused}");
    });
}

#[test]
fn platforms_without_devices_are_named() {
    let none = [("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/rusticl.icd"), ("RUSTICL_ENABLE", "")];
    in_child("rusticl::platforms_without_devices_are_named", &none, || {
        let why = open(Backend::OpenCl, &[0]).err().expect("nothing is enabled");
        assert_eq!(why, "the OpenCL platforms here (rusticl) offer no device; `clinfo` shows what they look for");
    });
}
