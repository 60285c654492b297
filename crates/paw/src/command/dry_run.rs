//! `paw run --dry-run`: the cells, their order, why each thread count, and how long it may take.

use paw_data::cell::Role;
use paw_measure::campaign::Processes;
use paw_measure::planned::Campaign;
use paw_suites::host::Host;
use paw_suites::plan::{Assignment, PlannedBenchmark};
use paw_suites::provider::Resolved;
use paw_suites::request::RunRequest;

use crate::amount::{duration, point};
use crate::cli::Format;
use crate::exit::Code;
use crate::failure::Failure;
use crate::print;
use crate::table::Table;

/// Shows a plan.
pub fn dry_run(
    campaign: &Campaign<Assignment>,
    request: &RunRequest,
    host: &Host,
    format: Format,
) -> Result<Code, Failure> {
    let mut table = Table::new(&["group", "benchmark", "point", "provider", "role", "cpus", "threads because"]);
    for (number, group) in campaign.groups.iter().enumerate() {
        for planned in &group.cells {
            table.rows.push(row(number, planned, format));
        }
    }
    let mut text = table.written(format, print::width());
    if format == Format::Text {
        text += &summary(campaign, request);
        let of_devices = campaign.cells().any(|planned| planned.job.provider.devices().is_some());
        let sampling = host.devices.sampling().filter(|_| of_devices && request.samples_devices());
        text += &sampling.map_or_else(String::new, |sentence| format!("{sentence}\n"));
    }
    print::show(&text)?;
    Ok(Code::Done)
}

fn row(group: usize, planned: &PlannedBenchmark, format: Format) -> Vec<String> {
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
    let at = &planned.cell.point;
    vec![
        group.to_string(),
        planned.cell.benchmark.to_string(),
        if format == Format::Text { point(at) } else { at.to_string() },
        provider,
        role.to_owned(),
        cpus.join(","),
        planned.job.placement.rule.clone(),
    ]
}

/// Why comparisons of the plan will have no verdict.
pub fn undecidable(campaign: &Campaign<Assignment>, request: &RunRequest) -> Option<String> {
    let is_job = campaign.cells().any(|planned| planned.cell.team.is_some());
    let processes = if is_job { Processes::One } else { Processes::Fresh };
    paw_measure::undecidable::undecidable(campaign, &request.plan, processes)
}

fn summary(campaign: &Campaign<Assignment>, request: &RunRequest) -> String {
    let cells = campaign.cells().count();
    let nominal_s: f64 = campaign.groups.iter().filter_map(|group| group.estimate_s).sum();
    let doubt = undecidable(campaign, request).map_or_else(String::new, |why| format!("{why}\n"));
    let limit = request.plan.budget_s.map_or_else(String::new, |budget_s| format!(", at most {}", duration(budget_s)));
    format!(
        "\n{cells} cells in {} groups; cells of a group are interleaved, in rounds shuffled from seed {}\n\
         about {} at nominal speeds{limit}; method {}\n{doubt}",
        campaign.groups.len(),
        request.plan.seed,
        duration(nominal_s),
        request.plan.method.name,
    )
}
