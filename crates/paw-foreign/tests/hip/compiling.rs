//! Kernels: what only HIP has, or says.

use std::env;

use paw_foreign::device::{Builtin, DeviceError, GemmKind, Grid, HostKind, Source};

use crate::child::{USUAL, device, in_child};
use crate::vendor::SOURCE;

const GRID: Grid = Grid { blocks: 4, threads: 256, shared_bytes: 0 };

fn source(text: &str) -> Source {
    Source { text: text.to_owned(), name: SOURCE.to_owned(), ..Source::default() }
}

#[test]
fn more_shared_memory_than_there_is_is_refused_and_less_counts_for_occupancy() {
    in_child("compiling::more_shared_memory_than_there_is_is_refused_and_less_counts_for_occupancy", USUAL, || {
        let device = device();
        let (queue, empty) = (device.queue().unwrap(), device.builtin(Builtin::Empty).unwrap());
        let sharing = |shared_bytes: u32| Grid { shared_bytes, ..GRID };
        queue.launch(&empty, sharing(32 << 10), &[]).unwrap();
        queue.sync().unwrap();
        assert_eq!(empty.facts(256, 32 << 10).unwrap().occupancy, Some(0.25));
        let refused = queue.launch(&empty, sharing(100 << 10), &[]).unwrap_err().to_string();
        assert!(refused.contains("102400 bytes of shared memory") && refused.contains("65536 at most"), "{refused}");
    });
}

#[test]
fn headers_of_an_installation_that_a_variable_names_are_found() {
    let root = tempfile::tempdir().unwrap();
    let include = root.path().join("include/hip");
    std::fs::create_dir_all(&include).unwrap();
    ["hip_runtime.h", "hip_fp16.h"].iter().for_each(|header| std::fs::write(include.join(header), "").unwrap());
    let home = root.path().to_str().unwrap();
    in_child("compiling::headers_of_an_installation_that_a_variable_names_are_found", &[("ROCM_PATH", home)], || {
        let half = "#include <hip/hip_fp16.h>\nextern \"C\" __global__ void half_way(__half *x) {}\n";
        device().compile(&source(half)).unwrap();
        let Err(DeviceError::Build { log }) = device().compile(&source("#include <no_such.h>\n")) else { panic!() };
        assert!(log.contains("user.hip:1:1") && log.contains("no_such.h"), "{log}");
    });
}

#[test]
fn without_its_compiler_a_device_copies_and_says_what_it_lacks() {
    let nowhere = ("PAW_HIPRTC_LIBRARY", "/nowhere/libhiprtc.so.6");
    in_child("compiling::without_its_compiler_a_device_copies_and_says_what_it_lacks", &[nowhere], || {
        let device = device();
        let caps = device.caps();
        assert!(caps.marks && caps.pool && !caps.gate && !caps.mapped);
        let said = device.remarks().join("; ");
        assert!(said.contains("did not compile") && said.contains("/nowhere/libhiprtc.so.6"), "{said}");
        let (queue, memory) = (device.queue().unwrap(), device.memory(100).unwrap());
        queue.fill(&memory, 1).unwrap();
        queue.sync().unwrap();
    });
}

/// Architectures, and the types that their matrix cores multiply.
const MATRIX_CORES: &[(&str, &[GemmKind])] = &[
    ("gfx908:sramecc+:xnack-", &[GemmKind::Bf16, GemmKind::Fp16, GemmKind::Int8]),
    ("gfx90a:sramecc+:xnack-", &[GemmKind::Fp64, GemmKind::Bf16, GemmKind::Fp16, GemmKind::Int8]),
    ("gfx942:sramecc+:xnack-", &[GemmKind::Fp64, GemmKind::Bf16, GemmKind::Fp16, GemmKind::Int8, GemmKind::Fp8]),
    ("gfx950", &[GemmKind::Fp64, GemmKind::Bf16, GemmKind::Fp16, GemmKind::Int8, GemmKind::Fp8]),
    ("gfx1030", &[]),
    ("gfx1100", &[GemmKind::Bf16, GemmKind::Fp16, GemmKind::Int8]),
    ("gfx1201", &[GemmKind::Bf16, GemmKind::Fp16, GemmKind::Int8, GemmKind::Fp8]),
];

/// The compiler of the tests refuses an instruction that the architecture has not, as clang does.
#[test]
fn matrix_cores_count_their_multiplications_and_what_they_have_not_is_said() {
    const NAME: &str = "compiling::matrix_cores_count_their_multiplications_and_what_they_have_not_is_said";
    let checked = || {
        let architecture = env::var("MOCK_HIP_ARCHITECTURE").unwrap();
        let (_, has) = MATRIX_CORES.iter().find(|(name, _)| *name == architecture).unwrap();
        let short = architecture.split(':').next().unwrap_or_default();
        for kind in GemmKind::ALL {
            match device().builtin(Builtin::Matrix(kind)) {
                Ok(_) => {
                    assert_eq!((has.contains(&kind), counted(kind)), (true, Builtin::matrix_multiplications(kind)))
                }
                Err(DeviceError::Unsupported(why)) => assert!(!has.contains(&kind) && why.contains(short), "{why}"),
                Err(other) => panic!("{architecture}, {kind:?}: {other}"),
            }
        }
    };
    for (architecture, _) in MATRIX_CORES {
        in_child(NAME, &[("MOCK_ARCHITECTURE", architecture)], checked);
    }
}

/// What the last thread of a launch leaves.
fn counted(kind: GemmKind) -> u32 {
    let device = device();
    let (queue, kernel) = (device.queue().unwrap(), device.builtin(Builtin::Matrix(kind)).unwrap());
    let bytes = if kind == GemmKind::Fp64 { 8 } else { 4 };
    let last = (GRID.blocks as usize * 256 - 1) * bytes;
    let (sums, host) = (device.memory(last + bytes).unwrap(), device.host_memory(bytes, HostKind::Pinned).unwrap());
    queue.launch(&kernel, GRID, &[sums.argument()]).unwrap();
    queue.copy_out((&host, 0), (&sums, last), bytes).unwrap();
    queue.sync().unwrap();
    let mut found = [0; 8];
    host.read(0, &mut found[..bytes]).unwrap();
    let word = found[..4].try_into().unwrap();
    match kind {
        GemmKind::Fp64 => f64::from_ne_bytes(found) as u32,
        GemmKind::Int8 => u32::from_ne_bytes(word),
        _ => f32::from_ne_bytes(word) as u32,
    }
}
