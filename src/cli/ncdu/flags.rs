//! Flags of ncdu 1.x and 2.x, each with its effect in duke.
//!
//! The table in docs/coming-from.md is generated from [`FLAGS`].

use Means::{
    Actions, BlockSize, Color, Columns, Compress, GraphStyle, Ignored, Kernfs, Level, OneFileSystem,
    ReadOnly, SharedColumn, Sort, Words,
};

/// Effect of an ncdu flag in duke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// Translates to this duke flag. The value, if any, follows as the next word.
    Words(&'static str),
    /// Shows this column of the list if `true`, hides it otherwise.
    Columns(&'static str, bool),
    /// Keeps the key bindings of these browser commands if `true`, removes them otherwise.
    Actions(&'static [&'static str], bool),
    /// Disables deletion. If given twice, also disables running other programs; if given three times, also rescanning.
    ReadOnly,
    /// Compresses a JSON export if `true`. Without a JSON export, the flag is dropped, because duke would reject it.
    Compress(bool),
    /// No effect, because duke has a single compression level. The value must be from 1 to 19.
    Level,
    /// Sets the block size of a binary export. For other output, the flag is dropped, because duke would reject it.
    BlockSize,
    /// Stays on one file system if `true`. In this case, `Kernfs` is ignored, because duke does not accept `-x`
    /// together with `--include-kernfs`.
    OneFileSystem(bool),
    /// Enters kernel file systems if `true`. ncdu does so by default.
    Kernfs(bool),
    /// Sets the sort column and direction.
    Sort,
    /// Sets the color scheme.
    Color,
    /// Shows or hides the column with the size shared by hard links.
    SharedColumn,
    /// No effect, because duke draws bars in its own way. The value must be one of ncdu's graph styles.
    GraphStyle,
    /// No effect. The help text of the flag gives the reason.
    Ignored,
}

/// Flag of ncdu, with its meaning in duke.
pub struct Flag {
    /// Short name, if there is one.
    pub short: Option<char>,
    /// Long name; empty if there is none.
    pub long: &'static str,
    /// Name of the value, if the flag takes one.
    pub value: Option<&'static str>,
    pub means: Means,
    pub help: &'static str,
}

/// Browser commands that run other programs.
pub const PROGRAMS: &[&str] = &["shell", "view-file", "open-in-app"];
/// Browser commands that rescan.
pub const REFRESH: &[&str] = &["rescan", "rescan-root"];

const fn flag(short: char, long: &'static str, means: Means, help: &'static str) -> Flag {
    Flag { short: if short == ' ' { None } else { Some(short) }, long, value: None, means, help }
}

const fn valued(
    short: char,
    long: &'static str,
    value: &'static str,
    means: Means,
    help: &'static str,
) -> Flag {
    Flag { value: Some(value), ..flag(short, long, means, help) }
}

/// All flags, in the order of ncdu's manual page.
pub const FLAGS: [Flag; 60] = [
    valued('f', "", "FILE", Words("-f"), "Browse an export; - is standard input"),
    valued('o', "", "FILE", Words("-o"), "Write a JSON export; - is standard output"),
    valued('O', "", "FILE", Words("-O"), "Write a binary export; - is standard output"),
    flag('c', "compress", Compress(true), "Compress the JSON export; binary exports are always compressed"),
    flag(' ', "no-compress", Compress(false), "Do not compress the JSON export"),
    valued(' ', "compress-level", "N", Level, "No effect: duke has only one compression level"),
    valued(' ', "export-block-size", "KIB", BlockSize, "Block size of a binary export in KiB, 4 to 16000"),
    flag('x', "one-file-system", OneFileSystem(true), "Do not cross file-system boundaries"),
    flag(' ', "cross-file-system", OneFileSystem(false), "Cross file-system boundaries"),
    valued(' ', "exclude", "PATTERN", Words("--exclude"), "Exclude entries that match PATTERN"),
    valued('X', "exclude-from", "FILE", Words("-X"), "Exclude entries that match a pattern in FILE"),
    flag(' ', "exclude-caches", Words("--exclude-caches"), "Exclude directories that contain a CACHEDIR.TAG"),
    flag(
        ' ',
        "include-caches",
        Words("--no-exclude-caches"),
        "Enter directories that contain a CACHEDIR.TAG",
    ),
    flag(' ', "exclude-kernfs", Kernfs(false), "Do not enter /proc, /sys and other kernel file systems"),
    flag(
        ' ',
        "include-kernfs",
        Kernfs(true),
        "Enter kernel file systems (the default in duke ncdu, but not in duke)",
    ),
    flag('L', "follow-symlinks", Words("-L"), "Count a symbolic link as the file that it points to"),
    flag(' ', "no-follow-symlinks", Words("--no-follow-symlinks"), "Do not follow symbolic links"),
    flag(' ', "follow-firmlinks", Ignored, "No effect: duke always follows firmlinks (macOS)"),
    valued('t', "threads", "N", Words("-t"), "Use N threads"),
    flag('e', "extended", Words("-e"), "Read owner, group and mode"),
    flag(' ', "no-extended", Words("--no-extended"), "Do not read owner, group and mode"),
    flag('0', "", Words("-q"), "Do not print progress"),
    flag('1', "", Ignored, "No effect: without the browser, duke prints progress by default"),
    flag('2', "", Ignored, "No effect: duke opens the browser at once"),
    flag('q', "slow-ui-updates", Ignored, "No effect: duke draws only what has changed"),
    flag(' ', "fast-ui-updates", Ignored, "No effect: duke draws only what has changed"),
    flag(
        'r',
        "",
        ReadOnly,
        "Disable deletion; -rr also disables programs such as the shell; -rrr disables rescans, too",
    ),
    flag(' ', "enable-shell", Actions(PROGRAMS, true), "Allow the shell and other programs"),
    flag(' ', "disable-shell", Actions(PROGRAMS, false), "Disable the shell and other programs"),
    flag(' ', "enable-delete", Words("--no-read-only"), "Allow deletion"),
    flag(' ', "disable-delete", Words("--read-only"), "Disable deletion"),
    flag(' ', "enable-refresh", Actions(REFRESH, true), "Allow rescans"),
    flag(' ', "disable-refresh", Actions(REFRESH, false), "Disable rescans"),
    flag(' ', "enable-natsort", Ignored, "No effect: names are always in natural order"),
    flag(' ', "disable-natsort", Ignored, "No effect: names are always in natural order"),
    flag(' ', "si", Words("--si"), "Show sizes in powers of 1000"),
    flag(' ', "no-si", Words("--no-si"), "Show sizes in powers of 1024"),
    flag(' ', "disk-usage", Words("--no-apparent-size"), "Show disk usage"),
    flag(' ', "apparent-size", Words("--apparent-size"), "Show apparent size"),
    flag(' ', "show-hidden", Words("--hidden"), "Show hidden and excluded entries"),
    flag(' ', "hide-hidden", Words("--no-hidden"), "Do not show hidden and excluded entries"),
    flag(' ', "show-itemcount", Columns("count", true), "Show the number of items"),
    flag(' ', "hide-itemcount", Columns("count", false), "Do not show the number of items"),
    flag(' ', "show-mtime", Columns("mtime", true), "Show the time of the last change"),
    flag(' ', "hide-mtime", Columns("mtime", false), "Do not show the time of the last change"),
    flag(' ', "show-graph", Columns("bar", true), "Show bars"),
    flag(' ', "hide-graph", Columns("bar", false), "Do not show bars"),
    flag(' ', "show-percent", Columns("share", true), "Show percentages"),
    flag(' ', "hide-percent", Columns("share", false), "Do not show percentages"),
    valued(' ', "graph-style", "STYLE", GraphStyle, "No effect: duke draws bars in its own way"),
    valued(
        ' ',
        "shared-column",
        "COLUMN",
        SharedColumn,
        "Show (shared, unique) or hide (off) the column with the size shared by hard links",
    ),
    valued(
        ' ',
        "sort",
        "COLUMN",
        Sort,
        "Sort by disk-usage, apparent-size, itemcount, mtime or name; COLUMN may end in -asc or -desc",
    ),
    flag(' ', "group-directories-first", Words("--directories-first"), "List directories first"),
    flag(
        ' ',
        "no-group-directories-first",
        Words("--no-directories-first"),
        "Do not list directories before files",
    ),
    flag(' ', "confirm-quit", Words("--confirm-quit"), "Ask before quitting"),
    flag(
        ' ',
        "no-confirm-quit",
        Words("--no-confirm-quit"),
        "Ask before quitting only if something would be lost",
    ),
    flag(
        ' ',
        "confirm-delete",
        Words("--no-select-yes"),
        "Preselect No when the browser asks about a deletion",
    ),
    flag(
        ' ',
        "no-confirm-delete",
        Words("--select-yes"),
        "Preselect Yes when the browser asks about a deletion",
    ),
    valued(
        ' ',
        "color",
        "SCHEME",
        Color,
        "Use no colors (off), or colors that suit the terminal (dark, dark-bg)",
    ),
    flag(' ', "ignore-config", Words("--no-config"), "Ignore the configuration files of ncdu and duke"),
];

/// Returns the table of flags for docs/coming-from.md.
pub fn markdown() -> String {
    let rows = FLAGS.iter().map(|flag| {
        let short = flag.short.map(|short| format!("-{short}"));
        let long = (!flag.long.is_empty()).then(|| format!("--{}", flag.long));
        let names: Vec<String> = short.into_iter().chain(long).collect();
        let value = flag.value.map(|value| format!(" {value}")).unwrap_or_default();
        format!("| `{}{value}` | {} |\n", names.join("`, `"), flag.help)
    });
    std::iter::once("| ncdu | duke ncdu |\n|---|---|\n".to_owned()).chain(rows).collect()
}
