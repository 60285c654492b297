//! One system call that the standard library lacks.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Makes an interface of that name in the network of the calling thread. What the host sends through it is read from the file, a packet
/// a read, and packets that are written arrive at the host. It vanishes as the file is closed.
///
/// # Errors
/// It cannot be made: it takes root, and `/dev/net/tun`.
pub fn interface(name: &str) -> io::Result<File> {
    let file = File::options().read(true).write(true).open("/dev/net/tun")?;
    let mut request = libc::ifreq {
        ifr_name: [0; libc::IFNAMSIZ],
        ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_flags: (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short },
    };
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes().take(libc::IFNAMSIZ - 1)) {
        *to = from.cast_signed() as libc::c_char;
    }
    // SAFETY: the file is open, and the request is a valid structure with a terminated name.
    let failed = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    if failed < 0 { Err(io::Error::last_os_error()) } else { Ok(file) }
}
