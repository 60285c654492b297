//! What an explanation says: the shares of a kernel's time that go with a part of its loop, its bounds, and the one that binds.

use paw_sort::{OrderBy, SortNumbers};

use crate::explanation::{Ablation, Explanation, ExplanationRow};

/// The quantile of the samples that counts: what disturbs a sample only makes it longer.
const QUANTILE: f64 = 0.25;
/// A bound binds if it is this much of the measured time at least.
pub const BINDS: f64 = 0.8;
/// Bounds are as good as equal if one is this much of the other.
const SAME: f64 = 0.95;
/// What takes this much longer than the kernel itself is no bound of it: the change has brought in something of its own.
const ABOVE: f64 = 1.15;
/// Taking a part away saves as much as taking away more if it saves this much of that.
const AS_MUCH: f64 = 0.9;
/// A share of the time below this may be noise.
pub const SHARE_MIN: f64 = 0.1;

/// A part of the machine that may bind a loop.
#[derive(Debug, Clone, PartialEq)]
pub enum Resource {
    /// Fetching and decoding instructions.
    FrontEnd,
    /// The chain of instructions from one run through the loop to the next, and what it is made of.
    Chain(String),
    /// The units for arithmetic on vector registers.
    Arithmetic,
    /// The divider.
    Divider,
    /// Loads and stores, of data in the first-level cache.
    Accesses,
    /// Loads and stores where the data lie in the nearest cache: addresses, and lines that are crossed.
    Near(String),
    /// Getting the data from this level of the memory.
    Memory(String),
    /// The functions that the loop calls.
    Calls(String),
}

impl Resource {
    /// Its name in exports: `front_end`.
    pub const fn id(&self) -> &'static str {
        match self {
            Self::FrontEnd => "front_end",
            Self::Chain(_) => "chain",
            Self::Arithmetic => "arithmetic",
            Self::Divider => "divider",
            Self::Accesses => "accesses",
            Self::Near(_) => "near",
            Self::Memory(_) => "memory",
            Self::Calls(_) => "calls",
        }
    }

    /// What is taken away to learn its share: `divisions and roots`.
    pub fn taken_away(&self) -> String {
        match self {
            Self::Arithmetic => "arithmetic".to_owned(),
            Self::Divider => "divisions and roots".to_owned(),
            Self::Accesses => "loads and stores".to_owned(),
            other => other.words(),
        }
    }

    /// Its words: `the chain of additions`.
    pub fn words(&self) -> String {
        match self {
            Self::FrontEnd => "the front end".to_owned(),
            Self::Chain(of) if of.is_empty() => "the chain from iteration to iteration".to_owned(),
            Self::Chain(of) => format!("the chain of {of}"),
            Self::Arithmetic => "arithmetic units".to_owned(),
            Self::Divider => "the divider".to_owned(),
            Self::Accesses => "loads and stores in L1".to_owned(),
            Self::Near(level) => format!("access to the data in {level}"),
            Self::Memory(level) => format!("traffic with {level}"),
            Self::Calls(of) => format!("calls of {of}"),
        }
    }
}

/// A lower bound of the time of an iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// What cannot be faster.
    pub resource: Resource,
    /// Core cycles of an iteration.
    pub cycles: f64,
}

/// The kernel without a part.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduced {
    /// The change.
    pub ablation: Ablation,
    /// Core cycles of an iteration; NaN if there is no figure.
    pub cycles: f64,
    /// By how much of its time the kernel is shorter; negative if it is longer.
    pub share: f64,
    /// What the row says.
    pub why: String,
}

/// What binds at a size.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// This bound does, and taking its part away shortens the kernel.
    Binds(Bound),
    /// Taking a part away shortens the kernel, but no bound is near its time; the largest one.
    Unexplained(Option<Bound>),
    /// Nothing that was taken away shortens it; the nearest bound.
    Untouched(Option<Bound>),
    /// The unchanged loop at another address takes longer by this share (negative: less long). All changed loops lie there: what they take says
    /// nothing of the kernel.
    Moved(f64),
    /// The time of the kernel is not known, or there is no loop that could be taken apart.
    Unknown,
}

/// The explanation at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelExplained {
    /// The level.
    pub level: String,
    /// The size.
    pub n: u64,
    /// Core cycles of an iteration of the kernel; NaN if there is no figure.
    pub cycles: f64,
    /// The same where each call begins when the last has ended.
    pub fenced: Option<f64>,
    /// The kernel without parts, in the order measured.
    pub reduced: Vec<Reduced>,
    /// Bounds, the largest first.
    pub bounds: Vec<Bound>,
    /// What binds.
    pub finding: Finding,
    /// What is to be said of the kernel's own row: why it has no figure, or fewer samples than were asked for.
    pub why: String,
}

/// An explanation, understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained<'r> {
    /// What was measured.
    pub explanation: &'r Explanation,
    /// Its sizes, in the order measured.
    pub levels: Vec<LevelExplained>,
}

impl<'r> Explained<'r> {
    /// What `explanation` says.
    pub fn of(explanation: &'r Explanation) -> Self {
        let mut names: Vec<&str> = explanation.rows.iter().map(|row| row.level.as_str()).collect();
        names.dedup();
        let level = |(number, name): (usize, &&str)| level(explanation, name, number == 0);
        Self { explanation, levels: names.iter().enumerate().map(level).collect() }
    }
}

/// The figure of a row, in core cycles; NaN if it has none.
pub fn figure(row: &ExplanationRow) -> f64 {
    let mut cycles: Vec<f64> = row.cycles.iter().copied().filter(|cycles| cycles.is_finite()).collect();
    cycles.sort_numbers();
    if cycles.is_empty() { f64::NAN } else { cycles[((cycles.len() - 1) as f64 * QUANTILE) as usize] }
}

fn level(explanation: &Explanation, name: &str, is_first: bool) -> LevelExplained {
    let rows = || explanation.rows.iter().filter(|row| row.level == name);
    let own = rows().find(|row| row.ablation.is_none() && !row.fenced);
    let cycles = own.map_or(f64::NAN, figure);
    let reduced: Vec<Reduced> = rows()
        .filter_map(|row| {
            let (ablation, without) = (row.ablation?, figure(row));
            Some(Reduced { ablation, cycles: without, share: 1.0 - without / cycles, why: row.why.clone() })
        })
        .collect();
    let mut bounds = bounds(explanation, (name, cycles), is_first);
    let finding = match moved(&reduced) {
        _ if !cycles.is_finite() || !explanation.refused.is_empty() => Finding::Unknown,
        Some(longer) => Finding::Moved(longer),
        None => finding(cycles, &shares(explanation, &reduced, name, is_first), &bounds),
    };
    if let Finding::Binds(bound) = &finding
        && !bounds.contains(bound)
    {
        bounds.insert(0, bound.clone());
    }
    let fenced = rows().find(|row| row.fenced).map(figure).filter(|cycles| cycles.is_finite());
    let (n, why) = own.map_or((0, String::new()), |row| (row.n, row.why.clone()));
    LevelExplained { level: name.to_owned(), n, cycles, fenced, reduced, bounds, finding, why }
}

/// By how much longer the same loop takes elsewhere, if that is more than noise.
fn moved(reduced: &[Reduced]) -> Option<f64> {
    let copy = reduced.iter().find(|reduced| reduced.ablation == Ablation::Copy)?;
    (copy.share.abs() >= SHARE_MIN).then_some(-copy.share)
}

/// What taking parts away saves, as shares of the time of the kernel, the largest first. A part below the noise is left out; none is known where
/// moving the loop alone changes its time.
pub fn shares(explanation: &Explanation, reduced: &[Reduced], level: &str, is_first: bool) -> Vec<(Resource, f64)> {
    if moved(reduced).is_some() {
        return Vec::new();
    }
    let mut shares: Vec<(Resource, f64)> = reduced
        .iter()
        .filter(|without| without.share >= SHARE_MIN)
        .filter_map(|without| Some((resource(explanation, without.ablation, level, is_first)?, without.share)))
        .collect();
    shares.order_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

/// The part that an ablation takes away.
fn resource(explanation: &Explanation, ablation: Ablation, level: &str, is_first: bool) -> Option<Resource> {
    let made_of = explanation.recurrence.as_ref().map_or_else(String::new, |chain| chain.made_of.clone());
    let calls = explanation.hot.as_ref().map_or_else(String::new, |hot| hot.calls.join(", "));
    Some(match ablation {
        Ablation::OnePage if is_first => Resource::Near(level.to_owned()),
        Ablation::OnePage => Resource::Memory(level.to_owned()),
        Ablation::NoFloat => Resource::Arithmetic,
        Ablation::NoMemory => Resource::Accesses,
        Ablation::NoChain => Resource::Chain(made_of),
        Ablation::NoDivision => Resource::Divider,
        Ablation::NoCalls => Resource::Calls(calls),
        _ => return None,
    })
}

/// The bounds at a size, the largest first.
fn bounds(explanation: &Explanation, (level, cycles): (&str, f64), is_first: bool) -> Vec<Bound> {
    let first = explanation.rows.first().map_or("", |row| row.level.as_str());
    let at = |name: &str, ablation| {
        let row = explanation.rows.iter().find(|row| row.level == name && row.ablation == Some(ablation));
        row.map(figure).filter(|cycles| cycles.is_finite())
    };
    let sum = explanation.recurrence.as_ref().zip(explanation.hot.as_ref()).map(|(chain, hot)| {
        // Runs that go another way wait for a shorter chain, of which nothing is known.
        chain.cycles * chain.share.unwrap_or(1.0) / hot.iterations
    });
    let waits = waiting(at(first, Ablation::NoMemory), at(first, Ablation::ArithmeticAlone));
    let made_of = explanation.recurrence.as_ref().map_or_else(String::new, |chain| chain.made_of.clone());
    let chain = sum.into_iter().chain(waits).max_by(f64::total_cmp);
    let chain = chain.map(|cycles| Bound { resource: Resource::Chain(made_of), cycles });
    let bound = |(resource, cycles): (Resource, Option<f64>)| cycles.map(|cycles| Bound { resource, cycles });
    // A loop of whole numbers alone has no such arithmetic.
    let arithmetic = at(first, Ablation::NoFloat).and(at(first, Ablation::ArithmeticAlone));
    let place = if is_first { Resource::Near(level.to_owned()) } else { Resource::Memory(level.to_owned()) };
    let mut bounds: Vec<Bound> = [
        (Resource::FrontEnd, at(first, Ablation::NoOperations)),
        (Resource::Arithmetic, arithmetic),
        (Resource::Divider, at(first, Ablation::DivisionsAlone)),
        (Resource::Accesses, at(first, Ablation::AccessesAlone)),
        (place, at(level, Ablation::NoFloat)),
    ]
    .into_iter()
    .filter_map(bound)
    .chain(chain)
    .filter(|bound| bound.cycles <= cycles * ABOVE)
    .collect();
    bounds.order_by(|a, b| b.cycles.total_cmp(&a.cycles));
    bounds
}

/// What a loop without loads and stores takes, if it is much longer than the same with its chain cut: then the chain is what it waits for. Its
/// latencies alone may add up to less, because an instruction can take longer between others than in a chain of its own.
fn waiting(without_memory: Option<f64>, cut: Option<f64>) -> Option<f64> {
    without_memory.zip(cut).filter(|(whole, cut)| *cut <= BINDS * whole).map(|(whole, _)| whole)
}

fn finding(cycles: f64, shares: &[(Resource, f64)], bounds: &[Bound]) -> Finding {
    let largest = bounds.first().cloned();
    if shares.is_empty() {
        return Finding::Untouched(largest);
    }
    let saves = |bound: &&Bound| shares.iter().any(|(part, _)| touches(part, &bound.resource));
    let near: Vec<&Bound> = bounds.iter().filter(|bound| bound.cycles >= BINDS * cycles).filter(saves).collect();
    // A bound above the measured time says no more than one that reaches it.
    let most = near.iter().map(|bound| bound.cycles).fold(0.0, f64::max).min(cycles);
    // Of bounds that are as good as equal, the one that says most.
    let best = near.iter().filter(|bound| bound.cycles >= SAME * most).min_by_key(|bound| rank(&bound.resource));
    match (best, largest) {
        (Some(bound), _) if bound.resource == Resource::Arithmetic => Finding::Binds(narrowed(bound, &near, shares)),
        (Some(bound), _) => Finding::Binds((*bound).clone()),
        (None, Some(bound)) if bound.cycles >= BINDS * cycles => Finding::Untouched(Some(bound)),
        (None, largest) => Finding::Unexplained(largest),
    }
}

/// The divider in place of all arithmetic, where its own bound is among those that are `near`, or where divisions alone save as much.
fn narrowed(arithmetic: &Bound, near: &[&Bound], shares: &[(Resource, f64)]) -> Bound {
    let of = |part: &Resource| shares.iter().find(|(own, _)| own == part).map_or(0.0, |(_, share)| *share);
    match near.iter().find(|bound| bound.resource == Resource::Divider) {
        Some(divider) => (*divider).clone(),
        None if of(&Resource::Divider) >= AS_MUCH * of(&Resource::Arithmetic).max(SHARE_MIN) => {
            Bound { resource: Resource::Divider, ..arithmetic.clone() }
        }
        None => arithmetic.clone(),
    }
}

/// The place of a resource among those whose bounds are equal: the narrower one first.
fn rank(resource: &Resource) -> u32 {
    match resource {
        Resource::Divider => 0,
        Resource::Chain(_) => 1,
        Resource::Calls(_) => 2,
        Resource::Memory(_) => 3,
        Resource::Near(_) => 4,
        Resource::Accesses => 5,
        Resource::Arithmetic => 6,
        Resource::FrontEnd => 7,
    }
}

/// Whether taking `part` away takes away what the bound of `bound` counts. Whatever goes leaves the front end less to do.
fn touches(part: &Resource, bound: &Resource) -> bool {
    match (part, bound) {
        (_, Resource::FrontEnd) => true,
        (Resource::Arithmetic, Resource::Chain(_) | Resource::Divider) | (Resource::Divider, Resource::Arithmetic) => {
            true
        }
        (Resource::Divider, Resource::Chain(of)) => of.contains("divisions"),
        // A chain of loads is cut where they go.
        (Resource::Near(_) | Resource::Memory(_) | Resource::Accesses, Resource::Chain(of)) => of.contains("loads"),
        (Resource::Accesses, Resource::Near(_)) => false,
        (part, bound) => std::mem::discriminant(part) == std::mem::discriminant(bound),
    }
}

impl LevelExplained {
    /// What binds at this size and what parts cost, in one sentence.
    pub fn sentence(&self, explanation: &Explanation, is_first: bool) -> String {
        let size = format!("n = {}", self.n);
        // A size that was typed has no other name.
        let place = if self.level == size { size } else { format!("{} ({size})", self.level) };
        if !self.cycles.is_finite() {
            let why = if self.why.is_empty() { "no sample was taken" } else { self.why.trim_end_matches('.') };
            return format!("{place}: how long an iteration takes is not known: {why}.");
        }
        let shares = shares(explanation, &self.reduced, &self.level, is_first);
        let part =
            |(part, share): &(Resource, f64)| format!(", {:.0} % less without {}", 100.0 * share, part.taken_away());
        let parts: String = shares.iter().map(part).collect();
        let alone = |bound: &Bound| format!("{}, which alone would take {:.2}", bound.resource.words(), bound.cycles);
        let calls = explanation.hot.as_ref().map_or(&[][..], |hot| &hot.calls);
        let verdict = match &self.finding {
            _ if !calls.is_empty() => "the loop has no bound, because it calls other functions".to_owned(),
            Finding::Binds(bound) => format!("what binds is {}", alone(bound)),
            Finding::Unexplained(Some(bound)) => {
                format!("no single part explains it, the most is {}", alone(bound))
            }
            Finding::Untouched(Some(bound)) => {
                format!("nothing that was taken away shortens it alone, the nearest bound is {}", alone(bound))
            }
            Finding::Moved(longer) => {
                let times = if *longer > 0.0 { "longer" } else { "less time" };
                format!(
                    "the same loop elsewhere takes {:.0} % {times}, and all changed loops lie elsewhere, so that what parts cost and what binds is not \
                     known; another size (`--n`) or other flags may tell",
                    100.0 * longer.abs()
                )
            }
            Finding::Unexplained(None) | Finding::Untouched(None) | Finding::Unknown => {
                "what binds is not known".to_owned()
            }
        };
        format!("{place}: {:.2} core cycles an iteration{parts}; {verdict}.", self.cycles)
    }
}
