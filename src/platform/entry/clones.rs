//! Parser for the reply of getattrlistat(2) on macOS to a request for clone information. The reply consists of its
//! length, five words whose bits show which attributes were returned, and the values of these attributes.
//!
//! This module makes no system calls. Invariant: no reply causes a panic, whatever bytes it contains.

use crate::platform::entry::extents::ExtentLayout;

/// `ATTR_CMNEXT_PRIVATESIZE` from sys/attr.h.
pub const PRIVATE_SIZE: u32 = 0x8;
/// `ATTR_CMNEXT_CLONEID` from sys/attr.h.
pub const CLONE_ID: u32 = 0x100;

/// Buffer for a reply that contains the values of [`PRIVATE_SIZE`] and [`CLONE_ID`].
pub type Answer = [u8; 40];

/// Returns the layout that `answer` reports, or `None` if the private size is missing.
pub fn layout(answer: &Answer) -> Option<ExtentLayout> {
    let word = |at: usize| answer[at..].first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes));
    let length = usize::try_from(word(0)).unwrap_or(usize::MAX).min(answer.len());
    let returned = word(20);
    let mut numbers = answer.get(24..length)?.chunks_exact(8).map_while(<[u8]>::first_chunk);
    // The reply contains the values in ascending order of their attribute bits, so the private size comes first.
    let mut number = |bit| {
        let bytes = if returned & bit == 0 { None } else { numbers.next() };
        bytes.map(|bytes| u64::from_ne_bytes(*bytes))
    };
    let (private, clone) = (number(PRIVATE_SIZE), number(CLONE_ID));
    let private = private?;
    Some(ExtentLayout { private, certain: private, clone, ..ExtentLayout::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_that_were_returned() {
        let answer = |length: u32, returned: u32, numbers: [u64; 2]| {
            let mut answer: Answer = [0; 40];
            answer[..4].copy_from_slice(&length.to_ne_bytes());
            answer[20..24].copy_from_slice(&returned.to_ne_bytes());
            answer[24..32].copy_from_slice(&numbers[0].to_ne_bytes());
            answer[32..].copy_from_slice(&numbers[1].to_ne_bytes());
            answer
        };
        let decoded = |answer: Answer| layout(&answer).map(|layout| (layout.private, layout.clone));
        assert_eq!(decoded(answer(40, PRIVATE_SIZE | CLONE_ID, [4096, 77])), Some((4096, Some(77))));
        assert_eq!(decoded(answer(32, PRIVATE_SIZE, [4096, 77])), Some((4096, None)));
        assert_eq!(decoded(answer(32, CLONE_ID, [77, 0])), None);
        assert_eq!(decoded(answer(32, PRIVATE_SIZE | CLONE_ID, [4096, 77])), Some((4096, None)), "cut short");
        assert_eq!(decoded(answer(24, 0, [1, 1])), None);
        assert_eq!(
            decoded(answer(u32::MAX, PRIVATE_SIZE, [1, 2])),
            Some((1, None)),
            "longer than there is room"
        );
        assert_eq!(decoded(answer(0, PRIVATE_SIZE, [1, 2])), None);
    }
}
