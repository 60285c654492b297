//! Settings in a device's environment that change its numbers.
#![allow(unsafe_code)]

use std::path::Path;

use super::context::Cuda;
use super::nvml;
use crate::device::gpu::calls::call_if_there;
use crate::device::gpu::variables;

/// Variables that change what is measured, or which device it is measured on.
const VARIABLES: &[&str] = &[
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_DEVICE_MAX_COPY_CONNECTIONS",
    "CUDA_FORCE_PTX_JIT",
    "CUDA_DISABLE_PTX_JIT",
    "CUDA_CACHE_DISABLE",
    "CUDA_INJECTION64_PATH",
    "CUDA_MPS_PIPE_DIRECTORY",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    "NVIDIA_TF32_OVERRIDE",
];

/// Prefixes of further variables.
const FAMILIES: &[&str] = &["CUBLAS_", "CUBLASLT_"];

/// `CU_MODULE_LAZY_LOADING`.
const LAZY: i32 = 2;

/// Values that paw sets itself.
const OURS: &[(&str, &str)] = &[("CUDA_DEVICE_ORDER", "PCI_BUS_ID")];

/// Remarks on settings that change the device's numbers, a sentence each.
pub(super) fn remarks(cuda: &Cuda) -> Vec<String> {
    let mut said = variables::said(VARIABLES, FAMILIES, OURS);
    said.extend(cuda.gates.as_ref().err().map(ToString::to_string));
    said.extend(
        cuda.embedded.as_ref().err().map(|error| format!("the kernels that paw brings along did not load: {error}")),
    );
    let mut mode = 0;
    if call_if_there!(cuda.library, own.module_get_loading_mode(&raw mut mode)).is_ok() && mode == LAZY {
        said.push(
            "kernels are loaded when they first run, because CUDA_MODULE_LOADING is not EAGER: a first launch takes longer"
                .to_owned(),
        );
    }
    if cuda.facts.bus_id.as_deref().is_some_and(nvml::is_split) {
        said.push("the device is split into parts (MIG): bandwidths and peaks are those of a part".to_owned());
    }
    if Path::new("/dev/dxg").exists() {
        said.push(
            "the device is reached through Windows (WSL): calls take longer than on a host of its own".to_owned(),
        );
    }
    if is_share(&cuda.facts.name) {
        said.push("the device is a share of one (vGPU): others may use the rest of it".to_owned());
    }
    said
}

/// Whether a name is that of a vGPU: `GRID V100D-8Q`, `NVIDIA A40-48C` (memory in GB, and a letter for the licence).
fn is_share(name: &str) -> bool {
    let profile = name.rsplit('-').next().filter(|profile| profile.len() < name.len()).unwrap_or_default();
    let gigabytes = profile.strip_suffix(['A', 'B', 'C', 'Q']).unwrap_or_default();
    name.contains("GRID") || !gigabytes.is_empty() && gigabytes.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_a_device_is_known_by_its_name() {
        assert!(["GRID V100D-8Q", "NVIDIA A40-48C", "GRID K2"].into_iter().all(is_share));
        let whole = ["NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB", "NVIDIA A100-PCIE-40GB", "Mock GPU", ""];
        assert!(!whole.into_iter().any(is_share));
    }
}
