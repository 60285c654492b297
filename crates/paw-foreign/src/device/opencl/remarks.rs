//! Environment that changes what OpenCL's devices are, or how fast.

/// Beginnings of the names of variables that matter.
const FAMILIES: &[&str] =
    &["POCL_", "OCL_ICD_", "OPENCL_", "CL_CONFIG_", "RUSTICL_", "LP_NUM_THREADS", "CLBLAST_", "GPU_", "HSA_", "NEO"];
/// Variables without effect: where compiled kernels are kept changes only a first call, which is never timed.
const HARMLESS: &[&str] = &["POCL_CACHE_DIR", "POCL_KERNEL_CACHE", "NEO_CACHE_DIR", "NEO_CACHE_PERSISTENT"];

/// The variables in the environment that affect OpenCL, a sentence each.
pub(super) fn remarks() -> Vec<String> {
    of(std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))))
}

fn of(variables: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let matters = |name: &str| {
        let is_of_a_family = FAMILIES.iter().any(|family| name.starts_with(family));
        is_of_a_family && !HARMLESS.contains(&name)
    };
    let mut found: Vec<String> = variables
        .filter(|(name, value)| !value.is_empty() && matters(name))
        .map(|(name, value)| format!("{name}={value} is in the environment"))
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_change_numbers_are_reported_and_no_others() {
        let all =
            [("POCL_DEVICES", "basic"), ("POCL_CACHE_DIR", "/tmp"), ("HOME", "/root"), ("CL_CONFIG_USE_VTUNE", "")];
        let all = all.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(of(all.into_iter()), ["POCL_DEVICES=basic is in the environment"]);
    }
}
