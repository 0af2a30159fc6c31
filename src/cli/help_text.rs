//! Texts of the help and the man page besides the flags: examples, variables, files.
//!
//! Invariant: each fact is defined here once; the man page may add details, but does not contradict it.

use std::fmt::Write;

use crate::run::exit::Exit;

/// Example command lines and their purposes.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("duke", "browse the current directory"),
    ("duke /var /home", "browse two directories as one"),
    ("duke -x /", "this file system only"),
    ("duke -n -d 2 /srv", "two levels as a table"),
    ("duke -s *", "one line for each, largest first, and the total"),
    ("duke --json / | jq .totals", "numbers for scripts"),
    ("duke df /", "why df says more"),
    ("duke save -o then.duke /srv", "a snapshot; later: duke diff then.duke"),
    ("duke --pick -0 | xargs -0r ls -d", "mark with Space, print with p"),
];

/// Paragraph about sizes.
pub const SIZES: &str = "Sizes are what files take on the disk; a hard-linked file counts once in each directory \
above any of its names. The apparent size of a directory includes its own length.";

/// Paragraph about the search language.
pub const SEARCH: &str = "A search is part of a name, or `*.log`, `>1G`, `older:90d`, `type:video`, `-tmp`, \
`/a regex/`, or several of them, which must all hold.";

/// Search terms with their meanings. docs/search.md has all of them too.
pub const TERMS: &[(&str, &str)] = &[
    (
        ">1G, size>1G, disk>1G",
        "what takes so much of the disk, also with >=, <, <=, =; a directory with all it contains",
    ),
    ("apparent>1G", "what is so long"),
    ("older:90d, newer:2w", "what was last changed before or after then; units are h, d, w, mo, y"),
    ("ext:jpg,png", "files with one of these extensions"),
    (
        "type:file, type:dir, type:directory, type:folder, type:symlink, type:link, type:fifo, type:pipe, type:socket, \
         type:block, type:char, type:unknown",
        "entries of this kind",
    ),
    (
        "type:video, type:image, type:audio, type:archive, type:document, type:code, type:data, type:disk-image, \
         type:program, type:font, type:log, type:temporary, type:other",
        "files of this class, as far as their names tell",
    ),
    (
        "is:hidden, is:empty, is:linked, is:error, is:excluded",
        "what begins with a dot, holds nothing, has several names, \
     could not be read, was left out",
    ),
];

/// Environment variables with their meanings.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("DUKE_THREADS", "as --threads"),
    ("DUKE_COLOR", "as --color"),
    ("DUKE_ASCII", "as --ascii, unless 0: then never"),
    ("LC_ALL, LC_CTYPE, LANG", "ASCII is drawn where they say that it is not UTF-8"),
    ("DUKE_CONFIG", "as --config"),
    ("NO_COLOR", "as --color never"),
    ("XDG_CONFIG_HOME", "the configuration is in its folder duke"),
    ("XDG_STATE_HOME", "snapshots and the journal are in its folder duke"),
    ("XDG_DATA_HOME", "the trash is in its folder Trash"),
    ("HOME", "has .config, .local/state and .local/share in place of these"),
    ("SHELL, PAGER", "what the keys b and v start"),
    ("DUKE_LEVEL", "set for shells: how many browsers are above"),
    ("TERM, COLORTERM", "what the terminal can show"),
    ("TERM_PROGRAM, WT_SESSION, ConEmuANSI, VTE_VERSION", "whether its tab shows progress"),
];

/// Files that are read or written without being named.
pub const FILES: &[(&str, &str)] = &[
    (
        "$XDG_CONFIG_HOME/duke/config.toml, ~/.config/duke/config.toml",
        "Configuration: flags by their long names, colours and keys. `duke config show` prints what holds, `duke config \
         path` where it is read from. A switch that is on there is taken back by `no-` before its name.",
    ),
    (
        "$XDG_STATE_HOME/duke/, ~/.local/state/duke/",
        "Snapshots that are kept without being asked for: one a day for the same paths, 30 days and 512 MiB at most.",
    ),
    (
        "$XDG_STATE_HOME/duke/deleted.jsonl, ~/.local/state/duke/deleted.jsonl",
        "A journal of what was deleted, trashed and restored.",
    ),
    ("CACHEDIR.TAG", "Says of its directory that it is a cache, which --exclude-caches leaves out."),
];

/// Returns the end of the long help.
pub fn text() -> String {
    let mut text = String::from("Examples:\n");
    for (line, meaning) in EXAMPLES {
        row(&mut text, 32, line, meaning);
    }
    push(&mut text, format_args!("\n{SIZES}\n\nEnvironment:"));
    for (names, meaning) in ENVIRONMENT.iter().filter(|(names, _)| !names.contains(',')) {
        row(&mut text, 16, names, meaning);
    }
    push(&mut text, format_args!("\nFiles:"));
    for (names, meaning) in FILES {
        push(&mut text, format_args!("  {names}\n      {}", meaning.replace('`', "'")));
    }
    push(&mut text, format_args!("\nExit codes:"));
    for exit in Exit::ALL {
        row(&mut text, 4, &exit.code().to_string(), exit.meaning());
    }
    push(&mut text, format_args!("\nThe manual has the keys as well: duke man | man -l -"));
    text
}

fn row(text: &mut String, width: usize, left: &str, right: &str) {
    push(text, format_args!("  {left:width$} {right}"));
}

/// Appends a line. Writing to a string cannot fail.
fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::environment::VARIABLES;

    #[test]
    fn every_variable_that_is_looked_at_is_told_of() {
        let told: Vec<&str> = ENVIRONMENT.iter().flat_map(|(names, _)| names.split(", ")).collect();
        for name in VARIABLES {
            assert!(told.contains(&name), "{name}");
        }
    }

    #[test]
    fn every_example_is_understood() {
        for (line, _) in EXAMPLES {
            let words = line.split(" | ").next().unwrap().split_whitespace().map(std::ffi::OsString::from);
            let request = crate::cli::request(words, &crate::cli::Environment::default());
            assert!(request.is_ok(), "{line}");
        }
    }
}
