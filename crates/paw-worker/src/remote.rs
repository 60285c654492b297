//! A workload that runs in a worker.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use paw_data::outcome::{Caveat, Check};
use paw_data::run::Instrument;
use paw_measure::fault::Fault;
use paw_measure::workload::{Reading, Workload};
use serde_json::Value;

use crate::protocol::{Opened, Reply, Request};
use crate::worker::Worker;

/// A workload that runs in a worker. Several may share one worker, each timed while the others rest.
#[derive(Debug)]
pub struct RemoteWorkload {
    worker: Rc<RefCell<Worker>>,
    handle: u64,
    generation: u64,
    instrument: Instrument,
    activity: Activity,
    per_loop_s: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Activity {
    Resumed,
    Paused,
}

impl RemoteWorkload {
    /// Opens what `spec` describes in `worker`, which is restarted if it has died, so that a crash costs one workload only. The
    /// worker's factory defines the meaning of `spec`.
    pub fn open(worker: &Rc<RefCell<Worker>>, spec: &Value) -> Result<(RemoteWorkload, Opened), Fault> {
        let mut process = worker.borrow_mut();
        if process.dead().is_some() {
            process.restart()?;
        }
        let opened = process.open(spec);
        process.rest();
        let (handle, opened) = opened?;
        let workload = Self {
            worker: Rc::clone(worker),
            handle,
            generation: process.generation(),
            instrument: opened.instrument.clone(),
            activity: Activity::Paused,
            per_loop_s: None,
        };
        Ok((workload, opened))
    }

    /// Asks within `deadline`; a workload whose worker died stays dead.
    fn ask(&self, request: &Request, deadline: Duration) -> Result<Reply, Fault> {
        let mut worker = self.worker.borrow_mut();
        if worker.generation() != self.generation {
            let name = &worker.launch().name;
            return Err(Fault::Broken(format!("{name}: this workload ended with the process it was opened in")));
        }
        worker.ask(request, deadline)
    }

    fn ask_slowly(&self, request: &Request) -> Result<Reply, Fault> {
        let deadline = self.worker.borrow().launch().deadlines.open;
        self.ask(request, deadline)
    }

    fn done(&self, request: &Request) -> Result<(), Fault> {
        match self.ask_slowly(request)? {
            Reply::Done => Ok(()),
            other => Err(self.worker.borrow_mut().confused(&other)),
        }
    }

    /// How long a sample may take, from what the last one took.
    fn sample_deadline(&self, loops: u64) -> Duration {
        let deadlines = self.worker.borrow().launch().deadlines;
        let Some(per_loop_s) = self.per_loop_s else { return deadlines.open };
        let expected = Duration::try_from_secs_f64(per_loop_s * loops as f64 * deadlines.sample_factor);
        deadlines.sample.max(expected.unwrap_or(Duration::MAX))
    }

    fn switch(&mut self, to: Activity) {
        let current = self.worker.borrow().generation() == self.generation;
        if self.activity != to && current {
            let mut worker = self.worker.borrow_mut();
            match to {
                Activity::Resumed => worker.enter(),
                Activity::Paused => worker.leave(),
            }
        }
        self.activity = to;
    }
}

impl Workload for RemoteWorkload {
    fn resume(&mut self) -> Result<(), Fault> {
        self.switch(Activity::Resumed);
        self.done(&Request::Resume { handle: self.handle })
    }

    fn sample(&mut self, loops: u64) -> Result<Option<Reading>, Fault> {
        let request = Request::Sample { handle: self.handle, loops };
        match self.ask(&request, self.sample_deadline(loops))? {
            Reply::Sampled(reading) => {
                let reading = reading.map(Reading::from);
                self.per_loop_s = reading.as_ref().map(|reading| reading.elapsed_s / loops.max(1) as f64);
                Ok(reading)
            }
            other => Err(self.worker.borrow_mut().confused(&other)),
        }
    }

    fn pause(&mut self) {
        // An error shows at the next request, and must not stop other cells.
        self.done(&Request::Pause { handle: self.handle }).ok();
        self.switch(Activity::Paused);
    }

    fn renew(&mut self) -> Result<(), Fault> {
        self.done(&Request::Renew { handle: self.handle })
    }

    fn instrument(&self) -> Instrument {
        self.instrument.clone()
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        match self.ask_slowly(&Request::Verify { handle: self.handle })? {
            Reply::Checked(check) => Ok(check),
            other => Err(self.worker.borrow_mut().confused(&other)),
        }
    }

    fn caveats(&self) -> Vec<Caveat> {
        let reply = self.ask_slowly(&Request::Caveats { handle: self.handle });
        self.worker.borrow_mut().rest();
        match reply {
            Ok(Reply::Caveats(caveats)) => caveats,
            Ok(other) => {
                self.worker.borrow_mut().confused(&other);
                Vec::new()
            }
            // A dead worker's fault is reported elsewhere.
            Err(_) => Vec::new(),
        }
    }
}

impl Drop for RemoteWorkload {
    fn drop(&mut self) {
        let alive = self.worker.borrow().dead().is_none();
        if alive {
            self.done(&Request::Close { handle: self.handle }).ok();
        }
        self.switch(Activity::Paused);
        self.worker.borrow_mut().rest();
    }
}
