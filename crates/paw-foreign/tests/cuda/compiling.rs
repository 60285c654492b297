//! Kernels: what only CUDA has, or says.

use paw_foreign::device::{Builtin, DeviceError, FmaKind, Grid, Source};

use crate::child::{USUAL, device, in_child};
use crate::vendor::SOURCE;

const GRID: Grid = Grid { blocks: 4, threads: 256, shared_bytes: 0 };

fn source(text: &str) -> Source {
    Source { text: text.to_owned(), name: SOURCE.to_owned(), ..Source::default() }
}

#[test]
fn a_device_without_halves_says_so() {
    in_child("compiling::a_device_without_halves_says_so", &[("MOCK_COMPUTE", "52")], || {
        let device = device();
        let Err(DeviceError::Unsupported(why)) = device.builtin(Builtin::Fma(FmaKind::F16)) else { panic!("it has") };
        assert!(why.contains("5.2") && why.contains("5.3"), "{why}");
        assert!(device.builtin(Builtin::Fma(FmaKind::F32)).is_ok());
    });
}

#[test]
fn more_shared_memory_than_usual_is_asked_for_and_counts_for_occupancy() {
    in_child("compiling::more_shared_memory_than_usual_is_asked_for_and_counts_for_occupancy", USUAL, || {
        let device = device();
        let (queue, empty) = (device.queue().unwrap(), device.builtin(Builtin::Empty).unwrap());
        let sharing = |shared_bytes: u32| Grid { shared_bytes, ..GRID };
        queue.launch(&empty, sharing(100 << 10), &[]).unwrap();
        queue.sync().unwrap();
        assert_eq!(empty.facts(256, 100 << 10).unwrap().occupancy, Some(0.25));
        let refused = queue.launch(&empty, sharing(300 << 10), &[]).unwrap_err().to_string();
        assert!(refused.contains("307200 bytes of shared memory") && refused.contains("232448 at most"), "{refused}");
    });
}

#[test]
fn kernels_that_are_loaded_when_they_first_run_are_told() {
    let lazy = [("CUDA_MODULE_LOADING", "LAZY")];
    in_child("compiling::kernels_that_are_loaded_when_they_first_run_are_told", &lazy, || {
        let remarks = device().remarks();
        assert!(remarks.iter().any(|said| said.contains("CUDA_MODULE_LOADING is not EAGER")), "{remarks:?}");
    });
}

#[test]
fn kernels_that_are_loaded_at_once_need_no_word() {
    in_child("compiling::kernels_that_are_loaded_at_once_need_no_word", USUAL, || {
        assert_eq!(device().remarks(), Vec::<String>::new());
    });
}

#[test]
fn headers_of_a_toolkit_that_a_variable_names_are_found() {
    let root = tempfile::tempdir().unwrap();
    let include = root.path().join("targets/x86_64-linux/include");
    std::fs::create_dir_all(&include).unwrap();
    std::fs::write(include.join("cuda_fp16.h"), "").unwrap();
    let home = root.path().to_str().unwrap();
    let name = "compiling::headers_of_a_toolkit_that_a_variable_names_are_found";
    in_child(name, &[("CUDA_HOME", home)], || {
        let half = "#include <cuda_fp16.h>\nextern \"C\" __global__ void half_way(__half *x) {}\n";
        device().compile(&source(half)).unwrap();
        let Err(DeviceError::Build { log }) = device().compile(&source("#include <no_such.h>\n")) else { panic!() };
        assert!(log.contains("user.cu(1)") && log.contains("no_such.h"), "{log}");
    });
}
