//! Sets that the kernel writes twice: as a mask (`shared_cpu_map`) and as a list (`shared_cpu_list`).

use crate::cpuset::CpuSet;
use crate::root::Root;

/// A mask and a list of the same set that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// Where both files are.
    directory: String,
    /// Names of the two files, and what they say.
    mask: (String, CpuSet),
    list: (String, CpuSet),
}

/// The first set that is not empty, for each of `names` by its mask, or by its list where the mask is missing or empty.
///
/// The mask is `<name>`, the list `<name>_list`; caches (`shared_cpu`) and nodes (`cpu`) write `<name>_map` or `<name>map` and `<name>list`.
/// A mask that contradicts its list is taken: the kernel makes the list from the mask.
pub fn set(root: &Root, directory: &str, names: &[&str], contradictions: &mut Vec<Contradiction>) -> CpuSet {
    for name in names {
        let (mask_file, list_file) = files(name);
        let mask = root.word(&format!("{directory}/{mask_file}")).and_then(|t| CpuSet::from_mask(&t).ok());
        let mask = mask.filter(|set| !set.is_empty());
        let list = root.word(&format!("{directory}/{list_file}")).and_then(|t| t.parse::<CpuSet>().ok());
        let list = list.filter(|set| !set.is_empty());
        if let (Some(mask), Some(list)) = (&mask, &list)
            && mask != list
        {
            let (mask, list) = ((mask_file, mask.clone()), (list_file, list.clone()));
            contradictions.push(Contradiction { directory: directory.to_owned(), mask, list });
        }
        if let Some(set) = mask.or(list) {
            return set;
        }
    }
    CpuSet::new()
}

/// The files of a set: its mask and its list.
fn files(name: &str) -> (String, String) {
    match name {
        "shared_cpu" => ("shared_cpu_map".to_owned(), "shared_cpu_list".to_owned()),
        "cpu" => ("cpumap".to_owned(), "cpulist".to_owned()),
        _ => (name.to_owned(), format!("{name}_list")),
    }
}

/// A sentence for each pair of files that contradict each other somewhere.
pub fn notes(contradictions: &[Contradiction]) -> Vec<String> {
    let mut notes = Vec::new();
    let mut said: Vec<&str> = Vec::new();
    for first in contradictions {
        if said.contains(&first.mask.0.as_str()) {
            continue;
        }
        said.push(&first.mask.0);
        let several = contradictions.iter().filter(|other| other.mask.0 == first.mask.0).count() > 1;
        let others = if several { " (and so elsewhere)" } else { "" };
        let Contradiction { directory, mask, list } = first;
        notes.push(format!(
            "{directory}: {} says {}, {} says {}{others}: the mask is believed",
            list.0, list.1, mask.0, mask.1
        ));
    }
    notes
}
