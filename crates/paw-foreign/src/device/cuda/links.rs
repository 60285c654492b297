//! Which link limits a copy, and what it carries: NVLink-C2C or PCIe to the host, NVLink or PCIe to a peer.

use super::context::Cuda;
use super::nvml::links::{self, Links, NvLink, Remote};
use crate::device::facts::PcieLink;
use crate::device::gpu::facts::attribute;
use crate::device::peer::{LinkKind, LinkLimit};

/// `CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES`: such a device shares the host's tables over a link that is not PCIe.
const SHARES_PAGE_TABLES: i32 = 100;

/// [`crate::device::Driver::link_to_host`]
pub(super) fn host_link(cuda: &Cuda) -> Option<LinkLimit> {
    let shares = attribute(cuda.library, cuda.ordinal, SHARES_PAGE_TABLES) == Some(1);
    to_host(of(cuda), cuda.facts.link, if shares { Tables::Shared } else { Tables::Own })
}

/// [`crate::device::Driver::link_to_peer`]
pub(super) fn peer_link(cuda: &Cuda, index: u32) -> Option<LinkLimit> {
    let peer = cuda.peer(index).ok()?;
    if !cuda.reaches(index) {
        return None;
    }
    to_peer(of(cuda)?, of(&peer)?, [cuda.facts.link, peer.facts.link])
}

/// The links of a device, asked for once.
fn of(cuda: &Cuda) -> Option<&Links> {
    cuda.own.links.get_or_init(|| cuda.facts.bus_id.as_deref().and_then(links::links)).as_ref()
}

/// Whose page tables a device uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tables {
    Own,
    Shared,
}

/// The link between a device and the host: C2C where there is one, NVLink to processors that have it, else PCIe.
fn to_host(links: Option<&Links>, pcie: Option<PcieLink>, tables: Tables) -> Option<LinkLimit> {
    let c2c_bytes_s = links.and_then(|links| links.c2c_bytes_s);
    if let Some(bytes_s) = c2c_bytes_s.filter(|bytes_s| *bytes_s > 0.0) {
        return Some(LinkLimit { kind: LinkKind::C2c, bytes_s });
    }
    let nvlinks = links.and_then(|links| links.nvlinks.as_deref()).unwrap_or_default();
    let to_processor = towards(nvlinks, Remote::Host);
    if !to_processor.is_empty() {
        return carried(&to_processor);
    }
    // It is no PCIe link, whatever else NVML does not know.
    if tables == Tables::Shared {
        return None;
    }
    LinkLimit::pcie(pcie?)
}

/// The link between two devices that reach each other: their NVLinks, those to a switch, else the slower of their PCIe links.
fn to_peer(own: &Links, theirs: &Links, pcie: [Option<PcieLink>; 2]) -> Option<LinkLimit> {
    let (nvlinks, back) = (own.nvlinks.as_deref()?, theirs.nvlinks.as_deref()?);
    let direct = towards(nvlinks, Remote::Device(theirs.place));
    if !direct.is_empty() {
        return carried(&direct);
    }
    let switched = [towards(nvlinks, Remote::Switch), towards(back, Remote::Switch)];
    if switched.iter().all(|links| !links.is_empty()) {
        let [own, theirs] = switched.map(|links| carried(&links));
        return slower(own?, theirs?);
    }
    if nvlinks.iter().chain(back).any(|link| link.remote == Remote::Unknown) {
        return None;
    }
    let [own, theirs] = pcie;
    slower(LinkLimit::pcie(own?)?, LinkLimit::pcie(theirs?)?)
}

fn slower(a: LinkLimit, b: LinkLimit) -> Option<LinkLimit> {
    Some(if a.bytes_s <= b.bytes_s { a } else { b })
}

fn towards(links: &[NvLink], remote: Remote) -> Vec<NvLink> {
    links.iter().copied().filter(|link| link.remote == remote).collect()
}

/// What NVLinks carry together; `None` where that of one is not known.
fn carried(links: &[NvLink]) -> Option<LinkLimit> {
    let bytes_s = links.iter().map(|link| link.bytes_s).sum::<Option<f64>>()?;
    Some(LinkLimit { kind: LinkKind::NvLink, bytes_s })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PCIE: PcieLink = PcieLink { generation: 1, generation_max: 4, lanes: 16, lanes_max: 16 };
    const NARROW: PcieLink = PcieLink { lanes_max: 8, ..PCIE };

    fn device(bus: u32, remotes: &[(Remote, Option<f64>)], c2c_bytes_s: Option<f64>) -> Links {
        let nvlinks = remotes.iter().map(|(remote, bytes_s)| NvLink { remote: *remote, bytes_s: *bytes_s }).collect();
        Links { place: (0, bus, 0), nvlinks: Some(nvlinks), c2c_bytes_s }
    }

    fn gbs(limit: Option<LinkLimit>) -> Option<(LinkKind, f64)> {
        limit.map(|limit| (limit.kind, (limit.bytes_s / 1e8).round() / 10.0))
    }

    #[test]
    fn the_host_is_reached_over_the_link_that_there_is() {
        let check =
            |links: Option<&Links>, tables, expected| assert_eq!(gbs(to_host(links, Some(PCIE), tables)), expected);
        let pcie = Some((LinkKind::Pcie, 31.5));
        check(None, Tables::Own, pcie);
        check(None, Tables::Shared, None);
        check(Some(&device(1, &[], Some(0.0))), Tables::Own, pcie);
        check(Some(&device(1, &[], Some(10.0 * 44.712e9))), Tables::Shared, Some((LinkKind::C2c, 447.1)));
        check(Some(&device(1, &[], None)), Tables::Shared, None);
        let power = [(Remote::Host, Some(25e9)); 3];
        check(Some(&device(1, &power, Some(0.0))), Tables::Shared, Some((LinkKind::NvLink, 75.0)));
        check(Some(&device(1, &[(Remote::Host, None)], Some(0.0))), Tables::Own, None);
        assert_eq!(to_host(Some(&device(1, &[], Some(0.0))), None, Tables::Own), None);
    }

    #[test]
    fn a_peer_is_reached_over_its_own_links_a_switch_or_the_slower_bus() {
        let check = |own: &Links, theirs: &Links, expected| {
            assert_eq!(gbs(to_peer(own, theirs, [Some(PCIE), Some(NARROW)])), expected);
        };
        let to = |bus, links| vec![(Remote::Device((0, bus, 0)), Some(25e9)); links];
        let hybrid = [to(2, 2), to(3, 1)].concat();
        check(&device(1, &hybrid, None), &device(2, &to(1, 2), None), Some((LinkKind::NvLink, 50.0)));
        check(&device(1, &hybrid, None), &device(3, &to(1, 1), None), Some((LinkKind::NvLink, 25.0)));
        check(&device(1, &hybrid, None), &device(4, &to(2, 1), None), Some((LinkKind::Pcie, 15.8)));
        let switched = |links| vec![(Remote::Switch, Some(26.562e9)); links];
        check(&device(1, &switched(18), None), &device(2, &switched(17), None), Some((LinkKind::NvLink, 451.6)));
        check(&device(1, &[(Remote::Unknown, Some(25e9))], None), &device(2, &[], None), None);
        check(&device(1, &[(Remote::Device((0, 2, 0)), None)], None), &device(2, &[], None), None);
        let unasked = Links { nvlinks: None, ..device(2, &[], None) };
        check(&device(1, &[], None), &unasked, None);
    }
}
