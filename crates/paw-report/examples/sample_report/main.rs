//! Writes what every view makes of an invented run, to look at: `cargo run -p paw-report --example sample_report -- DIR`.

mod devices;
mod invented;
mod kernels;
mod machine;
mod messages;
mod programs;

use std::path::PathBuf;

use paw_report::{Colour, compare, html, markdown, text};

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let (a, b) = (invented::run(1, 1.0), invented::run(2, 1.04));
    for width in [40, 80, 120] {
        std::fs::write(folder.join(format!("text-{width}.txt")), text(&a, width, Colour::Plain))?;
        std::fs::write(
            folder.join(format!("compare-{width}.txt")),
            compare(std::slice::from_ref(&a), std::slice::from_ref(&b), width, Colour::Plain),
        )?;
    }
    std::fs::write(folder.join("text.ansi"), text(&a, 100, Colour::Ansi))?;
    std::fs::write(folder.join("report.md"), markdown(&a))?;
    std::fs::write(folder.join("two.html"), html(&[a.clone(), b]))?;
    std::fs::write(folder.join("report.html"), html(&[a]))?;
    let programs = [
        ("kinfit", programs::kinfit()),
        ("kinfit-complete", programs::kinfit_complete()),
        ("everything", programs::everything()),
        ("weak", programs::weak()),
    ];
    for (name, run) in &programs {
        std::fs::write(folder.join(format!("app-{name}.html")), html(std::slice::from_ref(run)))?;
        std::fs::write(folder.join(format!("app-{name}.md")), markdown(run))?;
        for width in [40, 80, 120] {
            std::fs::write(folder.join(format!("app-{name}-{width}.txt")), text(run, width, Colour::Plain))?;
        }
    }
    let kernels = [
        ("matrix", kernels::matrix()),
        ("sensitivity", kernels::sensitivity()),
        ("residency", kernels::residency()),
        ("check", kernels::check()),
        ("search", kernels::search()),
    ];
    for (name, run) in &kernels {
        std::fs::write(folder.join(format!("kernel-{name}.html")), html(std::slice::from_ref(run)))?;
        std::fs::write(folder.join(format!("kernel-{name}.md")), markdown(run))?;
        for width in [40, 80, 100, 140] {
            std::fs::write(folder.join(format!("kernel-{name}-{width}.txt")), text(run, width, Colour::Plain))?;
        }
    }
    let devices = devices::run();
    std::fs::write(folder.join("devices.html"), html(std::slice::from_ref(&devices)))?;
    std::fs::write(folder.join("devices.md"), markdown(&devices))?;
    for width in [40, 80, 120] {
        std::fs::write(folder.join(format!("devices-{width}.txt")), text(&devices, width, Colour::Plain))?;
    }
    for ranks in [2, 4, 16, 64, 256] {
        let run = messages::run(ranks);
        std::fs::write(folder.join(format!("mpi-{ranks}.html")), html(std::slice::from_ref(&run)))?;
        std::fs::write(folder.join(format!("mpi-{ranks}.md")), markdown(&run))?;
        for width in [40, 80, 120] {
            std::fs::write(folder.join(format!("mpi-{ranks}-{width}.txt")), text(&run, width, Colour::Plain))?;
        }
    }
    Ok(())
}
