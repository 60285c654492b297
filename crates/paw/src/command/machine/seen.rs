//! A machine to be shown: this one, one whose files were copied, or one that hwloc wrote.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use paw_data::machine::Machine;
use paw_data::machine::hardware::Hardware;
use paw_machine::hardware::hardware;
use paw_machine::identity::machine;
use paw_machine::root::Root;
use paw_machine::topology::Topology;
use paw_machine::topology::hwloc_xml::{self, XmlMachine};

use crate::cli::MachineArgs;
use crate::failure::Failure;

/// A machine to be shown.
pub struct Seen {
    pub machine: Machine,
    pub hardware: Hardware,
    pub topology: Topology,
    pub origin: Origin,
}

/// Where the facts of a machine come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The host: its environment and devices can be asked, too.
    Host,
    /// Files of another machine.
    Files,
}

impl Seen {
    /// The machine that the flags name.
    pub fn read(args: &MachineArgs) -> Result<Self, Failure> {
        match (&args.sysroot, &args.xml) {
            (Some(directory), _) => Self::below(&Root::at(directory), Origin::Files),
            (None, Some(file)) => Self::of_xml(file),
            (None, None) => Self::below(&Root::host(), Origin::Host),
        }
    }

    fn below(root: &Root, origin: Origin) -> Result<Self, Failure> {
        let topology = Topology::read(root).map_err(|error| Failure::io(error.to_string()))?;
        let (machine, hardware) = (machine(root, &topology), hardware(root, &topology));
        Ok(Self { machine, hardware, topology, origin })
    }

    fn of_xml(file: &Path) -> Result<Self, Failure> {
        let read = if file == Path::new("-") {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map(|_| text)
        } else {
            fs::read_to_string(file)
        };
        let name = file.display();
        let text = read.map_err(|error| Failure::io(format!("cannot read {name}: {error}")))?;
        let XmlMachine { machine, hardware, topology } = hwloc_xml::read(&text).map_err(|error| {
            Failure::io(format!("{name} is no machine that hwloc wrote: {error}"))
                .hint("`lstopo --of xml` writes such a file")
        })?;
        Ok(Self { machine, hardware, topology, origin: Origin::Files })
    }
}
