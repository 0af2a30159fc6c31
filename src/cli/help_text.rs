//! Texts of the help and the man page, such as examples, environment variables and files. The descriptions of flags are
//! not here.
//!
//! Each fact is stated only once here. Invariant: the man page contains all of these texts. The help contains some of
//! them.

use std::fmt::Write;

use crate::run::exit::Exit;

/// Example command lines and their purposes.
pub const EXAMPLES: &[(&str, &str)] = &[
    ("duke", "browse the current directory"),
    ("duke /var /home", "browse two directories together"),
    ("duke -x /", "browse the root file system only"),
    ("duke -n -d 2 /srv", "print two levels as a table"),
    ("duke -s *", "print a line per argument, and the total"),
    ("duke --json / | jq .totals", "print totals for scripts"),
    ("duke df /", "explain why df shows more than a scan"),
    ("duke save -o old.duke /srv", "save a snapshot (later: duke diff old.duke)"),
    ("duke -f list.csv.gz", "browse a list of files (find, du, CSV, ...)"),
    ("duke --pick -0 | xargs -0r ls -d", "pass marked entries to ls (Space marks, p prints)"),
];

/// Paragraph about disk usage, hard links and apparent size.
pub const SIZES: &str = "Sizes are disk usage. The total of each directory counts a file with several hard \
    links only once. Disk usage and apparent size of a directory include the directory itself.";

/// Paragraph about the search language.
pub const SEARCH: &str = "A search term is either part of a name or a condition such as `*.log`, `>1G`, `older:90d`, \
    `type:video` or `/a regex/`; `-` before a term excludes its matches. An entry must match all terms.";

/// All search terms with their meanings. A test compares them with docs/search.md.
pub const TERMS: &[(&str, &str)] = &[
    (
        ">1G, size>1G, disk>1G",
        "entries whose disk usage (for a directory, its total) is above 1 GiB; \
        >=, <, <= and = work too",
    ),
    ("apparent>1G", "entries whose apparent size is above 1 GiB"),
    ("frees>1G", "entries whose deletion is certain to free more than 1 GiB (press f first to compute this)"),
    (
        "older:90d, newer:2w",
        "entries last changed more than 90 days ago, or within the last two weeks; units: h, d, w, mo, y; \
            directories match only if the search also has part of a name, type:dir or is:hidden",
    ),
    ("ext:jpg,png", "files with one of these extensions"),
    (
        "type:file, type:dir, type:directory, type:folder, type:symlink, type:link, type:fifo, type:pipe, \
            type:socket, type:block, type:char, type:unknown",
        "entries of this kind",
    ),
    (
        "type:video, type:image, type:audio, type:archive, type:document, type:code, type:data, \
            type:disk-image, type:program, type:font, type:log, type:temporary, type:other",
        "files of this category, recognized by name; an executable file that is in no other category is a program",
    ),
    (
        "is:hidden, is:empty, is:linked, is:error, is:excluded",
        "entries that are hidden (their names begin with a dot), are empty, have several hard links \
            (linked), could not be read (error), or are excluded",
    ),
];

/// Environment variables, with their meanings.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("DUKE_THREADS", "like --threads"),
    ("DUKE_COLOR", "like --color"),
    ("DUKE_ASCII", "like --ascii; 0 means Unicode even where ASCII is the default"),
    ("LC_ALL, LC_CTYPE, LANG", "locale; if it is not UTF-8, only ASCII is drawn"),
    ("DUKE_CONFIG", "like --config"),
    ("NO_COLOR", "like --color never"),
    ("XDG_CONFIG_HOME", "its subdirectory duke/ holds config.toml"),
    ("XDG_STATE_HOME", "its subdirectory duke/ holds snapshots and the journal"),
    ("XDG_DATA_HOME", "its subdirectory Trash/ is the home trash (Linux)"),
    ("HOME", "if XDG_* is unset: its .config, .local/state, .local/share"),
    ("SHELL, PAGER", "programs that the keys b (SHELL) and v (PAGER) start"),
    ("DUKE_LEVEL", "number of nested shells that duke has started; set by duke"),
    ("TERM, COLORTERM", "capabilities of the terminal"),
    ("COLORFGBG", "background color to assume if the terminal does not report it"),
    (
        "TERM_PROGRAM, WT_SESSION, ConEmuANSI, VTE_VERSION",
        "identify terminals that show progress in their tab",
    ),
];

/// Files that duke reads or writes even if the user does not name them.
pub const FILES: &[(&str, &str)] = &[
    (
        "$XDG_CONFIG_HOME/duke/config.toml, ~/.config/duke/config.toml",
        "Configuration: theme, colors, keys, and most flags. The setting for a flag is its long name without \
            the dashes: `--si` becomes `si = true`, and `--no-mouse` becomes `mouse = false`. `duke config show` \
            prints all settings, and `duke config path` prints the path of the file. A flag on the command line \
            overrides a setting: `--no-si` turns off `si = true`.",
    ),
    (
        "$XDG_STATE_HOME/duke/, ~/.local/state/duke/",
        "Automatic snapshots: for each set of paths and flags, one a day and one of the latest scan. By default, \
            snapshots are deleted after 30 days, or earlier if all of them together exceed 512 MiB.",
    ),
    (
        "$XDG_STATE_HOME/duke/deleted.jsonl, ~/.local/state/duke/deleted.jsonl",
        "Journal of entries that were deleted, trashed or restored, and of files that now share data with a copy.",
    ),
    ("CACHEDIR.TAG", "Marks its directory as a cache; --exclude-caches excludes such directories."),
];

/// Returns the last part of the long help: the examples and everything after them.
pub fn text() -> String {
    let mut text = String::from("Examples:\n");
    for (line, meaning) in EXAMPLES {
        row(&mut text, 33, line, meaning);
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
    push(
        &mut text,
        format_args!(
            "\nTo read the manual with all keys: duke man | man -l - (on macOS: duke man | mandoc -a)"
        ),
    );
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
    fn every_variable_read_is_documented() {
        let line: Vec<&str> = ENVIRONMENT.iter().flat_map(|(names, _)| names.split(", ")).collect();
        for name in VARIABLES {
            assert!(line.contains(&name), "{name}");
        }
    }

    #[test]
    fn every_example_is_understood() {
        for (line, _) in EXAMPLES {
            let words = line.split(" | ").next().unwrap().split_whitespace().map(std::ffi::OsString::from);
            let invocation = crate::cli::invocation(words, &crate::cli::Environment::default());
            assert!(invocation.is_ok(), "{line}");
        }
    }
}
