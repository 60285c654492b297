//! Level Zero without a device, for tests: the symbols of loader, driver and system management over `mock-device`, of known cost.
//!
//! Structures, results and limits are those of `ze_api.h` v1.4-r1.4.8. What a real driver refuses or leaves undefined is refused: a
//! structure of another type, a null pointer, an unknown handle, an event signalled twice without a reset, a launch without a group
//! size or an argument, commands that nothing keeps in order. What it costs is in `MOCK_LEVEL_ZERO_…`, see [`mock_device::Config`];
//! `MOCK_LEVEL_ZERO_API` is the version that the driver implements, `…_NO_ORDER` refuses the flag for order, and `…_NO_EXTENSION` hides
//! what lies beyond the interface. Timestamps have 32 valid bits, and begin anew soon after the start.
//! Absent: regular command lists and their queues, fences, images, kernels other than paw's own, which take a launch's time.
#![deny(unsafe_code)]

mod api;
mod devices;
mod events;
mod lists;
mod memory;
mod modules;
mod ocloc;
mod spirv;
mod sysman;
