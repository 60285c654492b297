//! The worker's side: opens cells for its parent.

use std::rc::Rc;

use paw_data::json;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::instrument;
use paw_measure::local::Local;
use paw_measure::workload::Workload;
use paw_worker::protocol::Opened;
use paw_worker::serve::{self, Channel};
use serde_json::Value;

use crate::benchmark::Start;
use crate::catalogue;
use crate::device_inventory;
use crate::engine::Engine;
use crate::memory;
use crate::spec::CellSpec;

/// Serves the parent that started this process with the hidden worker command, until the parent ends it or exits.
pub fn worker_main() -> Result<(), Fault> {
    let channel = Channel::inherited()?;
    let clock = Clock::monotonic();
    let instrument = instrument::measure(&clock);
    // The parent starts one worker for each provider and placement, so one engine serves all that is opened here.
    let mut engine: Option<Rc<Engine>> = None;
    let mut open = |value: &Value| -> Result<(Box<dyn Workload>, Opened), Fault> {
        let spec: CellSpec = json::from_value(value)
            .map_err(|e| Fault::Broken(format!("the worker does not understand its parent: {e}")))?;
        let benchmark = catalogue::named(&spec.benchmark)
            .ok_or_else(|| Fault::Broken(format!("the worker knows no benchmark {}", spec.benchmark)))?;
        let engine = match &engine {
            Some(engine) => Rc::clone(engine),
            None => Rc::clone(engine.insert(Rc::new(Engine::open(&spec)?))),
        };
        if benchmark.common.suite != memory::SUITE {
            engine.release_arrays();
        }
        let start = Start { point: &spec.point, engine: &engine, last_cache_bytes: spec.last_cache_bytes };
        let timed = (benchmark.start)(&start)?;
        let mut instrument = instrument.clone();
        instrument.id = spec.instrument;
        let note = serde_json::to_value(engine.note()).expect("a note is plain data");
        let opened = Opened { instrument: instrument.clone(), library: engine.library(), note };
        Ok((Box::new(Local::new(timed, clock.clone(), instrument)), opened))
    };
    serve::serve(channel, &mut open, device_inventory::answer)
}
