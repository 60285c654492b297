//! NVLink and NVLink-C2C of a device, by NVML (nvml.h of CUDA 12.9: field values, `nvmlDeviceGetNvLink…`).

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::{Device, SUCCESS};

/// `NVML_ERROR_NOT_SUPPORTED`: NVML knows what is asked for, and the device has it not.
const NOT_SUPPORTED: c_int = 3;
/// `NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON` and `NVML_FI_DEV_NVLINK_GET_SPEED`: 10⁶ bytes a second of a link, one way.
const SPEED_OF_ALL: c_uint = 90;
const SPEED: c_uint = 164;
/// `NVML_FI_DEV_C2C_LINK_COUNT`, `NVML_FI_DEV_C2C_LINK_GET_STATUS` and `NVML_FI_DEV_C2C_LINK_GET_MAX_BW`.
const C2C_COUNT: c_uint = 170;
const C2C_STATUS: c_uint = 171;
const C2C_SPEED: c_uint = 172;
/// More links than any device has: `NVML_NVLINK_MAX_LINKS` is 18.
const LINKS_MAX: c_uint = 64;

/// A place on the PCI bus: domain, bus and device.
pub(crate) type PciPlace = (u32, u32, u32);

/// What an NVLink leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remote {
    /// A device.
    Device(PciPlace),
    /// A switch.
    Switch,
    /// The host's processor (POWER).
    Host,
    /// Nobody knows.
    Unknown,
}

/// An active NVLink.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NvLink {
    /// Its other end.
    pub(crate) remote: Remote,
    /// Bytes a second in one direction; `None` where NVML does not say.
    pub(crate) bytes_s: Option<f64>,
}

/// The links of a device beside PCIe.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Links {
    /// Its place on the bus.
    pub(crate) place: PciPlace,
    /// Active NVLinks; `None` where NVML does not say.
    pub(crate) nvlinks: Option<Vec<NvLink>>,
    /// Bytes a second of all active C2C links in one direction, 0 without any; `None` where NVML does not say.
    pub(crate) c2c_bytes_s: Option<f64>,
}

/// `nvmlFieldValue_t`, whose value is a union of 8 bytes.
#[repr(C)]
#[derive(Default)]
struct FieldValue {
    field: c_uint,
    scope: c_uint,
    timestamp: i64,
    latency_us: i64,
    kind: c_uint,
    code: c_int,
    value: u64,
}

/// `nvmlPciInfo_t`.
#[repr(C)]
#[derive(Default)]
struct PciInfo {
    legacy: [c_char; 16],
    domain: c_uint,
    bus: c_uint,
    device: c_uint,
    product: c_uint,
    subsystem: c_uint,
    id: [c_char; 32],
}

/// The links of the device at that place of the bus; `None` without NVML.
pub(crate) fn links(bus_id: &str) -> Option<Links> {
    let device = Device::at(bus_id)?;
    Some(Links { place: place(bus_id)?, nvlinks: device.nvlinks(), c2c_bytes_s: device.c2c_bytes_s() })
}

/// The place that `0000:3b:00.0` names.
fn place(bus_id: &str) -> Option<PciPlace> {
    let mut parts = bus_id.split([':', '.']).map(|part| u32::from_str_radix(part, 16).ok());
    Some((parts.next()??, parts.next()??, parts.next()??))
}

impl Device {
    /// A number that NVML has under `field`, or its code.
    fn field(&self, field: c_uint, scope: c_uint) -> Result<f64, Option<c_int>> {
        let mut asked = FieldValue { field, scope, ..FieldValue::default() };
        let code = call!(self.nvml, "nvmlDeviceGetFieldValues"(
            *mut c_void: self.handle, c_int: 1, *mut FieldValue: &raw mut asked
        ) -> c_int);
        match (code, asked.code) {
            (Some(SUCCESS), SUCCESS) => asked.number().ok_or(None),
            (Some(SUCCESS), code) => Err(Some(code)),
            (code, _) => Err(code),
        }
    }

    fn c2c_bytes_s(&self) -> Option<f64> {
        let count = match self.field(C2C_COUNT, 0) {
            Ok(count) => count as c_uint,
            Err(Some(NOT_SUPPORTED)) => 0,
            Err(_) => return None,
        };
        let active = (0..count.min(LINKS_MAX)).filter(|link| self.field(C2C_STATUS, *link) == Ok(1.0));
        active.map(|link| Some(1e6 * self.field(C2C_SPEED, link).ok()?)).sum()
    }

    fn nvlinks(&self) -> Option<Vec<NvLink>> {
        let mut found = Vec::new();
        for link in 0..LINKS_MAX {
            let mut active: c_uint = 0;
            let code = call!(self.nvml, "nvmlDeviceGetNvLinkState"(
                *mut c_void: self.handle, c_uint: link, *mut c_uint: &raw mut active
            ) -> c_int)?;
            match code {
                SUCCESS if active == 1 => found.push(self.nvlink(link)),
                SUCCESS => {}
                NOT_SUPPORTED => return Some(found),
                // The first is no link, or NVML is at a loss; a later one is beyond the last.
                _ if link == 0 => return None,
                _ => return Some(found),
            }
        }
        Some(found)
    }

    fn nvlink(&self, link: c_uint) -> NvLink {
        let speed = self.field(SPEED, link).or_else(|_| self.field(SPEED_OF_ALL, 0));
        NvLink { remote: self.remote(link), bytes_s: speed.ok().filter(|mbps| *mbps > 0.0).map(|mbps| 1e6 * mbps) }
    }

    /// The other end of a link, by `nvmlIntNvLinkDeviceType_t`.
    fn remote(&self, link: c_uint) -> Remote {
        match number!(self, "nvmlDeviceGetNvLinkRemoteDeviceType", c_uint, which link) {
            Some(0) => self.remote_device(link).map_or(Remote::Unknown, Remote::Device),
            Some(1) => Remote::Host,
            Some(2) => Remote::Switch,
            _ => Remote::Unknown,
        }
    }

    fn remote_device(&self, link: c_uint) -> Option<PciPlace> {
        let mut found = PciInfo::default();
        let code = call!(self.nvml, "nvmlDeviceGetNvLinkRemotePciInfo_v2"(
            *mut c_void: self.handle, c_uint: link, *mut PciInfo: &raw mut found
        ) -> c_int);
        (code == Some(SUCCESS)).then_some((found.domain, found.bus, found.device))
    }
}

impl FieldValue {
    /// Its number, by `nvmlValueType_t`.
    fn number(&self) -> Option<f64> {
        let low = self.value as u32;
        Some(match self.kind {
            0 => f64::from_bits(self.value),
            1 => f64::from(low),
            2 | 3 => self.value as f64,
            4 => self.value.cast_signed() as f64,
            5 => f64::from(low.cast_signed()),
            6 => f64::from(low as u16),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_as_long_as_the_headers() {
        assert_eq!((size_of::<FieldValue>(), size_of::<PciInfo>()), (40, 68));
        assert_eq!(std::mem::offset_of!(FieldValue, value), 32);
    }

    #[test]
    fn a_place_is_read_whatever_the_digits_of_its_domain() {
        assert_eq!((place("0000:3b:00.0"), place("00000009:C2:1f.0")), (Some((0, 0x3b, 0)), Some((9, 0xc2, 0x1f))));
        assert_eq!((place(""), place("0000:zz:00.0")), (None, None));
    }

    #[test]
    fn numbers_are_read_by_their_type() {
        let of = |kind, value| FieldValue { kind, value, ..FieldValue::default() }.number();
        assert_eq!(
            (of(1, 26562), of(0, 44712.0_f64.to_bits()), of(5, 0xffff_ffff)),
            (Some(26562.0), Some(44712.0), Some(-1.0))
        );
        assert_eq!((of(3, 1 << 40), of(9, 1)), (Some((1_u64 << 40) as f64), None));
    }
}
