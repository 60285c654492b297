//! The MPI wall against the real libraries: Debian's Open MPI and MPICH, whose packages these tests ask for by name.

mod constants;
mod jobs;
mod rank;
mod refusals;
mod tools;
