//! CSV export.
