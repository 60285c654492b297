//! An invented host.

use paw_data::machine::{CacheLevel, Identity, Machine, State};
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan};
use paw_data::run::Header;

/// What is known before the first sample.
pub fn header(seed: u64) -> Header {
    Header {
        schema: "paw.run/1".to_owned(),
        id: format!("20260314T0926{seed:02}Z-k3v9q{seed}"),
        tool: "paw 0.1.0".to_owned(),
        argv: ["paw", "run", "--provider", "embedded,openblas,mkl", "--threads", "1,all"].map(str::to_owned).to_vec(),
        directory: String::new(),
        utc: format!("2026-03-14T09:26:{seed:02}Z"),
        plan: Plan::new(method(), seed, Some(120.0)),
        env: [("OMP_PROC_BIND", "true"), ("OPENBLAS_CORETYPE", "Haswell")]
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .into(),
        machine: machine(seed),
        app: None,
        kernel: None,
        selftest: None,
    }
}

fn method() -> Method {
    Method {
        name: "adaptive".to_owned(),
        warmup: 2,
        loops: LoopRule::Floor { overheads: 1000.0, floor_s: 1e-3 },
        ending: EndRule::Interval { within: 0.01, min: 16, max: 128, min_long: 6 },
        headline: Estimator::Median,
        memory: Memory::Kept,
    }
}

fn machine(seed: u64) -> Machine {
    let cache = |level, kind: &str, kib: u64, instances, shared_by| CacheLevel {
        level,
        kind: kind.to_owned(),
        size_bytes: kib << 10,
        instances,
        shared_by,
    };
    let state = [("load1", if seed == 1 { "0.12" } else { "1.87" }), ("governor", "performance"), ("turbo", "on")];
    Machine {
        identity: Identity {
            fingerprint: "b41f7c".to_owned(),
            host: "node017".to_owned(),
            cpu: "AMD EPYC 9655 96-Core Processor".to_owned(),
            arch: "x86_64".to_owned(),
            isa: ["sse4_2", "avx2", "fma", "avx512f"].map(str::to_owned).to_vec(),
            packages: 1,
            cores: 2,
            threads: 2,
            numa_nodes: 1,
            caches: vec![
                cache(1, "data", 48, 2, 1),
                cache(1, "instruction", 32, 2, 1),
                cache(2, "unified", 1024, 2, 1),
                cache(3, "unified", 32 << 10, 1, 2),
            ],
            memory_bytes: 64 << 30,
            os: "Debian GNU/Linux 13".to_owned(),
            kernel: "6.12.48-amd64".to_owned(),
            hypervisor: "KVM".to_owned(),
        },
        state: state.map(|(k, v)| (k.to_owned(), v.to_owned())).into_iter().collect::<State>(),
        ..Machine::default()
    }
}
