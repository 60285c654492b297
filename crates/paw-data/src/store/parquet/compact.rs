//! Thrift's compact protocol, as far as Parquet's headers need it: structures of numbers, texts, lists and structures.

/// The types of fields and items.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A structure that is being written.
#[derive(Debug)]
pub struct Compact {
    bytes: Vec<u8>,
    /// Number of the last field of each open structure, from the outermost.
    fields: Vec<u8>,
}

impl Compact {
    /// An open structure.
    pub fn new() -> Self {
        Self { bytes: Vec::new(), fields: vec![0] }
    }

    /// A field of 32 bits.
    pub fn int(&mut self, field: u8, value: i64) {
        self.header(field, I32);
        self.number(value);
    }

    /// A field of 64 bits.
    pub fn long(&mut self, field: u8, value: i64) {
        self.header(field, I64);
        self.number(value);
    }

    /// A field with a text.
    pub fn text(&mut self, field: u8, text: &str) {
        self.header(field, BINARY);
        self.raw(text);
    }

    /// A field with a list of numbers of 32 bits.
    pub fn ints(&mut self, field: u8, values: &[i64]) {
        self.list(field, I32, values.len());
        values.iter().for_each(|value| self.number(*value));
    }

    /// A field with a list of texts.
    pub fn texts(&mut self, field: u8, texts: &[&str]) {
        self.list(field, BINARY, texts.len());
        texts.iter().for_each(|text| self.raw(text));
    }

    /// A field with a list of `count` structures, each opened by [`Self::open`].
    pub fn structs(&mut self, field: u8, count: usize) {
        self.list(field, STRUCT, count);
    }

    /// Opens a structure in a field.
    pub fn begin(&mut self, field: u8) {
        self.header(field, STRUCT);
        self.open();
    }

    /// Opens a structure in a list.
    pub fn open(&mut self) {
        self.fields.push(0);
    }

    /// Closes the innermost structure.
    pub fn end(&mut self) {
        self.fields.pop();
        self.bytes.push(0);
    }

    /// The bytes of the whole structure.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    /// The number of a field as the distance from the last one, which is below 16 in all of Parquet's structures.
    fn header(&mut self, field: u8, kind: u8) {
        let last = self.fields.last_mut().expect("a structure is open");
        self.bytes.push((field - *last) << 4 | kind);
        *last = field;
    }

    fn list(&mut self, field: u8, kind: u8, count: usize) {
        self.header(field, LIST);
        if count < 15 {
            self.bytes.push((count as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(&mut self.bytes, count as u64);
        }
    }

    fn raw(&mut self, text: &str) {
        varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// A number in zigzag order, so that small negative ones are short too.
    fn number(&mut self, value: i64) {
        varint(&mut self.bytes, ((value << 1) ^ (value >> 63)) as u64);
    }
}

/// `value` in groups of seven bits, the lowest first.
pub fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
