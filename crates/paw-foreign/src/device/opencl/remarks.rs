//! Environment that changes what OpenCL is, or how fast.

use crate::device::facts::Facts;

/// Beginnings of the names of variables that matter.
const VARIABLES: &[&str] = &[
    "POCL_",
    "OCL_ICD_",
    "OPENCL_",
    "CL_CONFIG_",
    "RUSTICL_",
    "CLBLAST_",
    "PAW_OPENCL_LIBRARY",
    "PAW_CLBLAST_LIBRARY",
    "GPU_",
    "ROCR_VISIBLE_DEVICES",
    "HSA_",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_CACHE_",
    "NEO",
    "LP_NUM_THREADS",
];

/// Sentences for the record.
pub(super) fn remarks(facts: &Facts) -> Vec<String> {
    let mut remarks = Vec::new();
    if facts.unified {
        remarks.push(format!(
            "unified memory: a transfer to or from {} is a copy within the host's memory, or none",
            facts.id()
        ));
    }
    let mut set: Vec<String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())))
        .filter(|(name, _)| VARIABLES.iter().any(|beginning| name.starts_with(beginning)))
        .map(|(name, value)| format!("{name}={value} is in the environment"))
        .collect();
    set.sort();
    remarks.extend(set);
    remarks
}
