//! What a device is told to do, by engines that are scripts: one notes it, and one does it as CUDA C++, compiled for the processor.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use ttbar::device::{self, Engine, Kernel, Plan};
use ttbar::event::sample;
use ttbar::fit;
use ttbar::schedule::Schedule;
use workplace::needs;

/// Notes launches; its memory has so much room, in words.
#[derive(Default)]
struct Note {
    room: usize,
    memories: Vec<usize>,
    launches: Vec<(Kernel, [u64; 3], usize)>,
}

impl Engine for Note {
    fn name(&self) -> &str {
        "a note"
    }

    fn compile(&mut self, source: &str, kernels: [&str; 2]) -> Result<(), String> {
        assert!(kernels.iter().all(|name| source.contains(&format!("__global__ void {name}("))));
        Ok(())
    }

    fn memory(&mut self, words: usize) -> Result<usize, String> {
        self.memories.push(words);
        let taken: usize = self.memories.iter().sum();
        if taken <= self.room { Ok(self.memories.len() - 1) } else { Err("no room".to_owned()) }
    }

    fn write(&mut self, memory: usize, words: &[u64]) -> Result<(), String> {
        assert!(words.len() <= self.memories[memory]);
        Ok(())
    }

    fn start(&mut self, kernel: Kernel, memories: [usize; 3], numbers: [u64; 3], items: usize) -> Result<(), String> {
        let [begin, combinations, variations] = numbers;
        let [rows, scratch, best] = memories.map(|memory| self.memories[memory] as u64);
        if combinations > 0 {
            assert!((begin + combinations) * 25 <= rows && (begin + combinations) * 4 <= best);
            assert!(2 * combinations * variations <= scratch);
        }
        let needed = if kernel == Kernel::Fit { combinations * variations } else { combinations };
        assert!(needed <= items as u64);
        self.launches.push((kernel, numbers, items));
        Ok(())
    }

    fn read(&mut self, memory: usize, words: &mut [u64]) -> Result<(), String> {
        assert!(words.len() <= self.memories[memory]);
        words.fill(0);
        Ok(())
    }
}

#[test]
fn launches_take_every_combination_once_within_bounded_memory() {
    let events = sample(100, 30);
    for variations in [1, 7, 4096, 65_536] {
        let plan = Plan::of(&events, variations);
        let mut note = Note { room: usize::MAX, ..Note::default() };
        device::compile(&mut note, &plan).expect("a note compiles all");
        assert!(note.launches.iter().all(|(_, [_, combinations, _], _)| *combinations == 0));
        let sizes: Vec<usize> = note.launches.drain(..).map(|(_, _, items)| items).collect();
        let found = device::fit(&mut note, &events, &plan).expect("there is room");
        let mut next = 0;
        for launches in note.launches.chunks(2) {
            let [(Kernel::Fit, [begin, count, v], calls), (Kernel::Choose, chosen, combinations)] = launches else {
                panic!("{launches:?}")
            };
            assert_eq!((*begin, *chosen, *v), (next, [*begin, *count, *v], variations));
            // The sizes that were compiled for.
            assert_eq!([*calls, *combinations], sizes[..]);
            next += count;
        }
        assert_eq!(next, found.combinations);
        assert_eq!((found.calls, found.reconstructed), (found.combinations * variations, 0));
        assert!(
            note.memories.iter().sum::<usize>() < (1 << 22) + 30 * (found.combinations as usize),
            "{:?}",
            note.memories
        );
    }
}

#[test]
fn what_a_device_refuses_begins_with_its_name() {
    let events = sample(100, 30);
    let plan = Plan::of(&events, 2);
    let mut note = Note { room: 1, ..Note::default() };
    device::compile(&mut note, &plan).expect("there is room for that");
    assert_eq!(device::fit(&mut note, &events, &plan).expect_err("no more"), "a note: no room");
    assert_eq!(device::fit(&mut note, &[], &Plan::of(&[], 2)), Ok(fit::Found::default()));
}

/// What stands before the source: CUDA's words in C++, for one processor.
const BEFORE: &str = r"
#include <cmath>
#include <cstring>
#include <cstdio>
#include <vector>
using std::copysign; using std::fabs; using std::sqrt;
#define __CUDACC__
#define __device__
#define __global__
struct Place { unsigned x; };
static Place blockIdx, blockDim, threadIdx;
static long long __double_as_longlong(double x) { long long bits; memcpy(&bits, &x, 8); return bits; }
static double __longlong_as_double(long long bits) { double x; memcpy(&x, &bits, 8); return x; }
";

/// What stands behind it: reads a launch and its memories, in words; writes the memories.
const BEHIND: &str = r"
int main() {
    word head[8];
    if (fread(head, 8, 8, stdin) != 8) return 1;
    std::vector<word> memory[3];
    for (int i = 0; i < 3; i++) {
        memory[i].resize(head[5 + i]);
        if (fread(memory[i].data(), 8, head[5 + i], stdin) != head[5 + i]) return 1;
    }
    auto kernel = head[0] == 0 ? ttbar_fit : ttbar_choose;
    blockDim.x = 64;
    for (word item = 0; item < head[1]; item++) {
        blockIdx.x = item / 64;
        threadIdx.x = item % 64;
        kernel(memory[0].data(), memory[1].data(), memory[2].data(), head[2], head[3], head[4]);
    }
    for (int i = 0; i < 3; i++) fwrite(memory[i].data(), 8, memory[i].size(), stdout);
}
";

/// Runs what NVRTC would compile, compiled by GNU's C++ compiler.
struct Gxx {
    folder: TempDir,
    memories: Vec<Vec<u64>>,
}

impl Gxx {
    fn program(&self) -> PathBuf {
        self.folder.path().join("fit")
    }
}

impl Engine for Gxx {
    fn name(&self) -> &str {
        "g++"
    }

    fn compile(&mut self, source: &str, _: [&str; 2]) -> Result<(), String> {
        let file = self.folder.path().join("fit.cpp");
        fs::write(&file, [BEFORE, source, BEHIND].concat()).expect("a file");
        let options = ["-O1", "-ffp-contract=off", "-Werror", "-Wall", "-Wno-unused-function", "-o"];
        let output = Command::new("g++").args(options).arg(self.program()).arg(&file).output().expect("it starts");
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
    }

    fn memory(&mut self, words: usize) -> Result<usize, String> {
        self.memories.push(vec![0; words]);
        Ok(self.memories.len() - 1)
    }

    fn write(&mut self, memory: usize, words: &[u64]) -> Result<(), String> {
        self.memories[memory][..words.len()].copy_from_slice(words);
        Ok(())
    }

    fn start(&mut self, kernel: Kernel, memories: [usize; 3], numbers: [u64; 3], items: usize) -> Result<(), String> {
        let lengths = memories.map(|memory| self.memories[memory].len() as u64);
        let head = [&[kernel as u64, items as u64][..], &numbers, &lengths].concat();
        let words = memories.iter().fold(head, |words, memory| [words, self.memories[*memory].clone()].concat());
        let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_ne_bytes).collect();
        let mut child =
            Command::new(self.program()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        // It reads all before it writes.
        child.stdin.take().expect("it is piped").write_all(&bytes).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success());
        let mut words = output.stdout.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word));
        for memory in memories {
            self.memories[memory].iter_mut().for_each(|word| *word = words.next().expect("all are written"));
        }
        Ok(())
    }

    fn read(&mut self, memory: usize, words: &mut [u64]) -> Result<(), String> {
        words.copy_from_slice(&self.memories[memory][..words.len()]);
        Ok(())
    }
}

#[test]
fn the_source_finds_as_cuda_what_the_processor_finds() {
    needs!(GXX);
    let events = sample(300, 100);
    let plan = Plan::of(&events, 5);
    let mut gxx = Gxx { folder: tempfile::tempdir().expect("a folder"), memories: Vec::new() };
    device::compile(&mut gxx, &plan).unwrap_or_else(|why| panic!("{why}"));
    let processor = fit::fit(&events, 5, 1, Schedule::Dynamic { chunk: 1 }).expect("one thread is there");
    assert_eq!(processor.reconstructed, 100);
    assert_eq!(device::fit(&mut gxx, &events, &plan), Ok(processor));
}
