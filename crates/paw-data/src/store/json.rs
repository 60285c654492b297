//! JSON export.
