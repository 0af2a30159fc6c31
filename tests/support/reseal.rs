//! Corrects the checksums of a changed snapshot. Finds their positions with a simple reader that follows
//! docs/snapshot.md and is independent of duke's own reader.

/// Corrects the checksums that can be found in a snapshot file. Returns `None` if the file is too short or the
/// position of its index is invalid.
pub fn reseal(file: &mut [u8]) -> Option<()> {
    let length = file.len();
    seal(file, 0..12, 12)?;
    let footer = length.checked_sub(32)?;
    let word = |file: &[u8], at: usize| Some(u64::from_le_bytes(*file.get(at..)?.first_chunk()?));
    let start = usize::try_from(word(file, footer)?).ok()?;
    let index_length = usize::try_from(word(file, footer + 8)?).ok()?;
    let index = start..start.checked_add(index_length).filter(|end| *end <= footer)?;
    // If a block cannot be found, this block and the following ones keep their old checksums.
    let _ = blocks(file, index.clone());
    seal(file, index, footer + 16)?;
    seal(file, footer..footer + 20, footer + 20)
}

fn blocks(file: &mut [u8], index: std::ops::Range<usize>) -> Option<()> {
    let mut at = index.start;
    let _directories = varint(file, &mut at)?;
    let mut offset: usize = 16;
    for _ in 0..varint(file, &mut at)? {
        let kind = *file.get(at)?;
        at += 1;
        let end = offset.checked_add(usize::try_from(varint(file, &mut at)?).ok()?)?;
        seal(file, offset..end, at).filter(|()| at < index.end)?;
        offset = end;
        at += 4;
        if kind & 1 == 0 {
            varint(file, &mut at)?;
            varint(file, &mut at)?;
        }
        if kind & 8 != 0 {
            varint(file, &mut at)?;
        }
    }
    Some(())
}

/// Writes the checksum of the bytes in `part` to the position `at`.
fn seal(file: &mut [u8], part: std::ops::Range<usize>, at: usize) -> Option<()> {
    let checksum = crc32fast::hash(file.get(part)?);
    file.get_mut(at..at + 4)?.copy_from_slice(&checksum.to_le_bytes());
    Some(())
}

fn varint(file: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *file.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
