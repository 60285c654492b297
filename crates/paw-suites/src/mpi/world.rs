//! The ranks of a job: their placement, their communicators and their channel.

use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use paw_data::cell::{Library, Rank};
use paw_data::outcome::Caveat;
use paw_data::point::Point;
use paw_data::team::Team;
use paw_foreign::device::Device;
use paw_foreign::mpi::{Aborter, Comm, Implementation, InitCall, Memory, Mpi, ThreadLevel, selftest};
use paw_foreign::nccl::Communicator;
use paw_machine::topology::Topology;
use paw_measure::channel::{Channel, Reduce};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::ranks::{Detail, Ranks};
use paw_measure::starter::Starter;
use paw_measure::team::{self, Team as _};
use paw_measure::watchdog::{Armed, Guarded, Watchdog};

use super::control::Control;
use super::device_collectives::{self, DeviceCollectives, RankDevice};
use super::error::broken;
use super::message_device::MessageDevice;
use super::partner;
use super::rank_map;
use super::residence::residence;
use super::scope::Scope;
use super::window::{Flavor, Freed};
use crate::provider::Provider;
use crate::teamwork::Carrier;

/// How Open MPI makes windows where it has none for the network.
const WINDOWS_OF_MESSAGES: &str = ". hint: mpirun --mca osc pt2pt …, or OMPI_MCA_osc=pt2pt, makes windows of messages";

/// The ranks of a job, as one of them sees it.
pub struct World {
    mpi: &'static Mpi,
    comm: Comm,
    pub(super) team: Ranks<Guarded<Control>>,
    pub(super) starter: Rc<Starter>,
    pub(super) watchdog: Rc<Watchdog>,
    begun: MpiStartup,
    rank_map: Vec<Rank>,
    /// The ranks of this node, if the plan measures collectives of one node; else all ranks.
    node: Comm,
    /// The run's directory, once it is known.
    directory: OnceCell<PathBuf>,
    /// The device whose memory messages use.
    device: MessageDevice,
    /// The device by which this rank takes part in collectives between devices.
    device_collectives: DeviceCollectives,
    /// Files made there so far.
    files: Cell<u32>,
    /// Set once the library's windows have passed their test.
    windows: OnceCell<()>,
    /// Whether ranks take turns on processors.
    pub(super) is_oversubscribed: bool,
    /// How many ranks share this machine's memory.
    ranks_here: usize,
    /// How many ranks there are on a node, at least and at most.
    per_node: [usize; 2],
}

/// Expected seconds to show a run and write its report, of which the watchdog allows twenty times as much: a run of 100,000 cells
/// takes some seconds, and a loaded file system some more.
const REPORT_S: f64 = 1.5;

/// How MPI was initialised, and how long that took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MpiStartup {
    /// The call.
    pub by: InitCall,
    /// Its duration in seconds.
    pub init_s: f64,
}

/// Whether the ranks of a node get a communicator of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeComm {
    /// They do: collectives over the ranks of one node are measured.
    Split,
    /// They do not: no collective of a single node is in the plan.
    Unasked,
}

impl World {
    /// All ranks of `mpi`. Measured and internal messages both use MPI_COMM_WORLD, one after the other on every rank: once Open MPI has
    /// made another communicator, every message takes some 20 ns longer.
    pub fn of(
        mpi: &'static Mpi,
        begun: MpiStartup,
        topology: &Topology,
        name: &str,
        detail: Detail,
        nodes: NodeComm,
        watchdog: Rc<Watchdog>,
    ) -> Result<Self, Fault> {
        let armed = watchdog.arm();
        let comm = mpi.world();
        let channel = Guarded::new(Control::new(comm)?, Rc::clone(&watchdog));
        let mut team = Ranks::new(channel.clone()).keeping(detail);
        let starter = Rc::new(Starter::new(Rc::new(channel), Clock::monotonic()));
        let rank_map = rank_map::gather(starter.channel(), rank_map::of_process(comm.rank(), name, topology))?;
        let mut neighbours = rank_map::per_node(&rank_map, comm.size());
        starter.channel().broadcast(&mut neighbours)?;
        let ranks_here = neighbours[comm.rank()] as usize;
        if ranks_here < comm.size() {
            team = team.on_node(name);
        }
        let mut oversubscribed = [f64::from(u8::from(rank_map::oversubscribed(&rank_map).is_some()))];
        starter.channel().broadcast(&mut oversubscribed)?;
        let is_oversubscribed = oversubscribed[0] == 1.0;
        let node = match nodes {
            NodeComm::Split => comm.split_shared().map_err(broken)?,
            NodeComm::Unasked => comm,
        };
        let mut per_node = [-(node.size() as f64), node.size() as f64];
        starter.channel().reduce(&mut per_node, Reduce::Max)?;
        let per_node = per_node.map(|ranks| ranks.abs() as usize);
        let (directory, windows) = (OnceCell::new(), OnceCell::new());
        drop(armed);
        Ok(Self {
            mpi,
            comm,
            team,
            starter,
            watchdog,
            begun,
            rank_map,
            node,
            directory,
            device: MessageDevice::unasked(),
            device_collectives: DeviceCollectives::unasked(),
            files: Cell::new(0),
            windows,
            is_oversubscribed,
            ranks_here,
            per_node,
        })
    }

    /// Seconds of MPI's initialisation.
    pub fn init_s(&self) -> f64 {
        self.begun.init_s
    }

    /// The call that initialised MPI.
    pub fn beginning(&self) -> InitCall {
        self.begun.by
    }

    /// Refuses `benchmark` if threads must not call MPI at the same time.
    pub fn needs_multiple(&self, benchmark: &str) -> Result<(), Fault> {
        if self.mpi.level() >= ThreadLevel::Multiple {
            return Ok(());
        }
        Err(Fault::Missing(format!(
            "{benchmark} needs MPI_THREAD_MULTIPLE, which slows everything else. hint: a job of its own, mpirun -n 2 paw run {benchmark}"
        )))
    }

    /// Refuses `benchmark` if a rank has fewer processors than threads. Rank 0 decides; the other ranks learn it when they agree.
    pub fn needs_processors(&self, benchmark: &str, threads: usize) -> Result<(), Fault> {
        let refused = |why| Err(Fault::Missing(format!("{benchmark} needs a processor for every thread: {why}")));
        rank_map::too_few_processors(&self.rank_map, threads).map_or(Ok(()), refused)
    }

    /// This rank's number, from 0.
    pub fn rank(&self) -> usize {
        self.comm.rank()
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.comm.size()
    }

    /// How many ranks share this node's memory.
    pub fn ranks_here(&self) -> usize {
        self.ranks_here
    }

    /// How many ranks the largest node holds.
    pub fn ranks_of_a_node(&self) -> usize {
        self.per_node[1]
    }

    /// What ends all ranks, from any thread.
    pub fn aborter(&self) -> Aborter {
        self.mpi.aborter()
    }

    /// Arms the watchdog for as long as the result lives.
    pub fn armed(&self) -> Armed {
        self.watchdog.arm()
    }

    /// Refuses, on every rank, a plan that differs from rank 0's: a node's variables or files may change the plan of one command line.
    pub fn agree_on_plan(&self, fingerprint: u64) -> Result<(), Fault> {
        let is_same = self.roots_number(fingerprint)? == fingerprint;
        let other = "its plan is not that of rank 0; give all nodes the same PAW variables and the same paw.toml";
        self.team.agree(if is_same { Ok(()) } else { Err(Fault::Missing(other.to_owned())) })
    }

    /// The communicator of all ranks.
    pub fn comm(&self) -> Comm {
        self.comm
    }

    /// The communicator of a collective of this scope. All nodes must have as many ranks, or there is no single result.
    pub(crate) fn comm_of(&self, scope: Scope) -> Result<Comm, Fault> {
        match (scope, self.per_node) {
            (Scope::World, _) => Ok(self.comm),
            (Scope::Node, [1, _]) => Err(Fault::Missing(
                "a node holds one rank, and a collective of a node needs two. hint: --set scope=world".to_owned(),
            )),
            (Scope::Node, [least, most]) if least < most => Err(Fault::Missing(format!(
                "nodes hold {least} to {most} ranks, so a collective of a node has no single cost. hint: start as many on every node"
            ))),
            (Scope::Node, _) => Ok(self.node),
        }
    }

    /// A window in which every rank shows `shown` bytes, and `own` bytes beside it, where `point` wants both; before the first, the library's
    /// windows are tested. All ranks have the memory, or none goes on to make the window, which all make together.
    pub fn window(&self, point: &Point, shown: usize, own: usize) -> Result<(Freed, Rc<Memory>), Fault> {
        if self.windows.get().is_none() {
            selftest::window_test(self.mpi).map_err(|error| self.windowless(error.to_string()))?;
            self.windows.get_or_init(|| ());
        }
        let ours = || Flavor::of(point).is_ours().then(|| self.memory_at(point, shown)).transpose();
        let made = self.memory_at(point, own).and_then(|own| Ok((own, ours()?)));
        self.team.agree(made.as_ref().map(|_| ()).map_err(Clone::clone))?;
        let (own, ours) = made?;
        Ok((Freed::create(self.comm, point, shown, ours)?, own))
    }

    /// As [`window`](Self::window), for sums and swaps, which libraries do not make in every memory.
    pub fn updated_window(&self, point: &Point, shown: usize, own: usize) -> Result<(Freed, Rc<Memory>), Fault> {
        residence(point).map_or(Ok(()), |_| self.device.updates())?;
        self.window(point, shown, own)
    }

    /// Windows that the library does not make. Open MPI 4.1 then has no component for this network, unless it is told to take the one
    /// that works over messages.
    fn windowless(&self, why: String) -> Fault {
        let is_known = self.mpi.family() == Implementation::OpenMpi && why.contains("MPI_Win_create");
        Fault::Broken(why + if is_known { WINDOWS_OF_MESSAGES } else { "" })
    }

    /// The team by which ranks agree.
    pub fn team(&self) -> &dyn team::Team {
        &self.team
    }

    /// Memory for messages, every page touched.
    pub fn memory(&self, bytes: usize) -> Result<Rc<Memory>, Fault> {
        Memory::new(bytes).map(Rc::new).map_err(|error| Fault::Missing(error.to_string()))
    }

    /// The ranks as the run records them, with the pairs of team `id`; complete on rank 0, the only one that records.
    pub fn recorded_team(&self, id: u32, launcher: &str) -> Team {
        Team {
            id,
            launcher: launcher.to_owned(),
            library: Some(self.library()),
            thread_level: format!("{:?}", self.mpi.level()).to_lowercase(),
            ranks: rank_map::paired(&self.rank_map, partner::pairing(id)),
        }
    }

    /// The caveats of every number of these ranks at that point.
    pub fn caveats(&self, point: &Point) -> Vec<Caveat> {
        let of_device = residence(point).and_then(|_| self.device.caveat());
        rank_map::oversubscribed(&self.rank_map).into_iter().chain(of_device).collect()
    }

    /// Whether ranks take turns on processors, on every rank.
    pub fn is_oversubscribed(&self) -> bool {
        self.is_oversubscribed
    }

    /// Rank 0's number, on every rank.
    pub fn roots_number(&self, mine: u64) -> Result<u64, Fault> {
        let mut bytes = mine.to_le_bytes();
        self.starter.channel().broadcast_bytes(&mut bytes, 0)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Rank 0's text, on every rank.
    pub fn roots_text(&self, mine: String) -> Result<String, Fault> {
        let text = self.starter.channel().share(mine.into_bytes(), 0)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The same ranks, whose messages may use memory of this device, and update windows there or not; `name` is this node's.
    pub fn with_device(
        self,
        found: Result<Device, String>,
        updates: Result<(), String>,
        name: &str,
    ) -> Result<Self, Fault> {
        let device = MessageDevice::agreed(found, updates, name, (&self.team, self.starter.channel()))?;
        Ok(Self { device, ..self })
    }

    /// The same ranks, whose devices communicate where every rank has one of its own; `name` is this node's.
    pub fn with_device_collectives(self, found: Result<RankDevice, String>, name: &str) -> Result<Self, Fault> {
        let device_collectives = DeviceCollectives::agreed(found, name, &self.team, self.starter.channel())?;
        Ok(Self { device_collectives, ..self })
    }

    /// The ranks' devices as they communicate.
    pub fn device_collectives(&self) -> &DeviceCollectives {
        &self.device_collectives
    }

    /// This rank of the devices' communicator, which all ranks join when it is first asked for.
    pub(crate) fn device_communicator(&self) -> Result<Rc<Communicator>, Fault> {
        if !self.device_collectives.is_joined() {
            self.watchdog.expect(device_collectives::JOINING_S);
        }
        self.device_collectives.communicator(&self.team, self.starter.channel())
    }

    /// Memory for messages where `point` wants it, every page touched.
    pub fn memory_at(&self, point: &Point, bytes: usize) -> Result<Rc<Memory>, Fault> {
        match residence(point) {
            None => self.memory(bytes),
            Some(residence) => self.device.memory(self.mpi, bytes, residence),
        }
    }

    /// Names the run's directory, in which benchmarks of files make theirs.
    pub fn keep_files_in(&self, directory: &Path) {
        self.directory.get_or_init(|| directory.to_owned());
    }

    /// The path that `make` has on rank 0, given the run's directory and the number of paths before; its fault on every rank.
    pub(crate) fn roots_path(&self, make: impl FnOnce(&Path, u32) -> Result<PathBuf, Fault>) -> Result<PathBuf, Fault> {
        let unknown = || Fault::Missing("this job has no directory for files".to_owned());
        let number = || self.files.replace(self.files.get() + 1);
        let of_root = || self.directory.get().ok_or_else(unknown).and_then(|path| make(path, number()));
        let made = (self.rank() == 0).then(of_root);
        let (path, why) = match made {
            Some(Ok(path)) => (path.to_string_lossy().into_owned(), String::new()),
            Some(Err(fault)) => (String::new(), fault.to_string()),
            None => (String::new(), String::new()),
        };
        let (path, why) = (self.roots_text(path)?, self.roots_text(why)?);
        if why.is_empty() { Ok(PathBuf::from(path)) } else { Err(Fault::Missing(why)) }
    }

    /// The small messages by which ranks agree, for use where nothing is timed.
    pub(crate) fn channel(&self) -> &dyn Channel {
        self.starter.channel()
    }

    /// The library that carries what is measured, as the run records it.
    pub fn carrying_library(&self, carrier: Carrier) -> Library {
        match carrier {
            Carrier::Mpi => self.library(),
            Carrier::Devices => self.device_collectives.library().unwrap_or_else(|| self.library()),
        }
    }

    /// The MPI library as the run records it.
    pub fn library(&self) -> Library {
        Library {
            path: self.mpi.path().display().to_string(),
            version: self.mpi.version().to_owned(),
            core: format!("{:?}", self.mpi.abi()),
            threads: 1,
        }
    }

    /// The library as a provider.
    pub fn provider(&self) -> Provider {
        Provider::library(self.mpi.name().to_owned(), self.mpi.path())
    }

    /// Rank 0's exit code on every rank, once it has written its report; no message follows but those of [`World::finalize`].
    pub fn roots_code(&self, code: u64) -> Result<u64, Fault> {
        // A rank with trouble of its own does not wait for the report.
        let waits_for_report = self.rank() > 0 && self.watchdog.trouble().is_none();
        self.watchdog.expect(if waits_for_report { REPORT_S } else { 0.0 });
        self.roots_number(code)
    }

    /// Finalises MPI, under the watchdog.
    pub fn finalize(&self) -> Result<(), Fault> {
        self.watchdog.expect(0.0);
        let _armed = self.watchdog.arm();
        self.device_collectives.leave();
        self.mpi.finalize().map_err(broken)
    }
}
