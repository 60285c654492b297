//! The engine of a worker: paw's own code on a thread pool, a library, ranks or devices.

use std::cell::RefCell;
use std::rc::Rc;

use paw_data::cell::Library;
use paw_devices::devices::Devices;
use paw_foreign::blas::identity::Identity;
use paw_foreign::blas::{Blas, Integers};
use paw_measure::fault::Fault;
use paw_native::affinity;
use paw_native::pool::ThreadPool;
use paw_native::stream::StreamArrays;

use crate::mpi::world::World;
use crate::spec::{CellSpec, LibraryNote};

/// The library, native code or devices that do the work inside a worker.
pub enum Engine {
    /// paw's own code.
    Native(Native),
    /// A library opened at run time.
    Library(Box<OpenLibrary>),
    /// The ranks of the job this process belongs to.
    Ranks(Rc<World>),
    /// Devices.
    Devices(Rc<Devices>),
}

/// paw's own code, and the threads it runs on.
pub struct Native {
    /// Pinned threads; the calling thread is the first.
    pub pool: ThreadPool,
    /// STREAM's three arrays, shared by its four kernels.
    pub arrays: RefCell<Option<Rc<RefCell<StreamArrays>>>>,
}

/// An opened library and its identity.
pub struct OpenLibrary {
    /// The library's calls.
    pub blas: Blas,
    /// The library's identity.
    pub identity: Identity,
    cpus: Vec<u32>,
    threads: u32,
}

/// paw's own code in this process, on these processors (an empty list: one unpinned thread), for tests and for programs that embed
/// the catalogue.
pub fn local(cpus: &[u32]) -> Result<Rc<Engine>, Fault> {
    Ok(Rc::new(Engine::Native(Native::on(cpus, cpus.len().max(1) as u32)?)))
}

impl Engine {
    /// The engine a spec asks for; opens the library, sets its threads and calls it once.
    pub fn open(spec: &CellSpec) -> Result<Engine, Fault> {
        if let Some(set) = &spec.devices {
            return Ok(Engine::Devices(Rc::new(Devices::open(set.backend, &set.indexes)?)));
        }
        let Some(path) = &spec.library else {
            return Ok(Engine::Native(Native::on(&spec.cpus, spec.threads)?));
        };
        // The library's threads inherit this mask: the whole set, so that they do not share one processor.
        if !spec.cpus.is_empty() {
            let unable = |e| Fault::Broken(format!("the worker cannot stay on its processors: {e}"));
            affinity::pin(&spec.cpus).map_err(unable)?;
        }
        let blas = Blas::open(path).map_err(|e| Fault::Missing(e.to_string()))?;
        blas.set_threads(spec.threads);
        let identity = blas.identity();
        Ok(Engine::Library(Box::new(OpenLibrary { blas, identity, cpus: spec.cpus.clone(), threads: spec.threads })))
    }

    /// The engine of a library that is open, on any processors.
    #[cfg(test)]
    pub fn of(blas: Blas) -> Engine {
        let identity = blas.identity();
        Engine::Library(Box::new(OpenLibrary { blas, identity, cpus: Vec::new(), threads: 1 }))
    }

    /// paw's own code; a fault if the engine is another.
    pub fn native(&self) -> Result<&Native, Fault> {
        match self {
            Engine::Native(native) => Ok(native),
            Engine::Library(_) | Engine::Ranks(_) | Engine::Devices(_) => {
                Err(Fault::Broken("this benchmark is measured with paw's own code only".to_owned()))
            }
        }
    }

    /// The ranks of the job; a fault if the engine is another.
    pub fn world(&self) -> Result<&Rc<World>, Fault> {
        match self {
            Engine::Ranks(world) => Ok(world),
            Engine::Native(_) | Engine::Library(_) | Engine::Devices(_) => {
                Err(Fault::Broken("this benchmark is measured by ranks that an MPI launcher started".to_owned()))
            }
        }
    }

    /// The devices; a fault if the engine is another.
    pub fn devices(&self) -> Result<&Rc<Devices>, Fault> {
        match self {
            Engine::Devices(devices) => Ok(devices),
            Engine::Native(_) | Engine::Library(_) | Engine::Ranks(_) => {
                Err(Fault::Broken("this benchmark is measured on devices".to_owned()))
            }
        }
    }

    /// Runs `work` with a pool on the engine's processors: the engine's own, or one that ends with the call.
    pub fn with_pool<R>(&self, work: impl FnOnce(&ThreadPool) -> R) -> Result<R, Fault> {
        match self {
            Engine::Native(native) => Ok(work(&native.pool)),
            Engine::Library(opened) => Ok(work(&pool(&opened.cpus, opened.threads)?)),
            Engine::Ranks(_) | Engine::Devices(_) => Ok(work(&pool(&[], 1)?)),
        }
    }

    /// Kernel thread ids of the threads that do the work.
    pub fn threads(&self) -> Vec<i32> {
        match self {
            Engine::Native(native) => native.pool.tids(),
            Engine::Library(_) => thread_ids(),
            // The calling thread does the work, whatever threads the library has.
            Engine::Ranks(_) | Engine::Devices(_) => Vec::new(),
        }
    }

    /// Frees STREAM's arrays once no workload holds them: other suites need the memory.
    pub fn release_arrays(&self) {
        if let Engine::Native(native) = self {
            native.arrays.take();
        }
    }

    /// The library as the run records it; `None` for paw's own code.
    pub fn library(&self) -> Option<Library> {
        match self {
            Engine::Native(_) => None,
            Engine::Library(opened) => Some(Library {
                path: opened.identity.path.clone(),
                version: opened.identity.version.clone(),
                core: opened.identity.core.clone(),
                threads: opened.identity.threads,
            }),
            Engine::Ranks(world) => Some(world.library()),
            Engine::Devices(devices) => {
                let facts = devices.first().facts();
                Some(Library {
                    path: facts.library.display().to_string(),
                    version: format!("{}, driver {}", facts.api, facts.driver),
                    core: facts.name.clone(),
                    threads: devices.all().len() as u32,
                })
            }
        }
    }

    /// Facts for the diagnosis beyond [`Engine::library`].
    pub fn note(&self) -> LibraryNote {
        match self {
            Engine::Native(_) | Engine::Ranks(_) | Engine::Devices(_) => LibraryNote::default(),
            Engine::Library(opened) => LibraryNote {
                family: opened.identity.family.name().to_owned(),
                threading: opened.identity.threading.clone(),
                integer_bits: if opened.identity.integers == Integers::Bits64 { 64 } else { 32 },
            },
        }
    }
}

/// A pool with a thread on each of `cpus`; without `cpus`, `threads` unpinned threads.
fn pool(cpus: &[u32], threads: u32) -> Result<ThreadPool, Fault> {
    let pool = if cpus.is_empty() { ThreadPool::unpinned(threads as usize) } else { ThreadPool::new(cpus) };
    pool.map_err(|e| Fault::Broken(e.to_string()))
}

impl Native {
    fn on(cpus: &[u32], threads: u32) -> Result<Native, Fault> {
        Ok(Native { pool: pool(cpus, threads)?, arrays: RefCell::default() })
    }

    /// Pins the calling thread to the first processor of the pool, for code that runs on one thread.
    pub fn sit(&self) {
        self.pool.wake();
    }
}

/// Kernel ids of all threads of this process.
fn thread_ids() -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}
