//! A process of its own for a test, with the mock for a loader.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use paw_foreign::device::{Backend, Device, DeviceMemory, HostKind, Queue, environment, open};

/// The mock as it is by default: its driver keeps queues in order.
pub const USUAL: &[(&str, &str)] = &[];
/// A driver that leaves that to barriers.
pub const OLD: &[(&str, &str)] = &[("MOCK_LEVEL_ZERO_API", "1.3")];
/// Two devices that reach each other.
pub const TWO: &[(&str, &str)] = &[("MOCK_LEVEL_ZERO_DEVICES", "2"), ("MOCK_LEVEL_ZERO_PEER", "1")];

const IN_CHILD: &str = "PAW_TEST_LEVEL_ZERO_CHILD";

/// The shared object that cargo built for this test.
pub fn mock() -> PathBuf {
    let path = env::current_exe().expect("a test has a path").with_file_name("libmock_level_zero.so");
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
    let from_outside = |name: &str| ["ZE_", "ZES_", "NEO", "IGC_", "MOCK_"].iter().any(|begin| name.starts_with(begin));
    for (name, _) in env::vars().filter(|(name, _)| from_outside(name)) {
        command.env_remove(name);
    }
    command
        .envs(environment(Backend::LevelZero))
        .env("PAW_LEVEL_ZERO_LIBRARY", mock())
        .env("PAW_OCLOC_LIBRARY", mock());
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
    open(Backend::LevelZero, indexes).expect("the mock has them")
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

/// Memory of the device that holds `bytes`.
pub fn filled(device: &Device, queue: &Queue, bytes: &[u8]) -> DeviceMemory {
    let memory = device.memory(bytes.len()).unwrap();
    let host = device.host_memory(bytes.len(), HostKind::Pinned).unwrap();
    host.write(0, bytes).unwrap();
    queue.copy_in((&memory, 0), (&host, 0), bytes.len()).unwrap();
    queue.sync().unwrap();
    memory
}

/// What memory of the device holds.
pub fn read(device: &Device, queue: &Queue, memory: &DeviceMemory) -> Vec<u8> {
    let host = device.host_memory(memory.bytes(), HostKind::Pinned).unwrap();
    queue.copy_out((&host, 0), (memory, 0), memory.bytes()).unwrap();
    queue.sync().unwrap();
    let mut bytes = vec![0; memory.bytes()];
    host.read(0, &mut bytes).unwrap();
    bytes
}
