//! Words joined into sentences.

/// `a`, `a and b`, `a, b and c`; past `most` the rest is counted.
pub fn listed(names: &[String], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(String::as_str).collect();
    match (shown.as_slice(), names.len().saturating_sub(most)) {
        ([], _) => String::new(),
        (all, more @ 1..) => format!("{} and {more} more", all.join(", ")),
        ([one], 0) => (*one).to_owned(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
    }
}

/// `is` or `are`.
pub fn is(n: usize) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

/// `was` or `were`.
pub fn was(n: usize) -> &'static str {
    if n == 1 { "was" } else { "were" }
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn a_list_ends_with_and() {
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        let shown = [0, 1, 2, 3, 4].map(|n| listed(&names[..n], 3));
        assert_eq!(shown, ["", "a", "a and b", "a, b and c", "a, b, c and 1 more"]);
    }
}
