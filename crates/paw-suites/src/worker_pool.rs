//! The workers of a campaign: one process for each provider and placement, started on first use.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

use paw_foreign::blas::environment;
use paw_foreign::device;
use paw_measure::fault::Fault;
use paw_worker::protocol::Opened;
use paw_worker::remote::RemoteWorkload;
use paw_worker::worker::{Deadlines, Idle, Launch, Worker};

use crate::choice::WorkerEnvironment;
use crate::placement::Placement;
use crate::plan::PlannedBenchmark;
use crate::provider::Provider;
use crate::request::RunRequest;
use crate::spec::CellSpec;

/// The workers of a campaign.
pub struct WorkerPool {
    program: std::path::PathBuf,
    args: Vec<String>,
    remove: Vec<String>,
    last_cache_bytes: f64,
    deadline: Duration,
    workers: HashMap<String, PooledWorker>,
    /// Ids of workers that have opened a cell before.
    proven: HashSet<u32>,
}

struct PooledWorker {
    worker: Rc<RefCell<Worker>>,
    instrument: u32,
}

impl WorkerPool {
    /// A pool without workers.
    pub fn new(request: &RunRequest, last_cache_bytes: f64) -> Self {
        let remove = match request.environment {
            WorkerEnvironment::Inherited => Vec::new(),
            WorkerEnvironment::Clean => paw_machine::environment::steering(&paw_machine::environment::current()),
        };
        let (program, args) = request.worker.clone();
        Self {
            program,
            args,
            remove,
            last_cache_bytes,
            deadline: request.deadline,
            workers: HashMap::new(),
            proven: HashSet::new(),
        }
    }

    /// The variables of the workers' environment that steer libraries.
    pub fn environment(&self) -> Vec<(String, String)> {
        let steering = environment::STEERING.iter().map(|variable| variable.name);
        let kept = steering.filter(|name| !self.remove.iter().any(|removed| removed == name));
        kept.filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?))).collect()
    }

    /// Opens a cell in the worker of its provider and placement.
    pub fn open(&mut self, planned: &PlannedBenchmark, provider: &Provider) -> Result<(RemoteWorkload, Opened), Fault> {
        let (worker, instrument) = self.member(provider, &planned.job.placement)?;
        let spec = CellSpec {
            benchmark: planned.cell.benchmark.to_string(),
            point: planned.cell.point.clone(),
            library: provider.library.clone(),
            devices: provider.devices.clone(),
            threads: planned.job.placement.threads,
            cpus: planned.job.placement.cpus.clone(),
            last_cache_bytes: self.last_cache_bytes,
            instrument,
        };
        let spec = serde_json::to_value(spec).expect("a spec is plain data");
        let first = RemoteWorkload::open(&worker, &spec);
        // A worker that has opened a cell before does not fail because of its environment.
        let unproven = provider.library.as_deref().filter(|_| !self.proven.contains(&instrument));
        let fallbacks = unproven.map(environment::fallback_environments).unwrap_or_default();
        let opened = fallbacks.into_iter().fold(first, |opened, set| match opened {
            Err(Fault::Broken(_)) => {
                worker.borrow_mut().restart_with(&set)?;
                RemoteWorkload::open(&worker, &spec)
            }
            settled => settled,
        });
        if opened.is_ok() {
            self.proven.insert(instrument);
        }
        opened
    }

    /// Ends the processes of all workers, so that cells opened next are in fresh ones.
    pub fn end_processes(&mut self) {
        self.workers.values().for_each(|member| member.worker.borrow_mut().end());
    }

    fn member(&mut self, provider: &Provider, placement: &Placement) -> Result<(Rc<RefCell<Worker>>, u32), Fault> {
        let key = format!("{:?} {:?} {} {:?}", provider.library, provider.devices, placement.threads, placement.cpus);
        if let Some(member) = self.workers.get(&key) {
            return Ok((Rc::clone(&member.worker), member.instrument));
        }
        let worker = Rc::new(RefCell::new(Worker::start(self.launch(provider, placement))?));
        let instrument = self.workers.len() as u32;
        self.workers.insert(key, PooledWorker { worker: Rc::clone(&worker), instrument });
        Ok((worker, instrument))
    }

    fn launch(&self, provider: &Provider, placement: &Placement) -> Launch {
        // Drivers compile kernels on first use, and a library has hundreds of them.
        let drivers = if provider.devices.is_some() { 3 } else { 1 };
        let set = match (&provider.devices, &provider.library) {
            (Some(set), _) => device::environment(set.backend),
            (None, Some(_)) => environment::environment_for(placement.threads),
            (None, None) => Vec::new(),
        };
        Launch {
            name: provider.name.clone(),
            program: self.program.clone(),
            args: self.args.clone(),
            set,
            remove: self.remove.clone(),
            // The engine binds itself: a library's threads must inherit the set, our own pool pins each thread.
            cpus: Vec::new(),
            deadlines: Deadlines { open: self.deadline * drivers, ..Deadlines::default() },
            // Libraries let their threads spin for a while after a call; a stopped process cannot.
            idle: Idle::Stopped,
        }
    }
}
