//! Libraries opened at run time, and tables of their functions.
#![allow(unsafe_code)]

use std::error::Error;
use std::mem::ManuallyDrop;

/// A library, opened for good: drivers do not survive being closed.
pub(super) struct Library {
    library: ManuallyDrop<libloading::Library>,
    name: String,
}

impl Library {
    /// Opens the first of these files that there is; the error is what the system says of the first.
    pub(super) fn open<N: AsRef<str>>(names: &[N]) -> Result<Self, String> {
        let mut refused = None;
        for name in names.iter().map(AsRef::as_ref) {
            // SAFETY: a library's initialisers run here; who installs a driver under this name vouches for them.
            match unsafe { libloading::Library::new(name) } {
                Ok(library) => return Ok(Self { library: ManuallyDrop::new(library), name: name.to_owned() }),
                Err(error) => {
                    let said = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                    refused.get_or_insert(said);
                }
            }
        }
        Err(refused.unwrap_or_default())
    }

    /// The function of this name.
    ///
    /// # Safety
    /// `F` must be its type, a pointer to a function.
    pub(super) unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: the caller vouches for the type.
        let found = unsafe { self.library.get::<F>(format!("{name}\0").as_bytes()) };
        found.map(|symbol| *symbol).map_err(|_| format!("{} has no {name}", self.name))
    }
}

/// A library's functions, found by their names when it is opened.
macro_rules! functions {
    ($(#[$doc:meta])* $table:ident: $($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        $(#[$doc])*
        #[allow(non_snake_case)]
        pub(super) struct $table {
            $($name: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl $table {
            /// Opens the first of these files that there is, and finds all functions in it.
            fn found_in<N: AsRef<str>>(files: &[N]) -> Result<Self, String> {
                let library = crate::device::sys::Library::open(files)?;
                Ok(Self {
                    // SAFETY: the types are those of the vendor's header.
                    $($name: unsafe { library.function(stringify!($name)) }?,)*
                })
            }
        }
    };
}

pub(super) use functions;
