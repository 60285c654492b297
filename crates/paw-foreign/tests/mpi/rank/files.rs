//! A file of all ranks, and a session beside the world.

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use paw_foreign::mpi::{Collective, Datatype, MpiError, Part, Session, SharedFile};

use super::{BLOCK, INTO_BYTES, Rank, value};

pub(super) fn check(rank: &Rank) -> Result<(), MpiError> {
    shared_file(rank)?;
    session(rank)
}

/// A path named after the process of rank 0.
fn path(rank: &Rank) -> Result<PathBuf, MpiError> {
    let whole = Part::new(0, 1, Datatype::Int64);
    rank.memory.write_integers(0, &[i64::from(std::process::id())]);
    rank.comm.bcast(&rank.memory, whole, 0)?;
    let name = format!("paw-shared-file-{}", rank.memory.read_integers(whole)[0]);
    Ok(std::env::temp_dir().join(name))
}

fn shared_file(rank: &Rank) -> Result<(), MpiError> {
    let path = path(rank)?;
    let name = CString::new(path.clone().into_os_string().into_vec()).expect("the path has no zero");
    let absent = SharedFile::open(rank.comm, c"/nowhere/to/be/found");
    assert!(absent.is_err(), "a file that is not there does not open");
    if rank.rank() == 0 {
        fs::File::create_new(&path).expect("the file is new");
    }
    rank.comm.barrier()?;
    let file = SharedFile::open(rank.comm, &name)?;
    let bytes = (BLOCK * size_of::<i64>()) as i64;
    for (nth, by) in [Collective::No, Collective::Yes].into_iter().enumerate() {
        let row = |of: usize| (nth * rank.size() + of) as i64 * bytes;
        let out = rank.out(1);
        file.write_at(by, row(rank.rank()), &rank.memory, out)?;
        file.sync()?;
        rank.comm.barrier()?;
        file.sync()?;
        let into = rank.room(1);
        file.read_at(by, row(rank.right()), &rank.memory, into)?;
        rank.expect("MPI_File_read_at", into, |index| value(rank.right(), index));
    }
    let outside = Part::new(2 * INTO_BYTES, 1, Datatype::Int64);
    assert!(file.write_at(Collective::No, 0, &rank.memory, outside).is_err(), "the part lies outside");
    file.close()?;
    rank.comm.barrier()?;
    if rank.rank() == 0 {
        let length = fs::metadata(&path).expect("the file is there").len();
        assert_eq!(length, 2 * rank.size() as u64 * bytes as u64);
        fs::remove_file(&path).expect("the file can go");
    }
    Ok(())
}

fn session(rank: &Rank) -> Result<(), MpiError> {
    for tag in [c"first", c"second"] {
        let session = match Session::begin(rank.comm.mpi()) {
            Err(error) if error.is_absent() => return Ok(()),
            begun => begun?,
        };
        let comm = session.comm(tag)?;
        assert_eq!((comm.rank(), comm.size()), (rank.rank(), rank.size()));
        let (out, into) = (rank.out(1), rank.room(1));
        comm.sendrecv(&rank.memory, (out, rank.right()), (into, rank.left()), 1)?;
        rank.expect("MPI_Comm_create_from_group", into, |index| value(rank.left(), index));
        comm.free()?;
        session.end()?;
    }
    Ok(())
}
