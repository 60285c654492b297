//! A process of its own for a test, with a CUDA driver of known cost.

use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;

use paw_devices::devices::Devices;
use paw_foreign::device::{Backend, environment};
use paw_suites::Engine;

const IN_CHILD: &str = "PAW_TEST_CUDA_CHILD";

/// The shared object that cargo built for this test.
fn mock() -> PathBuf {
    let path = env::current_exe().expect("a test has a path").with_file_name("libmock_cuda.so");
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
    let from_outside = |name: &str| ["CUDA_", "NVIDIA_", "MOCK_CUDA_"].iter().any(|begin| name.starts_with(begin));
    for (name, _) in env::vars().filter(|(name, _)| from_outside(name)) {
        command.env_remove(name);
    }
    command.envs(environment(Backend::Cuda));
    for library in ["CUDA", "NVML", "CUBLAS", "CUBLASLT"] {
        command.env(format!("PAW_{library}_LIBRARY"), mock());
    }
    let output = command.envs(variables.iter().copied()).output().expect("a test can be started again");
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{told}", output.status);
    assert!(told.contains("1 passed"), "{name} is not the name of this test:\n{told}");
}

/// The devices of these numbers, which work at once.
pub fn engine(indexes: &[u32]) -> Rc<Engine> {
    let devices = Devices::open(Backend::Cuda, indexes).expect("the mock has them");
    Rc::new(Engine::Devices(Rc::new(devices)))
}
