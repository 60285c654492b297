//! The parsed request of `paw kernel`: spec, protocol, sizes.

use paw_data::kernel::{Level, Question};
use paw_kernels::fit::{FitError, Memory, Rules, fit};
use paw_kernels::request::{KernelRequest, Target};
use paw_kernels::sensitivity::largest_within;
use paw_kernels::spec::{KernelSpec, Measure, Spec};
use paw_machine::topology::Topology;

use crate::amount;
use crate::cli::{DeviceArgs, ProtocolArgs, SizeArgs};
use crate::failure::Failure;
use crate::method::{count, invocations, warmup};
use crate::selection::closest;
use crate::setting;

/// Levels that are measured unless others are asked for: the two that the report has, and that every core has to itself.
const LEVELS: &[&str] = &["L1", "L2"];

/// The kernel of the file at `path`.
pub fn spec(path: &std::path::Path) -> Result<Spec, Failure> {
    Spec::read(path).map_err(|error| Failure::usage(error.to_string()))
}

/// The kernel of the file at `path`, for a processor or a device.
pub fn described(path: &std::path::Path) -> Result<KernelSpec, Failure> {
    KernelSpec::read(path).map_err(|error| Failure::usage(error.to_string()))
}

/// # Errors
/// If something was typed that only a device is asked.
pub fn not_on_a_device(typed: &DeviceArgs) -> Result<(), Failure> {
    let DeviceArgs { device, set, method } = typed;
    let typed = [("--device", device.is_some()), ("--set", !set.is_empty()), ("--method", method.is_some())];
    match typed.iter().find(|(_, is_typed)| *is_typed) {
        Some((flag, _)) => {
            Err(Failure::usage(format!("{flag} belongs to kernels in CUDA and OpenCL, which run on a device")))
        }
        None => Ok(()),
    }
}

/// The request about `spec` on a processor, at sizes that are known.
pub fn request(
    spec: Spec,
    question: Question,
    typed: &ProtocolArgs,
    levels: Vec<Level>,
) -> Result<KernelRequest, Failure> {
    let measure = measure(&spec.measure, typed)?;
    Ok(KernelRequest { levels, ..asked(spec, question, measure, typed)? })
}

/// The request about `spec`, measured as `measure` says, without sizes.
pub fn asked<S: Target>(
    spec: S,
    question: Question,
    measure: S::Measure,
    typed: &ProtocolArgs,
) -> Result<KernelRequest<S>, Failure> {
    let seconds = |flag: &str, text: &Option<String>| {
        text.as_deref().map(|text| amount::seconds(text).map_err(|why| wrong(flag, why))).transpose()
    };
    Ok(KernelRequest {
        spec,
        question,
        measure,
        region_s: seconds("--region", &typed.region)?,
        within: typed.within.as_deref().map(amount::share).transpose().map_err(|why| wrong("--within", why))?,
        levels: Vec::new(),
        seed: typed.campaign.seed.unwrap_or_else(|| u64::from(fastrand::u32(..))),
        budget_s: seconds("--budget", &typed.campaign.budget)?,
        invocations: invocations(typed.campaign.invocations.as_deref())?,
        until: typed.campaign.until.map(Into::into),
    })
}

/// How it is measured: what was typed, else what the spec says.
fn measure(spec: &Measure, typed: &ProtocolArgs) -> Result<Measure, Failure> {
    let TypedCounts { warmup, reps, metas } = TypedCounts::of(typed, spec.reps)?;
    Ok(Measure {
        warmup: warmup.unwrap_or(spec.warmup),
        warmup_s: spec.warmup_s,
        reps,
        metas: metas.unwrap_or(spec.metas),
        calls: typed.calls.map_or(spec.calls, Into::into),
        cache: typed.cache.map_or(spec.cache, Into::into),
        float: typed.float.map_or(spec.float, Into::into),
        restore: typed.restore.map(Into::into).or(spec.restore),
        seed: spec.seed,
    })
}

/// The counts of the protocol that were typed; `reps` may be the spec's.
pub struct TypedCounts {
    /// Warm-up calls.
    pub warmup: Option<u64>,
    /// Calls of a sample: as typed, else as the spec has them, unless a region was typed, which decides in its place.
    pub reps: Option<u64>,
    /// Samples.
    pub metas: Option<u32>,
}

impl TypedCounts {
    /// The counts of the flags in `typed`, with the repetitions `reps` of the spec where none are typed.
    pub fn of(typed: &ProtocolArgs, reps: Option<u64>) -> Result<Self, Failure> {
        let metas = typed.metas.as_deref().map(|text| count("--metas", text)).transpose()?;
        let asked = typed.reps.as_deref().map(|text| count("--reps", text)).transpose()?.map(u64::from);
        let warmup = typed.warmup.as_deref().map(warmup).transpose()?.map(u64::from);
        Ok(Self { warmup, reps: asked.or(reps.filter(|_| typed.region.is_none())), metas })
    }
}

/// An error in a flag's value.
pub fn wrong(flag: &str, why: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("{flag}: {why}"))
}

/// The caches and the memory that sizes are made for.
pub fn memory(typed: &SizeArgs, topology: &Topology) -> Result<Memory, Failure> {
    let here = Memory::here(topology, Some(topology.effective_memory_bytes()));
    let mut memory = match typed.caches.as_slice() {
        [] => here.clone(),
        caches => Memory::typed(&caches.join(",")).map_err(|why| wrong("--caches", why))?,
    };
    memory.ram_bytes = match typed.ram.as_deref() {
        Some(text) => Some(amount::positive(text).map_err(|why| wrong("--ram", why))?.unsigned_abs()),
        None => memory.ram_bytes.or(here.ram_bytes),
    };
    Ok(memory)
}

/// The rules with the factors that were typed.
pub fn rules(typed: &SizeArgs) -> Result<Rules, Failure> {
    let rules = typed.rule.iter().try_fold(Rules::default(), |rules, text| rules.with(text));
    rules.map_err(|why| wrong("--rule", why))
}

/// The sizes: those typed, or those that fit the levels asked for. A level that no size fits is an error if it was named.
pub fn levels(spec: &Spec, typed: &SizeArgs, topology: &Topology) -> Result<Vec<Level>, Failure> {
    if let Some(text) = &typed.n {
        return sizes(text)?.into_iter().map(|n| by_hand(spec, n)).collect();
    }
    let all = typed.levels.iter().any(|name| name.eq_ignore_ascii_case("all"));
    let wanted: Vec<&str> = match typed.levels.as_slice() {
        [] => LEVELS.to_vec(),
        names => names.iter().map(String::as_str).collect(),
    };
    let fitted = fit(spec, &memory(typed, topology)?, &rules(typed)?);
    let known: Vec<&str> = fitted.iter().map(level_name).collect();
    let is_known = |name: &&String| all || known.iter().any(|level| level.eq_ignore_ascii_case(name));
    if let Some(name) = typed.levels.iter().find(|name| !is_known(name)) {
        let failure = wrong("--levels", format!("`{name}` is no level here; there are {}", known.join(", ")));
        return Err(match closest(name, known.iter().copied()) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure,
        });
    }
    let is_wanted = |name: &str| all || wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
    let named = !typed.levels.is_empty() && !all;
    let mut levels = Vec::new();
    for fitted in fitted.iter().filter(|fitted| is_wanted(level_name(fitted))) {
        match fitted {
            Ok(level) => levels.push(level.clone()),
            Err(why) if named => return Err(wrong("--levels", why)),
            Err(why) => crate::print::warn(&why.to_string()),
        }
    }
    if levels.is_empty() {
        return Err(Failure::nothing("no size fits any level").hint("--n 100 measures a size of your own"));
    }
    Ok(levels)
}

/// The sizes typed, or that of the first level: for commands that work at one size.
pub fn one_level(typed: &SizeArgs) -> SizeArgs {
    let mut sizes = typed.clone();
    if sizes.n.is_none() && sizes.levels.is_empty() {
        sizes.levels = vec![LEVELS[0].to_owned()];
    }
    sizes
}

/// The level that was fitted, or could not be.
pub fn level_name(fitted: &Result<Level, FitError>) -> &str {
    match fitted {
        Ok(level) => &level.name,
        Err(FitError::Closed { level, .. } | FitError::Between { level, .. } | FitError::Search { level, .. }) => level,
    }
}

/// `88`, `88,220`, `64..1024`.
pub fn sizes(text: &str) -> Result<Vec<u64>, Failure> {
    let values = setting::whole(text).map_err(|why| wrong("--n", why))?;
    Ok(values.into_iter().map(i64::unsigned_abs).collect())
}

/// The level of a size that was typed.
pub fn by_hand(spec: &Spec, n: u64) -> Result<Level, Failure> {
    let footprint_bytes = spec.footprint_bytes(n).map_err(|why| wrong("--n", why))?;
    spec.iterations_at(n).map_err(|why| wrong("--n", why))?;
    let name = format!("n = {n}");
    Ok(Level { name, n, footprint_bytes, n_min: n, n_max: n, rule: "as typed".to_owned(), ..Level::default() })
}

/// This machine's caches, or those typed, as levels whose sizes are the largest that the whole cache holds.
pub fn caches(spec: &Spec, typed: &SizeArgs, topology: &Topology) -> Result<Vec<Level>, Failure> {
    let level = |(name, capacity_bytes): (String, u64)| {
        let n_max = largest_within(spec, capacity_bytes as f64).unwrap_or(0);
        let footprint_bytes = spec.footprint_bytes(n_max).unwrap_or(0);
        let rule = format!("bytes <= {name}");
        Level { name, n: n_max, footprint_bytes, capacity_bytes, n_min: 0, n_max, rule }
    };
    Ok(memory(typed, topology)?.caches.into_iter().map(level).collect())
}
