//! What has changed: a row for each change, the largest first. How a growth is written is for `view::growth`.

use super::SheetLine;
use crate::growth::{Growth, Row, amount};
use crate::kind::Kind;
use crate::size::Measure;
use crate::text::escape;
use crate::tree::diff::Fate;
use crate::tree::{DirId, Position, Tree, join};
use crate::ui::remark::remark_of;
use crate::ui::theme::Role;
use crate::ui::window::Grown;

/// What the directory took that the view is about, and takes.
pub(super) fn whole(growth: &Growth, measure: Measure) -> Option<(u64, u64)> {
    growth.whole.map(|(before, after)| (amount(before, measure), amount(after, measure)))
}

/// The entry of a row, if it is there.
pub(super) fn entries(growth: &Growth, index: usize) -> Vec<(DirId, Position)> {
    let row = growth.rows.get(index).filter(|row| row.fate != Fate::Gone);
    row.map(|row| (row.directory, row.position)).into_iter().collect()
}

/// A row of the view.
pub(super) fn line(
    tree: &Tree,
    from: DirId,
    growth: &Growth,
    index: usize,
    measure: Measure,
) -> Option<SheetLine> {
    let row = growth.rows.get(index)?;
    let record = growth.record(tree, row)?;
    let is_directory = row.kind == Kind::Directory;
    let mut label = path_below(tree, from, row, record.name);
    if is_directory && !label.ends_with('/') {
        label.push('/');
    }
    let (before, after) = (amount(row.before, measure), amount(row.after, measure));
    let was = growth.former_path(row).map(|path| format!("was {}", escape(&path)));
    let role = match (row.fate, is_directory) {
        (Fate::Gone, _) => Role::Faint,
        (_, true) => Role::Strong,
        (_, false) => Role::Plain,
    };
    let words = SheetLine { note: was.or_else(|| remark_of(&record)), ..SheetLine::of_words(label, role) };
    Some(match row.fate {
        Fate::Gone => SheetLine { growth: Some(Grown::Gone(before)), ..words },
        Fate::New => SheetLine { size: Some(after), growth: Some(Grown::New), ..words },
        Fate::Kept | Fate::Renamed(_) => {
            SheetLine { size: Some(after), growth: Some(Grown::From(before)), ..words }
        }
    })
}

/// The path of what changed from the directory `from` on, safe for a terminal.
fn path_below(tree: &Tree, from: DirId, row: &Row, name: &[u8]) -> String {
    let above = tree.ancestry(row.place).take_while(|id| *id != from);
    let mut names: Vec<&[u8]> = above.map(|id| tree.name(id)).collect();
    names.reverse();
    names.push(name);
    escape(&join(names)).into_owned()
}
