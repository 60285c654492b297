//! Which build a reference means.

use crate::spec::Reference;

impl Reference {
    /// Whether a build of this variant, by this compiler, with these flags, or flags called so, is the one that is meant. What a spec leaves
    /// open fits every build, and so does a reference that is none: the first is meant.
    pub fn fits(&self, variant: &str, compiler: &str, flags: [&str; 2]) -> bool {
        let Reference::Build { variant: named, compiler: asked, flags: typed } = self else { return true };
        named.as_deref().is_none_or(|named| named == variant)
            && asked.as_deref().is_none_or(|asked| is_called(compiler, asked))
            && typed.as_deref().is_none_or(|typed| flags.contains(&typed))
    }
}

/// Whether a compiler found as `found` is the one `asked` for: `clang` may have been found as `clang-19`.
fn is_called(found: &str, asked: &str) -> bool {
    found.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_open_fits_every_build() {
        let of = |variant: Option<&str>, compiler: Option<&str>, flags: Option<&str>| Reference::Build {
            variant: variant.map(str::to_owned),
            compiler: compiler.map(str::to_owned),
            flags: flags.map(str::to_owned),
        };
        let build = ("rows", "clang-19", ["-O2 -g", "base"]);
        let fits = |reference: Reference| reference.fits(build.0, build.1, build.2);
        assert!(fits(Reference::First) && fits(of(None, None, None)));
        assert!(
            fits(of(Some("rows"), Some("clang"), Some("base"))) && fits(of(None, Some("clang-19"), Some("-O2 -g")))
        );
        assert!(!fits(of(Some("plain"), None, None)) && !fits(of(None, Some("clang-1"), None)));
        assert!(!fits(of(None, None, Some("-O2"))));
    }
}
