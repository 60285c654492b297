//! What one call of a planned cell does in its innermost loops: their machine code times the runs through them, which are counted.

use paw_binary::{inner_loops, loop_work};
use paw_data::executed::{Executed, ExecutedLoop};

use crate::campaign::Planned;
use crate::job::{Answers, CallJob, JobDescription};
use crate::request::Workbench;
use crate::trips::trips;

/// What one call of `planned` does; why that is not known in place of what is not certain.
pub fn executed(planned: &Planned, bench: &Workbench) -> Executed {
    let cell = planned.cell.id;
    match loops(planned, bench) {
        Ok(loops) => Executed { cell, loops, refused: String::new() },
        Err(refused) => Executed { cell, loops: Vec::new(), refused },
    }
}

fn loops(planned: &Planned, bench: &Workbench) -> Result<Vec<ExecutedLoop>, String> {
    let call = match &planned.job.description {
        Ok(JobDescription::Call(call)) => CallJob { answers: Answers::Repeatable, ..call.clone() },
        Ok(_) => return Err("loops are counted of calls on a processor alone".to_owned()),
        Err(fault) => return Err(fault.to_string()),
    };
    let runtime = planned.cell.build.as_ref().map_or("", |build| &build.runtime);
    if !runtime.is_empty() {
        return Err(format!(
            "it was linked with {runtime}, and runs of several threads through a loop are not counted"
        ));
    }
    let found = inner_loops(&call.library, &call.function).map_err(|error| error.to_string())?;
    let work = loop_work(&call.library, &call.function).map_err(|error| error.to_string())?;
    if !work.foreign.is_empty() {
        return Err(format!("it calls {}, whose operations are not in its own code", work.foreign.join(", ")));
    }
    if work.is_incomplete {
        return Err("it jumps to where its code does not tell, so that loops may be missing".to_owned());
    }
    if found.is_empty() {
        return Err(format!("`{}` has no loop", call.function));
    }
    let trips = trips(bench, call, runtime, &found).map_err(|fault| fault.to_string())?;
    let mut loops = Vec::new();
    for ((own, work), trips) in found.iter().zip(&work.loops).zip(trips) {
        if trips == 0.0 {
            continue;
        }
        if !trips.is_finite() {
            return Err(format!("runs through the loop at {:#x} cannot be counted", own.address));
        }
        let work = work.clone()?;
        loops.push(ExecutedLoop {
            function: own.function.clone(),
            address: own.address,
            trips,
            flop: work.flop,
            load_bytes: work.load_bytes,
            store_bytes: work.store_bytes,
        });
    }
    Ok(loops)
}
