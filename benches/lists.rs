//! Benchmark of list imports: a million lines as NDJSON and as CSV, first grouped by directory, then shuffled.
//!
//! `cargo bench --bench lists` prints the duration of each import, and of an import of the same tree in ncdu's
//! format.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use duke::scan::Outcome;
use duke::testing::formats::WrittenEntries;
use duke::testing::formats::flat::{Flat, Form};
use duke::testing::formats::ncdu_write::Export;
use duke::testing::source::import::{Import, Input};
use duke::tree::DirId;

const DIRECTORIES: u64 = 100_000;
const FILES: u64 = 9;

fn main() {
    let folder = tempfile::tempdir().expect("a directory can be made");
    let first = folder.path().join("first.ndjson");
    std::fs::write(&first, lines()).expect("the disk has room");
    let import = read("NDJSON, without types of directories", &first);
    for (name, form, header) in [("NDJSON", Form::Json, 0), ("CSV", Form::Csv, 1)] {
        let mut text = Vec::new();
        let provenance = &import.provenance();
        let written = &WrittenEntries::default();
        Flat { tree: import.tree(), form, provenance, exclusive: None, written }
            .write(&mut text)
            .expect("memory takes all");
        let file = folder.path().join(name);
        std::fs::write(&file, &text).expect("the disk has room");
        read(name, &file);
        std::fs::write(&file, shuffled(&text, header)).expect("the disk has room");
        read(&format!("{name}, shuffled"), &file);
    }
    let mut text = Vec::new();
    let (root, _) = Export::root(import.tree()).expect("the list has one root");
    let written = &WrittenEntries::default();
    Export { tree: import.tree(), name: root.name, scanned_at: 0, written }
        .write(&mut text)
        .expect("memory takes all");
    let file = folder.path().join("ncdu");
    std::fs::write(&file, text).expect("the disk has room");
    read("ncdu's format", &file);
}

fn lines() -> String {
    let mut text = String::new();
    for directory in 0..DIRECTORIES {
        let (a, b) = (directory / 1_000, directory / 10 % 100);
        for file in 0..FILES {
            let number = directory * FILES + file;
            let size = number * 7_919 % 100_000;
            let path = format!("/srv/data/part-{a}/group-{b}/directory-{directory}/file-{number}.dat");
            writeln!(text, r#"{{"path":"{path}","size":{size},"mtime":{}}}"#, 1_700_000_000 + number)
                .expect("a string takes all");
        }
    }
    text
}

/// Shuffles the lines after the header, always in the same way.
fn shuffled(text: &[u8], header: usize) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for last in (header + 1..lines.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let other = usize::try_from(state % (last - header + 1) as u64).expect("an index");
        lines.swap(last, header + other);
    }
    lines.concat()
}

fn read(name: &str, file: &std::path::Path) -> Import {
    let begun = Instant::now();
    let import = Import::start(vec![Input::File(PathBuf::from(file))]).expect("a thread");
    let outcome = loop {
        if let Some(outcome) = import.wait(Duration::from_secs(60)) {
            break outcome;
        }
    };
    let took = begun.elapsed();
    assert_eq!(outcome, Outcome::Complete);
    println!("{:.3} s, {} items: {name}", took.as_secs_f64(), import.tree().totals(DirId::TOP).items);
    import
}
