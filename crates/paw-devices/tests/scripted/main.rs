//! Devices in scripted time: what each costs is written down, so that every number is known.

mod device;
mod tasks;
mod timing;
mod trust;
