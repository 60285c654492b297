//! The kernel's timer tick on a processor that computes.

use std::thread;

use paw_machine::doctor::{Finding, Unreadable};
use paw_native::{affinity, clock_chain};

use super::{Probe, Probed};

const SECONDS: f64 = 0.5;
const PATH: &str = "/proc/interrupts";

/// The kernel's timer tick on a processor that computes.
pub const TIMER_TICK: Probe = Probe {
    id: "timer-tick",
    effect: "the kernel interrupts every processor that computes, unless the boot option nohz_full names it",
    size: None,
    measure,
};

fn measure(probed: &Probed<'_>) -> Result<Finding, Unreadable> {
    let allowed = probed.topology.allowed();
    let cpu = allowed.iter().last().ok_or_else(|| Unreadable::new(PATH, "no processor is allowed"))?;
    let clock = probed.clock.clone();
    let spent = thread::spawn(move || -> std::io::Result<f64> {
        affinity::pin(&[cpu])?;
        let start = clock.start();
        loop {
            std::hint::black_box(clock_chain::adds(100_000));
            let seconds = clock.seconds(start, clock.stop());
            if seconds >= SECONDS {
                return Ok(seconds);
            }
        }
    });
    let before = ticks(&probed.text(PATH)?, cpu)?;
    let spent = spent.join().unwrap_or_else(|_| Err(std::io::Error::other("a thread broke off")));
    let spent = spent.map_err(|error| Unreadable::new(PATH, format!("no thread could be bound: {error}")))?;
    let count = ticks(&probed.text(PATH)?, cpu)?.saturating_sub(before);
    let rate = count as f64 / spent;
    Ok(Finding::of(format!("{rate:.0} a second on processor {cpu}"), PATH))
}

/// Timer interrupts that processor `cpu` has taken.
fn ticks(text: &str, cpu: u32) -> Result<u64, Unreadable> {
    let column =
        text.lines().next().unwrap_or_default().split_whitespace().position(|name| name == format!("CPU{cpu}"));
    // x86 names the line LOC; Arm's says whose interrupt it is at its end.
    let is_timer = |line: &&str| line.trim_start().starts_with("LOC:") || line.contains("arch_timer");
    let count = |line: &str| line.split_whitespace().nth(column? + 1)?.parse().ok();
    text.lines()
        .filter(is_timer)
        .find_map(count)
        .ok_or_else(|| Unreadable::new(PATH, "it counts no timer's interrupts"))
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn ticks_are_those_of_the_processor() {
        let x86 = "           CPU0       CPU3\n  8:          1          2   IO-APIC\nLOC:        500        250   Local timer interrupts\n";
        assert_eq!((ticks(x86, 0), ticks(x86, 3)), (Ok(500), Ok(250)));
        assert!(ticks(x86, 1).is_err() && ticks("", 0).is_err());
        let arm = "           CPU0       CPU1\n 11:        70        80     GICv3  27 Level     arch_timer\n";
        assert_eq!(ticks(arm, 1), Ok(80));
    }
}
