//! Matrix products on a HIP device, by rocBLAS.
#![allow(unsafe_code)]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::rocblas::{self, RocBlas, RocblasHandle};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::gemm::GemmKind;
use crate::device::gpu::services::{self, Addresses, Stream};

/// The library that computes the products of one device.
#[derive(Debug)]
pub(super) struct Products {
    /// The run-time library, beside which it lies.
    driver: PathBuf,
    rocblas: OnceLock<Result<Arc<RocBlas>, String>>,
    /// For matrix-vector products, which need no plan.
    vectors: Mutex<Option<(RocblasHandle, String)>>,
}

/// A product planned in a stream. rocBLAS keeps its own workspace, which the first product makes as large as it needs.
#[derive(Debug)]
pub(super) struct ProductPlan {
    kind: GemmKind,
    n: usize,
    by: Mutex<RocblasHandle>,
    stream: Stream,
}

// SAFETY: the stream is an address that the library alone follows, from any thread.
unsafe impl Send for ProductPlan {}
// SAFETY: as above; who makes the product is behind a lock.
unsafe impl Sync for ProductPlan {}

impl Products {
    /// Products without an open library.
    pub(super) fn new(driver: &Path) -> Self {
        Self { driver: driver.to_owned(), rocblas: OnceLock::new(), vectors: Mutex::new(None) }
    }

    fn rocblas(&self) -> DeviceResult<&Arc<RocBlas>> {
        let rocblas = self.rocblas.get_or_init(|| RocBlas::open(&self.driver).map(Arc::new));
        rocblas.as_ref().map_err(|why| DeviceError::Absent(why.clone()))
    }

    /// A handle, and the name of the library.
    fn handle(&self) -> DeviceResult<(RocblasHandle, String)> {
        let rocblas = self.rocblas()?;
        Ok((rocblas.handle()?, format!("rocBLAS {}", rocblas.version()?)))
    }

    /// Plans a product of order `n` in `stream`; the second part names the library.
    pub(super) fn plan(&self, stream: Stream, kind: GemmKind, n: usize) -> DeviceResult<(ProductPlan, String)> {
        rocblas::suits(kind, n)?;
        let (handle, by) = self.handle()?;
        handle.set_stream(stream)?;
        Ok((ProductPlan { kind, n, by: Mutex::new(handle), stream }, by))
    }

    /// Queues y = A·x of order `n` in `stream`; returns the library's name.
    pub(super) fn gemv(&self, stream: Stream, kind: GemmKind, n: usize, at: Addresses) -> DeviceResult<String> {
        let mut vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        if vectors.is_none() {
            *vectors = Some(self.handle()?);
        }
        let (handle, by) = vectors.as_ref().expect("it was made above");
        handle.set_stream(stream)?;
        handle.gemv(kind, n, at)?;
        Ok(by.clone())
    }
}

impl services::ProductPlan for ProductPlan {
    fn run(&self, at: Addresses) -> DeviceResult {
        self.by.lock().unwrap_or_else(PoisonError::into_inner).gemm(self.kind, self.n, at)
    }

    fn shape(&self) -> (GemmKind, usize) {
        (self.kind, self.n)
    }

    fn stream(&self) -> Stream {
        self.stream
    }
}

/// Where rocBLAS is, or why not.
pub(super) fn found(driver: &Path) -> Result<String, String> {
    RocBlas::open(driver).map(|rocblas| rocblas.path().display().to_string())
}
