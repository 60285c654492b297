//! Settings in a device's environment that change its numbers.

use std::env;

use super::context::Hip;

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
    let mut said = variables(env::vars_os().filter_map(|(name, value)| {
        // The library understands no variable that is not text.
        Some((name.into_string().ok()?, value.into_string().ok()?))
    }));
    if let Err(error) = &hip.embedded {
        said.push(format!("the kernels that paw brings along did not compile: {error}"));
    } else if let Err(error) = &hip.gates {
        said.push(error.to_string());
    }
    said
}

fn variables(all: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let matters = |name: &str| VARIABLES.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family));
    let mut found: Vec<_> = all.filter(|(name, value)| !value.is_empty() && matters(name)).collect();
    found.sort();
    found.into_iter().map(|(name, value)| format!("{name}={value} is set")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_change_numbers_are_reported() {
        let all = [("PATH", "/bin"), ("HSA_ENABLE_SDMA", "0"), ("HIP_VISIBLE_DEVICES", ""), ("ROCBLAS_LAYER", "1")];
        let said = variables(all.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(said, ["HSA_ENABLE_SDMA=0 is set", "ROCBLAS_LAYER=1 is set"]);
    }
}
