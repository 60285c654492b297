//! `paw run --dry-run`: the cells, their order, why each thread count, and how long it may take.

use std::time::Duration;

use paw_data::cell::Role;
use paw_measure::planned::Campaign;
use paw_suites::plan::{Assignment, Planned};
use paw_suites::provider::Resolved;
use paw_suites::request::Request;

use crate::cli::Format;
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;
use crate::table::Table;

/// Shows a plan.
pub fn dry_run(campaign: &Campaign<Assignment>, request: &Request, format: Format) -> Result<Code, Failure> {
    let mut table = Table::new(&["group", "benchmark", "point", "provider", "role", "cpus", "threads because"]);
    for (number, group) in campaign.groups.iter().enumerate() {
        for planned in &group.cells {
            table.rows.push(row(number, planned));
        }
    }
    let mut text = table.written(format, print::width());
    if format == Format::Text {
        text += &summary(campaign, request);
    }
    print::show(&text)?;
    Ok(Code::Done)
}

fn row(group: usize, planned: &Planned) -> Vec<String> {
    let cpus: Vec<_> = planned.job.placement.cpus.iter().map(ToString::to_string).collect();
    let provider = match &planned.job.provider {
        Resolved::Here(provider) => provider.name.clone(),
        Resolved::Missing { name, .. } => format!("{name} (not here)"),
    };
    let role = match planned.cell.role {
        Role::Subject => "subject",
        Role::Peak => "peak",
        Role::Bandwidth => "bandwidth",
        Role::Base => "base",
    };
    vec![
        group.to_string(),
        planned.cell.benchmark.clone(),
        planned.cell.point.to_string(),
        provider,
        role.to_owned(),
        cpus.join(","),
        planned.job.placement.rule.clone(),
    ]
}

fn summary(campaign: &Campaign<Assignment>, request: &Request) -> String {
    let cells = campaign.cells().count();
    let nominal_s: f64 = campaign.groups.iter().filter_map(|group| group.estimate_s).sum();
    let limit = request.plan.budget_s.map_or_else(String::new, |budget_s| format!(", at most {}", duration(budget_s)));
    format!(
        "\n{cells} cells in {} groups; cells of a group are interleaved, in rounds shuffled from seed {}\n\
         about {} at nominal speeds{limit}; method {}\n",
        campaign.groups.len(),
        request.plan.seed,
        duration(nominal_s),
        request.plan.method.name,
    )
}

/// `1h5m`, `2m30s`, `12s`.
pub fn duration(seconds: f64) -> String {
    let whole = Duration::try_from_secs_f64(seconds.ceil()).unwrap_or(Duration::MAX).as_secs();
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m{s}s"),
        (h, m, _) => format!("{h}h{m}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn times_are_written_as_people_say_them() {
        for (seconds, expected) in [(0.2, "1s"), (59.1, "1m0s"), (150.0, "2m30s"), (3900.0, "1h5m")] {
            assert_eq!(duration(seconds), expected);
        }
    }
}
