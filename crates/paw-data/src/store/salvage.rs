//! Recovery of the readable fields of a damaged header.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::json;
use crate::method::{Estimator, Method, Plan};
use crate::run::Header;

/// The fields of a header that can be read one by one; `None` where the line is no JSON object.
pub(super) fn header(line: &[u8], path: &Path) -> Option<Header> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let object = value.as_object()?;
    let mut header = unknown_header(path);
    keep(object.get("schema"), &mut header.schema);
    keep(object.get("id"), &mut header.id);
    keep(object.get("tool"), &mut header.tool);
    keep(object.get("argv"), &mut header.argv);
    keep(object.get("utc"), &mut header.utc);
    keep(object.get("env"), &mut header.env);
    keep(object.get("app"), &mut header.app);
    keep(object.get("machine"), &mut header.machine);
    keep(object.get("plan"), &mut header.plan);
    Some(header)
}

fn keep<T: DeserializeOwned>(value: Option<&Value>, field: &mut T) {
    if let Some(known) = value.and_then(|v| json::from_value(v).ok()) {
        *field = known;
    }
}

/// The header of a run whose own is unreadable; the run is named after its directory.
pub(super) fn unknown_header(path: &Path) -> Header {
    let directory = path.parent().and_then(Path::file_name).unwrap_or(path.as_os_str());
    let plan = Plan::new(Method::without_series("unknown", Estimator::Median), 0, None);
    Header::bare(directory.to_string_lossy().into_owned(), "unknown".to_owned(), plan)
}
