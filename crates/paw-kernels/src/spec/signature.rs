//! Parses declarations of C.

mod ctype;
mod token;

use std::ops::Range;

use super::{Parameter, PassedBy, Signature};
use crate::element::Element;
use token::{Token, tokens};

/// A parsed declaration: the [`Signature`], and facts for checking the rest of the spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declaration {
    pub signature: Signature,
    /// Name of the function.
    pub function: String,
    /// For each parameter the bytes of its name, and whether it points at `const`.
    pub parameters: Vec<(Range<usize>, bool)>,
}

/// An error in a declaration, with the bytes of the text it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SignatureError {
    pub message: String,
    pub range: Range<usize>,
}

/// The most parameters passed in registers: whole numbers and addresses, and floating-point numbers (System V ABI, AMD64 supplement, 3.2.3).
const WHOLE_MAX: usize = 6;
const FLOAT_MAX: usize = 8;

impl Declaration {
    /// Parses the declaration of a function for a processor, whose parameters fit registers.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        let declaration = Self::read(text)?;
        declaration.fits_registers()?;
        Ok(declaration)
    }

    /// Parses a declaration with any number of parameters.
    fn read(text: &str) -> Result<Self, SignatureError> {
        let mut reader = Reader { tokens: tokens(text), at: 0 };
        if reader.take_if("extern") && reader.peek().text.starts_with('"') {
            reader.take();
        }
        let (_, result) = reader.specifiers()?;
        let star = reader.peek();
        if star.text == "*" {
            return Err(wrong(star, "a result is a number or void: hand the array over as a parameter"));
        }
        let name = reader.name("the name of the function")?;
        reader.expect("(", "the parameters in parentheses")?;
        let mut declaration = Self {
            signature: Signature { text: text.to_owned(), result, parameters: Vec::new() },
            function: name.text.to_owned(),
            parameters: Vec::new(),
        };
        reader.parameters(&mut declaration)?;
        reader.take_if(";");
        reader.expect("", "nothing more")?;
        Ok(declaration)
    }

    /// Parses the declaration of a kernel for a device.
    pub fn of_device(text: &str) -> Result<Self, SignatureError> {
        let declared = Self::read(text)?;
        if declared.signature.result.is_some() {
            let message = "a kernel returns nothing: begin the signature with `void`".to_owned();
            return Err(SignatureError { message, range: 0..text.len() });
        }
        for (parameter, (range, _)) in declared.signature.parameters.iter().zip(&declared.parameters) {
            let is_narrow = matches!(parameter.element, Element::I8 | Element::I16 | Element::U8 | Element::U16);
            if parameter.by == PassedBy::Value && is_narrow {
                let message =
                    format!("`{}` is narrower than what is handed to a kernel by value: write `int`", parameter.name);
                return Err(SignatureError { message, range: range.clone() });
            }
        }
        Ok(declared)
    }

    fn fits_registers(&self) -> Result<(), SignatureError> {
        let (mut whole, mut float) = (0, 0);
        for (parameter, (range, _)) in self.signature.parameters.iter().zip(&self.parameters) {
            let is_float = parameter.by == PassedBy::Value && parameter.element.is_float();
            let (count, max, what) = if is_float {
                (&mut float, FLOAT_MAX, "floating-point numbers")
            } else {
                (&mut whole, WHOLE_MAX, "whole numbers and pointers")
            };
            *count += 1;
            if *count > max {
                let message = format!(
                    "`{}` is one too many: at most {max} {what} are handed over in registers; gather some in one array",
                    parameter.name
                );
                return Err(SignatureError { message, range: range.clone() });
            }
        }
        Ok(())
    }
}

struct Reader<'a> {
    /// The tokens; the last is empty, and is never consumed.
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn take_if(&mut self, text: &str) -> bool {
        let fits = self.peek().text == text;
        if fits {
            self.take();
        }
        fits
    }

    fn expect(&mut self, text: &str, what: &str) -> Result<(), SignatureError> {
        let token = self.peek();
        if self.take_if(text) { Ok(()) } else { Err(wrong(token, format!("expected {what}, not {}", token.shown()))) }
    }

    fn name(&mut self, what: &str) -> Result<Token<'a>, SignatureError> {
        let token = self.peek();
        match token.is_word() && !ctype::is_type_word(token.text) {
            true => Ok(self.take()),
            false => Err(wrong(token, format!("{what} is missing before {}", token.shown()))),
        }
    }

    /// Reads qualifiers and type: whether one is `const`, and the type; `None` is `void`.
    fn specifiers(&mut self) -> Result<(bool, Option<Element>), SignatureError> {
        let (mut words, mut is_const) = (Vec::new(), false);
        loop {
            let token = self.peek();
            if ctype::QUALIFIERS.contains(&token.text) {
                is_const |= token.text == "const";
                self.take();
            } else if ctype::is_type_word(token.text) {
                words.push(self.take());
            } else {
                return Ok((is_const, ctype::element(&words, token)?));
            }
        }
    }

    /// Reads all parameters and the closing parenthesis.
    fn parameters(&mut self, into: &mut Declaration) -> Result<(), SignatureError> {
        let is_void = self.peek().text == "void" && self.tokens.get(self.at + 1).is_some_and(|next| next.text == ")");
        if is_void {
            self.take();
        }
        if self.take_if(")") {
            return Ok(());
        }
        loop {
            let (parameter, range, is_const) = self.parameter()?;
            if into.signature.parameters.iter().any(|other| other.name == parameter.name) {
                let message = format!("there are two parameters `{}`: rename one", parameter.name);
                return Err(SignatureError { message, range });
            }
            into.signature.parameters.push(parameter);
            into.parameters.push((range, is_const));
            if !self.take_if(",") {
                return self.expect(")", "`,` or `)` after a parameter");
            }
        }
    }

    fn parameter(&mut self) -> Result<(Parameter, Range<usize>, bool), SignatureError> {
        let first = self.peek();
        if first.text == "..." {
            return Err(wrong(first, "a function with any number of parameters is not called: name them all"));
        }
        let (is_const, element) = self.specifiers()?;
        let is_pointer = self.stars()?;
        let name = self.name("the name of a parameter")?;
        let bracket = self.peek();
        if is_pointer && bracket.text == "[" {
            return Err(wrong(bracket, TWO_LEVELS));
        }
        let is_address = is_pointer || bracket.text == "[";
        while self.peek().text == "[" {
            self.extent()?;
        }
        let Some(element) = element else {
            let name = name.text;
            let message = if is_address {
                format!("`{name}` points at void: write the type of its elements, as in `float *{name}`")
            } else {
                format!("`{name}` is void: give it a type")
            };
            return Err(wrong(first, message));
        };
        let by = if is_address { PassedBy::Address } else { PassedBy::Value };
        Ok((Parameter { name: name.text.to_owned(), element, by }, name.range(), is_const && is_address))
    }

    /// Reads `*` and qualifiers: whether there is a `*`.
    fn stars(&mut self) -> Result<bool, SignatureError> {
        let mut found = false;
        loop {
            let token = self.peek();
            match token.text {
                "*" if !found => found = true,
                "*" => return Err(wrong(token, TWO_LEVELS)),
                "&" => return Err(wrong(token, "a reference is handed over as a pointer: write `*` in place of `&`")),
                "(" => {
                    return Err(wrong(
                        token,
                        "parentheses are not read here: write an array as `float a[n][n]` or `float *a`",
                    ));
                }
                word if ctype::QUALIFIERS.contains(&word) => {}
                _ => return Ok(found),
            }
            self.take();
        }
    }

    /// Skips `[…]` with any contents.
    fn extent(&mut self) -> Result<(), SignatureError> {
        let open = self.take();
        let mut depth = 1;
        while depth > 0 {
            let token = self.take();
            match token.text {
                "[" => depth += 1,
                "]" => depth -= 1,
                "" => return Err(wrong(open, "this bracket is never closed: add `]`")),
                _ => {}
            }
        }
        Ok(())
    }
}

const TWO_LEVELS: &str =
    "a pointer to pointers is not handed over: pass all elements in one array, `float *a` or `float a[n][n]`";

fn wrong(token: Token<'_>, message: impl Into<String>) -> SignatureError {
    SignatureError { message: message.into(), range: token.range() }
}

#[cfg(test)]
mod tests;
