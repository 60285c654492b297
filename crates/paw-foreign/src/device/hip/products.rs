//! Matrix products on a HIP device, by rocBLAS: plans and operands by handle.
#![allow(unsafe_code)]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::context::Hip;
use super::rocblas::{self, RocBlas, RocblasHandle};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::gemm::{GemmKind, GemmOperands};
use crate::device::services::{Addresses, Stream};
use crate::device::span::ObjectHandle;

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
}

/// Where rocBLAS is, or why not.
pub(super) fn found(driver: &Path) -> Result<String, String> {
    RocBlas::open(driver).map(|rocblas| rocblas.path().display().to_string())
}

impl Hip {
    /// [`crate::device::Driver::gemm_plan`]
    pub(super) fn plan_new(
        &self,
        queue: ObjectHandle,
        kind: GemmKind,
        n: usize,
    ) -> DeviceResult<(ObjectHandle, String)> {
        self.current()?;
        rocblas::suits(kind, n)?;
        let stream = self.stream(queue)?;
        let (handle, by) = self.products.handle()?;
        handle.set_stream(stream)?;
        let plan = ProductPlan { kind, n, by: Mutex::new(handle), stream };
        Ok((self.plans.insert(Arc::new(plan)), by))
    }

    /// [`crate::device::Driver::gemm`]
    pub(super) fn multiply(&self, queue: ObjectHandle, plan: ObjectHandle, operands: GemmOperands) -> DeviceResult {
        self.current()?;
        let plan = self.plans.at(plan)?;
        if self.stream(queue)? != plan.stream {
            return Err(DeviceError::Unsupported("a product runs in the queue that it was planned for".to_owned()));
        }
        let square = plan.n * plan.n;
        let at = self.operands(plan.kind, operands, [square, square, square])?;
        plan.by.lock().unwrap_or_else(PoisonError::into_inner).gemm(plan.kind, plan.n, at)
    }

    /// [`crate::device::Driver::gemm_plan_free`]
    pub(super) fn plan_drop(&self, plan: ObjectHandle) -> DeviceResult {
        let plan = self.plans.remove(plan)?;
        self.current()?;
        drop(plan);
        Ok(())
    }

    /// [`crate::device::Driver::gemv`]
    pub(super) fn multiply_vector(
        &self,
        queue: ObjectHandle,
        kind: GemmKind,
        n: usize,
        operands: GemmOperands,
    ) -> DeviceResult<String> {
        self.current()?;
        let at = self.operands(kind, operands, [n * n, n, n])?;
        let stream = self.stream(queue)?;
        let mut vectors = self.products.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        if vectors.is_none() {
            *vectors = Some(self.products.handle()?);
        }
        let (handle, by) = vectors.as_ref().expect("it was made above");
        handle.set_stream(stream)?;
        handle.gemv(kind, n, at)?;
        Ok(by.clone())
    }

    /// Addresses of operands that have `elements` each.
    fn operands(&self, kind: GemmKind, operands: GemmOperands, elements: [usize; 3]) -> DeviceResult<Addresses> {
        let [a, b, c] = elements;
        let (input, output) = (kind.input().bytes(), kind.output().bytes());
        Ok(Addresses {
            a: self.address(operands.a, a * input)?,
            b: self.address(operands.b, b * input)?,
            c: self.address(operands.c, c * output)?,
        })
    }
}
