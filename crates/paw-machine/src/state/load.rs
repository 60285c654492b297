//! Load by other programs: load average, tasks, stolen time, pressure, swap.

use crate::root::Root;
use crate::state::StateItems;

pub(super) fn read(root: &Root, items: &mut StateItems) {
    let loadavg = root.text("/proc/loadavg").unwrap_or_default();
    let mut fields = loadavg.split_whitespace();
    for name in ["load_1min", "load_5min", "load_15min"] {
        items.put(name, fields.next());
    }
    // `2/345`: runnable scheduling entities, this process among them, and all.
    items.put("tasks_running", fields.next().and_then(|tasks| tasks.split('/').next()));
    let stat = root.text("/proc/stat").unwrap_or_default();
    items.put("steal_ticks", stat.lines().find(|l| l.starts_with("cpu ")).and_then(|l| l.split_whitespace().nth(8)));
    for resource in ["cpu", "memory", "io"] {
        let pressure = root.text(&format!("/proc/pressure/{resource}")).unwrap_or_default();
        items.put(&format!("pressure_{resource}_10s_percent"), average_10s(&pressure));
    }
    let meminfo = root.text("/proc/meminfo").unwrap_or_default();
    let kilobytes = |key: &str| {
        let rest = meminfo.lines().find_map(|l| l.strip_prefix(key))?;
        rest.split_whitespace().next()?.parse::<u64>().ok()
    };
    let swapped = kilobytes("SwapTotal:").zip(kilobytes("SwapFree:"));
    items.put("swap_used_bytes", swapped.map(|(total, free)| total.saturating_sub(free) * 1024));
}

/// `some avg10=1.53 avg60=…` (kernel documentation, accounting/psi).
fn average_10s(pressure: &str) -> Option<&str> {
    let some = pressure.lines().find(|line| line.starts_with("some "))?;
    some.split_whitespace().find_map(|field| field.strip_prefix("avg10="))
}
