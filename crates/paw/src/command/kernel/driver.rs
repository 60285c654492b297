//! `paw kernel measure`: one build at one size.

use paw_data::kernel::Question;
use paw_data::run::Run;
use paw_kernels::plan::{CellSettings, KernelPlanner};

use super::plan;
use super::setup::{self, Setup};
use crate::cli::MeasureArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::kernel;
use crate::print;

/// Builds, measures, saves, shows.
pub fn measure(MeasureArgs { raw, roofline, asked: args }: &MeasureArgs) -> Result<Code, Failure> {
    kernel::not_on_a_device(&args.on)?;
    let mut spec = kernel::spec(&args.spec)?;
    let here = setup::here(&args.leaving)?;
    let sizes = kernel::one_level(&args.sizes);
    let whole = spec.clone();
    let mut wanted = setup::wanted(&mut spec, &args.builds)?;
    let levels = kernel::levels(&spec, &sizes, &here.host.topology)?;
    // Takes the first compiler, flags and variant where none was typed; `paw kernel matrix` measures all.
    setup::one(&mut wanted, &args.builds);
    let [level] = levels.as_slice() else {
        return Err(Failure::usage("one size is measured at a time").hint("paw kernel matrix takes several"));
    };
    let level = level.clone();
    let request = kernel::request(whole, Question::Measure, &args.protocol, levels)?;
    if args.leaving.dry_run {
        return plan::wanted(&wanted, &request, &args.leaving);
    }
    let mut setup = Setup::open(here, &args.protocol, &args.leaving)?;
    setup.roofline = roofline.roofline.into();
    let builds = setup.build_beside_reference(&wanted, &request.spec)?;
    let bench = setup.bench.clone();
    let mut planner = KernelPlanner::new(&request, &bench, builds.last());
    let measure = request.measure;
    let spot = CellSettings { level: Some(&level.name), ..CellSettings::new(0, level.n, measure) };
    let groups = vec![vec![planner.cell(&builds[0], spot)]];
    let (run, fault) =
        setup.run(&request, setup::facts(&request, builds.last()), groups, &args.protocol, |_, _| Ok(()))?;
    if *raw {
        let code = run.end.as_ref().map_or(Code::Done, |end| Code::from_number(end.exit));
        show_raw(&run, measure.metas)?;
        return fault.map_or(Ok(code), Err);
    }
    setup.show(&args.leaving, &run, fault)
}

/// The ticks of an iteration, one sample a line, in the order they were taken; seconds if no ticks are counted. Of a cell
/// whose disturbed samples were measured again there are as many as were asked for.
fn show_raw(run: &Run, metas: u32) -> Result<(), Failure> {
    let hz = run.instruments.first().and_then(|instrument| instrument.hz).unwrap_or(1.0);
    let mut text = String::new();
    for record in &run.records {
        let iterations = record.cell.work.operations();
        let times = record.samples.per_loop_s();
        kept(&record.samples.disturbed, metas as usize)
            .for_each(|i| text += &format!("{:.4}\n", times[i] * hz / iterations));
        if let Some(why) = record.outcome.as_ref().and_then(|outcome| outcome.why.as_ref()) {
            print::message(&format!("paw: {why}"));
        }
    }
    print::show(&text)
}

/// Numbers of `count` samples, disturbed ones only if there are too few others.
fn kept(disturbed: &[bool], count: usize) -> impl Iterator<Item = usize> {
    let clean = disturbed.iter().filter(|is| !**is).count();
    let (mut clean, mut disturbed_left) = (clean.min(count), count.saturating_sub(clean));
    disturbed.iter().enumerate().filter_map(move |(i, is_disturbed)| {
        let left = if *is_disturbed { &mut disturbed_left } else { &mut clean };
        *left = left.checked_sub(1)?;
        Some(i)
    })
}

#[cfg(test)]
mod tests {
    use super::kept;

    #[test]
    fn samples_measured_again_take_the_place_of_disturbed_ones() {
        let kept = |disturbed: &[bool], count| kept(disturbed, count).collect::<Vec<_>>();
        assert_eq!(kept(&[false, true, false, false], 3), [0, 2, 3]);
        assert_eq!(kept(&[true, true, false, true], 3), [0, 1, 2], "there are too few others");
        assert_eq!(kept(&[false, true], 3), [0, 1], "the run was cut off");
        assert_eq!(kept(&[false; 4], 3), [0, 1, 2]);
    }
}
