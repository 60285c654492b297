//! The parameters of `paw app`: their values, which of them are ladders, and what alternatives are held against.

use paw_apps::request::NamedTemplate;
use paw_data::application::Reference;
use paw_data::axis::{COPIES, THREADS};
use paw_data::point::AxisValue;
use paw_formula::Formula;
use paw_sort::OrderBy;

use super::work_parts;
use crate::cli::AppArgs;
use crate::failure::Failure;
use crate::selection::closest;
use crate::setting;

/// Parameters with their values.
pub type Axes = Vec<(String, Vec<AxisValue>)>;

/// The parameters and their values, ladders first, and the names of those whose values are alternatives. A parameter that is set twice
/// has the values of both.
pub fn axes(args: &AppArgs) -> Result<(Axes, Vec<String>), Failure> {
    let mut axes = values(&args.sweep.set)?;
    let ladders = ladders(args, &axes)?;
    let is_ladder = |(name, _): &(String, Vec<AxisValue>)| ladders.contains(name);
    // A stable sort: both kinds keep their order.
    axes.order_by_key(|axis| !is_ladder(axis));
    let alternatives = axes.iter().filter(|axis| !is_ladder(axis)).map(|(name, _)| name.clone()).collect();
    Ok((axes, alternatives))
}

fn values(typed: &[String]) -> Result<Axes, Failure> {
    let mut axes = Axes::new();
    for text in typed {
        let setting = setting::split(text).map_err(Failure::usage)?;
        if [THREADS, COPIES].contains(&setting.axis) {
            return Err(Failure::usage(format!("--set {0}: {0} has a flag of its own", setting.axis))
                .hint(format!("--{} 1,2", setting.axis)));
        }
        let values = setting::free(&setting).map_err(|why| super::wrong(&format!("--set {}", setting.axis), why))?;
        match axes.iter_mut().find(|(name, _)| name == setting.axis) {
            Some((_, known)) => {
                let new: Vec<_> = values.into_iter().filter(|value| !known.contains(value)).collect();
                known.extend(new);
            }
            None => axes.push((setting.axis.to_owned(), values)),
        }
    }
    Ok(axes)
}

/// The parameters that change the work: those of --ladder and --weak, and those in the formulas of the work.
fn ladders(args: &AppArgs, axes: &Axes) -> Result<Vec<String>, Failure> {
    let mut ladders = Vec::new();
    for name in &args.sweep.ladder {
        named("--ladder", name, axes)?;
        ladders.push(name.clone());
    }
    ladders.extend(args.sweep.weak.clone());
    let reading = &args.reading;
    let work = reading.work.as_deref().map(|text| work_parts(text).0);
    let formulas = work.into_iter().chain(reading.flops.as_deref()).chain(reading.bytes.as_deref());
    // One that is none is refused where it is read.
    let parsed = formulas.filter_map(|text| Formula::parse(text).ok());
    ladders.extend(parsed.flat_map(|formula| formula.names().iter().map(ToString::to_string).collect::<Vec<_>>()));
    Ok(ladders)
}

/// Checks that `name` is a parameter.
pub fn named(flag: &str, name: &str, axes: &Axes) -> Result<(), Failure> {
    let names = axes.iter().map(|(name, _)| name.as_str());
    if names.clone().any(|own| own == name) {
        return Ok(());
    }
    let failure = Failure::usage(format!("{flag} {name}: there is no --set {name}="));
    Err(match closest(name, names) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure,
    })
}

/// What `text` of --base names among the alternatives: a command by its name or its text, or a value as in `mode=fast`; `None`: it is a
/// command of its own.
pub fn named_reference(
    text: &str,
    commands: &[NamedTemplate],
    (axes, alternatives): (&Axes, &[String]),
) -> Option<Reference> {
    let by_text = |command: &&NamedTemplate| {
        let typed = command.template.typed();
        typed.join(" ") == text || shlex::split(text).is_some_and(|words| words == typed)
    };
    let several = if commands.len() > 1 { commands } else { &[] };
    let found = several.iter().find(|command| command.name == text).or_else(|| several.iter().find(by_text));
    if let Some(command) = found {
        return Some(Reference::Command(command.name.clone()));
    }
    let (axis, value) = text.split_once('=')?;
    let (_, values) = axes.iter().find(|(name, _)| name == axis && alternatives.contains(name))?;
    let value = values.iter().find(|own| own.to_string() == value)?.clone();
    Some(Reference::Value { axis: axis.to_owned(), value })
}

/// What all others are held against where they are judged and nobody names one: the first command, or the first value.
pub fn first_reference(commands: &[NamedTemplate], axes: &Axes, alternatives: &[String]) -> Option<Reference> {
    if let [first, _, ..] = commands {
        return Some(Reference::Command(first.name.clone()));
    }
    let mut several = axes.iter().filter(|(name, values)| alternatives.contains(name) && values.len() > 1);
    let (axis, values) = several.next()?;
    Some(Reference::Value { axis: axis.clone(), value: values.first()?.clone() })
}

/// Puts what others are held against in front: looks at unfinished comparisons hold all against the first.
pub fn put_first(reference: &Reference, commands: &mut [NamedTemplate], axes: &mut Axes) {
    // Stable sorts: all others keep their order.
    match reference {
        Reference::Command(name) => commands.order_by_key(|command| command.name != *name),
        Reference::Value { axis, value } => {
            let own = axes.iter_mut().filter(|(name, _)| name == axis);
            own.for_each(|(_, values)| values.order_by_key(|other| other != value));
        }
    }
}
