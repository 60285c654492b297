//! A fixed layout of addresses for the programs that this process starts.

use std::io;

use crate::sys;

/// A process's execution domain (personality(2)) without address space layout randomisation, which programs inherit that are started
/// meanwhile; the domain of before when this value is dropped.
#[derive(Debug)]
pub struct FixedLayout {
    before: u32,
}

impl FixedLayout {
    /// Fixes the layout of what is started from now on.
    pub fn enter() -> io::Result<Self> {
        const ASK: u32 = 0xffff_ffff;
        let before = sys::personality(ASK)?;
        sys::personality(before | libc::ADDR_NO_RANDOMIZE as u32)?;
        Ok(Self { before })
    }
}

impl Drop for FixedLayout {
    fn drop(&mut self) {
        // Restoring this process's own domain cannot fail.
        let _ = sys::personality(self.before);
    }
}
