//! Memory that devices use: their own, and the host's of every kind.
#![allow(unsafe_code)]

use std::alloc::{self, Layout};
use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

use super::calls::call;
use super::library::Api;
use super::objects::{Handle, OwnedObject};
use super::status::{done, scarce};
use super::structures::{DeviceMemDesc, HostMemDesc, Opaque, Structure};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::HostKind;
use crate::device::span::within;

/// Memory of the host begins with a page, and is touched page by page.
const PAGE: usize = 4096;
/// Intel's functions beyond the interface that lock memory of the program's own (`zex_driver.h` of its driver): both take the driver
/// and the address, the first the size too.
const IMPORT: &CStr = c"zexDriverImportExternalPointer";
const RELEASE: &CStr = c"zexDriverReleaseImportedPointer";

type Import = unsafe extern "C" fn(Opaque, *mut c_void, usize) -> c_int;
type Release = unsafe extern "C" fn(Opaque, *mut c_void) -> c_int;

/// Whom memory belongs to.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    pub(super) api: &'static Api,
    pub(super) driver: Handle,
    pub(super) context: &'a Arc<OwnedObject>,
}

/// Memory, given back when the last queue that uses it has let go of it.
pub(super) struct Memory {
    base: *mut u8,
    bytes: usize,
    /// What it is on the host; `None` on a device.
    host: Option<HostKind>,
    store: Store,
}

enum Store {
    /// The driver's, of a device or of the host.
    Drivers { api: &'static Api, context: Arc<OwnedObject> },
    /// Pages of our own.
    Pages(Layout),
    /// Pages of our own, which the driver has locked.
    Locked(Layout, Handle, Release),
}

// SAFETY: memory of our own that is never lent, used through raw pointers alone.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Where it begins, on the device or on the host.
    pub(super) fn address(&self) -> usize {
        self.base.expose_provenance()
    }

    /// Memory of `device`.
    pub(super) fn of_device(owner: Owner<'_>, device: Handle, bytes: usize) -> DeviceResult<Self> {
        let desc = DeviceMemDesc::new();
        let mut at = std::ptr::null_mut();
        // No size may be zero; 0 leaves the alignment to the driver.
        call!(
            owner.api,
            mem_alloc_device(owner.context.raw(), &raw const desc, bytes.max(1), 0, device.0, &raw mut at)
        )
        .map_err(|error| scarce(error, bytes, "the device"))?;
        Ok(Self { base: at.cast(), bytes, host: None, store: Store::of(owner) })
    }

    /// Memory of the host, every page touched.
    pub(super) fn of_host(owner: Owner<'_>, bytes: usize, kind: HostKind) -> DeviceResult<Self> {
        let (base, store) = match kind {
            HostKind::Pageable => own(bytes).map(|(base, layout)| (base, Store::Pages(layout))),
            HostKind::Registered => registered(owner, bytes),
            HostKind::Pinned | HostKind::Mapped => drivers(owner, bytes).map(|base| (base, Store::of(owner))),
        }?;
        Ok(Self { base, bytes, host: Some(kind), store })
    }

    /// The address `offset` bytes from the beginning, for `bytes` from there.
    #[inline]
    pub(super) fn at(&self, offset: usize, bytes: usize) -> DeviceResult<*mut u8> {
        within(offset, bytes, self.bytes)?;
        Ok(self.base.wrapping_add(offset))
    }

    /// Whether a kernel reads and writes it in place of a copy.
    pub(super) fn is_mapped(&self) -> bool {
        self.host == Some(HostKind::Mapped)
    }

    /// Copies `bytes` to `offset` of memory of the host.
    pub(super) fn write(&self, offset: usize, bytes: &[u8]) -> DeviceResult {
        let at = self.at(offset, bytes.len())?;
        // SAFETY: as many bytes of the host are there; a slice of safe code never overlaps them, because they are never lent.
        unsafe { at.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    /// Copies from `offset` of memory of the host into `bytes`.
    pub(super) fn read(&self, offset: usize, bytes: &mut [u8]) -> DeviceResult {
        let at = self.at(offset, bytes.len())?;
        // SAFETY: as above; all of it was written when it was made.
        unsafe { at.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }
}

impl Store {
    fn of(owner: Owner<'_>) -> Self {
        Store::Drivers { api: owner.api, context: Arc::clone(owner.context) }
    }
}

/// Page-locked memory by the driver, which every device of the context may use.
fn drivers(owner: Owner<'_>, bytes: usize) -> DeviceResult<*mut u8> {
    let desc = HostMemDesc::new();
    let mut at = std::ptr::null_mut();
    call!(owner.api, mem_alloc_host(owner.context.raw(), &raw const desc, bytes.max(1), PAGE, &raw mut at))
        .map_err(|error| scarce(error, bytes, "the host's share that may be locked"))?;
    // SAFETY: the driver allocated that many bytes just now; writing touches every page.
    unsafe { at.cast::<u8>().write_bytes(0, bytes) };
    Ok(at.cast())
}

fn registered(owner: Owner<'_>, bytes: usize) -> DeviceResult<(*mut u8, Store)> {
    let api = owner.api;
    let functions = api.extension(owner.driver.0, IMPORT).zip(api.extension(owner.driver.0, RELEASE));
    let Some((import, release)) = functions else {
        let why = "this driver of Level Zero locks no memory that a program allocated itself; choose host=pinned";
        return Err(DeviceError::Unsupported(why.to_owned()));
    };
    // SAFETY: the driver's function of that name, whose signature zex_driver.h gives.
    let import = unsafe { std::mem::transmute::<*mut c_void, Import>(import) };
    // SAFETY: as above.
    let release = unsafe { std::mem::transmute::<*mut c_void, Release>(release) };
    let (base, layout) = own(bytes)?;
    // SAFETY: whole pages of our own, allocated just now.
    let code = unsafe { import(owner.driver.0, base.cast(), layout.size()) };
    if let Err(error) = done("zexDriverImportExternalPointer", code) {
        // SAFETY: allocated above with this layout, and not locked.
        unsafe { alloc::dealloc(base, layout) };
        return Err(scarce(error, bytes, "the host's share that may be locked"));
    }
    Ok((base, Store::Locked(layout, owner.driver, release)))
}

/// Whole pages of our own, every one touched.
fn own(bytes: usize) -> DeviceResult<(*mut u8, Layout)> {
    let short = DeviceError::NoMemory { bytes, what: "the host" };
    let size = bytes.max(1).checked_next_multiple_of(PAGE);
    let layout = size.and_then(|size| Layout::from_size_align(size, PAGE).ok()).ok_or_else(|| short.clone())?;
    // SAFETY: the layout is not empty.
    let base = unsafe { alloc::alloc(layout) };
    if base.is_null() {
        return Err(short);
    }
    // SAFETY: that many bytes were allocated; writing touches every page.
    unsafe { base.write_bytes(0, layout.size()) };
    Ok((base, layout))
}

impl Drop for Memory {
    fn drop(&mut self) {
        match &self.store {
            Store::Drivers { api, context } => {
                // A dead device's memory is gone anyway.
                let _ = call!(api, mem_free(context.raw(), self.base.cast()));
                return;
            }
            Store::Pages(_) => {}
            Store::Locked(_, driver, release) => {
                // SAFETY: the driver locked this address when it was made, and nothing copies it any more.
                let _ = unsafe { release(driver.0, self.base.cast()) };
            }
        }
        if let Store::Pages(layout) | Store::Locked(layout, ..) = self.store {
            // SAFETY: allocated with this layout, and given back once.
            unsafe { alloc::dealloc(self.base, layout) };
        }
    }
}
