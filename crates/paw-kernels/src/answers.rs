//! Files of answers, which children exchange, and files of a user's reference numbers.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use paw_measure::fault::Fault;

use crate::element::Element;
use crate::number::{Number, with_number};

/// One answer of a kernel: an output array, or its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<'a> {
    /// Name of the array; [`RESULT`](crate::accuracy::RESULT) of the result.
    pub name: Cow<'a, str>,
    /// Type of its numbers.
    pub element: Element,
    /// The numbers in native byte order.
    pub bytes: Cow<'a, [u8]>,
}

impl Answer<'_> {
    /// Its number of elements.
    pub fn elements(&self) -> u64 {
        self.bytes.len() as u64 / self.element.bytes()
    }

    /// The answer, borrowed from this one.
    pub fn borrowed(&self) -> Answer<'_> {
        Answer { name: self.name.as_ref().into(), element: self.element, bytes: self.bytes.as_ref().into() }
    }
}

/// The first bytes of a file of answers, with the version of its format.
const MAGIC: &[u8] = b"paw answers 1\n";

/// Writes `answers` into a file for [`read`] on this machine: their number, and for each the length of its name, the name, its element's
/// index in [`ELEMENTS`](crate::element::ELEMENTS), the length of its bytes, and the bytes. Lengths have 64 bits.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, answers: &[Answer<'_>]) -> Result<(), Fault> {
    stream(path, answers)
        .map_err(|error| Fault::Broken(format!("the answers cannot be written to {}: {error}", path.display())))
}

fn stream(path: &Path, answers: &[Answer<'_>]) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let length = |length: usize| (length as u64).to_le_bytes();
    file.write_all(MAGIC)?;
    file.write_all(&length(answers.len()))?;
    for answer in answers {
        file.write_all(&length(answer.name.len()))?;
        file.write_all(answer.name.as_bytes())?;
        file.write_all(&length(place(answer.element)))?;
        file.write_all(&length(answer.bytes.len()))?;
        file.write_all(&answer.bytes)?;
    }
    file.flush()
}

/// The answers in a file that [`write()`] wrote.
///
/// # Errors
/// The file cannot be read, is no file of answers, or is truncated.
pub fn read(path: &Path) -> Result<Vec<Answer<'static>>, Fault> {
    let bytes = bytes(path)?;
    let damaged = || Fault::Broken(format!("{} is no file of answers, or not a whole one", path.display()));
    let mut rest = bytes.strip_prefix(MAGIC).ok_or_else(damaged)?;
    answers(&mut rest).filter(|_| rest.is_empty()).ok_or_else(damaged)
}

fn answers(rest: &mut &[u8]) -> Option<Vec<Answer<'static>>> {
    let count = take_length(rest)?;
    let mut answers = Vec::new();
    for _ in 0..count {
        let length = take_length(rest)?;
        let name = String::from_utf8(take(rest, length)?.to_vec()).ok()?;
        let (_, element) = *crate::element::ELEMENTS.get(take_length(rest)?)?;
        let length = take_length(rest)?;
        let bytes = take(rest, length)?.to_vec();
        answers.push(Answer { name: name.into(), element, bytes: bytes.into() });
    }
    Some(answers)
}

fn place(element: Element) -> usize {
    crate::element::ELEMENTS.iter().position(|(_, other)| *other == element).unwrap_or_default()
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn take_length(rest: &mut &[u8]) -> Option<usize> {
    let bytes = take(rest, size_of::<u64>())?;
    usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok()
}

fn bytes(path: &Path) -> Result<Vec<u8>, Fault> {
    fs::read(path).map_err(|error| {
        Fault::Broken(format!("{}, which the answers are held against, cannot be read: {error}", path.display()))
    })
}

/// A user's numbers as a kernel's answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Numbers {
    /// As many numbers as the kernel returns.
    Fitting(Vec<Answer<'static>>),
    /// Another count: one sentence with both counts.
    Unlike(String),
}

/// The numbers of a user's file, split into answers like `like`: raw if its name ends in `.bin`, else text, separated by
/// blanks or commas.
///
/// # Errors
/// If it cannot be read, or something in it is not a number of its type.
pub fn numbers(path: &Path, like: &[Answer<'_>]) -> Result<Numbers, Fault> {
    let file = bytes(path)?;
    let wanted: u64 = like.iter().map(Answer::elements).sum();
    if path.extension().is_some_and(|extension| extension == "bin") {
        let wanted_bytes: usize = like.iter().map(|answer| answer.bytes.len()).sum();
        if file.len() != wanted_bytes {
            let held = format!(
                "{wanted} numbers of {wanted_bytes} bytes in all, and {} holds {} bytes",
                path.display(),
                file.len()
            );
            return Ok(Numbers::Unlike(format!("the kernel gives {held}")));
        }
        return Ok(Numbers::Fitting(cut(like, &file)));
    }
    let text = String::from_utf8(file).map_err(|_| {
        Fault::Broken(format!("{} is not text; call it .bin where it holds bare numbers", path.display()))
    })?;
    let parted = |c: char| c.is_whitespace() || c == ',';
    let words = || text.split(parted).filter(|word| !word.is_empty());
    let held = words().count() as u64;
    if held != wanted {
        return Ok(Numbers::Unlike(format!("the kernel gives {wanted} numbers, and {} holds {held}", path.display())));
    }
    let mut words = (1_u64..).zip(words());
    let mut bytes = Vec::new();
    for answer in like {
        with_number!(answer.element, N => {
            for (count, word) in words.by_ref().take(answer.elements() as usize) {
                let number = N::spelt(word).ok_or_else(|| not_a_number(path, count, word, answer))?;
                let at = bytes.len();
                bytes.resize(at + N::BYTES, 0);
                number.write(&mut bytes[at..]);
            }
        });
    }
    Ok(Numbers::Fitting(cut(like, &bytes)))
}

/// The initial contents of an array of `length` bytes, from a user's file.
///
/// # Errors
/// If it cannot be read, or holds more or fewer numbers, or something else.
pub(crate) fn beginning(path: &Path, name: &str, element: Element, length: usize) -> Result<Vec<u8>, Fault> {
    let like = [Answer { name: name.into(), element, bytes: vec![0; length].into() }];
    match numbers(path, &like)? {
        Numbers::Fitting(mut found) => Ok(found.remove(0).bytes.into_owned()),
        Numbers::Unlike(_) => Err(Fault::Broken(format!(
            "`{name}` begins with {} numbers, and {} holds another number of them",
            like[0].elements(),
            path.display()
        ))),
    }
}

fn not_a_number(path: &Path, count: u64, word: &str, answer: &Answer<'_>) -> Fault {
    let (name, element) = (&answer.name, answer.element.name());
    Fault::Broken(format!("{}: number {count}, `{word}`, is not of type {element}, as `{name}` is", path.display()))
}

/// `bytes` split into answers with the names and lengths of `like`.
fn cut(like: &[Answer<'_>], mut bytes: &[u8]) -> Vec<Answer<'static>> {
    let cut = |answer: &Answer<'_>| {
        let own = take(&mut bytes, answer.bytes.len()).unwrap_or_default();
        Answer { name: answer.name.to_string().into(), element: answer.element, bytes: own.to_vec().into() }
    };
    like.iter().map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(name: &'static str, element: Element, bytes: Vec<u8>) -> Answer<'static> {
        Answer { name: name.into(), element, bytes: bytes.into() }
    }

    fn two() -> Vec<Answer<'static>> {
        let b = [1.5_f32, -0.0].map(f32::to_ne_bytes).concat();
        vec![answer("b", Element::F32, b), answer("return", Element::I64, 7_i64.to_ne_bytes().to_vec())]
    }

    fn file(name: &str, contents: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().join(name);
        fs::write(&path, contents).expect("it can be written");
        (folder, path)
    }

    #[test]
    fn answers_come_back_bit_for_bit() {
        let (_folder, path) = file("answers", b"");
        write(&path, &two()).expect("it is written");
        assert_eq!(read(&path), Ok(two()));
    }

    #[test]
    fn a_file_that_was_cut_or_is_another_is_refused() {
        let (_folder, path) = file("answers", b"");
        write(&path, &two()).expect("it is written");
        let whole = fs::read(&path).expect("it is read");
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).expect("it can be written");
            assert!(read(&path).is_err(), "{length} bytes of {}", whole.len());
        }
        fs::write(&path, [&whole[..], b"x"].concat()).expect("it can be written");
        let refused = read(&path).unwrap_err().to_string();
        assert_eq!(refused, format!("{} is no file of answers, or not a whole one", path.display()));
    }

    #[test]
    fn text_and_bare_numbers_are_cut_like_the_answers() {
        let (_folder, path) = file("answers.txt", b"1.5, -0.0\n\t7\n");
        assert_eq!(numbers(&path, &two()), Ok(Numbers::Fitting(two())));
        let bare: Vec<u8> = two().iter().flat_map(|answer| answer.bytes.to_vec()).collect();
        let (_folder, path) = file("answers.bin", &bare);
        assert_eq!(numbers(&path, &two()), Ok(Numbers::Fitting(two())));
    }

    fn unlike(name: &str, contents: &[u8]) -> String {
        let (folder, path) = file(name, contents);
        match numbers(&path, &two()).expect("it is read") {
            Numbers::Unlike(why) => why.replace(&folder.path().display().to_string(), "DIR"),
            Numbers::Fitting(answers) => panic!("{answers:?}"),
        }
    }

    #[test]
    fn another_count_names_both() {
        assert_eq!(unlike("a.txt", b"1 2 3 4"), "the kernel gives 3 numbers, and DIR/a.txt holds 4");
        let bare = unlike("a.bin", b"1234567");
        assert_eq!(bare, "the kernel gives 3 numbers of 16 bytes in all, and DIR/a.bin holds 7 bytes");
    }

    #[test]
    fn what_is_no_number_of_its_type_is_named() {
        let (_folder, path) = file("answers.txt", b"1.5 2 7.5");
        let refused = numbers(&path, &two()).unwrap_err().to_string();
        assert!(refused.ends_with("answers.txt: number 3, `7.5`, is not of type i64, as `return` is"), "{refused}");
    }
}
