//! Events of a unit that the kernel describes below `/sys/bus/event_source/devices`: its number, its fields, its named events.

use std::fs;
use std::path::Path;

use paw_data::spelling::closest;

use super::{Domain, Event, EventError};
use crate::cpu_list::cpus;

const UNITS: &str = "sys/bus/event_source/devices";
/// Named events refer to fields alone: a name within a name is a mistake of the file.
const DEPTH_MAX: u32 = 2;

/// `event` with the numbers of `terms`, an event of `unit`.
pub(super) fn resolve(event: Event, unit: &str, terms: &str, root: &Path) -> Result<Event, EventError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let directory = root.join(UNITS).join(unit);
    let number = if unit.chars().all(plain) { word(&directory.join("type")) } else { None };
    let kind = number.and_then(|text| text.parse().ok()).ok_or_else(|| EventError::NoUnit(unit.to_owned()))?;
    let shared = word(&directory.join("cpumask")).map(|list| cpus(&list)).filter(|list| !list.is_empty());
    let mut event = Event { kind, domain: shared.map_or(Domain::Processor, Domain::Package), ..event };
    apply(&mut event, unit, &directory, terms, 0)?;
    Ok(event)
}

/// The named events of all units: `power/energy-pkg/`.
pub(super) fn events(root: &Path) -> Vec<String> {
    let units = fs::read_dir(root.join(UNITS)).into_iter().flatten().flatten();
    units
        .flat_map(|unit| {
            let name = unit.file_name().to_string_lossy().into_owned();
            files(&unit.path().join("events")).into_iter().map(move |event| format!("{name}/{event}/"))
        })
        .collect()
}

fn apply(event: &mut Event, unit: &str, directory: &Path, terms: &str, depth: u32) -> Result<(), EventError> {
    for term in terms.split(',').map(str::trim).filter(|term| !term.is_empty()) {
        let (key, value) = term.split_once('=').unwrap_or((term, ""));
        if let Some(field) = word(&directory.join("format").join(name(key))) {
            let value = if value.is_empty() { Some(1) } else { parsed(value) };
            let placed = value.and_then(|value| place(event, &field, value));
            placed.ok_or_else(|| EventError::Number(term.to_owned()))?;
        } else if let (true, true, Some(named)) =
            (value.is_empty(), depth < DEPTH_MAX, word(&directory.join("events").join(name(key))))
        {
            apply(event, unit, directory, &named, depth + 1)?;
            let scale = word(&directory.join("events").join(format!("{}.scale", name(key))));
            event.scale = scale.and_then(|text| text.parse().ok()).unwrap_or(1.0);
        } else {
            return Err(unknown(unit, directory, key));
        }
    }
    Ok(())
}

fn unknown(unit: &str, directory: &Path, key: &str) -> EventError {
    let known: Vec<String> = [files(&directory.join("format")), files(&directory.join("events"))].concat();
    let near = closest(key, known.iter().map(String::as_str));
    let hint = near.map_or_else(String::new, |near| format!(": did you mean `{near}`?"));
    EventError::NoTerm { unit: unit.to_owned(), term: key.to_owned(), hint }
}

/// Puts `value` into the bits of a field: `config:0-7,32-35`, `config1:0-15`.
fn place(event: &mut Event, field: &str, value: u64) -> Option<()> {
    let (word, ranges) = field.split_once(':')?;
    let word = event.config.get_mut(["config", "config1", "config2"].iter().position(|known| *known == word)?)?;
    let mut rest = value;
    for range in ranges.split(',') {
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        let (low, high): (u32, u32) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
        let width = high.checked_sub(low)?.checked_add(1).filter(|_| high < 64)?;
        let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        *word |= (rest & mask) << low;
        rest = rest.checked_shr(width).unwrap_or(0);
    }
    (rest == 0).then_some(())
}

fn parsed(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A file's name that stays within its directory.
fn name(key: &str) -> String {
    key.replace(['/', '\0'], "_").replace("..", "_")
}

fn word(path: &Path) -> Option<String> {
    path.is_file().then(|| fs::read_to_string(path).ok()).flatten().map(|text| text.trim().to_owned())
}

fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(|name| !name.contains('.')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root with a processor's unit and a package's.
    fn root() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(UNITS).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("cpu/type", "4\n");
        write("cpu/format/event", "config:0-7,32-35\n");
        write("cpu/format/umask", "config:8-15\n");
        write("cpu/format/cmask", "config:24-31\n");
        write("cpu/format/inv", "config:23\n");
        write("cpu/format/offcore_rsp", "config1:0-63\n");
        write("cpu/events/topdown-retiring", "event=0x00,umask=0x80\n");
        write("power/type", "23\n");
        write("power/cpumask", "0,8\n");
        write("power/format/event", "config:0-7\n");
        write("power/events/energy-pkg", "event=0x02\n");
        write("power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
        write("power/events/energy-pkg.unit", "Joules\n");
        root
    }

    fn event(text: &str) -> Result<Event, String> {
        Event::parse("A", text, root().path()).map_err(|error| error.to_string())
    }

    #[test]
    fn fields_lie_where_the_unit_says() {
        assert_eq!(event("cpu/event=0x51,umask=0x1/").unwrap().config, [0x151, 0, 0]);
        // Event 0x1a0 of AMD: its upper four bits lie apart.
        assert_eq!(event("cpu/event=0x1a0,umask=0x1e/").unwrap().config, [0x1_0000_1ea0, 0, 0]);
        assert_eq!(event("cpu/event=0xa3,umask=0x4,cmask=4,inv/").unwrap().config, [0x0480_04a3, 0, 0]);
        assert_eq!(event("cpu/offcore_rsp=0xffffffffffffffff/").unwrap().config, [0, u64::MAX, 0]);
        assert_eq!(event("cpu/topdown-retiring/").unwrap().config, [0x8000, 0, 0]);
    }

    #[test]
    fn a_packages_event_has_its_processors_and_its_scale() {
        let energy = event("power/energy-pkg/").unwrap();
        assert_eq!((energy.kind, &energy.domain), (23, &Domain::Package(vec![0, 8])));
        assert!((energy.scaled(1 << 32) - 1.0).abs() < 1e-9, "one joule");
    }

    #[test]
    fn what_a_unit_does_not_know_is_said() {
        assert!(event("cpu/evnt=1/").unwrap_err().contains("did you mean `event`?"));
        assert!(event("cpu/umask=0x100/").unwrap_err().contains("no number that fits"));
        assert!(event("cpu/event=zz/").unwrap_err().contains("no number"));
        assert!(event("gpu/event=1/").unwrap_err().contains("no unit `gpu`"));
        assert!(event("../event=1/").is_err());
    }
}
