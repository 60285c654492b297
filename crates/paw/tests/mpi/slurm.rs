//! Under `srun`: a Slurm of one node or several on this machine, with keys, state and ports of its own, for as long as a test runs.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::job::{self, Job, Ran};
use crate::processes::until;

/// A running Slurm; it ends with this.
pub struct Slurm {
    pub job: Job,
    daemons: Vec<Child>,
}

impl Slurm {
    /// A Slurm with nodes of these names.
    pub fn of(nodes: &[&str]) -> Self {
        let mut slurm = Self { job: Job::new(), daemons: Vec::new() };
        slurm.authentication();
        let port = slurm.configuration(nodes);
        slurm.daemon("slurmctld", &["-D", "-c"]);
        until("slurmctld answers", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        nodes.iter().for_each(|node| slurm.daemon("slurmd", &["-D", "-N", node]));
        slurm
    }

    /// munged, on a socket and with a key of its own.
    fn authentication(&mut self) {
        let key = self.path("munge.key");
        fs::write(&key, [7; 64]).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        let option = |name: &str, file: &str| format!("--{name}={}", self.path(file).display());
        let options = [
            option("key-file", "munge.key"),
            option("socket", "munge.socket"),
            option("pid-file", "munge.pid"),
            option("log-file", "munge.log"),
            option("seed-file", "munge.seed"),
        ];
        let mut words = vec!["--foreground", "--force"];
        words.extend(options.iter().map(String::as_str));
        self.daemon("munged", &words);
        let socket = self.path("munge.socket");
        until("munged listens", || socket.exists());
    }

    /// Writes slurm.conf; the port of its controller.
    fn configuration(&self, nodes: &[&str]) -> u16 {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        let host = host.trim().split('.').next().unwrap().to_owned();
        let user = Command::new("/usr/bin/id").arg("-un").output().unwrap().stdout;
        let (user, home) = (String::from_utf8(user).unwrap(), self.job.path("").display().to_string());
        // All are bound at once, so that none is given twice.
        let listeners: Vec<_> = (0..=nodes.len()).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<u16> = listeners.iter().map(|own| own.local_addr().unwrap().port()).collect();
        let controller = ports[0];
        fs::create_dir(self.path("state")).unwrap();
        let mut lines = String::new();
        for (name, port) in nodes.iter().zip(&ports[1..]) {
            fs::create_dir(self.path(&format!("spool-{name}"))).unwrap();
            lines +=
                &format!("NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 State=UNKNOWN\n");
        }
        let text = format!(
            "ClusterName=paw\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser={user}SlurmdUser={user}\
             SlurmctldPort={controller}\n\
             AuthType=auth/munge\nAuthInfo=socket={home}munge.socket\nCredType=cred/munge\n\
             StateSaveLocation={home}state\nSlurmdSpoolDir={home}spool-%n\n\
             SlurmctldLogFile={home}slurmctld.log\nSlurmdLogFile={home}slurmd-%n.log\n\
             SlurmctldPidFile={home}slurmctld.pid\nSlurmdPidFile={home}slurmd-%n.pid\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/cons_tres\n\
             SelectTypeParameters=CR_Core\nJobAcctGatherType=jobacct_gather/none\nMpiDefault=none\nReturnToService=2\n\
             {lines}\
             PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES\n"
        );
        fs::write(self.path("slurm.conf"), text).unwrap();
        controller
    }

    /// A file of its directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.job.path(name)
    }

    /// A program that knows this Slurm, in its directory.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", self.path(""));
        command.env("SLURM_CONF", self.path("slurm.conf")).current_dir(self.path(""));
        command
    }

    fn daemon(&mut self, program: &str, options: &[&str]) {
        let mut command = self.command(program);
        command.args(options).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = command.spawn();
        self.daemons.push(started.unwrap_or_else(|e| panic!("{program}: {e}: apt-get install slurmctld slurmd munge")));
    }

    /// Two ranks of paw by `srun` with that process manager interface.
    fn srun(&self, interface: &str, args: &str) -> Ran {
        let mut command = self.command("srun");
        command.args(["-n", "2", "--mpi", interface, job::PAW]).args(args.split_whitespace());
        let ran = job::ran(command);
        self.wait();
        ran
    }

    /// Waits until no job is left: what still waits to tell the controller of its end would outlive it.
    pub fn wait(&self) {
        until("the jobs have ended", || self.command("squeue").arg("--noheader").output().unwrap().stdout.is_empty());
    }
}

impl Drop for Slurm {
    /// Ends the daemons, the last first.
    fn drop(&mut self) {
        for daemon in self.daemons.iter_mut().rev() {
            // Both fail only where the daemon has ended by itself.
            drop(daemon.kill());
            drop(daemon.wait());
        }
    }
}

#[test]
fn each_interface_of_slurm_finds_the_library_that_speaks_it() {
    ::workplace::needs!(SLURM, OPENMPI, MPICH);
    let slurm = Slurm::of(&["node"]);
    for (interface, library, launcher) in
        [("pmix", "Open MPI", "srun --mpi=pmix"), ("pmi2", "MPICH", "srun --mpi=pmi2")]
    {
        let ran = slurm.srun(interface, &format!("run latency allreduce --set n=1 --reps 6 --quiet --out {interface}"));
        assert_eq!(ran.code, 0, "{interface}: {}{}", ran.out, ran.err);
        let teams = slurm.job.lines(interface, "team");
        assert!(!teams.is_empty() && teams.iter().all(|team| team["launcher"] == launcher), "{teams:?}");
        for team in &teams {
            assert_eq!(team["ranks"].as_array().map(Vec::len), Some(2), "{team}");
            assert!(team["library"]["version"].as_str().unwrap().contains(library), "{team}");
        }
        let outcomes = slurm.job.lines(interface, "outcome");
        assert!(outcomes.iter().all(|outcome| outcome["status"] == "measured"), "{outcomes:?}");
    }
    let ran = slurm.srun("none", "run latency --quiet --mpi-library libmpich.so.12");
    assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("srun --mpi=none"), "{}", ran.err);
}
