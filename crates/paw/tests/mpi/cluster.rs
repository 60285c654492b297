//! `paw cluster` under a Slurm of four nodes, which are all this machine.

use std::fs;

use crate::job::PAW;
use crate::slurm::Slurm;

const FILE: &str = "paw = \"cluster/1\"\nname = \"four\"\ntime = \"5m\"\n\
                    ranks = \"srun --mpi=pmi2 --nodes={nodes} --ntasks={ranks} --ntasks-per-node={per_node}\"\n\n\
                    [[step]]\nname = \"alone\"\ncommand = \"run system_call --reps 6\"\n\n\
                    [[step]]\nname = \"reduce\"\ncommand = \"run allreduce --set n=64 --reps 6\"\nnodes = [2, 4]\n";

#[test]
fn a_submitted_job_measures_every_node_by_itself_and_ranks_over_them() {
    ::workplace::needs!(SLURM, MPICH);
    let nodes = ["n1", "n2", "n3", "n4"];
    let slurm = Slurm::of(&nodes);
    fs::write(slurm.path("c.toml"), FILE).unwrap();
    let planned =
        slurm.command(PAW).args(["cluster", "plan", "c.toml", "--nodes", "4", "--out", "d", "--submit"]).output();
    let planned = planned.unwrap();
    assert!(planned.status.success(), "{planned:?}");
    slurm.wait();
    let log = fs::read_to_string(slurm.path("d/job.log")).unwrap();
    assert_eq!(fs::read_to_string(slurm.path("d/nodes.txt")).unwrap(), "n1\nn2\nn3\nn4\n", "{log}");
    for node in nodes {
        let run = format!("d/alone/{node}");
        assert!(slurm.path(&run).join("run.jsonl").is_file(), "{node}: {log}");
        assert_eq!(slurm.job.lines(&run, "outcome")[0]["status"], "measured", "{log}");
        assert_eq!(slurm.job.lines(&run, "end").len(), 1, "{log}");
        // It was no rank of a job, though srun started it.
        assert!(slurm.job.lines(&run, "team").is_empty());
    }
    for (directory, ranks) in [("d/reduce/00002", 2), ("d/reduce/00004", 4)] {
        let teams = slurm.job.lines(directory, "team");
        assert_eq!(teams[0]["ranks"].as_array().map(Vec::len), Some(ranks), "{log}");
        assert_eq!(slurm.job.lines(directory, "outcome")[0]["status"], "measured", "{log}");
    }
    // The job's last word is the page: all four are one machine, which other work may have disturbed.
    assert!(log.contains(" of 4 nodes\n") && !log.contains("MISSING") && !log.contains("FAILED"), "{log}");
    let seen = slurm.command(PAW).args(["cluster", "watch", "d"]).output().unwrap();
    let seen = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(seen.lines().any(|line| line.split_whitespace().eq(["alone", "4", "4", "4"])), "{seen}");
}
