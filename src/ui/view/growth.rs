//! How growth is written: in the column of the list, and in the view of everything that has changed.
//!
//! ```text
//!      Disk     Growth  Path
//!   4.2 GiB   +1.2 GiB  srv/db/                 grown
//!   1.0 GiB        new  srv/dump.sql            everything of it is growth
//!      gone  -80.0 MiB  srv/old.iso             gone: only the view has such rows
//!  12.0 KiB   -4.0 KiB  etc/                    shrunk
//!   3.1 GiB          =  srv/b/  was srv/a
//! ```
//!
//! In few columns a sign stands for the words: `*` new, `x` gone, `+` grown, `-` shrunk. `=` is what changed in nothing
//! but its name.
//!
//! Invariant: new, gone, grown and shrunk can be told apart without a colour, in any width.

use ratatui::text::Span;

use super::columns::{Columns, SizeColumn, right};
use crate::size::{BRIEF, Units, brief_size, change};
use crate::ui::app::App;
use crate::ui::window::Grown;

/// What stands above the column, with room for an arrow.
pub(super) fn title(columns: &Columns) -> &'static str {
    if columns.growth == SizeColumn::Full { "Growth" } else { "Grow" }
}

/// The cell of an entry of this size.
pub(super) fn span<'a>(
    app: &App<'_>,
    columns: &Columns,
    grown: Option<Grown>,
    size: Option<u64>,
) -> Span<'a> {
    let units = app.units;
    let (text, columns) = match columns.growth {
        SizeColumn::Full => (full(grown, size, units), 1 + units.width()),
        SizeColumn::Brief | SizeColumn::None => (brief(grown, size, units), 1 + BRIEF),
    };
    Span::raw(right(&text, columns))
}

/// `+1.2 GiB`
fn full(grown: Option<Grown>, size: Option<u64>, units: Units) -> String {
    match (grown, size) {
        (None, _) | (Some(Grown::From(_)), None) => String::new(),
        (Some(Grown::New), _) => "new".to_owned(),
        (Some(Grown::Gone(bytes)), _) => change(bytes, 0, units),
        (Some(Grown::From(before)), Some(after)) if before == after => "=".to_owned(),
        (Some(Grown::From(before)), Some(after)) => change(before, after, units),
    }
}

/// `+1.2G`
fn brief(grown: Option<Grown>, size: Option<u64>, units: Units) -> String {
    let after = size.unwrap_or(0);
    let (sign, bytes) = match grown {
        None => return String::new(),
        Some(Grown::New) => ('*', after),
        Some(Grown::Gone(bytes)) => ('x', bytes),
        Some(Grown::From(_)) if size.is_none() => return String::new(),
        Some(Grown::From(before)) if before == after => return "=".to_owned(),
        Some(Grown::From(before)) if before < after => ('+', after - before),
        Some(Grown::From(before)) => ('-', before - after),
    };
    format!("{sign}{}", brief_size(bytes, units).trim_start())
}
