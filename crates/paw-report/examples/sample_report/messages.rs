//! An invented run of an MPI library: pairs, message rates, one-sided messages and collectives of several ranks.

use paw_data::cell::{Cell, Combine, Dat, Library, Rank};
use paw_data::outcome::{Check, CheckVerdict, Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, End, Instrument, Record, Run};
use paw_data::sample::Sample;
use paw_data::secondary::SecondaryMetric;
use paw_data::team::Team;
use paw_data::work::Work;

use crate::machine::header;

/// A run of up to `ranks` ranks, sixteen to a node.
pub fn run(ranks: u32) -> Run {
    let mut inventor = Inventor { state: 0x9E37_79B9_7F4A_7C15, records: Vec::new(), at_s: 0.1 };
    let sizes: Vec<u32> = if ranks > 2 { vec![2, ranks] } else { vec![2] };
    for (id, ranks) in sizes.iter().enumerate() {
        inventor.messages(id as u32, *ranks);
        inventor.collectives(id as u32, *ranks);
    }
    let clock = Instrument { id: 0, clock: ClockKind::Monotonic, resolution_s: 1e-9, overhead_s: 2.1e-8, hz: None };
    Run {
        header: header(1),
        instruments: vec![clock],
        teams: sizes.iter().enumerate().map(|(id, ranks)| team(id as u32, *ranks)).collect(),
        profiles: Vec::new(),
        records: inventor.records,
        codes: Vec::new(),
        end: Some(End { state: "done".to_owned(), ..End::default() }),
        explanations: Vec::new(),
        damage: None,
    }
}

/// Ranks bound to a core each, eight to a socket and sixteen to a node; a team of four shares two cores.
fn team(id: u32, ranks: u32) -> Team {
    let rank = |rank: u32| {
        let on_node = rank % 16;
        let (package, core) = if ranks == 4 { (on_node % 2, 0) } else { (on_node / 8, on_node % 8) };
        Rank {
            rank,
            host: format!("node{:03}", 17 + rank / 16).into(),
            cpus: vec![package * 8 + core],
            partner: Some((rank + ranks / 2) % ranks),
            package: Some(package),
            core: Some(core),
        }
    };
    Team {
        id,
        launcher: "mpiexec.hydra".to_owned(),
        library: Some(library()),
        thread_level: "funneled".to_owned(),
        ranks: (0..ranks).map(rank).collect(),
    }
}

fn library() -> Library {
    Library {
        path: "/opt/mpich/lib/libmpi.so.12".to_owned(),
        version: "MPICH Version: 5.0.2, ch4:ofi\nConfigured with many options".to_owned(),
        ..Library::default()
    }
}

struct Inventor {
    state: u64,
    records: Vec<Record>,
    at_s: f64,
}

/// What one benchmark costs: seconds before the first byte and for each.
struct Cost<'c> {
    benchmark: &'c str,
    stem: &'c str,
    formula: &'c str,
    start_s: f64,
    byte_s: f64,
}

const SIZES: [i64; 8] = [1, 8, 64, 512, 4096, 32_768, 131_072, 1 << 20];

impl Inventor {
    /// A number between 0 and 1: xorshift64, G. Marsaglia 2003.
    fn random(&mut self) -> f64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as f64 / (1u64 << 53) as f64
    }

    fn messages(&mut self, team: u32, ranks: u32) {
        let pairs = f64::from(ranks / 2);
        let one = Cost {
            benchmark: "latency",
            stem: "latency.dat",
            formula: "half a round trip",
            start_s: 4.1e-7,
            byte_s: 0.0,
        };
        if ranks == 2 {
            let work = Work { bytes: 2.0, messages: 2.0, operations: 2.0, ..Work::default() };
            self.cell(team, &one, Point::new().with("ranks", 2), work, Quantity::Time, 8.2e-7);
        }
        for (benchmark, stem, factor, both) in [
            ("p2p_send", "send", 1.0, 1.0),
            ("p2p_isend", "isend", 1.1, 1.0),
            ("p2p_isend_bidir", "isend_bidir", 1.3, 2.0),
            ("p2p_get", "get", 1.9, 1.0),
            ("p2p_put", "put", 1.7, 1.0),
        ] {
            let cost = Cost {
                benchmark,
                stem,
                formula: "8n bytes · P/2 pairs",
                start_s: 4.2e-7 * factor,
                byte_s: 8.1e-11 * factor,
            };
            for n in SIZES {
                let bytes = 8.0 * n as f64;
                let round = if benchmark.contains("send") && both < 2.0 { 2.0 } else { 1.0 };
                let work = Work {
                    bytes: round * both * bytes * pairs,
                    messages: round * pairs,
                    operations: round,
                    ..Work::default()
                };
                let rendezvous = if n >= 4096 { 1.5e-6 } else { 0.0 };
                let seconds = round * (cost.start_s + rendezvous + bytes * cost.byte_s * pairs.sqrt());
                let point = Point::new().with("n", n).with("ranks", i64::from(ranks));
                self.cell(team, &cost, point, work, Quantity::Bytes, seconds);
            }
        }
        for n in &SIZES[..5] {
            let messages = 128.0 * pairs;
            let bytes = 8.0 * *n as f64;
            let work = Work { bytes: messages * bytes, messages, operations: messages, ..Work::default() };
            let cost = Cost {
                benchmark: "p2p_mrate",
                stem: "mrate",
                formula: "W · P/2 messages in a window",
                start_s: 0.0,
                byte_s: 0.0,
            };
            let point = Point::new().with("n", *n).with("window", 128).with("ranks", i64::from(ranks));
            self.cell(team, &cost, point, work, Quantity::Messages, 128.0 * (1.6e-7 + bytes * 9e-11));
        }
    }

    fn collectives(&mut self, team: u32, ranks: u32) {
        let p = f64::from(ranks);
        for (benchmark, factor) in [
            ("allgather", 1.4),
            ("allreduce", 1.0),
            ("alltoall", 2.2),
            ("bcast", 0.6),
            ("gather", 0.8),
            ("reduce", 0.9),
            ("scatter", 0.7),
        ] {
            let formula = "8n bytes · P";
            let cost = Cost {
                benchmark,
                stem: benchmark,
                formula,
                start_s: 7e-7 * factor * p.log2(),
                byte_s: 1.6e-10 * factor,
            };
            for n in [1i64, 64, 4096, 32_768] {
                for (cadence, gain) in [("isolated", 1.0), ("streaming", 0.7)] {
                    let bytes = 8.0 * n as f64;
                    let work = Work { bytes: bytes * p, ..Work::default() };
                    let point = Point::new().with("n", n).with("cadence", cadence).with("ranks", i64::from(ranks));
                    let seconds = gain * (cost.start_s + bytes * cost.byte_s * p.log2());
                    self.cell(team, &cost, point, work, Quantity::Time, seconds);
                }
            }
        }
        let barrier = Cost { benchmark: "barrier", stem: "", formula: "", start_s: 0.0, byte_s: 0.0 };
        let point = Point::new().with("cadence", "isolated").with("ranks", i64::from(ranks));
        self.cell(team, &barrier, point, Work::default(), Quantity::Time, 5e-7 * p.log2());
    }

    fn cell(&mut self, team: u32, cost: &Cost<'_>, point: Point, work: Work, headline: Quantity, seconds: f64) {
        let id = self.records.len() as u32;
        let dat = Dat { element_bytes: Some(8), ..Dat::new(cost.stem, cost.benchmark.to_uppercase(), "n") };
        let mut record = Record::new(Cell {
            id,
            group: id,
            method: "adaptive".into(),
            work,
            formula: cost.formula.into(),
            combine: if headline == Quantity::Messages { Combine::Window } else { Combine::Slowest },
            team: Some(team),
            library: Some(library().into()),
            dat: (!cost.stem.is_empty()).then(|| Box::new(dat)),
            ..Cell::new("mpi", cost.benchmark, "mpich", headline, point)
        });
        let loops = (1e-3 / seconds).ceil().max(1.0) as u64;
        for round in 0..24 {
            let scatter = (0.03 * (self.random() + self.random() + self.random() - 1.5)).exp();
            let elapsed_s = seconds * loops as f64 * scatter;
            self.at_s += elapsed_s + 0.002;
            let rank_min_s = elapsed_s * (0.55 + 0.1 * self.random());
            let slowest = (self.random() * 1.99).floor();
            let skew_s = 2e-7 + 3e-7 * self.random();
            let extra = [
                (SecondaryMetric::RankMin, rank_min_s),
                (SecondaryMetric::RankMax, elapsed_s),
                (SecondaryMetric::SlowestRank, slowest),
                (SecondaryMetric::Skew, skew_s),
            ];
            let extra = extra.map(|(metric, value)| (metric.into(), value)).into();
            record.samples.push(Sample { round, at_s: self.at_s, loops, elapsed_s, extra, ..Sample::default() });
        }
        let check = Check {
            method: "the partner's pattern, every element".to_owned(),
            error: 0.0,
            bound: 0.0,
            verdict: CheckVerdict::Pass,
            note: String::new(),
            accuracy: None,
        };
        record.outcome = Some(Outcome {
            cell: id,
            status: Status::Measured,
            ending: Some(Ending::Converged),
            why: None,
            check: Some(check),
            caveats: Vec::new(),
        });
        self.records.push(record);
    }
}
