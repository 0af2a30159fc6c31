//! Tests of the completions that real shells offer: subcommands and directories for the first word, files for a FILE
//! argument, and the values of flags.
//!
//! A shell that is not installed is reported and skipped.
#![allow(missing_docs, clippy::unwrap_used)] // a failing fixture is a failing test

use std::process::Command;

use crate::program::is_installed;
use crate::program::test_dir::TestDir;

/// Typed lines. Each has a list of words that must be offered, and a list of words that must not be offered.
const LINES: [(&str, &[&str], &[&str]); 10] = [
    ("duke ", &["diff", "help", "data/", "docs/"], &["dump.json"]),
    ("duke d", &["df", "diff", "duplicates", "data/", "docs/"], &["save", "dump.json"]),
    ("duke -x d", &["data/", "docs/"], &["dump.json"]),
    ("duke save ", &["data/"], &["diff", "dump.json"]),
    ("duke save -o ", &["data/", "dump.json"], &["diff"]),
    ("duke diff ", &["data/", "dump.json"], &["save"]),
    ("duke --output ", &["data/", "dump.json"], &["diff"]),
    ("duke --color ", &["auto", "always", "never"], &["dump.json"]),
    ("duke help ", &["diff", "save"], &["dump.json", "data/"]),
    ("duke --max", &[], &["dump.json"]),
];

fn temp() -> TestDir {
    let temp = TestDir::new();
    temp.directory("data");
    temp.directory("docs");
    temp.file("dump.json", 10);
    temp
}

/// Checks the completions of all [`LINES`] in `shell`. The flag `quiet` keeps the shell from reading startup files,
/// and `script` prints the completions of `$LINE` with the scripts in `$SCRIPTS`.
fn check(shell: &str, quiet: &str, script: &str) {
    if !is_installed(shell, "--version") {
        return;
    }
    let temp = temp();
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/completions");
    for (line, offered, others) in LINES {
        let mut command = Command::new(shell);
        command
            .args([quiet, "-c", script])
            .env("LINE", line)
            .env("SCRIPTS", scripts)
            .env("HOME", temp.path());
        let output = command.current_dir(temp.path()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let words: Vec<&str> = text.split_whitespace().collect();
        for word in offered {
            assert!(words.contains(word), "{shell}: '{line}' does not offer {word}: {text}");
        }
        for word in others {
            assert!(!words.contains(word), "{shell}: '{line}' offers {word}: {text}");
        }
    }
}

#[test]
fn bash_completes_commands_directories_and_files() {
    let script = r#"
        source "$SCRIPTS/duke.bash"
        compopt() { :; }
        read -ra COMP_WORDS <<< "$LINE"
        [[ $LINE == *' ' ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _duke duke "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        for word in "${COMPREPLY[@]}"; do [[ -d $word ]] && echo "$word/" || echo "$word"; done"#;
    check("bash", "--norc", script);
}

#[test]
fn fish_completes_commands_directories_and_files() {
    let script = r#"source "$SCRIPTS/duke.fish"; complete -C "$LINE" | string split -f1 \t"#;
    check("fish", "--no-config", script);
}

#[test]
fn zsh_completes_commands_directories_and_files() {
    // zsh completes words only in a terminal, so `zpty` runs an inner shell in one. Ctrl-X, which is sent after Tab,
    // prints `<end>` and ends the inner shell.
    let script = r#"
        zmodload zsh/zpty
        zpty -b inner 'PS1= zsh -f -i'
        zpty -w inner 'stty cols 300 -echo; unset zle_bracketed_paste; fpath=($SCRIPTS $fpath)'
        zpty -w inner 'autoload -Uz compinit; compinit -u -D; LISTMAX=1000; bindkey "^I" list-choices'
        zpty -w inner 'finish() { print "<""end>"; exit }; zle -N finish; bindkey "^X" finish; PS1="<""ready>"'
        zpty -r inner output '*<ready>*'
        zpty -w -n inner "$LINE"$'\t\x18'
        zpty -r inner output '*<end>*'
        print -r -- "$output" | sed -e 's/\x1b\[[0-9;?]*[A-Za-z]//g' -e 's/ -- .*//'"#;
    check("zsh", "-f", script);
}
