//! The ordered pairs of devices that are measured, as an axis.

use paw_data::axis;
use paw_data::point::{AxisValue, Point};
use paw_devices::devices::Devices;
use paw_foreign::device::Device;
use paw_measure::fault::Fault;

use super::peer;
use crate::benchmark::{Axis, Values};
use crate::device_set::DeviceSet;
use crate::host::Host;

/// Two devices: the first queues the copy, or loads; the second's memory is used.
pub const PAIRS: Axis = Axis {
    name: axis::PAIRS,
    meaning: "two devices by their numbers: the first queues and does the work, the second's memory is used; of more than four devices,               the pairs with the first one and those of neighbours, both ways round",
    values: Values::Sampled { some: |host| pairs(host, WHOLE), all: |host| pairs(host, usize::MAX) },
};

/// The most devices all of whose pairs are measured unless the user names pairs: 12 pairs.
const WHOLE: usize = 4;

/// The pairs among all devices by number; of more than `most` devices, each with the first and with its neighbours.
fn pairs(host: &Host, most: usize) -> Vec<AxisValue> {
    let mut all: Vec<u32> = host.devices.devices().map(|facts| facts.index).collect();
    all.sort_unstable();
    all.dedup();
    listed(&all, most).into_iter().map(|(first, second)| AxisValue::Text(format!("{first}-{second}").into())).collect()
}

fn listed(all: &[u32], most: usize) -> Vec<(u32, u32)> {
    if let [only] = all {
        // No pair: the cell says why it is skipped.
        return vec![(*only, *only)];
    }
    let is_one = |a: usize, b: usize| {
        let neighbours = a.abs_diff(b) == 1 || a.abs_diff(b) == all.len() - 1;
        a != b && (all.len() <= most || a == 0 || b == 0 || neighbours)
    };
    let of = |a: usize| (0..all.len()).filter(move |b| is_one(a, *b)).map(move |b| (all[a], all[b]));
    (0..all.len()).flat_map(of).collect()
}

/// The numbers of a pair such as `0-1`.
fn numbers(pair: &str) -> Option<(u32, u32)> {
    let (first, second) = pair.split_once('-')?;
    Some((first.parse().ok()?, second.parse().ok()?))
}

/// Whether a set of devices is measured at a point: it has the point's pair, or is one device alone, whose cells say what it lacks.
pub fn has(set: &DeviceSet, point: &Point) -> bool {
    let pair = point.text(axis::PAIRS).and_then(numbers);
    let has_both = |(first, second)| set.indexes.contains(&first) && set.indexes.contains(&second);
    pair.is_none_or(has_both) || set.indexes.len() < 2
}

/// The indexes of a point's two devices among those of a worker.
pub fn indexes(devices: &Devices, point: &Point) -> Result<(usize, usize), Fault> {
    let all = devices.all();
    if all.len() < 2 {
        return Err(peer::alone(devices.first()));
    }
    let text = point.text(axis::PAIRS).unwrap_or_default();
    let index = |number: u32| all.iter().position(|device| device.facts().index == number);
    let pair = numbers(text).and_then(|(first, second)| Some((index(first)?, index(second)?)));
    let ids = || all.iter().map(|device: &Device| device.facts().id()).collect::<Vec<_>>().join(", ");
    pair.filter(|(first, second)| first != second)
        .ok_or_else(|| Fault::Missing(format!("`{text}` is no pair of {}; write --set pairs=0-1 or pairs=all", ids())))
}

#[cfg(test)]
mod tests {
    use super::{WHOLE, listed};

    fn text(all: &[u32], most: usize) -> String {
        listed(all, most).iter().map(|(a, b)| format!("{a}-{b}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn few_devices_are_all_paired_and_many_with_the_first_and_their_neighbours() {
        assert_eq!(text(&[0, 1], WHOLE), "0-1 1-0");
        assert_eq!(text(&[0, 2, 3], WHOLE), "0-2 0-3 2-0 2-3 3-0 3-2");
        assert_eq!(text(&[5], WHOLE), "5-5", "one device has no pair, and its cell says so");
        let eight: Vec<u32> = (0..8).collect();
        assert_eq!((listed(&eight, WHOLE).len(), listed(&eight, usize::MAX).len()), (26, 56));
        assert!(text(&eight, WHOLE).contains("3-4 4-0 4-3 4-5"));
        assert!(listed(&[], WHOLE).is_empty());
    }
}
