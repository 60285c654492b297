//! A process of its own for a test, with the mock for a driver.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use paw_foreign::device::{Device, HostKind, Queue, environment, open};

use crate::vendor::{BACKEND, FAMILIES, LIBRARIES, MOCK, PREFIX};

/// The mock as it is by default.
pub const USUAL: &[(&str, &str)] = &[];
/// Two devices.
pub const TWO: &[(&str, &str)] = &[("MOCK_DEVICES", "2")];

const IN_CHILD: &str = "PAW_TEST_GPU_CHILD";

/// The shared object that cargo built for this test.
pub fn mock() -> PathBuf {
    let path = env::current_exe().expect("a test has a path").with_file_name(MOCK);
    assert!(path.exists(), "{}: cargo builds it as a dev-dependency", path.display());
    path
}

/// Runs `body` in a process of its own that runs the test `name` alone, with `variables` above those that name the mock. A variable
/// `MOCK_…` is the mock's own, behind its prefix.
pub fn in_child(name: &str, variables: &[(&str, &str)], body: impl FnOnce()) {
    if env::var_os(IN_CHILD).is_some() {
        return body();
    }
    let mut command = Command::new(env::current_exe().expect("a test knows its file"));
    command.args(["--exact", name, "--nocapture", "--test-threads", "1"]).env(IN_CHILD, "1");
    let from_outside = |name: &str| FAMILIES.iter().chain([&PREFIX]).any(|begin| name.starts_with(begin));
    for (name, _) in env::vars().filter(|(name, _)| from_outside(name)) {
        command.env_remove(name);
    }
    command.envs(environment(BACKEND)).envs(LIBRARIES.iter().map(|variable| (variable, mock())));
    let own = |name: &str| name.strip_prefix("MOCK_").map_or(name.to_owned(), |rest| format!("{PREFIX}{rest}"));
    let variables = variables.iter().map(|(name, value)| (own(name), value));
    let output = command.envs(variables).output().expect("a test can be started again");
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
    open(BACKEND, indexes).expect("the mock has them")
}

/// Bytes that repeat nowhere near.
pub fn pattern(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((i + seed).wrapping_mul(2_654_435_761) >> 7) as u8).collect()
}

/// Asserts that bytes come back from the device as they were sent, from `offset` on.
pub fn there_and_back(device: &Device, kind: HostKind, bytes: usize, offset: usize) {
    let queue = device.queue().unwrap();
    let (from, to) = (device.host_memory(bytes + offset, kind).unwrap(), device.host_memory(bytes, kind).unwrap());
    let memory = device.memory(bytes + offset).unwrap();
    let sent = pattern(bytes, offset);
    from.write(offset, &sent).unwrap();
    queue.copy_in((&memory, offset), (&from, offset), bytes).unwrap();
    queue.copy_out((&to, 0), (&memory, offset), bytes).unwrap();
    queue.sync().unwrap();
    let mut back = vec![0; bytes];
    to.read(0, &mut back).unwrap();
    assert_eq!(back, sent, "{kind:?}, {bytes} bytes, {offset} on");
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
