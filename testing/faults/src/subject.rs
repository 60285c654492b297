//! The commands that are disturbed, each a second or two of measuring.

use std::path::Path;

use workplace::Workplace;

/// A command that measures, and how it goes on after it was cut off.
#[derive(Debug, Clone, Copy)]
pub struct Subject {
    /// Its name in the table.
    pub name: &'static str,
    /// The command; the shell becomes it. `$PAW` is paw, and its run is in `r`.
    pub line: &'static str,
    /// What goes on with the run in `r`.
    pub continuation: &'static str,
    /// A word of the table that it prints.
    pub shows: &'static str,
    /// Who is sent signals in turn.
    pub targets: &'static [Target],
}

/// Who is sent a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The process that was started: paw, or a launcher of ranks.
    Started,
    /// All processes of its group, as by a terminal; of SIGKILL, which no terminal sends, the process alone.
    Group,
    /// One rank of a job.
    Rank(&'static str),
}

const ALONE: &[Target] = &[Target::Started, Target::Group];
const RANKS: &[Target] = &[Target::Started, Target::Rank("0"), Target::Rank("1")];

/// `paw run`.
pub const RUN: Subject = Subject {
    name: "paw run",
    line: "$PAW run dgemm --set n=8,16 --provider embedded --threads 1 --reps 60 --loops 20 --quiet --out r",
    continuation: "exec $PAW again r --dry-run",
    shows: "dgemm",
    targets: ALONE,
};
/// `paw app`: the program notes the end of each of its runs.
pub const APP: Subject = Subject {
    name: "paw app",
    line: "$PAW app --set n=1,2,3 --ladder n --reps 6 --warmup 0 --quiet --out r -- sh -c 'sleep 0.03; date +%s%N >>log; : {n}'",
    continuation: "exec $PAW app --resume r --quiet --out next",
    shows: "sh",
    targets: ALONE,
};
/// `paw kernel`.
pub const KERNEL: Subject = Subject {
    name: "paw kernel",
    line: "$PAW kernel matrix dot.toml --n 1000 --compilers gcc --flags -O2 --metas 60 --region 1ms --quiet --out r",
    continuation: "exec $PAW again r --dry-run",
    shows: "gcc -O2",
    targets: ALONE,
};
/// Two ranks under Open MPI.
pub const OPENMPI: Subject = Subject {
    name: "2 ranks of Open MPI",
    line: "mpiexec.openmpi --oversubscribe -n 2 $PAW run p2p_send --set n=1,64 --reps 60 --loops 100 --quiet --out r",
    continuation: "exec mpiexec.openmpi --oversubscribe -n 2 $PAW again r --dry-run",
    shows: "p2p_send",
    targets: RANKS,
};
/// Two ranks under MPICH.
pub const MPICH: Subject = Subject {
    name: "2 ranks of MPICH",
    line: "mpiexec.mpich -n 2 $PAW run p2p_send --set n=1,64 --reps 60 --loops 100 --quiet --out r",
    continuation: "exec mpiexec.mpich -n 2 $PAW again r --dry-run",
    ..OPENMPI
};
/// `paw campaign`.
pub const CAMPAIGN: Subject = Subject {
    name: "paw campaign",
    line: "$PAW campaign run c.toml --out r",
    continuation: "exec $PAW campaign run c.toml --out r",
    shows: "step",
    targets: ALONE,
};
/// All of them.
pub const ALL: [Subject; 6] = [RUN, APP, KERNEL, OPENMPI, MPICH, CAMPAIGN];

const STEPS: &str = r#"paw = "campaign/1"
[[step]]
name = "blas"
command = "run dgemm --set n=8,16 --provider embedded --threads 1 --reps 30 --loops 20 --quiet"
[[step]]
name = "program"
command = ["app", "--set", "n=1,2", "--ladder", "n", "--reps", "6", "--warmup", "0", "--quiet", "--", "sh", "-c", "sleep 0.03; : {n}"]
[[step]]
name = "same"
command = "compare {program} {program}"
"#;

/// A kernel, small enough to be built in a moment.
const KERNEL_FILES: [(&str, &str); 2] = [
    ("dot.toml", include_str!("../../../examples/kernels/dot.toml")),
    ("dot.c", include_str!("../../../examples/kernels/dot.c")),
];

impl Subject {
    /// A directory with all that it needs, in which it runs `paw`.
    pub fn place(&self, paw: &Path) -> Workplace {
        let place = Workplace::new(paw);
        place.write("c.toml", STEPS);
        KERNEL_FILES.iter().for_each(|(name, text)| place.write(name, text));
        place
    }

    /// Directories that may hold a run, below a place.
    pub fn runs(&self) -> &'static [&'static str] {
        if self.name == CAMPAIGN.name { &["r/01-blas", "r/02-program"] } else { &["r"] }
    }
}
