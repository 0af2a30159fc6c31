//! Flags of ncdu 1.x and 2.x, and what each of them means to duke.
//!
//! docs/coming-from.md has this table, generated.

use Means::{
    Actions, Color, Columns, Compress, Ignored, Kernfs, OneFileSystem, ReadOnly, SharedColumn, Sort, Words,
};

/// Meaning of a flag of ncdu to duke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// Word of duke; the value, if any, is the next word.
    Words(&'static str),
    /// Column of the list, and whether it is shown.
    Columns(&'static str, bool),
    /// Actions in the table of keys, and whether they have keys.
    Actions(&'static [&'static str], bool),
    /// No deletion; at the second time, no programs; at the third, no rescans.
    ReadOnly,
    /// Compression of the export, which duke accepts only with an export.
    Compress(bool),
    /// Confinement to one file system, which duke does not accept together with kernel file systems.
    OneFileSystem(bool),
    /// Kernel file systems, which ncdu enters by default.
    Kernfs(bool),
    /// Column to sort by, with its direction.
    Sort,
    /// Scheme of colors.
    Color,
    /// Column of the size shared by hard links.
    SharedColumn,
    /// No effect.
    Ignored,
}

/// Flag of ncdu.
pub struct Flag {
    /// Short name, if there is one.
    pub short: Option<char>,
    /// Long name; empty if there is none.
    pub long: &'static str,
    /// Name of the value, if the flag takes one.
    pub value: Option<&'static str>,
    /// Meaning to duke.
    pub means: Means,
    /// Line of the help.
    pub help: &'static str,
}

/// Actions that run other programs.
pub const PROGRAMS: &[&str] = &["shell", "view-file", "open-elsewhere"];
/// Actions that rescan.
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
pub const FLAGS: [Flag; 59] = [
    valued('f', "", "FILE", Words("-f"), "Browse an export; - is standard input"),
    valued('o', "", "FILE", Words("-o"), "Write an export in JSON; - is standard output"),
    valued('O', "", "FILE", Words("-O"), "Write a binary export; - is standard output"),
    flag('c', "compress", Compress(true), "Compress the export in JSON"),
    flag(' ', "no-compress", Compress(false), "Do not compress the export in JSON"),
    valued(' ', "compress-level", "N", Ignored, "Accepted without effect: duke has one level"),
    valued(' ', "export-block-size", "KIB", Ignored, "Accepted without effect: duke chooses the size"),
    flag('x', "one-file-system", OneFileSystem(true), "Do not cross file-system boundaries"),
    flag(' ', "cross-file-system", OneFileSystem(false), "Cross file-system boundaries"),
    valued(' ', "exclude", "PATTERN", Words("--exclude"), "Exclude entries that match PATTERN"),
    valued('X', "exclude-from", "FILE", Words("-X"), "Exclude entries that match a pattern in FILE"),
    flag(' ', "exclude-caches", Words("--exclude-caches"), "Exclude directories that hold a CACHEDIR.TAG"),
    flag(' ', "include-caches", Words("--no-exclude-caches"), "Enter directories that hold a CACHEDIR.TAG"),
    flag(' ', "exclude-kernfs", Kernfs(false), "Do not enter /proc, /sys and other kernel file systems"),
    flag(' ', "include-kernfs", Kernfs(true), "Enter them; the default, unlike that of duke"),
    flag('L', "follow-symlinks", Words("-L"), "Count the file that a symbolic link leads to"),
    flag(' ', "no-follow-symlinks", Words("--no-follow-symlinks"), "Do not follow symbolic links"),
    valued('t', "threads", "N", Words("-t"), "Read with N threads"),
    flag('e', "extended", Words("-e"), "Keep owner, group and mode"),
    flag(' ', "no-extended", Words("--no-extended"), "Do not keep owner, group and mode"),
    flag('0', "", Words("-q"), "Print no progress"),
    flag('1', "", Ignored, "Accepted without effect: duke prints progress if it opens no browser"),
    flag('2', "", Ignored, "Accepted without effect: the browser opens at once"),
    flag('q', "slow-ui-updates", Ignored, "Accepted without effect: duke draws what has changed"),
    flag(' ', "fast-ui-updates", Ignored, "Accepted without effect"),
    flag('r', "", ReadOnly, "Disable deletion; -rr disables the shell too, -rrr also rescans"),
    flag(' ', "enable-shell", Actions(PROGRAMS, true), "Allow the shell and other programs"),
    flag(' ', "disable-shell", Actions(PROGRAMS, false), "Disable the shell and other programs"),
    flag(' ', "enable-delete", Words("--no-read-only"), "Allow deletion"),
    flag(' ', "disable-delete", Words("--read-only"), "Disable deletion"),
    flag(' ', "enable-refresh", Actions(REFRESH, true), "Allow rescans"),
    flag(' ', "disable-refresh", Actions(REFRESH, false), "Disable rescans"),
    flag(' ', "enable-natsort", Ignored, "Accepted without effect: names are always in natural order"),
    flag(' ', "disable-natsort", Ignored, "Accepted without effect: names are always in natural order"),
    flag(' ', "si", Words("--si"), "Show sizes in powers of 1000"),
    flag(' ', "no-si", Words("--no-si"), "Show sizes in powers of 1024"),
    flag(' ', "disk-usage", Words("--no-apparent-size"), "Show disk usage"),
    flag(' ', "apparent-size", Words("--apparent-size"), "Show apparent size"),
    flag(' ', "show-hidden", Words("--hidden"), "Show hidden and excluded entries"),
    flag(' ', "hide-hidden", Words("--no-hidden"), "Do not show hidden and excluded entries"),
    flag(' ', "show-itemcount", Columns("count", true), "Show the number of items"),
    flag(' ', "hide-itemcount", Columns("count", false), "Do not show the number of items"),
    flag(' ', "show-mtime", Columns("mtime", true), "Show the last change"),
    flag(' ', "hide-mtime", Columns("mtime", false), "Do not show the last change"),
    flag(' ', "show-graph", Columns("bar", true), "Show bars"),
    flag(' ', "hide-graph", Columns("bar", false), "Do not show bars"),
    flag(' ', "show-percent", Columns("share", true), "Show percentages"),
    flag(' ', "hide-percent", Columns("share", false), "Do not show percentages"),
    valued(
        ' ',
        "graph-style",
        "STYLE",
        Ignored,
        "Accepted without effect: --ascii of duke draws with ASCII characters",
    ),
    valued(
        ' ',
        "shared-column",
        "COLUMN",
        SharedColumn,
        "off, shared or unique; duke has a column of the shared size only",
    ),
    valued(
        ' ',
        "sort",
        "COLUMN",
        Sort,
        "disk-usage, apparent-size, itemcount, mtime or name, with -asc or -desc",
    ),
    flag(' ', "group-directories-first", Words("--directories-first"), "List directories first"),
    flag(
        ' ',
        "no-group-directories-first",
        Words("--no-directories-first"),
        "List directories among the files",
    ),
    flag(' ', "confirm-quit", Words("--confirm-quit"), "Ask before quitting"),
    flag(
        ' ',
        "no-confirm-quit",
        Words("--no-confirm-quit"),
        "Ask before quitting only if something would be lost",
    ),
    flag(' ', "confirm-delete", Words("--no-select-yes"), "Select No when the browser asks about a deletion"),
    flag(
        ' ',
        "no-confirm-delete",
        Words("--select-yes"),
        "Select Yes when the browser asks about a deletion",
    ),
    valued(
        ' ',
        "color",
        "SCHEME",
        Color,
        "off, dark or dark-bg; duke adapts to the terminal unless it is off",
    ),
    flag(' ', "ignore-config", Words("--no-config"), "Read neither ncdu's nor duke's configuration files"),
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
