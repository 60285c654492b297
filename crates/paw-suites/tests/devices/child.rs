//! A process of its own for a test, with PoCL alone for a platform.

use std::env;
use std::process::Command;
use std::rc::Rc;

use paw_data::outcome::{Check, CheckVerdict};
use paw_data::point::Point;
use paw_devices::devices::Devices;
use paw_foreign::device::Backend;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_suites::Engine;
use paw_suites::benchmark::Start;

const IN_CHILD: &str = "PAW_TEST_DEVICE_CHILD";
/// Where Debian's PoCL registers itself.
const POCL: &str = "/etc/OpenCL/vendors/pocl.icd";
/// Variables that would reach the loader, PoCL or paw from outside.
const CLEARED: &[&str] = &["OPENCL_DYLIB_PATH", "PAW_OPENCL_LIBRARY", "OCL_ICD_FILENAMES", "POCL_DEVICES"];

/// Runs `body` in a process of its own that runs the test `name` alone, on PoCL with the portable kernel.
pub fn in_child(name: &str, body: impl FnOnce()) {
    if env::var_os(IN_CHILD).is_some() {
        return body();
    }
    let test = env::current_exe().expect("a test knows its file");
    let mut command = Command::new(test);
    command.args(["--exact", name, "--nocapture", "--test-threads", "1"]).env(IN_CHILD, "1");
    CLEARED.iter().for_each(|cleared| {
        command.env_remove(cleared);
    });
    // Kernels are compiled once for all tests; CLBlast compiles for seconds.
    command.env("POCL_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/pocl"));
    command.env("OCL_ICD_VENDORS", POCL).env("PAW_CLBLAST_LIBRARY", "none");
    let output = command.output().expect("a test can be started again");
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {}\n{told}", output.status);
    assert!(told.contains("1 passed"), "{name} is not the name of this test:\n{told}");
}

/// The first device.
pub fn engine() -> Rc<Engine> {
    let opened = Devices::open(Backend::OpenCl, &[0]);
    let devices = opened.expect("PoCL is installed: apt-get install pocl-opencl-icd ocl-icd-libopencl1");
    Rc::new(Engine::Devices(Rc::new(devices)))
}

/// The benchmark of that name, started at `point`.
pub fn start(name: &str, point: &Point, engine: &Rc<Engine>) -> Result<Box<dyn Timed>, Fault> {
    let benchmark = paw_suites::named(name).unwrap_or_else(|| panic!("{name} is no benchmark"));
    (benchmark.start)(&Start { point, engine, last_cache_bytes: 1e6 })
}

/// What checking the benchmark finds, after a timed region.
pub fn checked(name: &str, point: &Point, engine: &Rc<Engine>) -> Check {
    let mut timed = start(name, point, engine).unwrap_or_else(|e| panic!("{name} {point}: {e}"));
    let elapsed_s = timed.time(2, &Clock::monotonic()).unwrap_or_else(|e| panic!("{name} {point}: {e}"));
    assert!(elapsed_s > 0.0, "{name} {point}: {elapsed_s}");
    let check = timed.verify().unwrap_or_else(|e| panic!("{name} {point}: {e}"));
    assert_eq!(check.verdict, CheckVerdict::Pass, "{name} {point}: {check:?}");
    check
}
