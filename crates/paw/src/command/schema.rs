//! `paw schema`: what a line of run.jsonl may hold, as a JSON Schema.

use crate::exit::Code;
use crate::failure::Failure;
use crate::print;

/// Prints the schema.
pub fn schema() -> Result<Code, Failure> {
    print::show(paw_data::store::JSON_SCHEMA)?;
    Ok(Code::Done)
}
