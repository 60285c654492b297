//! Names of the programs that run.

use super::{MachineFiles, Unreadable};

/// The first of `names` that runs, as the kernel names programs: by 15 characters.
///
/// # Errors
/// Where no process is listed.
pub fn any_runs(files: &MachineFiles<'_>, names: &[&'static str]) -> Result<Option<&'static str>, Unreadable> {
    let running = files.programs();
    if running.is_empty() {
        return Err(Unreadable::new("/proc", "no process is listed"));
    }
    Ok(names.iter().copied().find(|name| running.iter().any(|comm| comm == name)))
}
