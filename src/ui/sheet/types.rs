//! What a subtree consists of: a row for each class of files, and below it one for each extension.
//!
//! ```text
//!       Disk▾  Share                Items   Type
//!     1.6 GiB  84.3% ████████▍         12   audio
//!     1.5 GiB  80.1% ████████           2     .flac
//! ```
//!
//! What are no files has a row for each kind. Enter shows the entries behind a row.

use super::{SheetLine, Target};
use crate::kind::Kind;
use crate::search::Class;
use crate::size::Measure;
use crate::survey::types::class_query;
use crate::survey::{Type, Typed};
use crate::text::escape;
use crate::tree::Totals;
use crate::ui::theme::Role;
use crate::ui::work::Ask;

enum TypeRow {
    Class(Class, Totals),
    Type(Type, Totals),
}

/// How many rows there are.
pub(super) fn rows(typed: &Typed) -> usize {
    typed.classes.len() + typed.types.len()
}

/// A row.
pub(super) fn line(typed: &Typed, index: usize, measure: Measure) -> Option<SheetLine> {
    let row = row(typed, index)?;
    let (totals, role) = match row {
        TypeRow::Class(_, totals) => (totals, Role::Strong),
        TypeRow::Type(_, totals) => (totals, Role::Plain),
    };
    let indent = if matches!(row, TypeRow::Type(of, _) if of.class().is_some()) { "  " } else { "" };
    let sum = SheetLine::of_sum(format!("{indent}{}", name(&row)), &totals, measure);
    Some(SheetLine { role, ..sum })
}

/// Where a row leads.
pub(super) fn target(typed: &Typed, index: usize) -> Option<Target> {
    let row = row(typed, index)?;
    let (ask, query) = match row {
        TypeRow::Class(class, _) => (Ask::Largest, class_query(class)),
        // Directories are no files, but can be searched for.
        TypeRow::Type(of @ Type::Kind(Kind::Directory), _) => (Ask::Search, of.query()),
        TypeRow::Type(of, _) => (Ask::Largest, of.query()),
    };
    Some(Target::Files { label: name(&row), ask, query })
}

/// The row at `index`: each class with its types below it, then the kinds.
fn row(typed: &Typed, index: usize) -> Option<TypeRow> {
    let of_class = |class: Option<Class>| typed.types.iter().filter(move |(of, _)| of.class() == class);
    let files = typed.classes.iter().flat_map(|(class, totals)| {
        let below = of_class(Some(*class)).map(|(of, totals)| TypeRow::Type(*of, *totals));
        std::iter::once(TypeRow::Class(*class, *totals)).chain(below)
    });
    files.chain(of_class(None).map(|(of, totals)| TypeRow::Type(*of, *totals))).nth(index)
}

fn name(row: &TypeRow) -> String {
    match row {
        TypeRow::Class(class, _) => class.name().replace('-', " "),
        TypeRow::Type(Type::Extension(extension), _) => format!(".{}", escape(extension.as_bytes())),
        TypeRow::Type(Type::NoExtension, _) => "no extension".to_owned(),
        TypeRow::Type(Type::Kind(kind), _) => kind_name(*kind).to_owned(),
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Directory => "directories themselves",
        Kind::File => "files",
        Kind::Symlink => "symbolic links",
        Kind::Fifo => "pipes",
        Kind::Socket => "sockets",
        Kind::BlockDevice => "block devices",
        Kind::CharDevice => "character devices",
        Kind::Unknown => "unknown",
    }
}
