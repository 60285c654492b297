//! Kernels: what only HIP has, or says.

use paw_foreign::device::{Builtin, DeviceError, Grid, Source};

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
