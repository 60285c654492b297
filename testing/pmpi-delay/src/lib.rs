//! A tool in the sense of MPI's profiling interface: preloaded, it makes every `MPI_Send` later by `PAW_DELAY_NS` nanoseconds.
//!
//! With `PAW_DELAY_RANK` set only that rank is late. Whatever measures latency must see what is injected here; what calls
//! the library past its tools does not.
#![deny(unsafe_code)]

mod sys;
