//! A call into the kernel, and a look at a clock: `system_call`, `timer_read`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::AxisValue;
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::system::{TimeSource, parent};

use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};
use crate::engine::Engine;

/// Seconds of a system call that does next to nothing.
pub const SYSTEM_CALL: Benchmark = Own {
    name: "system_call",
    purpose: "What does it cost to enter the kernel and leave it?",
    timed: "getppid, by libc's syscall(), which asks the kernel every time; with the mitigations that the kernel was booted with",
    formula: "1; one call",
    work: |_| Work::default(),
    start: |start| Ok(service(start, Service::Call)),
}
.of(super::COST);

/// Seconds of a reading of a clock.
pub const TIMER_READ: Benchmark = Own {
    name: "timer_read",
    purpose: "What does it cost to read a clock?",
    timed: "clock_gettime, or an instruction that reads the processor's counter",
    formula: "1; one reading",
    work: |_| Work::default(),
    start: |start| {
        let name = start.point.text(axis::TIMER).unwrap_or(TimeSource::Monotonic.name());
        let known = TimeSource::all().into_iter().find(|source| source.name() == name);
        let source = known.ok_or_else(|| Fault::Missing(format!("`{name}` is no clock of this processor")))?;
        Ok(service(start, Service::Read(source)))
    },
}
.of(Common { axes: &[TIMER], ..super::COST });

const TIMER: Axis = Axis {
    name: axis::TIMER,
    meaning: "the clock: the system's by its name, or the processor's counter (rdtscp, cntvct_el0)",
    values: Values::Machine(|_| TimeSource::all().iter().map(|source| AxisValue::from(source.name())).collect()),
};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
enum Service {
    Call,
    Read(TimeSource),
}

struct Asked {
    engine: Rc<Engine>,
    service: Service,
    /// Whether every reading of the clock was at or after the one before.
    is_forward: bool,
}

fn service(start: &Start<'_>, service: Service) -> Box<dyn Timed> {
    Box::new(Asked { engine: Rc::clone(start.engine), service, is_forward: true })
}

impl Timed for Asked {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        self.engine.native()?.pool.run_on_caller(|| ());
        let start = clock.start();
        match self.service {
            Service::Call => (0..loops).for_each(|_| {
                std::hint::black_box(parent());
            }),
            Service::Read(source) => self.is_forward &= source.read(loops),
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let (method, wrong) = match self.service {
            Service::Call => {
                let (found, expected) = (parent(), i64::from(std::os::unix::process::parent_id()));
                ("the parent's number", (found != expected).then(|| format!("{found} is not {expected}")))
            }
            // The time of day may be set back while it is read.
            Service::Read(source) => {
                let is_right = self.is_forward && source.read(1000) || source == TimeSource::Realtime;
                ("the clock goes forward", (!is_right).then(|| format!("{} went backwards", source.name())))
            }
        };
        Ok(answer::exact(method, wrong))
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }
}
