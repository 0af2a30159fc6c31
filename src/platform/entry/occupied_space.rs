//! Space that files occupy on volumes, each byte counted once.

use std::collections::BTreeMap;

use super::contents::StoredContents;
use super::extents::{SMALLEST_COMPRESSED, StoredForm, StoredPart};

/// Space that files occupy on volumes. Each byte is counted once.
#[derive(Debug, Default)]
pub struct OccupiedSpace {
    /// End of each range, by the range's volume and start. Ranges of a volume do not overlap.
    ranges: BTreeMap<(Option<u64>, u64), u64>,
}

impl OccupiedSpace {
    /// Adds the space that a file occupies. Returns the number of the file's bytes that were already counted.
    /// Compressed data is counted at its uncompressed size, as in the file's disk usage.
    pub fn add(&mut self, contents: &StoredContents) -> u64 {
        let parts = contents.parts.iter();
        parts.fold(0, |known, part| known.saturating_add(self.add_part(contents.volume, part)))
    }

    fn add_part(&mut self, volume: Option<u64>, part: &StoredPart) -> u64 {
        let StoredPart { physical, length, .. } = *part;
        match part.form {
            StoredForm::Plain | StoredForm::Reserved => self.add_range(volume, physical, length),
            StoredForm::Compressed if self.add_range(volume, physical, SMALLEST_COMPRESSED) > 0 => length,
            StoredForm::Compressed | StoredForm::Inline | StoredForm::Unknown => 0,
        }
    }

    /// Adds a range, and returns how many bytes of it were already occupied.
    fn add_range(&mut self, volume: Option<u64>, start: u64, length: u64) -> u64 {
        let end = start.saturating_add(length);
        let (mut first, mut last, mut known) = (start, end, 0);
        while let Some((&(_, from), &to)) = self.ranges.range((volume, 0)..(volume, end)).next_back()
            && to > start
        {
            known += to.min(end) - from.max(start);
            (first, last) = (first.min(from), last.max(to));
            self.ranges.remove(&(volume, from));
        }
        self.ranges.insert((volume, first), last);
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_counts_once() {
        let mut space = OccupiedSpace::default();
        let mut add = |volume, start, length| space.add_range(Some(volume), start, length);
        assert_eq!(add(1, 100, 50), 0);
        assert_eq!(add(1, 200, 50), 0);
        assert_eq!(add(2, 100, 50), 0, "another volume");
        assert_eq!(add(1, 150, 50), 0, "it touches both");
        assert_eq!(add(1, 90, 200), 150, "it contains all three");
        assert_eq!(add(1, 100, 10), 10);
        assert_eq!(add(1, 280, 20), 10);
    }

    #[test]
    fn forms_of_storage_count_as_in_the_disk_usage() {
        let part = |physical, length, form| StoredPart { logical: 0, physical, length, form };
        let of = |parts: Vec<StoredPart>| StoredContents { volume: None, parts };
        let mut space = OccupiedSpace::default();
        let plain = part(0, 8192, StoredForm::Plain);
        let compressed = part(65_536, 131_072, StoredForm::Compressed);
        assert_eq!(space.add(&of(vec![plain, compressed])), 0);
        assert_eq!(space.add(&of(vec![part(4096, 8192, StoredForm::Plain), compressed])), 4096 + 131_072);
        let elsewhere = [StoredForm::Inline, StoredForm::Unknown].map(|form| part(0, 8192, form));
        assert_eq!(space.add(&of(elsewhere.to_vec())), 0);
    }
}
