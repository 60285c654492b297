//! Constants and structures of the standard ABI (MPI 5.0, appendix A).

use std::ffi::c_int;

/// A handle: as wide as a pointer, a small number where predefined.
pub(crate) type Handle = usize;

pub(crate) const COMM_NULL: Handle = 0x100;
pub(crate) const COMM_WORLD: Handle = 0x101;
pub(crate) const COMM_SELF: Handle = 0x102;
pub(crate) const GROUP_NULL: Handle = 0x108;
pub(crate) const DATATYPE_NULL: Handle = 0x200;
pub(crate) const WIN_NULL: Handle = 0x110;
pub(crate) const REQUEST_NULL: Handle = 0x180;
pub(crate) const ERRORS_RETURN: Handle = 0x143;

pub(crate) const ANY_SOURCE: c_int = -1;
pub(crate) const ANY_TAG: c_int = -2;
pub(crate) const PROC_NULL: c_int = -3;
pub(crate) const UNDEFINED: c_int = -32766;
pub(crate) const FILE_NULL: Handle = 0x118;
pub(crate) const SESSION_NULL: Handle = 0x120;
pub(crate) const MODE_RDWR: c_int = 32;
pub(crate) const COMM_TYPE_SHARED: c_int = 221;
pub(crate) const LOCK_EXCLUSIVE: c_int = 301;
pub(crate) const WIN_MODEL_KEY: c_int = 605;
pub(crate) static WIN_UNIFIED: c_int = 322;
pub(crate) const TAG_UB_KEY: c_int = 501;
/// The greatest tag of a message.
pub(crate) static TAG_UB: usize = i32::MAX as usize;

pub(crate) const THREAD_LEVELS: [(&str, c_int); 4] =
    [("single", 0), ("funneled", 1024), ("serialized", 2048), ("multiple", 4096)];

/// What `MPI_Status` is: 32 bytes, the last 20 private to the library.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Status {
    pub(crate) source: c_int,
    pub(crate) tag: c_int,
    pub(crate) error: c_int,
    /// The message's length, low half first, and room nobody uses.
    pub(crate) own: [c_int; 5],
}

const _: () = assert!(size_of::<Status>() == 32, "a status of the standard ABI has 32 bytes");

/// Why a call did not do what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Count = 2,
    Type = 3,
    Tag = 4,
    Comm = 5,
    Rank = 6,
    Request = 7,
    Root = 8,
    Group = 9,
    Op = 10,
    Topology = 11,
    Arg = 13,
    Truncate = 15,
    Other = 16,
    File = 27,
    NoSuchFile = 37,
    Win = 45,
    RmaRange = 55,
    RmaAttach = 56,
    RmaShared = 57,
    RmaFlavor = 58,
}

const CLASSES: [(Class, &str); 20] = [
    (Class::Count, "MPI_ERR_COUNT: a count is negative"),
    (Class::Type, "MPI_ERR_TYPE: the datatype is not one this library knows"),
    (Class::Tag, "MPI_ERR_TAG: the tag is negative"),
    (Class::Comm, "MPI_ERR_COMM: not a communicator"),
    (Class::Rank, "MPI_ERR_RANK: the rank is not in the communicator"),
    (Class::Request, "MPI_ERR_REQUEST: not a request"),
    (Class::Root, "MPI_ERR_ROOT: the root is not in the communicator"),
    (Class::Group, "MPI_ERR_GROUP: not a group"),
    (Class::Op, "MPI_ERR_OP: the operation is not one this library knows for the datatype"),
    (Class::Topology, "MPI_ERR_TOPOLOGY: the communicator has no such topology"),
    (Class::Arg, "MPI_ERR_ARG: an argument is invalid"),
    (Class::Truncate, "MPI_ERR_TRUNCATE: the message is longer than the buffer"),
    (Class::Other, "MPI_ERR_OTHER: a failure that was asked for"),
    (Class::File, "MPI_ERR_FILE: not a file"),
    (Class::NoSuchFile, "MPI_ERR_NO_SUCH_FILE: the file is not there"),
    (Class::Win, "MPI_ERR_WIN: not a window"),
    (Class::RmaRange, "MPI_ERR_RMA_RANGE: the target has not attached all of that memory"),
    (Class::RmaAttach, "MPI_ERR_RMA_ATTACH: the memory is attached already, or was never attached"),
    (Class::RmaShared, "MPI_ERR_RMA_SHARED: not all ranks share memory"),
    (Class::RmaFlavor, "MPI_ERR_RMA_FLAVOR: the window is not a dynamic one"),
];

/// What an error code says.
pub(crate) fn error_text(code: c_int) -> &'static str {
    let known = CLASSES.iter().find(|(class, _)| *class as c_int == code);
    known.map_or(if code == 0 { "MPI_SUCCESS: no error" } else { "unknown error" }, |(_, text)| text)
}

/// How elements are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Datatype {
    Byte,
    I32,
    F32,
    F64,
    I64,
    U64,
}

impl Datatype {
    pub(crate) fn of(datatype: Handle) -> Result<Self, Class> {
        Ok(match datatype {
            0x243 | 0x247 => Datatype::Byte,
            0x209 => Datatype::I32,
            0x210 => Datatype::F32,
            0x214 => Datatype::F64,
            0x20b | 0x258 => Datatype::I64,
            0x259 => Datatype::U64,
            _ => return Err(Class::Type),
        })
    }

    pub(crate) fn size_bytes(self) -> usize {
        match self {
            Datatype::Byte => 1,
            Datatype::I32 | Datatype::F32 => 4,
            Datatype::F64 | Datatype::I64 | Datatype::U64 => 8,
        }
    }
}

/// How two elements become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Sum,
    Min,
    Max,
    Land,
    Replace,
    Keep,
}

impl Op {
    pub(crate) fn of(handle: Handle) -> Result<Self, Class> {
        Ok(match handle {
            0x21 => Op::Sum,
            0x22 => Op::Min,
            0x23 => Op::Max,
            0x30 => Op::Land,
            0x3c => Op::Replace,
            0x3d => Op::Keep,
            _ => return Err(Class::Op),
        })
    }
}

/// Bytes of `count` elements.
pub(crate) fn extent(count: c_int, datatype: Handle) -> Result<usize, Class> {
    Ok(usize::try_from(count).map_err(|_| Class::Count)? * Datatype::of(datatype)?.size_bytes())
}
