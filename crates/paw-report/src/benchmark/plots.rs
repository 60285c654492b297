//! The plots of a section: its ladder, with the sizes of the caches where it is one of working sets.

use paw_data::machine::Identity;

use crate::latency::{AS_TOLD, data_caches};
use crate::model::Picture;
use crate::plot::RowLinks;
use crate::plot::curve::{curves, looks};
use crate::plot::lines::{Boundary, DIRECT_LABELS};
use crate::section::{Section, Variation};
use crate::series::{Series, series};
use crate::step::in_bytes;

/// One plot where its curves can be distinguished, else one for each number of threads.
pub fn plots(section: &Section<'_>, identity: &Identity, links: &RowLinks) -> Vec<Picture> {
    let all = series(section);
    let looks = looks(section, &all);
    let caches = section.ladder.filter(|l| in_bytes(l)).map(|_| data_caches(identity)).unwrap_or_default();
    let boundaries: Vec<Boundary> =
        caches.iter().map(|c| Boundary { name: format!("L{}", c.level), at: c.size_bytes as f64 }).collect();
    let together = all.len() <= DIRECT_LABELS || section.participant_counts == Variation::Same;
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for i in 0..all.len() {
        match parts.iter_mut().find(|p| together || all[p[0]].participants == all[i].participants) {
            Some(part) => part.push(i),
            None => parts.push(vec![i]),
        }
    }
    let plot = |part: &Vec<usize>| {
        let chosen: Vec<&Series<'_, '_>> = part.iter().map(|i| &all[*i]).collect();
        let chosen_looks: Vec<(usize, usize)> = part.iter().map(|i| looks[*i]).collect();
        let svg = curves(section, &chosen, &chosen_looks, &boundaries, links)?;
        let crowded = chosen.len() > DIRECT_LABELS;
        let legend = chosen.iter().zip(&chosen_looks).map(|(s, look)| (look.0, look.1, s.label.clone()));
        let legend = if crowded { legend.collect() } else { Vec::new() };
        let told = if identity.hypervisor.is_empty() { "" } else { AS_TOLD };
        Some(Picture { svg, title: String::new(), caption: caption(section, &boundaries, told), legend })
    };
    parts.iter().filter_map(plot).collect()
}

fn caption(section: &Section<'_>, boundaries: &[Boundary], told: &str) -> String {
    let caches = match (boundaries.is_empty(), told) {
        (true, _) => String::new(),
        (false, "") => " Vertical lines are the sizes of the caches.".to_owned(),
        (false, told) => format!(" Vertical lines are the sizes of the caches {told}."),
    };
    let better = if section.quantity.more_is_better() { "higher is better" } else { "lower is better" };
    format!("{} ({better}). Bands are 95 % intervals; hollow points are to be doubted.{caches}", section.title())
}
