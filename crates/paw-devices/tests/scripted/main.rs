//! Devices in scripted time: what each costs is written down, so that every number is known.

mod device;
mod drive;
mod timing;
mod trust;
