//! Time that processors were busy with any process: `/proc/stat` of proc_stat(5).

use std::fs;

/// Ticks a second of `/proc/stat`: USER_HZ, 100 on every architecture that paw runs on.
const TICKS_PER_S: f64 = 100.0;

/// Seconds since boot for which the processors `cpus` were busy or taken away by a hypervisor, summed; `None` where the kernel does
/// not report each of them.
pub(crate) fn busy_s(cpus: &[u32]) -> Option<f64> {
    busy_in(&fs::read_to_string("/proc/stat").ok()?, cpus)
}

fn busy_in(stat: &str, cpus: &[u32]) -> Option<f64> {
    let mut lines = stat.lines().filter_map(|line| {
        let (cpu, times) = line.strip_prefix("cpu")?.split_once(' ')?;
        Some((cpu.parse::<u32>().ok()?, times))
    });
    let of = |cpu: &u32| lines.clone().find(|(other, _)| other == cpu).and_then(|(_, times)| busy_ticks(times));
    let ticks = cpus.iter().map(of).sum::<Option<u64>>()?;
    lines.next().map(|_| ticks as f64 / TICKS_PER_S)
}

/// user, nice, system, irq, softirq and steal of a processor; the others are idle, iowait, and the guests that user contains.
fn busy_ticks(times: &str) -> Option<u64> {
    let times: Vec<u64> = times.split_whitespace().map_while(|field| field.parse().ok()).collect();
    let [user, nice, system, _idle, _iowait, irq, softirq, steal, ..] = times[..] else { return None };
    Some(user + nice + system + irq + softirq + steal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_time_is_that_of_the_processors_asked_for() {
        let stat =
            "cpu  900 0 0 0 0 0 0 0 0 0\ncpu0 100 20 30 400 50 1 2 3 70 0\ncpu11 200 0 0 9 0 0 0 0 0 0\nintr 5\n";
        assert_eq!(busy_in(stat, &[0]), Some(1.56));
        assert_eq!(busy_in(stat, &[11, 0]), Some(3.56));
        assert_eq!(busy_in(stat, &[1]), None, "no such processor");
        assert_eq!(busy_in("cpu0 1 2 3 4\n", &[0]), None, "before Linux 2.6.11");
        assert_eq!(busy_in("", &[]), None);
    }
}
