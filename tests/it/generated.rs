//! Tests that the files in packaging/ and the generated parts of the documents match the program.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::path::Path;

use crate::program::run_in;

/// Environment variable that makes the test write the files instead of comparing them.
const UPDATE: &str = "DUKE_UPDATE";

/// Files in packaging/, with the arguments that generate them.
const FILES: [(&str, &[&str]); 6] = [
    ("completions/duke.bash", &["completions", "bash"]),
    ("completions/duke.elv", &["completions", "elvish"]),
    ("completions/duke.fish", &["completions", "fish"]),
    ("completions/_duke.ps1", &["completions", "powershell"]),
    ("completions/_duke", &["completions", "zsh"]),
    ("man/duke.1", &["man"]),
];

#[test]
fn the_completions_and_the_manual_are_those_of_the_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging");
    for (name, words) in FILES {
        let text = run_in(&folder, words).ended(0).stdout;
        let path = folder.join(name);
        if std::env::var_os(UPDATE).is_some() {
            fs::write(&path, text).unwrap();
        } else {
            let there = fs::read(&path).unwrap_or_default();
            assert!(there == text, "packaging/{name} is old: {UPDATE}=1 cargo test --test it -- generated");
        }
    }
}

/// Compares `text` with a generated part of a document. If `DUKE_UPDATE` is set, replaces the part with `text` instead.
/// The part is between `<!-- generated: PART -->` and the next `<!-- end -->`.
pub fn check_generated(document: &str, part: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
    let whole = fs::read_to_string(&path).unwrap();
    let start = format!("<!-- generated: {part} -->\n\n");
    let (before, rest) = whole.split_once(&start).unwrap_or_else(|| panic!("{document} lacks {start}"));
    let (old, after) = rest.split_once("\n<!-- end -->").unwrap();
    if std::env::var_os(UPDATE).is_some() {
        fs::write(&path, format!("{before}{start}{}\n\n<!-- end -->{after}", text.trim_end())).unwrap();
    } else {
        assert!(
            old.trim_end() == text.trim_end(),
            "{document} is old: {UPDATE}=1 cargo test --test it -- documented"
        );
    }
}
