//! Matrix products.

use paw_data::point::Point;
use paw_measure::fault::Fault;

use crate::child::{checked, engine, in_child, start};

fn point(n: i64) -> Point {
    Point::new().with("n", n).with("devices", 1)
}

#[test]
fn products_are_right_at_odd_sizes_and_whatever_they_hold() {
    in_child("products::products_are_right_at_odd_sizes_and_whatever_they_hold", || {
        let engine = engine();
        for name in ["gpu_dgemm", "gpu_sgemm"] {
            for n in [1, 8, 100] {
                for data in ["random", "zeros", "ones"] {
                    checked(name, &point(n).with("data", data), &engine);
                }
            }
        }
    });
}

#[test]
fn products_with_transfers_are_right_and_say_by_whom() {
    in_child("products::products_with_transfers_are_right_and_say_by_whom", || {
        let check = checked("gpu_dgemm", &point(64).with("transfers", "each"), &engine());
        assert!(check.method.contains("portable kernel"), "{}", check.method);
    });
}

#[test]
fn a_type_that_the_device_lacks_is_skipped_with_a_sentence() {
    in_child("products::a_type_that_the_device_lacks_is_skipped_with_a_sentence", || {
        let Err(Fault::Missing(why)) = start("gpu_fp8gemm", &point(64), &engine()) else { panic!("OpenCL has no fp8") };
        assert!(why.contains("FP8"), "{why}");
    });
}

#[test]
fn offloaded_products_are_right_with_transfers_once_and_always() {
    in_child("products::offloaded_products_are_right_with_transfers_once_and_always", || {
        let engine = engine();
        for kernel in ["dgemm", "sgemm", "dgemv", "sgemv"] {
            for transfers in ["once", "always"] {
                let point = point(40).with("kernel", kernel).with("transfers", transfers);
                checked("offload_threshold", &point, &engine);
            }
        }
    });
}

#[test]
fn a_kernel_that_nobody_knows_is_named() {
    in_child("products::a_kernel_that_nobody_knows_is_named", || {
        let point = point(40).with("kernel", "zgemm");
        let Err(Fault::Missing(why)) = start("offload_threshold", &point, &engine()) else {
            panic!("there is no zgemm")
        };
        assert!(why.contains("zgemm") && why.contains("sgemv"), "{why}");
    });
}
