//! `[reference]` of a kernel for a device.

use paw_data::document::{Document, DocumentError, Text};
use serde::Deserialize;

use super::super::Reference;
use super::super::arrays::split;
use super::super::reference::alone;
use super::super::source::existing;

/// Flags of a reference function in C: no optimisation that changes results.
const FLAGS: &str = "-O2";

/// `[reference]` as its author writes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ReferenceTable {
    file: Option<Text>,
    entry: Option<Text>,
    source: Option<Text>,
    flags: Option<Text>,
}

impl ReferenceTable {
    /// The reference that the table selects.
    pub fn reference(&self, document: &Document<'_>) -> Result<Reference, DocumentError> {
        let Self { file, entry, source, flags } = self;
        let typed = alone(document, [("file", file), ("entry", entry), ("source", source)])?;
        if let (Some(flags), None) = (flags, source) {
            let message = "`flags` build a `source`, and none is named: remove one of both";
            return Err(document.key_error(&flags.span, message));
        }
        Ok(match typed {
            None => Reference::First,
            Some(("file", path)) => Reference::File(existing(document, path)?),
            Some(("entry", name)) => Reference::Function(name.text.clone()),
            Some((_, path)) => {
                let flags = flags.as_ref().map(|flags| split(document, flags)).transpose()?;
                Reference::Source(existing(document, path)?, flags.unwrap_or_else(|| FLAGS.to_owned()))
            }
        })
    }
}
