//! Plans of kernels on devices.

use std::path::Path;
use std::time::Duration;

use paw_data::document::Document;
use paw_data::kernel::Question;
use paw_data::method::{EndRule, Estimator, LoopRule, Memory};
use paw_data::run::{ClockKind, Instrument};

use super::request::DeviceRequest;
use crate::campaign::Planned;
use crate::job::{Answers, Argument, JobDescription, LaunchJob};
use crate::plan::KernelPlanner;
use crate::request::Workbench;
use crate::spec::KernelSpec;
use crate::spec::device::DeviceCache;

const SPEC: &str = r#"paw = "kernel/1"
language = "cuda"
source = "device.cu"
entry = "fit<float>"
signature = "void fit(unsigned n, long m, const float *x, float *y, double s)"
threads = "n*m"
block = [64, 128]
[axes]
n = [8, 4000000000]
m = 3
[arrays]
x = "f32[n]"
y = { type = "f32[threads]", input = true, output = true }
[scalars]
s = 0.5
[reference]
entry = "fit_plain"
"#;

fn request(text: &str) -> DeviceRequest {
    let KernelSpec::Device(spec) =
        KernelSpec::of(&Document { path: Path::new("templates/fit.toml"), text }).expect("a spec")
    else {
        panic!("it is for a device");
    };
    let measure = spec.measure.clone();
    DeviceRequest {
        spec: *spec,
        question: Question::Measure,
        measure,
        region_s: None,
        within: None,
        levels: Vec::new(),
        seed: 0,
        budget_s: None,
        invocations: None,
        until: None,
    }
}

fn bench() -> Workbench {
    Workbench {
        child: (Path::new("paw").to_owned(), Vec::new()),
        instrument: Instrument { id: 0, clock: ClockKind::Monotonic, resolution_s: 1e-9, overhead_s: 2e-8, hz: None },
        deadline: Duration::from_secs(1),
        builds: Path::new("builds").to_owned(),
        answers: Path::new("answers").to_owned(),
        cpus: Vec::new(),
        device: 1,
        threads: None,
        free_bytes: f64::INFINITY,
    }
}

fn groups(request: &DeviceRequest) -> Vec<Vec<Planned>> {
    KernelPlanner::new(request, &bench(), None).groups()
}

fn launch(planned: &Planned) -> LaunchJob {
    match &planned.job.description {
        Ok(JobDescription::Launch(job)) => (**job).clone(),
        other => panic!("{other:?}"),
    }
}

fn points(groups: &[Vec<Planned>]) -> Vec<Vec<String>> {
    let point = |planned: &Planned| planned.cell.point.to_string();
    groups.iter().map(|group| group.iter().map(point).collect()).collect()
}

#[test]
fn blocks_and_caches_are_the_alternatives_of_a_point() {
    let all = groups(&request(SPEC));
    let first = ["block=64 cache=cold", "block=64 cache=warm", "block=128 cache=cold", "block=128 cache=warm"];
    assert_eq!(points(&all)[0], first.map(|rest| format!("n=8 m=3 devices=1 {rest}")));
    let ids: Vec<u32> = all.iter().flatten().map(|planned| planned.cell.id).collect();
    assert_eq!(ids, (0..8).collect::<Vec<_>>());
    let children: Vec<usize> = all[1].iter().map(|planned| planned.job.alternative).collect();
    assert_eq!(children, [0, 1, 2, 3], "the same children at every point");
    assert_eq!(
        points(&groups(&DeviceRequest { question: Question::Check, ..request(SPEC) }))[0],
        ["n=8 m=3 devices=1 block=64", "n=8 m=3 devices=1 block=128"]
    );
}

#[test]
fn a_job_has_what_the_compiler_and_the_kernel_need() {
    let all = groups(&request(SPEC));
    let job = launch(&all[0][2]);
    assert_eq!((job.index, job.threads, job.blocks, job.block), (1, 24, 1, 128));
    assert_eq!(job.program.names, ["fit<float>", "fit_plain"]);
    assert_eq!(job.answers, Answers::AgainstFunction("fit_plain".to_owned()));
    let [n, m, x, y, s] = job.arguments.as_slice() else { panic!("{:?}", job.arguments) };
    assert_eq!((n, m, s), (&Argument::Narrow(8), &Argument::Whole(3), &Argument::Double(0.5)));
    let flags = |argument: &Argument| match argument {
        Argument::Array(array) => (array.input, array.written, array.output),
        other => panic!("{other:?}"),
    };
    assert_eq!((flags(x), flags(y)), ((true, false, false), (true, true, true)));
    // 4·10⁹ as the 32 bits of an unsigned number.
    let large = launch(&all[1][0]);
    assert_eq!(large.arguments[0], Argument::Narrow(4_000_000_000_u32.cast_signed()));
    let plain = SPEC.replace("cuda", "opencl").replace("device.cu", "device.cl").replace("fit<float>", "fit");
    let job = launch(&groups(&request(&plain))[0][0]);
    assert!(job.program.names.is_empty(), "OpenCL C has no templates");
    let wire = serde_json::to_string(&job).expect("plain data");
    assert_eq!(serde_json::from_str::<LaunchJob>(&wire).expect("as it was"), job);
}

#[test]
fn the_k_best_decide_unless_something_else_was_asked_for() {
    let mut request = request(SPEC);
    let method = request.method(DeviceCache::Warm);
    assert_eq!((method.name.as_str(), method.headline, method.memory), ("kbest", Estimator::Min, Memory::Kept));
    assert_eq!(method.ending, EndRule::KBest { k: 4, within: 0.05, min: 16, max: 32, best_counts: true });
    assert!(matches!(method.loops, LoopRule::Floor { floor_s, .. } if floor_s == 1e-3));
    assert!(matches!(request.method(DeviceCache::Cold).loops, LoopRule::Floor { floor_s, .. } if floor_s == 1e-4));
    request.measure.metas = Some(7);
    request.measure.reps = Some(5);
    let method = request.method(DeviceCache::Cold);
    assert_eq!((method.ending, method.loops), (EndRule::Fixed { samples: 7 }, LoopRule::Fixed(5)));
}

#[test]
fn typed_values_take_the_place_of_the_specs() {
    let mut spec = request(SPEC).spec;
    spec.set("n", "2..8").expect("it is an axis");
    spec.set("block", "32").expect("blocks are an axis");
    assert_eq!((spec.axes[0].values.as_slice(), spec.block.as_slice()), (&[2, 4, 8][..], &[32][..]));
    assert_eq!(spec.set("o", "2").unwrap_err(), "there is no axis `o`; there are n, m, block");
    assert!(spec.set("n", "two").unwrap_err().starts_with("`two` is no value of an axis: "));
}
