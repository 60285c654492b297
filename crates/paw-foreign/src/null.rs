//! Calls through each foreign interface to functions that return at once: they measure what paw adds to a call, without any
//! library.
#![allow(unsafe_code)]

use std::hint::black_box;

use crate::blas::dimensions::{GemmDimensions, GemvDimensions};
use crate::blas::null::{bf16_gemm, c_gemm, c_gemv, fortran_gemm, fortran_gemv, int8_gemm};
use crate::blas::{Blas, Language};
use crate::device::{HostKind, null as null_device};
use crate::mpi::{Calls, Datatype, Memory, Message, Mpi, Part};

/// Rows and columns of the products.
const N: usize = 8;

/// A call through a foreign interface, and the same function called by its bare pointer.
pub struct NullCall {
    /// The interface and the function: `blas gemm`.
    pub name: &'static str,
    /// Makes this many calls as paw's timed loops make them.
    pub through: Repeat,
    /// Makes this many calls by the function's pointer, as a C program would.
    pub bare: Repeat,
}

/// Makes this many calls.
pub type Repeat = Box<dyn FnMut(u64)>;

/// A call to be repeated.
macro_rules! repeat {
    ($call:expr) => {
        Box::new(move |loops: u64| {
            for _ in 0..loops {
                $call;
            }
        })
    };
}

/// A null call through every interface.
pub fn calls() -> Vec<NullCall> {
    let [send, recv] = messages();
    let [copy, sync] = device();
    let [bf16, int8] = short();
    vec![gemm(), fortran_gemm_call(), gemv(), fortran_gemv_call(), bf16, int8, send, recv, copy, sync]
}

fn gemm() -> NullCall {
    let ((through, [a, b, c]), n) = (product(Language::C), black_box(N as i64));
    let function: unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _, _, _, _, _) = black_box(c_gemm::<f64>);
    // SAFETY: the function does nothing.
    let bare = repeat!(unsafe { function(101, 111, 111, n, n, n, 1.0, a, n, b, n, 0.0, c, n) });
    NullCall { name: "blas gemm", through, bare }
}

fn fortran_gemm_call() -> NullCall {
    let ((through, [a, b, c]), n) = (product(Language::Fortran), black_box(N as i64));
    let function: unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _, _, _, _, _, _) = black_box(fortran_gemm::<f64>);
    // SAFETY: the function does nothing.
    let bare = repeat!(unsafe { function(&b'N', &b'N', &n, &n, &n, &1.0, b, &n, a, &n, &0.0, c, &n, 1, 1) });
    NullCall { name: "blas gemm, Fortran", through, bare }
}

fn gemv() -> NullCall {
    let ((through, [a, x, y]), n) = (vector_product(Language::C), black_box(N as i64));
    let function: unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _, _, _) = black_box(c_gemv::<f64>);
    // SAFETY: the function does nothing.
    let bare = repeat!(unsafe { function(101, 111, n, n, 1.0, a, n, x, 1, 0.0, y, 1) });
    NullCall { name: "blas gemv", through, bare }
}

fn fortran_gemv_call() -> NullCall {
    let ((through, [a, x, y]), n) = (vector_product(Language::Fortran), black_box(N as i64));
    let function: unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _, _, _) = black_box(fortran_gemv::<f64>);
    // SAFETY: the function does nothing.
    let bare = repeat!(unsafe { function(&b'T', &n, &n, &1.0, a, &n, x, &1, &0.0, y, &1, 1) });
    NullCall { name: "blas gemv, Fortran", through, bare }
}

/// Products of short numbers by a null BLAS.
fn short() -> [NullCall; 2] {
    let (blas, n) = (Blas::null(Language::C), black_box(N as i64));
    let (words, floats) = (|| Vec::leak(vec![0_u16; N * N]), Vec::leak(vec![0.0_f32; N * N]));
    let (a, b, c) = (words(), words(), floats.as_mut_ptr());
    let (pa, pb) = (a.as_ptr(), b.as_ptr());
    let mut bf16 = blas.bind_bf16_gemm([N; 3], (a, b, floats)).expect("operands of this size");
    let function: unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _, _, _, _, _) = black_box(bf16_gemm);
    // SAFETY: the function does nothing.
    let bare_bf16 = repeat!(unsafe { function(101, 111, 111, n, n, n, 1.0, pa, n, pb, n, 0.0, c, n) });
    let (a, b, c) = (Vec::leak(vec![0; N * N]), Vec::leak(vec![0; N * N]), Vec::leak(vec![0; N * N]));
    let (pa, pb, pc) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
    let mut int8 = blas.bind_int8_gemm([N; 3], (a, b, c)).expect("operands of this size");
    let function: unsafe extern "C" fn(_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _) = black_box(int8_gemm);
    // SAFETY: the function does nothing.
    let bare_int8 = repeat!(unsafe { function(101, 111, 111, 173, n, n, n, 1.0, pa, n, 0, pb, n, 0, 0.0, pc, n, &0) });
    [
        NullCall { name: "blas bf16gemm", through: repeat!(bf16.call()), bare: bare_bf16 },
        NullCall { name: "blas int8gemm", through: repeat!(int8.call()), bare: bare_int8 },
    ]
}

/// A matrix product by a null BLAS, and the addresses of its operands.
fn product(language: Language) -> (Repeat, [*mut f64; 3]) {
    let [a, b, c] = [numbers(N * N), numbers(N * N), numbers(N * N)];
    let addresses = [a.as_mut_ptr(), b.as_mut_ptr(), c.as_mut_ptr()];
    let shape = GemmDimensions::dense(N, N, N);
    let mut call = Blas::null(language).bind_gemm(&shape, 1.0, a, b, 0.0, c).expect("operands of this size");
    (repeat!(call.call()), addresses)
}

/// A matrix-vector product by a null BLAS, and the addresses of its operands.
fn vector_product(language: Language) -> (Repeat, [*mut f64; 3]) {
    let [a, x, y] = [numbers(N * N), numbers(N), numbers(N)];
    let addresses = [a.as_mut_ptr(), x.as_mut_ptr(), y.as_mut_ptr()];
    let shape = GemvDimensions::dense(N, N);
    let mut call = Blas::null(language).bind_gemv(&shape, 1.0, a, x, 0.0, y).expect("operands of this size");
    (repeat!(call.call()), addresses)
}

fn numbers(count: usize) -> &'static mut [f64] {
    Vec::leak(vec![0.0; count])
}

fn messages() -> [NullCall; 2] {
    let mpi = Mpi::null().expect("functions that report success start");
    let memory: &'static Memory = Box::leak(Box::new(Memory::new(8).expect("eight bytes")));
    let message = Message::new(mpi.world(), memory, Part::new(0, 8, Datatype::Byte), 0, 0).expect("it fits");
    let Calls { send, recv, .. } = black_box(Calls::null());
    let (address, byte, world) = message.arguments();
    let through = [
        repeat!(message.send().expect("it reports success")) as Repeat,
        repeat!(message.recv().expect("it reports success")),
    ];
    let [sent, received] = through;
    // SAFETY: the function does nothing.
    let bare_send = repeat!(assert_eq!(unsafe { send(address, 8, byte, 0, 0, world) }, 0));
    // SAFETY: the function does nothing.
    let bare_recv = repeat!(assert_eq!(unsafe { recv(address, 8, byte, 0, 0, world, std::ptr::null_mut()) }, 0));
    [
        NullCall { name: "MPI_Send", through: sent, bare: bare_send },
        NullCall { name: "MPI_Recv", through: received, bare: bare_recv },
    ]
}

fn device() -> [NullCall; 2] {
    let (device, (copy, wait)) = null_device().expect("functions that report success open");
    let queue = device.queue().expect("a queue");
    let (there, here) = (device.memory(8).expect("memory"), device.host_memory(8, HostKind::Pageable).expect("memory"));
    let (waiting, null) = (device.queue().expect("a queue"), std::ptr::null_mut());
    // SAFETY: the function does nothing.
    let bare_copy = repeat!(assert_eq!(unsafe { copy(0, null, 8, null) }, 0));
    // SAFETY: the function does nothing.
    let bare_sync = repeat!(assert_eq!(unsafe { wait(null) }, 0));
    [
        NullCall {
            name: "device copy",
            through: repeat!(queue.copy_in((&there, 0), (&here, 0), 8).expect("it reports success")),
            bare: bare_copy,
        },
        NullCall {
            name: "device synchronise",
            through: repeat!(waiting.sync().expect("it reports success")),
            bare: bare_sync,
        },
    ]
}
