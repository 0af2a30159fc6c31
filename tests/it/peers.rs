//! Tests of docs/coming-from.md: the document lists every key and flag in peers.txt, names only existing keys and
//! flags of duke, and agrees with the comparison in the README.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::collections::BTreeSet;

use duke::testing::ui::KEYMAP;

use crate::program::run_in;
use crate::program::test_dir::TestDir;

const DOCUMENT: &str = include_str!("../../docs/coming-from.md");
const README: &str = include_str!("../../README.md");
const PEERS: &str = include_str!("peers.txt");

/// Keys or flags that the help text of another program lists.
struct Peer {
    /// Name and version, such as `dua 3.0`.
    program: String,
    /// Kind of the words: `keys` or `flags`.
    kind: String,
    words: BTreeSet<String>,
}

fn peers() -> Vec<Peer> {
    let mut peers: Vec<Peer> = Vec::new();
    for line in PEERS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let words = match line.split_once(": ") {
            Some((head, words)) if !line.starts_with(' ') => {
                let (program, kind) = head.rsplit_once(' ').expect("a line begins with a program and a kind");
                peers.push(Peer {
                    program: program.to_owned(),
                    kind: kind.to_owned(),
                    words: BTreeSet::new(),
                });
                words
            }
            _ => line,
        };
        let peer = peers.last_mut().expect("the first line begins with a program");
        peer.words.extend(words.split_whitespace().map(str::to_owned));
    }
    peers
}

/// Returns the rows of the table in docs/coming-from.md below the heading `## HEADING`.
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    table_of(DOCUMENT, heading)
}

/// Returns the cells of each row of the table below the heading `## HEADING` in `document`.
fn table_of(document: &'static str, heading: &str) -> Vec<Vec<&'static str>> {
    let (_, section) =
        document.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("{heading}"));
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|') && !line.starts_with("|---"));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// Returns the texts in backquotes.
fn spans(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn every_key_and_flag_of_another_program_is_in_the_document() {
    let peers = peers();
    assert_eq!(peers.len(), 9);
    for Peer { program, kind, words } in peers {
        let name = program.split(' ').next().unwrap();
        let rows = match (name, kind.as_str()) {
            ("ncdu" | "gdu", "keys") => table("Keys"),
            (name, "keys") => table(&format!("Keys of {name}")),
            (name, _) => table(&format!("Flags of {name}")),
        };
        let column = usize::from(name == "gdu" && kind == "keys");
        let mut found = BTreeSet::new();
        for row in &rows[1..] {
            // The text "the same" means that the cell has the same text as the previous cell.
            let cell = if row[column] == "the same" { row[column - 1] } else { row[column] };
            found.extend(spans(cell).flat_map(|span| span.split(',')).map(str::trim).map(str::to_owned));
        }
        let missing: Vec<_> = words.difference(&found).collect();
        assert!(missing.is_empty(), "the {kind} of {program} lack {missing:?}");
        if rows[0][column] == program {
            let flags = found.iter().filter(|word| kind == "keys" || word.starts_with('-'));
            let unknown: Vec<_> = flags.filter(|word| !words.contains(*word)).collect();
            assert!(unknown.is_empty(), "{program} has no {kind} {unknown:?}");
        }
    }
}

/// Features of other programs in the README's comparison. Each element contains the program, the row of the comparison,
/// and a heading of docs/coming-from.md. The table below this heading must have a row that contains the last two
/// fields: a key or flag, and a part of the row's text.
const FEATURES: [(&str, &str, &str, &str, &str); 9] = [
    ("gdu", "mouse", "Flags of gdu", "--mouse", ""),
    ("gdu", "browser", "Keys", "v", "a pager"),
    ("dua", "deletes", "Keys of dua", "Ctrl-R", "deletes"),
    ("dua", "moves to the trash", "Keys of dua", "Ctrl-T", "the trash"),
    ("dua", "searches the tree by name", "Keys of dua", "/", "searches"),
    ("dua", "exports", "Flags of dua", "--export", ""),
    ("dua", "shows what has changed", "Flags of dua", "diff", ""),
    ("dust", "exports", "Flags of dust", "--output-json", ""),
    ("ncdu", "uses all processors", "Running duke as ncdu", "--threads N", ""),
];

#[test]
fn the_comparison_of_the_readme_agrees_with_the_document() {
    let rows = table_of(README, "Comparison");
    // The section also contains a table of benchmark results, which has a different number of columns.
    let rows: Vec<_> = rows.iter().take_while(|row| row.len() == rows[0].len()).collect();
    assert!(rows.len() > 15, "{}", rows.len());
    let programs = rows[0].iter().skip(2).flat_map(|cell| cell.split(", "));
    let mut count = 0;
    for program in programs {
        let name = program.split(' ').next().unwrap();
        assert_ne!(program, name, "{program} has no version");
        if DOCUMENT.contains(&format!("## Flags of {name}\n")) || name == "ncdu" {
            // If a digit follows, the document names another version: `1.1` is also the beginning of `1.18`.
            let is_whole = |rest: &str| !rest.starts_with(|next: char| next.is_ascii_digit());
            assert!(
                DOCUMENT.split(program).skip(1).any(is_whole),
                "docs/coming-from.md does not name {program}"
            );
            count += 1;
        }
    }
    assert_eq!(count, 5);
    for (name, feature, heading, word, effect) in FEATURES {
        let column = rows[0].iter().position(|cell| cell.contains(name)).unwrap();
        let row = rows.iter().find(|row| row[0] == feature).unwrap_or_else(|| panic!("no row {feature}"));
        assert_ne!(row[column], "no", "{name}: {feature}");
        let is_there = |row: &Vec<&str>| {
            spans(row[0]).chain(spans(row[1])).any(|span| span == word) && row.concat().contains(effect)
        };
        assert!(table(heading).iter().any(is_there), "{name}: {feature}: {word}");
    }
}

#[test]
fn every_key_and_flag_of_duke_in_the_document_exists() {
    let keys: BTreeSet<String> =
        KEYMAP.iter().flat_map(|binding| binding.keys).map(|key| key.name()).collect();
    let temp = TestDir::new();
    let help = run_in(temp.path(), ["--help"]).ended(0);
    let flags: BTreeSet<&str> = help
        .text()
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')
        .filter(|word| word.starts_with('-'))
        .chain(["--max-depth"]) // an alias, which the help does not show
        .collect();
    let mut count = 0;
    for (heading, column) in [("Keys", 2), ("Keys of dua", 1), ("Keys of baobab", 1)] {
        for row in &table(heading)[1..] {
            for key in spans(row[column]) {
                assert!(keys.contains(key), "{heading}: {key} is not a key of duke");
                count += 1;
            }
        }
    }
    for heading in ["Flags of gdu", "Flags of dua", "Flags of dust", "Flags of baobab", "Flags of du"] {
        for row in &table(heading)[1..] {
            for word in spans(row[1]).flat_map(str::split_whitespace).filter(|word| word.starts_with('-')) {
                // An option after `xargs` belongs to xargs, not to duke.
                let is_foreign = row[1].contains(&format!("xargs {word}"));
                assert!(is_foreign || flags.contains(word), "{heading}: {word} is not a flag of duke");
                count += 1;
            }
        }
    }
    assert!(count > 150, "{count}");
}
