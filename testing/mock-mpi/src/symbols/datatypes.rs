//! Datatypes.

use std::ffi::c_int;

use super::{WORLD, natural};
use crate::abi::{Class, DATATYPE_NULL, Datatype, Handle};
use crate::address::UserPtr;
use crate::datatypes::MadeDatatype;
use crate::world::{call, with};

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Type_size(datatype: Handle, size: UserPtr<c_int>) -> c_int {
    call("MPI_Type_size", WORLD, |_| {
        let made = with(|engine| engine.datatypes.get(datatype).map(MadeDatatype::size_bytes));
        let bytes = made.map_or_else(|| Datatype::of(datatype).map(Datatype::size_bytes), Ok)?;
        size.set(c_int::try_from(bytes).unwrap_or(crate::abi::UNDEFINED));
        Ok(())
    })
}

/// Gives the caller a datatype of elements at these places.
fn made(places: impl Iterator<Item = c_int>, datatype: Handle, new: UserPtr<Handle>) -> Result<(), Class> {
    let made = MadeDatatype::of(places, datatype)?;
    new.set(with(|engine| engine.datatypes.insert(made)));
    Ok(())
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Type_vector(
    count: c_int,
    length: c_int,
    stride: c_int,
    datatype: Handle,
    new: UserPtr<Handle>,
) -> c_int {
    call("MPI_Type_vector", WORLD, |_| {
        natural(count)?;
        natural(length)?;
        made((0..count).flat_map(|block| (0..length).map(move |i| block * stride + i)), datatype, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Type_indexed(
    count: c_int,
    lengths: UserPtr<c_int>,
    displacements: UserPtr<c_int>,
    datatype: Handle,
    new: UserPtr<Handle>,
) -> c_int {
    call("MPI_Type_indexed", WORLD, |_| {
        let count = natural(count)?;
        let blocks = lengths.values(count).into_iter().zip(displacements.values(count));
        made(blocks.flat_map(|(length, begin)| begin..begin + length), datatype, new)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Type_commit(datatype: UserPtr<Handle>) -> c_int {
    call("MPI_Type_commit", WORLD, |_| {
        with(|engine| {
            engine.datatypes.get_mut(datatype.value()).ok_or(Class::Type)?.is_committed = true;
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn MPI_Type_free(datatype: UserPtr<Handle>) -> c_int {
    call("MPI_Type_free", WORLD, |_| {
        with(|engine| engine.datatypes.remove(datatype.value())).ok_or(Class::Type)?;
        datatype.set(DATATYPE_NULL);
        Ok(())
    })
}
