//! What memory of a device holds.

use paw_foreign::device::{Device, DeviceMemory, HostKind, Queue};

/// Memory of the device that holds `bytes`.
pub fn filled(device: &Device, queue: &Queue, bytes: &[u8]) -> DeviceMemory {
    let memory = device.memory(bytes.len()).unwrap();
    let host = device.host_memory(bytes.len(), HostKind::Pinned).unwrap();
    host.write(0, bytes).unwrap();
    queue.copy_in((&memory, 0), (&host, 0), bytes.len()).unwrap();
    queue.sync().unwrap();
    memory
}

/// What memory of the device holds.
pub fn read(device: &Device, queue: &Queue, memory: &DeviceMemory) -> Vec<u8> {
    let host = device.host_memory(memory.bytes(), HostKind::Pinned).unwrap();
    queue.copy_out((&host, 0), (memory, 0), memory.bytes()).unwrap();
    queue.sync().unwrap();
    let mut bytes = vec![0; memory.bytes()];
    host.read(0, &mut bytes).unwrap();
    bytes
}
