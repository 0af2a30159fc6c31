//! What lies in packaging/ is what the program writes today.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::fs;
use std::path::Path;

use clap_complete::Shell;
use duke::cli::Description;

/// Set to write the files instead of comparing them.
const UPDATE: &str = "DUKE_UPDATE";

#[test]
fn the_completions_and_the_manual_are_those_of_the_program() {
    let completions = |shell, name| (Description::Completions(shell), format!("completions/{name}"));
    let files = [
        completions(Shell::Bash, "duke.bash"),
        completions(Shell::Elvish, "duke.elv"),
        completions(Shell::Fish, "duke.fish"),
        completions(Shell::PowerShell, "_duke.ps1"),
        completions(Shell::Zsh, "_duke"),
        (Description::Manual, "man/duke.1".to_owned()),
    ];
    for (description, name) in files {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging").join(&name);
        let text = description.text().unwrap();
        if std::env::var_os(UPDATE).is_some() {
            fs::write(&path, text).unwrap();
        } else {
            let there = fs::read(&path).unwrap_or_default();
            let advice = format!("packaging/{name} is old: {UPDATE}=1 cargo test --test generated");
            assert!(there == text, "{advice}");
        }
    }
}
