//! Variables of the environment that change a device's numbers.

use std::env;

/// A sentence on each variable that is set and is one of `names` or begins with one of `families`, without the values of `ours`, which
/// paw sets itself.
pub(in crate::device) fn said(names: &[&str], families: &[&str], ours: &[(&str, &str)]) -> Vec<String> {
    // A library understands no variable that is not text.
    let all = env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    among(all, names, families, ours)
}

fn among(
    all: impl Iterator<Item = (String, String)>,
    names: &[&str],
    families: &[&str],
    ours: &[(&str, &str)],
) -> Vec<String> {
    let matters = |name: &str| names.contains(&name) || families.iter().any(|family| name.starts_with(family));
    let is_ours = |name: &str, value: &str| ours.contains(&(name, value));
    let mut found: Vec<(String, String)> =
        all.filter(|(name, value)| !value.is_empty() && matters(name) && !is_ours(name, value)).collect();
    found.sort();
    found.into_iter().map(|(name, value)| format!("{name}={value} is set")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &["CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES", "NVIDIA_TF32_OVERRIDE"];
    const OURS: &[(&str, &str)] = &[("CUDA_DEVICE_ORDER", "PCI_BUS_ID")];

    fn said(all: &[(&str, &str)]) -> Vec<String> {
        among(all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())), NAMES, &["CUBLAS_"], OURS)
    }

    #[test]
    fn variables_that_change_numbers_are_reported() {
        let all = [
            ("PATH", "/bin"),
            ("NVIDIA_TF32_OVERRIDE", "0"),
            ("CUDA_VISIBLE_DEVICES", ""),
            ("CUBLAS_WORKSPACE_CONFIG", ":4096:8"),
        ];
        assert_eq!(said(&all), ["CUBLAS_WORKSPACE_CONFIG=:4096:8 is set", "NVIDIA_TF32_OVERRIDE=0 is set"]);
    }

    #[test]
    fn a_value_of_ours_is_not_reported_and_another_is() {
        assert_eq!(said(OURS), Vec::<String>::new());
        let other = [("CUDA_DEVICE_ORDER", "FASTEST_FIRST")];
        assert_eq!(said(&other), ["CUDA_DEVICE_ORDER=FASTEST_FIRST is set"]);
    }
}
