//! Leaves a long run in a directory, for measuring how fast it is opened and exported:
//! `cargo run --release -p paw-data --example big_run -- DIRECTORY [CELLS [SAMPLES [SAMPLES A LINE]]]`.

use std::path::Path;

use paw_data::cell::{Cell, Combine, Role};
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan};
use paw_data::outcome::{Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, End, Header, Instrument, SCHEMA};
use paw_data::sample::{Phase, Sample};
use paw_data::store::create;
use paw_data::work::Work;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let dir = arguments.first().ok_or("name a directory")?;
    let number = |at: usize, default: u32| arguments.get(at).map_or(Ok(default), |text| text.parse());
    let (cells, samples) = (number(1, 100_000)?, number(2, 16)?);
    let a_line = number(3, samples)?.max(1);
    let mut random = fastrand::Rng::with_seed(1);
    let mut writer = create(Path::new(dir))?;
    writer.header(&header())?;
    writer.instrument(&Instrument {
        id: 0,
        clock: ClockKind::Monotonic,
        resolution_s: 1e-9,
        overhead_s: 2.1e-8,
        hz: None,
    })?;
    for id in 0..cells {
        writer.cell(&cell(id))?;
        for round in 0..samples {
            writer.push(id, Phase::Measure, sample(round, &mut random));
            if (round + 1) % a_line == 0 {
                writer.flush()?;
            }
        }
        writer.outcome(&Outcome {
            cell: id,
            status: Status::Measured,
            ending: Some(Ending::Converged),
            why: None,
            check: None,
            caveats: Vec::new(),
        })?;
    }
    writer.end(&End { state: "done".into(), ..End::default() })?;
    Ok(())
}

fn header() -> Header {
    let method = Method {
        name: "adaptive".into(),
        warmup: 1,
        loops: LoopRule::Floor { overheads: 1000.0, floor_s: 1e-3 },
        ending: EndRule::Interval { within: 0.01, min: 16, max: 128, min_long: 6 },
        headline: Estimator::Median,
        memory: Memory::Kept,
    };
    Header {
        schema: SCHEMA.into(),
        id: "20260102T030405Z-bigrun".into(),
        tool: "paw big_run".into(),
        argv: Vec::new(),
        utc: "2026-01-02T03:04:05Z".into(),
        plan: Plan { method, seed: 1, budget_s: None },
        env: Default::default(),
        machine: Default::default(),
        app: None,
        kernel: None,
    }
}

fn cell(id: u32) -> Cell {
    let n = f64::from(id);
    Cell {
        id,
        benchmark: "dgemm".into(),
        suite: "blas".into(),
        provider: "openblas".into(),
        role: Role::Subject,
        group: id,
        point: Point::new().with("n", i64::from(id)).with("transa", "N").with("beta", 1.0).with("threads", 2),
        method: "adaptive".into(),
        work: Work { flops: 2.0 * n.powi(3), flops_paw: 2.0 * n * n * (n + 1.0), ..Work::default() },
        formula: "2mnk".into(),
        headline: Quantity::Flops,
        combine: Combine::Single,
        instrument: 0,
        ranks: Vec::new(),
        team: None,
        library: None,
        build: None,
        dat: None,
    }
}

/// A sample with as many digits as real ones have.
fn sample(round: u32, random: &mut fastrand::Rng) -> Sample {
    Sample {
        round,
        position: random.u32(0..4),
        at_s: random.f64() * 1e4,
        loops: random.u64(100..2000),
        elapsed_s: 1e-3 * (1.0 + random.f64()),
        run_delay_s: if random.bool() { 0.0 } else { random.f64() * 1e-5 },
        switches: random.u32(0..3),
        migrations: 0,
        disturbed: random.u32(0..20) == 0,
        ..Sample::default()
    }
}
