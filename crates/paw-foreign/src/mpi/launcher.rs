//! Which launcher started this process as a rank, by its environment variables.

/// A launcher, and which of its ranks this process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launcher {
    /// The launcher.
    pub kind: LauncherKind,
    /// This process's rank in the job.
    pub rank: usize,
    /// The number of ranks, if the launcher sets it.
    pub size: Option<usize>,
    /// This process's rank among those of its node, if the launcher sets it.
    pub local_rank: Option<usize>,
}

/// The launchers that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LauncherKind {
    /// Open MPI's mpiexec.
    OpenMpi,
    /// MVAPICH's mpirun_rsh.
    Mvapich,
    /// PALS, the launcher of HPE Cray systems.
    Pals,
    /// Intel MPI's mpiexec.
    Intel,
    /// MPICH's mpiexec: hydra.
    Hydra,
    /// srun --mpi=pmix.
    SlurmPmix,
    /// srun --mpi=pmi2.
    SlurmPmi2,
    /// srun without a process manager interface: every MPI sees one rank.
    SlurmNone,
    /// Another launcher with PMIx.
    Pmix,
}

impl LauncherKind {
    /// The launcher's common name.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "Open MPI's mpiexec",
            Self::Mvapich => "MVAPICH's launcher",
            Self::Pals => "PALS",
            Self::Intel => "Intel MPI's mpiexec",
            Self::Hydra => "MPICH's mpiexec (hydra)",
            Self::SlurmPmix => "srun --mpi=pmix",
            Self::SlurmPmi2 => "srun --mpi=pmi2",
            Self::SlurmNone => "srun --mpi=none",
            Self::Pmix => "a launcher that speaks PMIx",
        }
    }
}

/// The variables of one launcher: those that identify it, and those that hold rank, size and local rank.
struct LauncherVariables {
    kind: LauncherKind,
    rank: &'static str,
    size: &'static [&'static str],
    local_rank: &'static str,
}

const OPEN_MPI: LauncherVariables = LauncherVariables {
    kind: LauncherKind::OpenMpi,
    rank: "OMPI_COMM_WORLD_RANK",
    size: &["OMPI_COMM_WORLD_SIZE"],
    local_rank: "OMPI_COMM_WORLD_LOCAL_RANK",
};
const MVAPICH: LauncherVariables = LauncherVariables {
    kind: LauncherKind::Mvapich,
    rank: "MV2_COMM_WORLD_RANK",
    size: &["MV2_COMM_WORLD_SIZE"],
    local_rank: "MV2_COMM_WORLD_LOCAL_RANK",
};
const PALS: LauncherVariables = LauncherVariables {
    kind: LauncherKind::Pals,
    rank: "PALS_RANKID",
    size: &["PMI_SIZE", "PALS_NRANKS"],
    local_rank: "PALS_LOCAL_RANKID",
};
const HYDRA: LauncherVariables = LauncherVariables {
    kind: LauncherKind::Hydra,
    rank: "PMI_RANK",
    size: &["PMI_SIZE"],
    local_rank: "MPI_LOCALRANKID",
};
const SLURM: LauncherVariables = LauncherVariables {
    kind: LauncherKind::SlurmNone,
    rank: "SLURM_PROCID",
    size: &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"],
    local_rank: "SLURM_LOCALID",
};
const PMIX: LauncherVariables =
    LauncherVariables { kind: LauncherKind::Pmix, rank: "PMIX_RANK", size: &[], local_rank: "PMIX_LOCAL_RANK" };

/// The variables that make a process a rank: without them it measures by itself, whatever started it.
pub const RANK_VARIABLES: &[&str] =
    &[OPEN_MPI.rank, MVAPICH.rank, PALS.rank, HYDRA.rank, SLURM.rank, PMIX.rank, "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];

impl Launcher {
    /// The launcher that set this environment; none where the process was started alone.
    ///
    /// The order matters: launchers start each other. Hydra starts its proxies with srun where there is one, so that Slurm's
    /// variables are the proxy's, not the rank's.
    pub fn of(env: impl Fn(&str) -> Option<String>) -> Option<Launcher> {
        let set = |name: &str| env(name).is_some();
        let hydra = |kind| read(&LauncherVariables { kind, ..HYDRA }, &env);
        if let Some(launcher) = [OPEN_MPI, MVAPICH, PALS].iter().find_map(|signs| read(signs, &env)) {
            return Some(launcher);
        }
        if set("PMI_RANK") && (set("HYDRA_BSTRAP_LOCALHOST") || set("I_MPI_HYDRA_UUID")) {
            return hydra(LauncherKind::Intel);
        }
        if set("PMI_RANK") && (set("MPI_LOCALNRANKS") || !set("SLURM_PROCID")) {
            return hydra(LauncherKind::Hydra);
        }
        if set("SLURM_STEP_ID") && set("SLURM_PROCID") {
            let kind = match () {
                () if set("PMIX_RANK") => LauncherKind::SlurmPmix,
                () if set("PMI_FD") || set("PMI_JOBID") => LauncherKind::SlurmPmi2,
                () => LauncherKind::SlurmNone,
            };
            return read(&LauncherVariables { kind, ..SLURM }, &env);
        }
        read(&PMIX, &env)
    }
}

/// The launcher that started this process.
pub fn of_process() -> Option<Launcher> {
    Launcher::of(|name| std::env::var(name).ok())
}

fn read(signs: &LauncherVariables, env: &impl Fn(&str) -> Option<String>) -> Option<Launcher> {
    let number = |name: &str| env(name)?.trim().parse::<usize>().ok();
    let rank = number(signs.rank)?;
    let size = signs.size.iter().find_map(|name| number(name));
    Some(Launcher { kind: signs.kind, rank, size, local_rank: number(signs.local_rank) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &str, expected: Option<(LauncherKind, usize, Option<usize>, Option<usize>)>) {
        let pairs: Vec<(&str, &str)> = variables.split_whitespace().filter_map(|pair| pair.split_once('=')).collect();
        let env = |name: &str| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let found = Launcher::of(env).map(|l| (l.kind, l.rank, l.size, l.local_rank));
        assert_eq!(found, expected, "{variables}");
    }

    #[test]
    fn each_launcher_is_known_by_its_variables() {
        use LauncherKind as K;
        check("HOME=/root", None);
        let open = "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_LOCAL_RANK=1 PMIX_RANK=3";
        check(open, Some((K::OpenMpi, 3, Some(4), Some(1))));
        check("MV2_COMM_WORLD_SIZE=2 MV2_COMM_WORLD_RANK=1 PMI_RANK=1", Some((K::Mvapich, 1, Some(2), None)));
        check("PALS_RANKID=1 PMI_SIZE=2 PALS_LOCAL_RANKID=0", Some((K::Pals, 1, Some(2), Some(0))));
        check("PMI_RANK=0 PMI_SIZE=2 HYDRA_BSTRAP_LOCALHOST=1", Some((K::Intel, 0, Some(2), None)));
        check("PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=1", Some((K::Hydra, 1, Some(2), Some(1))));
        let slurm = "SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 SLURM_LOCALID=1";
        check(&format!("{slurm} PMIX_RANK=1"), Some((K::SlurmPmix, 1, Some(2), Some(1))));
        check(&format!("{slurm} PMI_RANK=1 PMI_FD=7"), Some((K::SlurmPmi2, 1, Some(2), Some(1))));
        check(slurm, Some((K::SlurmNone, 1, Some(2), Some(1))));
        check("PMIX_RANK=5", Some((K::Pmix, 5, None, None)));
    }

    #[test]
    fn hydra_inside_an_allocation_is_hydra() {
        let inside = "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 PMI_RANK=1 PMI_SIZE=2 MPI_LOCALNRANKS=2";
        check(inside, Some((LauncherKind::Hydra, 1, Some(2), None)));
    }

    #[test]
    fn a_number_that_is_none_is_no_launcher() {
        check("OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=x", None);
    }
}
