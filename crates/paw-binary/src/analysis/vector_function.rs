//! Names of mathematical functions and of their vector forms.

/// A vector form of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorFunction {
    /// The scalar function: `exp`.
    pub name: String,
    /// Elements of one call; `None` where the vector length is chosen at run time.
    pub lanes: Option<u32>,
    /// The library whose names look so: `libmvec`; empty for a function of the program's own.
    pub library: &'static str,
}

/// What functions of mathematics are called in words.
const WORDS: &[(&str, &str)] = &[
    ("exp", "exponential"),
    ("exp2", "base-2 exponential"),
    ("exp10", "base-10 exponential"),
    ("expm1", "exponential minus one"),
    ("log", "logarithm"),
    ("log2", "base-2 logarithm"),
    ("log10", "base-10 logarithm"),
    ("log1p", "logarithm of one plus x"),
    ("pow", "power"),
    ("sin", "sine"),
    ("cos", "cosine"),
    ("sincos", "sine and cosine"),
    ("tan", "tangent"),
    ("asin", "arc sine"),
    ("acos", "arc cosine"),
    ("atan", "arc tangent"),
    ("atan2", "arc tangent of two"),
    ("sinh", "hyperbolic sine"),
    ("cosh", "hyperbolic cosine"),
    ("tanh", "hyperbolic tangent"),
    ("erf", "error function"),
    ("erfc", "complementary error function"),
    ("cbrt", "cube root"),
    ("hypot", "hypotenuse"),
    ("sqrt", "square root"),
];

/// The vector function of this name: by the x86 vector ABI that libmvec follows (`_ZGVdN4v_exp`), by Intel's (`__svml_exp4`), AMD's
/// (`amd_vrd4_exp`) or SLEEF's (`Sleef_expd4_u10avx2`).
#[must_use]
pub fn vector_function(symbol: &str) -> Option<VectorFunction> {
    let numbered = |text: &str| {
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        (text[..digits].parse::<u32>().ok(), text[digits..].to_owned())
    };
    if let Some(rest) = symbol.strip_prefix("_ZGV") {
        let mut letters = rest.chars();
        let (set, mask) = (letters.next()?, letters.next()?);
        if !set.is_ascii_lowercase() || !matches!(mask, 'N' | 'M') {
            return None;
        }
        let (lanes, rest) = numbered(letters.as_str());
        let name = rest.split_once('_')?.1.to_owned();
        let library = if word(&name).is_some() { "libmvec" } else { "" };
        return Some(VectorFunction { name, lanes, library }).filter(|found| !found.name.is_empty());
    }
    if let Some(rest) = symbol.strip_prefix("__svml_") {
        let at = rest.find(|c: char| c.is_ascii_digit() && !rest.starts_with(&format!("exp{c}_")))?;
        let lanes = numbered(&rest[at..]).0;
        return Some(VectorFunction { name: rest[..at].to_owned(), lanes, library: "SVML" });
    }
    if let Some(rest) = symbol.strip_prefix("amd_vr") {
        let (lanes, rest) = numbered(rest.get(1..)?);
        return Some(VectorFunction { name: rest.strip_prefix('_')?.to_owned(), lanes, library: "AMD LibM" });
    }
    let rest = symbol.strip_prefix("Sleef_")?;
    let (stem, _) = rest.split_once('_')?;
    let end = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = stem[end.len()..].parse().ok();
    let name = end.strip_suffix(['d', 'f'])?;
    Some(VectorFunction { name: name.to_owned(), lanes, library: "SLEEF" })
}

/// Where a call goes, in words: `the vector exponential of libmvec, 4 lanes`, or `exp`.
#[must_use]
pub fn called_in_words(symbol: &str) -> String {
    let Some(vector) = vector_function(symbol) else { return crate::demangled(symbol) };
    let name = match word(&vector.name) {
        Some(word) => format!("the vector {word}"),
        None => format!("the vector form of {}", vector.name),
    };
    let library = if vector.library.is_empty() { String::new() } else { format!(" of {}", vector.library) };
    let lanes = vector.lanes.map(|lanes| format!(", {lanes} lanes")).unwrap_or_default();
    format!("{name}{library}{lanes}")
}

fn word(name: &str) -> Option<&'static str> {
    let find = |name: &str| WORDS.iter().find(|(known, _)| *known == name).map(|(_, word)| *word);
    find(name).or_else(|| find(name.strip_suffix('f')?))
}

#[cfg(test)]
mod tests {
    use super::called_in_words;

    #[test]
    fn vector_functions_have_a_name_in_words() {
        for (symbol, words) in [
            ("_ZGVdN4v_exp", "the vector exponential of libmvec, 4 lanes"),
            ("_ZGVeN16v_sinf", "the vector sine of libmvec, 16 lanes"),
            ("_ZGVbN2vv_pow", "the vector power of libmvec, 2 lanes"),
            ("_ZGVdN4v_mine", "the vector form of mine, 4 lanes"),
            ("__svml_exp4", "the vector exponential of SVML, 4 lanes"),
            ("amd_vrd4_exp", "the vector exponential of AMD LibM, 4 lanes"),
            ("Sleef_expd4_u10avx2", "the vector exponential of SLEEF, 4 lanes"),
            ("exp", "exp"),
            ("_ZGV", "_ZGV"),
            ("__svml_", "__svml_"),
        ] {
            assert_eq!(called_in_words(symbol), words, "{symbol}");
        }
    }
}
