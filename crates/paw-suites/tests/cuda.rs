//! Products by cuBLAS and cuBLASLt, on a driver without a device. Every test runs in a process of its own, because a driver looks at its
//! environment once.

use std::env;
use std::process::Command;
use std::rc::Rc;

use paw_data::outcome::CheckVerdict;
use paw_data::point::Point;
use paw_data::secondary::SecondaryMetric;
use paw_devices::devices::Devices;
use paw_foreign::device::{Backend, environment};
use paw_measure::clock::Clock;
use paw_measure::workload::Timed;
use paw_suites::Engine;
use paw_suites::benchmark::Start;

const IN_CHILD: &str = "PAW_TEST_SUITES_CUDA_CHILD";
const PRODUCTS: [&str; 7] =
    ["gpu_dgemm", "gpu_sgemm", "gpu_tf32gemm", "gpu_bf16gemm", "gpu_fp16gemm", "gpu_int8gemm", "gpu_fp8gemm"];

/// Runs `body` in a process of its own that runs the test `name` alone, with the mock for all libraries and `variables`.
fn in_child(name: &str, variables: &[(&str, &str)], body: impl FnOnce()) {
    if env::var_os(IN_CHILD).is_some() {
        return body();
    }
    let test = env::current_exe().expect("a test knows its file");
    let mock = test.with_file_name("libmock_cuda.so");
    let mut command = Command::new(test);
    command.args(["--exact", name, "--nocapture", "--test-threads", "1"]).env(IN_CHILD, "1");
    for library in ["PAW_CUDA_LIBRARY", "PAW_NVML_LIBRARY", "PAW_CUBLAS_LIBRARY", "PAW_CUBLASLT_LIBRARY"] {
        command.env(library, &mock);
    }
    let output = command.envs(environment(Backend::Cuda)).envs(variables.iter().copied()).output();
    let output = output.expect("a test can be started again");
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{told}", output.status);
    assert!(told.contains("1 passed"), "{name} is not the name of this test:\n{told}");
}

fn start(name: &str, point: &Point) -> Box<dyn Timed> {
    let devices = Devices::open(Backend::Cuda, &[0]).expect("the mock has a device");
    let engine = Rc::new(Engine::Devices(Rc::new(devices)));
    let benchmark = paw_suites::named(name).expect("it is in the catalogue");
    let start = Start { point, engine: &engine, last_cache_bytes: 1e6 };
    (benchmark.start)(&start).unwrap_or_else(|e| panic!("{name} {point}: {e}"))
}

fn point(n: i64) -> Point {
    Point::new().with("n", n).with("devices", 1)
}

#[test]
fn products_of_every_type_are_right() {
    in_child("products_of_every_type_are_right", &[], || {
        for name in PRODUCTS {
            for transfers in ["none", "each"] {
                let mut timed = start(name, &point(48).with("transfers", transfers));
                assert!(timed.time(2, &Clock::monotonic()).unwrap() > 0.0);
                let check = timed.verify().unwrap();
                assert_eq!(check.verdict, CheckVerdict::Pass, "{name} {transfers}: {check:?}");
                assert!(check.method.starts_with("cuBLAS"), "{}", check.method);
                let extra = timed.extra();
                assert!(extra.iter().any(|(name, _)| *name == SecondaryMetric::Event), "{name}: {extra:?}");
            }
        }
    });
}

#[test]
fn a_wrong_entry_of_a_device_is_found() {
    // So rarely that the self-test's copies are right; products are all wrong.
    in_child("a_wrong_entry_of_a_device_is_found", &[("MOCK_CUDA_WRONG", "100000")], || {
        for name in ["gpu_dgemm", "gpu_sgemm", "gpu_int8gemm"] {
            let check = start(name, &point(64)).verify().unwrap();
            assert_eq!(check.verdict, CheckVerdict::Fail, "{name}: {check:?}");
            assert!(!check.note.is_empty(), "{name}: {check:?}");
        }
    });
}
