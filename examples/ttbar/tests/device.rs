//! The fit on a device, as a user starts it: on the processor by PoCL, and against a driver of NVIDIA's that is a mock.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;
use workplace::needs;

/// What a command answered: exit code, standard output and standard error.
fn answer(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn ttbar(flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ttbar"));
    // paw tells all programs how many threads they may have.
    command.args(flags).env("OMP_NUM_THREADS", "1");
    command
}

/// The program where PoCL is the only platform, with that variable of its own or of the loader's.
fn by_opencl(flags: &[&str], variables: pocl::Environment) -> Command {
    let mut command = ttbar(flags);
    pocl::prepare(&mut command).envs(variables.iter().copied());
    command
}

/// The lines of an answer but for the clocks and for who computed it.
fn found(output: &str) -> Vec<&str> {
    output
        .lines()
        .filter(|line| !(line.ends_with(" ms") || line.starts_with("threads") || line.starts_with("device")))
        .collect()
}

#[test]
fn a_device_of_opencl_finds_what_the_processor_finds() {
    needs!(POCL);
    for variations in ["1", "3"] {
        let (_, processor, _) = answer(&mut ttbar(&["--variations", variations]));
        let (code, device, said) =
            answer(&mut by_opencl(&["--variations", variations, "--device", "opencl"], pocl::ONE));
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(found(&device), found(&processor));
        assert!(device.contains("\ndevice: opencl:0 ") && device.contains("\nreconstructed: 1867\n"), "{device}");
        for clock in ["Generate", "Open", "Compile", "KinFit"] {
            assert!(device.lines().any(|line| line.starts_with(clock)), "no {clock}: {device}");
        }
    }
}

#[test]
fn the_second_device_is_one_like_the_first() {
    needs!(POCL);
    let flags = ["--variations", "1", "--device", "opencl:1"];
    let (code, device, said) = answer(&mut by_opencl(&flags, pocl::TWO));
    assert_eq!(code, Some(0), "{said}");
    assert!(device.contains("\ndevice: opencl:1 "), "{device}");
    let (code, _, said) = answer(&mut by_opencl(&flags, pocl::ONE));
    assert_eq!((code, said.lines().count()), (Some(1), 1));
    assert!(said.contains("there is no device opencl:1: the last one is opencl:0"), "{said}");
}

#[test]
fn a_device_without_double_precision_is_refused() {
    needs!(RUSTICL);
    let (code, _, said) = answer(&mut by_opencl(&["--device", "opencl"], pocl::RUSTICL));
    assert_eq!((code, said.lines().count()), (Some(1), 1), "{said}");
    assert!(said.starts_with("ttbar: opencl:0 (llvmpipe") && said.contains("cl_khr_fp64"), "{said}");
    let (code, listed, _) = answer(&mut by_opencl(&["--device", "list"], pocl::RUSTICL));
    assert_eq!(code, Some(0));
    assert!(listed.contains("opencl:0: llvmpipe") && listed.contains("(no double precision)\n"), "{listed}");
}

#[test]
fn where_no_platform_is_installed_it_says_what_to_install() {
    needs!(POCL);
    let (code, _, said) = answer(&mut by_opencl(&["--device", "opencl"], &[("OCL_ICD_VENDORS", "/nowhere")]));
    assert_eq!((code, said.lines().count()), (Some(1), 1));
    assert!(said.contains("OpenCL finds no device: install"), "{said}");
}

/// The folder that holds the mock under the names of NVIDIA's libraries.
fn mocks(names: &[&str]) -> TempDir {
    let mock: PathBuf = env::current_exe().expect("a test has a path").with_file_name("libmock_cuda.so");
    assert!(mock.exists(), "{}: cargo builds it as a dev-dependency", mock.display());
    let folder = tempfile::tempdir().expect("a folder");
    for name in names {
        symlink(&mock, folder.path().join(name)).expect("a link");
    }
    folder
}

const BOTH: &[&str] = &["libcuda.so.1", "libnvrtc.so.12"];

fn by_mock(flags: &[&str], folder: &TempDir, variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    answer(ttbar(flags).env("LD_LIBRARY_PATH", folder.path()).envs(variables.iter().copied()))
}

#[test]
fn a_device_of_cuda_takes_every_step() {
    let folder = mocks(BOTH);
    let flags = ["--variations", "100", "--device", "cuda:1"];
    let (code, told, said) = by_mock(&flags, &folder, &[("MOCK_CUDA_DEVICES", "2")]);
    assert_eq!(code, Some(0), "{said}");
    // The mock's kernels do nothing: calls are counted by the host.
    for line in ["device: cuda:1 Mock GPU", "combinations: 42036", "calls: 4203600", "reconstructed: 0"] {
        assert!(told.lines().any(|found| found == line), "no {line}: {told}");
    }
    let (_, listed, _) = by_mock(&["--device", "list"], &folder, &[("MOCK_CUDA_DEVICES", "2")]);
    assert!(listed.ends_with("cuda:0: Mock GPU\ncuda:1: Mock GPU\n"), "{listed}");
}

#[test]
fn what_goes_wrong_with_cuda_is_one_sentence() {
    let both = mocks(BOTH);
    let refused = |flags: &[&str], folder: &TempDir, variables: &[(&str, &str)], expected: &str| {
        let (code, told, said) = by_mock(flags, folder, variables);
        assert_eq!((code, told.as_str(), said.lines().count()), (Some(1), "", 1), "{said}");
        assert!(said.starts_with("ttbar: ") && said.contains(expected), "{said}");
    };
    let flags = ["--device", "cuda"];
    refused(&["--device", "cuda:1"], &both, &[], "there is no device cuda:1: the last one is cuda:0");
    refused(&flags, &both, &[("MOCK_CUDA_DEVICES", "0")], "finds no device");
    refused(&flags, &both, &[("MOCK_CUDA_INIT_ERROR", "803")], "cuInit failed with CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    let little = [("MOCK_CUDA_MEMORY_BYTES", "1000000")];
    refused(&flags, &both, &little, "Mock GPU: cuMemAlloc failed with CUDA_ERROR_OUT_OF_MEMORY; less memory is free");
    let alone = mocks(&BOTH[..1]);
    fs::write(alone.path().join("libnvrtc.so.12"), "").expect("a file");
    fs::write(alone.path().join("libnvrtc.so.11.2"), "").expect("a file");
    refused(&flags, &alone, &[], "Mock GPU: NVRTC, which compiles the fit, cannot be opened (");
    let broken = mocks(&[]);
    fs::write(broken.path().join("libcuda.so.1"), "").expect("a file");
    refused(&flags, &broken, &[], "NVIDIA's driver cannot be opened (");
}

#[test]
fn flags_of_the_processor_are_refused_with_a_device() {
    let cases: [(&[&str], &str); 5] = [
        (&["--device", "gpu"], "it is one of cpu, opencl, opencl:N, cuda, cuda:N, and list"),
        (&["--device", "opencl:first"], "it is one of cpu"),
        (
            &["--device", "opencl", "--threads", "2"],
            "--threads is for the processor: leave it out with --device opencl:0",
        ),
        (&["--device", "cuda:1", "--schedule", "static"], "--schedule is for the processor"),
        (&["--device", "opencl", "--chunk", "3"], "--chunk is for the processor"),
    ];
    for (flags, expected) in cases {
        let (code, told, said) = answer(&mut ttbar(flags));
        assert_eq!((code, told.as_str(), said.lines().count()), (Some(2), "", 1), "{flags:?}: {said}");
        assert!(said.contains(expected), "{flags:?}: {said}");
    }
    let (_, told, _) = answer(&mut ttbar(&["--device", "cpu", "--variations", "1", "--threads", "2"]));
    assert!(told.contains("\nthreads: 2\n"), "{told}");
}
