//! cuBLAS: matrix products, right or wrong.
