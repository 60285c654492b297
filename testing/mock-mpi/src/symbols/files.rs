//! Files: those of the system, read and written where the caller says; what is collective is so in name only.

use std::ffi::{OsStr, c_int};
use std::fs::OpenOptions;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;

use super::{WORLD, tell};
use crate::abi::{Class, FILE_NULL, Handle, MODE_RDWR, Status, extent};
use crate::address::{Address, UserPtr};
use crate::request::Outcome;
use crate::world::{call, with};

/// Bytes of a path at most, with the zero that ends it.
const PATH_BYTES: usize = 4096;

/// The text at an address, without the zero that ends it.
fn text(address: Address) -> Result<Vec<u8>, Class> {
    let mut bytes = Vec::new();
    while bytes.len() < PATH_BYTES {
        match address.at(bytes.len()).view(1) {
            [0] => return Ok(bytes),
            more => bytes.extend_from_slice(more),
        }
    }
    Err(Class::Arg)
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_File_open(
    comm: Handle,
    path: Address,
    mode: c_int,
    _info: Handle,
    file: UserPtr<Handle>,
) -> c_int {
    call("MPI_File_open", comm, |_| {
        if mode != MODE_RDWR {
            return Err(Class::Arg);
        }
        let path = text(path)?;
        let opened = OpenOptions::new().read(true).write(true).open(OsStr::from_bytes(&path));
        let opened = opened.map_err(|_| Class::NoSuchFile)?;
        file.set(with(|engine| engine.files.insert(opened)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_File_close(file: UserPtr<Handle>) -> c_int {
    call("MPI_File_close", WORLD, |_| {
        with(|engine| engine.files.remove(file.value())).ok_or(Class::File)?;
        file.set(FILE_NULL);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_File_set_errhandler(file: Handle, _handler: Handle) -> c_int {
    call("MPI_File_set_errhandler", WORLD, |_| with(|engine| engine.files.get(file).map(|_| ()).ok_or(Class::File)))
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_File_sync(file: Handle) -> c_int {
    call("MPI_File_sync", WORLD, |_| {
        with(|engine| engine.files.get(file).ok_or(Class::File)?.sync_data().map_err(|_| Class::Other))
    })
}

/// Reads as many bytes as there are, from `at` on.
fn read(file: Handle, at: i64, into: Address, bytes: usize) -> Result<usize, Class> {
    let mut room = vec![0; bytes];
    let at = u64::try_from(at).map_err(|_| Class::Arg)?;
    let found =
        with(|engine| engine.files.get(file).ok_or(Class::File)?.read_at(&mut room, at).map_err(|_| Class::Other))?;
    if with(|engine| engine.faults.corrupts_file()) {
        room.iter_mut().take(1).for_each(|byte| *byte ^= 0xff);
    }
    into.write(&room[..found]);
    Ok(found)
}

fn write(file: Handle, at: i64, from: Address, bytes: usize) -> Result<usize, Class> {
    let at = u64::try_from(at).map_err(|_| Class::Arg)?;
    with(|engine| {
        engine.files.get(file).ok_or(Class::File)?.write_all_at(from.view(bytes), at).map_err(|_| Class::Other)
    })?;
    Ok(bytes)
}

/// Two symbols of one signature: what a rank does by itself, and what all do together.
macro_rules! transfers {
    ($($name:ident: $act:ident;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(
            file: Handle,
            at: i64,
            buffer: Address,
            count: c_int,
            datatype: Handle,
            status: UserPtr<Status>,
        ) -> c_int {
            call(stringify!($name), WORLD, |_| {
                let bytes = $act(file, at, buffer, extent(count, datatype)?)?;
                tell(status, 0, Outcome { bytes, ..Outcome::EMPTY });
                Ok(())
            })
        })*
    };
}

transfers! {
    MPI_File_read_at: read;
    MPI_File_read_at_all: read;
    MPI_File_write_at: write;
    MPI_File_write_at_all: write;
}
