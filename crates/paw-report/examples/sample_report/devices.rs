//! An invented run of two devices: transfers, products and bandwidths, one skipped and one that is wrong.

use std::sync::Arc;

use paw_data::cell::{Cell, Dat, Library, Rank};
use paw_data::machine::Device;
use paw_data::outcome::{Caveat, Check, CheckVerdict, Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, End, Instrument, Record, Run};
use paw_data::sample::Sample;
use paw_data::secondary::SecondaryMetric;
use paw_data::work::Work;

use crate::machine::header;

const LINK_BYTES_S: f64 = 63e9;

/// A run of two devices on one host.
pub fn run() -> Run {
    let mut inventor = Inventor { state: 0x9E37_79B9_7F4A_7C15, records: Vec::new(), at_s: 0.1 };
    for (name, stem, direction) in [
        ("gpu_in_pinned", "gpu_transfer_{}_in_pinned", 1.0),
        ("gpu_out_pinned", "gpu_transfer_{}_out_pinned", 1.05),
        ("gpu_in_nopin", "gpu_transfer_{}_in_nopin", 4.0),
        ("phi_keep_noal_inout", "mic0_keep_noal_{}_inout", 2.2),
    ] {
        for provider in ["cuda0", "cuda1", "cuda0+1"] {
            inventor.transfers(name, stem, provider, direction);
        }
    }
    for (name, kind_flops_s) in [("gpu_dgemm", 60e12), ("gpu_bf16gemm", 790e12)] {
        inventor.products(name, kind_flops_s);
    }
    inventor.absent(
        "gpu_fp8gemm",
        Status::Skipped,
        "cuda0 computes no products of 8-bit floats: they need compute capability 8.9",
    );
    inventor.absent("phi_alloc_al_in", Status::Failed, "byte 4096 of 65536 came back as 17 and went out as 16");
    let clock = Instrument { id: 0, clock: ClockKind::Monotonic, resolution_s: 1e-9, overhead_s: 2.1e-8, hz: None };
    let mut header = header(1);
    header.machine.devices = (0..2).map(device).collect();
    Run {
        header,
        instruments: vec![clock],
        teams: Vec::new(),
        profiles: Vec::new(),
        records: inventor.records,
        codes: Vec::new(),
        end: Some(End { state: "done".to_owned(), ..End::default() }),
        explanations: Vec::new(),
        damage: None,
    }
}

fn device(index: u32) -> Device {
    Device {
        id: format!("cuda{index}"),
        product: "NVIDIA H100 80GB HBM3".to_owned(),
        kind: "gpu".to_owned(),
        bus_id: format!("0000:{}b:00.0", 1 + index),
        memory_bytes: 80 << 30,
        units: 132,
        clock_hz: Some(1.98e9),
        link: "PCIe generation 5 of 5, 16 of 16 lanes".to_owned(),
        link_bytes_s: Some(LINK_BYTES_S),
        driver: "550.54".to_owned(),
        api: "CUDA 12.4".to_owned(),
        library: "/usr/lib/x86_64-linux-gnu/libcuda.so.1".to_owned(),
        ..Device::default()
    }
}

struct Inventor {
    state: u64,
    records: Vec<Record>,
    at_s: f64,
}

/// Seconds of one operation by each clock, and secondary metrics.
struct Cost<'c> {
    host_s: f64,
    event_s: f64,
    gated_s: Option<f64>,
    extra: &'c [(SecondaryMetric, f64)],
}

impl Inventor {
    /// A number between 0 and 1: xorshift64, G. Marsaglia 2003.
    fn random(&mut self) -> f64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as f64 / (1u64 << 53) as f64
    }

    fn transfers(&mut self, name: &str, stem: &str, provider: &str, slower: f64) {
        let devices = if provider.contains('+') { 2 } else { 1 };
        for n in [512, 4096, 32_768, 262_144, 2_097_152, 16_777_216_i64] {
            let bytes = 4.0 * n as f64;
            let copy_s = bytes * slower / 55e9;
            let cell = Cell {
                dat: Some(Box::new(Dat::new(stem, name.to_uppercase(), "n"))),
                work: Work { bytes: bytes * f64::from(devices), ..Work::default() },
                formula: "4n bytes".into(),
                headline: Quantity::Bytes,
                ..self.cell(name, provider, Point::new().with("n", n).with("devices", i64::from(devices)))
            };
            let limit = (SecondaryMetric::Limit, LINK_BYTES_S * f64::from(devices));
            let extra: &[(SecondaryMetric, f64)] =
                if devices > 1 { &[limit, (SecondaryMetric::Overlap, 0.97)] } else { &[limit] };
            let gated_s = (!name.contains("nopin") && devices == 1).then_some(1.3e-6 + copy_s);
            self.measured(cell, &Cost { host_s: 9e-6 + copy_s, event_s: 2.4e-6 + copy_s, gated_s, extra });
        }
    }

    fn products(&mut self, name: &str, flops_s: f64) {
        for n in [64, 256, 1024, 4096, 8192_i64] {
            let flops = 2.0 * (n as f64).powi(3);
            let seconds = 6e-6 + flops / flops_s;
            let cell = Cell {
                work: Work { flops, ..Work::default() },
                formula: "2n³".into(),
                headline: Quantity::Flops,
                ..self.cell(name, "cuda0", Point::new().with("n", n).with("devices", 1_i64))
            };
            let extra = [
                (SecondaryMetric::Limit, flops_s / 0.8),
                (SecondaryMetric::DeviceClock, 1.755e9),
                (SecondaryMetric::Power, 688.0),
            ];
            self.measured(
                cell,
                &Cost { host_s: seconds + 4e-6, event_s: seconds, gated_s: Some(seconds), extra: &extra },
            );
        }
    }

    fn cell(&self, name: &str, provider: &str, point: Point) -> Cell {
        Cell {
            id: self.records.len() as u32,
            method: "adaptive".into(),
            ranks: vec![Rank::default()],
            library: Some(Arc::new(Library {
                path: "/usr/lib/x86_64-linux-gnu/libcuda.so.1".to_owned(),
                version: "CUDA 12.4, driver 550.54".to_owned(),
                core: "NVIDIA H100 80GB HBM3".to_owned(),
                threads: 1,
            })),
            ..Cell::new("device", name, provider, Quantity::Bytes, point)
        }
    }

    fn measured(&mut self, cell: Cell, cost: &Cost<'_>) {
        let mut record = Record::new(cell);
        let loops = (1e-3 / cost.host_s).ceil() as u64;
        for round in 0..16 {
            let noise = 1.0 + 0.006 * self.random();
            let of = |seconds: f64| seconds * loops as f64 * noise;
            let clocks = [(SecondaryMetric::Event, Some(cost.event_s)), (SecondaryMetric::Gated, cost.gated_s)];
            let clocks = clocks.into_iter().filter_map(|(metric, seconds)| Some((metric.into(), of(seconds?))));
            let extra = cost.extra.iter().map(|(metric, value)| ((*metric).into(), *value));
            let elapsed_s = of(cost.host_s);
            self.at_s += elapsed_s;
            record.samples.push(Sample {
                round,
                at_s: self.at_s,
                loops,
                elapsed_s,
                extra: clocks.chain(extra).collect(),
                ..Sample::default()
            });
        }
        let check = Check {
            method: "every byte there and back".to_owned(),
            error: 0.0,
            bound: 0.0,
            verdict: CheckVerdict::Pass,
            note: String::new(),
            accuracy: None,
        };
        let caveats = match record.cell.provider.as_str() {
            "cuda1" => vec![Caveat::new(
                "narrow-link",
                "the link of cuda1 has 8 of 16 lanes",
                "seat the card again, or move it to a slot with 16 lanes",
            )],
            _ => Vec::new(),
        };
        record.outcome = Some(Outcome {
            cell: record.cell.id,
            status: Status::Measured,
            ending: Some(Ending::Converged),
            why: None,
            check: Some(check),
            caveats,
        });
        self.records.push(record);
    }

    fn absent(&mut self, name: &str, status: Status, why: &str) {
        let mut record = Record::new(self.cell(name, "cuda0", Point::new().with("n", 1024_i64).with("devices", 1_i64)));
        let why = Some(why.to_owned());
        record.outcome =
            Some(Outcome { cell: record.cell.id, status, ending: None, why, check: None, caveats: Vec::new() });
        self.records.push(record);
    }
}
