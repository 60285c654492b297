//! The files a run is kept in: written as it goes, read back whatever happened to them, exported for others.
//!
//! Nothing here reads a clock: when to save is the caller's to say.

mod assembler;
mod columns;
pub mod counter_import;
pub mod csv;
mod damage;
pub mod dat;
mod directory;
pub mod exposition;
mod extent;
pub mod history;
pub mod hyperfine;
pub mod json;
mod jsonl;
pub mod parquet;
mod parsed_line;
mod read_error;
mod reader;
mod salvage;
mod schema;
mod statistics;
pub mod table_import;
mod writer;

pub use directory::{FILE, create, create_under};
pub use extent::Extent;
pub use read_error::ReadError;
pub use reader::{parse, parse_extent, read, read_extent};
pub use schema::JSON_SCHEMA;
pub use writer::{WriteError, Writer, write};
