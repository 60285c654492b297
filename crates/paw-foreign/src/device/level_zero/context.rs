//! The context that devices of one driver share, and its memory.
#![allow(unsafe_code)]

use std::sync::Arc;

use super::calls::call;
use super::library::Api;
use super::memory::{Memory, Owner};
use super::objects::{Handle, OwnedObject};
use super::structures::{ContextDesc, Structure};
use crate::device::error::DeviceResult;
use crate::device::facts::Backend;
use crate::device::table::{HandleTable, ObjectKind};

/// A context. Memory belongs to it, so that its devices can copy from each other.
pub(super) struct Context {
    pub(super) api: &'static Api,
    pub(super) driver: Handle,
    /// Its devices, by number.
    pub(super) members: Vec<(u32, Handle)>,
    /// Memory of devices.
    pub(super) memories: HandleTable<Arc<Memory>>,
    /// Memory of the host.
    pub(super) hosts: HandleTable<Arc<Memory>>,
    // Last, and shared with memory that queues still use.
    pub(super) raw: Arc<OwnedObject>,
}

impl Context {
    /// The owner of its memory.
    pub(super) fn owner(&self) -> Owner<'_> {
        Owner { api: self.api, driver: self.driver, context: &self.raw }
    }

    /// A context of the driver of these devices, each with its number.
    pub(super) fn of(api: &'static Api, driver: Handle, members: Vec<(u32, Handle)>) -> DeviceResult<Self> {
        let desc = ContextDesc::new();
        let mut raw = std::ptr::null_mut();
        call!(api, context_create(driver.0, &raw const desc, &raw mut raw))?;
        let device = (Backend::LevelZero, members.first().map_or(0, |(index, _)| *index));
        Ok(Self {
            api,
            driver,
            members,
            memories: HandleTable::new(ObjectKind::Memory, device),
            hosts: HandleTable::new(ObjectKind::HostMemory, device),
            raw: Arc::new(OwnedObject::new(raw, api.calls.context_destroy.function)),
        })
    }
}
