//! Matrix products: what only cuBLAS and cuBLASLt have, or say.

use paw_foreign::device::{DeviceError, GemmKind, GemmMath, GemmOperands};

use crate::child::{between_s, device, in_child};

const N: usize = 16;

#[test]
fn the_fastest_algorithm_is_taken_and_not_the_first() {
    let slow = [("MOCK_GFLOPS", "0.05"), ("MOCK_LAUNCH_US", "0")];
    in_child("multiplying::the_fastest_algorithm_is_taken_and_not_the_first", &slow, || {
        let device = device();
        let queue = device.queue().unwrap();
        let n = 64;
        let plan = device.gemm_plan(&queue, GemmKind::Fp8, n).unwrap();
        let (a, b, c) =
            (device.memory(n * n).unwrap(), device.memory(n * n).unwrap(), device.memory(2 * n * n).unwrap());
        let seconds =
            between_s(&queue, || queue.gemm(&plan, GemmOperands { a: a.at(0), b: b.at(0), c: c.at(0) }).unwrap());
        let expected_s = 2.0 * (n * n * n) as f64 / 0.05e9;
        assert!((seconds / expected_s - 1.0).abs() < 0.2, "{seconds} s, and {expected_s} s by the fastest");
    });
}

#[test]
fn a_library_computes_as_freely_as_asked() {
    in_child("multiplying::a_library_computes_as_freely_as_asked", &[], || {
        let device = device();
        let queue = device.queue().unwrap();
        let by = |kind, math| device.gemm_plan_by(&queue, kind, math, N).map(|plan| plan.by().to_owned());
        assert_eq!(by(GemmKind::Fp64, GemmMath::Default).unwrap(), "cuBLAS 12.4.5");
        assert_eq!(by(GemmKind::Fp64, GemmMath::Pedantic).unwrap(), "cuBLAS 12.4.5, pedantic");
        assert_eq!(by(GemmKind::Fp32, GemmMath::Tensor).unwrap(), "cuBLAS 12.4.5, tensor");
        let Err(DeviceError::Unsupported(why)) = by(GemmKind::Fp64, GemmMath::Tensor) else { panic!("it has") };
        assert!(why.contains("math=default"), "{why}");
    });
}

#[test]
fn a_device_before_8_0_has_no_tf32() {
    in_child("multiplying::a_device_before_8_0_has_no_tf32", &[("MOCK_COMPUTE", "75")], || {
        let device = device();
        let queue = device.queue().unwrap();
        let Err(DeviceError::Unsupported(why)) = device.gemm_plan(&queue, GemmKind::Tf32, N) else { panic!("it has") };
        assert!(why.contains("compute capability is 7.5") && why.contains("fp32"), "{why}");
        assert!(device.gemm_plan(&queue, GemmKind::Fp32, N).is_ok());
        assert!(device.gemm_plan_by(&queue, GemmKind::Fp32, GemmMath::Tensor, N).is_err());
    });
}

#[test]
fn a_library_that_is_not_cublas_is_named() {
    in_child("multiplying::a_library_that_is_not_cublas_is_named", &[("PAW_CUBLAS_LIBRARY", "libm.so.6")], || {
        let device = device();
        let queue = device.queue().unwrap();
        let error = device.gemm_plan(&queue, GemmKind::Fp64, N).err().expect("libm multiplies no matrices");
        let why = "libm.so.6: not a cuBLAS of CUDA 11.2 or later: it has no cublasCreate_v2";
        assert_eq!(error.to_string(), why);
    });
}
