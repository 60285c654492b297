//! Devices that lie apart from their likes are followed up, where only some of these are measured at every step.

use std::collections::{BTreeMap, HashMap};

use paw_data::cell::{Cell, Role};
use paw_data::sample::Samples;
use paw_foreign::device::DeviceFacts;
use paw_measure::planned::Group;
use paw_stats::dissimilar::apart;

use crate::device_set::DeviceSet;
use crate::host::Host;
use crate::plan::{Assignment, questions};
use crate::request::RunRequest;

/// Most devices that are followed up for one measurement: where more lie apart, they have no middle.
const MOST: usize = 2;

/// What to follow up, from what was measured.
pub struct FollowUps<'a> {
    request: &'a RunRequest,
    host: &'a Host,
    /// The numbers of the next cell and group.
    next: (u32, u32),
    /// Questions and devices to follow up, and whether that was planned.
    found: Vec<(&'static str, DeviceSet, bool)>,
    /// The questions in which devices lay apart once, by device, and the groups in which they did.
    once: BTreeMap<String, Vec<(u32, &'static str)>>,
}

impl<'a> FollowUps<'a> {
    /// Follows up what a campaign finds; its cells and groups are numbered below `next`.
    pub fn new(request: &'a RunRequest, host: &'a Host, next: (u32, u32)) -> Self {
        Self { request, host, next, found: Vec::new(), once: BTreeMap::new() }
    }

    /// Looks for devices that lie apart in a group of cells, each with its samples.
    pub fn look<'s>(&mut self, cells: impl Iterator<Item = &'s (Cell, Samples)>) {
        if !self.request.samples_devices() || self.request.quick || !self.host.devices.is_sampled() {
            return;
        }
        let mut points: BTreeMap<String, (&Cell, HashMap<&str, Vec<f64>>)> = BTreeMap::new();
        for (cell, samples) in cells.filter(|(cell, _)| cell.role == Role::Subject) {
            let at =
                points.entry(format!("{} {}", cell.benchmark, cell.point)).or_insert_with(|| (cell, HashMap::new()));
            at.1.insert(&cell.provider, samples.per_loop_s());
        }
        for class in self.host.devices.alike() {
            for (at, times) in points.values() {
                let of = |facts: &&DeviceFacts| times.get(facts.id().as_str()).cloned().unwrap_or_default();
                let found = apart(&class.iter().map(of).collect::<Vec<_>>());
                let apart: Vec<&DeviceFacts> = found.iter().map(|(index, _)| class[*index]).collect();
                if let Some(question) = crate::named(&at.benchmark).and_then(questions::names) {
                    self.see(at.group, question, &apart, &class);
                }
            }
        }
    }

    /// Notes devices of a class that lay apart in a group: to be followed up in every question in which they did, once they have done
    /// so in a second group. What another load did to one of them will hardly happen to it again.
    fn see(&mut self, group: u32, question: &'static str, apart: &[&DeviceFacts], class: &[&DeviceFacts]) {
        for facts in apart.iter().take(MOST) {
            let seen = self.once.entry(facts.id()).or_default();
            if !seen.contains(&(group, question)) {
                seen.push((group, question));
            }
            let seen = seen.clone();
            if seen.iter().any(|(other, _)| *other != group) {
                seen.iter().for_each(|(_, question)| self.note(question, &[facts], class));
            }
        }
    }

    /// Notes devices of a class to be followed up.
    fn note(&mut self, question: &'static str, apart: &[&DeviceFacts], class: &[&DeviceFacts]) {
        let standing: Vec<String> = self.host.devices.representatives().iter().map(|facts| facts.id()).collect();
        let is_apart = |facts: &DeviceFacts| apart.iter().any(|other| other.index == facts.index);
        for facts in apart {
            // A device that stands for the others is measured anyway: another one shows what they do.
            let usual = || class.iter().find(|facts| !standing.contains(&facts.id()) && !is_apart(facts));
            let Some(facts) = (if standing.contains(&facts.id()) { usual() } else { Some(facts) }) else { continue };
            let set = DeviceSet { backend: facts.backend, indexes: vec![facts.index] };
            if !self.found.iter().any(|(known, device, _)| *known == question && *device == set) {
                self.found.push((question, set, false));
            }
        }
    }

    /// The groups that follow up what was found, unless the next group answers a question, which comes first.
    pub fn before(&mut self, next: Option<&Group<Assignment>>) -> Vec<Group<Assignment>> {
        let first = next.and_then(|group| group.cells.first());
        if first.is_some_and(|planned| questions::is_answer(planned.job.benchmark, &planned.cell.point)) {
            return Vec::new();
        }
        let mut found = std::mem::take(&mut self.found);
        let open = found.iter_mut().filter(|(.., is_planned)| !is_planned);
        let groups = open.flat_map(|(question, device, is_planned)| {
            *is_planned = true;
            self.groups(question, device)
        });
        let groups = groups.collect();
        self.found = found;
        groups
    }

    fn groups(&mut self, question: &str, device: &DeviceSet) -> Vec<Group<Assignment>> {
        let groups = questions::follow_up(self.request, self.host, self.next, question, device);
        self.next.0 += groups.iter().map(|group| group.cells.len() as u32).sum::<u32>();
        self.next.1 += groups.len() as u32;
        groups
    }
}
