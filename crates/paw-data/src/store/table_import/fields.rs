//! Single fields: times, thread counts, values of axes.

use super::error::TableError;
use super::sheet::Sheet;
use crate::point::AxisValue;

/// Words for a field without a number.
const ABSENT: [&str; 6] = ["", "-", "NA", "N/A", "n/a", "nan"];

/// The time in a field, in its unit; `None` where it has none.
pub(super) fn time(sheet: &Sheet, row: usize, column: usize) -> Result<Option<f64>, TableError> {
    let wrong =
        || sheet.wrong(row, column, "which is no time: correct it, or leave it empty where nothing was measured");
    match number(sheet, row, column) {
        Ok(Some(time)) if time < 0.0 => Err(wrong()),
        Ok(found) => Ok(found),
        Err(_) => Err(wrong()),
    }
}

/// The number in a field; `None` where it has none.
pub(super) fn number(sheet: &Sheet, row: usize, column: usize) -> Result<Option<f64>, TableError> {
    let text = sheet.field(row, column);
    if ABSENT.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Ok(None);
    }
    let wrong = || sheet.wrong(row, column, "which is no number: correct it, or leave it empty");
    let value: f64 = plain(sheet, text).parse().map_err(|_| wrong())?;
    if value.is_finite() { Ok(Some(value)) } else { Err(wrong()) }
}

/// The value of an axis in a field: a whole number, a number or a word.
pub(super) fn value(sheet: &Sheet, row: usize, column: usize) -> Result<AxisValue, TableError> {
    let text = sheet.field(row, column);
    if text.is_empty() {
        return Err(sheet.wrong(row, column, "which is no size: every row needs one"));
    }
    Ok(axis_value(&plain(sheet, text)).unwrap_or_else(|| AxisValue::Text(text.into())))
}

/// The number that `text` is.
pub(super) fn axis_value(text: &str) -> Option<AxisValue> {
    let whole = text.parse().map(AxisValue::Int).ok();
    whole.or_else(|| text.parse().ok().filter(|value: &f64| value.is_finite()).map(AxisValue::Float))
}

/// The thread count in a field.
pub(super) fn threads(sheet: &Sheet, row: usize, column: usize) -> Result<u32, TableError> {
    let wrong = || sheet.wrong(row, column, "which is no thread count: write a whole number from 1 on");
    sheet.field(row, column).parse().ok().filter(|count| *count > 0).ok_or_else(wrong)
}

/// The word in a field.
pub(super) fn word(sheet: &Sheet, row: usize, column: usize) -> Result<String, TableError> {
    let text = sheet.field(row, column);
    if text.is_empty() {
        return Err(sheet.wrong(row, column, "which is no program: every row needs one"));
    }
    Ok(text.to_owned())
}

/// `text` with a point for a decimal comma, where commas separate nothing.
fn plain(sheet: &Sheet, text: &str) -> String {
    let is_decimal = sheet.decimal_comma && text.matches(',').count() == 1 && !text.contains('.');
    if is_decimal { text.replace(',', ".") } else { text.to_owned() }
}
