//! Calls a function by its C declaration, without compiling anything.
//!
//! Whole numbers and addresses are passed in one file of registers and floating-point numbers in another, each filled in the order of
//! its own arguments: System V ABI for x86-64, section 3.2.3 (six of `rdi … r9`, eight of `xmm0 … xmm7`);
//! Procedure Call Standard for the Arm 64-bit Architecture, section 6.8.2 (eight of `x0 … x7` and of `v0 … v7`). A function reads only the
//! registers of its own arguments, none is on the stack, and the callee may overwrite both files. So a call that fills all six and eight is
//! right for every function whose arguments fit. A single-precision number lies in the low half of its register, a narrow
//! whole number in the low bits of its own, extended by its sign. A result comes in `rax` or `x0`, or in `xmm0` or `v0`, by its kind;
//! a caller may ignore it.

use paw_measure::fault::Fault;

use crate::element::Element;
use crate::load::library::Function;

/// Whole numbers and addresses that fit into registers.
pub(crate) const INTEGERS_MAX: usize = 6;
/// Floating-point numbers that fit into registers.
pub(crate) const FLOAT_MAX: usize = 8;

type Integers = [u64; INTEGERS_MAX];
type Float = [f64; FLOAT_MAX];
type TakesIntegers = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64);
type TakesAll<R> = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, f64, f64, f64, f64, f64, f64, f64, f64) -> R;

/// The registers that a call fills.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Registers {
    whole: Integers,
    float: Float,
    wholes: usize,
    floats: usize,
}

impl Registers {
    /// The next whole number or address.
    pub fn push_whole(&mut self, value: u64) -> Result<(), Fault> {
        let full = || full("whole numbers and addresses", INTEGERS_MAX);
        *self.whole.get_mut(self.wholes).ok_or_else(full)? = value;
        self.wholes += 1;
        Ok(())
    }

    /// The next double-precision number.
    pub fn push_double(&mut self, value: f64) -> Result<(), Fault> {
        *self.float.get_mut(self.floats).ok_or_else(|| full("floating-point numbers", FLOAT_MAX))? = value;
        self.floats += 1;
        Ok(())
    }

    /// The next single-precision number.
    pub fn push_single(&mut self, value: f32) -> Result<(), Fault> {
        self.push_double(f64::from_bits(u64::from(value.to_bits())))
    }

    /// Whether a function is called with no floating-point number.
    fn is_whole(&self) -> bool {
        self.floats == 0
    }
}

fn full(what: &str, most: usize) -> Fault {
    let way_out = "put it into a function of fewer arguments";
    Fault::Broken(format!("the kernel takes more than {most} {what}, which do not fit into registers; {way_out}"))
}

/// A function with its arguments, to be called any number of times; its result is ignored.
pub(crate) trait Ready: Copy {
    /// Calls it.
    ///
    /// # Safety
    /// The function takes the arguments that the registers hold, each in the register that the head of this file assigns to it. Memory that
    /// it reads through an address among them lives, and nobody else has a reference to what it writes.
    unsafe fn call(self);
}

/// A function that takes only whole numbers and addresses: the other registers need not be filled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadyIntegers {
    function: TakesIntegers,
    whole: Integers,
}

/// A function that takes floating-point numbers too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadyAll {
    function: TakesAll<()>,
    whole: Integers,
    float: Float,
}

/// A function with its arguments, by the registers that a call fills.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Call {
    /// Those of whole numbers only.
    Integers(ReadyIntegers),
    /// All.
    All(ReadyAll),
}

impl Call {
    /// `function`, called with `registers`.
    pub fn new(function: Function, registers: &Registers) -> Self {
        let whole = registers.whole;
        if registers.is_whole() {
            // SAFETY: the address is a function's, which takes its arguments as the head of this file has it.
            let function = unsafe { std::mem::transmute::<*const (), TakesIntegers>(function.address()) };
            return Self::Integers(ReadyIntegers { function, whole });
        }
        Self::All(ReadyAll { function: typed(function), whole, float: registers.float })
    }
}

impl Ready for ReadyIntegers {
    #[inline(always)]
    unsafe fn call(self) {
        let [a, b, c, d, e, f] = self.whole;
        // SAFETY: the caller's contract; registers of floating-point numbers need not be filled for a function that takes none.
        unsafe { (self.function)(a, b, c, d, e, f) }
    }
}

impl Ready for ReadyAll {
    #[inline(always)]
    unsafe fn call(self) {
        let [a, b, c, d, e, f] = self.whole;
        let [p, q, r, s, t, u, v, w] = self.float;
        // SAFETY: the caller's contract.
        unsafe { (self.function)(a, b, c, d, e, f, p, q, r, s, t, u, v, w) }
    }
}

/// Calls `function` once with `registers`. Its result, of type `element`, as it lies in memory; empty if it has none.
///
/// # Safety
/// As for [`Ready::call`]; and `element` is the type of the function's result, `None` if it has none.
pub(crate) unsafe fn result(function: Function, registers: &Registers, element: Option<Element>) -> Vec<u8> {
    let [a, b, c, d, e, f] = registers.whole;
    let [p, q, r, s, t, u, v, w] = registers.float;
    // Calls with all registers, in the order of the arguments; calls differ in the type of the result alone.
    macro_rules! call {
        ($result:ty) => {{
            let function = typed::<$result>(function);
            // SAFETY: the caller's contract; the result is taken from the register of its type.
            unsafe { function(a, b, c, d, e, f, p, q, r, s, t, u, v, w) }
        }};
    }
    match element {
        None => {
            call!(());
            Vec::new()
        }
        Some(Element::F64) => call!(f64).to_ne_bytes().to_vec(),
        Some(Element::F32) => call!(f32).to_ne_bytes().to_vec(),
        // Both processors are little-endian: a narrow number is the first bytes of its register.
        Some(whole) => call!(u64).to_le_bytes()[..whole.bytes() as usize].to_vec(),
    }
}

fn typed<R>(function: Function) -> TakesAll<R> {
    // SAFETY: the address is a function's, which takes its arguments as the head of this file has it, and returns an `R` or nothing.
    unsafe { std::mem::transmute::<*const (), TakesAll<R>>(function.address()) }
}
