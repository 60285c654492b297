//! Memory of one node: a buffer is bound to it before it is touched, and the kernel is asked where its pages are.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::io;

use crate::buffer::{Aligned, PAGE_BYTES, sealed};

/// `MPOL_BIND` of `linux/mempolicy.h`: pages come from the nodes named and from no other.
const MPOL_BIND: libc::c_ulong = 2;
/// Bits of one word of a set of nodes.
const WORD_BITS: usize = libc::c_ulong::BITS as usize;
/// Words of a set of nodes: 1024 nodes, the most that Linux can be built for.
const WORDS: usize = 1024 / WORD_BITS;
/// The most pages of a buffer that are asked about, spread evenly over it.
const ASKED_MAX: usize = 4096;

/// Binds the pages of `buffer`, of which none has been touched, to `node`.
///
/// # Errors
/// What the kernel says: ENOSYS where it knows no nodes, EPERM where a sandbox forbids the call, EINVAL where the node has no memory
/// or is not for this process.
pub fn bind<T: sealed::Plain>(buffer: &mut Aligned<T>, node: u32) -> io::Result<()> {
    let mut nodes: [libc::c_ulong; WORDS] = [0; WORDS];
    let word = nodes.get_mut(node as usize / WORD_BITS).ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))?;
    *word = 1 << (node as usize % WORD_BITS);
    let (start, bytes) = buffer.mapping();
    // The kernel takes one bit less than it is told (mbind(2)).
    let bits = WORDS * WORD_BITS + 1;
    // SAFETY: the range is a mapping of `buffer`, whose contents a policy does not change, and the kernel reads `bits` - 1 bits.
    let status = unsafe { libc::syscall(libc::SYS_mbind, start, bytes, MPOL_BIND, nodes.as_ptr(), bits, 0_u64) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The pages of `buffer`, at most 4096 spread evenly over it, by the node that each is on; by an error number below zero (`-2`:
/// never touched) where a page is on none.
///
/// # Errors
/// What the kernel says: ENOSYS where it knows no nodes.
pub fn places<T: sealed::Plain>(buffer: &Aligned<T>) -> io::Result<BTreeMap<i32, usize>> {
    let pages = size_of_val(&buffer[..]).div_ceil(PAGE_BYTES);
    let asked = pages.min(ASKED_MAX);
    let start = buffer.as_ptr().cast::<u8>();
    let page = |index: usize| start.wrapping_add(index * pages / asked * PAGE_BYTES);
    let addresses: Vec<*const u8> = (0..asked).map(page).collect();
    let mut found: Vec<libc::c_int> = vec![0; asked];
    let no_nodes = std::ptr::null::<libc::c_int>();
    // SAFETY: without nodes the call moves nothing; it reads `asked` addresses and writes as many numbers, and both arrays have them.
    let status =
        unsafe { libc::syscall(libc::SYS_move_pages, 0, asked, addresses.as_ptr(), no_nodes, found.as_mut_ptr(), 0) };
    if status != 0 {
        return Err(io::Error::last_os_error());
    }
    let mut places = BTreeMap::new();
    for node in found {
        *places.entry(node).or_default() += 1;
    }
    Ok(places)
}

/// Whether `error` says that the kernel knows no nodes, or that a sandbox keeps them from this process.
pub fn is_unavailable(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM))
}

#[cfg(test)]
mod tests {
    use super::{ASKED_MAX, bind, is_unavailable, places};
    use crate::buffer::{Aligned, Pages};

    /// `None` where the kernel knows no nodes.
    fn available<R>(result: std::io::Result<R>) -> Option<R> {
        match result {
            Err(error) if is_unavailable(&error) => None,
            result => Some(result.expect("a kernel that knows nodes answers")),
        }
    }

    #[test]
    fn pages_are_on_the_node_they_are_bound_to_once_they_are_touched() {
        if cfg!(miri) {
            return;
        }
        for pages in [Pages::Plain, Pages::Huge] {
            let mut buffer = Aligned::<f64>::try_new(3 * Aligned::<f64>::PAGE_LEN, pages).unwrap();
            buffer.fill_here(1.0);
            // The node of this machine that there is: 0 need not have memory.
            let Some(first) = available(places(&buffer)) else { return };
            let node = *first.keys().next().unwrap();
            assert_eq!(first.values().sum::<usize>(), 3, "{first:?}");
            let mut bound = Aligned::<f64>::try_new(5 * ASKED_MAX / 4 * Aligned::<f64>::PAGE_LEN, pages).unwrap();
            let Some(()) = available(bind(&mut bound, node as u32)) else { return };
            let untouched = places(&bound).unwrap();
            assert!(untouched.keys().all(|place| *place < 0), "no page is anywhere yet: {untouched:?}");
            bound.fill_here(1.0);
            assert_eq!(places(&bound).unwrap(), [(node, ASKED_MAX)].into());
        }
    }

    #[test]
    fn a_node_that_cannot_exist_is_refused() {
        if cfg!(miri) {
            return;
        }
        let mut buffer = Aligned::<f64>::try_new(512, Pages::Plain).unwrap();
        for node in [1023, 1024, u32::MAX] {
            let error = bind(&mut buffer, node).unwrap_err();
            assert!(is_unavailable(&error) || error.raw_os_error() == Some(libc::EINVAL), "{node}: {error}");
        }
    }
}
