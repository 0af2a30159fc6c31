//! Tests with small files that are expensive to read. Memory use and output must stay in proportion to the input
//! (docs/security.md).
#![cfg(target_os = "linux")] // ru_maxrss is in KiB only there
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;

use crate::program::program;
use crate::program::test_dir::TestDir;
use crate::support::{binary_export, child};
use flate2::Compression;
use flate2::write::GzEncoder;
use nix::sys::resource::{UsageWho, getrusage};

/// Memory limit documented in docs/security.md, in bytes: `EACH_BYTE` per unpacked byte of input, plus `CONSTANT`.
const EACH_BYTE: u64 = 60;
const CONSTANT: u64 = 32 << 20;

/// Result of a run that reads one file.
struct Cost {
    code: Option<i32>,
    /// Number of bytes written to standard output.
    output: u64,
    stderr: String,
}

/// Runs the program on `file` with the arguments `words`. Counts the bytes of the output without storing them.
fn cost(file: &Path, words: &[&str]) -> Cost {
    let mut command = program();
    command.arg("-q").args(words).arg("-f").arg(file).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = command.spawn().unwrap();
    let output = std::io::copy(&mut run.stdout.take().unwrap(), &mut std::io::sink()).unwrap();
    let mut stderr = String::new();
    run.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    Cost { code: run.wait().unwrap().code(), output, stderr }
}

/// Runs the program on a file with the contents `bytes`, once for each list of arguments in `ways`, and passes each
/// result to `check`. Fails if a run takes more memory than the documented limit for an input of `unpacked` bytes.
fn hold(test: &str, bytes: &[u8], unpacked: u64, ways: &[&[&str]], check: impl Fn(&Cost)) {
    match child::argument_of(test) {
        None => {
            let temp = TestDir::new();
            fs::write(temp.join("file"), bytes).unwrap();
            child::run(test, &[], temp.join("file"));
        }
        Some(file) => {
            for words in ways {
                check(&cost(Path::new(&file), words));
                let peak = peak();
                assert!(peak <= CONSTANT + EACH_BYTE * unpacked, "{words:?}: {peak} bytes for {unpacked}");
            }
        }
    }
}

/// Returns the largest peak memory, in bytes, among the child processes that have ended.
fn peak() -> u64 {
    u64::try_from(getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss()).unwrap() * 1024
}

const WAYS: [&[&str]; 6] =
    [&["-s"], &["--json"], &["--ndjson"], &["--csv"], &["-o", "-"], &["-n", "-d", "10000000"]];

fn export(head: &str, body: &str) -> Vec<u8> {
    format!("[1,2,{head},[{{\"name\":\"/r\"}}{body}]]").into_bytes()
}

/// Checks that reading an export takes no more memory than the documented limit for its size, and that the output is
/// at most `times` the size of the export. Runs the program once with each element of [`WAYS`].
fn holds(test: &str, export: &[u8], times: u64) {
    let bytes = export.len() as u64;
    hold(test, export, bytes, &WAYS, |cost| {
        let Cost { code, output, stderr } = cost;
        assert!(*output <= times * bytes, "{output} bytes of {bytes}: {code:?} {stderr:.200}");
    });
}

#[test]
fn a_hundred_thousand_levels_cost_no_more_than_their_bytes() {
    let levels = 100_000;
    let export = export("{}", &(",[{\"name\":\"a\"}".repeat(levels) + &"]".repeat(levels)));
    holds("a_hundred_thousand_levels_cost_no_more_than_their_bytes", &export, 20);
}

#[test]
fn many_levels_of_sums_cost_no_more_than_their_bytes() {
    let levels = 30_000;
    let body = ",[{\"name\":\"a\",\"dsize\":1}".repeat(levels) + &"]".repeat(levels);
    let export = export("{\"progname\":\"gdu\"}", &body);
    holds("many_levels_of_sums_cost_no_more_than_their_bytes", &export, 20);
}

#[test]
fn small_directories_links_and_errors_cost_no_more_than_their_bytes() {
    let entries = [
        "[{\"name\":\"a\"}]",
        "{\"name\":\"a\",\"nlink\":2}",
        "[{\"name\":\"a\",\"read_error\":true}]",
        "{\"name\":\"a\",\"read_error\":true}",
    ];
    let body: String = entries.iter().map(|entry| format!(",{entry}").repeat(10_000)).collect();
    let export = export("{}", &body);
    holds("small_directories_links_and_errors_cost_no_more_than_their_bytes", &export, 20);
}

/// The inode has a name on every level. If these names were sorted by their full paths, the time would grow with the
/// square of the number of levels.
#[test]
fn one_inode_linked_on_every_level_costs_no_more_than_its_bytes() {
    const TEST: &str = "one_inode_linked_on_every_level_costs_no_more_than_its_bytes";
    let levels = 20_000;
    let level = ",{\"name\":\"b\",\"ino\":7,\"nlink\":20000,\"hlnkc\":true,\"dsize\":512},[{\"name\":\"a\"}";
    let export = export("{}", &(level.repeat(levels) + &"]".repeat(levels)));
    let ways: [&[&str]; 2] = [&["--top", "3"], &["--top", "3", "--sort", "name"]];
    hold(TEST, &export, export.len() as u64, &ways, |cost| {
        assert_eq!((cost.code, cost.output > 0), (Some(0), true), "{:.300}", cost.stderr);
    });
}

#[test]
fn entries_without_a_line_are_reported() {
    let temp = TestDir::new();
    let names = ["n".repeat(255), "m".repeat(255)];
    let deep = names.map(|name| format!(",[{{\"name\":\"{name}\"}}")).concat().repeat(9);
    let body =
        format!(",{{\"name\":\"beside\"}}{deep},{{\"name\":\"a\"}},{{\"name\":\"b\"}}{}", "]".repeat(18));
    fs::write(temp.join("file"), export("{}", &body)).unwrap();
    for words in WAYS.iter().skip(2).filter(|words| words[0] != "-o") {
        let run = crate::program::run_in(temp.path(), [words, &["-f", "file"][..]].concat()).ended(1);
        // Each of the 18 nested directories adds 256 bytes to the path, including the slash. The paths of 15
        // directories fit. The paths of the other three directories, and of the two files in the innermost directory,
        // are too long.
        let message = format!(
            "cannot write 5 entries with a path longer than 4,095 bytes; the first path begins with /r/{}\n",
            "n".repeat(77)
        );
        assert!(run.stderr.contains(&message), "{words:?}: {}", run.stderr);
        assert!(run.text().contains("/r/beside"), "{words:?}");
        let lines = run.text().lines().filter(|line| line.contains("/r/n")).count();
        assert_eq!(lines, 15, "{words:?}");
    }
    crate::program::run_in(temp.path(), ["--json", "-f", "file"]).ended(0);
}

#[test]
fn a_change_on_every_level_costs_no_more_than_the_bytes_of_both_exports() {
    const TEST: &str = "a_change_on_every_level_costs_no_more_than_the_bytes_of_both_exports";
    let (levels, name) = (2_000, "n".repeat(250));
    let of_size = |size: u32| {
        let level = format!(",[{{\"name\":\"{name}\",\"dsize\":{size}}}");
        export("{}", &(level.repeat(levels) + &"]".repeat(levels)))
    };
    if let Some(temp) = child::argument_of(TEST) {
        for form in ["-n", "--json"] {
            let run = crate::program::run_in(Path::new(&temp), ["diff", form, "old", "new"]).ended(1);
            assert!(run.stderr.contains("cannot write 1,984 entries"), "{:.300}", run.stderr);
            assert!(run.stdout.len() < 10 << 20);
            assert!(peak() <= CONSTANT + EACH_BYTE * 2 * of_size(1024).len() as u64, "{}", peak());
        }
    } else {
        let temp = TestDir::new();
        fs::write(temp.join("old"), of_size(512)).unwrap();
        fs::write(temp.join("new"), of_size(1024)).unwrap();
        child::run(TEST, &[], temp.path());
    }
}

#[test]
fn a_small_packed_file_cannot_become_a_large_tree() {
    const TEST: &str = "a_small_packed_file_cannot_become_a_large_tree";
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&export("{}", "")[..22]).unwrap();
    let some = ",[{\"name\":\"a\"}]".repeat(1 << 16);
    (0..64).for_each(|_| gzip.write_all(some.as_bytes()).unwrap());
    let packed = gzip.finish().unwrap();
    let unpacked = (8 << 20).max(100 * packed.len() as u64);
    assert!(unpacked < 64 * some.len() as u64, "it is a bomb");
    hold(TEST, &packed, unpacked, &[&["-s"], &["--json"]], |cost| {
        assert_eq!(cost.code, Some(1));
        assert!(cost.stderr.contains("expands to more than 100 times its size"), "{}", cost.stderr);
    });
}

/// Snapshot, assembled as docs/snapshot.md describes.
#[derive(Default)]
struct Snapshot {
    blocks: Vec<u8>,
    index: Vec<u8>,
    count: u64,
}

impl Snapshot {
    fn block(&mut self, kind: u8, bytes: &[u8], numbers: &[u64]) {
        self.index.push(kind);
        varint(&mut self.index, bytes.len() as u64);
        self.index.extend(crc32fast::hash(bytes).to_le_bytes());
        for number in numbers {
            varint(&mut self.index, *number);
        }
        self.blocks.extend(bytes);
        self.count += 1;
    }

    fn finish(self, directories: u64) -> Vec<u8> {
        let sealed = |mut bytes: Vec<u8>| {
            bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
            bytes
        };
        let mut file = sealed([&b"\xd5duke\r\n\x1a"[..], &1_u32.to_le_bytes()].concat());
        file.extend(self.blocks);
        let mut index = Vec::new();
        varint(&mut index, directories);
        varint(&mut index, self.count);
        index.extend(self.index);
        // One device with the number 1. The scan time is 0, and the host, the scan flags and the version are empty.
        index.extend([1, 1, 0, 0, 0, 0]);
        let footer = [file.len() as u64, index.len() as u64].map(u64::to_le_bytes).concat();
        file.extend(&index);
        file.extend(sealed([footer, crc32fast::hash(&index).to_le_bytes().to_vec()].concat()));
        file.extend(b"duke end");
        file
    }
}

fn varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).unwrap());
}

/// Returns the first listing of a block, with one segment: the number 0, twice the length of the entries, and the
/// entries. The length is doubled because the lowest bit of its field is 1 for a run of several segments.
fn listing(records: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0];
    varint(&mut bytes, records.len() as u64 * 2);
    [bytes, records.to_vec()].concat()
}

/// Encoded entry of a root, which is directory 1.
const ROOT: &[u8] = b"\x00\x02/r\0\0\0\0\x02";

fn holds_snapshot(test: &str, file: &[u8], code: i32, cause: &str) {
    hold(test, file, file.len() as u64, &[&["-s"], &["--json"], &["--ndjson"]], |cost| {
        assert_eq!(cost.code, Some(code), "{:.300}", cost.stderr);
        assert!(cost.stderr.contains(cause), "{:.300}", cost.stderr);
        assert!(cost.output <= 100 * file.len() as u64);
    });
}

#[test]
fn rows_with_too_few_bytes_are_rejected_before_taking_memory() {
    let blocks = 30_000;
    let mut snapshot = Snapshot::default();
    snapshot.block(0, &listing(ROOT), &[0, 1]);
    // `[0]` is too short for a listing, but the snapshot is rejected before any listing is read.
    snapshot.block(0, &[0], &[1, 1]);
    snapshot.block(1, &[0; 5 * 1024], &[]);
    (1..blocks).for_each(|_| snapshot.block(1, &[0], &[]));
    let file = snapshot.finish(blocks * 1024);
    holds_snapshot("rows_with_too_few_bytes_are_rejected_before_taking_memory", &file, 2, "invalid index");
}

#[test]
fn damaged_rows_take_no_more_memory_than_their_bytes() {
    let mut snapshot = Snapshot::default();
    snapshot.block(0, &listing(ROOT), &[0, 1]);
    snapshot.block(0, &[0], &[1, 1]);
    snapshot.block(1, &[0; 5 * 1024], &[]);
    (1..200).for_each(|_| snapshot.block(1, &[0xff; 5 * 1024], &[]));
    let file = snapshot.finish(200 * 1024);
    holds_snapshot(
        "damaged_rows_take_no_more_memory_than_their_bytes",
        &file,
        1,
        "invalid directory listing",
    );
}

#[test]
fn a_snapshot_of_errors_takes_no_more_memory_than_its_bytes() {
    let mut snapshot = Snapshot::default();
    snapshot.block(0, &listing(ROOT), &[0, 1]);
    snapshot.block(4, &listing(&b"\x41\x01a\x05".repeat(200_000)), &[1, 1]);
    // The top (the parent of all roots) and the root have the same row. The first byte of the row, 4, is the flag for
    // its last field, the number of entries that could not be read.
    let mut row = vec![4, 0, 0, 0, 0];
    varint(&mut row, 200_000);
    snapshot.block(1, &row.repeat(2), &[]);
    holds_snapshot(
        "a_snapshot_of_errors_takes_no_more_memory_than_its_bytes",
        &snapshot.finish(2),
        1,
        "/r/a: cannot read: I/O error",
    );
}

/// Checks that reading a binary export takes no more memory than the limit checked by [`hold`], and that the output
/// for each element of [`WAYS`] is at most `levels` times the size of the export. `content` contains the items, which
/// are stored without compression.
fn holds_binary(test: &str, content: &[u8], root: u64, levels: u64) {
    let file = binary_export::file(&[content], root);
    hold(test, &file, file.len() as u64, &WAYS, |cost| {
        assert!(matches!(cost.code, Some(0 | 1)), "{:.300}", cost.stderr);
        assert!(cost.output <= levels * file.len() as u64, "{} bytes", cost.output);
    });
}

#[test]
fn small_items_of_a_binary_export_cost_no_more_than_their_bytes() {
    const TEST: &str = "small_items_of_a_binary_export_cost_no_more_than_their_bytes";
    // Directories, hard links, errors and files, each with a reference to the item before it.
    let kinds: [&[u8]; 4] = [
        b"\xbf\x00\x00\x01\x41a\x02\x28\xff",
        b"\xbf\x00\x03\x01\x41a\x02\x28\xff",
        b"\xbf\x00\x20\x01\x41a\x02\x28\xff",
        b"\xbf\x00\x01\x01\x41a\x02\x28\xff",
    ];
    let first = b"\xbf\x00\x01\x01\x43abc\xff";
    let content =
        [&first[..], &kinds.concat().repeat(10_000), b"\xbf\x00\x00\x01\x42/r\x0c\x28\xff"].concat();
    let root = content.len() as u64 - 10;
    holds_binary(TEST, &content, root, 40);
}

#[test]
fn a_hundred_thousand_levels_of_a_binary_export_cost_no_more_than_their_bytes() {
    const TEST: &str = "a_hundred_thousand_levels_of_a_binary_export_cost_no_more_than_their_bytes";
    let level = b"\xbf\x00\x00\x01\x41a\x0c\x28\xff";
    let first = b"\xbf\x00\x01\x01\x43abc\xff";
    let content = [&first[..], &level.repeat(100_000), b"\xbf\x00\x00\x01\x42/r\x0c\x28\xff"].concat();
    let root = content.len() as u64 - 10;
    // The lines of the output contain paths of up to 4,095 bytes. The output may therefore be 200 times as large as the
    // export.
    holds_binary(TEST, &content, root, 200);
}
