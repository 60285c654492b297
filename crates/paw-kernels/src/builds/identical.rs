//! Merges builds with the same machine code and function.

use crate::builds::Built;

/// How builds with the same machine code are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Identical {
    /// The first is measured for all, with their names.
    #[default]
    Merge,
    /// Each is measured: their differences show the noise.
    Keep,
}

/// Builds of the same machine code and function become the first of them, with the names of the others in
/// [`same`](paw_data::build::Build::same). Start-up code and needed libraries belong to the machine code. What did not build
/// stays, and a variant that only moves data is never merged with one that computes.
pub fn merge(built: Vec<Built>, identical: Identical) -> Vec<Built> {
    if identical == Identical::Keep {
        return built;
    }
    let mut kept: Vec<Built> = Vec::new();
    for next in built {
        match kept.iter_mut().find(|first| is_same(first, &next)) {
            Some(first) => first.build.same.push(next.build.full_name()),
            None => kept.push(next),
        }
    }
    kept
}

fn is_same(a: &Built, b: &Built) -> bool {
    let is_built = a.library.is_ok() && b.library.is_ok() && !a.build.code.is_empty();
    is_built && a.build.code == b.build.code && a.function == b.function && a.is_residency() == b.is_residency()
}

#[cfg(test)]
mod tests {
    use paw_data::build::Build;

    use super::*;
    use crate::spec::Variant;

    fn built(flags: &str, code: &str, function: &str) -> Built {
        let build = Build { compiler: "cc".into(), flags: flags.into(), code: code.into(), ..Build::default() };
        Built { build, variant: None, function: function.into(), library: Ok(format!("{flags}.so").into()) }
    }

    fn rows(built: &[Built]) -> Vec<String> {
        built.iter().map(|b| format!("{} {}: {}", b.build.name(), b.function, b.build.same.join(", "))).collect()
    }

    #[test]
    fn the_same_code_and_function_is_one_row_with_all_names() {
        let all = vec![built("-O1", "a", "f"), built("-O2", "b", "f"), built("-O3", "a", "f"), built("-Os", "a", "g")];
        assert_eq!(rows(&merge(all.clone(), Identical::Merge)), ["cc -O1 f: cc -O3", "cc -O2 f: ", "cc -Os g: "]);
        assert_eq!(merge(all.clone(), Identical::Keep), all);
    }

    #[test]
    fn what_did_not_build_stays() {
        let failed = || Built { library: Err("did not build: no".into()), ..built("-O1", "", "f") };
        assert_eq!(merge(vec![failed(), failed()], Identical::Merge).len(), 2);
    }

    #[test]
    fn a_variant_that_only_moves_data_is_not_merged() {
        let residency = Variant { name: "move".into(), define: vec![], flags: vec![], function: None, residency: true };
        let moves = Built { variant: Some(residency), ..built("-O1", "a", "f") };
        assert_eq!(merge(vec![built("-O1", "a", "f"), moves], Identical::Merge).len(), 2);
    }
}
