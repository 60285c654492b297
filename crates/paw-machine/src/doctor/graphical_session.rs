//! A graphical session.

use super::processes::any_runs;
use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Programs that draw a screen: servers of X and Wayland, and the desktops that are such servers.
const SERVERS: &[&str] = &[
    "Xorg",
    "Xwayland",
    "Xvnc",
    "gnome-shell",
    "kwin_wayland",
    "kwin_x11",
    "plasmashell",
    "cinnamon",
    "sway",
    "weston",
    "labwc",
    "Hyprland",
    "wayfire",
    "river",
];

/// A graphical session.
pub const GRAPHICAL_SESSION: Check = Check {
    id: "graphical-session",
    effect: "windows are drawn, and programs of the desktop wake up, whenever they like",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/[pid]/comm";
    let Some(server) = any_runs(files, SERVERS)? else {
        // A container, and a user from whom others' processes are hidden, do not see the kernel's own either.
        return match any_runs(files, &["kthreadd"])? {
            Some(_) => Ok(Finding::of("none", path)),
            None => {
                Err(Unreadable::new(path, "only a part of the machine's processes is listed, and none is a session"))
            }
        };
    };
    let cause = format!("a graphical session runs ({server})");
    Ok(Finding::of(server, path)
        .warn(cause, "sudo systemctl isolate rescue.target, which ends it and most services; multi-user.target keeps the network")
        .command("systemctl isolate rescue.target"))
}
