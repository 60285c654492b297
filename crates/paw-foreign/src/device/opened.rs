//! An open library of a vendor's, why one is not, and a table of its functions.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::object::SharedObject;

/// An open library of a vendor's toolkit.
#[derive(Debug)]
pub(crate) struct OpenedLibrary {
    pub(crate) object: SharedObject,
    pub(crate) path: PathBuf,
}

/// The path that `variable` names; an empty one names nothing.
pub(super) fn named_by(variable: &str) -> Option<OsString> {
    env::var_os(variable).filter(|path| !path.is_empty())
}

/// Whether the loader says that there is no such file.
pub(super) fn is_absent(said: &str) -> bool {
    said.contains("No such file")
}

/// Why a library did not open: `role` says why it was tried, `remedy` what to do about one that is there.
pub(super) fn unopened(path: &Path, said: &str, role: &str, remedy: &str) -> String {
    let is_there = path.exists();
    let path = path.display();
    // The loader says the same where the library needs another one that is missing.
    if is_absent(said) && !is_there {
        return format!("{path}, {role}, does not exist; name a file that does, or none");
    }
    format!("{path}, {role}, does not open: {said}; {remedy}")
}

/// A table of a library's functions, each `field = "symbol"(arguments);`, all of which return a status.
macro_rules! library_calls {
    ($($field:ident = $symbol:literal ($($argument:ty),*);)*) => {
        /// Addresses of the functions.
        #[derive(Debug)]
        struct Calls {
            $($field: unsafe extern "C" fn($($argument),*) -> std::ffi::c_int,)*
        }

        impl Calls {
            /// The functions of `opened`, which should be `what`; the error is one sentence.
            fn find(opened: &$crate::device::opened::OpenedLibrary, what: &str) -> Result<Self, String> {
                let lacks = |symbol| format!("{}: not {what}: it has no {symbol}", opened.path.display());
                // SAFETY: the signatures are those of the vendor's header, the same in all versions that are opened.
                Ok(Self { $($field: unsafe { opened.object.function($symbol) }.ok_or_else(|| lacks($symbol))?,)* })
            }
        }
    };
}
pub(crate) use library_calls;
