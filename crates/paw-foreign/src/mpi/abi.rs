//! The differences of the three ABIs: predefined handles, numbers, and the layout of a status.

use std::ffi::c_int;

/// The binary interface of an MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abi {
    /// MPICH and what follows its ABI: Intel MPI, MVAPICH, Cray MPICH, ParaStation. Handles are C integers.
    Mpich,
    /// Open MPI and its derivatives. Handles are addresses of objects in the library.
    OpenMpi,
    /// The standard ABI of MPI 5.0: handles as wide as a pointer, small numbers where predefined.
    Standard,
}

impl Abi {
    /// The ABI's name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Abi::Mpich => "MPICH",
            Abi::OpenMpi => "Open MPI",
            Abi::Standard => "standard",
        }
    }

    /// Whether its functions may be called with handles as 64-bit words on processors of this architecture.
    ///
    /// Where handles are C integers, the callee must read the low 32 bits of an argument and nothing else. System V x86-64 (psABI 3.2.3)
    /// and AAPCS64 (6.8.2, rules C.9 to C.17, of Linux) leave the upper bits of a register or of an 8-byte stack slot unspecified, so no
    /// callee may look at them. RISC-V, LoongArch and Power make the caller extend an `int` by its sign: MPICH's handles of made
    /// communicators have bit 31 set, and a word with zeros above it is another number there.
    pub(crate) fn is_callable_on(self, architecture: &str) -> bool {
        self != Abi::Mpich || ["x86_64", "aarch64"].contains(&architecture)
    }
}

/// An MPI handle of any type, as a word.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MpiHandle(pub(crate) usize);

/// A predefined handle, before symbols are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predefined {
    /// The handle is this word.
    Word(usize),
    /// The handle is the address of this symbol.
    Address(&'static str),
}

/// The MPI datatypes in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Datatype {
    /// `MPI_BYTE`.
    Byte,
    /// `MPI_INT`.
    Int,
    /// `MPI_INT64_T`.
    Int64,
    /// `MPI_UINT64_T`.
    Uint64,
    /// `MPI_FLOAT`.
    Float,
    /// `MPI_DOUBLE`.
    Double,
}

/// The MPI reductions in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// `MPI_SUM`.
    Sum,
    /// `MPI_MAX`.
    Max,
    /// `MPI_MIN`.
    Min,
    /// `MPI_LAND`.
    LogicalAnd,
    /// `MPI_REPLACE`, for one-sided calls.
    Replace,
    /// `MPI_NO_OP`, for one-sided calls that only fetch.
    NoOp,
}

impl Datatype {
    /// Every kind, in the order of the enumeration.
    pub const ALL: [Datatype; 6] =
        [Datatype::Byte, Datatype::Int, Datatype::Int64, Datatype::Uint64, Datatype::Float, Datatype::Double];

    /// Bytes of one element.
    #[inline]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Int | Self::Float => 4,
            Self::Int64 | Self::Uint64 | Self::Double => 8,
        }
    }
}

/// One row a number: its field, its name in C, and its value in MPICH, the standard ABI and Open MPI.
macro_rules! numbers {
    ($($field:ident $name:literal $mpich:literal $standard:literal $open:literal;)*) => {
        /// The numbers of an ABI.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Numbers {
            $(#[doc = concat!("`", $name, "`.")] pub $field: i64,)*
        }

        impl Numbers {
            const MPICH: Numbers = Numbers { $($field: $mpich),* };
            const STANDARD: Numbers = Numbers { $($field: $standard),* };
            const OPEN_MPI: Numbers = Numbers { $($field: $open),* };

            /// Every number with its name in C.
            pub fn named(&self) -> Vec<(&'static str, i64)> {
                vec![$(($name, self.$field)),*]
            }
        }
    };
}

numbers! {
    handle_bytes "sizeof(MPI_Comm)" 4 8 8;
    status_bytes "sizeof(MPI_Status)" 20 32 24;
    source_at "offsetof(MPI_Status, MPI_SOURCE)" 8 0 0;
    tag_at "offsetof(MPI_Status, MPI_TAG)" 12 4 4;
    error_at "offsetof(MPI_Status, MPI_ERROR)" 16 8 8;
    in_place "MPI_IN_PLACE" -1 1 1;
    status_ignore "MPI_STATUS_IGNORE" 1 0 0;
    any_source "MPI_ANY_SOURCE" -2 -1 -1;
    any_tag "MPI_ANY_TAG" -1 -2 -1;
    thread_single "MPI_THREAD_SINGLE" 0 0 0;
    thread_funneled "MPI_THREAD_FUNNELED" 1 1024 1;
    thread_serialized "MPI_THREAD_SERIALIZED" 2 2048 2;
    thread_multiple "MPI_THREAD_MULTIPLE" 3 4096 3;
    type_shared "MPI_COMM_TYPE_SHARED" 1 221 0;
    lock_exclusive "MPI_LOCK_EXCLUSIVE" 234 301 1;
    lock_shared "MPI_LOCK_SHARED" 235 302 2;
    tag_ub "MPI_TAG_UB" 0x6440_0001 501 0;
    mode_rdwr "MPI_MODE_RDWR" 8 32 8;
}

impl Numbers {
    /// The numbers of `abi`.
    pub fn of(abi: Abi) -> &'static Numbers {
        match abi {
            Abi::Mpich => &Self::MPICH,
            Abi::Standard => &Self::STANDARD,
            Abi::OpenMpi => &Self::OPEN_MPI,
        }
    }

    /// A number as an argument of C.
    pub(crate) const fn int(number: i64) -> c_int {
        number as c_int
    }
}

/// One row a handle: its field, its name in C, its word in MPICH and the standard ABI, its symbol in Open MPI.
macro_rules! handles {
    ($($field:ident $name:literal $mpich:literal $standard:literal $symbol:literal;)*) => {
        /// The predefined handles of a library.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct PredefinedHandles {
            $(#[doc = concat!("`", $name, "`.")] pub $field: MpiHandle,)*
        }

        impl PredefinedHandles {
            /// Every predefined handle of `abi` with its name in C.
            pub fn named(abi: Abi) -> Vec<(&'static str, Predefined)> {
                match abi {
                    Abi::Mpich => vec![$(($name, Predefined::Word($mpich))),*],
                    Abi::Standard => vec![$(($name, Predefined::Word($standard))),*],
                    Abi::OpenMpi => vec![$(($name, Predefined::Address($symbol))),*],
                }
            }

            /// The handles of a library of `abi` whose symbols have these addresses; the error is the symbol it lacks.
            pub(crate) fn resolve(abi: Abi, address: impl Fn(&str) -> Option<usize>) -> Result<Self, &'static str> {
                Ok(match abi {
                    Abi::Mpich => Self { $($field: MpiHandle($mpich)),* },
                    Abi::Standard => Self { $($field: MpiHandle($standard)),* },
                    Abi::OpenMpi => Self { $($field: MpiHandle(address($symbol).ok_or($symbol)?)),* },
                })
            }
        }
    };
}

handles! {
    comm_null "MPI_COMM_NULL" 0x0400_0000 0x100 "ompi_mpi_comm_null";
    comm_world "MPI_COMM_WORLD" 0x4400_0000 0x101 "ompi_mpi_comm_world";
    comm_self "MPI_COMM_SELF" 0x4400_0001 0x102 "ompi_mpi_comm_self";
    group_null "MPI_GROUP_NULL" 0x0800_0000 0x108 "ompi_mpi_group_null";
    win_null "MPI_WIN_NULL" 0x2000_0000 0x110 "ompi_mpi_win_null";
    info_null "MPI_INFO_NULL" 0x1c00_0000 0x130 "ompi_mpi_info_null";
    request_null "MPI_REQUEST_NULL" 0x2c00_0000 0x180 "ompi_request_null";
    errors_return "MPI_ERRORS_RETURN" 0x5400_0001 0x143 "ompi_mpi_errors_return";
    byte "MPI_BYTE" 0x4c00_010d 0x247 "ompi_mpi_byte";
    int "MPI_INT" 0x4c00_0405 0x209 "ompi_mpi_int";
    int64 "MPI_INT64_T" 0x4c00_083a 0x258 "ompi_mpi_int64_t";
    uint64 "MPI_UINT64_T" 0x4c00_083e 0x259 "ompi_mpi_uint64_t";
    float "MPI_FLOAT" 0x4c00_040a 0x210 "ompi_mpi_float";
    double "MPI_DOUBLE" 0x4c00_080b 0x214 "ompi_mpi_double";
    sum "MPI_SUM" 0x5800_0003 0x21 "ompi_mpi_op_sum";
    max "MPI_MAX" 0x5800_0001 0x23 "ompi_mpi_op_max";
    min "MPI_MIN" 0x5800_0002 0x22 "ompi_mpi_op_min";
    logical_and "MPI_LAND" 0x5800_0005 0x30 "ompi_mpi_op_land";
    replace "MPI_REPLACE" 0x5800_000d 0x3c "ompi_mpi_op_replace";
    no_op "MPI_NO_OP" 0x5800_000e 0x3d "ompi_mpi_op_no_op";
}

impl PredefinedHandles {
    /// The datatypes, in the order of [`Datatype`].
    pub(crate) fn kinds(&self) -> [MpiHandle; 6] {
        [self.byte, self.int, self.int64, self.uint64, self.float, self.double]
    }

    /// The reductions, in the order of [`Op`].
    pub(crate) fn ops(&self) -> [MpiHandle; 6] {
        [self.sum, self.max, self.min, self.logical_and, self.replace, self.no_op]
    }
}

#[cfg(test)]
mod tests {
    use super::Abi;

    #[test]
    fn integer_handles_are_refused_where_arguments_are_extended() {
        let callable =
            |abi: Abi| ["x86_64", "aarch64", "riscv64", "loongarch64", "powerpc64"].map(|on| abi.is_callable_on(on));
        assert_eq!(callable(Abi::Mpich), [true, true, false, false, false]);
        assert_eq!(callable(Abi::OpenMpi), [true; 5]);
        assert_eq!(callable(Abi::Standard), [true; 5]);
    }
}
