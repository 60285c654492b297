//! The model that every printer shows: text, tables, and plots drawn on demand. Printers know nothing else.

mod chapter;
mod listing;
mod page;
mod table;

pub use chapter::{Bar, Bars, Best, Chapter, Fact, LongTable, Multiple, Overview, Part, Picture, Plots, Sentence};
pub use listing::{Listing, Stretch};
pub use page::{Conclusion, Family, Page};
pub use table::{Absent, Align, BuildName, Column, ColumnKind, Field, Row, Table, Tone, Value};
