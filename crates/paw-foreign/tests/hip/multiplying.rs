//! Matrix products: what only rocBLAS says.

use paw_foreign::device::GemmKind;

use crate::child::{device, in_child};

const N: usize = 16;

#[test]
fn a_library_that_is_not_rocblas_is_named() {
    in_child("multiplying::a_library_that_is_not_rocblas_is_named", &[("PAW_ROCBLAS_LIBRARY", "libm.so.6")], || {
        let device = device();
        let queue = device.queue().unwrap();
        let error = device.gemm_plan(&queue, GemmKind::Fp64, N).err().expect("libm multiplies no matrices");
        let why = "libm.so.6: not a rocBLAS of ROCm 5 or later: it has no rocblas_create_handle";
        assert_eq!(error.to_string(), why);
    });
}
