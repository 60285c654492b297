//! Parses a text into instructions in the order in which a stack machine executes them, by operator precedence
//! (V. R. Pratt, *Top down operator precedence*, 1973).

use crate::error::{FormulaError, FormulaErrorKind};
use crate::instruction::{Instruction, Opcode};
use crate::limits::DEPTH_MAX;
use crate::operation::{self, Compute, Function, Operator};
use crate::token::{Token, TokenKind, tokens};

/// The names and instructions of a text.
pub(crate) fn parse(text: &str) -> Result<(Vec<String>, Vec<Instruction>), FormulaError> {
    let mut parser = Parser { text, tokens: tokens(text)?, at: 0, depth: 0, names: Vec::new(), steps: Vec::new() };
    if parser.tokens.len() == 1 {
        return Err(FormulaError::new(FormulaErrorKind::Empty, 0, text));
    }
    parser.expression(operation::EITHER)?;
    let rest = parser.peek();
    match rest.word {
        TokenKind::End => Ok((parser.names, parser.steps)),
        TokenKind::Sign(")") => Err(parser.error(FormulaErrorKind::Unopened, rest)),
        TokenKind::Sign(",") => Err(parser.error(FormulaErrorKind::Comma, rest)),
        _ => Err(parser.error(FormulaErrorKind::OperatorMissing(rest.shown()), rest)),
    }
}

struct Parser<'a> {
    text: &'a str,
    /// The tokens; the last is [`TokenKind::End`], and is never consumed.
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
    names: Vec<String>,
    steps: Vec<Instruction>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn takes(&mut self, sign: &str) -> bool {
        let fits = matches!(self.peek().word, TokenKind::Sign(found) if found == sign);
        if fits {
            self.take();
        }
        fits
    }

    fn error(&self, fault: FormulaErrorKind, token: Token<'_>) -> FormulaError {
        FormulaError::new(fault, token.position, self.text)
    }

    fn step(&mut self, act: Opcode, token: Token<'_>) {
        self.steps.push(Instruction { act, position: token.position });
    }

    /// An expression whose operators bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<(), FormulaError> {
        self.value()?;
        while let Some(operator) = operator(self.peek()).filter(|o| o.binding >= least) {
            let token = self.take();
            self.right_side(operator, token)?;
            let next = self.peek();
            let compares = |o: &Operator| o.binding == operation::COMPARISON;
            if compares(operator) && self::operator(next).is_some_and(compares) {
                return Err(self.error(FormulaErrorKind::Chain, next));
            }
        }
        Ok(())
    }

    fn right_side(&mut self, operator: &'static Operator, token: Token<'a>) -> Result<(), FormulaError> {
        let skip = match operator.binding {
            operation::EITHER => Some(true),
            operation::BOTH => Some(false),
            _ => None,
        };
        let place = self.steps.len();
        if let Some(when) = skip {
            self.step(Opcode::Skip { when, to: 0 }, token);
        }
        if operator.binding == operation::POWER {
            self.deeper(token, |parser| parser.expression(operation::POWER))?;
        } else {
            self.expression(operator.binding + 1)?;
        }
        self.step(Opcode::Operator(operator), token);
        if let Some(when) = skip {
            self.steps[place].act = Opcode::Skip { when, to: self.steps.len() };
        }
        Ok(())
    }

    /// A number, a name, a call, something in parentheses, or one of these with a sign before it.
    fn value(&mut self) -> Result<(), FormulaError> {
        let token = self.take();
        match token.word {
            TokenKind::Number(number) => self.step(Opcode::Number(number), token),
            TokenKind::Name(name) if self.takes("(") => return self.call(name, token),
            TokenKind::Name(name) => self.name(name, token),
            TokenKind::Sign("(") => {
                self.deeper(token, |parser| parser.expression(operation::EITHER))?;
                self.close(token)?;
            }
            TokenKind::Sign(sign @ ("-" | "!")) => {
                self.deeper(token, |parser| parser.expression(operation::POWER))?;
                self.step(if sign == "-" { Opcode::Negate } else { Opcode::Not }, token);
            }
            _ => return Err(self.error(FormulaErrorKind::ValueMissing(token.shown()), token)),
        }
        Ok(())
    }

    fn name(&mut self, name: &str, token: Token<'a>) {
        let known = self.names.iter().position(|n| n == name);
        let index = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        self.step(Opcode::Name(index), token);
    }

    /// The arguments of a function, after its opening parenthesis.
    fn call(&mut self, name: &str, token: Token<'a>) -> Result<(), FormulaError> {
        let function: &'static Function = operation::FUNCTIONS
            .iter()
            .find(|f| f.name == name)
            .ok_or_else(|| self.error(FormulaErrorKind::Function(name.to_owned()), token))?;
        let open = self.tokens[self.at - 1];
        let mut given = 0;
        if !self.takes(")") {
            loop {
                self.deeper(token, |parser| parser.expression(operation::EITHER))?;
                given += 1;
                if !self.takes(",") {
                    break;
                }
            }
            self.close(open)?;
        }
        let takes = match function.compute {
            Compute::One(_) if given != 1 => "one value",
            Compute::Several(_) if given < 2 => "two or more values",
            _ => {
                self.step(Opcode::Function(function, given), token);
                return Ok(());
            }
        };
        Err(self.error(FormulaErrorKind::Values { name: function.name, takes, given }, token))
    }

    fn close(&mut self, open: Token<'a>) -> Result<(), FormulaError> {
        let next = self.peek();
        match next.word {
            _ if self.takes(")") => Ok(()),
            TokenKind::End => Err(self.error(FormulaErrorKind::Unclosed, open)),
            TokenKind::Sign(",") => Err(self.error(FormulaErrorKind::Comma, next)),
            _ => Err(self.error(FormulaErrorKind::OperatorMissing(next.shown()), next)),
        }
    }

    fn deeper(
        &mut self,
        token: Token<'a>,
        parse: impl FnOnce(&mut Self) -> Result<(), FormulaError>,
    ) -> Result<(), FormulaError> {
        if self.depth == DEPTH_MAX {
            return Err(self.error(FormulaErrorKind::TooDeep, token));
        }
        self.depth += 1;
        parse(self)?;
        self.depth -= 1;
        Ok(())
    }
}

fn operator(token: Token<'_>) -> Option<&'static Operator> {
    let TokenKind::Sign(sign) = token.word else { return None };
    operation::OPERATORS.iter().find(|o| o.sign == sign)
}
