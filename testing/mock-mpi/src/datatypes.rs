//! Datatypes that are made: elements of one kind that lie apart, and messages of them.

use std::sync::Arc;

use crate::abi::{Class, Datatype, Handle, extent};
use crate::address::Address;
use crate::engine::Engine;

/// Where the elements of a made datatype are, from where it begins.
#[derive(Debug, Clone)]
pub(crate) struct MadeDatatype {
    /// Offset in bytes of each element.
    pub(crate) offsets_bytes: Arc<[usize]>,
    pub(crate) element_bytes: usize,
    pub(crate) is_committed: bool,
}

/// The caller's side of a message: bytes one after the other, or the elements of a made datatype.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    at: Address,
    room: usize,
    made: Option<MadeDatatype>,
}

impl Place {
    /// Bytes of payload that it holds.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// Puts the bytes of a payload from `from` on where they belong; what has no room is lost.
    pub(crate) fn write(&self, from: usize, bytes: &[u8]) {
        let bytes = &bytes[..bytes.len().min(self.room.saturating_sub(from))];
        let Some(made) = &self.made else { return self.at.at(from).write(bytes) };
        let (mut from, mut rest) = (from, bytes);
        while !rest.is_empty() {
            let (nth, within) = (from / made.element_bytes, from % made.element_bytes);
            let piece = rest.len().min(made.element_bytes - within);
            self.at.at(made.offsets_bytes[nth] + within).write(&rest[..piece]);
            (from, rest) = (from + piece, &rest[piece..]);
        }
    }

    /// The payload, for a call that sends it.
    pub(crate) fn payload<T>(&self, send: impl FnOnce(&[u8]) -> T) -> T {
        let Some(made) = &self.made else { return send(self.at.view(self.room)) };
        let elements = made.offsets_bytes.iter().map(|offset| self.at.at(*offset).view(made.element_bytes));
        send(&elements.collect::<Vec<_>>().concat())
    }
}

impl Engine {
    /// `count` elements of a datatype at an address; of a made one, one or none.
    pub(crate) fn place(&self, at: Address, count: i32, datatype: Handle) -> Result<Place, Class> {
        let Some(made) = self.datatypes.get(datatype) else {
            return Ok(Place { at, room: extent(count, datatype)?, made: None });
        };
        if !made.is_committed {
            return Err(Class::Type);
        }
        match count {
            0 => Ok(Place { at, room: 0, made: None }),
            1 => Ok(Place { at, room: made.size_bytes(), made: Some(made.clone()) }),
            _ => Err(Class::Count),
        }
    }
}

impl MadeDatatype {
    /// Elements that begin at these places, counted in elements, and nowhere else.
    pub(crate) fn of(places: impl Iterator<Item = i32>, datatype: Handle) -> Result<Self, Class> {
        let element_bytes = Datatype::of(datatype)?.size_bytes();
        let offset = |place: i32| usize::try_from(place).map(|place| place * element_bytes).map_err(|_| Class::Arg);
        Ok(Self { offsets_bytes: places.map(offset).collect::<Result<_, _>>()?, element_bytes, is_committed: false })
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.offsets_bytes.len() * self.element_bytes
    }
}
