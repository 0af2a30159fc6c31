//! Variable-length numbers: unsigned LEB128, and its zigzag form for differences.
//!
//! Invariant: decoding arbitrary bytes returns a number or [`Malformed`], and never panics.

/// Error for bytes that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl std::fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("malformed listing")
    }
}

impl std::error::Error for Malformed {}

/// Cursor that decodes numbers and bytes in sequence.
#[derive(Clone, Copy)]
pub(crate) struct ByteReader<'a> {
    bytes: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn errno(&mut self) -> Result<i32, Malformed> {
        i32::try_from(self.varint()?).map_err(|_| Malformed)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        let (&byte, rest) = self.bytes.split_first().ok_or(Malformed)?;
        self.bytes = rest;
        Ok(byte)
    }

    pub(crate) fn take(&mut self, length: u64) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(length).map_err(|_| Malformed)?;
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(Malformed)?;
        self.bytes = rest;
        Ok(taken)
    }

    /// Reads an unsigned LEB128 number of at most 64 bits.
    pub(crate) fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(Malformed);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Malformed)
    }

    pub(crate) fn narrow(&mut self) -> Result<u32, Malformed> {
        u32::try_from(self.varint()?).map_err(|_| Malformed)
    }

    pub(crate) fn delta(&mut self) -> Result<i64, Malformed> {
        let coded = self.varint()?;
        Ok((coded >> 1).cast_signed() ^ -(coded & 1).cast_signed())
    }
}

pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

pub(crate) fn write_varint(into: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        #[allow(clippy::cast_possible_truncation)] // only the low seven bits are written
        into.push(value as u8 | 0x80);
        value >>= 7;
    }
    #[allow(clippy::cast_possible_truncation)] // less than 0x80
    into.push(value as u8);
}
