//! A node of devices answers every question of the suite early and ends in time, by simulated costs; devices that stand for their
//! likes are measured at every size, and one that lies apart from them is followed up.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use paw_data::cell::Cell;
use paw_data::method::Plan;
use paw_data::outcome::{Check, CheckVerdict, Status};
use paw_data::run::{ClockKind, Instrument};
use paw_data::sample::{Phase, Samples};
use paw_foreign::device::{Backend, DeviceFacts, DeviceKind, FoundDevices};
use paw_machine::root::Root;
use paw_machine::topology::Topology;
use paw_measure::campaign::{self, Producer};
use paw_measure::clock::Clock;
use paw_measure::clock::scripted::Script;
use paw_measure::fault::Fault;
use paw_measure::local::Local;
use paw_measure::method;
use paw_measure::planned::Group;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::session::Session;
use paw_measure::watch::{Control, Event, Watch};
use paw_measure::workload::Timed;
use paw_suites::catalogue;
use paw_suites::choice::ProviderChoice;
use paw_suites::device_inventory::DeviceInventory;
use paw_suites::follow_up::FollowUps;
use paw_suites::host::Host;
use paw_suites::plan::{self, Assignment, PlannedBenchmark};
use paw_suites::request::RunRequest;

/// The budget of a run of the suite, and the longest it may take in all.
const BUDGET_S: f64 = 100.0;
const LIMIT_S: f64 = 130.0;
/// Seconds to start a process and its driver, and to open a device: on a quick host, and on a slow one.
const QUICK_S: (f64, f64) = (0.5, 0.1);
const SLOW_S: (f64, f64) = (1.5, 0.7);
/// The number of a device whose link has a quarter of the others' bandwidth, where there is one.
const SLOW: u32 = 5;

fn device(index: u32) -> DeviceFacts {
    DeviceFacts {
        backend: Backend::Cuda,
        index,
        kind: DeviceKind::Gpu,
        name: "A device".to_owned(),
        bus_id: None,
        uuid: None,
        memory_bytes: 80 << 30,
        allocation_bytes: 80 << 30,
        cache_bytes: 50 << 20,
        units: 132,
        clock_hz: Some(1.98e9),
        compute: Some((9, 0)),
        unified: false,
        pageable_direct: false,
        fp64: true,
        numa_node: Some(index / 4),
        host_cpus: Vec::new(),
        link: None,
        peaks: BTreeMap::new(),
        driver: String::new(),
        api: String::new(),
        library: Default::default(),
    }
}

fn host(devices: u32) -> Host {
    let topology = Topology::read(&Root::host()).expect("this machine has processors");
    let devices = (0..devices).map(device).collect();
    let found = FoundDevices { backend: Backend::Cuda, devices, missing: None, libraries: Vec::new() };
    Host { free_bytes: 1e12, devices: DeviceInventory::of(vec![found]), ..Host::here(topology, None, Vec::new()) }
}

fn request() -> RunRequest {
    let suite = catalogue().iter().copied().filter(|b| b.common.suite == "device" && !b.common.by_name);
    RunRequest::new(suite.collect(), Plan::new(method::default(), 1, Some(BUDGET_S)), Default::default())
}

/// What a node measured: cells with their samples, when each began, and how many were measured.
#[derive(Default)]
struct Seen {
    group: BTreeMap<u32, (Cell, Samples)>,
    /// The second in which the first cell of a benchmark ended.
    ended_s: BTreeMap<String, f64>,
    /// Benchmark, size and provider of what has three samples or more.
    measured: BTreeSet<(String, String, String)>,
    cells: BTreeSet<u32>,
    /// Warm-up samples by benchmark and provider.
    warmups: BTreeMap<(String, String), usize>,
}

struct Shared<'s>(Rc<RefCell<Seen>>, &'s Session<'s>);

impl Watch for Shared<'_> {
    fn on(&mut self, event: Event<'_>) -> Control {
        let mut seen = self.0.borrow_mut();
        match event {
            Event::Begun { cell, .. } => {
                assert!(seen.cells.insert(cell.id), "the number of a cell is its own: {cell:?}");
                seen.group.retain(|_, (known, _)| known.group == cell.group);
                seen.group.insert(cell.id, (cell.clone(), Samples::default()));
            }
            Event::Sampled { cell, phase: Phase::Warmup, .. } => {
                let Cell { benchmark, provider, .. } = seen.group[&cell].0.clone();
                *seen.warmups.entry((benchmark.to_string(), provider.to_string())).or_default() += 1;
            }
            Event::Sampled { cell, phase: Phase::Measure, sample } => {
                seen.group.get_mut(&cell).expect("it has begun").1.push(sample.clone());
            }
            Event::Ended { outcome } if outcome.status == Status::Measured => {
                let (cell, samples) = seen.group[&outcome.cell].clone();
                seen.ended_s.entry(cell.benchmark.to_string()).or_insert(self.1.at_s());
                if samples.elapsed_s.len() >= 3 {
                    let size = cell.point.value("n").or(cell.point.value("bytes")).map(ToString::to_string);
                    seen.measured.insert((
                        cell.benchmark.to_string(),
                        size.unwrap_or_default(),
                        cell.provider.to_string(),
                    ));
                }
            }
            _ => {}
        }
        Control::Go
    }
}

/// Devices of these costs, on a scripted clock.
struct Node<'a> {
    script: Script,
    seen: Rc<RefCell<Seen>>,
    follow_ups: FollowUps<'a>,
    host: &'a Host,
    scene: Scene,
    /// Providers whose process was started.
    workers: BTreeSet<String>,
}

/// What is measured, and where.
#[derive(Clone, Copy)]
struct Scene {
    devices: u32,
    slow: Option<u32>,
    /// Seconds to start a process and its driver, and to open a device.
    start_s: (f64, f64),
    /// By how much of itself an operation takes longer at most.
    noise: f64,
}

impl Scene {
    fn of(devices: u32) -> Self {
        Self { devices, slow: None, start_s: QUICK_S, noise: 0.0025 }
    }
}

/// An operation of so many seconds, or longer by a part of itself.
struct Costly {
    script: Script,
    seconds: f64,
    noise: f64,
    calls: u32,
}

impl Timed for Costly {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        self.calls += 1;
        let start = clock.start();
        self.script.advance(self.seconds * loops as f64 * (1.0 + self.noise / 5.0 * f64::from(self.calls * 7 % 6)));
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.script.advance(2.0 * self.seconds);
        let verdict = CheckVerdict::Pass;
        Ok(Check { method: String::new(), error: 0.0, bound: 0.0, verdict, note: String::new(), accuracy: None })
    }
}

impl Producer for Node<'_> {
    type Job = Assignment;

    fn start(&mut self, planned: &PlannedBenchmark) -> Result<PreparedCell, Fault> {
        let cell = &planned.cell;
        let devices = planned.job.provider.devices().expect("devices work").indexes.clone();
        if self.workers.insert(cell.provider.to_string()) {
            let (driver_s, device_s) = self.scene.start_s;
            self.script.advance(driver_s + device_s * devices.len() as f64);
        }
        let host_bytes = (planned.job.benchmark.common.memory_bytes)(&cell.point);
        self.script.advance(0.02 + host_bytes / 4e9);
        let link = if self.scene.slow.is_some_and(|slow| devices.contains(&slow)) { 6e9 } else { 24e9 };
        let rate = if cell.benchmark.starts_with("device_") { 3e12 } else { link };
        let bytes = if cell.work.flops > 0.0 { 0.0 } else { cell.work.bytes };
        let seconds = 8e-6 + cell.work.flops / 3e13 + bytes / (rate * devices.len() as f64);
        let timed = Costly { script: self.script.clone(), seconds, noise: self.scene.noise, calls: 0 };
        let local = Local::new(timed, Clock::Scripted(self.script.clone()), self.instrument());
        Ok(PreparedCell::new(cell.clone(), method::default(), Box::new(local)))
    }

    fn follow_up(&mut self, next: Option<&Group<Assignment>>) -> Vec<Group<Assignment>> {
        self.follow_ups.look(self.seen.borrow().group.values());
        self.follow_ups.before(next)
    }

    fn likeness(&self, planned: &PlannedBenchmark) -> Option<String> {
        plan::likeness(planned, self.host)
    }

    fn instrument(&self) -> Instrument {
        Instrument { id: 0, clock: ClockKind::Scripted, resolution_s: 1e-9, overhead_s: 25e-9, hz: None }
    }
}

/// Measures the suite: the seconds that it takes, and what was seen.
fn measured(scene: Scene) -> (f64, Seen) {
    let (request, host, script) = (request(), host(scene.devices), Script::new(1e-9, 25e-9));
    let campaign = plan::plan(&request, &host).expect("it can be planned");
    let session = Session::alone(Clock::Scripted(script.clone()));
    let next = (campaign.cells().count() as u32, campaign.groups.len() as u32);
    let seen = Rc::new(RefCell::new(Seen::default()));
    let follow_ups = FollowUps::new(&request, &host, next);
    let mut node = Node { script, seen: Rc::clone(&seen), follow_ups, host: &host, scene, workers: BTreeSet::new() };
    campaign::run(campaign, &request.plan, &session, &mut node, &mut Shared(Rc::clone(&seen), &session));
    let seconds = session.at_s();
    (seconds, seen.take())
}

/// The benchmarks that answer the questions of the suite.
const ANSWERS: &[&str] = &[
    "gpu_in_pinned",
    "gpu_out_pinned",
    "device_triad",
    "gpu_dgemm",
    "gpu_bf16gemm",
    "device_launch",
    "device_peak_f64",
];

/// Holds that every question was answered within so many seconds, and that all ended in time.
fn answers(scene: Scene, within_s: f64) -> Seen {
    let (seconds, seen) = measured(scene);
    let devices = scene.devices;
    assert!(seconds <= LIMIT_S, "{devices} devices: {seconds} s");
    let peer = (devices > 1).then_some(&"peer_transfer");
    for benchmark in ANSWERS.iter().chain(peer) {
        let ended_s = seen.ended_s.get(*benchmark);
        assert!(ended_s.is_some_and(|s| *s < within_s), "{devices} devices, {benchmark}: {ended_s:?} of {seconds} s");
    }
    seen
}

#[test]
fn one_device_and_eight_answer_every_question_within_a_minute_and_end_in_time() {
    for devices in [1, 2, 8] {
        let seen = answers(Scene::of(devices), 60.0);
        let every =
            (0..devices).map(|index| ("gpu_in_pinned".to_owned(), "16777216".to_owned(), format!("cuda{index}")));
        every.for_each(|cell| assert!(seen.measured.contains(&cell), "{cell:?}"));
    }
}

#[test]
fn a_busy_host_whose_drivers_start_slowly_answers_every_question_too() {
    for devices in [1, 8] {
        answers(Scene { start_s: SLOW_S, noise: 1.5, ..Scene::of(devices) }, 80.0);
    }
}

#[test]
fn devices_alike_are_calibrated_once() {
    let (_, seen) = measured(Scene { noise: 0.3, ..Scene::of(8) });
    let of = |provider: &str| seen.warmups[&("gpu_out_pinned".to_owned(), provider.to_owned())];
    assert!(of("cuda0") > 5, "{}", of("cuda0"));
    // One region shows that the loops are enough. Those that stand for the others have more sizes.
    assert_eq!([1, 2, 3, 5, 6, 7].map(|index| of(&format!("cuda{index}"))), [1; 6]);
}

#[test]
fn devices_alike_are_sampled_one_for_each_part_of_the_host() {
    let (_, seen) = measured(Scene::of(8));
    let alone = |name: &str| {
        let of = seen.measured.iter().filter(|(benchmark, size, _)| benchmark == "gpu_in_pinned" && size == name);
        of.map(|(.., provider)| provider.as_str()).filter(|id| !id.contains('+')).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(alone("16777216"), "cuda0 cuda1 cuda2 cuda3 cuda4 cuda5 cuda6 cuda7");
    assert_eq!(alone("4096"), "cuda0 cuda4");
}

#[test]
fn a_device_that_lies_apart_is_measured_at_every_size_and_no_other_is() {
    let (seconds, seen) = measured(Scene { slow: Some(SLOW), ..Scene::of(8) });
    assert!(seconds <= LIMIT_S, "{seconds} s");
    let sizes = |provider: &str| {
        let of = seen.measured.iter().filter(|(benchmark, _, by)| benchmark == "gpu_in_pinned" && by == provider);
        of.count()
    };
    assert_eq!([sizes("cuda0"), sizes("cuda4"), sizes("cuda5"), sizes("cuda6")], [6, 6, 6, 1]);
}

#[test]
fn who_names_a_provider_has_every_device_and_pair() {
    let host = host(8);
    let all = RunRequest { providers: vec![ProviderChoice::Name("cuda".to_owned())], ..request() };
    let cells = |request: &RunRequest| plan::plan(request, &host).expect("it can be planned").cells().count();
    assert!(cells(&all) > 5000, "8 alone, 28 pairs and all at once, at every step: {}", cells(&all));
    assert!(cells(&request()) < 450, "{}", cells(&request()));
}
