//! What SPIR-V says of its kernels: names, and the sizes of their arguments (SPIR-V specification, chapters 2.3 and 3).

use std::collections::BTreeMap;

/// Words before the first instruction, the first of which is the magic number.
const HEADER: usize = 5;
const MAGIC: u32 = 0x0723_0203;

/// `OpEntryPoint`, `OpTypeInt`, `OpTypeFloat`, `OpTypePointer`, `OpFunction`, `OpFunctionParameter`.
const ENTRY_POINT: u32 = 15;
const TYPE_INT: u32 = 21;
const TYPE_FLOAT: u32 = 22;
const TYPE_POINTER: u32 = 32;
const FUNCTION: u32 = 54;
const PARAMETER: u32 = 55;

/// Kernels by name, with the bytes of each argument; `None` where the words are none of SPIR-V's.
pub(crate) fn kernels(bytes: &[u8]) -> Option<BTreeMap<String, Vec<usize>>> {
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    if words.first() != Some(&MAGIC) || !bytes.len().is_multiple_of(4) {
        return None;
    }
    let (mut names, mut sizes, mut arguments) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::<u32, Vec<usize>>::new());
    let mut function = 0;
    let mut rest = words.get(HEADER..)?;
    while let Some(first) = rest.first() {
        let (count, code) = ((first >> 16) as usize, first & 0xffff);
        let instruction = rest.get(..count).filter(|instruction| !instruction.is_empty())?;
        match (code, instruction) {
            (ENTRY_POINT, [_, _, id, name @ ..]) => {
                names.insert(*id, literal(name));
            }
            (TYPE_INT | TYPE_FLOAT, [_, id, bits, ..]) => {
                sizes.insert(*id, *bits as usize / 8);
            }
            (TYPE_POINTER, [_, id, ..]) => {
                sizes.insert(*id, 8);
            }
            (FUNCTION, [_, _, id, ..]) => {
                function = *id;
                arguments.insert(function, Vec::new());
            }
            (PARAMETER, [_, of, ..]) => arguments.get_mut(&function)?.push(*sizes.get(of)?),
            _ => {}
        }
        rest = &rest[count..];
    }
    Some(names.into_iter().map(|(id, name)| (name, arguments.remove(&id).unwrap_or_default())).collect())
}

/// `ZE_DEVICE_MODULE_FLAG_FP16`, `_FP64` and `_INT64_ATOMICS`, and the capabilities that need them: `Float16Buffer`, of which llvm-spirv
/// makes arithmetic, and `Float16`; `Float64`; `Int64Atomics`.
const NEEDS: &[(u32, &[u32])] = &[(1, &[8, 9]), (DOUBLE, &[10]), (4, &[12])];
pub(crate) const DOUBLE: u32 = 2;

/// The flags that a device needs for a module: `OpCapability` comes first, two words long.
pub(crate) fn needs(bytes: &[u8]) -> u32 {
    let code = (2_u32 << 16 | 17).to_le_bytes();
    let capabilities = bytes.get(4 * HEADER..).unwrap_or_default().chunks_exact(8);
    let declared: Vec<u32> = capabilities
        .take_while(|pair| pair[..4] == code)
        .map(|pair| u32::from_le_bytes([pair[4], pair[5], pair[6], pair[7]]))
        .collect();
    let is_needed = |(_, of): &&(u32, &[u32])| of.iter().any(|capability| declared.contains(capability));
    NEEDS.iter().filter(is_needed).fold(0, |needs, (flag, _)| needs | flag)
}

/// A text: four bytes a word, up to a zero.
fn literal(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    String::from_utf8_lossy(&bytes.take_while(|byte| *byte != 0).collect::<Vec<u8>>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::kernels;

    #[test]
    fn words_that_break_off_are_no_module() {
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let header = [super::MAGIC, 0x10000, 0, 9, 0];
        assert_eq!(kernels(&bytes(&header)).map(|found| found.len()), Some(0));
        assert_eq!(kernels(&bytes(&[&header[..], &[5 << 16 | 15, 6, 1]].concat())), None);
        assert_eq!((kernels(b"__kernel"), kernels(&bytes(&header)[..19])), (None, None));
        let name = u32::from_le_bytes(*b"abc\0");
        let entry = [&header[..], &[4 << 16 | 15, 6, 1, name]].concat();
        assert_eq!(kernels(&bytes(&entry)).unwrap().into_iter().collect::<Vec<_>>(), [("abc".to_owned(), vec![])]);
    }
}
