//! Simple writer and reader of ncdu's binary export, against which tests check duke's own implementation.

use std::collections::BTreeMap;

/// Value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Number(u64),
    /// Negative number `-1 - n`, where `n` is the stored number (RFC 8949, major type 1).
    Negative(u64),
    Bytes(Vec<u8>),
    Truth(bool),
}

use Value::{Bytes, Negative, Number, Truth};

/// Fields of an item, by key.
pub type Item = BTreeMap<u64, Value>;

/// Encodes an item as a CBOR map of indefinite length.
pub fn item(fields: &[(u64, Value)]) -> Vec<u8> {
    let mut bytes = vec![0xbf];
    for (key, value) in fields {
        head(&mut bytes, 0, *key);
        match value {
            Number(number) => head(&mut bytes, 0, *number),
            Negative(number) => head(&mut bytes, 1, *number),
            Bytes(text) => {
                head(&mut bytes, 2, text.len() as u64);
                bytes.extend(text);
            }
            Truth(truth) => bytes.push(0xf4 | u8::from(*truth)),
        }
    }
    bytes.push(0xff);
    bytes
}

fn head(bytes: &mut Vec<u8>, kind: u8, number: u64) {
    bytes.push(kind << 5 | 0x1b);
    bytes.extend(number.to_be_bytes());
}

/// Returns a file that consists of these blocks, stored without compression.
pub fn file(blocks: &[&[u8]], root: u64) -> Vec<u8> {
    let frames: Vec<Vec<u8>> = blocks.iter().map(|content| frame(content)).collect();
    file_of_frames(&frames, root)
}

/// Returns a file whose blocks contain these zstd frames.
pub fn file_of_frames(frames: &[Vec<u8>], root: u64) -> Vec<u8> {
    let mut bytes = b"\xbfncduEX1".to_vec();
    let mut index = Vec::new();
    for (number, frame) in (0_u32..).zip(frames) {
        let body = [&number.to_be_bytes()[..], frame].concat();
        let block = block(0, &body);
        index.extend(((bytes.len() as u64) << 24 | block.len() as u64).to_be_bytes());
        bytes.extend(block);
    }
    index.extend(root.to_be_bytes());
    bytes.extend(block(1, &index));
    bytes
}

/// Returns a block: its kind and length, the body, and the kind and length again.
pub fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let head = (kind << 28 | u32::try_from(body.len() + 8).unwrap()).to_be_bytes();
    [&head[..], body, &head].concat()
}

/// Returns a zstd frame that stores its content without compression.
pub fn frame(content: &[u8]) -> Vec<u8> {
    let mut frame = frame_head(u32::try_from(content.len()).unwrap());
    let mut parts = content.chunks(128 << 10).peekable();
    while let Some(part) = parts.next() {
        let head = u32::try_from(part.len()).unwrap() << 3 | u32::from(parts.peek().is_none());
        frame.extend(&head.to_le_bytes()[..3]);
        frame.extend(part);
    }
    frame
}

/// Returns a short zstd frame whose content is `byte` repeated `length` times.
pub fn frame_of_one(byte: u8, length: u32) -> Vec<u8> {
    let mut frame = frame_head(length);
    let mut left = length;
    while left > 0 {
        let part = left.min(128 << 10);
        left -= part;
        frame.extend(&(part << 3 | 1 << 1 | u32::from(left == 0)).to_le_bytes()[..3]);
        frame.push(byte);
    }
    frame
}

/// Returns the header of a zstd frame. The length of the frame's content is stored in the last four bytes.
fn frame_head(length: u32) -> Vec<u8> {
    [&[0x28, 0xb5, 0x2f, 0xfd, 0xa0][..], &length.to_le_bytes()].concat()
}

/// Returns all items of a file, keyed by reference, and the reference to the root.
pub fn read(file: &[u8]) -> (BTreeMap<u64, Item>, u64) {
    assert!(file.starts_with(b"\xbfncduEX1"));
    let long = |at: usize| u64::from_be_bytes(file[at..at + 8].try_into().unwrap());
    let word = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap());
    let end = file.len() - 4;
    let length = usize::try_from(word(end) & 0xfff_ffff).unwrap();
    let start = file.len() - length;
    assert_eq!((word(end) >> 28, word(start)), (1, word(end)), "the last block is the index");
    let mut items = BTreeMap::new();
    let mut seen = 8;
    for number in 0..(length - 16) / 8 {
        let pointer = long(start + 4 + 8 * number);
        let (offset, length) =
            (usize::try_from(pointer >> 24).unwrap(), usize::try_from(pointer & 0xff_ffff).unwrap());
        if pointer == 0 {
            continue;
        }
        seen += length;
        let last = offset + length - 4;
        assert_eq!((word(offset), word(last)), (u32::try_from(length).unwrap(), word(offset)));
        assert_eq!(word(offset + 4) as usize, number);
        let content = unpack(&file[offset + 8..last]);
        let mut at = 0;
        while at < content.len() {
            let own = (number as u64) << 24 | at as u64;
            items.insert(own, parse(&content, &mut at));
        }
    }
    assert_eq!(seen, start, "the blocks fill the file");
    (items, long(end - 8))
}

fn unpack(frame: &[u8]) -> Vec<u8> {
    let mut decoder = ruzstd::decoding::FrameDecoder::new();
    decoder.reset(frame).unwrap();
    let recorded = usize::try_from(decoder.content_size()).unwrap();
    assert!((1..1 << 24).contains(&recorded), "a content of {recorded} bytes");
    let mut bytes = vec![0; recorded];
    assert_eq!(decoder.decode_all(frame, &mut bytes).unwrap(), recorded);
    bytes
}

fn parse(bytes: &[u8], at: &mut usize) -> Item {
    assert_eq!(bytes[*at], 0xbf);
    *at += 1;
    let mut item = Item::new();
    while bytes[*at] != 0xff {
        let Number(key) = value(bytes, at) else { panic!("a key is no number") };
        let value = value(bytes, at);
        assert!(item.insert(key, value).is_none(), "{key} is repeated");
    }
    *at += 1;
    item
}

fn value(bytes: &[u8], at: &mut usize) -> Value {
    let first = bytes[*at];
    *at += 1;
    let length = match first & 31 {
        20 if first >> 5 == 7 => return Truth(false),
        21 if first >> 5 == 7 => return Truth(true),
        short @ 0..24 => return short_value(bytes, at, first >> 5, u64::from(short)),
        long => 1 << (long - 24),
    };
    let number = bytes[*at..*at + length].iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    *at += length;
    short_value(bytes, at, first >> 5, number)
}

fn short_value(bytes: &[u8], at: &mut usize, kind: u8, number: u64) -> Value {
    match kind {
        0 => Number(number),
        1 => Negative(number),
        2 => {
            let start = *at;
            *at += usize::try_from(number).unwrap();
            Bytes(bytes[start..*at].to_vec())
        }
        _ => panic!("unexpected kind {kind}"),
    }
}

/// Returns the number of the item to which the field `key` of `item` refers. `own` is the number of `item`.
pub fn reference(own: u64, item: &Item, key: u64) -> Option<u64> {
    match item.get(&key)? {
        Number(other) => Some(*other),
        Negative(back) => Some(own - back - 1),
        other => panic!("{other:?} is no reference"),
    }
}

/// Returns the item numbers of a directory's entries, beginning with the first entry.
pub fn chain(items: &BTreeMap<u64, Item>, directory: u64) -> Vec<u64> {
    let mut next = reference(directory, &items[&directory], 12);
    let mut chain = Vec::new();
    while let Some(own) = next {
        chain.push(own);
        next = reference(own, &items[&own], 2);
    }
    chain.reverse();
    chain
}
