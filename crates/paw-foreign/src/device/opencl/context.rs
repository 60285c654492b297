//! The context and the memory that devices of one platform share.

use std::sync::Arc;

use opencl_sys::cl_device_id;

use super::buffer::Buffer;
use super::host::HostMemory;
use super::library::Api;
use super::objects::{DeviceId, OwnedObject};
use super::status::made;
use crate::device::error::DeviceError;
use crate::device::facts::Backend;
use crate::device::table::{HandleTable, ObjectKind};

/// A context of devices. Buffers belong to it, not to a device, so that devices can copy from each other.
pub(super) struct Context {
    pub(super) api: &'static Api,
    /// Numbers of its devices.
    pub(super) members: Vec<u32>,
    /// Buffers on devices.
    pub(super) buffers: HandleTable<Arc<Buffer>>,
    /// Memory of the host.
    pub(super) hosts: HandleTable<Arc<HostMemory>>,
    // Last: fields are dropped in order.
    pub(super) raw: OwnedObject,
}

impl Context {
    /// A context of `devices`, each with its number; a device may be listed twice.
    pub(super) fn of(api: &'static Api, devices: &[(u32, DeviceId)]) -> Result<Self, DeviceError> {
        let mut unique: Vec<cl_device_id> = Vec::new();
        for (_, device) in devices {
            if !unique.contains(&device.0) {
                unique.push(device.0);
            }
        }
        let count = unique.len() as u32;
        let mut status = 0;
        let none = std::ptr::null_mut();
        // SAFETY: the devices are of one platform, there are `count` of them, and nobody is to be notified.
        let raw =
            unsafe { (api.clCreateContext)(std::ptr::null(), count, unique.as_ptr(), None, none, &raw mut status) };
        let raw = made("clCreateContext", status, raw)?;
        let device = (Backend::OpenCl, devices.first().map_or(0, |(index, _)| *index));
        Ok(Self {
            api,
            members: devices.iter().map(|(index, _)| *index).collect(),
            buffers: HandleTable::new(ObjectKind::Memory, device),
            hosts: HandleTable::new(ObjectKind::HostMemory, device),
            raw: OwnedObject::new(raw, api.clReleaseContext),
        })
    }
}
