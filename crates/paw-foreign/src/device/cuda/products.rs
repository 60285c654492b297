//! Matrix products on a CUDA device: cuBLAS and cuBLASLt, by type of product.
#![allow(unsafe_code)]

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::device::{DeviceError, GemmKind, GemmMath};

use super::cublas::{self, CuBlas, CublasHandle};
use super::lt::{Lt, Matmul, SCALE_BYTES, WORKSPACE_BYTES};
use super::services::{self, Addresses, DeviceServices, Stream};
use super::toolkit;

/// The libraries that compute the products of one device.
#[derive(Debug)]
pub(super) struct Products {
    driver_major: Option<u32>,
    cublas: OnceLock<Result<Arc<CuBlas>, String>>,
    lt: OnceLock<Result<Arc<Lt>, String>>,
    /// For matrix-vector products, which need no plan.
    vectors: Mutex<Option<(CublasHandle, String)>>,
}

/// A product planned in a stream.
#[derive(Debug)]
pub(super) struct ProductPlan {
    kind: GemmKind,
    math: GemmMath,
    n: usize,
    by: Mutex<ProductLibrary>,
    stream: Stream,
    workspace: u64,
}

// SAFETY: the stream is an address that the driver alone follows, from any thread.
unsafe impl Send for ProductPlan {}
// SAFETY: as above; who makes the product is behind a lock.
unsafe impl Sync for ProductPlan {}

#[derive(Debug)]
enum ProductLibrary {
    CuBlas(CublasHandle),
    Lt(Matmul),
}

impl Products {
    /// Products without an open library. Libraries newer than the driver's major version are not used.
    pub(super) fn new(driver_major: Option<u32>) -> Self {
        Self { driver_major, cublas: OnceLock::new(), lt: OnceLock::new(), vectors: Mutex::new(None) }
    }

    /// The libraries by what they are called, and where each was found, or why not.
    pub(super) fn libraries(&self) -> Vec<(String, Result<String, String>)> {
        let path = |path: &std::path::Path| path.display().to_string();
        let cublas = self.cublas().map(|cublas| path(cublas.path()));
        let lt = self.lt().map(|lt| path(lt.path()));
        vec![("cuBLAS".to_owned(), cublas), ("cuBLASLt".to_owned(), lt)]
    }

    fn cublas(&self) -> Result<&Arc<CuBlas>, String> {
        self.cublas.get_or_init(|| CuBlas::open(self.driver_major).map(Arc::new)).as_ref().map_err(String::clone)
    }

    fn lt(&self) -> Result<&Arc<Lt>, String> {
        self.lt.get_or_init(|| Lt::open(self.driver_major).map(Arc::new)).as_ref().map_err(String::clone)
    }

    /// Plans a product of order `n` in `stream`; the second part names the library.
    pub(super) fn plan(
        &self,
        ground: &dyn DeviceServices,
        stream: Stream,
        (kind, math): (GemmKind, GemmMath),
        n: usize,
    ) -> Result<(ProductPlan, String), DeviceError> {
        match kind {
            GemmKind::Fp8 => self.plan_lt(ground, stream, n),
            _ => self.plan_cublas(ground, stream, (kind, math), n),
        }
    }

    fn plan_cublas(
        &self,
        ground: &dyn DeviceServices,
        stream: Stream,
        (kind, math): (GemmKind, GemmMath),
        n: usize,
    ) -> Result<(ProductPlan, String), DeviceError> {
        cublas::suits(kind, math, n)?;
        let handle = self.cublas().map_err(DeviceError::Absent)?.handle()?;
        let how = if math == GemmMath::Default { String::new() } else { format!(", {}", math.name()) };
        let by = format!("cuBLAS {}{how}", handle.version()?);
        handle.set_stream(stream)?;
        let workspace = ground.alloc(WORKSPACE_BYTES)?;
        let by_handle = |handle| Mutex::new(ProductLibrary::CuBlas(handle));
        let plan = |handle| ProductPlan { kind, math, n, by: by_handle(handle), stream, workspace };
        match handle.set_workspace(workspace, WORKSPACE_BYTES) {
            Ok(()) => Ok((plan(handle), by)),
            Err(error) => {
                ground.free(workspace);
                Err(error)
            }
        }
    }

    fn plan_lt(
        &self,
        ground: &dyn DeviceServices,
        stream: Stream,
        n: usize,
    ) -> Result<(ProductPlan, String), DeviceError> {
        Lt::suits(n)?;
        let lt = self.lt().map_err(DeviceError::Absent)?;
        let by = format!("cuBLASLt {}, summed fast", lt.version());
        let workspace = ground.alloc(WORKSPACE_BYTES + SCALE_BYTES)?;
        let scale = ground.write(stream, workspace + WORKSPACE_BYTES as u64, &1_f32.to_ne_bytes());
        match scale.and_then(|()| lt.matmul(ground, stream, n, workspace)) {
            Ok(matmul) => Ok((
                ProductPlan {
                    kind: GemmKind::Fp8,
                    math: GemmMath::Default,
                    n,
                    by: Mutex::new(ProductLibrary::Lt(matmul)),
                    stream,
                    workspace,
                },
                by,
            )),
            Err(error) => {
                ground.free(workspace);
                Err(error)
            }
        }
    }

    /// Queues y = A·x of order `n` in `stream`; returns the library's name.
    pub(super) fn gemv(&self, stream: Stream, kind: GemmKind, n: usize, at: Addresses) -> Result<String, DeviceError> {
        let mut vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        if vectors.is_none() {
            let handle = self.cublas().map_err(DeviceError::Absent)?.handle()?;
            let by = format!("cuBLAS {}", handle.version()?);
            *vectors = Some((handle, by));
        }
        let (handle, by) = vectors.as_ref().expect("it was made above");
        handle.set_stream(stream)?;
        handle.gemv(kind, n, at)?;
        Ok(by.clone())
    }
}

impl services::ProductPlan for ProductPlan {
    fn run(&self, at: Addresses) -> Result<(), DeviceError> {
        match &*self.by.lock().unwrap_or_else(PoisonError::into_inner) {
            ProductLibrary::CuBlas(handle) => handle.gemm((self.kind, self.math), self.n, at),
            ProductLibrary::Lt(matmul) => matmul.run(self.stream, at),
        }
    }

    fn shape(&self) -> (GemmKind, usize) {
        (self.kind, self.n)
    }

    fn stream(&self) -> Stream {
        self.stream
    }

    fn give_up(self, ground: &dyn DeviceServices) {
        let Self { by, workspace, .. } = self;
        drop(by);
        ground.free(workspace);
    }
}

/// Which libraries of matrix products are here, or why not, for a driver of that version (12040 is 12.4).
pub(super) fn found(version: i32) -> Vec<(String, Result<String, String>)> {
    Products::new(toolkit::major(version)).libraries()
}
