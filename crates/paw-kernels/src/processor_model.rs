//! What instructions cost on this core, measured: latency and throughput of the forms in a loop, the width of the front end, and loads.
//!
//! Nothing in it is copied from a table: each cost is that of generated code which repeats the instruction, in core cycles by the chain of
//! additions that paw reads the core's clock with.

use std::collections::BTreeMap;

use paw_binary::form::{self, Block, Form, Probe, SELF_POINTER};
use paw_binary::recurrence::{self, Through};
use paw_binary::{CodeLoop, Way};
use paw_data::explanation::{FormCost, Recurrence};
use paw_data::matrix::DRIFT_MAX;
use paw_data::secondary::SecondaryMetric;
use paw_measure::fault::Fault;
use paw_measure::workload::Workload;
use paw_sort::SortNumbers;
use serde::{Deserialize, Serialize};

use crate::job::{BlockJob, JobDescription};
use crate::request::Workbench;
use crate::workload::Child;

/// The format of a stored model.
const SCHEMA: &str = "paw.processor/2";
/// The most forms of a stored model.
const FORMS_MAX: usize = 400;
/// The shortest time of a sample in seconds: as long as one reading of the core's clock, and far below the time between two interrupts.
const REGION_S: f64 = 1e-4;
/// Samples of a block, of which the lower quartile counts.
const SAMPLES: usize = 9;

/// The costs of instructions on one processor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProcessorModel {
    schema: String,
    /// The processor.
    fingerprint: String,
    /// Cycles of one instruction of each probe, by its name.
    #[serde(default)]
    probes: BTreeMap<String, f64>,
    /// The costs by form.
    #[serde(default)]
    forms: BTreeMap<String, Cost>,
}

/// What one form of instruction costs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// Cycles from operand to result.
    pub latency: Option<f64>,
    /// Cycles of one among many that are independent.
    pub throughput: Option<f64>,
    /// What could not be measured.
    pub why: String,
}

impl ProcessorModel {
    /// A model of the processor `fingerprint` that knows nothing.
    pub fn new(fingerprint: &str) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            fingerprint: fingerprint.to_owned(),
            probes: BTreeMap::new(),
            forms: BTreeMap::new(),
        }
    }

    /// The stored model `text`, if it is one of the processor `fingerprint`.
    pub fn stored(text: &str, fingerprint: &str) -> Option<Self> {
        let model: Self = serde_json::from_slice(text.as_bytes()).ok()?;
        let fits = model.schema == SCHEMA && model.fingerprint == fingerprint && model.forms.len() <= FORMS_MAX;
        let right = |cycles: &f64| cycles.is_finite() && *cycles > 0.0;
        let costs = model.forms.values().flat_map(|cost| cost.latency.iter().chain(&cost.throughput));
        (fits && costs.chain(model.probes.values()).all(right)).then_some(model)
    }

    /// The model as it is stored.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("a model is plain data")
    }

    /// Cycles of one instruction of `probe`, if it was measured before.
    pub fn known(&self, probe: Probe) -> Option<f64> {
        self.probes.get(&format!("{probe:?}")).copied()
    }

    /// Cycles of one instruction of `probe`, measured if it is not known.
    ///
    /// # Errors
    /// It cannot be measured, in one sentence.
    pub fn probe(&mut self, probe: Probe, bench: &mut BlockBench<'_>) -> Result<f64, String> {
        let name = format!("{probe:?}");
        if let Some(known) = self.probes.get(&name) {
            return Ok(*known);
        }
        let cycles = bench.cycles(&form::probe(probe)?)?;
        self.probes.insert(name, cycles);
        Ok(cycles)
    }

    /// The costs of `form`, measured if they are not known.
    pub fn cost(&mut self, form: &Form, bench: &mut BlockBench<'_>) -> Cost {
        if let Some(known) = self.forms.get(&form.name).filter(|known| known.throughput.is_some()) {
            return known.clone();
        }
        let mut one =
            |block: &Result<Block, String>| block.as_ref().map_err(Clone::clone).and_then(|b| bench.cycles(b));
        let (latency, throughput) = (one(&form.chain), one(&form.stream));
        let why = throughput.as_ref().err().or(latency.as_ref().err()).cloned().unwrap_or_default();
        let cost = Cost { latency: latency.ok(), throughput: throughput.ok(), why };
        if self.forms.len() < FORMS_MAX && cost.throughput.is_some() {
            self.forms.insert(form.name.clone(), cost.clone());
        }
        cost
    }

    /// The costs of the forms in `own`.
    pub fn of_loop(&mut self, own: &CodeLoop, bench: &mut BlockBench<'_>) -> Vec<FormCost> {
        let mut one = |form: Form| {
            let Cost { latency, throughput, why } = self.cost(&form, bench);
            FormCost { form: form.name, count: form.places.len() as u32, latency, throughput, why }
        };
        form::forms(own).into_iter().map(&mut one).collect()
    }

    /// The longest chain of the runs through `own` that go `way`, by the costs of its forms.
    pub fn recurrence(&mut self, own: &CodeLoop, way: &Way, bench: &mut BlockBench<'_>) -> Option<Recurrence> {
        let forms = form::forms(own);
        let costs: Vec<Cost> = forms.iter().map(|form| self.cost(form, bench)).collect();
        let mut probe = |probe| self.probe(probe, bench).ok();
        let (load, scalar, vector) = (probe(Probe::Load), probe(Probe::ForwardScalar), probe(Probe::ForwardVector));
        let of = |at: usize| forms.iter().position(|form| form.places.contains(&at));
        let latency = |at: usize, through: Through| {
            let own = of(at).and_then(|form| costs[form].latency);
            match through {
                Through::Operand => own.unwrap_or(1.0),
                Through::Address => load.unwrap_or(1.0) + own.unwrap_or(0.0),
                Through::Memory => {
                    let is_vector = of(at).is_some_and(|form| forms[form].name.contains("mm"));
                    let forwarded = if is_vector { vector } else { scalar };
                    forwarded.unwrap_or(1.0) + own.unwrap_or(0.0)
                }
            }
        };
        let chain = recurrence::longest(own, way, latency)?;
        let listing = own.listing();
        let unknown = chain.links.iter().filter_map(|link| of(*link)).filter(|form| costs[*form].latency.is_none());
        let mut unknown: Vec<String> = unknown.map(|form| forms[form].name.clone()).collect();
        unknown.dedup();
        Some(Recurrence {
            cycles: chain.cycles,
            made_of: recurrence::made_of(own, &chain.links),
            chain: chain.links.iter().map(|link| listing[*link].clone()).collect(),
            unknown,
            share: (own.ways() != Some(1)).then_some(way.share),
        })
    }
}

/// What runs blocks of generated code: a child, which is replaced if a block breaks it.
pub struct BlockBench<'b> {
    bench: &'b Workbench,
    child: Option<Child>,
}

impl<'b> BlockBench<'b> {
    /// A bench without a child yet.
    pub fn new(bench: &'b Workbench) -> Self {
        Self { bench, child: None }
    }

    /// Core cycles of one instruction of `block`.
    ///
    /// # Errors
    /// The block breaks, or code that is generated cannot be run here.
    pub fn cycles(&mut self, block: &Block) -> Result<f64, String> {
        let job = JobDescription::Block(BlockJob {
            code: block.code.clone(),
            page: block.page.clone(),
            pointer: SELF_POINTER,
            instrument: self.bench.instrument.clone(),
        });
        let child = match self.child.take().filter(|child| !child.is_broken()) {
            Some(child) => child,
            None => Child::start("the processor model", &job, self.bench).map_err(|fault| fault.to_string())?,
        };
        let cycles = per_turn(&child, &job).map_err(|fault| fault.to_string());
        self.child = Some(child);
        Ok(cycles? / f64::from(block.instructions))
    }
}

/// Core cycles of one turn of a block.
fn per_turn(child: &Child, job: &JobDescription) -> Result<f64, Fault> {
    let mut workload = child.open(job, "")?;
    workload.resume()?;
    let mut one = |turns: u64| {
        let reading = workload.sample(turns)?.ok_or_else(|| Fault::Broken("the child measured nothing".to_owned()))?;
        let clock = reading.secondary(SecondaryMetric::CoreClock).unwrap_or(f64::NAN);
        let steady = reading.secondary(SecondaryMetric::CoreDrift).is_some_and(|drift| drift <= DRIFT_MAX);
        Ok::<_, Fault>((reading.elapsed_s, reading.elapsed_s * clock / turns as f64, steady))
    };
    let mut turns = 16;
    while one(turns)?.0 < REGION_S && turns < 1 << 24 {
        turns *= 2;
    }
    let (mut steady, mut all) = (Vec::new(), Vec::new());
    for _ in 0..2 * SAMPLES {
        let (_, cycles, is_steady) = one(turns)?;
        all.push(cycles);
        if is_steady {
            steady.push(cycles);
        }
        if steady.len() >= SAMPLES {
            break;
        }
    }
    let mut counting = if steady.is_empty() { all } else { steady };
    counting.sort_numbers();
    Ok(counting[counting.len() / 4])
}
