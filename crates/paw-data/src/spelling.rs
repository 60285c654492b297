//! The known word that a mistyped one is most like.

/// The word among `known` that `typed` is most like, where one is near enough to be meant.
pub fn closest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A slip in a short word, or a third of a long one, still look like the word.
    let limit = (typed.chars().count() / 3).max(1);
    let near = known.into_iter().map(|word| (strsim::damerau_levenshtein(typed, word), word.len(), word));
    near.filter(|(distance, ..)| *distance <= limit).min().map(|(.., word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["threads", "n", "copies"];
        assert_eq!(closest("threds", known), Some("threads"));
        assert_eq!(closest("copeis", known), Some("copies"));
        assert_eq!(closest("variations", known), None);
    }
}
