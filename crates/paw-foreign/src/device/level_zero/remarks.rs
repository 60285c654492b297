//! Environment that changes what Level Zero's devices are, or how fast.

/// Beginnings of the names of variables that matter.
const FAMILIES: &[&str] = &["ZE_", "ZET_", "NEO", "IGC_"];
/// Variables without effect: where compiled kernels are kept changes only a first call, which is never timed.
const HARMLESS: &[&str] = &["NEO_CACHE_DIR", "NEO_CACHE_PERSISTENT"];
/// Values that paw sets itself.
pub(super) const OURS: &[(&str, &str)] = &[("ZE_ENABLE_PCI_ID_DEVICE_ORDER", "1"), ("ZES_ENABLE_SYSMAN", "1")];

/// The variables in the environment that affect Level Zero, a sentence each.
pub(super) fn remarks() -> Vec<String> {
    of(std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))))
}

fn of(variables: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let matters = |name: &str| {
        let is_of_a_family = FAMILIES.iter().any(|family| name.starts_with(family));
        is_of_a_family && !HARMLESS.contains(&name)
    };
    let is_ours = |name: &str, value: &str| OURS.contains(&(name, value));
    let mut found: Vec<String> = variables
        .filter(|(name, value)| !value.is_empty() && matters(name) && !is_ours(name, value))
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
        let all = [
            ("ZE_FLAT_DEVICE_HIERARCHY", "COMPOSITE"),
            ("ZE_ENABLE_PCI_ID_DEVICE_ORDER", "1"),
            ("ZES_ENABLE_SYSMAN", "1"),
            ("NEO_CACHE_DIR", "/tmp"),
            ("ZE_AFFINITY_MASK", ""),
            ("HOME", "/root"),
        ];
        let all = all.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(of(all.into_iter()), ["ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE is in the environment"]);
    }
}
