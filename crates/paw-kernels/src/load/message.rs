//! A sentence about a fault, written without allocating, as a signal handler must.

/// A sentence under construction; text beyond its capacity is dropped.
#[derive(Debug)]
pub(crate) struct Message {
    bytes: [u8; Message::MOST],
    len: usize,
}

impl Message {
    /// The most bytes: a line of a log.
    const MOST: usize = 400;

    /// An empty sentence.
    pub fn new() -> Self {
        Self { bytes: [0; Self::MOST], len: 0 }
    }

    /// The bytes written so far.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Appends `text`.
    pub fn push_str(&mut self, text: &str) -> &mut Self {
        self.push_bytes(text.as_bytes())
    }

    /// Appends the bytes of a text.
    pub fn push_bytes(&mut self, text: &[u8]) -> &mut Self {
        for byte in text {
            if let Some(place) = self.bytes.get_mut(self.len) {
                *place = *byte;
                self.len += 1;
            }
        }
        self
    }

    /// Appends a number.
    pub fn push_number(&mut self, value: usize) -> &mut Self {
        self.digits(value, 10)
    }

    /// Appends an address in hexadecimal.
    pub fn push_address(&mut self, value: usize) -> &mut Self {
        self.push_str("0x").digits(value, 16)
    }

    fn digits(&mut self, mut value: usize, base: usize) -> &mut Self {
        let mut digits = [0_u8; 20];
        let mut first = digits.len();
        for digit in digits.iter_mut().rev() {
            *digit = b"0123456789abcdef".get(value % base).copied().unwrap_or(b'?');
            value /= base;
            first -= 1;
            if value == 0 {
                break;
            }
        }
        self.push_bytes(digits.get(first..).unwrap_or_default())
    }
}

/// A kind of memory access.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only x86-64 distinguishes reads from writes"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// A read.
    Read,
    /// A write.
    Wrote,
    /// A read or a write.
    Touched,
}

/// The addresses of an array and its guards.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    /// The first byte of the guard before it.
    pub from: usize,
    /// Its first byte.
    pub start: usize,
    /// The byte after its last one.
    pub end: usize,
    /// The byte after the guard behind it.
    pub to: usize,
}

/// Describes an access to `address` in the guards of the array `label` at `span`; `false` if the address is not there.
pub(crate) fn describe_array_access(
    message: &mut Message,
    access: Access,
    address: usize,
    label: &[u8],
    span: &Span,
) -> bool {
    if !(span.from..span.to).contains(&address) {
        return false;
    }
    let did = match access {
        Access::Read => "read",
        Access::Wrote => "wrote",
        Access::Touched => "touched memory",
    };
    message.push_str("the kernel ").push_str(did);
    if address < span.start {
        message.push_str(" before the beginning of ").push_bytes(label).push_str(" (byte ");
        message.push_number(span.start - address).push_str(" before its first element)");
    } else if address >= span.end {
        message.push_str(" past the end of ").push_bytes(label).push_str(" (byte ");
        message.push_number(address - span.end + 1).push_str(" after its last element)");
    } else {
        message.push_str(" in ").push_bytes(label).push_str(" where the system does not let it");
    }
    true
}

/// Describes an access to `address`, which belongs to no array.
pub(crate) fn describe_stray_access(message: &mut Message, access: Access, address: usize) {
    let did = match access {
        Access::Read => "read at",
        Access::Wrote => "wrote to",
        Access::Touched => "touched",
    };
    message
        .push_str("the kernel ")
        .push_str(did)
        .push_str(" address ")
        .push_address(address)
        .push_str(", which belongs to no array");
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: Span = Span { from: 4096, start: 8192 - 24, end: 8192, to: 12_288 };

    fn check(access: Access, address: usize, expected: &str) {
        let mut message = Message::new();
        if !describe_array_access(&mut message, access, address, b"array `b`", &SPAN) {
            describe_stray_access(&mut message, access, address);
        }
        assert_eq!(String::from_utf8_lossy(message.bytes()), expected);
    }

    #[test]
    fn an_address_tells_the_array_and_the_side() {
        check(Access::Wrote, 8192, "the kernel wrote past the end of array `b` (byte 1 after its last element)");
        check(Access::Read, 12_287, "the kernel read past the end of array `b` (byte 4096 after its last element)");
        check(
            Access::Read,
            8160,
            "the kernel read before the beginning of array `b` (byte 8 before its first element)",
        );
        check(
            Access::Touched,
            4096,
            "the kernel touched memory before the beginning of array `b` (byte 4072 before its first element)",
        );
        check(Access::Touched, 8191, "the kernel touched memory in array `b` where the system does not let it");
        check(Access::Wrote, 12_288, "the kernel wrote to address 0x3000, which belongs to no array");
        check(Access::Read, 0, "the kernel read at address 0x0, which belongs to no array");
    }

    #[test]
    fn numbers_are_written_whole() {
        let mut message = Message::new();
        message.push_number(usize::MAX).push_str(" ").push_address(usize::MAX);
        assert_eq!(message.bytes(), b"18446744073709551615 0xffffffffffffffff");
    }

    #[test]
    fn a_sentence_that_is_too_long_is_cut() {
        let mut message = Message::new();
        message.push_str(&"x".repeat(1000)).push_number(7);
        assert_eq!(message.bytes().len(), Message::MOST);
    }
}
