//! The engines that start jobs: what the head of a script says, and how a command is started on nodes.
//!
//! Texts in braces are replaced: `{name}`, `{nodes}`, `{ranks}`, `{per_node}`, `{minutes}`, `{hms}`, `{log}`.

/// An engine.
#[derive(Debug, PartialEq, Eq)]
pub struct Engine {
    /// Its name in files.
    pub name: &'static str,
    /// The lines that begin a script.
    pub head: &'static [&'static str],
    /// The command that prints the names of the job's nodes; empty where the engine has none that is known here.
    pub names: &'static str,
    /// The name of the node that a command runs on, in a shell's words.
    pub node: &'static str,
    /// What starts a command once on each node.
    pub each: &'static str,
    /// What starts ranks.
    pub ranks: &'static str,
    /// What submits a script.
    pub submit: &'static [&'static str],
    /// Whether that reads the script from its standard input.
    pub reads_input: bool,
}

/// The host's name without its domain.
const HOST: &str = "$(uname -n | cut -d. -f1)";

/// The engines known. Slurm's is tested with Slurm; those of the others follow their manuals and have not been run.
pub const ENGINES: &[Engine] = &[
    Engine {
        name: "slurm",
        head: &[
            "#SBATCH --job-name={name}",
            "#SBATCH --nodes={nodes}",
            "#SBATCH --time={minutes}",
            "#SBATCH --exclusive",
            "#SBATCH --no-kill",
            "#SBATCH --output={log}",
        ],
        names: "scontrol show hostnames \"$SLURM_JOB_NODELIST\"",
        node: "$SLURMD_NODENAME",
        // Without --cpus-per-task a step has all processors of its nodes.
        each: "srun --mpi=none --nodes={nodes} --ntasks={nodes} --ntasks-per-node=1 --cpu-bind=none --kill-on-bad-exit=0 --wait=0",
        ranks: "srun --nodes={nodes} --ntasks={ranks} --ntasks-per-node={per_node} --kill-on-bad-exit=1",
        submit: &["sbatch"],
        reads_input: false,
    },
    Engine {
        name: "pbs",
        head: &[
            "#PBS -N {name}",
            "#PBS -l select={nodes}",
            "#PBS -l place=scatter:excl",
            "#PBS -l walltime={hms}",
            "#PBS -j oe",
            "#PBS -o {log}",
        ],
        names: "sort -u \"$PBS_NODEFILE\" | cut -d. -f1",
        node: HOST,
        each: "mpiexec -n {nodes} --ppn 1",
        ranks: "mpiexec -n {ranks} --ppn {per_node}",
        submit: &["qsub"],
        reads_input: false,
    },
    Engine {
        name: "lsf",
        head: &["#BSUB -J {name}", "#BSUB -nnodes {nodes}", "#BSUB -W {minutes}", "#BSUB -x", "#BSUB -o {log}"],
        names: "",
        node: HOST,
        each: "jsrun -n {nodes} -r 1 -a 1 -c ALL_CPUS -b none",
        ranks: "jsrun -n {nodes} -r 1 -a {per_node} -c ALL_CPUS",
        submit: &["bsub"],
        reads_input: true,
    },
    Engine {
        name: "flux",
        head: &[
            "#flux: --job-name={name}",
            "#flux: --nodes={nodes}",
            "#flux: --exclusive",
            "#flux: --time-limit={minutes}m",
            "#flux: --output={log}",
        ],
        names: "",
        node: HOST,
        each: "flux run --nodes={nodes} --ntasks={nodes} --exclusive -o cpu-affinity=off",
        ranks: "flux run --nodes={nodes} --ntasks={ranks} --exclusive",
        submit: &["flux", "batch"],
        reads_input: false,
    },
];

/// The engine of this name.
pub fn engine(name: &str) -> Option<&'static Engine> {
    ENGINES.iter().find(|engine| engine.name == name)
}
