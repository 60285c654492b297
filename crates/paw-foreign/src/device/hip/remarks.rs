//! Settings in a device's environment that change its numbers.

use super::context::Hip;
use crate::device::gpu::variables;

/// Variables that change what is measured, or which device it is measured on (HIP's and ROCr's documentation).
const VARIABLES: &[&str] = &[
    "AMD_LOG_LEVEL",
    "AMD_SERIALIZE_COPY",
    "AMD_SERIALIZE_KERNEL",
    "GPU_DEVICE_ORDINAL",
    "GPU_ENABLE_WGP_MODE",
    "GPU_MAX_HW_QUEUES",
    "HIP_FORCE_DEV_KERNARG",
    "HIP_HOST_COHERENT",
    "HIP_LAUNCH_BLOCKING",
    "HIP_VISIBLE_DEVICES",
    "HSA_CU_MASK",
    "HSA_ENABLE_PEER_SDMA",
    "HSA_ENABLE_SDMA",
    "HSA_OVERRIDE_GFX_VERSION",
    "HSA_XNACK",
    "ROCR_VISIBLE_DEVICES",
];

/// Prefixes of further variables.
const FAMILIES: &[&str] = &["ROCBLAS_", "HIPBLASLT_", "TENSILE_"];

/// Remarks on settings that change the device's numbers, a sentence each.
pub(super) fn remarks(hip: &Hip) -> Vec<String> {
    let mut said = variables::said(VARIABLES, FAMILIES, &[]);
    if let Err(error) = &hip.embedded {
        said.push(format!("the kernels that paw brings along did not compile: {error}"));
    } else if let Err(error) = &hip.gates {
        said.push(error.to_string());
    }
    said
}
