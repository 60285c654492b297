//! Matrix products, by kernels of paw's own.

use paw_foreign::device::{DeviceError, GemmKind, GemmOperands};

use crate::child::{USUAL, device, in_child};
use crate::contents::{filled, read};

fn stored(kind: GemmKind, values: &[f64]) -> Vec<u8> {
    let one = |value: &f64| match kind {
        GemmKind::Fp64 => value.to_le_bytes().to_vec(),
        _ => (*value as f32).to_le_bytes().to_vec(),
    };
    values.iter().flat_map(one).collect()
}

#[test]
fn products_are_in_both_precisions_and_column_by_column() {
    in_child("products::products_are_in_both_precisions_and_column_by_column", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        for kind in [GemmKind::Fp64, GemmKind::Fp32] {
            let put = |values: &[f64]| filled(&device, &queue, &stored(kind, values));
            // [1 3; 2 4] · [5 7; 6 8].
            let (a, b, c) = (put(&[1.0, 2.0, 3.0, 4.0]), put(&[5.0, 6.0, 7.0, 8.0]), put(&[0.0; 4]));
            let plan = device.gemm_plan(&queue, kind, 2).unwrap();
            assert_eq!(plan.by(), "portable kernel of paw");
            queue.gemm(&plan, GemmOperands { a: a.at(0), b: b.at(0), c: c.at(0) }).unwrap();
            assert_eq!(read(&device, &queue, &c), stored(kind, &[23.0, 34.0, 31.0, 46.0]), "{kind:?}");
            let (x, y) = (put(&[1.0, 10.0]), put(&[0.0; 2]));
            let by = queue.gemv(kind, 2, GemmOperands { a: a.at(0), b: x.at(0), c: y.at(0) }).unwrap();
            assert_eq!((by.as_str(), read(&device, &queue, &y)), (plan.by(), stored(kind, &[31.0, 42.0])));
        }
    });
}

#[test]
fn what_does_not_fit_is_said_in_a_sentence() {
    in_child("products::what_does_not_fit_is_said_in_a_sentence", USUAL, || {
        let device = device();
        let queue = device.queue().unwrap();
        let refused = device.gemm_plan(&queue, GemmKind::Bf16, 16).err().expect("there is no such kernel");
        assert!(refused.to_string().contains("BF16; choose FP32 or FP64"), "{refused}");
        let plan = device.gemm_plan(&queue, GemmKind::Fp64, 4).unwrap();
        let memory = device.memory(8 * 16).unwrap();
        let at = GemmOperands { a: memory.at(0), b: memory.at(0), c: memory.at(0) };
        let short = GemmOperands { c: memory.at(8), ..at };
        assert!(matches!(queue.gemm(&plan, short), Err(DeviceError::Beyond { .. })));
    });
}
