//! Decoder of base64 (RFC 4648, section 4); `base::text` has the encoder.

/// Decodes base64 with padding. Returns `None` if `text` is malformed.
pub fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let count = text.len().div_ceil(4);
    for (index, four) in text.chunks(4).enumerate() {
        let digits = four.strip_suffix(b"==").or_else(|| four.strip_suffix(b"=")).unwrap_or(four);
        if four.len() < 4 || digits.len() < 4 && index + 1 < count {
            return None;
        }
        let mut bits = 0;
        for digit in digits {
            bits = bits << 6 | value(*digit)?;
        }
        bits <<= 6 * (4 - digits.len());
        let [_, three @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(&three[..digits.len() - 1]);
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u32> {
    Some(match digit {
        b'A'..=b'Z' => u32::from(digit - b'A'),
        b'a'..=b'z' => u32::from(digit - b'a') + 26,
        b'0'..=b'9' => u32::from(digit - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::base64;

    #[test]
    fn encoded_bytes_are_decoded() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in 0..=256 {
            assert_eq!(decode(base64(&bytes[..length]).as_bytes()).as_deref(), Some(&bytes[..length]));
        }
        for bad in ["A", "AA", "AAA", "A===", "AA==AAAA", "AA=A", "AAA\n", "AAA-", "===="] {
            assert_eq!(decode(bad.as_bytes()), None, "{bad}");
        }
    }
}
