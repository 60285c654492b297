//! Names of functions as their source has them.

/// Longest symbol that is demangled; a longer one is shown as it stands.
const SYMBOL_BYTES_MAX: usize = 8192;
/// Depth at which a demangler of C++ gives up, so that a crafted name does not exhaust the stack.
const DEPTH_MAX: u32 = 96;

/// The name of a symbol as in its source: Rust and C++ names without their encoding, those of stubs (`F@plt`) too, others as they stand.
#[must_use]
pub fn demangled(symbol: &str) -> String {
    if symbol.len() > SYMBOL_BYTES_MAX {
        return symbol.to_owned();
    }
    if let Some(called) = symbol.strip_suffix("@plt") {
        return format!("{}@plt", demangled(called));
    }
    if let Ok(rust) = rustc_demangle::try_demangle(symbol) {
        return format!("{rust:#}");
    }
    if symbol.starts_with("_Z") && !symbol.starts_with("_ZGV") {
        return cpp(symbol).unwrap_or_else(|| symbol.to_owned());
    }
    symbol.to_owned()
}

fn cpp(symbol: &str) -> Option<String> {
    let parsing = cpp_demangle::ParseOptions::default().recursion_limit(DEPTH_MAX);
    let writing = cpp_demangle::DemangleOptions::default().recursion_limit(DEPTH_MAX);
    let parsed = cpp_demangle::Symbol::new_with_options(symbol, &parsing).ok()?;
    parsed.demangle_with_options(&writing).ok()
}

#[cfg(test)]
mod tests {
    use super::demangled;

    #[test]
    fn names_are_those_of_the_source() {
        assert_eq!(demangled("exp"), "exp");
        assert_eq!(demangled("_ZN4test3fooEi"), "test::foo(int)");
        assert_eq!(demangled("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"), "core::fmt::Formatter::pad");
        assert_eq!(demangled("_ZGVdN4v_exp"), "_ZGVdN4v_exp");
        assert_eq!(demangled("_Z"), "_Z");
        assert_eq!(demangled("_ZN4test3fooEi@plt"), "test::foo(int)@plt");
    }
}
