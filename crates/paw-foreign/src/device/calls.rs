//! The functions of a driver's interface, as a table of addresses, and how they are called. CUDA's and HIP's are alike: they return a
//! status, and take addresses and pointers that only the library follows.

use std::ffi::{c_int, c_void};

/// An address on a device: `CUdeviceptr`, `hipDeviceptr_t`.
pub(super) type Address = u64;
/// Contexts, streams, events, modules, functions, pools: pointers that only the library dereferences.
pub(super) type Opaque = *mut c_void;
/// A device, as the interface counts: `CUdevice`, `hipDevice_t`.
pub(super) type Ordinal = c_int;

/// A function of the library, and its name for errors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<F> {
    /// Its symbol.
    pub(super) name: &'static str,
    /// Its address.
    pub(super) function: F,
}

/// A table of functions, each `field "symbol" (arguments);`: those that are required, and those that old libraries lack.
macro_rules! driver_calls {
    (
        required { $($field:ident $symbol:literal ($($argument:ty),*);)* }
        optional { $($may:ident $may_symbol:literal ($($may_argument:ty),*);)* }
    ) => {
        /// Addresses of the functions; those that old drivers lack are optional.
        #[derive(Debug, Clone, Copy)]
        pub(super) struct Calls {
            $(pub(super) $field: $crate::device::calls::Call<unsafe extern "C" fn($($argument),*) -> std::ffi::c_int>,)*
            $(pub(super) $may: $crate::device::calls::Call<Option<unsafe extern "C" fn($($may_argument),*) -> std::ffi::c_int>>,)*
        }

        impl Calls {
            /// The table of a library in which symbols have these addresses; the error is the symbol that is missing.
            ///
            /// # Safety
            /// Every address must be that of the function of that name in a library of the interface.
            pub(super) unsafe fn bind(address: impl Fn(&str) -> Option<usize>) -> Result<Self, &'static str> {
                $(let $field = address($symbol).ok_or($symbol)?;)*
                $(let $may = address($may_symbol).unwrap_or(0);)*
                Ok(Self {
                    $($field: $crate::device::calls::Call {
                        name: $symbol,
                        // SAFETY: an address that is not null, of a function whose signature the driver interface's reference gives.
                        function: unsafe {
                            std::mem::transmute::<usize, unsafe extern "C" fn($($argument),*) -> std::ffi::c_int>($field)
                        },
                    },)*
                    $($may: $crate::device::calls::Call {
                        name: $may_symbol,
                        // SAFETY: as above; a null address is `None`.
                        function: unsafe {
                            std::mem::transmute::<usize, Option<unsafe extern "C" fn($($may_argument),*) -> std::ffi::c_int>>($may)
                        },
                    },)*
                })
            }

            /// A table of functions that do nothing and report success.
            // Not every interface has a null device.
            #[allow(dead_code)]
            pub(super) fn null() -> Self {
                $(unsafe extern "C" fn $field($(_: $argument),*) -> std::ffi::c_int { 0 })*
                $(unsafe extern "C" fn $may($(_: $may_argument),*) -> std::ffi::c_int { 0 })*
                Self {
                    $($field: $crate::device::calls::Call { name: $symbol, function: $field },)*
                    $($may: $crate::device::calls::Call { name: $may_symbol, function: Some($may) },)*
                }
            }
        }
    };
}

/// Calls a required function: `call!(library, mem_free(address))`.
///
/// The caller vouches for the arguments: handles are live ones of the library, addresses were checked against their memory, and
/// memory of what a call leaves in flight is kept.
macro_rules! call {
    ($library:expr, $field:ident ($($argument:expr),* $(,)?)) => {{
        let library = $library;
        let call = library.calls.$field;
        // SAFETY: the address is that of the function of this name, which has this signature; arguments as required above.
        let code = unsafe { (call.function)($($argument),*) };
        if code == 0 { Ok(()) } else { Err(library.failed(call.name, code)) }
    }};
}

/// Calls a function that not every driver has: `call_if_there!(library, mem_free_async(address, stream))`.
macro_rules! call_if_there {
    ($library:expr, $field:ident ($($argument:expr),* $(,)?)) => {{
        let library = $library;
        let call = library.calls.$field;
        match call.function {
            Some(function) => {
                // SAFETY: as in `call!`.
                let code = unsafe { function($($argument),*) };
                if code == 0 { Ok(()) } else { Err(library.failed(call.name, code)) }
            }
            None => Err(library.absent(call.name)),
        }
    }};
}

pub(super) use {call, call_if_there, driver_calls};
