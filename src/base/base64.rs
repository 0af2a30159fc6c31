//! Base64 decoder. The encoder is [`crate::base::text::base64`].

/// Decodes base64 (RFC 4648, section 4, with padding). Returns `None` for input that no correct encoder produces.
pub fn from_base64(text: &[u8]) -> Option<Vec<u8>> {
    let (fours, rest) = text.as_chunks::<4>();
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    if !rest.is_empty() || padding > 2 {
        return None;
    }
    let digits = text.len() - padding;
    let mut bytes = Vec::with_capacity(fours.len() * 3);
    for (number, four) in fours.iter().enumerate() {
        let mut bits = 0;
        for (index, digit) in four.iter().enumerate() {
            let is_padding = number * 4 + index >= digits;
            bits = bits << 6 | if is_padding { 0 } else { sextet(*digit)? };
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    // The bits beyond the last byte must be zero. Otherwise, different texts could decode to the same bytes.
    let dropped = bytes.split_off(bytes.len() - padding);
    dropped.iter().all(|byte| *byte == 0).then_some(bytes)
}

fn sextet(digit: u8) -> Option<u32> {
    let (first, value) = match digit {
        b'A'..=b'Z' => (b'A', 0),
        b'a'..=b'z' => (b'a', 26),
        b'0'..=b'9' => (b'0', 52),
        b'+' => (b'+', 62),
        b'/' => (b'/', 63),
        _ => return None,
    };
    Some(u32::from(digit - first) + value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::base64;

    #[test]
    fn base64_is_decoded_as_it_is_encoded() {
        for length in 0..9 {
            let bytes: Vec<u8> = (0..length).map(|byte: u8| byte.wrapping_mul(91) ^ 0xf7).collect();
            assert_eq!(from_base64(base64(&bytes).as_bytes()), Some(bytes));
        }
        for wrong in ["a", "ab=", "=", "====", "a===", "ab==cd==", "a=b=", "Zm9v\n", "Zh==", "Zg=\0", "Zm9-"]
        {
            assert_eq!(from_base64(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
