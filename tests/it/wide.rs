//! Scans of a directory with very many entries. If `DUKE_SOAK` is set, there are five million, as in bug reports
//! about other programs.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::time::Instant;

use crate::support::fixtures;
use duke::scan::Outcome;
use duke::tree::DirId;

#[test]
fn every_name_of_a_very_wide_directory_is_there_once() {
    let names = if std::env::var_os("DUKE_SOAK").is_some() { 5_000_000 } else { 60_000 };
    let fixture = fixtures::crowd(names);
    let begun = Instant::now();
    for threads in [1, 8] {
        let scan = crate::support::scan(fixture.path(), threads);
        assert_eq!(scan.outcome(), Some(Outcome::Complete));
        let totals = scan.tree().totals(DirId::TOP);
        assert_eq!((totals.items, totals.errors), (names as u64 + 2, 0));
        let root = crate::support::id_of(scan.tree(), fixture.path());
        let mut seen = vec![false; names];
        for (_, record) in scan.tree().listing(root).entries() {
            let number = std::str::from_utf8(record.name).unwrap().strip_prefix("file-");
            let Some(number) = number.map(|digits| digits.parse::<usize>().unwrap()) else { continue };
            assert!(!std::mem::replace(&mut seen[number], true), "{number} comes twice");
        }
        assert!(seen.iter().all(|seen| *seen));
    }
    eprintln!("{names} names, read twice: {:.1} s", begun.elapsed().as_secs_f64());
}
