//! The duration of MPI's initialisation: `col_init`, `col_init_th`. A process can initialise MPI once, so a job gives one sample.

use paw_data::headline::Family;
use paw_data::outcome::Check;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::{InitCall, ThreadLevel};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::collective::{COLLECTIVE, TOGETHER};
use crate::answer;
use crate::benchmark::{Benchmark, Common, Own, Providers, Start};
use crate::teamwork::{Series, Teamwork};

/// The duration of `MPI_Init`.
pub const INIT: Benchmark = Own {
    name: "col_init",
    purpose: "How long does MPI take to begin? (One sample a job.)",
    timed: "MPI_Init",
    formula: "1; one start of the library",
    work: |_| Work::default(),
    start: |start| begun(start, Call::Init),
}
.of(Common {
    family: Family::Startup,
    headline: Quantity::Time,
    providers: Providers::Mpi(Teamwork { series: Series::Once, ..TOGETHER }),
    axes: &[],
    variables: &["PAW_MPI_LIBRARY"],
    memory_bytes: |_| 0.0,
    ..COLLECTIVE
})
.aliases(&["col_init", "initest"]);

/// The duration of `MPI_Init_thread`.
pub const INIT_THREAD: Benchmark = Own {
    name: "col_init_th",
    purpose: "How long does MPI take to begin, asked for MPI_THREAD_FUNNELED? (One sample a job.)",
    timed: "MPI_Init_thread with MPI_THREAD_FUNNELED",
    formula: "1; one start of the library",
    work: |_| Work::default(),
    start: |start| begun(start, Call::InitThread),
}
.of(Common {
    providers: Providers::Mpi(Teamwork { series: Series::Once, thread_level: Some(ThreadLevel::Funneled), ..TOGETHER }),
    ..INIT.common
})
.aliases(&["col_init_th"]);

struct Startup {
    init_s: f64,
}

/// The call whose duration is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Init,
    InitThread,
}

fn begun(start: &Start<'_>, wanted: Call) -> Result<Box<dyn Timed>, Fault> {
    let world = start.engine.world()?;
    let (began, name) = match wanted {
        Call::Init => (InitCall::Init, "col_init"),
        Call::InitThread => (InitCall::InitThread(ThreadLevel::Funneled), "col_init_th"),
    };
    if world.beginning() == began {
        return Ok(Box::new(Startup { init_s: world.init_s() }));
    }
    let began = match world.beginning() {
        InitCall::Init => "MPI_Init".to_owned(),
        InitCall::InitThread(level) => format!("MPI_Init_thread for {}", level.name()),
    };
    Err(Fault::Missing(format!("this job began by {began}. hint: a job of its own, mpirun -n 2 paw run {name}")))
}

impl Timed for Startup {
    fn time(&mut self, loops: u64, _clock: &Clock) -> Result<f64, Fault> {
        // The initialisation was timed when the job began, and cannot be repeated.
        Ok(self.init_s * loops as f64)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        Ok(answer::exact("the self-test that follows every start", None))
    }
}
