//! `paw __device-messages LIBRARY RANK`: a process that may be lost, in which an MPI library sends a message from a device's memory; or,
//! with the word `updates` behind them, updates a window there; or, for the word `collectives` in place of a library, NCCL or RCCL sends it.
//!
//! A library that does not take such addresses may end the process, and so may a driver: what would end a job ends this process.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use paw_foreign::device::{self, Backend, Device};
use paw_foreign::mpi::{Datatype, DeviceSupport, Memory, Mpi, Op, Part, Residence, ThreadLevel, Window};
use paw_foreign::nccl::{Communicator, Nccl};
use paw_suites::mpi::device_collectives::RankDevice;

use crate::exit::Code;
use crate::{print, startup};

/// The argument that makes `paw` such a process.
const WORD: &str = "__device-messages";

/// How long the process may take: a first start of a driver takes seconds.
const LIMIT: Duration = Duration::from_secs(60);

/// Bytes of the message: longer than what libraries copy through buffers of their own.
const BYTES: usize = 1 << 20;

/// Back-ends whose devices have addresses that MPI libraries take, in the order in which they are asked for devices.
const BACKENDS: [Backend; 3] = [Backend::Cuda, Backend::Hip, Backend::LevelZero];

/// The word in place of an MPI library.
const COLLECTIVES: &str = "collectives";

/// The word behind library and rank for updates of a window.
const UPDATES: &str = "updates";

/// Back-ends whose devices a library of collectives connects, in that order.
const CONNECTED: [Backend; 2] = [Backend::Cuda, Backend::Hip];

/// First parts of the variables by which a process knows that it is a rank: without them it is a job of its own.
const OF_A_RANK: &[&str] = &[
    "HYDI_",
    "HYDRA_",
    "MOCK_MPI_FILE",
    "MOCK_MPI_RANK",
    "MOCK_MPI_SIZE",
    "MPI_LOCAL",
    "MV2_COMM_",
    "OMPI_ARGV",
    "OMPI_COMM_WORLD",
    "OMPI_FILE_LOCATION",
    "OMPI_FIRST_RANKS",
    "OMPI_MCA_ess",
    "OMPI_MCA_orte",
    "OMPI_NUM_APP",
    "OMPI_UNIVERSE",
    "PALS_",
    "PMI2_",
    "PMIX_",
    "PMI_",
    "PRTE_",
    "SLURM_",
];

/// Whether this process is one.
pub fn is_asked() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == WORD)
}

/// Sends the message, and prints the device's name, or why not.
pub fn become_probe() -> ExitCode {
    let mut arguments = std::env::args_os().skip(2);
    let library = PathBuf::from(arguments.next().unwrap_or_default());
    let rank = arguments.next().and_then(|rank| rank.to_str()?.parse().ok()).unwrap_or(0);
    let tried = match arguments.next() {
        Some(_) => updated(&library, rank),
        None if library.as_os_str() == COLLECTIVES => connected(rank),
        None => right(&library, rank),
    };
    let (said, code) = match tried {
        Ok((backend, index)) => (format!("{} {index}", backend.name()), Code::Done),
        Err(why) => (why, Code::Failed),
    };
    let code = print::show(&said).map_or(Code::Io, |()| code);
    ExitCode::from(code as u8)
}

/// The device of a node's `rank`, after a message from its memory into its memory came out right.
fn right(library: &Path, rank: usize) -> Result<(Backend, u32), String> {
    let (backend, index) = chosen(&BACKENDS, rank)?;
    let device = opened(backend, index)?;
    let mpi = Mpi::start(library, ThreadLevel::Single).map_err(|why| why.to_string())?;
    if mpi.device_support(backend) != DeviceSupport::No {
        let memory = Memory::on_device(&device, 2 * BYTES, Residence::Device).map_err(|why| why.to_string())?;
        let [out, into] = [0, BYTES].map(|offset| Part::new(offset, BYTES as i32, Datatype::Byte));
        memory.write(0, &pattern());
        let sent = mpi.world().sendrecv(&memory, (out, 0), (into, 0), 0);
        sent.map_err(|why| why.to_string())?;
        if memory.read(into) != pattern() {
            return Err(format!(
                "{} delivers other bytes than were in the memory of {}{index}",
                mpi.version(),
                backend.name()
            ));
        }
    }
    mpi.finalize().map_err(|why| why.to_string())?;
    Ok((backend, index))
}

/// The device of a node's `rank`, after sums and a swap in a window in its memory came out right.
fn updated(library: &Path, rank: usize) -> Result<(Backend, u32), String> {
    let (backend, index) = chosen(&BACKENDS, rank)?;
    let device = opened(backend, index)?;
    let mpi = Mpi::start(library, ThreadLevel::Single).map_err(|why| why.to_string())?;
    if mpi.device_support(backend) != DeviceSupport::No {
        let memory = |bytes| Memory::on_device(&device, bytes, Residence::Device).map(Rc::new);
        let [own, shown] = [memory(BYTES), memory(BYTES)].map(|made| made.map_err(|why| why.to_string()));
        let (own, shown) = (own?, shown?);
        let [given, compared, fetched] = [0, 64, 128].map(|offset| Part::new(offset, 1, Datatype::Int64));
        let many = Part::new(0, (BYTES / 8) as i32, Datatype::Double);
        own.write_doubles(0, &vec![1.5; BYTES / 8]);
        shown.write_doubles(0, &vec![2.0; BYTES / 8]);
        let tried = Window::create(mpi.world(), Rc::clone(&shown)).and_then(|window| {
            window.lock_all()?;
            window.accumulate(&own, many, 0, 0, Op::Sum)?;
            window.flush(0)?;
            let sums = shown.read_doubles(many);
            // From here on the first element is an integer: 40 and 2 are 42, for which 2 is exchanged.
            shown.write_integers(0, &[40]);
            own.write_integers(0, &[2]);
            own.write_integers(compared.offset_bytes(), &[42]);
            let both = || [own.read_integers(fetched)[0], shown.read_integers(given)[0]];
            window.fetch_and_op(&own, given, fetched, 0, 0, Op::Sum)?;
            window.flush(0)?;
            let added = both();
            window.compare_and_swap(&own, given, compared, fetched, 0, 0)?;
            window.flush(0)?;
            let swapped = both();
            window.unlock_all()?;
            window.free()?;
            Ok((sums, [added, swapped]))
        });
        let (sums, integers) = tried.map_err(|why| why.to_string())?;
        if sums.iter().any(|sum| *sum != 3.5) || integers != [[40, 42], [42, 2]] {
            let (version, name) = (mpi.version(), backend.name());
            return Err(format!("{version} updates a window in the memory of {name}{index} wrongly"));
        }
    }
    mpi.finalize().map_err(|why| why.to_string())?;
    Ok((backend, index))
}

/// The device of a node's `rank`, after a sum over one rank, in its memory, came out right.
fn connected(rank: usize) -> Result<(Backend, u32), String> {
    let (backend, index) = chosen(&CONNECTED, rank)?;
    let device = opened(backend, index)?;
    let library = Nccl::open(backend)?;
    let memory = Memory::on_device(&device, 2 * BYTES, Residence::Device).map_err(|why| why.to_string())?;
    let [from, into] = [0, BYTES].map(|offset| Part::new(offset, BYTES as i32, Datatype::Byte));
    memory.write(0, &pattern());
    let summed = library.unique_id().and_then(|id| {
        let alone = Communicator::join(library, &device, (0, 1), id)?;
        alone.all_reduce(&memory, from, into)?;
        alone.wait()
    });
    summed.map_err(|why| why.to_string())?;
    if memory.read(into) != pattern() {
        let (version, name) = (library.version(), backend.name());
        return Err(format!("{version} makes of the memory of {name}{index} another sum than it should be"));
    }
    Ok((backend, index))
}

/// What is sent.
fn pattern() -> Vec<u8> {
    (0..BYTES).map(|index| (index % 251) as u8).collect()
}

/// The device of a node's `rank` by the first of these back-ends that has any: ranks take the devices in turn.
fn chosen(backends: &[Backend], rank: usize) -> Result<(Backend, u32), String> {
    let counted = backends.iter().map(|backend| (*backend, device::discover(*backend).devices.len()));
    let (backend, count) = counted.into_iter().find(|(_, count)| *count > 0).ok_or_else(|| {
        let titles: Vec<&str> = backends.iter().map(|backend| backend.title()).collect();
        let (last, first) = titles.split_last().unwrap_or((&"", &[]));
        let titles = format!("{} or {last}", first.join(", "));
        format!("no device of {titles} is here, whose memory such libraries take. hint: paw list device")
    })?;
    Ok((backend, (rank % count) as u32))
}

fn opened(backend: Backend, index: u32) -> Result<Device, String> {
    device::open(backend, &[index])?.pop().ok_or_else(|| format!("{}{index} does not open", backend.name()))
}

/// The device whose memory the node's `rank` may send by `library`, as a process of its own found out.
pub fn device_for(library: &Path, rank: usize) -> Result<Device, String> {
    named(&asked(library, &library.display().to_string(), rank, None)?)
}

/// Whether `library` updates windows in the memory of the device that the node's `rank` has, as a process of its own found out.
pub fn updates_for(library: &Path, rank: usize) -> Result<(), String> {
    asked(library, &library.display().to_string(), rank, Some(UPDATES)).map(|_| ())
}

/// The device by which the node's `rank` may take part in collectives between devices, as a process of its own found out.
pub fn collectives_for(rank: usize) -> Result<RankDevice, String> {
    let device = named(&asked(Path::new(COLLECTIVES), "the library of collectives between devices", rank, None)?)?;
    Ok(RankDevice { library: Nccl::open(device.facts().backend)?, device })
}

/// The device that the process names.
fn named(said: &str) -> Result<Device, String> {
    let named = said.split_once(' ').and_then(|(name, index)| {
        let backend = BACKENDS.into_iter().find(|backend| backend.name() == name)?;
        Some((backend, index.trim().parse().ok()?))
    });
    let (backend, index) = named.ok_or_else(|| format!("the process that tries a message names no device: {said}"))?;
    opened(backend, index)
}

/// What such a process prints where all is right.
fn asked(library: &Path, title: &str, rank: usize, word: Option<&str>) -> Result<String, String> {
    let [delivers, sends] = match word {
        None => ["deliver a message from a device's memory", "sends from a device's memory"],
        Some(_) => ["update a window in a device's memory", "updates a window in a device's memory"],
    };
    let unable = |why: &dyn std::fmt::Display| format!("whether {title} can {delivers} cannot be tried: {why}");
    let own = startup::own_file().map_err(|failure| unable(&failure))?;
    let mut command = Command::new(own);
    command.arg(WORD).arg(library).arg(rank.to_string()).args(word);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let is_of_a_rank = |name: &OsString| OF_A_RANK.iter().any(|first| name.to_string_lossy().starts_with(first));
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_a_rank(name)) {
        command.env_remove(name);
    }
    let mut child = command.spawn().map_err(|why| unable(&why))?;
    let status = ended(&mut child).map_err(|why| unable(&why))?;
    let mut said = String::new();
    if let Some(mut out) = child.stdout.take() {
        out.read_to_string(&mut said).map_err(|why| unable(&why))?;
    }
    match status {
        None => Err(format!("{title} does not {delivers} within {} s", LIMIT.as_secs())),
        Some(status) if status.success() => Ok(said),
        Some(status) if status.code() == Some(Code::Failed as i32) && !said.trim().is_empty() => {
            Err(said.trim().to_owned())
        }
        Some(status) => Err(format!(
            "{title} ends the process that {sends} ({status}), and would end the job. hint: a library built for these devices"
        )),
    }
}

/// How the process ended; nothing where it took too long and was killed.
fn ended(child: &mut Child) -> std::io::Result<Option<std::process::ExitStatus>> {
    let begun = Instant::now();
    while begun.elapsed() < LIMIT {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}
