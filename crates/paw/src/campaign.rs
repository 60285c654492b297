//! Converts between the flags of `paw app` and a campaign file.

use std::path::PathBuf;

use clap::ValueEnum;
use paw_apps::campaign_file::CampaignFile;

use crate::cli::{AlikeArgs, AppArgs, LaunchingArgs, MethodArgs, Place, ReadingArgs, RoofPrecision, SweepArgs, Until};
use crate::failure::Failure;
use crate::parameters;

/// `args` completed by the flags of the campaign file that they name; typed flags take precedence.
pub fn merged(args: &AppArgs) -> Result<AppArgs, Failure> {
    let args = &parameters::as_settings(args)?;
    let Some(path) = &args.campaign else { return Ok(args.clone()) };
    let file = CampaignFile::read(path).map_err(|error| Failure::usage(error.to_string()))?;
    let filed = flags(file)?;
    let typed = args.clone();
    let command_typed = !typed.command.is_empty() || !typed.commands.is_empty();
    let (filed_command, filed_commands) =
        if command_typed { Default::default() } else { (filed.command, filed.commands) };
    complete(AppArgs {
        command: first(typed.command, filed_command),
        commands: first(typed.commands, filed_commands),
        names: if command_typed { typed.names } else { first(typed.names, filed.names) },
        campaign: typed.campaign,
        save: typed.save,
        resume: None,
        profile: typed.profile || filed.profile,
        roofline: typed.roofline.or(filed.roofline),
        sweep: SweepArgs {
            threads: first(typed.sweep.threads, filed.sweep.threads),
            place: typed.sweep.place.or(filed.sweep.place),
            copies: first(typed.sweep.copies, filed.sweep.copies),
            set: settings(typed.sweep.set, filed.sweep.set),
            alike: AlikeArgs::default(),
            ladder: first(typed.sweep.ladder, filed.sweep.ladder),
            exclude: first(typed.sweep.exclude, filed.sweep.exclude),
            weak: typed.sweep.weak.or(filed.sweep.weak),
            base: typed.sweep.base.or(filed.sweep.base),
            versus: typed.sweep.versus.or(filed.sweep.versus),
        },
        launching: launching(typed.launching, filed.launching, command_typed),
        method: MethodArgs {
            method: typed.method.method.or(filed.method.method),
            k: typed.method.k.or(filed.method.k),
            within: typed.method.within.or(filed.method.within),
            min: typed.method.min.or(filed.method.min),
            max: typed.method.max.or(filed.method.max),
            kbest_exclusive: typed.method.kbest_exclusive || filed.method.kbest_exclusive,
            reps: typed.method.reps.or(filed.method.reps),
            warmup: typed.method.warmup.or(filed.method.warmup),
            budget: typed.method.budget.or(filed.method.budget),
            until: typed.method.until.or(filed.method.until),
            fail_on: typed.method.fail_on.or(filed.method.fail_on),
            seed: typed.method.seed.or(filed.method.seed),
            strict_env: typed.method.strict_env || filed.method.strict_env,
        },
        reading: ReadingArgs {
            metric: first(typed.reading.metric, filed.reading.metric),
            headline: typed.reading.headline.or(filed.reading.headline),
            drive: typed.reading.drive.or(filed.reading.drive),
            verify: first(typed.reading.verify, filed.reading.verify),
            hash_input: first(typed.reading.hash_input, filed.reading.hash_input),
            simulate: typed.reading.simulate || (filed.reading.simulate && typed.reading.counters.is_empty()),
            recorded: typed.reading.recorded.or(filed.reading.recorded.filter(|_| !typed.reading.simulate)),
            counters: if typed.reading.simulate {
                Vec::new()
            } else {
                first(typed.reading.counters, filed.reading.counters)
            },
            flops: typed.reading.flops.or(filed.reading.flops),
            bytes: typed.reading.bytes.or(filed.reading.bytes),
            work: typed.reading.work.or(filed.reading.work),
        },
        exports: typed.exports,
        leaving: typed.leaving,
    })
}

/// `args`, unless one of them is of no use without another, or excludes it, as a file may have them.
fn complete(args: AppArgs) -> Result<AppArgs, Failure> {
    let reading = &args.reading;
    let is_stated = reading.flops.is_some() || reading.bytes.is_some();
    let why = if is_stated && args.roofline.is_none() {
        "`flops` and `bytes` are for a roofline: add `roofline = \"double\"`, or type --roofline"
    } else if reading.recorded.is_some() && reading.counters.is_empty() {
        "`recorded` stands for counters, and no group is named: add `counters = [\"CPI\"]`, or type --counters"
    } else if reading.simulate && !reading.counters.is_empty() {
        "`simulate` and `counters` exclude each other: keep one of them"
    } else {
        return Ok(args);
    };
    Err(Failure::usage(why))
}

/// The flags of launching; those of the file's command are no flags of another that is typed.
fn launching(typed: LaunchingArgs, filed: LaunchingArgs, command_typed: bool) -> LaunchingArgs {
    let output_typed = typed.output.is_some() || typed.show_output || typed.keep_output;
    LaunchingArgs {
        shell: typed.shell || (filed.shell && !command_typed),
        input: typed.input.or(filed.input),
        show_output: typed.show_output,
        keep_output: typed.keep_output || (filed.keep_output && !output_typed),
        output: typed.output.or(filed.output.filter(|_| !output_typed)),
        timeout: typed.timeout.or(filed.timeout),
        prepare: typed.prepare.or(filed.prepare),
        conclude: typed.conclude.or(filed.conclude),
        setup: typed.setup.or(filed.setup),
        cleanup: typed.cleanup.or(filed.cleanup),
        ignore_failure: typed.ignore_failure.or(filed.ignore_failure),
        no_shell: typed.no_shell,
        no_aslr: typed.no_aslr || filed.no_aslr,
    }
}

fn first<T>(typed: Vec<T>, filed: Vec<T>) -> Vec<T> {
    if typed.is_empty() { filed } else { typed }
}

/// The file's settings in its order, each replaced by the typed one if there is one.
fn settings(typed: Vec<String>, filed: Vec<String>) -> Vec<String> {
    let name = |text: &str| text.split_once('=').map_or(text, |(name, _)| name).trim().to_owned();
    let of = |wanted: &str| typed.iter().filter(|text| name(text) == wanted).cloned().collect::<Vec<_>>();
    let mut settings: Vec<String> = Vec::new();
    for text in filed {
        let replaced = of(&name(&text));
        settings.extend(if replaced.is_empty() { vec![text] } else { replaced });
    }
    let new: Vec<_> = typed.into_iter().filter(|text| !settings.contains(text)).collect();
    settings.extend(new);
    settings
}

/// The value that `text` of the key `name` names, one of `known`.
fn word<T: ValueEnum>(name: &str, text: Option<&str>, known: &str) -> Result<Option<T>, Failure> {
    let wrong = |text: &str| Failure::usage(format!("{name} = \"{text}\": write {known}"));
    text.map(|text| T::from_str(text, false).map_err(|_| wrong(text))).transpose()
}

/// The settings of a campaign file as flags.
fn flags(file: CampaignFile) -> Result<AppArgs, Failure> {
    let place = word::<Place>("place", file.place.as_deref(), "cores, compact, scatter or none")?;
    let until = word::<Until>("until", file.until.as_deref(), "decided")?;
    let roofline = word::<RoofPrecision>("roofline", file.roofline.as_deref(), "double or single")?;
    let number = |number: Option<u32>| number.map(|number| number.to_string());
    let is_shell = file.shell.is_some() || !file.shells.is_empty();
    Ok(AppArgs {
        command: file.shell.map_or(file.command, |text| vec![text]),
        commands: first(file.commands, file.shells),
        names: file.names,
        profile: file.profile,
        roofline,
        sweep: SweepArgs {
            threads: file.threads,
            place,
            copies: file.copies,
            set: file.set.into_iter().map(|(name, values)| format!("{name}={values}")).collect(),
            alike: AlikeArgs::default(),
            ladder: file.ladder,
            exclude: file.exclude,
            weak: file.weak,
            base: file.base,
            versus: file.versus,
        },
        launching: LaunchingArgs {
            shell: is_shell,
            input: file.stdin.map(PathBuf::from),
            output: file.output.map(PathBuf::from),
            show_output: false,
            keep_output: file.keep_output,
            timeout: file.timeout,
            prepare: file.prepare,
            conclude: file.conclude,
            setup: file.setup,
            cleanup: file.cleanup,
            ignore_failure: file.ignore_failure,
            no_shell: false,
            no_aslr: file.no_aslr,
        },
        method: MethodArgs {
            method: file.method,
            k: number(file.k),
            within: file.within,
            min: number(file.min),
            max: number(file.max),
            kbest_exclusive: file.kbest_exclusive,
            reps: number(file.reps),
            warmup: number(file.warmup),
            budget: file.budget,
            until,
            fail_on: file.fail_on,
            seed: file.seed,
            strict_env: file.strict_env,
        },
        reading: ReadingArgs {
            metric: file.metric,
            headline: file.headline,
            drive: file.drive,
            verify: file.verify,
            hash_input: file.hash_input.into_iter().map(PathBuf::from).collect(),
            counters: file.counters,
            simulate: file.simulate,
            recorded: file.recorded.map(PathBuf::from),
            flops: file.flops,
            bytes: file.bytes,
            work: file.work,
        },
        ..AppArgs::default()
    })
}

/// The flags as a campaign file. They were parsed before, so that every number is valid.
pub fn filed(args: &AppArgs) -> CampaignFile {
    let args = args.clone();
    let number = |text: Option<String>| text.and_then(|text| text.parse().ok());
    let path = |path: PathBuf| path.to_string_lossy().into_owned();
    let set = |text: &String| text.split_once('=').map(|(name, values)| (name.trim().to_owned(), values.to_owned()));
    let is_shell = args.launching.shell;
    let shell = (is_shell && !args.command.is_empty()).then(|| args.command.join(" "));
    let (commands, shells) = if is_shell { (Vec::new(), args.commands) } else { (args.commands, Vec::new()) };
    CampaignFile {
        command: if is_shell { Vec::new() } else { args.command },
        commands,
        shell,
        shells,
        names: args.names,
        base: args.sweep.base,
        versus: args.sweep.versus,
        prepare: args.launching.prepare,
        conclude: args.launching.conclude,
        setup: args.launching.setup,
        cleanup: args.launching.cleanup,
        ignore_failure: args.launching.ignore_failure,
        stdin: args.launching.input.map(path),
        output: args.launching.output.map(path),
        keep_output: args.launching.keep_output,
        no_aslr: args.launching.no_aslr,
        threads: args.sweep.threads,
        place: args.sweep.place.and_then(|place| Some(place.to_possible_value()?.get_name().to_owned())),
        copies: args.sweep.copies,
        ladder: args.sweep.ladder,
        exclude: args.sweep.exclude,
        method: args.method.method,
        k: number(args.method.k),
        within: args.method.within,
        min: number(args.method.min),
        max: number(args.method.max),
        kbest_exclusive: args.method.kbest_exclusive,
        reps: number(args.method.reps),
        warmup: number(args.method.warmup),
        timeout: args.launching.timeout,
        metric: args.reading.metric,
        headline: args.reading.headline,
        drive: args.reading.drive,
        verify: args.reading.verify,
        work: args.reading.work,
        weak: args.sweep.weak,
        hash_input: args.reading.hash_input.into_iter().map(path).collect(),
        seed: args.method.seed,
        budget: args.method.budget,
        until: args.method.until.and_then(|until| Some(until.to_possible_value()?.get_name().to_owned())),
        fail_on: args.method.fail_on,
        strict_env: args.method.strict_env,
        profile: args.profile,
        roofline: args.roofline.and_then(|own| Some(own.to_possible_value()?.get_name().to_owned())),
        counters: args.reading.counters,
        simulate: args.reading.simulate,
        recorded: args.reading.recorded.map(path),
        flops: args.reading.flops,
        bytes: args.reading.bytes,
        set: args.sweep.set.iter().filter_map(set).collect(),
        ..CampaignFile::default()
    }
}
