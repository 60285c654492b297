//! `mock-nccl` as a library of HIP: RCCL exports NCCL's symbols, and depends on HIP's library, by which it is known.
#![deny(unsafe_code)]

extern crate mock_nccl as _;

mod hip;
