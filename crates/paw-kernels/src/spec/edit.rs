//! Writes recommended values into a user's spec and leaves the rest of the text as it is.

use thiserror::Error;
use toml_edit::{DocumentMut, Item, TableLike, Value, table};

/// Why a value cannot be written, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditError {
    /// The text is no TOML.
    #[error("the spec cannot be read any more: {0}")]
    Broken(String),
    /// `measure` is something else than a table.
    #[error("`measure` is no table: write a line `[measure]`")]
    Measure,
    /// A value is too large for TOML.
    #[error("`{key}` would be {number}: at most {} can be written", i64::MAX)]
    Large {
        /// The key.
        key: &'static str,
        /// The value.
        number: u64,
    },
}

/// The text of a spec with these values under `[measure]`; `None` leaves a value as it is. Order, blanks and comments stay.
///
/// # Errors
/// The text is no TOML any more, `measure` is no table, or a value is too large for TOML.
pub fn recommend(text: &str, warmup: Option<u64>, reps: Option<u64>) -> Result<String, EditError> {
    let values: Vec<(&'static str, u64)> =
        [("warmup", warmup), ("reps", reps)].into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
    if values.is_empty() {
        return Ok(text.to_owned());
    }
    let broken =
        |error: toml_edit::TomlError| EditError::Broken(error.message().lines().collect::<Vec<_>>().join("; "));
    let mut document: DocumentMut = text.parse().map_err(broken)?;
    let measure = document.entry("measure").or_insert_with(table).as_table_like_mut().ok_or(EditError::Measure)?;
    for (key, number) in values {
        set(measure, key, i64::try_from(number).map_err(|_| EditError::Large { key, number })?);
    }
    // `toml_edit` ends every line with a line feed: restores the line ends of Windows.
    let edited = document.to_string();
    let is_windows = text.contains('\n') && text.matches('\n').count() == text.matches("\r\n").count();
    Ok(if is_windows { edited.replace('\n', "\r\n") } else { edited })
}

/// Sets a value and keeps the comment behind the old one.
fn set(table: &mut dyn TableLike, key: &str, number: i64) {
    let mut value = Value::from(number);
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::WHOLE;
    use super::*;

    #[track_caller]
    fn check(text: &str, warmup: Option<u64>, reps: Option<u64>, expected: &str) {
        assert_eq!(recommend(text, warmup, reps).as_deref(), Ok(expected));
    }

    #[test]
    fn all_else_stays_as_it_was() {
        let before = "# of mine\nname = 'a'   # here\n\n[measure]\n# how warm\nwarmup =  10 # not enough\nmetas=31\n\n[scalars]\n# none\n";
        let after = before.replace("10 #", "150 #").replace("metas=31\n", "metas=31\nreps = 1200\n");
        check(before, Some(150), Some(1200), &after);
        check(before, None, None, before);
        check(before, Some(150), None, &before.replace("10 #", "150 #"));
    }

    #[test]
    fn the_table_is_added_where_there_is_none() {
        check("name = 'a' # x\n", Some(20), Some(3), "name = 'a' # x\n\n[measure]\nwarmup = 20\nreps = 3\n");
        check("measure.metas = 31 # x\n", None, Some(3), "measure.metas = 31 # x\nmeasure.reps = 3\n");
        check("measure = { metas = 31 } # x\n", Some(2), None, "measure = { metas = 31 , warmup = 2 } # x\n");
        check("[measure]\n", Some(2), None, "[measure]\nwarmup = 2\n");
        check("[measure]\r\nreps = 2\r\n", None, Some(3), "[measure]\r\nreps = 3\r\n");
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        assert!(matches!(recommend("a = ", Some(1), None), Err(EditError::Broken(_))));
        assert_eq!(recommend("measure = 3", Some(1), None), Err(EditError::Measure));
        assert_eq!(recommend("", Some(u64::MAX), None), Err(EditError::Large { key: "warmup", number: u64::MAX }));
    }

    proptest! {
        #[test]
        fn only_two_lines_of_a_spec_change(warmup in 0..1_000_000_u64, reps in 1..1_000_000_u64, comment in "[a-z ]{0,8}") {
            let text = WHOLE.replace("metas = 15", &format!("metas = 15 #{comment}"));
            let edited = recommend(&text, Some(warmup), Some(reps)).unwrap();
            let expected = text.replace("warmup = 20", &format!("warmup = {warmup}")).replace("reps = 100", &format!("reps = {reps}"));
            prop_assert_eq!(&edited, &expected);
            let spec = super::super::tests::parse(&edited).unwrap();
            prop_assert_eq!((spec.measure.warmup, spec.measure.reps), (warmup, Some(reps)));
        }
    }
}
