//! A line of the list, or of another view: what stands in each of its columns.
//!
//! ```text
//! !≥   1.0 GiB  84.3% ████████▍      12,001   doc/
//!    120.0 MiB   9.8% ▉                     ● core.bz2  2 names
//!     excluded                               proc/  kernel file system
//! ```
//!
//! `!`: something in it could not be read. Before a size, `≥`: it is at least that; `·`: it is still growing.
//!
//! Knows no tree. Invariant: every cell is as wide as its column, whatever is in it.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line as Text, Span};

use super::columns::{Cell, Columns, SizeColumn, right};
use super::growth;
use crate::size::{DATE, brief_size, count, date, date_and_time, percent, size};
use crate::text::{beginning, fit, pad, width};
use crate::ui::app::App;
use crate::ui::theme::Role;
use crate::ui::window::{Bound, Grown};

/// Columns below which a note would say nothing.
const NOTE: usize = 10;

/// What there is to show of a line; the columns say which of it is shown.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Whether something in it could not be read.
    pub(super) has_errors: bool,
    /// How its size relates to the truth.
    pub(super) bound: Bound,
    /// Its size, or the words in its place, in full and in brief.
    pub(super) size: Result<u64, [&'static str; 2]>,
    /// How it has grown.
    pub(super) growth: Option<Grown>,
    /// What it takes of all, in thousandths.
    pub(super) share: Option<u16>,
    /// How much of a bar that is.
    pub(super) bar: Option<u16>,
    /// How many items are below it.
    pub(super) items: Option<u64>,
    /// What hard links share, in bytes.
    pub(super) shared: u64,
    /// Time of last change, in seconds since 1970.
    pub(super) modified: Option<i64>,
    /// Whether it is marked.
    pub(super) is_marked: bool,
    /// What it is called, safe for a terminal.
    pub(super) label: String,
    /// How that looks.
    pub(super) role: Role,
    /// What else there is to say.
    pub(super) note: Option<(String, Role)>,
}

impl Line {
    /// The line as text.
    pub(super) fn text<'a>(&self, app: &App<'_>, columns: &Columns) -> Text<'a> {
        let mut spans = Vec::with_capacity(16);
        for (number, (cell, width)) in columns.cells(app.units).into_iter().enumerate() {
            if number > 0 {
                spans.push(Span::raw(" "));
            }
            self.cell(app, columns, (cell, width), &mut spans);
        }
        self.gap(app, columns, &mut spans);
        self.label(app, columns.name, &mut spans);
        Text::from(spans)
    }

    fn cell(&self, app: &App<'_>, columns: &Columns, (cell, room): (Cell, usize), spans: &mut Vec<Span<'_>>) {
        spans.push(match cell {
            Cell::Size => return self.size(app, columns.size, room, spans),
            Cell::Growth => growth::span(app, columns, self.growth, self.size.ok()),
            Cell::Percent => Span::raw(right(&self.share.map(percent).unwrap_or_default(), room)),
            Cell::Bar => {
                let bar = app.theme.glyphs.bar(self.bar.unwrap_or(0), room);
                Span::styled(bar, app.theme.style(Role::Bar))
            }
            Cell::Items => Span::raw(right(&self.items.map(count).unwrap_or_default(), room)),
            Cell::Shared => {
                let shared = Some(self.shared).filter(|bytes| *bytes > 0);
                Span::raw(right(&shared.map(|bytes| size(bytes, app.units)).unwrap_or_default(), room))
            }
            Cell::Time => {
                let write = if room > DATE { date_and_time } else { date };
                let text = self.modified.map(|time| write(time, &app.zone)).unwrap_or_default();
                Span::raw(pad(&text, room, ""))
            }
            // The gap and what stands behind it are no cells of their own.
            Cell::Name => return,
        });
    }

    /// What the size is worth, and the size.
    fn size(&self, app: &App<'_>, column: SizeColumn, room: usize, spans: &mut Vec<Span<'_>>) {
        let theme = app.theme;
        let error = Span::styled("!", theme.style(Role::Warning));
        spans.push(if self.has_errors { error } else { Span::raw(" ") });
        spans.push(match self.bound {
            Bound::AtLeast => Span::raw(theme.glyphs.at_least()),
            Bound::Growing => Span::styled(theme.glyphs.growing(), theme.style(Role::Faint)),
            Bound::Exact => Span::raw(" "),
        });
        let (is_full, room) = (column == SizeColumn::Full, room - 2);
        spans.push(match self.size {
            Ok(bytes) if is_full => Span::raw(right(&size(bytes, app.units), room)),
            Ok(bytes) => Span::raw(right(&brief_size(bytes, app.units), room)),
            Err([full, brief]) => {
                Span::styled(right(if is_full { full } else { brief }, room), theme.style(Role::Faint))
            }
        });
    }

    /// What stands before the label: a sign if it is marked.
    fn gap(&self, app: &App<'_>, columns: &Columns, spans: &mut Vec<Span<'_>>) {
        let gap = columns.gap();
        if !self.is_marked || gap.is_empty() {
            spans.push(Span::raw(gap));
            return;
        }
        let (before, behind) = gap.split_at(gap.len() / 2);
        spans.push(Span::raw(before));
        spans.push(Span::styled(app.theme.glyphs.marked(), app.theme.style(Role::Strong)));
        spans.push(Span::raw(&behind[1..]));
    }

    /// The label, and where there is room what else there is to say.
    fn label(&self, app: &App<'_>, room: usize, spans: &mut Vec<Span<'_>>) {
        let gap = app.theme.glyphs.gap();
        let label = fit(&self.label, room, gap).into_owned();
        let left = room.saturating_sub(width(&label));
        let style = app.theme.style(self.role);
        spans.push(Span::styled(label, if self.is_marked { style.underlined() } else { style }));
        if let Some((note, role)) = self.note.as_ref().filter(|_| left >= NOTE) {
            let note = shortened(note, left - 2, gap);
            spans.push(Span::styled(format!("  {note}"), app.theme.style(*role)));
        }
    }
}

/// As much of a note as fits: all of it, its first clause, or the beginning of that.
fn shortened<'t>(note: &'t str, room: usize, gap: &str) -> Cow<'t, str> {
    if width(note) <= room {
        return Cow::Borrowed(note);
    }
    // "packages; npm install fetches them again"
    let clause = note.split_once("; ").map_or(note, |(first, _)| first);
    beginning(clause, room, gap)
}

/// Makes a line the one under the cursor.
pub(super) fn select(app: &App<'_>, row: Rect, buffer: &mut Buffer) {
    // One look for all of the line: its own colours reversed would make a chequered one.
    for cell in row.positions() {
        buffer[cell].set_style(Style::reset().patch(app.theme.style(Role::Selected)));
    }
}
