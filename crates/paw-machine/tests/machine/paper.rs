//! A synthetic machine in a folder of its own, whose files a test may change before they are read.

use std::fs;

use crate::synthetic::MachineSpec;
use paw_machine::root::Root;
use paw_machine::topology::Topology;

/// A synthetic machine.
pub struct Paper {
    directory: tempfile::TempDir,
    pub root: Root,
}

/// A folder for a machine, in memory where the system has such a hardware_thread: a machine is thousands of small files.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// The machine that a specification describes.
pub fn paper(spec: &str) -> Paper {
    let directory = folder();
    let root = spec.parse::<MachineSpec>().unwrap().write(directory.path()).unwrap();
    Paper { directory, root }
}

/// The topology that a specification describes, as it is read back.
pub fn topology(spec: &str) -> Topology {
    paper(spec).topology()
}

impl Paper {
    pub fn topology(&self) -> Topology {
        Topology::read(&self.root).unwrap()
    }

    /// Replaces a file of the machine.
    pub fn put(&self, path: &str, text: &str) -> &Self {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Replaces `sys/devices/system/cpu/cpu<n>/<file>` of several processors.
    pub fn put_cpus(&self, cpus: std::ops::Range<u32>, file: &str, text: &str) -> &Self {
        for cpu in cpus {
            self.put(&format!("sys/devices/system/cpu/cpu{cpu}/{file}"), text);
        }
        self
    }

    /// Removes a file or a folder of the machine.
    pub fn remove(&self, path: &str) -> &Self {
        let path = self.directory.path().join(path);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
        self
    }
}
