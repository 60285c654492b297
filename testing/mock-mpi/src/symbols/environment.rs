//! Beginning and end, versions, time, errors.

use std::env;
use std::ffi::c_int;
use std::sync::atomic::Ordering;

use super::WORLD;
use crate::abi::{Handle, THREAD_LEVELS, error_text};
use crate::address::{Address, UserPtr};
use crate::clock::now_ns;
use crate::collective::barrier;
use crate::world::{FINALIZED, INITIALIZED, abort, call, die, done, join, wait, with};

const LIBRARY: &str = concat!("mock-mpi ", env!("CARGO_PKG_VERSION"), ": the standard ABI over shared memory");

/// The level granted: what is wanted, up to what MOCK_MPI_THREADS allows.
fn granted(required: c_int) -> c_int {
    let limit = env::var("MOCK_MPI_THREADS").ok();
    let limit = limit.and_then(|name| THREAD_LEVELS.iter().find(|(level, _)| *level == name));
    required.min(limit.map_or(THREAD_LEVELS[3].1, |(_, level)| *level))
}

/// An extension of MPICH and Open MPI: whether addresses of CUDA's devices may be passed.
#[unsafe(no_mangle)]
pub extern "C" fn MPIX_Query_cuda_support() -> c_int {
    std::env::var_os("MOCK_MPI_DEVICES").is_some().into()
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Init(_argc: Address, _argv: Address) -> c_int {
    join();
    call("MPI_Init", WORLD, |_| Ok(()))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Init_thread(_argc: Address, _argv: Address, required: c_int, provided: UserPtr<c_int>) -> c_int {
    join();
    let level = granted(required);
    with(|engine| engine.thread_level = level);
    provided.set(level);
    call("MPI_Init_thread", WORLD, |_| Ok(()))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Initialized(flag: UserPtr<c_int>) -> c_int {
    flag.set(INITIALIZED.load(Ordering::Acquire).into());
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Finalized(flag: UserPtr<c_int>) -> c_int {
    flag.set(FINALIZED.load(Ordering::Acquire).into());
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Finalize() -> c_int {
    call("MPI_Finalize", WORLD, |call| {
        write_counts();
        done(barrier(with(|engine| engine.plan(call.name, WORLD))?)?);
        wait(|engine| engine.is_quiet().then_some(()));
        FINALIZED.store(true, Ordering::Release);
        Ok(())
    })
}

fn write_counts() {
    let written = with(|engine| match &engine.options.counts {
        Some(folder) => engine.counts.write(folder, engine.options.rank),
        None => Ok(()),
    });
    if let Err(error) = written {
        die(1, &format!("the folder of MOCK_MPI_COUNTS cannot be written: {error}"));
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Pcontrol(level: c_int) -> c_int {
    match level {
        0 => with(|engine| engine.counts.clear()),
        _ => write_counts(),
    }
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Abort(_comm: Handle, code: c_int) -> c_int {
    abort(code)
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Abi_get_version(major: UserPtr<c_int>, minor: UserPtr<c_int>) -> c_int {
    major.set(1);
    minor.set(0);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Get_version(version: UserPtr<c_int>, subversion: UserPtr<c_int>) -> c_int {
    version.set(5);
    subversion.set(0);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Get_library_version(text: UserPtr<u8>, length: UserPtr<c_int>) -> c_int {
    text.set_text(LIBRARY);
    length.set(LIBRARY.len() as c_int);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Get_processor_name(text: UserPtr<u8>, length: UserPtr<c_int>) -> c_int {
    call("MPI_Get_processor_name", WORLD, |_| {
        let name = with(|engine| format!("mock-node-{}", engine.options.node_of(engine.options.rank)));
        text.set_text(&name);
        length.set(name.len() as c_int);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Query_thread(provided: UserPtr<c_int>) -> c_int {
    call("MPI_Query_thread", WORLD, |_| {
        provided.set(with(|engine| engine.thread_level));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Wtime() -> f64 {
    now_ns() as f64 * 1e-9
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Wtick() -> f64 {
    1e-9
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Error_class(code: c_int, class: UserPtr<c_int>) -> c_int {
    class.set(code);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Error_string(code: c_int, text: UserPtr<u8>, length: UserPtr<c_int>) -> c_int {
    text.set_text(error_text(code));
    length.set(error_text(code).len() as c_int);
    0
}
