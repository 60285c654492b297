//! The devices that are measured where there are many and nobody named one: all answer each question, few stand for their likes.

use paw_foreign::device::{Backend, DeviceFacts};

use crate::device_inventory::DeviceInventory;
use crate::device_set::{DeviceGrouping, DeviceSet};

/// Most devices that are all measured at every step, alone and together.
const WHOLE: usize = 2;

/// How far a step goes into a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// It answers the question: for every device.
    Answer,
    /// It adds to the answer: for devices that stand for their likes.
    Detail,
}

impl DeviceInventory {
    /// The devices that stand for their likes: the first of a class, and the first of it on the last of the host's other NUMA nodes.
    pub fn representatives(&self) -> Vec<&DeviceFacts> {
        let stand = |class: Vec<&'_ DeviceFacts>| {
            let far =
                class.iter().rev().find(|facts| facts.numa_node != class[0].numa_node).map(|facts| facts.numa_node);
            let far = far.and_then(|node| class.iter().copied().find(|facts| facts.numa_node == node));
            (class[0].backend, class[0].index, far.map(|facts| facts.index))
        };
        let standing: Vec<_> = self.alike().into_iter().map(stand).collect();
        let is_one = |facts: &&DeviceFacts| {
            standing.iter().any(|(backend, first, far)| {
                facts.backend == *backend && (facts.index == *first || Some(facts.index) == *far)
            })
        };
        self.devices().filter(is_one).collect()
    }

    /// Whether there are more devices of the default than are all measured at every step.
    pub fn is_sampled(&self) -> bool {
        self.alike().iter().map(Vec::len).sum::<usize>() > WHOLE
    }

    /// The sets that are measured at that depth; `None` where all are.
    pub(crate) fn sampled(&self, together: DeviceGrouping, depth: Depth) -> Option<Vec<DeviceSet>> {
        // Of the whole, pairs are sampled.
        if !self.is_sampled() || together == DeviceGrouping::Whole {
            return None;
        }
        let all: Vec<&DeviceFacts> = self.alike().into_iter().flatten().collect();
        let standing = self.representatives();
        let mut sets = Vec::new();
        for backend in Backend::ALL {
            let of = |devices: &[&DeviceFacts]| -> Vec<u32> {
                let mut indexes: Vec<_> = devices.iter().filter(|f| f.backend == backend).map(|f| f.index).collect();
                indexes.sort_unstable();
                indexes
            };
            let (here, standing) = (of(&all), of(&standing));
            let alone = if depth == Depth::Answer { &here } else { &standing };
            let set = |indexes: Vec<u32>| DeviceSet { backend, indexes };
            match together {
                DeviceGrouping::Together => {
                    let partners =
                        here.iter().skip(1).filter(|index| depth == Depth::Answer || Some(*index) == here.last());
                    sets.extend(partners.map(|index| set(vec![here[0], *index])));
                }
                DeviceGrouping::AtOnce => {}
                DeviceGrouping::Alone | DeviceGrouping::Several | DeviceGrouping::Whole => {
                    sets.extend(alone.iter().map(|index| set(vec![*index])))
                }
            }
            let is_whole = (together == DeviceGrouping::AtOnce && !here.is_empty())
                || here.len() > 2
                || (here.len() == 2 && together == DeviceGrouping::Several);
            if is_whole && together != DeviceGrouping::Alone && depth == Depth::Answer {
                sets.push(set(here));
            }
        }
        Some(sets)
    }

    /// One sentence: what a plan leaves out that samples the devices, and how it is measured; `None` where it leaves nothing out.
    pub fn sampling(&self) -> Option<String> {
        let names = self.representatives().iter().map(|facts| facts.id()).collect::<Vec<_>>().join(", ");
        let backend = self.alike().first()?.first()?.backend;
        self.is_sampled().then(|| {
            format!(
                "devices alike are sampled: all answer each question, {names} at every size; one that lies apart is followed up; \
                 --provider {backend} measures all"
            )
        })
    }
}
