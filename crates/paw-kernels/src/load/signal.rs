//! The signal handler that explains a crash of a user's function in one sentence on standard error, where the parent reads it.

use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::SeqCst};

use paw_measure::fault::Fault;

use crate::load::message::{Access, Message, Span, describe_array_access, describe_stray_access};

/// Arrays known to the handler. A call has six at most; two sets live at once while one replaces the other.
const SLOTS: usize = 16;

/// Bytes of the stack that the handler runs on: more than the widest registers take (getauxval(AT_MINSIGSTKSZ) is 11 KiB with AMX).
const STACK_BYTES: usize = 64 << 10;

/// How far below the stack pointer a function may reach: no compiler steps further without touching what lies between.
const STACK_REACH: usize = 64 << 10;

/// Signals by which the processor refuses an instruction.
const SIGNALS: [libc::c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE];

/// An array's entry in the handler's table; free if `to` is zero.
#[derive(Debug)]
struct Slot {
    label: AtomicPtr<u8>,
    label_len: AtomicUsize,
    from: AtomicUsize,
    start: AtomicUsize,
    end: AtomicUsize,
    to: AtomicUsize,
}

static TABLE: [Slot; SLOTS] = [const { Slot::empty() }; SLOTS];

/// An address within the stack's first frame; zero before [`install`].
static STACK_BEGIN: AtomicUsize = AtomicUsize::new(0);

impl Slot {
    const fn empty() -> Self {
        Self {
            label: AtomicPtr::new(ptr::null_mut()),
            label_len: AtomicUsize::new(0),
            from: AtomicUsize::new(0),
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            to: AtomicUsize::new(0),
        }
    }

    fn span(&self) -> Span {
        let at = |place: &AtomicUsize| place.load(SeqCst);
        Span { from: at(&self.from), start: at(&self.start), end: at(&self.end), to: at(&self.to) }
    }
}

/// Registration of an array with the handler, until it is dropped.
#[derive(Debug)]
pub(crate) struct Watched {
    /// The array's entry; `None` if the table is full.
    slot: Option<&'static Slot>,
    /// The text that the slot points at. Not a `Box`, whose move would invalidate the pointer.
    label: Rc<str>,
}

impl Watched {
    /// The array's label.
    pub fn label(&self) -> &str {
        &self.label
    }
}

/// Registers an array called `label` with the handler.
pub(crate) fn watch(label: Rc<str>, span: Span) -> Watched {
    let Some(slot) = TABLE.iter().find(|slot| slot.to.compare_exchange(0, 1, SeqCst, SeqCst).is_ok()) else {
        return Watched { slot: None, label };
    };
    slot.label.store(label.as_ptr().cast_mut(), SeqCst);
    slot.label_len.store(label.len(), SeqCst);
    slot.from.store(span.from, SeqCst);
    slot.start.store(span.start, SeqCst);
    slot.end.store(span.end, SeqCst);
    slot.to.store(span.to, SeqCst);
    Watched { slot: Some(slot), label }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            slot.from.store(0, SeqCst);
            slot.to.store(0, SeqCst);
        }
    }
}

/// Installs the handler: a fault of this process is explained on standard error before it ends the process. Call it once, on the thread that will
/// call kernels.
///
/// # Errors
/// If the system refuses.
pub(crate) fn install() -> Result<(), Fault> {
    let here = 0_u8;
    STACK_BEGIN.store(&raw const here as usize, SeqCst);
    let refused = |_| Fault::Broken(format!("faults cannot be watched for: {}", std::io::Error::last_os_error()));
    own_stack().and_then(|()| SIGNALS.into_iter().try_for_each(handle)).map_err(refused)
}

/// Gives the handler a stack of its own: a kernel may have used up the thread's.
fn own_stack() -> Result<(), ()> {
    let stack = libc::stack_t {
        ss_sp: Box::leak(vec![0_u8; STACK_BYTES].into_boxed_slice()).as_mut_ptr().cast(),
        ss_flags: 0,
        ss_size: STACK_BYTES,
    };
    // SAFETY: the stack was given up for good, and the structure lives through the call.
    let refused = unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) };
    if refused == 0 { Ok(()) } else { Err(()) }
}

fn handle(signal: libc::c_int) -> Result<(), ()> {
    // SAFETY: sigaction is a plain C structure, for which zeros are a value: no flag, no signal held back.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_fault;
    action.sa_sigaction = handler as usize;
    // SA_RESETHAND restores the default action before the handler runs: a second fault, or the repeated first one, ends the process.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
    // SAFETY: the handler has the signature that SA_SIGINFO asks for, and does only what signal-safety(7) allows.
    let refused = unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
    if refused == 0 { Ok(()) } else { Err(()) }
}

/// Writes the sentence and raises the signal again, whose default action now ends the process.
extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let mut message = Message::new();
    if !info.is_null() && !context.is_null() {
        // SAFETY: the system gives the handler a structure that lives as long as it runs.
        let info = unsafe { &*info };
        // SAFETY: as above; with SA_SIGINFO it is a ucontext_t.
        let context = unsafe { &*context.cast::<libc::ucontext_t>() };
        describe(&mut message, signal, info, context);
    }
    message.push_str("\n");
    let bytes = message.bytes();
    // SAFETY: the bytes lie in a local; a failed write is ignored.
    unsafe { libc::write(libc::STDERR_FILENO, bytes.as_ptr().cast(), bytes.len()) };
    // SAFETY: takes a number; the signal is held back until the handler returns.
    unsafe { libc::raise(signal) };
}

fn describe(message: &mut Message, signal: libc::c_int, info: &libc::siginfo_t, context: &libc::ucontext_t) {
    match signal {
        libc::SIGILL => {
            message.push_str("the kernel came to an instruction this processor does not have: built for another one?");
        }
        libc::SIGFPE => {
            message.push_str("the kernel divided a whole number by zero, or beyond the range of its type");
        }
        // The signal was sent by kill(2).
        _ if info.si_code <= 0 => {
            message.push_str("the signal was sent by another process");
        }
        _ if info.si_code == SI_KERNEL => {
            message
                .push_str("the kernel touched an address that cannot exist, or one that its instruction needs aligned");
        }
        _ => {
            // SAFETY: these signals, not sent by a process, carry an address.
            let address = unsafe { info.si_addr() } as usize;
            let (access, stack) = (access(context), stack_pointer(context));
            describe_address(message, access, address, stack);
        }
    }
}

/// A signal that the kernel raised without saying where (`asm-generic/siginfo.h`).
const SI_KERNEL: libc::c_int = 0x80;

fn describe_address(message: &mut Message, access: Access, address: usize, stack: usize) {
    for slot in &TABLE {
        let span = slot.span();
        if span.from < span.to && (span.from..span.to).contains(&address) {
            let (label, len) = (slot.label.load(SeqCst), slot.label_len.load(SeqCst));
            // SAFETY: `Watched` owns the label and frees the slot before it.
            let label = unsafe { std::slice::from_raw_parts(label, len) };
            describe_array_access(message, access, address, label, &span);
            return;
        }
    }
    // The stack grows down from its beginning, and is there as far as its limit allows.
    if address >= stack.saturating_sub(STACK_REACH) && address < STACK_BEGIN.load(SeqCst) {
        message.push_str(
            "the kernel used up its stack: its local arrays are too large, or it calls itself too often (`ulimit -s`)",
        );
        return;
    }
    describe_stray_access(message, access, address);
}

/// A page fault is exception 14, and bit 1 of its error code a write (Intel SDM vol. 3, 4.7).
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn access(context: &libc::ucontext_t) -> Access {
    let register = |number: libc::c_int| context.uc_mcontext.gregs[number as usize];
    match (register(libc::REG_TRAPNO), register(libc::REG_ERR) & 2) {
        (14, 0) => Access::Read,
        (14, _) => Access::Wrote,
        _ => Access::Touched,
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn access(_context: &libc::ucontext_t) -> Access {
    Access::Touched
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn stack_pointer(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.gregs[libc::REG_RSP as usize] as usize
}

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
fn stack_pointer(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.sp as usize
}

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux")))]
fn stack_pointer(_context: &libc::ucontext_t) -> usize {
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(address: usize) -> String {
        let mut message = Message::new();
        describe_address(&mut message, Access::Wrote, address, usize::MAX);
        String::from_utf8_lossy(message.bytes()).into_owned()
    }

    /// Run by Miri, it shows that the table never points at a label that is gone.
    #[test]
    fn an_array_is_named_as_long_as_it_is_watched() {
        // Nobody maps the addresses below a page.
        let span = Span { from: 16, start: 32, end: 40, to: 64 };
        let label = String::from("array `b`");
        let watched = watch(label.into(), span);
        let expected = "the kernel wrote past the end of array `b` (byte 1 after its last element)";
        assert_eq!((said(40).as_str(), watched.label()), (expected, "array `b`"));
        drop(watched);
        assert_eq!(said(40), "the kernel wrote to address 0x28, which belongs to no array");
        // More arrays than slots.
        let span =
            |number: usize| Span { from: 128 * number, start: 128 * number, end: 128 * number, to: 128 * number + 1 };
        let all: Vec<Watched> =
            (1..=2 * SLOTS).map(|number| watch(format!("array {number}").into(), span(number))).collect();
        assert!(all.iter().filter(|watched| watched.slot.is_some()).count() <= SLOTS);
        assert_eq!(all[2 * SLOTS - 1].label(), format!("array {}", 2 * SLOTS));
    }
}
