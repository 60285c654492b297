//! A BLAS with 64-bit integers and Fortran's interface alone, decorated as SciPy's wheels are, for tests. It says that it
//! is OpenBLAS with its Haswell kernels.
#![deny(unsafe_code)]

mod symbols;
