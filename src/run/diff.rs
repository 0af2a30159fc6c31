//! `duke diff`: changes between two trees, each from an export, a snapshot or a scan.
//!
//! ```text
//!   +1.2 GiB  grown       4.2 GiB  /srv/db
//!  -80.0 MiB  gone          0   B  /srv/old.iso
//!   +0   B    renamed     3.1 GiB  /srv/b  (was /srv/a)
//!   +1.1 GiB  grown      20.2 GiB  /srv                        the total comes last
//! ```
//!
//! Trees may have several roots, such as those of several hosts. Each root is compared with the root that has the same
//! name or, if no names match, the same position. Each root has a line above the total.
//!
//! Invariant: the largest change comes first, and the same two trees always give the same lines.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::analysis::compare::diff::{Change, ChangeKind, Side, Sizes, diff, root_directories, roots};
use crate::base::absolute::absolute;
use crate::base::format;
use crate::base::format::{Measure, Units, size};
use crate::base::json::JsonWriter;
use crate::base::sort::sort_by_key;
use crate::base::text::escape;
use crate::formats::long_paths::{LONGEST, TooLong};
use crate::platform::terminal::interrupt::Interrupt;
use crate::run::exit::{Exit, exit_of};
use crate::run::print::{Progress, read};
use crate::run::streams::{exit_of_writing, print_error, print_other_flags, standard_output, summarize};
use crate::scan::{self, Outcome};
use crate::source::{Source, SourceSpec};
use crate::tree::{DirId, EntryId, Tree, join};

/// Settings of a comparison.
#[derive(Debug)]
pub struct DiffJob {
    /// Baseline of the comparison.
    pub old: SourceSpec,
    /// Tree to compare with the baseline; `None` to scan the baseline's roots on this machine.
    pub new: Option<SourceSpec>,
    /// Options of the scan, used if `new` is `None`.
    pub scan: scan::Options,
    pub options: DiffOptions,
    /// Progress display while the trees are being read.
    pub progress: Progress,
}

/// Output options of `duke diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiffOptions {
    pub form: DiffFormat,
    /// Measure by which sizes are compared.
    pub measure: Measure,
    /// Size in bytes of the smallest change to print.
    pub least: u64,
}

impl DiffOptions {
    fn amount(&self, extent: Sizes) -> u64 {
        self.measure.of(extent.disk, extent.apparent)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffFormat {
    /// Human-readable table.
    Table(Units),
    Json,
}

/// One of the two trees to compare, after it has been read.
struct Read {
    source: Source,
    outcome: Option<Outcome>,
    /// Roots that are directories.
    roots: Vec<DirId>,
}

impl Read {
    fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.roots.iter().map(|root| self.source.tree().name(*root))
    }
}

/// Runs the comparison and returns the exit code.
pub fn compare(comparison: DiffJob) -> Exit {
    let interrupt = Interrupt::hold().ok();
    let DiffJob { old, new, scan, options, progress } = comparison;
    let read = |wanted| read_side(wanted, interrupt.as_ref(), progress);
    let sides = read(old).and_then(|old| {
        let now = || SourceSpec::Paths(old.names().map(path).collect(), scan);
        let new = read(new.unwrap_or_else(now))?;
        Ok((old, new))
    });
    if interrupt.is_some_and(Interrupt::release) {
        print_error("interrupted; nothing printed");
        return Exit::Interrupted;
    }
    let (old, new) = match sides {
        Ok(sides) => sides,
        Err(exit) => return exit,
    };
    print_other_flags(&old.source, &new.source);
    summarize(old.source.tree(), old.outcome.as_ref());
    let exit = exit_of(&old.source, old.outcome.as_ref());
    let printed = standard_output().and_then(|mut out| Changes::find(&old, &new, options).write(&mut out));
    let exit = exit.max(exit_of(&new.source, new.outcome.as_ref()));
    let exit = exit_of_writing(&new.source, new.outcome.as_ref(), printed, "standard output", exit);
    // The process ends now, and the system frees large trees faster than duke could.
    std::mem::forget((old, new));
    exit
}

/// Reads one of the two trees to compare. Fails with an exit code, for example if none of its roots is a directory.
fn read_side(wanted: SourceSpec, interrupt: Option<&Interrupt>, progress: Progress) -> Result<Read, Exit> {
    let (source, outcome) = read(wanted, interrupt, progress)?;
    if interrupt.is_some_and(Interrupt::was_recorded) {
        return Err(Exit::Interrupted);
    }
    let roots: Vec<DirId> = root_directories(source.tree()).into_iter().flatten().collect();
    if !roots.is_empty() {
        return Ok(Read { source, outcome, roots });
    }
    summarize(source.tree(), outcome.as_ref());
    if exit_of(&source, outcome.as_ref()) == Exit::Success {
        print_not_comparable(source.tree());
    }
    Err(Exit::Failure)
}

/// Prints the error for a tree that cannot be compared because none of its roots is a directory. The message names the
/// first root.
pub(super) fn print_not_comparable(tree: &Tree) {
    let listing = tree.listing(DirId::TOP);
    let root = listing.entries().next().map(|(_, entry)| escape(entry.name).into_owned());
    print_error(&format!("{}: cannot compare: not a directory", root.unwrap_or_default()));
}

/// Changes between two trees, largest first.
struct Changes<'t> {
    old: &'t Read,
    new: &'t Read,
    options: DiffOptions,
    /// Name to show for each old root: the name of its new root if both have the same absolute path, or else its own.
    former_roots: HashMap<DirId, Vec<u8>>,
    /// Change of each root.
    roots: Vec<Change<'t>>,
    list: Vec<Change<'t>>,
    /// Changes omitted from the list because their paths are too long.
    too_long: TooLong,
}

impl<'t> Changes<'t> {
    fn find(old: &'t Read, new: &'t Read, options: DiffOptions) -> Self {
        let (before, after) = (old.source.tree(), new.source.tree());
        let is_large = |change: &Change<'_>| {
            let by = options.amount(change.before).abs_diff(options.amount(change.after));
            // If `least` is 0, a new, deleted or renamed entry counts as a change even if the sizes are equal.
            by >= options.least && (by > 0 || change.difference != ChangeKind::Kept)
        };
        let pairs = roots(before, after);
        let mut former_roots: HashMap<DirId, Vec<u8>> =
            old.roots.iter().map(|root| (*root, before.name(*root).to_vec())).collect();
        let mut changes = Vec::new();
        for (root, now) in &pairs {
            let name = after.name(*now);
            if absolute(&path(before.name(*root))) == absolute(&path(name)) {
                former_roots.insert(*root, name.to_vec());
            }
            let (old, new) = (Side { tree: before, root: *root }, Side { tree: after, root: *now });
            changes.extend(diff(old, new, |change| !is_root(change) && is_large(change)));
        }
        let roots = root_changes(old, new, &pairs);
        changes.extend(roots.iter().filter(|root| is_large(root)));
        let (list, too_long) = (Vec::new(), TooLong::default());
        let mut found = Self { old, new, options, former_roots, roots, list, too_long };
        let mut too_long = TooLong::default();
        changes.retain(|change| found.is_short(change, &mut too_long));
        sort_by_key(&mut changes, |change| {
            let by = options.amount(change.before).abs_diff(options.amount(change.after));
            (Reverse(by), found.path_of(change))
        });
        found.list = changes;
        found.too_long = too_long;
        found
    }

    /// Returns `true` if the path of the change (or both paths, if an entry was renamed) fits into [`LONGEST`] bytes,
    /// including the terminating NUL. Otherwise, counts the change in `too_long`.
    fn is_short(&self, change: &Change<'_>, too_long: &mut TooLong) -> bool {
        let is_long = |read: &Read, directory: DirId, name: &[u8]| {
            let tree = read.source.tree();
            let mut length = if name.is_empty() { 0 } else { name.len() + 1 };
            tree.ancestry(directory).any(|id| {
                length += tree.name(id).len() + 1;
                length > LONGEST
            })
        };
        let is_long = match change.difference {
            ChangeKind::Deleted => is_long(self.old, change.entry.directory, change.name),
            ChangeKind::Renamed(before) => {
                is_long(self.new, change.entry.directory, change.name) || is_long(self.old, before, b"")
            }
            ChangeKind::New | ChangeKind::Kept => is_long(self.new, change.entry.directory, change.name),
        };
        if is_long {
            too_long.note(0, || self.path_of(change));
        }
        !is_long
    }

    fn path_of(&self, change: &Change<'_>) -> Vec<u8> {
        let directory = match change.difference {
            ChangeKind::Deleted => self.former_path(change.entry.directory),
            _ => self.new.source.tree().path(change.entry.directory),
        };
        // An empty name stands for the root.
        if change.name.is_empty() { directory } else { join([directory.as_slice(), change.name]) }
    }

    /// Returns the path of a directory in the old tree.
    fn former_path(&self, directory: DirId) -> Vec<u8> {
        let tree = self.old.source.tree();
        let name = |id| self.former_roots.get(&id).map_or_else(|| tree.name(id), Vec::as_slice);
        let mut names: Vec<&[u8]> = tree.ancestry(directory).map(name).collect();
        names.reverse();
        join(names)
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        match self.options.form {
            DiffFormat::Table(units) => self.table(&mut io::BufWriter::new(out), units),
            DiffFormat::Json => self.json(out),
        }?;
        self.too_long.result()
    }

    fn table(&self, out: &mut dyn Write, units: Units) -> io::Result<()> {
        let entries = self.list.iter().filter(|change| !is_root(change));
        for change in entries.chain(&self.roots) {
            self.line(out, units, change, &self.path_of(change))?;
        }
        if self.roots.len() > 1 {
            let whole =
                root_change(DirId::TOP, sizes_of(self.old, DirId::TOP), sizes_of(self.new, DirId::TOP));
            self.line(out, units, &whole, b"total")?;
        }
        out.flush()
    }

    fn line(&self, out: &mut dyn Write, units: Units, change: &Change<'_>, path: &[u8]) -> io::Result<()> {
        let (before, after) = (self.options.amount(change.before), self.options.amount(change.after));
        let by = format::change(before, after, units);
        let (word, now) = (self.word(change), size(after, units));
        write!(out, "{by:>11}  {word:<8}{now}  {}", escape(path))?;
        if let ChangeKind::Renamed(old) = change.difference {
            write!(out, "  (was {})", escape(&self.former_path(old)))?;
        }
        writeln!(out)
    }

    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut json = JsonWriter::new(out);
        let mut sides = [self.old, self.new].into_iter();
        json.head("duke-diff/1");
        json.boolean(sides.all(|side| side.outcome.as_ref() == Some(&Outcome::Complete)));
        json.raw(",\n\"old\":");
        side(&mut json, self.old);
        json.raw(",\n\"new\":");
        side(&mut json, self.new);
        json.raw(",\n\"changes\":[");
        let mut separator = "\n";
        for change in &self.list {
            json.raw(std::mem::replace(&mut separator, ",\n"));
            json.raw("{");
            json.name("path", &self.path_of(change));
            json.raw(",\"type\":\"");
            json.raw(change.kind.name());
            json.raw("\",\"change\":\"");
            json.raw(self.word(change));
            json.raw("\"");
            json.field(",\"disk_before\":", change.before.disk);
            json.field(",\"disk_after\":", change.after.disk);
            json.field(",\"apparent_before\":", change.before.apparent);
            json.field(",\"apparent_after\":", change.after.apparent);
            if let ChangeKind::Renamed(old) = change.difference {
                json.raw(",");
                json.name("renamed_from", &self.former_path(old));
            }
            json.raw("}");
            json.spill()?;
        }
        json.raw("]}\n");
        json.finish()
    }

    fn word(&self, change: &Change<'_>) -> &'static str {
        match change.difference {
            ChangeKind::New => "new",
            ChangeKind::Deleted => "gone",
            ChangeKind::Renamed(_) => "renamed",
            ChangeKind::Kept => {
                match self.options.amount(change.before).cmp(&self.options.amount(change.after)) {
                    std::cmp::Ordering::Less => "grown",
                    std::cmp::Ordering::Equal => "same",
                    std::cmp::Ordering::Greater => "shrunk",
                }
            }
        }
    }
}

fn is_root(change: &Change<'_>) -> bool {
    change.name.is_empty()
}

fn root_changes<'t>(old: &Read, new: &Read, pairs: &[(DirId, DirId)]) -> Vec<Change<'t>> {
    let kept = pairs
        .iter()
        .map(|(before, after)| root_change(*after, sizes_of(old, *before), sizes_of(new, *after)));
    let is_missing = |root: &&DirId| pairs.iter().all(|(before, _)| before != *root);
    let deleted = old.roots.iter().filter(is_missing).map(|root| Change {
        difference: ChangeKind::Deleted,
        ..root_change(*root, sizes_of(old, *root), Sizes::default())
    });
    let is_new = |root: &&DirId| pairs.iter().all(|(_, after)| after != *root);
    let fresh = new.roots.iter().filter(is_new).map(|root| Change {
        difference: ChangeKind::New,
        ..root_change(*root, Sizes::default(), sizes_of(new, *root))
    });
    kept.chain(deleted).chain(fresh).collect()
}

fn root_change<'t>(root: DirId, before: Sizes, after: Sizes) -> Change<'t> {
    Change {
        difference: ChangeKind::Kept,
        name: b"",
        kind: crate::base::kind::Kind::Directory,
        entry: EntryId { directory: root, position: 0 },
        new_parent: root,
        itself: Some(root),
        before,
        after,
    }
}

fn sizes_of(read: &Read, directory: DirId) -> Sizes {
    let totals = read.source.tree().totals(directory);
    Sizes { disk: totals.disk, apparent: totals.apparent }
}

/// Writes an object with the roots of one tree, the time of its scan, and its totals.
fn side(json: &mut JsonWriter<'_>, read: &Read) {
    json.raw("{");
    if let [root] = read.roots.as_slice() {
        json.name("root", read.source.tree().name(*root));
        json.raw(",");
        totals(json, read, *root);
    } else {
        json.raw("\"roots\":[");
        let mut separator = "";
        for name in read.names() {
            json.raw(std::mem::replace(&mut separator, ","));
            json.raw("{");
            json.name("root", name);
            json.raw("}");
        }
        json.raw("],");
        totals(json, read, DirId::TOP);
    }
    json.raw("}");
}

fn totals(json: &mut JsonWriter<'_>, read: &Read, directory: DirId) {
    if let Some(time) = read.source.provenance().first().and_then(|provenance| provenance.scanned_at) {
        json.raw("\"scanned_at\":");
        json.signed(time);
        json.raw(",");
    }
    let totals = read.source.tree().totals(directory);
    json.field("\"disk\":", totals.disk);
    json.field(",\"apparent\":", totals.apparent);
    json.field(",\"items\":", totals.items);
    json.field(",\"errors\":", u64::from(totals.errors));
}

fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}
