//! Indented JSON in which a column of numbers stays on one line.

use std::io::{self, Write};

use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

/// Indents objects, and arrays of them in the outermost object; writes what is inside other arrays on one line.
#[derive(Default)]
pub(super) struct JsonLayout {
    pretty: PrettyFormatter<'static>,
    compact: CompactFormatter,
    objects: usize,
    /// Arrays within which everything is on one line.
    flat: usize,
}

impl JsonLayout {
    /// Arrays of the outermost object hold entries; all others hold numbers or words.
    fn flattens(&self) -> bool {
        self.flat > 0 || self.objects > 1
    }
}

macro_rules! either {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {$(
        fn $name<W: ?Sized + Write>(&mut self, out: &mut W $(, $argument: $type)*) -> io::Result<()> {
            if self.flat > 0 { self.compact.$name(out $(, $argument)*) } else { self.pretty.$name(out $(, $argument)*) }
        }
    )*};
}

impl Formatter for JsonLayout {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.flattens() {
            self.flat += 1;
            return self.compact.begin_array(out);
        }
        self.pretty.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        if self.flat > 0 {
            self.flat -= 1;
            return self.compact.end_array(out);
        }
        self.pretty.end_array(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.objects += 1;
        if self.flat > 0 { self.compact.begin_object(out) } else { self.pretty.begin_object(out) }
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.objects -= 1;
        if self.flat > 0 { self.compact.end_object(out) } else { self.pretty.end_object(out) }
    }

    either! {
        begin_array_value(first: bool);
        end_array_value();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }
}
