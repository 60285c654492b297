//! Messages between ranks: texts and numbers as bytes, read in the order in which they were written.

/// A message that is being written.
#[derive(Debug, Default)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    /// Appends a text, after its length.
    pub fn text(mut self, text: &str) -> Self {
        self.0.extend((text.len() as u32).to_le_bytes());
        self.0.extend(text.as_bytes());
        self
    }

    /// Appends a number, bit by bit.
    pub fn number(mut self, number: f64) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Reads a message; `None` where the bytes end too soon or are no text.
#[derive(Debug)]
pub(crate) struct MessageReader<'m>(pub &'m [u8]);

impl MessageReader<'_> {
    pub fn text(&mut self) -> Option<String> {
        let length = u32::from_le_bytes(self.bytes()?);
        let (text, rest) = self.0.split_at_checked(length as usize)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    pub fn number(&mut self) -> Option<f64> {
        self.bytes().map(f64::from_le_bytes)
    }

    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let bytes = Message::default().text("µs ≤ 1 %").number(f64::NEG_INFINITY).text("").number(0.1).into_bytes();
        let mut reader = MessageReader(&bytes);
        assert_eq!(reader.text().as_deref(), Some("µs ≤ 1 %"));
        assert_eq!(reader.number(), Some(f64::NEG_INFINITY));
        assert_eq!((reader.text().as_deref(), reader.number()), (Some(""), Some(0.1)));
        assert_eq!((reader.text(), reader.number()), (None, None));
    }

    #[test]
    fn bytes_that_end_too_soon_are_no_message() {
        assert_eq!(MessageReader(&[7, 0, 0, 0, b'x']).text(), None);
        assert_eq!(MessageReader(&[0; 7]).number(), None);
    }
}
