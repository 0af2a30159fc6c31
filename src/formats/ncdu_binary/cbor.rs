//! Reader and writer for the subset of CBOR (RFC 8949) that is used for the items of an export.
//!
//! Invariant: decoding arbitrary bytes returns a value or [`Malformed`] at a bounded cost, and never panics.

use crate::tree::encoding::Malformed;

/// Maximum number of values to read from an item. The known fields of an item have fewer than 40 values.
const MOST: u32 = 1 << 10;

const UNSIGNED: u8 = 0;
const NEGATIVE: u8 = 1;
const BYTES: u8 = 2;
const TEXT: u8 = 3;
const ARRAY: u8 = 4;
const MAP: u8 = 5;
const TAG: u8 = 6;
const OTHER: u8 = 7;
/// Low five bits of the byte that begins a value of indefinite length, and of the byte that ends the value.
const INDEFINITE: u8 = 31;

/// Byte that begins a map of indefinite length.
pub(crate) const MAP_START: u8 = MAP << 5 | INDEFINITE;
/// Byte that ends a map of indefinite length.
pub(crate) const MAP_END: u8 = OTHER << 5 | INDEFINITE;

/// Value, or the beginning or end of a value that contains others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CborValue<'a> {
    Unsigned(u64),
    /// Negative number -1-n, stored as n.
    Negative(u64),
    /// Bytes or text.
    Bytes(&'a [u8]),
    Bool(bool),
    /// Beginning of an array, a map, or a string that is stored in parts. Contains the number of inner values, if
    /// known. The keys of a map are counted, too.
    Open(Option<u64>),
    /// End of an array, a map or a string of indefinite length.
    End,
    Other,
}

/// Cursor over the values in `bytes`.
pub(crate) struct CborReader<'a> {
    bytes: &'a [u8],
    at: usize,
    values: u32,
}

impl<'a> CborReader<'a> {
    /// Creates a reader that begins at position `at`.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, values: 0 }
    }

    /// Returns the position after the last value that was read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Skips any tags and reads the next value.
    pub(crate) fn value(&mut self) -> Result<CborValue<'a>, Malformed> {
        loop {
            self.values += 1;
            if self.values > MOST {
                return Err(Malformed);
            }
            let first = self.take(1)?[0];
            let (kind, short) = (first >> 5, first & 31);
            let argument = self.argument(short)?;
            return match (kind, argument) {
                (TAG, Some(_)) => continue,
                (UNSIGNED, Some(number)) => Ok(CborValue::Unsigned(number)),
                (NEGATIVE, Some(number)) => Ok(CborValue::Negative(number)),
                (BYTES | TEXT, Some(length)) => Ok(CborValue::Bytes(self.take(length)?)),
                (ARRAY, Some(count)) => Ok(CborValue::Open(Some(count))),
                (MAP, Some(count)) => Ok(CborValue::Open(Some(count.checked_mul(2).ok_or(Malformed)?))),
                (BYTES | TEXT | ARRAY | MAP, None) => Ok(CborValue::Open(None)),
                (OTHER, None) => Ok(CborValue::End),
                (OTHER, Some(_)) => Ok(match short {
                    20 => CborValue::Bool(false),
                    21 => CborValue::Bool(true),
                    _ => CborValue::Other,
                }),
                _ => Err(Malformed),
            };
        }
    }

    /// Skips the rest of a value whose beginning has been read as `value`.
    pub(crate) fn skip(&mut self, value: CborValue<'a>) -> Result<(), Malformed> {
        let mut open = match value {
            CborValue::Open(count) => vec![count],
            CborValue::End => return Err(Malformed),
            _ => return Ok(()),
        };
        while let Some(left) = open.last_mut() {
            if *left == Some(0) {
                open.pop();
                continue;
            }
            let is_bounded = left.is_some();
            *left = left.map(|left| left - 1);
            match self.value()? {
                CborValue::Open(count) => open.push(count),
                CborValue::End if is_bounded => return Err(Malformed),
                CborValue::End => drop(open.pop()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the argument of a value. `short`, the low five bits of the value's first byte, is the argument itself or
    /// determines the length of the argument. Returns `None` for an indefinite length.
    fn argument(&mut self, short: u8) -> Result<Option<u64>, Malformed> {
        let length = match short {
            0..24 => return Ok(Some(u64::from(short))),
            24..28 => 1_u64 << (short - 24),
            INDEFINITE => return Ok(None),
            _ => return Err(Malformed),
        };
        Ok(Some(self.take(length)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))))
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], Malformed> {
        let end = usize::try_from(length).ok().and_then(|length| self.at.checked_add(length));
        let taken = end.and_then(|end| self.bytes.get(self.at..end)).ok_or(Malformed)?;
        self.at += taken.len();
        Ok(taken)
    }
}

pub(crate) fn push_unsigned(bytes: &mut Vec<u8>, number: u64) {
    push(bytes, UNSIGNED, number);
}

/// Appends the number -1-n, where n is `number`.
pub(crate) fn push_negative(bytes: &mut Vec<u8>, number: u64) {
    push(bytes, NEGATIVE, number);
}

/// Appends `value` as a byte string.
pub(crate) fn push_bytes(bytes: &mut Vec<u8>, value: &[u8]) {
    push(bytes, BYTES, value.len() as u64);
    bytes.extend_from_slice(value);
}

pub(crate) fn push_bool(bytes: &mut Vec<u8>, value: bool) {
    push(bytes, OTHER, if value { 21 } else { 20 });
}

#[inline]
fn push(bytes: &mut Vec<u8>, kind: u8, argument: u64) {
    let kind = kind << 5;
    let all = argument.to_be_bytes();
    match argument {
        0..24 => bytes.push(kind | all[7]),
        24..=0xff => bytes.extend_from_slice(&[kind | 0x18, all[7]]),
        0x100..=0xffff => bytes.extend_from_slice(&[kind | 0x19, all[6], all[7]]),
        0x1_0000..=0xffff_ffff => {
            bytes.push(kind | 0x1a);
            bytes.extend_from_slice(&all[4..]);
        }
        _ => {
            bytes.push(kind | 0x1b);
            bytes.extend_from_slice(&all);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::cases;

    #[test]
    fn the_examples_of_the_standard_are_read() {
        let cases: [(&[u8], CborValue<'_>); 12] = [
            (b"\x00", CborValue::Unsigned(0)),
            (b"\x17", CborValue::Unsigned(23)),
            (b"\x18\x18", CborValue::Unsigned(24)),
            (b"\x19\x03\xe8", CborValue::Unsigned(1000)),
            (b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff", CborValue::Unsigned(u64::MAX)),
            (b"\x38\x63", CborValue::Negative(99)),
            (b"\x3b\xff\xff\xff\xff\xff\xff\xff\xff", CborValue::Negative(u64::MAX)),
            (b"\xf4", CborValue::Bool(false)),
            (b"\xf9\x3c\x00", CborValue::Other),
            (b"\x44\x01\x02\x03\x04", CborValue::Bytes(&[1, 2, 3, 4])),
            (b"\xd8\x20\x64IETF", CborValue::Bytes(b"IETF")),
            (b"\xc1\x1a\x51\x4b\x67\xb0", CborValue::Unsigned(1_363_896_240)),
        ];
        for (bytes, value) in cases {
            let mut reader = CborReader::new(bytes, 0);
            assert_eq!((reader.value(), reader.position()), (Ok(value), bytes.len()), "{bytes:?}");
        }
    }

    #[test]
    fn nested_values_are_skipped() {
        let good: [&[u8]; 5] = [
            b"\x83\x01\x82\x02\x03\x82\x04\x05",
            b"\x9f\x01\x82\x02\x03\x9f\x04\x05\xff\xff",
            b"\xbf\x61a\x01\x61b\x9f\x02\x03\xff\xff",
            b"\x5f\x42\x01\x02\x43\x03\x04\x05\xff",
            b"\xa0",
        ];
        let skip = |bytes: &[u8]| {
            let mut reader = CborReader::new(bytes, 0);
            let value = reader.value()?;
            reader.skip(value).map(|()| reader.position())
        };
        for bytes in good {
            assert_eq!(skip(bytes), Ok(bytes.len()), "{bytes:?}");
        }
        for bytes in
            [&b"\xff"[..], b"\x81\xff", b"\x9f", b"\x82\x01", b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff"]
        {
            assert_eq!(skip(bytes), Err(Malformed), "{bytes:?}");
        }
        assert_eq!(skip(&vec![0x81; 1 << 20]), Err(Malformed));
        assert_eq!(skip(&vec![0xc1; 1 << 20]), Err(Malformed));
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn numbers_are_read_back(number: u64, shift in 0..64_u32, name in proptest::collection::vec(any::<u8>(), 0..300)) {
            let number = number >> shift;
            let mut bytes = Vec::new();
            push_unsigned(&mut bytes, number);
            push_negative(&mut bytes, number);
            push_bytes(&mut bytes, &name);
            push_bool(&mut bytes, number % 2 == 0);
            let mut reader = CborReader::new(&bytes, 0);
            let values = [(); 4].map(|()| reader.value());
            let expected = [
                CborValue::Unsigned(number),
                CborValue::Negative(number),
                CborValue::Bytes(&name),
                CborValue::Bool(number % 2 == 0),
            ];
            prop_assert_eq!(values, expected.map(Ok));
            prop_assert_eq!(reader.position(), bytes.len());
        }

        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut reader = CborReader::new(&bytes, 0);
            while let Ok(value) = reader.value() {
                if reader.skip(value).is_err() {
                    break;
                }
            }
            prop_assert!(reader.position() <= bytes.len());
        }
    }
}
