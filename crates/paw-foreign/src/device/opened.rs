//! An open library beside the driver, and a table of its functions.

use std::path::PathBuf;

use crate::object::SharedObject;

/// An open library of a vendor's toolkit.
#[derive(Debug)]
pub(super) struct OpenedLibrary {
    pub(super) object: SharedObject,
    pub(super) path: PathBuf,
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
pub(super) use library_calls;
