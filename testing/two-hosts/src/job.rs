//! Jobs of real MPI libraries on hosts, started as on a cluster: the launcher on the first, a remote shell to the others.

use std::process::Command;

use crate::address::{self, LINK, MANAGEMENT};
use crate::hosts::Hosts;

/// An MPI library and its launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "lowercase")]
pub enum Library {
    /// Open MPI 4.1, of Debian.
    OpenMpi,
    /// MPICH, of Debian.
    Mpich,
}

impl Library {
    /// How paw names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
        }
    }
}

/// One rank a host, whose messages pass the link.
#[derive(Debug, Clone, Copy)]
pub struct HostJob<'a> {
    /// The library.
    pub library: Library,
    /// How many hosts, from the first on.
    pub hosts: usize,
    /// Ranks of each host.
    pub of_a_host: usize,
    /// More of the launcher's own flags.
    pub flags: &'a str,
    /// Variables of all ranks; values without blanks.
    pub variables: &'a [(&'a str, &'a str)],
}

impl HostJob<'_> {
    /// One rank on each of two hosts.
    pub fn of(library: Library) -> Self {
        Self { library, hosts: 2, of_a_host: 1, flags: "", variables: &[] }
    }

    /// The command that runs `line` as every rank.
    pub fn command(&self, hosts: &Hosts, line: &str) -> Command {
        hosts.command(0, &format!("exec {}", self.line(hosts, line)))
    }

    /// The launcher's line.
    fn line(&self, hosts: &Hosts, line: &str) -> String {
        let Self { library, of_a_host, flags, .. } = self;
        let ranks = self.hosts * of_a_host;
        let agent = hosts.agent().display().to_string();
        let names: Vec<String> = (0..self.hosts).map(address::name).collect();
        match library {
            Library::OpenMpi => {
                let slots: Vec<String> = names.iter().map(|name| format!("{name}:{of_a_host}")).collect();
                let variables: String =
                    self.variables.iter().map(|(name, value)| format!(" -x {name}={value}")).collect();
                // Both hosts have the same processors: each launcher's daemon would bind its first rank to the first of them.
                format!(
                    "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpiexec.openmpi --mca plm_rsh_agent {agent} \
                     --mca oob_tcp_if_include {MANAGEMENT} --mca btl tcp,self,vader --mca btl_tcp_if_include {LINK} --mca pml ob1 \
                     --bind-to none {flags}{variables} --host {} -n {ranks} {line}",
                    slots.join(",")
                )
            }
            Library::Mpich => {
                let variables: String =
                    self.variables.iter().map(|(name, value)| format!(" -genv {name} {value}")).collect();
                format!(
                    "mpiexec.mpich -launcher ssh -launcher-exec {agent} -iface {MANAGEMENT} -genv UCX_TLS tcp,self,sm -genv UCX_NET_DEVICES \
                     {LINK} {flags}{variables} -hosts {} -ppn {of_a_host} -n {ranks} {line}",
                    names.join(",")
                )
            }
        }
    }
}
