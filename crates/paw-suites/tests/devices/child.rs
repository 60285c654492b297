//! A process of its own for a test, with PoCL alone for a platform.

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
use pocl::{Environment, ONE};

/// Runs `body` in a process of its own that runs the test `name` alone, on PoCL with the portable kernel.
pub fn in_child(name: &str, body: impl FnOnce()) {
    in_child_with(name, ONE, body);
}

/// The same with more in its environment.
pub fn in_child_with(name: &str, environment: Environment, body: impl FnOnce()) {
    // CLBlast compiles for seconds.
    let environment = [&[("PAW_CLBLAST_LIBRARY", "none")], environment].concat();
    pocl::in_child(name, &environment, body);
}

/// The first device.
pub fn engine() -> Rc<Engine> {
    engine_of(&[0])
}

/// The devices of these numbers, which work at once.
pub fn engine_of(indexes: &[u32]) -> Rc<Engine> {
    let opened = Devices::open(Backend::OpenCl, indexes);
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
