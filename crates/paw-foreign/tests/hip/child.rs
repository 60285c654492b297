//! A process of its own for a test, with the mock for a driver.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use paw_foreign::device::{Backend, Device, Queue, environment, open};

/// The mock as it is by default.
pub const USUAL: &[(&str, &str)] = &[];
/// Two devices.
pub const TWO: &[(&str, &str)] = &[("MOCK_HIP_DEVICES", "2")];

const IN_CHILD: &str = "PAW_TEST_HIP_CHILD";

/// The shared object that cargo built for this test.
pub fn mock() -> PathBuf {
    let path = env::current_exe().expect("a test has a path").with_file_name("libmock_hip.so");
    assert!(path.exists(), "{}: cargo builds it as a dev-dependency", path.display());
    path
}

/// Runs `body` in a process of its own that runs the test `name` alone, with `variables` above those that name the mock.
pub fn in_child(name: &str, variables: &[(&str, &str)], body: impl FnOnce()) {
    if env::var_os(IN_CHILD).is_some() {
        return body();
    }
    let mut command = Command::new(env::current_exe().expect("a test knows its file"));
    command.args(["--exact", name, "--nocapture", "--test-threads", "1"]).env(IN_CHILD, "1");
    let from_outside = |name: &str| {
        ["HIP_", "ROCR_", "ROCM_", "ROCBLAS", "HSA_", "GPU_", "AMD_", "MOCK_HIP_"]
            .iter()
            .any(|begin| name.starts_with(begin))
    };
    for (name, _) in env::vars().filter(|(name, _)| from_outside(name)) {
        command.env_remove(name);
    }
    command.envs(environment(Backend::Hip));
    for library in ["PAW_HIP_LIBRARY", "PAW_HIPRTC_LIBRARY", "PAW_ROCBLAS_LIBRARY"] {
        command.env(library, mock());
    }
    let output = command.envs(variables.iter().copied()).output().expect("a test can be started again");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{printed}", output.status);
    assert!(printed.contains("1 passed"), "{name} is not the name of this test:\n{printed}");
}

/// The first device.
pub fn device() -> Device {
    devices(&[0]).remove(0)
}

/// The devices of these numbers, opened together.
pub fn devices(indexes: &[u32]) -> Vec<Device> {
    open(Backend::Hip, indexes).expect("the mock has them")
}

/// Bytes that repeat nowhere near.
pub fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((i + seed).wrapping_mul(2_654_435_761) >> 7) as u8).collect()
}

/// Seconds by the device's clock between marks around what `queued` queues behind a gate.
pub fn between_s(queue: &Queue, queued: impl FnOnce()) -> f64 {
    let gate = queue.gate().unwrap();
    let from = queue.mark().unwrap();
    queued();
    let to = queue.mark().unwrap();
    gate.open().unwrap();
    queue.sync().unwrap();
    to.since_s(&from).unwrap()
}

/// Asserts that the two are within a hundredth of each other.
#[track_caller]
pub fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 0.01 * expected.abs(), "{found} is not {expected}");
}
