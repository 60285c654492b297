//! Products of matrices and vectors against a careful oracle, in every instruction set this processor has.

mod gemm;
mod gemv;
mod oracle;
mod short_gemm;
