//! Blocks of bytes, each compressed as one zstd frame that records the length of its content.
//!
//! `ruzstd` writes frames without this length, so this module adds it to the frame's header (RFC 8878, 3.1.1.1).
//!
//! Invariant: decompression takes memory only for the content and for one window. A window that is larger than both the
//! content and [`LEAST_WINDOW_LIMIT`] is rejected.

use std::io::Cursor;

use ruzstd::decoding::FrameDecoder;
use ruzstd::encoding::{CompressionLevel, FrameCompressor};

use super::compression::DAMAGED;
use super::matcher::RowMatcher;

/// First bytes of a frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Flag in the descriptor, the byte after the magic number. If the flag is set, the header has no window size.
const SINGLE_SEGMENT: u8 = 0x20;
/// Flag in the descriptor. If the flag is set, the frame ends with a checksum of its content.
const CHECKSUM: u8 = 0x04;
/// Bits of the descriptor that encode the length of the dictionary ID: 0, 1, 2 or 4 bytes.
const DICTIONARY: u8 = 0x03;
/// Value of the two highest bits of the descriptor if the content length is stored in four bytes.
const FOUR_BYTES: u8 = 0x80;

/// Minimum value of the limit on the window size, in bytes. The limit is the length of the content or this value,
/// whichever is larger. Decoders should support windows up to this size (RFC 8878, 3.1.1.1.2).
const LEAST_WINDOW_LIMIT: usize = 8 << 20;

/// Compressor that reuses its memory.
pub(crate) struct Packer {
    compressor: FrameCompressor<Cursor<Vec<u8>>, Vec<u8>, RowMatcher>,
}

impl Default for Packer {
    fn default() -> Self {
        let matcher = RowMatcher::default();
        Self { compressor: FrameCompressor::new_with_matcher(matcher, CompressionLevel::Fastest) }
    }
}

impl Packer {
    /// Appends the compressed `bytes` to `out`, and empties `bytes`.
    pub(crate) fn pack(&mut self, bytes: &mut Vec<u8>, out: &mut Vec<u8>) {
        let length = u32::try_from(bytes.len()).expect("blocks are shorter than 4 GiB");
        self.compressor.set_source(Cursor::new(std::mem::take(bytes)));
        self.compressor.set_drain(Vec::with_capacity(length as usize / 2));
        self.compressor.compress();
        let frame = self.compressor.take_drain().unwrap_or_default();
        let [descriptor, window] = [frame[4], frame[5]];
        debug_assert_eq!(descriptor & !CHECKSUM, 0, "the frame has a window and no length");
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&[descriptor | FOUR_BYTES, window]);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&frame[6..]);
        if let Some(source) = self.compressor.take_source() {
            *bytes = source.into_inner();
            bytes.clear();
        }
    }
}

/// Returns the content length that a frame records, or `None` if `frame` is not a zstd frame or records no length.
pub(crate) fn content_length(frame: &[u8]) -> Option<u64> {
    let descriptor = *frame.strip_prefix(&MAGIC)?.first()?;
    let is_single = descriptor & SINGLE_SEGMENT != 0;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & DICTIONARY)];
    let at = 5 + usize::from(!is_single) + dictionary;
    let rest = frame.get(at..)?;
    match descriptor >> 6 {
        0 if is_single => rest.first().map(|length| u64::from(*length)),
        0 => None,
        1 => rest.first_chunk().map(|length| u64::from(u16::from_le_bytes(*length)) + 256),
        2 => rest.first_chunk().map(|length| u64::from(u32::from_le_bytes(*length))),
        _ => rest.first_chunk().map(|length| u64::from_le_bytes(*length)),
    }
}

/// Decompresses a frame whose content has `length` bytes.
///
/// # Errors
/// Returns the reason if the frame is invalid or its content has a different length.
pub(crate) fn unpack(frame: &[u8], length: usize) -> Result<Vec<u8>, String> {
    let mut decoder = FrameDecoder::new();
    // The limit bounds the memory for the window. The decoder allocates the window size that the frame requests, even
    // if the content is shorter.
    decoder.set_max_window_size(length.max(LEAST_WINDOW_LIMIT) as u64);
    let mut bytes = vec![0; length];
    let written = decoder.decode_all(frame, &mut bytes).map_err(|_| DAMAGED)?;
    if written != length {
        return Err(DAMAGED.to_owned());
    }
    match decoder.get_checksum_from_data() {
        Some(checksum) if decoder.get_calculated_checksum() != Some(checksum) => Err(DAMAGED.to_owned()),
        _ => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::cases;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let (mut packer, mut out) = (Packer::default(), b"before".to_vec());
        for _ in 0..2 {
            out.truncate(6);
            packer.pack(&mut bytes.to_vec(), &mut out);
        }
        out.split_off(6)
    }

    #[test]
    fn wrong_lengths_and_changed_bytes_are_errors() {
        let bytes = b"some bytes ".repeat(300);
        let frame = packed(&bytes);
        assert!(frame.len() < bytes.len() / 10);
        for length in [0, bytes.len() - 1, bytes.len() + 1] {
            assert!(unpack(&frame, length).is_err(), "{length}");
        }
        for at in 0..frame.len() {
            let mut changed = frame.clone();
            changed[at] ^= 1;
            let length = content_length(&changed).and_then(|length| usize::try_from(length).ok());
            let unpacked = length.filter(|length| *length < 1 << 24).map(|length| unpack(&changed, length));
            // Some changes to a frame do not affect its contents, for example a larger window size.
            assert!(
                unpacked.is_none_or(|unpacked| unpacked.is_err() || unpacked == Ok(bytes.clone())),
                "{at}"
            );
            assert!(unpack(&frame[..at], bytes.len()).is_err(), "{at}");
        }
    }

    #[test]
    fn the_content_lengths_of_all_forms_are_found() {
        let cases: [(&[u8], Option<u64>); 7] = [
            (&[0x20, 7], Some(7)),
            (&[0x60, 1, 2], Some(256 + 513)),
            (&[0x40, 0x38, 1, 2], Some(256 + 513)),
            (&[0xa1, 9, 1, 0, 0, 0], Some(1)),
            (&[0xe0, 1, 0, 0, 0, 0, 0, 0, 1], Some(1 << 56 | 1)),
            (&[0x00, 0x38, 1], None),
            (&[0xa0, 1, 0, 0], None),
        ];
        for (header, length) in cases {
            assert_eq!(content_length(&[&MAGIC, header].concat()), length, "{header:?}");
        }
        assert_eq!(content_length(b"PK\x03\x04"), None);
    }

    proptest! {
        #![proptest_config(cases(64))]

        #[test]
        fn blocks_are_read_back(bytes in vec(0..4_u8, 0..3000), times in 1..100_usize) {
            let bytes = bytes.repeat(times);
            let frame = packed(&bytes);
            prop_assert_eq!(content_length(&frame), Some(bytes.len() as u64));
            prop_assert!(unpack(&frame, bytes.len()) == Ok(bytes));
        }

        #[test]
        fn any_bytes_give_a_result(bytes in vec(any::<u8>(), 0..300), changes in vec((any::<prop::sample::Index>(), any::<u8>()), 0..4)) {
            let mut frame = packed(&bytes);
            for (at, byte) in changes {
                let at = at.index(frame.len());
                frame[at] = byte;
            }
            let _ = unpack(&frame, bytes.len());
        }
    }
}
